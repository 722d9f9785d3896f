// SPDX-License-Identifier: Apache-2.0
// The steps of a register program's host, judged by the program's own list of steps.
#include <nvdlac/emit/host_steps.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/hw/registers.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

namespace {

using kind = cost::host_step::kind;

std::size_t counted(const std::vector<cost::host_step>& steps, kind what) {
  std::size_t all = 0;
  for (const auto& s : steps)
    if (s.what == what) all += s.count;
  return all;
}

// Counts in a list of register accesses, from the first unit on that it enables.
struct expectation {
  std::size_t writes = 0, waits = 0, starts = 0;
};
template <class Hw>
expectation expected(const plan::program_data& p) {
  expectation found;
  bool begun = false;
  for (const auto& s : emit::make_registers<Hw>(p).steps) {
    if (s.kind == step_kind::wait_done)
      for (auto bits = s.value; bits != 0; bits &= bits - 1) ++found.waits;
    if (s.kind != step_kind::write) continue;
    const auto what = hw::describe(Hw::spec.map, s.address, s.value);
    begun = begun || what.find(".D_OP_ENABLE") != what.npos;
    if (!begun) continue;
    ++found.writes;
    for (const std::string_view unit : {"CDMA.", "SDP.", "PDP.", "CDP.", "RBK."})
      if (what.starts_with(std::string(unit) + "D_OP_ENABLE")) ++found.starts;
  }
  return found;
}

}  // namespace

TEST_CASE("the host's steps are those of the register program") {
  const auto p = example::digits<nv_small>();
  const auto steps = emit::host_steps<nv_small>(p);
  const auto e = expected<nv_small>(p);
  CHECK(counted(steps, kind::write) == e.writes);
  CHECK(counted(steps, kind::start) == e.starts);
  CHECK(counted(steps, kind::wait) == e.waits);
  // Two convolutions with SDP, a pooling, and what makes the turns even.
  CHECK(counted(steps, kind::layer) >= 5);
  CHECK(counted(steps, kind::start) == counted(steps, kind::layer));
  // CBUF's flush is asked for before each convolution.
  CHECK(counted(steps, kind::read) >= 2);
  // Nothing is counted before the first unit that is enabled.
  const auto first = std::ranges::find(steps, kind::write, &cost::host_step::what);
  CHECK(std::all_of(steps.begin(), first, [](const auto& s) { return s.what == kind::layer; }));
}
