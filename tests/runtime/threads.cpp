// SPDX-License-Identifier: Apache-2.0
// One device computes with several threads, and devices of several threads do not know each other.
// The preset `threads` runs this under the thread sanitizer.
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"
#include "scratch.hpp"

using namespace nvdlac;

namespace {

using session = runtime::session<nv_small>;

constexpr net::shape in_shape{16, 40, 40}, out_shape{32, 40, 40};

// A convolution of 7 M MACs: of smaller ones the core makes no parts.
plan::program<nv_small> wide() {
  plan::program<nv_small> p;
  p.network = "wide";
  const auto in = example::cube(p, "data", plan::memory::input, in_shape);
  const auto out = example::cube(p, "conv", plan::memory::output, out_shape);
  p.inputs.push_back({"data", in, in.shape, 0.5, {}});
  p.outputs.push_back({"conv", out, out.shape, 0.5, {}});
  plan::task t;
  example::convolve(p, t, "conv", in, out, {3, 3, 1, 1, 1, 1, 1, 1, 1, 1}, 1);
  auto& conv = std::get<layer::convolution>(t.operations.front().layer.what);
  conv.data_banks = 7;  // 40 slices of 80 entries
  conv.weight_banks = 2;
  plan::link_operations(t, p.buffers, nv_small::spec);
  p.tasks.push_back(t);
  return p;
}

struct device {
  explicit device(std::uint32_t threads)
      : on(emit::loadable(wide()), {}, sim::settings{.threads = threads}),
        in(on.pack(0, net::int8_tensor{in_shape, input()})) {}
  static std::vector<std::int8_t> input() {
    const auto bytes = example::noise(in_shape.size(), 4);
    return {bytes.begin(), bytes.end()};
  }
  auto run() { return on.run({in}); }

  session on;
  std::vector<std::uint8_t> in;
};

}  // namespace

TEST_CASE("a session computes the same with any number of threads") {
  const auto expected = device(1).run();
  for (const auto threads : {2u, 3u, 4u, 16u}) {
    device d(threads);
    for (int again = 0; again < 3; ++again) CHECK(d.run() == expected);
  }
}

TEST_CASE("a trace is replayed alike with any number of threads") {
  const scratch dir;
  device d(1);
  const auto record = d.on.record({net::int8_tensor{in_shape, device::input()}});
  emit::write_files(dir.path, emit::trace(wide(), record, "wide"));
  for (const auto threads : {1u, 4u})
    CHECK(runtime::replay<nv_small>(runtime::read_trace(dir.path / "wide.nvtrace"),
                                    {.settings = {.threads = threads}})
              .empty());
}

TEST_CASE("devices of several threads compute at once what each computes alone") {
  const auto expected = device(1).run();
  std::vector<int> equal(4);
  {
    std::vector<std::jthread> users;
    for (auto& n : equal)
      users.emplace_back([&] {
        device d(2);
        for (int again = 0; again < 5; ++again) n += d.run() == expected;
      });
  }
  CHECK(equal == std::vector<int>(4, 5));
}
