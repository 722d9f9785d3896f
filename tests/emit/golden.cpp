// SPDX-License-Identifier: Apache-2.0
// The register programs of golden vectors, made again from hardware layers.
#include <fstream>
#include <sstream>
#include <map>

#include <doctest/doctest.h>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "shared.hpp"

using namespace nvdlac;

namespace {

using words = std::map<std::uint32_t, std::uint32_t>;

struct recorder {
  words& writes;
  void write(std::uint32_t address, std::uint32_t value) { writes[address] = value; }
};

std::optional<words> golden(const std::string& config, const std::string& name) {
  const auto path = shared_path("golden/" + config + "/" + name + "/trace.txt");
  if (!path) return std::nullopt;
  words result;
  std::ifstream in(*path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream tokens(line);
    std::string command, address, value;
    tokens >> command >> address >> value;
    if (command == "reg_write")
      result[static_cast<std::uint32_t>(std::stoul(address, nullptr, 0))] =
          static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
  }
  return result;
}

// Fields of a unit that is switched off mean nothing.
std::uint32_t used_bits(const hw::reg& r, std::uint32_t word) {
  const auto& first = r.fields.front();
  const bool off = first.name.ends_with("_BYPASS") || first.name.ends_with("RDMA_DISABLE");
  return off && first.extract(word) == 1 ? first.mask() : 0xffffffffu;
}

// Operands for each channel are one line: nobody reads their strides.
template <class Hw>
bool strides_without_use(std::uint32_t address, const words& ours) {
  const auto operands = ours.find(hw::address<Hw::spec.map, "SDP_RDMA.D_BRDMA_CFG">);
  return (address == hw::address<Hw::spec.map, "SDP_RDMA.D_BS_LINE_STRIDE"> ||
          address == hw::address<Hw::spec.map, "SDP_RDMA.D_BS_SURFACE_STRIDE">) &&
         hw::field_of<Hw::spec.map, "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE">.extract(
             operands->second) == 0;
}

template <class Hw>
void compare(const words& ours, const words& theirs) {
  for (const auto& [address, value] : ours) {
    const auto* r = hw::find(Hw::spec.map, address);
    REQUIRE(r != nullptr);
    if (strides_without_use<Hw>(address, ours)) continue;
    INFO(hw::describe(Hw::spec.map, address, value));
    const auto known = theirs.find(address);
    if (known == theirs.end()) {
      CHECK(value == 0);  // the golden program leaves it at its reset value
      continue;
    }
    const auto bits = used_bits(*r, value);
    CHECK((value & bits) == (known->second & bits));
  }
}

// Buffer n of a golden program is at these addresses.
constexpr layer::location in_bin{0, 0}, weights_bin{1, 0}, operands_bin{2, 0}, out_bin{3, 0};
emit::dma_address where(const layer::location& at) {
  constexpr std::uint32_t bases[]{0x80000000, 0x80100000, 0x80200000, 0x80400000};
  return {bases[at.buffer] + at.offset};
}

template <class Hw>
void check_program(const std::string& name, const std::vector<layer::layer>& layers) {
  constexpr bool full = Hw::spec.map == hw::register_map::full;
  const std::string config = full                            ? "nv_full"
                             : Hw::spec.memory_atom == 32 ? "nv_large"
                                                          : "nv_small";
  const auto theirs = golden(config, name);
  if (!theirs) return;
  words ours;
  recorder bus{ours};
  for (const auto& l : layers) emit::program<Hw>(l, where, {}, bus);
  for (const auto& l : layers) emit::enable<Hw>(l.what, {}, bus);
  CHECK(ours.size() > 17);
  compare<Hw>(ours, *theirs);
}

layer::surface plain(layer::location at, std::uint64_t size) { return {at, {}, 0, 0, size}; }

template <class Hw>
layer::sdp behind(const layer::convolution& c, converter out) {
  layer::sdp s;
  s.input = {{}, c.output, 0, 0, 0};
  s.out = out;
  s.output = layer::packed(c.output, Hw::spec.atom(), out_bin);
  return s;
}

template <class Hw>
void conv_3x3_pad(std::uint16_t entries, std::uint8_t weight_banks) {
  layer::convolution c;
  c.input = layer::packed({40, 7, 9}, Hw::spec.atom(), in_bin);
  c.weights = plain(weights_bin, 0x2200);
  c.output = {24, 7, 9};
  c.window = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  c.entries_per_slice = entries;
  c.weight_banks = weight_banks;
  c.release = 7;
  c.truncate = 8;
  auto s = behind<Hw>(c, {0, 5, 3});
  s.x1.alu = s.x1.relu = true;
  s.x1.mode = layer::sdp_mode::per_kernel;
  s.x1.operands = plain(operands_bin, 48);
  check_program<Hw>("conv_3x3_pad_int8", {{"conv", c}, {"sdp", s}});
}

}  // namespace

