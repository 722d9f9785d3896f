// SPDX-License-Identifier: Apache-2.0
#include "prediction_options.hpp"

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "named_numbers.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

// Beyond what any memory has; sums of such numbers stay far from 64 bits.
constexpr std::uint64_t most = 1'000'000;

std::vector<named_number> numbers_in(cost::memory& m) {
  return {{"width", &m.width, 1, most}, {"latency", &m.read_latency, 1, most},
          {"write-latency", &m.write_latency, 0, most}, {"outstanding", &m.outstanding, 1, most},
          {"data-turns", &m.data_turns, 1, 255}};
}
std::vector<named_number> numbers_in(cost::host& h) {
  return {{"access", &h.access, 0, most}, {"interrupt", &h.interrupt, 0, most}};
}

void set_all(std::string_view option, const std::vector<std::string>& words,
             const std::vector<named_number>& numbers) {
  for (const auto& word : words) set_number(option, word, numbers);
}

}  // namespace

report::conditions prediction_options::on(const hw::spec& s) const {
  report::conditions given{.memory = cost::memory_of(s), .megahertz = megahertz};
  const auto widest = given.memory.width;
  set_all("--memory", memory, numbers_in(given.memory));
  if (given.memory.width > widest)
    throw usage_error(text("--memory: width=", given.memory.width, " is beyond the ", widest,
                           " bytes a cycle of the configuration's interface"));
  set_all("--programming", programming, numbers_in(given.host));
  return given;
}

void add_prediction(CLI::App& app, prediction_options& to) {
  const std::string group = "What cycles are predicted for";
  cost::memory m;
  cost::host h;
  app.add_option("--memory", to.memory,
                 "The memory behind NVDLA: width in bytes a cycle, latencies of reads and writes "
                 "in cycles, reads that may be outstanding, and requests for data that MCIF takes for "
                 "each for weights, which the public firmware leaves at 1; what is not given is "
                 "that of the configuration, such as " + list(numbers_in(m)))
      ->delimiter(',')->type_name("NAME=NUMBER,..")->group(group);
  app.add_option("--programming", to.programming,
                 "The host's time in cycles for an access to a register, and from an interrupt to "
                 "the first access behind it: " + list(numbers_in(h)))
      ->delimiter(',')->type_name("NAME=NUMBER,..")->group(group);
  app.add_option("--clock", to.megahertz, "NVDLA's clock in MHz, for runs a second; default 1000")
      ->check(CLI::Range(1e-3, 1e6))->type_name("MHZ")->group(group);
}

}  // namespace nvdlac::cli
