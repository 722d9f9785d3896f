// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>

#include "../shared.hpp"

using namespace nvdlac;
using enum hw::precision;

namespace {

constexpr auto& nv8 = nv_small::spec;          // 1 atom in an entry
constexpr auto& nv256 = nv_small_256::spec;    // 4 atoms
constexpr auto& nv512 = nv_medium_512::spec;   // 2 atoms
constexpr auto& full = nv_full::spec;          // 4 atoms of 32 bytes

static_assert(hw::feature_entries_per_slice(nv8, int8, 6, 16) == entries{12});
static_assert(hw::feature_entries_per_slice(nv256, int8, 5, 8) == entries{2});
static_assert(hw::feature_entries_per_slice(nv256, int8, 5, 16) == entries{3});
static_assert(hw::feature_entries_per_slice(nv256, int8, 5, 24) == entries{5});
static_assert(hw::feature_entries_per_slice(nv256, int8, 5, 33) == entries{7});
static_assert(hw::feature_entries_per_slice(nv512, int8, 5, 16) == entries{3});
static_assert(hw::feature_entries_per_slice(full, int16, 6, 70) == entries{8});
static_assert(hw::feature_entries_per_slice(full, fp16, 4, 16) == entries{1});
static_assert(hw::image_entries_per_slice(full, int8, 224 + 6, 3) == entries{6});
static_assert(hw::winograd_entries_per_slice(full, int16, 8, 32) == entries{4});

static_assert(hw::data_banks(nv8, {12}, 5) == banks{1});
static_assert(hw::data_banks(nv8, {512}, 2) == banks{2});
static_assert(hw::data_banks(nv8, {513}, 1) == banks{2});
static_assert(hw::slices_in(nv8, {2}, {513}) == 1);
static_assert(hw::weight_bytes(nv8, int8, 3, 27) == bytes{88});
static_assert(hw::weight_bytes(nv8, int8, 8, 27) == bytes{216});
static_assert(hw::weight_bytes(nv256, int8, 3, 27) == bytes{96});
static_assert(hw::weight_bytes(nv_small_256_full::spec, int8, 3, 27) == bytes{96});
static_assert(hw::weight_bytes(nv512, int8, 3, 27) == bytes{96});
static_assert(hw::weight_bytes(nv_medium_1024_full::spec, int8, 3, 27) == bytes{96});
static_assert(hw::weight_bytes(nv_large::spec, int8, 3, 27) == bytes{128});
static_assert(hw::weight_bytes(nv_large::spec, int8, 5, 27) == bytes{192});
static_assert(hw::weight_bytes(full, int8, 5, 27) == bytes{256});
static_assert(hw::weight_bytes(full, fp16, 1, 27) == bytes{128});
static_assert(hw::kernel_group_bytes(full, fp16, 40, 64) == bytes{16 * 64 * 2});
static_assert(hw::kernel_group_bytes(full, fp16, 8, 64) == bytes{8 * 64 * 2});
static_assert(hw::weight_banks(nv8, {4096}) == banks{1});
static_assert(hw::weight_banks(nv8, {4104}) == banks{2});
static_assert(hw::usable_banks(full, true) == banks{15});

// The registers of one group, by name, as a trace left them.
struct written {
  hw::register_map map;
  std::map<std::string, std::uint32_t, std::less<>> words = {};