TEST_CASE("convolution with padding and a bias") { conv_3x3_pad<nv_small>(45, 3); }

TEST_CASE("picture of one channel") {
  layer::convolution c;
  c.input = {in_bin, {1, 9, 11}, 0x10, 0x90, 0x90};
  c.format = layer::pixel_format::r8;
  c.pixels_signed = true;
  c.weights = plain(weights_bin, 0x100);
  c.output = {16, 9, 11};
  c.window = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  c.pad_value = 3;
  c.entries_per_slice = 2;
  c.release = 9;
  c.truncate = 4;
  check_program<nv_small>("img_r8", {{"conv", c}, {"sdp", behind<nv_small>(c, {0, 3, 3})}});
}

TEST_CASE("picture with means and the input converter") {
  layer::convolution c;
  c.input = {in_bin, {4, 13, 15}, 0x40, 0x340, 0x340};
  c.format = layer::pixel_format::a8b8g8r8;
  c.use_mean = c.convert = true;
  c.mean = {110, -20, 33, 4};
  c.cvt = {0, 77, 7};
  c.weights = plain(weights_bin, 0x680);
  c.output = {16, 7, 8};
  c.window = {5, 5, 2, 2, 2, 2, 2, 2, 1, 1};
  c.pad_value = -7;
  c.entries_per_slice = 10;
  c.release = 13;
  c.truncate = 6;
  auto s = behind<nv_small>(c, {});
  if (const auto theirs = golden("nv_small", "img_abgr8_s2_mean"))  // its converter is random
    s.out = {static_cast<std::int32_t>(theirs->at(0x90c0)),
             static_cast<std::int16_t>(theirs->at(0x90c4)),
             static_cast<std::uint8_t>(theirs->at(0x90c8))};
  check_program<nv_small>("img_abgr8_s2_mean", {{"conv", c}, {"sdp", s}});
}

TEST_CASE("SDP with two operands for each channel") {
  layer::sdp s;
  s.input = layer::packed({21, 3, 6}, {8}, in_bin);
  s.output = layer::packed({21, 3, 6}, {8}, out_bin);
  s.x1.alu = s.x1.mul = true;
  s.x1.mode = layer::sdp_mode::per_kernel;
  s.x1.alu_shift = 2;
  s.x1.mul_shift = 12;
  s.x1.operands = plain(operands_bin, 84);
  s.out = {77, -23, 10};
  check_program<nv_small>("sdp_bs_mem_k", {{"sdp", s}});
}

