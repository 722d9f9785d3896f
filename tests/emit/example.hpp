// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small program by hand: a 3x3 convolution of 6x6x8 with bias and ReLU, maximum pooling, a
// second convolution that covers its whole input, and a softmax on the host; for products with
// an atom of 8 channels and kernel groups of 8.
#include <random>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace example {

using namespace nvdlac;

inline constexpr bytes atom{8};

// Bytes that any two runs share.
inline std::vector<std::uint8_t> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(random());
  return v;
}

inline std::int32_t add_buffer(plan::program_data& p, std::string name, plan::memory memory,
                               std::uint64_t size, std::vector<std::uint8_t> content = {}) {
  plan::buffer b{std::move(name), memory, size, std::move(content), 0};
  const auto place = [&](std::uint64_t& pool) {
    b.offset = std::exchange(pool, pool + align_up(size, 32));
  };
  if (memory == plan::memory::weights) place(p.weights_size);
  if (memory == plan::memory::features) place(p.features_size);
  p.buffers.push_back(std::move(b));
  return static_cast<std::int32_t>(p.buffers.size() - 1);
}

inline layer::surface cube(plan::program_data& p, std::string name, plan::memory memory,
                           net::shape shape) {
  auto s = layer::packed(shape, atom);
  s.at = {add_buffer(p, std::move(name), memory, s.size), 0};
  return s;
}

inline layer::surface data(plan::program_data& p, std::string name, std::size_t size,
                           unsigned seed) {
  return {{add_buffer(p, std::move(name), plan::memory::weights, size, noise(size, seed)), 0},
          {}, 0, 0, size};
}

// Appends a convolution and its SDP layer.
inline void convolve(plan::program_data& p, plan::task& t, const std::string& name,
                     const layer::surface& in, const layer::surface& out, net::window window,
                     unsigned seed) {
  layer::convolution c;
  c.input = in;
  c.output = out.shape;
  c.window = window;
  const auto kernel = c.bytes_per_kernel();
  const std::uint64_t entry = 8;  // of nv_small's CBUF
  c.weights = data(p, name + " weights",
                   align_up(kernel * static_cast<std::uint64_t>(out.shape.c), entry), seed);
  c.entries_per_slice = static_cast<std::uint16_t>(ceil_div(static_cast<unsigned>(in.shape.c), 8) *
                                                   static_cast<unsigned>(in.shape.w));
  c.release = static_cast<std::uint16_t>(in.shape.h);
  layer::sdp s;
  s.input = {{}, out.shape, 0, 0, 0};
  s.output = out;
  s.x1.alu = s.x1.mul = s.x1.relu = true;
  s.x1.mode = layer::sdp_mode::per_kernel;
  s.x1.mul_shift = 22;
  s.x1.operands = data(p, name + " operands",
                       align_up(static_cast<unsigned>(out.shape.c), 8) * 4, seed + 1);
  t.operations.push_back({.layer = {name, c}});
  t.operations.push_back({.layer = {name + " sdp", s}});
}

template <class Hw>
plan::program<Hw> digits() {
  plan::program<Hw> p;
  p.network = "example";
  const auto in = cube(p, "data", plan::memory::input, {8, 6, 6});
  const auto a = cube(p, "conv1", plan::memory::features, {16, 6, 6});
  const auto b = cube(p, "pool1", plan::memory::features, {16, 3, 3});
  const auto c = cube(p, "fc", plan::memory::features, {10, 1, 1});
  const auto out = cube(p, "prob", plan::memory::output, {10, 1, 1});
  p.inputs.push_back({"data", in, in.shape, 0.5, {}});
  p.outputs.push_back({"prob", out, out.shape, 1.0 / 127, {}});

  plan::task hardware;
  convolve(p, hardware, "conv1", in, a, {3, 3, 1, 1, 1, 1, 1, 1, 1, 1}, 1);
  layer::pdp pool;
  pool.input = a;
  pool.output = b;
  pool.window = {2, 2, 2, 2, 0, 0, 0, 0, 1, 1};
  hardware.operations.push_back({.layer = {"pool1", pool}});
  convolve(p, hardware, "fc", b, c, {3, 3, 1, 1, 0, 0, 0, 0, 1, 1}, 3);
  plan::link_operations(hardware, p.buffers, nv_small::spec);
  p.tasks.push_back(hardware);

  layer::host_softmax softmax{c, out, 0.015625f, 1 / 127.0f};
  p.tasks.push_back({.host = true, .operations = {{.layer = {"prob", softmax}}}});
  return p;
}

}  // namespace example
