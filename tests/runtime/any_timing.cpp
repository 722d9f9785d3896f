// SPDX-License-Identifier: Apache-2.0
// Register traces are judged for every latency of memories and host, not for one order alone.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/replay.hpp>

#include "emit/example.hpp"
#include "hardware.hpp"
#include "loadable_of.hpp"
#include "scratch.hpp"
#include "shared.hpp"

using namespace nvdlac;

namespace {

// The trace of the digits' network, twice in a row; its other files are in the directory.
std::string trace_of_digits(const scratch& dir) {
  const auto program = example::digits<nv_small>();
  const auto& hw = hardware<nv_small>();
  const auto values = example::noise(288, 77);
  const auto record =
      hw.simulate(runtime::load(emit::read_loadable(cli::loadable_of(hw, program)), hw.spec()), {})
          ->record({net::int8_tensor{{8, 6, 6}, {values.begin(), values.end()}}});
  const auto files = emit::trace(program, record, "digits");
  emit::write_files(dir.path, files);
  std::string text(files[0].bytes.begin(), files[0].bytes.end());
  return text += text.substr(text.find("# weights"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

// The complaint about the trace without one of its lines; empty if there is none.
std::string said_without(std::size_t removed, const std::vector<std::string>& lines,
                         const scratch& dir, sim::timing timing) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == removed ? "#" : lines[i]) + '\n';
  runtime::replay_options o;
  o.settings.timing = timing;
  try {
    const auto found = hardware<nv_small>().replay(
        runtime::read_trace(dir.write("without.nvtrace", text)), o);
    return found.empty() ? std::string() : found[0].what;
  } catch (const error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a trace without one of its waits is right by chance, and is refused") {
  const scratch dir;
  const auto lines = lines_of(trace_of_digits(dir));
  CHECK(said_without(lines.size(), lines, dir, sim::timing::refuse).empty());
  std::size_t waits = 0, refused = 0, found_by_order = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("wait_done")) continue;
    ++waits;
    const bool is_refused = !said_without(i, lines, dir, sim::timing::refuse).empty();
    // The wait for PDP's layer that evens its turns: that for the pooling behind it tells as much.
    if (!is_refused) CHECK(lines[i] == "wait_done 0x00000010");
    refused += is_refused;
    found_by_order += !said_without(i, lines, dir, sim::timing::one).empty();
  }
  CHECK(waits > 4);
  CHECK(refused >= waits - 2);
  CHECK(found_by_order < refused);
}

// Its last wait ends at an interrupt that an earlier layer has left; on the RTL with writes that
// are answered after 20 cycles its outputs are read too early.
TEST_CASE("a golden program that reads its output before it is written") {
  const auto file = shared_path("golden/programs/nv_small/lenet_pool_on_the_fly/trace.txt");
  if (!file) {
    MESSAGE("no golden programs at hand; skipped");
    return;
  }
  const auto trace = runtime::read_trace(*file);
  runtime::replay_options o;
  std::vector<std::string> warnings;
  o.on_warning = [&](std::size_t, const std::string& what) { warnings.push_back(what); };
  CHECK(hardware<nv_small>().replay(trace, o).empty());
  REQUIRE(!warnings.empty());
  CHECK(warnings[0].find("the program has not waited for that layer") != std::string::npos);
  o.settings.timing = sim::timing::refuse;
  CHECK_THROWS_AS(hardware<nv_small>().replay(trace, o), error);
}