TEST_CASE("SDP with an operand for each element") {
  layer::sdp s;
  const auto theirs = golden("nv_small", "sdp_bs_mem_e");
  if (!theirs) return;
  const net::shape shape{static_cast<std::int32_t>(theirs->at(0x9044)) + 1,
                         static_cast<std::int32_t>(theirs->at(0x9040)) + 1,
                         static_cast<std::int32_t>(theirs->at(0x903c)) + 1};
  s.input = layer::packed(shape, {8}, in_bin);
  s.output = layer::packed(shape, {8}, out_bin);
  s.x1.alu = true;
  s.x1.algorithm = layer::sdp_alu::maximum;
  s.x1.mode = layer::sdp_mode::per_point;
  s.x1.operand_bytes = 1;
  s.x1.operands = layer::packed(shape, {8}, operands_bin);
  s.out = {static_cast<std::int32_t>(theirs->at(0x90c0)),
           static_cast<std::int16_t>(theirs->at(0x90c4)),
           static_cast<std::uint8_t>(theirs->at(0x90c8))};
  check_program<nv_small>("sdp_bs_mem_e", {{"sdp", s}});
}

TEST_CASE("pooling in three parts") {
  layer::pdp p;
  p.input = layer::packed({8, 9, 33}, {8}, in_bin);
  p.output = layer::packed({8, 4, 16}, {8}, out_bin);
  p.window = {3, 3, 2, 2, 0, 0, 0, 0, 1, 1};
  p.split = {3, 13, 12, 8, 6, 6, 4};
  check_program<nv_small>("pdp_max_split3_int8", {{"pool", p}});
}

TEST_CASE("average pooling with a padding value") {
  layer::pdp p;
  p.input = layer::packed({11, 7, 8}, {8}, in_bin);
  p.output = layer::packed({11, 7, 8}, {8}, out_bin);
  p.kind = net::pool_kind::average;
  p.window = {3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  p.pad_value = -37;
  check_program<nv_small>("pdp_avg_pad_int8", {{"pool", p}});
}

TEST_CASE("a value that is too wide names the layer and the field") {
  layer::pdp p;
  p.input = layer::packed({8, 9, 33}, {8}, in_bin);
  p.output = layer::packed({8, 4, 16}, {8}, out_bin);
  p.window = {3, 3, 2, 2, 8, 0, 0, 0, 1, 1};
  words ours;
  recorder bus{ours};
  try {
    emit::program<nv_small>(layer::layer{"pool3", p}, where, {}, bus);
    FAIL("a padding of 8 was accepted");
  } catch (const error& e) {
    CHECK(std::string(e.what()).find("pool3") != std::string::npos);
    CHECK(std::string(e.what()).find("PAD_TOP") != std::string::npos);
  }
}

TEST_CASE("turns of the register groups") {
  emit::ping_pong_groups turns;
  layer::sdp flying, reading;
  reading.input.at = {0, 0};
  CHECK(turns.next(flying).core == 0);
  auto g = turns.next(reading);
  CHECK(g.core == 1);
  CHECK(g.rdma == 0);  // the layer before did not use the read DMA
  g = turns.next(reading);
  CHECK(g.core == 0);
  CHECK(g.rdma == 1);
  CHECK(emit::done_bits(flying, g) == 1);
  CHECK(emit::done_bits(layer::convolution{}, {1, 0}) == 1u << 21);
  CHECK(emit::done_bits(layer::pdp{}, {0, 0}) == 1u << 4);
  CHECK(emit::done_bits(layer::cdp{}, {1, 0}) == 1u << 3);
}

TEST_CASE("Rubik interleaves lines and columns") {
  layer::rubik r{.input = layer::packed({256, 3, 5}, {32}, in_bin),
                 .output = layer::packed({64, 6, 10}, {32}, out_bin),
                 .stride_y = 2,
                 .stride_x = 2};
  check_program<nv_full>("rubik_contract_int8", {{"rubik", r}});
  r = {.input = layer::packed({96, 3, 4}, {32}, in_bin, hw::precision::int16),
       .output = layer::packed({16, 6, 12}, {32}, out_bin, hw::precision::int16),
       .stride_y = 2,
       .stride_x = 3};
  check_program<nv_full>("rubik_contract_int16", {{"rubik", r}});
}
