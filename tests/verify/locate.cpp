// SPDX-License-Identifier: Apache-2.0
// The first layer at which a device and the simulator disagree.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/report/location.hpp>
#include <nvdlac/runtime/forwarding_session.hpp>
#include <nvdlac/verify/locate.hpp>

#include "scratch.hpp"
#include "small_network.hpp"

using namespace nvdlac;

namespace {

constexpr auto atom = nv_small::spec.atom();

// A run of the small network, whose tensors a device has as dumps in a directory.
struct dumped {
  scratch dir{};
  small_network::proof proof{hardware<nv_small>()};
  std::vector<quantised::feed> feeds =
      runtime::feeds_of(small_network::samples(1)[0], proof.session->inputs());
  std::vector<verification::run_tensor> run = verification::tensors_of_run(*proof.session, feeds);

  dumped() {
    for (const auto& t : run) write(t, t.bytes);
  }
  std::filesystem::path path(const verification::run_tensor& t) const {
    return dir.path / (t.file + ".bin");
  }
  void write(const verification::run_tensor& t, const std::vector<std::uint8_t>& bytes) const {
    std::ofstream(path(t), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  const verification::run_tensor& layer(const std::string& name) const {
    for (const auto& t : run)
      if (t.layer == name) return t;
    throw error("there is no layer " + name);
  }
  verification::location locate() const {
    return verification::locate(*proof.session, feeds, atom, dir.path);
  }
};

std::string complaint(const dumped& d) {
  try {
    (void)d.locate();
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("dumps that are right agree, also as whole pages") {
  const dumped d;
  REQUIRE(d.run.size() >= 4);
  CHECK(d.run[0].input);
  CHECK(d.run[0].file == "input-0_data");
  auto page = d.run[1].bytes;
  page.resize(4096, 0xA5);
  d.write(d.run[1], page);
  const auto found = d.locate();
  CHECK(!found.first);
  CHECK(found.compared == d.run.size());
  CHECK(report::to_text(found, d.dir.path) ==
        text("no difference: ", d.run.size(), " tensors agree\n"));
}

TEST_CASE("the first layer that differs is found, with its first element") {
  const dumped d;
  for (const auto* t : {&d.layer("pool"), &d.run.back()}) {
    auto bytes = t->bytes;
    bytes[0] ^= 1;  // channel 0 of the first element
    d.write(*t, bytes);
  }
  std::filesystem::remove(d.path(d.run[0]));
  const auto found = d.locate();
  REQUIRE(found.first);
  CHECK(found.first->layer == "pool");
  CHECK(found.first->count == 1);
  CHECK(found.first->of == 8 * 4 * 4);
  CHECK(found.first->element == 0);
  CHECK(found.first->expected != found.first->found);
  CHECK(found.without == 1);
  const auto words = report::to_text(found, d.dir.path);
  CHECK(words.starts_with("layer 'pool' differs in 1 of 128 elements, first at (c 0, y 0, x 0): "));
  CHECK(words.find("  1 tensor before it without a dump may differ as well\n") != words.npos);
}

TEST_CASE("of the layer that differs the registers are told, of all units that take part") {
  const dumped d;
  const auto value_of = [](const verification::location& l, std::string_view name) {
    const auto* r = hw::find(nv_small::spec.map, name);
    REQUIRE(r != nullptr);
    const auto& all = l.first->registers;
    const auto is = std::ranges::find(all, r->address, &runtime::register_setting::address);
    return is == all.end() ? std::nullopt : std::optional(is->value);
  };
  const auto spoil = [&](const verification::run_tensor& t) {
    auto bytes = t.bytes;
    bytes[0] ^= 1;
    d.write(t, bytes);
    const auto found = d.locate();
    REQUIRE(found.first);
    CHECK(found.first->layer == t.layer);
    d.write(t, t.bytes);
    return found;
  };
  const auto& pool = d.layer("pool");
  const auto found = spoil(pool);
  CHECK(value_of(found, "PDP.D_DATA_CUBE_OUT_WIDTH") == 3u);
  CHECK(value_of(found, "PDP.D_DST_BASE_ADDR_LOW") == static_cast<std::uint32_t>(pool.address));
  CHECK(!value_of(found, "PDP.S_POINTER"));
  const auto words = report::registers_to_text(found);
  CHECK(words.starts_with("\nRegisters of 'pool', the same in both groups\n  0x0"));
  CHECK(words.find("  PDP.D_DST_BASE_ADDR_LOW") != words.npos);
  // A convolution is one of five units, and SDP writes what it gives.
  const auto convolution = spoil(d.run[1]);
  for (const char* name : {"CDMA.D_DATAIN_SIZE_0", "CSC.D_DATAOUT_SIZE_0", "CMAC_A.D_MISC_CFG",
                           "CACC.D_DATAOUT_SIZE_0", "SDP.D_DATA_CUBE_WIDTH"})
    CHECK(value_of(convolution, name).has_value());
  CHECK(report::registers_to_text({}).empty());
}

TEST_CASE("another input is told from a wrong layer") {
  const dumped d;
  auto bytes = d.run[0].bytes;
  bytes[8] ^= 2;
  d.write(d.run[0], bytes);
  const auto found = d.locate();
  REQUIRE(found.first);
  CHECK(found.first->input);
  CHECK(found.first->number == 1);
  CHECK(report::to_text(found, d.dir.path).find("given something else") != std::string::npos);
}

TEST_CASE("a run that failed is observed no longer") {
  const small_network::proof p(hardware<nv_small>());
  const auto feeds = runtime::feeds_of(small_network::samples(1)[0], p.session->inputs());
  const auto right = p.session->infer_any(feeds);
  std::size_t cubes = 0;
  struct counted final : runtime::forwarding_session {
    counted(runtime::any_session& s, std::size_t& cubes) : forwarding_session(s), count(cubes) {}
    void on_cube(cube_observer f) override {
      if (!f) return session().on_cube({});
      session().on_cube([this, f](const auto& cube, auto bytes) {
        ++count;
        f(cube, bytes);
      });
    }
    std::size_t& count;
  } session(*p.session, cubes);
  CHECK_THROWS_AS(verification::tensors_of_run(session, {}), error);
  CHECK_THROWS_AS(verification::locate(session, session, {}, atom), error);
  CHECK(session.infer_any(feeds) == right);
  CHECK(cubes == 0);
  CHECK(!verification::locate(session, session, feeds, atom).first);
  CHECK(cubes > 0);
}

TEST_CASE("dumps that cannot be compared are errors") {
  const dumped d;
  d.write(d.run[1], {1, 2, 3});
  CHECK(complaint(d).find("has 3 bytes, not the ") != std::string::npos);
  for (const auto& t : d.run) std::filesystem::remove(d.path(t));
  CHECK(complaint(d).find("holds no dump of this program's tensors") != std::string::npos);
  std::filesystem::remove_all(d.dir.path);
  CHECK(complaint(d).find("is no directory") != std::string::npos);
}

TEST_CASE("the cause is told from the elements: between them memory is other tensors'") {
  // Two lines of two pixels, and as many bytes of another cube behind each line.
  const verification::run_tensor t{
      .file = "0-0_half",
      .layer = "half",
      .surface = {{0, 0}, {8, 2, 2}, 32, 64, 48},
      .bytes = std::vector<std::uint8_t>(48, std::uint8_t{0x11})};
  auto on_device = t.bytes;
  std::fill(on_device.begin() + 16, on_device.begin() + 32, std::uint8_t{0x77});
  const auto locate = [&] {
    return verification::locate({t}, atom, [&](const auto&) { return std::optional(on_device); });
  };
  CHECK(!locate().first);
  on_device[32 + 8 + 3] = 0x10;  // line 1, pixel 1, channel 3
  const auto one_bit = locate().first;
  REQUIRE(one_bit);
  CHECK(one_bit->count == 1);
  CHECK(one_bit->element == 3 * 4 + 2 + 1);
  CHECK(one_bit->expected == "17");
  CHECK(one_bit->found == "16");
  CHECK(one_bit->cause == "one bit differs: memory or bus, rather than the program");
  std::fill(on_device.begin(), on_device.begin() + 16, std::uint8_t{0});
  std::fill(on_device.begin() + 32, on_device.end(), std::uint8_t{0});
  const auto nothing = locate().first;
  REQUIRE(nothing);
  CHECK(nothing->count == 32);
  CHECK(nothing->cause.starts_with("nothing was written there"));
}

TEST_CASE("a line of the processor's cache that is not the device's is told by its bytes") {
  const verification::run_tensor t{.file = "0-0_row",
                                   .layer = "row",
                                   .surface = {{0, 0}, {8, 1, 16}, 128, 128, 128},
                                   .address = 0x8000'0000,
                                   .bytes = std::vector<std::uint8_t>(128, std::uint8_t{0x11})};
  auto on_device = t.bytes;
  std::fill(on_device.begin() + 64, on_device.end(), std::uint8_t{0x33});
  const auto cause = [&] {
    const auto found = verification::locate(
        {t}, atom, [&](const auto&) { return std::optional(on_device); });
    return found.first ? found.first->cause : "no difference";
  };
  CHECK(cause().starts_with("whole cache lines differ"));
  std::fill(on_device.begin() + 64, on_device.begin() + 96, std::uint8_t{0x11});
  CHECK(cause() == "");  // half a line is no cache's
}
