// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program that the C++ compiler makes beside the one that nvdlac makes at run time.
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/register_program.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/integer/evaluate.hpp>
#include <nvdlac/net/integer/graph.hpp>
#include <nvdlac/net/to_graph.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/program.hpp>
#include <nvdlac/sim/device.hpp>

namespace same {

using namespace nvdlac;

template <class A, class B>
bool equal(const A& a, const B& b) { return std::ranges::equal(a, b); }

template <const auto& Net>
net::integer::graph graph() { return net::to_graph<net::integer::graph>(Net); }

// The run-time program of the graph, sound.
template <hw::hardware Hw>
plan::program<Hw> planned(const net::integer::graph& g) {
  auto p = plan::make_program<Hw>(lower::lower<Hw>(g, "network"));
  CHECK(plan::validate(p).empty());
  CHECK(plan::verify(p).empty());
  return p;
}

// All but the weights' bytes, which `Net` need not have.
template <hw::hardware Hw, const auto& Net>
void check_registers(const plan::program<Hw>& p) {
  using constants = nvdlac::program<Hw, Net>;
  const auto lists = emit::make_registers<Hw>(p);
  CHECK(equal(constants::steps, lists.steps));
  CHECK(constants::weights == lists.weights);
  CHECK(constants::features == lists.features);
  CHECK(equal(constants::inputs, lists.inputs));
  CHECK(equal(constants::outputs, lists.outputs));
  CHECK(equal(constants::host_layers, lists.host_layers));
  CHECK(equal(constants::weight_layout, lists.weight_layout));
}

// Drives a simulated NVDLA as a host would.
template <hw::hardware Hw>
class host {
 public:
  void write(std::uint32_t address, std::uint32_t value) { device_.write(address, value); }
  void poll(std::uint32_t address, std::uint32_t bits) {
    REQUIRE((device_.read(address) & bits) == bits);
  }
  void wait_done(std::uint32_t bits) {
    device_.run();
    constexpr auto status = hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">;
    REQUIRE((device_.read(status) & bits) == bits);
    device_.write(status, bits);
  }
  void compute(const host_softmax& l) {
    const net::int8_tensor in{shape(l.input.size), get(l.input)};
    const net::int8_tensor* const inputs[] = {&in};
    put(l.output, net::integer::softmax{}
                      .evaluate(inputs, static_cast<double>(l.input_scale),
                                static_cast<double>(l.output_scale))
                      .values);
  }

  void load(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    device_.dram().write(address, bytes);
  }
  void put(const cube& to, std::span<const std::int8_t> values) {
    each(to, to.size, [&](std::uint64_t at, std::size_t i) {
      const auto byte = static_cast<std::uint8_t>(values[i]);
      device_.dram().write(at, std::span(&byte, 1));
    });
  }
  // A picture [height][width][channel].
  void put(const program_tensor& to, std::span<const std::uint8_t> picture) {
    std::size_t i = 0;
    for (std::int32_t y = 0; y < to.size.h; ++y)
      for (std::int32_t x = 0; x < to.size.w; ++x)
        for (std::int32_t c = 0; c < to.size.c; ++c, ++i)
          device_.dram().write(to.at.memory.address + to.at.offset(c, y, x),
                               picture.subspan(i, 1));
  }
  std::vector<std::int8_t> get(const cube& from) {
    std::vector<std::int8_t> values(shape(from.size).size());
    each(from, from.size, [&](std::uint64_t at, std::size_t i) {
      std::uint8_t byte = 0;
      device_.dram().read(at, std::span(&byte, 1));
      values[i] = static_cast<std::int8_t>(byte);
    });
    return values;
  }

 private:
  static net::shape shape(cube_size s) { return {s.c, s.h, s.w}; }
  template <class Visit>
  static void each(const cube& of, cube_size size, Visit visit) {
    for (std::int32_t c = 0; c < size.c; ++c)
      for (std::int32_t y = 0; y < size.h; ++y)
        for (std::int32_t x = 0; x < size.w; ++x)
          visit(of.memory.address + of.offset(c, y, x), shape(size).at(c, y, x));
  }

  sim::device<Hw> device_{};
};

// The constants on the simulator give what the integers' reference gives, whose values are those
// of the graph.
template <hw::hardware Hw>
void check_outputs(const register_program& p, std::span<const std::uint8_t> weights,
                   const net::integer::graph& g, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  host<Hw> h;
  h.load(p.weights.address, weights);
  std::vector<net::integer::feed> feeds;
  for (const auto& in : p.inputs) {
    const net::shape s{in.size.c, in.size.h, in.size.w};
    if (in.picture) {
      std::vector<std::uint8_t> bytes(s.size());
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      h.put(in, bytes);
      feeds.emplace_back(std::move(bytes));
    } else {
      net::int8_tensor t{s};
      for (auto& v : t.values) v = static_cast<std::int8_t>(random());
      h.put(in.at, t.values);
      feeds.emplace_back(std::move(t));
    }
  }
  nvdlac::run(p, h);
  const auto wanted = net::integer::evaluate(g, std::span<const net::integer::feed>(feeds));
  REQUIRE(wanted.size() == p.outputs.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(h.get(p.outputs[i].at) == wanted[i].values);
}

// A network whose constants are all known.
template <hw::hardware Hw, const auto& Net>
void check() {
  using constants = nvdlac::program<Hw, Net>;
  const auto g = graph<Net>();
  const auto p = planned<Hw>(g);
  check_registers<Hw, Net>(p);
  CHECK(equal(constants::weight_image, emit::weight_image(p)));
  for (const std::uint64_t seed : {1, 2})
    check_outputs<Hw>(constants::view(), constants::weight_image, g, seed);
}

// A network of sizes and the network of the values that these sizes are of.
template <hw::hardware Hw, const auto& Sizes, const auto& Values>
void check_sizes() {
  using constants = nvdlac::program<Hw, Sizes>;
  static_assert(!constants::has_weight_image);
  const auto g = graph<Values>();
  const auto p = planned<Hw>(g);
  check_registers<Hw, Sizes>(p);
  check_outputs<Hw>(constants::view(), emit::weight_image(p), g, 3);
}

}  // namespace same
