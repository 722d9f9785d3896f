// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<doubled, nvdlac::nv_small, nvdlac::lower::reason::unknown_operator>
#include <span>

#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

// The user's own operator: y = 2 * x.
struct doubled {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
};

#ifdef FIXED
template <>
struct nvdlac::net::expansion<doubled> {
  static constexpr scale run(const doubled&, std::span<const shape>) { return {.factor = {2}}; }
};
#endif

constexpr network net{input{{3, 8, 8}}, doubled{}};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
