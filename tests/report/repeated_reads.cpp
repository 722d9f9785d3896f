// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/repeated_reads.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/report/data_flow.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom{8};

// Lines of 4 atoms, each of 8 channels.
layer::surface lines(std::int32_t buffer, std::int32_t first, std::int32_t count) {
  const auto whole = layer::packed({8, 8, 4}, atom, {buffer, 0});
  return layer::part(whole, atom, 0, first, 0, {8, count, 4});
}
layer::surface plain(std::int32_t buffer, std::uint64_t offset, std::uint64_t size) {
  return {.at = {buffer, offset}, .size = size};
}

struct network {
  plan::program_data program{};

  network() {
    for (const auto& [name, memory] : {std::pair{"map", plan::memory::features},
                                       {"conv/weights", plan::memory::weights}})
      program.buffers.push_back({.name = name, .memory = memory, .size = 512});
    program.tasks.emplace_back();
  }
  void add(label name, layer::any what) {
    program.tasks[0].operations.push_back({.layer = {std::move(name), std::move(what)}});
  }
  report::read_bytes reads() const {
    return report::read_bytes_of(program, report::data_flow_of(program, {"conv", "other"}), atom);
  }
};

}  // namespace

TEST_CASE("what is read once is not told") {
  network n;
  n.add("conv", layer::convolution{.input = lines(0, 0, 8), .weights = plain(1, 0, 128)});
  const auto all = n.reads();
  CHECK(all.once == 8 * 32 + 128);
  CHECK(all.read == all.once);
  CHECK(all.repeated.empty());
}

TEST_CASE("passes of lines bring the kernels again, and the lines that windows share") {
  network n;
  n.add("conv/y0", layer::convolution{.input = lines(0, 0, 5), .weights = plain(1, 0, 128)});
  n.add("conv/y4", layer::convolution{.input = lines(0, 3, 5), .weights = plain(1, 0, 128)});
  const auto all = n.reads();
  CHECK(all.once == 8 * 32 + 128);
  CHECK(all.read == 10 * 32 + 256);
  REQUIRE(all.repeated.size() == 2);
  const auto& weights = all.repeated[0];
  CHECK(weights.buffer == "conv/weights");
  CHECK(weights.weights);
  CHECK(weights.once == 128);
  CHECK(weights.read == 256);
  REQUIRE(weights.readers.size() == 1);
  CHECK(weights.readers[0].layer == "conv");
  CHECK(weights.readers[0].why.find("its lines come in 2 passes") == 0);
  const auto& map = all.repeated[1];
  CHECK_FALSE(map.weights);
  CHECK(map.read - map.once == 2 * 32);
  CHECK(map.readers[0].why == "windows of neighbouring passes share lines or columns");
}

TEST_CASE("passes of kernels bring the input again, unless it stays in the CBUF") {
  for (const bool stays : {false, true}) {
    network n;
    n.add("conv/k0", layer::convolution{.input = lines(0, 0, 8), .weights = plain(1, 0, 128)});
    n.add("conv/k8", layer::convolution{.input = lines(0, 0, 8), .weights = plain(1, 128, 128),
                                        .data_reuse = stays});
    const auto all = n.reads();
    REQUIRE(all.repeated.size() == (stays ? 0 : 1));
    if (stays) continue;
    CHECK(all.repeated[0].read == 2 * all.repeated[0].once);
    CHECK(all.repeated[0].readers[0].why.find("its kernels come in 2 passes") == 0);
  }
}

TEST_CASE("several layers read a tensor, each of them once") {
  network n;
  n.add("conv", layer::convolution{.input = lines(0, 0, 8), .weights = plain(1, 0, 128)});
  layer::sdp sum{.input = layer::surface{}, .output = lines(0, 0, 8)};
  sum.x1 = {.alu = true, .mode = layer::sdp_mode::per_point, .operands = lines(0, 0, 8)};
  n.add("other", sum);
  const auto all = n.reads();
  REQUIRE(all.repeated.size() == 1);
  const auto& map = all.repeated[0];
  CHECK(map.read == 2 * map.once);
  REQUIRE(map.readers.size() == 2);
  CHECK(map.readers[1].layer == "other");
  CHECK(map.readers[0].why.empty());
  CHECK(map.readers[1].why.empty());
}

TEST_CASE("what the host reads is not counted") {
  network n;
  n.add("softmax", layer::host_softmax{.input = lines(0, 0, 8), .output = lines(0, 0, 8)});
  CHECK(n.reads().read == 0);
}
