// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program that the C++ compiler makes beside the one that nvdlac makes at run time.
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/loadable.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/trace.hpp>
#include <nvdlac/schedule/compress.hpp>
#include <nvdlac/schedule/standard.hpp>

#include "hardware.hpp"
#include "planned.hpp"

namespace same {

using namespace nvdlac;

template <class A, class B>
bool equal(const A& a, const B& b) { return std::ranges::equal(a, b); }

template <const auto& Net>
quantised::graph graph() { return net::to_graph<quantised::graph>(Net); }

// All but the weights' bytes, which `Net` need not have.
template <hw::hardware Hw, const auto& Net>
void check_registers(const plan::program_data& p) {
  using constants = nvdlac::program<Hw, Net>;
  const auto lists = emit::make_registers<Hw>(p);
  CHECK(equal(constants::steps, lists.steps));
  CHECK(constants::weights == lists.weights);
  CHECK(constants::features == lists.features);
  CHECK(constants::cvsram == lists.cvsram);
  CHECK(equal(constants::inputs, lists.inputs));
  CHECK(equal(constants::outputs, lists.outputs));
  CHECK(equal(constants::host_layers, lists.host_layers));
  CHECK(equal(constants::weight_layout, lists.weight_layout));
}

// Steps and weights that a trace of the run-time program has, in its own words.
struct traced {
  std::vector<step> steps{};
  std::vector<std::uint8_t> weights{};
};
template <hw::hardware Hw>
traced trace_of(const plan::program_data& p) {
  emit::run_record nothing;  // has read and written no bytes
  nothing.inputs.resize(p.inputs.size());
  nothing.outputs.resize(p.outputs.size());
  nothing.host.assign(p.tasks.size(), {.inputs = {{}}, .output = {}});
  const auto files = hardware<Hw>().trace(p, nothing, "t");
  traced result;
  for (const auto& f : files)
    if (f.name == "t.weights.bin") result.weights = f.bytes;
  std::istringstream lines(std::string(files[0].bytes.begin(), files[0].bytes.end()));
  std::uint32_t hosts = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find(" # ")));
    std::string word;
    std::vector<std::uint32_t> numbers;
    const bool host = line.ends_with(": a softmax that the host computes");
    const bool steps = words >> word && (word == "reg_write" || word == "reg_poll" ||
                                         word == "wait_done");
    for (std::string n; steps && words >> n;)
      numbers.push_back(static_cast<std::uint32_t>(std::stoul(n, nullptr, 16)));
    if (host) result.steps.push_back({step_kind::host, 0, hosts++});
    if (!steps) continue;
    if (word == "wait_done")
      numbers.insert(numbers.begin(), hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">);
    if (word == "reg_poll") CHECK(numbers.at(1) == numbers.at(2));
    result.steps.push_back({word == "reg_write"  ? step_kind::write
                            : word == "reg_poll" ? step_kind::poll
                                                 : step_kind::wait_done,
                            numbers.at(0) & 0xffffffu, numbers.at(1)});
  }
  return result;
}

// Makes a trace of what a host does, whose memory the simulator then compares.
class recorder {
 public:
  explicit recorder(std::string_view config) {
    trace_.name = "constants";
    trace_.config = config;
  }

  void write(std::uint32_t address, std::uint32_t value) {
    trace_.commands.push_back({.what = kind::reg_write, .address = address, .value = value});
  }
  void poll(std::uint32_t address, std::uint32_t bits) {
    trace_.commands.push_back(
        {.what = kind::reg_poll, .address = address, .mask = bits, .value = bits});
  }
  void wait_done(std::uint32_t, std::uint32_t bits) {
    trace_.commands.push_back({.what = kind::wait_done, .mask = bits});
  }
  // Checks that what the softmax reads is there, and puts there what it gives.
  void compute(const host_softmax& l) {
    const auto& [in, out] = host_values.at(hosts_++);
    check(l.input, in);
    put(l.output, out);
  }

  void load(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    memory(kind::mem_load, address, bytes);
  }
  // A picture [height][width][channel]; channels beyond the picture's are 0 in memory.
  void put(const program_tensor& to, std::span<const std::uint8_t> picture) {
    std::vector<std::uint8_t> lines(to.at.memory.size);
    std::size_t i = 0;
    for (std::int32_t y = 0; y < to.size.h; ++y)
      for (std::int32_t x = 0; x < to.size.w; ++x)
        for (std::int32_t c = 0; c < to.size.c; ++c) lines[to.at.offset(c, y, x)] = picture[i++];
    load(to.at.memory.address, lines);
  }
  void put(const cube& to, std::span<const std::int8_t> values) {
    each_byte(kind::mem_load, to, values);
  }
  void check(const cube& at, std::span<const std::int8_t> values) {
    each_byte(kind::mem_check, at, values);
  }

  const runtime::trace& trace() const { return trace_; }

  // Values that the layers of the host read, and those that they give, in the layers' order.
  std::vector<std::pair<std::vector<std::int8_t>, std::vector<std::int8_t>>> host_values{};

