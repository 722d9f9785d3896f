// SPDX-License-Identifier: Apache-2.0
// Programs on the board that is not there, and on the simulator.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/runtime/pool.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/uio.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/verify/self_test.hpp>

#include "emit/example.hpp"
#include "hardware.hpp"
#include "nightly.hpp"
#include "resident.hpp"
#include "scratch.hpp"
#include "simulated_board.hpp"

using namespace nvdlac;
using namespace std::chrono_literals;
using runtime::uio;

namespace {

using on_board = runtime::session<nv_small, uio>;

const emit::loadable_image& digits() {
  static const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()), {});
  return image;
}
net::int8_tensor picture(unsigned seed) {
  const auto bytes = example::noise(8 * 6 * 6, seed);
  return {{8, 6, 6}, {bytes.begin(), bytes.end()}};
}
std::vector<net::int8_tensor> expected(unsigned seed) {
  static runtime::session<nv_small> simulator(digits());
  return simulator.infer({picture(seed)});
}
on_board session_on(const char* device, std::chrono::milliseconds patience = 10s) {
  return {digits(), uio(device), host::standard(), patience};
}

}  // namespace

TEST_CASE("a loadable computes on the board what it does on the simulator") {
  for (const auto& [kind, fault, device] :
       {std::tuple{"nv_small", "", "uio0"}, std::tuple{"nv_small", "caches", "uio0"},
        std::tuple{"nv_small,coherent", "", "uio0"}, std::tuple{"nv_small,uncached", "", "uio0"},
        std::tuple{"nv_small,older", "caches,late=1", "nvdla"},
        std::tuple{"nv_small", "", "uio0,memory=0x40000000+16M"},
        std::tuple{"nv_small,devices=2", "caches", "uio1,memory=udmabuf1"}}) {
    CAPTURE(kind);
    CAPTURE(fault);
    CAPTURE(device);
    const simulated_board board(kind, fault);
    if (!board) return;
    auto s = session_on(device);
    for (unsigned seed = 0; seed < 5; ++seed) CHECK(s.infer({picture(seed)}) == expected(seed));
  }
}

TEST_CASE("layers are measured as long as they take, with what their units count") {
  const simulated_board board("nv_small,layer=1000");
  if (!board) return;
  const auto& chip = hardware<nv_small>();
  auto test = verification::unit_tests_of(chip.spec()).front();
  // So that numbers are beyond the 17 bits of the output converter, which is what it counts.
  for (quantised::graph::id n = 0; n < test.network.size(); ++n)
    if (auto* const c = std::get_if<quantised::convolution>(&test.network[n].op)) c->shift = 12;
  const auto image = emit::read_loadable(emit::loadable_bytes(
      chip.build(test.network, {}), chip.name(), chip.spec(), emit::provenance{}), {});
  // Saturations that the simulator counts as it computes.
  runtime::session<nv_small> simulator(image);
  std::vector<std::uint64_t> saturated;
  simulator.on_layer([&](const sim::layer_record& r, const std::string&) {
    saturated.push_back(r.saturations);
  });
  std::mt19937 random(5);
  const auto feeds = verification::any_values(simulator.inputs(), random);
  const auto outputs = simulator.infer_any(feeds);
  REQUIRE(saturated.size() == 1);
  REQUIRE(saturated[0] > 10);
  on_board s(image, uio("uio0"));
  CHECK(s.infer_any(feeds) == outputs);
  for (int run = 0; run < 2; ++run) {  // in the other groups as well
    const auto measured = s.measure(feeds);
    CHECK(measured.size() == s.program().tasks[0].layers.size());
    std::vector<std::uint64_t> counted;
    double seconds = 0;
    for (const auto& m : measured) {
      CHECK(m.task == 0);
      seconds += m.seconds;
      for (const auto& c : m.counters)
        if (c.name == "SDP.D_PERF_OUT_SATURATION") counted.push_back(c.value);
    }
    CHECK(counted == saturated);
    CHECK(seconds > 0.001);
  }
  CHECK(s.infer_any(feeds) == outputs);
}

