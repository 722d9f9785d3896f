// SPDX-License-Identifier: Apache-2.0
// The ways in which data and weights come into the CBUF, each against the plain one.
#include <doctest/doctest.h>

#include <random>

#include "convolution_device.hpp"

using namespace nvdlac;
using device = program::convolution_device;
using words = device::words;

namespace {

std::mt19937 random_bits(21);

std::vector<std::uint8_t> noise(std::size_t n) {
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(random_bits());
  return v;
}

constexpr program::convolution shape{.width = 6, .height = 5, .channels = 40, .kernels = 37};
constexpr std::size_t input_size = 6 * 5 * 32 * 2, weight_elements = 40 * 9 * 37;

words plain_registers() { return program::convolution_registers<nv_full>(shape); }

void set_both(words& r, std::string_view field, std::int64_t value) {
  for (const auto* unit : {"CDMA.", "CSC."}) r.set(text(unit, field), value);
}

// The masks and sizes of `weights` beside them; the registers for all.
words compress(device& d, const std::vector<std::uint8_t>& weights) {
  std::vector<std::uint8_t> packed, mask(align_up(weight_elements, 1024) / 8), sizes;
  for (std::size_t g = 0; g < shape.kernels; g += 32) {
    const auto before = packed.size();
    for (std::size_t i = g * 360; i < std::min<std::size_t>(g + 32, shape.kernels) * 360; ++i)
      if (weights[i] != 0) {
        mask[i / 8] = static_cast<std::uint8_t>(mask[i / 8] | 1 << i % 8);
        packed.push_back(weights[i]);
      }
    for (int b = 0; b < 4; ++b)
      sizes.push_back(static_cast<std::uint8_t>((packed.size() - before) >> 8 * b));
  }
  d.state.memories.dram.write(0x400000, packed);
  d.state.memories.dram.write(0x500000, mask);
  d.state.memories.dram.write(0x600000, sizes);
  auto r = plain_registers();
  r.bytes("CDMA.D_WEIGHT_ADDR_LOW", 0x400000)
      .bytes("CDMA.D_WMB_ADDR_LOW", 0x500000)
      .set("CDMA.D_WGS_ADDR_HIGH", 0)
      .bytes("CDMA.D_WGS_ADDR_LOW", 0x600000);
  for (const std::string unit : {"CDMA", "CSC"})
    r.set(unit + ".D_WEIGHT_FORMAT", 1)
        .count(unit + ".D_BANK.WEIGHT_BANK", 2)
        .bytes(unit + ".D_WEIGHT_BYTES", static_cast<std::uint32_t>(align_up(packed.size(), 128)))
        .bytes(unit + ".D_WMB_BYTES", static_cast<std::uint32_t>(mask.size()));
  return r;
}

}  // namespace

TEST_CASE("compressed weights convolve as they do uncompressed") {
  device d;
  auto& ram = d.state.memories.dram;
  auto weights = noise(weight_elements);
  for (auto& w : weights)
    if (random_bits() % 2 != 0) w = 0;
  ram.write(shape.input, noise(input_size));
  ram.write(shape.weights, weights);
  const auto expected = d.run(plain_registers());
  const auto compressed = compress(d, weights);
  CHECK(d.run(compressed) == expected);

  const auto broken = [&](auto&& change, const char* rule) {
    auto r = compressed;
    change(r);
    CHECK_THROWS_WITH_AS(d.run(r), doctest::Contains(rule), error);
  };
  broken([](words& r) { r.bytes("CDMA.D_WMB_BYTES", 128); }, "CDMA.D_WMB_BYTES");
  broken([](words& r) { r.bytes("CSC.D_WMB_BYTES", 128); }, "CSC.D_WMB_BYTES");
  broken([](words& r) { r.bytes("CSC.D_WEIGHT_BYTES", 128); }, "CSC.D_WEIGHT_BYTES");
  broken([](words& r) { set_both(r, "D_WEIGHT_BYTES", 128); }, "CDMA.D_WEIGHT_BYTES");
  broken([](words& r) { set_both(r, "D_BANK.WEIGHT_BANK", 14); }, "masks");
  broken([](words& r) { r.bytes("CDMA.D_WGS_ADDR_LOW", 0x600040); }, "kernel group 0");
  broken([](words& r) { r.set("CDMA.D_WGS_ADDR_HIGH", 0xffffffff)
                                .bytes("CDMA.D_WGS_ADDR_LOW", 0xffffffe0); }, "kernel group 0");
  CHECK(d.run(compressed) == expected);
}