 private:
  using kind = runtime::trace_command::kind;

  void memory(kind what, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const auto file = std::to_string(trace_.files.size());
    trace_.files[file] = {bytes.begin(), bytes.end()};
    trace_.commands.push_back({.what = what, .address = address, .size = bytes.size(),
                               .whole_file = true, .file = file});
  }
  void each_byte(kind what, const cube& at, std::span<const std::int8_t> values) {
    std::size_t i = 0;
    for (std::int32_t c = 0; c < at.size.c; ++c)
      for (std::int32_t y = 0; y < at.size.h; ++y)
        for (std::int32_t x = 0; x < at.size.w; ++x, ++i) {
          const auto byte = static_cast<std::uint8_t>(values[i]);
          memory(what, at.memory.address + at.offset(c, y, x), std::span(&byte, 1));
        }
  }

  runtime::trace trace_{};
  std::size_t hosts_ = 0;
};

// The constants on the simulator give what the integers' reference gives.
template <hw::hardware Hw>
void check_outputs(const register_program& p, std::span<const std::uint8_t> weights,
                   const quantised::graph& g, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  recorder host(type_name<Hw>());
  host.load(p.weights.address, weights);
  std::vector<quantised::feed> feeds;
  for (const auto& in : p.inputs) {
    const net::shape s{in.size.c, in.size.h, in.size.w};
    if (in.picture) {
      std::vector<std::uint8_t> bytes(s.size());
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      host.put(in, bytes);
      feeds.emplace_back(std::move(bytes));
    } else {
      net::int8_tensor t{s};
      for (auto& v : t.values) v = static_cast<std::int8_t>(random());
      host.put(in.at, t.values);
      feeds.emplace_back(std::move(t));
    }
  }
  std::vector<net::int8_tensor> values(g.size());
  quantised::evaluate_each(g, std::span<const quantised::feed>(feeds),
                              [&](auto n, const net::int8_tensor& t) { values[n] = t; });
  for (const auto n : g.order())
    if (g.get_if<quantised::softmax>(n))
      host.host_values.emplace_back(values[g.inputs(n)[0]].values, values[n].values);
  nvdlac::run(p, host);
  const auto outputs = g.outputs();
  REQUIRE(outputs.size() == p.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    host.check(p.outputs[i].at, values[outputs[i]].values);
  for (const auto& d : hardware<Hw>().replay(host.trace(), {})) FAIL_CHECK(d.what);
}

// The program of the command line's compiler in the network's order and with all its zeros, which
// constants keep.
template <hw::hardware Hw>
plan::program_data in_order(const quantised::graph& g) {
  return planned(hardware<Hw>(), g, {.without = {std::string(schedule::order::name),
                                                 std::string(schedule::compress::name)}});
}

// A network whose constants are all known: its constants.
template <hw::hardware Hw, const auto& Net>
void check_constants() {
  using constants = nvdlac::program<Hw, Net>;
  const auto g = graph<Net>();
  const auto p = in_order<Hw>(g);
  check_registers<Hw, Net>(p);
  CHECK(equal(constants::weight_image, emit::weight_image(p)));
  CHECK(equal(nvdlac::loadable<Hw, Net>,
              emit::write_loadable(emit::loadable_lists(p, type_name<Hw>(), Hw::spec))));
  const auto trace = trace_of<Hw>(p);
  CHECK(equal(constants::steps, trace.steps));
  CHECK(equal(constants::weight_image, trace.weights));
}

// Checks the constants and, of a network in int8, what they compute.
template <hw::hardware Hw, const auto& Net>
void check() {
  using constants = nvdlac::program<Hw, Net>;
  check_constants<Hw, Net>();
  for (const std::uint64_t seed : {1u, 2u})
    check_outputs<Hw>(constants::view(), constants::weight_image, graph<Net>(), seed);
}

// A network of sizes, which gets some values at run time.
template <hw::hardware Hw, const auto& Net>
void check_sizes() {
  using constants = nvdlac::program<Hw, Net>;
  static_assert(!constants::has_weight_image);
  auto g = graph<Net>();
  CHECK_THROWS_AS(in_order<Hw>(g), error);
  std::mt19937_64 random(4);
  const auto fill = [&]<class T>(net::constants<T>& values, int low, int high) {
    std::vector<T> own(values.size());
    for (T& v : own)
      v = static_cast<T>(low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
    values = own;
  };
  for (std::size_t n = 0; n < g.size(); ++n)
    if (auto* op = std::get_if<quantised::convolution>(&g[n].op)) {
      fill(op->weights, -128, 127);
      fill(op->bias, -200, 200);
      fill(op->multiplier, 8192, 16383);
    }
  const auto p = in_order<Hw>(g);
  check_registers<Hw, Net>(p);
  CHECK(equal(constants::steps, trace_of<Hw>(p).steps));
  check_outputs<Hw>(constants::view(), emit::weight_image(p), g, 3);
}

}  // namespace same