  std::uint32_t operator()(std::string_view path) const {
    const auto dot = path.rfind('.');
    const auto word = words.find(path.substr(0, dot));
    REQUIRE(word != words.end());
    return hw::find_field(map, path)->extract(word->second);
  }
};

entries expected(const hw::spec& s, const written& r) {
  const auto p = static_cast<hw::precision>(r("CDMA.D_MISC_CFG.PROC_PRECISION"));
  const std::uint64_t width = r("CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH") + 1;
  const std::uint64_t channels = r("CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL") + 1;
  const std::uint64_t pads =
      r("CDMA.D_ZERO_PADDING.PAD_LEFT") + r("CDMA.D_ZERO_PADDING.PAD_RIGHT");
  if (r("CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT") == 1)
    return hw::image_entries_per_slice(s, p, width + pads, channels);
  if (r("CDMA.D_MISC_CFG.CONV_MODE") == 1)
    return hw::winograd_entries_per_slice(s, p, width + pads, channels,
                                          r("CDMA.D_CONV_STRIDE.CONV_X_STRIDE") + 1,
                                          r("CDMA.D_CONV_STRIDE.CONV_Y_STRIDE") + 1);
  return hw::feature_entries_per_slice(s, p, width, channels);
}

// Checks every convolution of a trace; how many there were. `weights`: WEIGHT_BYTES too.
int check_trace(const hw::spec& s, const std::filesystem::path& file, bool weights) {
  std::map<std::uint32_t, written> groups;
  std::uint32_t producer = 0;
  int checked = 0;
  std::ifstream in(file);
  for (std::string line, command; std::getline(in, line);) {
    std::string address, value;
    if (!(std::istringstream(line) >> command >> address >> value) || command != "reg_write")
      continue;
    const auto* r = hw::find(s.map, static_cast<std::uint32_t>(std::stoul(address, nullptr, 0)));
    REQUIRE(r != nullptr);
    if (r->unit != "CDMA" && r->unit != "CSC") continue;  // they use the same groups
    const auto word = static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
    if (r->name == "S_POINTER") producer = word & 1;
    auto& group = groups.try_emplace(producer, written{s.map}).first->second;
    group.words[std::string(r->unit) + '.' + std::string(r->name)] = word;
    if (r->unit != "CDMA" || r->name != "D_OP_ENABLE" || word != 1) continue;
    const auto per_slice = expected(s, group);
    CHECK(per_slice.n == group("CDMA.D_ENTRY_PER_SLICE.ENTRIES") + 1);
    const auto p = static_cast<hw::precision>(group("CDMA.D_MISC_CFG.PROC_PRECISION"));
    const std::uint64_t kernel = group("CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL") + 1;
    const std::uint64_t kernels = group("CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL") + 1;
    if (weights && group("CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT") == 0)
      for (const char* path : {"CDMA.D_WEIGHT_BYTES", "CSC.D_WEIGHT_BYTES"})
        CHECK(hw::weight_bytes(s, p, kernels, kernel / hw::element_bytes(p)).n ==
              hw::field_of<hw::register_map::small, "CDMA.D_WEIGHT_BYTES">.extract_bytes(
                  groups.at(producer).words[path]));
    ++checked;
  }
  return checked;
}

}  // namespace

TEST_CASE("cbuf: weights fill whole entries and never one more") {
  for_each(hw::published{}, [](auto t) {
    const auto& s = decltype(t)::type::spec;
    const std::uint64_t unit = s.map == hw::register_map::full ? 128 : s.cbuf_entry;
    for (std::uint64_t kernels : {1u, 3u, 10u, 16u, 33u, 500u})
      for (std::uint64_t elements : {1u, 7u, 25u, 288u, 800u}) {
        const auto size = hw::weight_bytes(s, int8, kernels, elements).n;
        CHECK(size % unit == 0);
        CHECK(size >= kernels * elements);
        CHECK(size - kernels * elements < unit);
      }
  });
}

// The vectors of one layer pad their weights to 128 bytes on every map, as the C-model's generator
// does; the programs of several layers tell what the hardware needs.
TEST_CASE("cbuf: entries per slice and weight bytes are those of the golden traces") {
  const auto golden = shared_path("golden");
  if (!golden) return;
  for_each(hw::published{}, [&](auto t) {
    using Hw = typename decltype(t)::type;
    const std::string config{type_name<Hw>()};
    int checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*golden / config)) {
      const auto name = entry.path().filename().string();
      if (!name.starts_with("conv_") && !name.starts_with("img_") && !name.starts_with("fused_"))
        continue;
      CAPTURE(entry.path().string());
      const int here = check_trace(Hw::spec, entry.path() / "trace.txt", config == "nv_full");
      CHECK(here > 0);
      checked += here;
    }
    CAPTURE(config);
    CHECK(checked >= 20);
  });
  int programs = 0;
  for_each(hw::published{}, [&](auto t) {
    using Hw = typename decltype(t)::type;
    const auto folder = *golden / "programs" / std::string(type_name<Hw>());
    if (!std::filesystem::exists(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const auto trace = entry.path() / "trace.txt";
      if (!std::filesystem::exists(trace)) continue;
      CAPTURE(trace.string());
      CHECK(check_trace(Hw::spec, trace, true) > 1);
      ++programs;
    }
  });
  CHECK(programs == 35);
}
