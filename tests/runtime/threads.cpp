// SPDX-License-Identifier: Apache-2.0
// One device computes with several threads, and devices of several threads do not know each other.
// The preset `threads` runs this under the thread sanitizer.
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"
#include "scratch.hpp"

using namespace nvdlac;

namespace {

using session = runtime::session<nv_small>;

struct device {
  explicit device(std::uint32_t threads)
      : on(emit::loadable(example::program<nv_small>()), {}, sim::settings{.threads = threads}),
        in(on.pack(0, net::int8_tensor{{8, 6, 6}, input()})) {}
  static std::vector<std::int8_t> input() {
    const auto bytes = example::noise(8 * 6 * 6, 4);
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
  const auto program = example::program<nv_small>();
  device d(1);
  emit::write_files(dir.path, emit::trace(program, d.on.record({d.in}), "example"));
  for (const auto threads : {1u, 4u})
    CHECK(runtime::replay<nv_small>(runtime::read_trace(dir.path / "example.nvtrace"),
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
