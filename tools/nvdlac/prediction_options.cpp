// SPDX-License-Identifier: Apache-2.0
#include "prediction_options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>

#include "named_numbers.hpp"
#include "number_from.hpp"
#include "target.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

// Beyond what any memory has; sums of such numbers stay far from 64 bits.
constexpr std::uint64_t most = 1'000'000;

// `ahead`: whether weights come ahead of their layers.
std::vector<named_number> numbers_in(cost::memory& m, std::uint64_t& ahead) {
  return {{"width", &m.width, 1, most}, {"latency", &m.read_latency, 1, most},
          {"write-latency", &m.write_latency, 0, most}, {"outstanding", &m.outstanding, 1, most},
          {"data-turns", &m.data_turns, 1, 255},
          {"weights-ahead", &ahead, 0, 1}};
}
// `weights`: whether some may stand there.
std::vector<named_number> numbers_in(cost::cvsram& m, std::uint64_t& weights) {
  return {{"bytes", &m.bytes, 1, std::uint64_t{1} << 30}, {"width", &m.width, 1, most},
          {"latency", &m.read_latency, 1, most}, {"write-latency", &m.write_latency, 0, most},
          {"outstanding", &m.outstanding, 1, most}, {"weights", &weights, 0, 1}};
}
std::vector<named_number> numbers_in(cost::host& h) {
  return {{"access", &h.access, 0, most}, {"read", &h.read, 0, most},
          {"interrupt", &h.interrupt, 0, most}};
}

void set_all(std::string_view option, const std::vector<std::string>& words,
             const std::vector<named_number>& numbers) {
  for (const auto& word : words) set_number(option, word, numbers);
}

void set_memory(cost::memory& to, const std::vector<std::string>& words) {
  std::uint64_t ahead = 1;
  set_all("--memory", words, numbers_in(to, ahead));
  if (ahead == 0) to.weights_ahead = cost::kernels_ahead::none;
}

constexpr const char* cycles_group = "What cycles are predicted for";

// A width that the configuration's interface does not have is an error.
void check_width(std::string_view option, std::uint64_t width, const hw::memory_interface& port) {
  if (width > port.width_bits / 8)
    throw usage_error(text(option, ": width=", width, " is beyond the ", port.width_bits / 8,
                           " bytes a cycle of the configuration's interface"));
}

}  // namespace

cost::cvsram prediction_options::cvsram_on(const target& t) const {
  const auto& s = t.spec();
  if (cvsram.empty()) return cost::memory_of(s).cvsram;
  if (!s.has_sram())
    throw usage_error(text("--cvsram: ", t.name(), " has no secondary memory; those of "
                           "`nvdlac configs` with CVSRAM have one"));
  auto m = cost::cvsram_of(s, cost::usual_cvsram);
  std::uint64_t weights = 0;
  for (const auto& word : cvsram)
    set_number("--cvsram", word.find('=') == word.npos ? "bytes=" + word : word,
               numbers_in(m, weights));
  check_width("--cvsram", m.width, s.sram);
  m.weights = weights != 0;
  return m;
}

report::conditions prediction_options::on(const target& t) const {
  const auto& s = t.spec();
  report::conditions given{.memory = cost::memory_of(s, cvsram_on(t)), .megahertz = megahertz};
  set_memory(given.memory, memory);
  check_width("--memory", given.memory.width, s.dram);
  set_all("--programming", programming, numbers_in(given.host));
  return given;
}

cost::memory prediction_options::memory_on(const hw::spec& s) const {
  auto m = cost::memory_of(s);
  set_memory(m, memory);
  m.width = std::min<std::uint64_t>(m.width, s.dram.width_bits / 8);
  return m;
}

void add_memory_and_clock(CLI::App& app, prediction_options& to) {
  cost::memory m = cost::memory_of(nv_small::spec);
  std::uint64_t ahead = 1;
  app.add_option("--memory", to.memory,
                 "The memory behind NVDLA: width in bytes a cycle, latencies of reads and writes "
                 "in cycles, beats of its interface that reads in flight may ask for, requests for "
                 "data that MCIF takes for each for weights, which the public firmware leaves at "
                 "1, and whether weights come ahead of their layers, which no loadable can say "
                 "(0). `compile`, `verify` and `explore` make schedules for this memory; what is "
                 "not given is that of the configuration, such as " + list(numbers_in(m, ahead)))
      ->delimiter(',')->type_name("NAME=NUMBER,..")->group(cycles_group);
  app.add_option("--clock", to.megahertz, "NVDLA's clock in MHz, for runs a second; default 1000")
      ->check(number_from(1e-3, 1e6))->type_name("MHZ")->group(cycles_group);
}

void add_prediction(CLI::App& app, prediction_options& to) {
  add_memory_and_clock(app, to);
  cost::host h = cost::test_bench;
  cost::cvsram beside = cost::cvsram_of(nv_large::spec, cost::usual_cvsram);
  std::uint64_t weights = 0;
  app.add_option("--cvsram", to.cvsram,
                 "The secondary memory of configurations that have one (CVSRAM): its bytes, alone "
                 "or with NAME=, and what --memory tells of DRAM. `compile` and `verify` place "
                 "there what wins most cycles; with weights=1 weights as well, which who programs "
                 "NVDLA then loads before the first run; NVIDIA's runtime, as it is, refuses "
                 "loadables with such places. What is not given is that of the "
                 "configuration, such as " + list(numbers_in(beside, weights)) +
                     "; without the option all stands in DRAM")
      ->delimiter(',')->type_name("BYTES,NAME=NUMBER,..")->group(cycles_group);
  app.add_option("--programming", to.programming,
                 "The host's time in cycles for a write to a register, for a read, and from an "
                 "interrupt to the first access behind it; what is not given is that of a test "
                 "bench at NVDLA's port, and 0 leaves the host out: " + list(numbers_in(h)))
      ->delimiter(',')->type_name("NAME=NUMBER,..")->group(cycles_group);
}

}  // namespace nvdlac::cli
