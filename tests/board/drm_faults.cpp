// SPDX-License-Identifier: Apache-2.0
// Whatever the driver says or does not say is an error with its reason and a remedy, and leaves no
// buffer and no process behind.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/session.hpp>

#include "board/drm.hpp"
#include "emit/example.hpp"

using namespace nvdlac;
using namespace std::chrono_literals;

namespace {

using board = runtime::session<nv_small, runtime::drm>;

emit::loadable_image example_image() {
  return emit::read_loadable(emit::loadable(example::digits<nv_small>()));
}

// The error when one picture is to be computed; empty if there is none.
std::string said_of(board& b) {
  try {
    b.run({std::vector<std::uint8_t>(b.inputs().at(0).size)});
    return "";
  } catch (const error& e) {
    return e.what();
  }
}
std::string refusal(std::chrono::milliseconds patience = 10s, const std::string& node = "drm") {
  try {
    board b(example_image(), runtime::drm(node), host::standard(), patience);
    return said_of(b);
  } catch (const error& e) {
    return e.what();
  }
}
std::string refusal_of(const std::string& fault, std::chrono::milliseconds patience = 10s) {
  const driver_with driver(fault);
  return refusal(patience);
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("a driver that works is used, and gets its buffers back") {
  CHECK(refusal_of("") == "");
  CHECK(nvdla_shim_buffers() == 0);
}

TEST_CASE("a node that is not there, may not be opened or is another's is named") {
  CHECK(says(refusal_of("none"), "/dev/dri: there is no render node (load the driver"));
  CHECK(says(refusal_of("denied"), "/dev/dri/renderD128: it may not be opened"));
  CHECK(says(refusal_of("denied"), "usermod -aG render"));
  CHECK(says(refusal_of("driver:v3d"),
                 "no render node has the driver nvdla, but there are /dev/dri/renderD128 (v3d)"));
  CHECK(says(refusal_of("version:3"), "its driver is of version 3.0.0"));
  const driver_with driver("");
  CHECK(says(refusal(1s, "renderD129"), "/dev/dri/renderD129: it cannot be opened: No such"));
  CHECK(says(refusal(1s, "/dev/null"), "/dev/null: it is no DRM device"));
}

TEST_CASE("the driver is found behind others") {
  const driver_with driver("");
  ::setenv("NVDLAC_DRM_NODE", "130", 1);
  ::setenv("NVDLAC_DRM_OTHER", "128:v3d", 1);
  CHECK(runtime::drm().node() == "/dev/dri/renderD130");
  CHECK(says(refusal(1s, "renderD128"), "its driver is v3d, not nvdla"));
}

TEST_CASE("memory that is short is told with where it comes from") {
  const auto said = refusal_of("memory:20000");
  CHECK(says(said, "/dev/dri/renderD128: the driver gives no buffer of "));
  CHECK(says(said, "reserve more"));
  CHECK(nvdla_shim_buffers() == 0);
  const driver_with driver("");
  runtime::drm d;
  CHECK_THROWS_WITH_AS(d.allocate(std::uint64_t{1} << 32, true), doctest::Contains("32 bits"),
                       error);
  CHECK_THROWS_WITH_AS(d.allocate(4096, false), doctest::Contains("without --cvsram"), error);
}

TEST_CASE("each call that fails says which and why") {
  CHECK(says(refusal_of("create:22"), "gives no buffer of 4096 bytes: Invalid argument"));
  CHECK(says(refusal_of("map:0"), "maps no buffer of 4096 bytes: Cannot allocate memory"));
  CHECK(says(refusal_of("map:22"), "maps no buffer of 4096 bytes: Invalid argument"));
  CHECK(says(refusal_of("export:24"), "ulimit -n"));
  CHECK(says(refusal_of("export:38"), "DRIVER_PRIME"));
  CHECK(says(refusal_of("submit:3"), "firmware refuses a field of a descriptor"));
  CHECK(says(refusal_of("submit:8"), "finds no room for an operation"));
  CHECK(says(refusal_of("submit:12"), "rmmod opendla"));
  CHECK(says(refusal_of("submit:22"), "does not take the task's list of addresses"));
  CHECK(says(refusal_of("submit:14"), "does not take the task's list of addresses"));
  CHECK(says(refusal_of("submit:62"), "has given up a task"));
  CHECK(says(refusal_of("submit:5"), "a task failed (Input/output error, error 5)"));
  CHECK(nvdla_shim_buffers() == 0);
}

TEST_CASE("memory that NVDLA does not reach makes a task fail") {
  CHECK(says(refusal_of("above"), "a task failed"));
  CHECK(says(nvdla_shim_log(), "0x1c000"));
}

TEST_CASE("a task that takes too long is an error, and then the device takes no other") {
  const driver_with driver("late:2000");
  board b(example_image(), runtime::drm(), host::standard(), 100ms);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(says(said_of(b), "a task has not ended in 100 ms"));
  CHECK(std::chrono::steady_clock::now() - begin < 1500ms);
  CHECK(says(said_of(b), "still runs a task that took too long"));
  // Neither does it from others, until that one has ended.
  CHECK(says(refusal_of("", 50ms), "another process has used it for 50 ms"));
  CHECK(refusal_of("", 20s) == "");
}

TEST_CASE("a task that the firmware refuses is the last one until the driver is loaded anew") {
  const driver_with driver("");
  runtime::drm d;
  const auto at = d.allocate(4096);
  std::vector<std::uint8_t> network(4096, std::uint8_t{0});
  network[30] = 1;  // an operation, of which the driver finds no descriptor
  d.load(at, network);
  const std::vector list{at};
  CHECK_THROWS_WITH_AS(d.submit(list), doctest::Contains("refuses a field"), error);
  CHECK(says(refusal(), "rmmod opendla"));
  nvdla_shim_reload();
  CHECK(refusal() == "");
}

TEST_CASE("a task that ended late makes the device usable again") {
  const driver_with driver("late:300");
  board b(example_image(), runtime::drm(), host::standard(), 50ms);
  CHECK(says(said_of(b), "not ended in 50 ms"));
  CHECK(says(said_of(b), "still runs"));
  std::string said;
  for (int i = 0; i < 200 && !says(said, "not ended in 50 ms"); ++i) {  // that is the next one
    ::usleep(50'000);
    said = said_of(b);
  }
  CHECK(says(said, "not ended in 50 ms"));
  CHECK(refusal_of("", 20s) == "");  // that one has ended, too
}

TEST_CASE("who submits and is killed is missed") {
  CHECK(says(refusal_of("kill:1"), "the process that waits for the driver is gone"));
  CHECK(nvdla_shim_buffers() == 0);
}

TEST_CASE("a program that is killed leaves the device to others when its task has ended") {
  const driver_with driver("late:1500");
  nvdla_shim_buffers();  // both processes have the same driver
  const auto program = ::fork();
  if (program == 0) {
    refusal();
    ::_exit(0);
  }
  const int node = ::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  const auto becomes = [&](bool free) {
    for (int i = 0; i < 2000; ++i) {
      const bool now = ::flock(node, LOCK_EX | LOCK_NB) == 0;
      if (now) ::flock(node, LOCK_UN);
      if (now == free) return true;
      ::usleep(5'000);
    }
    return false;
  };
  CHECK(becomes(false));  // its task runs
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  CHECK(::flock(node, LOCK_EX | LOCK_NB) != 0);
  CHECK(becomes(true));
  ::close(node);
  CHECK(refusal_of("") == "");
  CHECK(nvdla_shim_buffers() == 0);
}

TEST_CASE("what the driver would misread or wait for without end is not given to it") {
  const driver_with driver("");
  runtime::drm d;
  const auto at = d.allocate(8192);
  auto behind = at;
  behind.address += 4096;
  const auto tasks = nvdla_shim_tasks();
  const std::vector empty_task{at};
  d.submit(empty_task);  // without operations
  CHECK(nvdla_shim_tasks() == tasks);
  const std::vector in_the_middle{behind};
  CHECK_THROWS_WITH_AS(d.submit(in_the_middle), doctest::Contains("do not begin a buffer"), error);
  const std::vector<emit::dma_address> nowhere{{at.address + 8192, true}};
  CHECK_THROWS_WITH_AS(d.submit(nowhere), doctest::Contains("in no buffer"), error);
  CHECK_THROWS_AS(d.submit({}), error);
  CHECK_THROWS_AS(d.load(behind, std::vector<std::uint8_t>(4097)), error);
}

TEST_CASE("a bit that a layer writes wrong is seen in the outputs") {
  const auto image = example_image();
  const std::vector<std::uint8_t> picture(288, std::uint8_t{9});
  const auto outputs = [&](const std::string& fault) {
    const driver_with driver(fault);
    board b(image, runtime::drm());
    return b.run({picture});
  };
  CHECK(outputs("flip:2:0:7") != outputs(""));  // the logits
}
