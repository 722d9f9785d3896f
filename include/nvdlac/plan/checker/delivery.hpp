// SPDX-License-Identifier: Apache-2.0
#pragma once
// Does a convolution that fits into CACC's delivery buffer beside the end of the one before wait
// for that one? NV_NVDLA_CACC_delivery_ctrl.v of branch master mixes up the ends of both else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/checker/events.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// The results of a convolution: kernel groups, and pixels of the output.
struct results {
  std::int64_t groups, pixels;
  constexpr std::uint64_t atoms() const { return static_cast<std::uint64_t>(groups * pixels); }
};
constexpr results results_of(const layer::convolution& c, const hw::spec& hw) {
  const auto group = static_cast<std::int64_t>(hw.mac_atomic_k);
  return {(c.output.c + group - 1) / group, std::int64_t{c.output.h} * c.output.w};
}

// Whether the MACs are so long at it that the results of the one before have left CACC anyway: in
// each cycle they take a kernel's weights for a pixel's channels, or a pixel.
constexpr bool takes_long(const layer::convolution& c, const hw::spec& hw) {
  const auto parts = [](std::int64_t all, std::int64_t of) { return (all + of - 1) / of; };
  const auto channels = c.is_pixel() ? parts(c.input.shape.c * c.window.kernel_w, hw.mac_atomic_c)
                                     : c.window.kernel_w * parts(c.input.shape.c, hw.mac_atomic_c);
  const auto r = results_of(c, hw);
  return r.groups * parts(c.window.kernel_h, c.kernel_lines) * channels *
             std::max<std::int64_t>(r.pixels, hw.mac_atomic_k) >=
         static_cast<std::int64_t>(hw::longest_delivery);
}

// `before(a, b)`: a has certainly completed when b is enabled, however fast the engines are.
constexpr void check_delivery(const task& t, const schedule& s, const hw::spec& hw,
                              const auto& before, diagnostics& found) {
  if (hw.map == hw::register_map::full) return;  // branch nvdlav1 tells them apart
  const auto& chain = s.chain[index(layer::engine_number::convolution)];
  for (std::size_t n = 1; n < chain.size(); ++n) {
    const auto& what = t.operations[chain[n]].layer.what;
    const auto* c = std::get_if<layer::convolution>(&what);
    if (c == nullptr || takes_long(*c, hw)) continue;
    const auto atoms = results_of(*c, hw).atoms();
    if (atoms >= hw::delivery_buffer(hw)) continue;
    if (before(chain[n - 1], chain[n])) continue;
    found.add({.layer = t.operations[chain[n]].layer.name,
               .reason = text("its ", atoms, " atoms of results fit into CACC's delivery "
                              "buffer of ", hw::delivery_buffer(hw), " beside the last of '",
                              t.operations[chain[n - 1]].layer.name,
                              "', but it need not wait until that is done")});
  }
}

}  // namespace nvdlac::plan::checker
