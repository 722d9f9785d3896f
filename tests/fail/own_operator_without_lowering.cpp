// SPDX-License-Identifier: Apache-2.0
// EXPECT: "half"
// EXPECT: unsupported<halved, nv_small, lower::reason::unknown_operator>
// MEANS: nvdlac does not know what runs an operator of your own.
// REMEDY: Specialise `net::expansion` to write it as a known operator, or `lower::support` beside
// REMEDY: `quant::rule`.
#include <span>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

// The user's own operator: y = x / 2.
struct halved {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
};

#ifdef FIXED
template <>
struct nvdlac::net::expansion<halved> {
  static constexpr scale run(const halved&, std::span<const shape>) { return {.factor = {0.5F}}; }
};
#endif

constexpr network net{input{{3, 8, 8}}, node{"half", halved{}}};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
