// SPDX-License-Identifier: Apache-2.0
// The model beside NVIDIA's RTL of nv_full, which is of another branch than that of nv_large.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <regex>
#include <string>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

constexpr auto& full = nv_full::spec;

// "direct convolution int8 in 9x7x40 kernel 3x3x40x24 {'pl': 1, ..}": width, height, channels;
// lines, columns, channels, kernels; paddings, strides and dilations.
const std::regex form(R"(direct convolution int8 in (\d+)x(\d+)x(\d+) )"
                      R"(kernel (\d+)x(\d+)x\d+x(\d+) \{(.*)\}.*)");

convolution convolution_of(const std::smatch& m) {
  const auto n = [&](std::size_t i) { return std::stoi(m[i].str()); };
  const auto given = m[7].str();
  const auto option = [&](const std::string& name, std::int32_t otherwise) {
    std::smatch found;
    const std::regex is("'" + name + "': (\\d+)");
    return std::regex_search(given, found, is) ? std::stoi(found[1].str()) : otherwise;
  };
  convolution c{.in = {n(3), n(2), n(1)},
                .window = {.kernel_h = n(4), .kernel_w = n(5),
                           .stride_h = option("sy", 1), .stride_w = option("sx", 1),
                           .pad_top = option("pt", 0), .pad_left = option("pl", 0),
                           .pad_bottom = option("pb", 0), .pad_right = option("pr", 0),
                           .dilation_h = option("dy", 1), .dilation_w = option("dx", 1)},
                .alu = false};
  const auto& w = c.window;
  const auto out = [](auto in, auto kernel, auto stride, auto dilation, auto pads) {
    return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
  };
  c.out = {n(6), out(c.in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top + w.pad_bottom),
           out(c.in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left + w.pad_right)};
  const auto elements = static_cast<std::uint64_t>(w.kernel_h * w.kernel_w * c.in.c * c.out.c);
  c.weight_bytes = align_up(elements, hw::weight_unit(full).n);
  return c;
}

// A layer of SDP from memory to memory, with a ReLU or another cube that is added.
layer::any elementwise(net::shape shape, hw::precision p, bool adds) {
  const auto cube = layer::packed(shape, full.atom(), {0, 0}, p);
  auto l = layer::sdp{.input = cube, .x1 = {.relu = true}, .output = cube};
  if (adds)
    l.x1 = {.alu = true, .mode = layer::sdp_mode::per_point, .operand_bytes = 1, .operands = cube};
  return l;
}

layer::any pooling_of_halves(net::shape in, hw::precision p) {
  return layer::pdp{.input = layer::packed(in, full.atom(), {0, 0}, p),
                    .output = layer::packed({in.c, in.h / 2, in.w / 2}, full.atom(), {0, 0}, p),
                    .window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}};
}

layer::any normalisation(net::shape shape, hw::precision p) {
  const auto cube = layer::packed(shape, full.atom(), {0, 0}, p);
  return layer::cdp{.input = cube, .output = cube};
}

}  // namespace

// Played with the clock gates active, latency 64: from the write that enables the layer to the
// line of its interrupt.
TEST_CASE("layers from memory on nv_full: 16 bits of PDP and CDP, and SDP's lines of one atom") {
  using hw::precision;
  comparison streams("streams");
  const auto add = [&](const std::string& name, std::uint64_t rtl, const layer::any& what) {
    streams.add(name, rtl, cost::cycles(program({what}), full, memory(full)).totals.cycles);
  };
  add("pool 32x16x16", 1181, pooling_of_halves({32, 16, 16}, precision::int8));
  add("pool 64x28x28", 6429, pooling_of_halves({64, 28, 28}, precision::int8));
  add("pool 32x16x16, fp16", 2205, pooling_of_halves({32, 16, 16}, precision::fp16));
  add("pool 64x28x28, fp16", 12701, pooling_of_halves({64, 28, 28}, precision::fp16));
  add("pool 32x16x16, int16", 2205, pooling_of_halves({32, 16, 16}, precision::int16));
  add("pool 64x28x28, int16", 12701, pooling_of_halves({64, 28, 28}, precision::int16));
  add("LRN 16x8x8", 451, normalisation({16, 8, 8}, precision::int8));
  add("LRN 16x8x8, int16", 451, normalisation({16, 8, 8}, precision::int16));
  add("LRN 16x8x8, fp16", 487, normalisation({16, 8, 8}, precision::fp16));
  add("LRN 16x40x4", 813, normalisation({16, 40, 4}, precision::int8));
  add("LRN 64x28x28", 6893, normalisation({64, 28, 28}, precision::int8));
  add("LRN 64x28x28, int16", 13501, normalisation({64, 28, 28}, precision::int16));
  add("LRN 64x28x28, fp16", 13785, normalisation({64, 28, 28}, precision::fp16));
  add("ReLU 32x16x16", 686, elementwise({32, 16, 16}, precision::int8, false));
  add("ReLU 64x28x28", 3310, elementwise({64, 28, 28}, precision::int8, false));
  add("sum 32x16x16", 690, elementwise({32, 16, 16}, precision::int8, true));
  add("ReLU 32x1x40", 254, elementwise({32, 1, 40}, precision::int8, false));
  add("ReLU 32x40x1", 290, elementwise({32, 40, 1}, precision::int8, false));
  add("ReLU 32x40x1, fp16", 409, elementwise({32, 40, 1}, precision::fp16, false));
  streams.check(19, 2.0, 7.1);
}

TEST_CASE("single convolutions on nv_full") {
  const auto path = shared_path("golden/index.tsv");
  if (!path) return;
  comparison layers("convolutions");
  std::ifstream in(*path);
  for (std::string line; std::getline(in, line);) {
    const auto part = split(line, '\t');
    std::smatch found;
    if (part.front() != hw::name<nv_full>()) continue;
    if (!std::regex_match(part.back(), found, form)) continue;
    const auto c = convolution_of(found);
    const auto model = cost::cycles(program(c.layers(full)), full, memory(full)).totals.cycles;
    layers.add(part[1], std::stoull(part[4]), model);
  }
  layers.check(9, 3.1, 8.1);
}