TEST_CASE("inputs and outputs are written and read where the device has them") {
  for (const auto& [kind, fault] :
       {std::pair{"nv_small", "caches"}, std::pair{"nv_small,coherent", ""}}) {
    CAPTURE(kind);
    const simulated_board board(kind, fault);
    if (!board) return;
    auto s = session_on("uio0");
    const auto cube = s.inputs()[0].surface;
    const auto in = s.input_memory(0);
    REQUIRE(in.size() == s.inputs()[0].size);
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto values = picture(seed);
      for (std::int32_t c = 0; c < 8; ++c)
        for (std::int32_t y = 0; y < 6; ++y)
          for (std::int32_t x = 0; x < 6; ++x)
            in[static_cast<std::size_t>(cube.at.offset +
                                        layer::offset_of(cube, nv_small::spec.atom(), c, y, x))] =
                static_cast<std::uint8_t>(values.values[values.shape.at(c, y, x)]);
      s.run_in_place();
      CHECK(std::get<net::int8_tensor>(s.unpack(0, s.output_memory(0))) == expected(seed)[0]);
      CHECK(s.times().hardware > 0);
    }
    // The input that was packed since is the one that counts.
    CHECK(s.infer({picture(7)}) == expected(7));
  }
}

TEST_CASE("so they are on a device that only run time knows, whatever its memory held before") {
  const simulated_board board("nv_small", "caches");
  if (!board) return;
  uio before("uio0");
  const std::vector<std::uint8_t> remains(std::size_t{1} << 20, 0xff);
  before.load(before.allocate(remains.size(), true), remains);
  { const auto freed = std::move(before); }
  const auto s = hardware<nv_small>().run_on(uio("uio0"), digits(), 10s);
  const auto in = s->input_memory(0);
  CHECK(std::ranges::count(in, 0) == static_cast<std::ptrdiff_t>(in.size()));
  const auto packed = s->pack({picture(3)});
  REQUIRE(in.size() == packed.at(0).size());
  std::ranges::copy(packed[0], in.begin());
  s->run_in_place();
  CHECK(std::get<net::int8_tensor>(s->unpack(0, s->output_memory(0))) == expected(3)[0]);
}

TEST_CASE("memory that is mapped as a device's is packed") {
  for (const auto& [kind, device] : {std::pair{"nv_small,uncached", "uio0"},
                                     std::pair{"nv_small", "uio0,memory=0x40000000+16M"}}) {
    CAPTURE(device);
    const simulated_board board(kind);
    if (!board) return;
    auto s = session_on(device);
    CHECK(s.input_memory(0).empty());
    CHECK(s.output_memory(0).empty());
    CHECK_THROWS_WITH_AS(s.run_in_place(), doctest::Contains("maps none of its memory"), error);
    CHECK(s.infer({picture(1)}) == expected(1));
  }
}

TEST_CASE("a board that others have used works on") {
  const simulated_board board;
  if (!board) return;
  // PDP runs one layer, and stands at its other group afterwards.
  for (unsigned run = 0; run < 3; ++run) {
    auto s = session_on("uio0");
    CHECK(s.infer({picture(run)}) == expected(run));
  }
  // Interrupts that nobody has seen.
  uio("uio0").write(hw::address<nv_small::spec.map, "GLB.S_INTR_SET">, 0x3f);
  CHECK(session_on("uio0").infer({picture(7)}) == expected(7));
}

TEST_CASE("a bit that the device writes wrongly is seen") {
  const simulated_board board("nv_small", "flip=2:0:6");
  if (!board) return;
  auto s = session_on("uio0");
  CHECK(s.infer({picture(1)}) != expected(1));
  CHECK(board.state().flipped != 0);
  CHECK(s.infer({picture(1)}) == expected(1));
}

TEST_CASE("a device that does not answer is an error in time, and not usable afterwards") {
  const simulated_board board("nv_small", "silent");
  if (!board) return;
  auto s = session_on("uio0", 30ms);
  const auto begin = std::chrono::steady_clock::now();
  const auto p = problem_of([&] { s.infer({picture(1)}); });
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
  CHECK(std::string(p.layer) == "conv1");
  CHECK(has(p.reason, "is enabled and never ends"));
  const auto again = problem_of([&] { s.infer({picture(1)}); });
  CHECK(has(again.reason, "not usable since a run failed"));
  CHECK(has(again.remedy, "uio_options::reset"));
}

TEST_CASE("a lost interrupt is named") {
  const simulated_board board("nv_small", "lost=1");
  if (!board) return;
  auto s = session_on("uio0", 30ms);
  const auto p = problem_of([&] { s.infer({picture(1)}); });
  CHECK(has(p.reason, "no interrupt arrived within 30 ms, though GLB.S_INTR_STATUS is 0x"));
  CHECK(has(p.remedy, "polarity"));
}

TEST_CASE("memory above 4 GB is none of nv_small's") {
  const simulated_board board("nv_small", "high");
  if (!board) return;
  const auto p = problem_of([] { session_on("uio0"); });
  CHECK(has(p.reason, "0x180000000"));
  // Where the bus has it elsewhere, it is: the simulated one has not, and says so.
  CHECK(uio("uio0,offset=-0x100000000").allocate(1, true).address == 0x80000000);
}

