// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of engines that are connected on the fly.
#include <cstddef>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// The cube that an engine hands to the next one, and the cube that an engine takes from the one
// before.
constexpr layer::surface given_by(const layer::convolution& c) {
  return {.shape = c.output, .precision = c.precision, .pictures = c.input.pictures};
}
constexpr layer::surface given_by(const layer::sdp& s) { return s.output; }
constexpr layer::surface given_by(const auto&) { return {}; }
template <class Layer>
constexpr layer::surface taken_by(const Layer& l) {
  if constexpr (requires { layer::engine<Layer>::source; }) return l.input;
  else return {};
}

// Two engines that are connected on the fly mean the same cube.
constexpr void check_connections(const task& t, diagnostics& found) {
  for (const auto& op : t.operations) {
    const auto parent = op.fused_parent.operation;
    if (parent < 0 || static_cast<std::size_t>(parent) >= t.operations.size()) continue;
    const auto& from = t.operations[static_cast<std::size_t>(parent)].layer;
    const auto given = nvdlac::visit([](const auto& l) { return given_by(l); }, from.what);
    const auto taken = nvdlac::visit([](const auto& l) { return taken_by(l); }, op.layer.what);
    const auto* unit = layer::name_of_engine(op.layer.what);
    if (given.precision != taken.precision)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes another data type on the fly than '", from.name,
                                "' gives")});
    const auto* conv = std::get_if<layer::convolution>(&from.what);
    const auto* sdp = std::get_if<layer::sdp>(&op.layer.what);
    if (conv != nullptr && sdp != nullptr && conv->winograd != sdp->winograd)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes the sums in another order than '", from.name,
                                "' gives")});
    if (given.pictures != taken.pictures)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes the cubes of ", taken.pictures,
                                " pictures on the fly but '", from.name, "' gives those of ",
                                given.pictures)});
    if (given.shape != taken.shape)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes ", taken.shape, " on the fly but '", from.name,
                                "' gives ", given.shape)});
  }
}

}  // namespace nvdlac::plan::checker