TEST_CASE("batches are so many convolutions with the same weights") {
  device d;
  auto& ram = d.state.memories.dram;
  constexpr std::uint32_t batches = 3, stride = 0x2000;
  for (std::uint32_t n = 0; n < batches; ++n)
    ram.write(shape.input + n * stride, noise(input_size));
  ram.write(shape.weights, noise(weight_elements));
  std::vector<std::int32_t> singles;
  for (std::uint32_t n = 0; n < batches; ++n) {
    auto r = plain_registers();
    r.bytes("CDMA.D_DAIN_ADDR_LOW_0", shape.input + n * stride);
    const auto one = d.run(r);
    singles.insert(singles.end(), one.begin(), one.end());
  }
  auto r = plain_registers();
  r.bytes("CDMA.D_BATCH_STRIDE", stride);
  for (const std::string unit : {"CDMA", "CSC", "CACC"})
    r.count(unit + ".D_BATCH_NUMBER", batches);
  CHECK(d.run(r) == singles);
  CHECK(d.pipeline.counts().data_bytes == batches * input_size);

  // All stay in the CBUF for a layer that reuses them.
  auto keeping = r, reusing = r;
  set_both(keeping, "D_MISC_CFG.SKIP_DATA_RLS", 1);
  set_both(reusing, "D_MISC_CFG.DATA_REUSE", 1);
  CHECK(d.run(keeping) == singles);
  CHECK(d.run(reusing) == singles);
  CHECK(d.pipeline.counts().data_bytes == 0);

  for (const std::string unit : {"CSC", "CACC"}) {
    auto wrong = r;
    wrong.count(unit + ".D_BATCH_NUMBER", 2);
    CHECK_THROWS_WITH_AS(d.run(wrong), doctest::Contains((unit + ".D_BATCH_NUMBER").c_str()),
                         error);
  }
  for (const std::string field : {"CACC.D_LINE_STRIDE", "CACC.D_SURF_STRIDE"}) {
    auto wrong = r;
    wrong.bytes("CACC.D_LINE_STRIDE", 0).bytes("CACC.D_SURF_STRIDE", 0);
    wrong.bytes(field, 7 * 32);  // no whole pairs of atoms
    CHECK_THROWS_WITH_AS(d.run(wrong), doctest::Contains(field.c_str()), error);
  }
  auto wrong = r;
  wrong.bytes("CDMA.D_BATCH_STRIDE", 0xffffffe0).set("CDMA.D_DAIN_ADDR_HIGH_0", 0xffffffff);
  CHECK_THROWS_WITH_AS(d.run(wrong), doctest::Contains("CDMA.D_BATCH_STRIDE"), error);
}

TEST_CASE("lines that are not released join the lines of the next layer") {
  device d;
  auto& ram = d.state.memories.dram;
  const auto weights = noise(weight_elements);
  ram.write(shape.weights, weights);
  // Ten lines: the first six, then the last four behind two of those.
  auto whole = shape, upper = shape, lower = shape;
  whole.height = 10;
  upper.height = 6;
  lower.height = 6;
  whole.pad = upper.pad = lower.pad = 0;
  whole.input = upper.input = 0x10000;
  lower.input = 0x10000 + 6 * 6 * 32;
  ram.write(whole.input, noise(6 * 10 * 32 * 2));
  const auto of = [&](const program::convolution& c) {
    return program::convolution_registers<nv_full>(c).bytes("CDMA.D_SURF_STRIDE", 6 * 10 * 32);
  };
  const auto all = d.run(of(whole));
  auto first = of(upper), second = of(lower);
  first.count("CSC.D_RELEASE", 4);
  second.count("CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT", 4);
  set_both(second, "D_MISC_CFG.DATA_REUSE", 1);
  const auto a = d.run(first);
  const auto b = d.run(second);
  CHECK(d.pipeline.counts().data_bytes == 6 * 4 * 32 * 2);

  constexpr std::size_t line = 4 * 32;  // 8 lines of output in all, 4 and 4
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < 4 * line; ++i) {
      REQUIRE(a[s * 4 * line + i] == all[s * 8 * line + i]);
      REQUIRE(b[s * 4 * line + i] == all[(s * 8 + 4) * line + i]);
    }
  // Without what is kept there is nothing to join, and the lines of CSC are too many.
  device other;
  CHECK_THROWS_WITH_AS(other.run(second), doctest::Contains("CDMA.D_MISC_CFG.DATA_REUSE"), error);
  set_both(second, "D_MISC_CFG.DATA_REUSE", 0);
  CHECK_THROWS_WITH_AS(other.run(second), doctest::Contains("DATAIN_HEIGHT_EXT"), error);
}