TEST_CASE("memory that is too small is told before anything runs") {
  const simulated_board board("nv_small");
  if (!board) return;
  const auto p = problem_of([] { session_on("uio0,memory=0x40000000+4K"); });
  CHECK(has(p.reason, "has 4096 bytes, of which"));
  CHECK(has(p.remedy, "a larger memory"));
}

TEST_CASE("a process that is killed in the middle leaves a board that others can use") {
  const scratch folder(memory_directory());
  ::setenv("NVDLAC_SHIM_FOLDER", folder.path.c_str(), 1);
  const auto child = [&] {
    const simulated_board board("nv_small", "kill=2");
    if (!board) ::_exit(0);
    auto s = session_on("uio0");
    s.infer({picture(1)});
    ::_exit(1);
  };
  const auto pid = ::fork();
  if (pid == 0) child();
  int status = 0;
  ::waitpid(pid, &status, 0);
  {
    const simulated_board board;
    if (board) {
      REQUIRE(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == SIGKILL);
      CHECK(session_on("uio0").infer({picture(1)}) == expected(1));
    }
  }
  ::unsetenv("NVDLAC_SHIM_FOLDER");
  const simulated_board forgets_the_folder;
}

TEST_CASE("a program that breaks a rule of NVDLA ends with the rule, and does not hang") {
  const auto child = [] {
    const simulated_board board;
    if (!board) ::_exit(3);
    uio("uio0").write(0x1ff00, 1);  // no register
    ::_exit(0);
  };
  const auto pid = ::fork();
  if (pid == 0) child();
  int status = 0;
  ::waitpid(pid, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
}

TEST_CASE("many inferences need no more memory than few") {
  const simulated_board board;
  if (!board) return;
  auto s = session_on("uio0");
  const auto memory = s.pack(0, picture(1));
  const auto once = s.run({memory});
  const unsigned runs = is_night() ? 10'000 : 300;
  for (unsigned i = 0; i < runs / 10; ++i) s.run({memory});
  const auto before = resident_pages();
  for (unsigned i = 0; i < runs; ++i)
    if (s.run({memory}) != once) FAIL("run ", i, " differs");
  const auto after = resident_pages();
  CHECK(after <= before + 64);
  MESSAGE(runs, " inferences, ", before, " pages before and ", after, " behind them");
}

TEST_CASE("two devices work beside each other") {
  const simulated_board board("nv_small,devices=2,layer=20000");
  if (!board) return;
  std::vector<std::vector<net::int8_tensor>> answers;
  for (unsigned i = 0; i < 5; ++i) answers.push_back(expected(i));
  const auto work = [&](const char* device) {
    auto s = session_on(device);
    for (unsigned i = 0; i < 5; ++i)
      if (s.infer({picture(i)}) != answers[i]) return false;
    return true;
  };
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  CHECK(work("uio0"));
  const auto one = clock::now() - begin;
  bool first = false, second = false;
  {
    // By no thread of its own, so that this is no test of the thread sanitizer's: under that,
    // registers cannot be stepped through.
    auto other = std::async(std::launch::async, work, "uio1,memory=udmabuf1");
    first = work("uio0,memory=udmabuf0");
    second = other.get();
  }
  CHECK(first);
  CHECK(second);
  const std::chrono::duration<double> both = clock::now() - begin - one;
  const auto faster = 2 * std::chrono::duration<double>(one) / both;
  CHECK(faster > 1.4);  // 1.9 and more where the machine has nothing else to do
  MESSAGE("two devices are ", faster, " times as fast as one");
}

TEST_CASE("a pool loads the next run while the board computes, with caches between them too") {
  for (const auto* const fault : {"", "caches"}) {
    CAPTURE(fault);
    const simulated_board board("nv_small", fault);
    if (!board) return;
    std::vector<std::unique_ptr<runtime::any_session>> one;
    one.push_back(std::make_unique<on_board>(digits(), uio("uio0")));
    runtime::pool all(std::move(one));
    CHECK(all.sets(0).count == 2);
    std::vector<std::future<runtime::pool::outputs>> results;
    for (unsigned seed = 0; seed < 50; ++seed) results.push_back(all.run({picture(seed)}));
    for (unsigned seed = 0; seed < 50; ++seed) {
      const auto found = results[seed].get();
      CHECK(std::get<net::int8_tensor>(found.at(0)) == expected(seed).at(0));
    }
  }
}
