// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the hardware that it does not check itself, over a finished program.
#include <cstddef>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/plan/checker/convolution.hpp>
#include <nvdlac/plan/checker/normalisation.hpp>
#include <nvdlac/plan/checker/post_processing.hpp>
#include <nvdlac/plan/checker/rubik.hpp>
#include <nvdlac/plan/checker/rules.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

namespace checker {

// What the engine hands to the next one, and what an engine takes from the one before it.
inline layer::surface given_by(const layer::convolution& c) {
  return {.shape = c.output, .precision = c.precision};
}
inline layer::surface given_by(const layer::sdp& s) { return s.output; }
inline layer::surface given_by(const auto&) { return {}; }
template <class Layer>
layer::surface taken_by(const Layer& l) {
  if constexpr (requires { layer::engine<Layer>::source; }) return l.input;
  else return {};
}

// Two engines that are connected on the fly mean the same cube.
inline void check_connections(const task& t, diagnostics& found) {
  for (const auto& op : t.operations) {
    const auto parent = op.fused_parent.operation;
    if (parent < 0 || static_cast<std::size_t>(parent) >= t.operations.size()) continue;
    const auto& from = t.operations[static_cast<std::size_t>(parent)].layer;
    const auto given = std::visit([](const auto& l) { return given_by(l); }, from.what);
    const auto taken = std::visit([](const auto& l) { return taken_by(l); }, op.layer.what);
    const auto* unit = layer::name_of_engine(op.layer.what);
    if (given.precision != taken.precision)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes another data type on the fly than '", from.name,
                                "' gives")});
    if (given.shape != taken.shape)
      found.add({.layer = op.layer.name,
                 .reason = text(unit, ": it takes ", taken.shape, " on the fly but '", from.name,
                                "' gives ", given.shape)});
  }
}

// CBUF contents that a convolution reuses must have been left there by the one before it, and be
// where they were: weights go when any of the bank numbers changes, data when its own does.
inline void check_reuse(const task& t, diagnostics& found) {
  const layer::convolution* before = nullptr;
  for (const auto& op : t.operations)
    if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) {
      const auto report = [&](const char* what) {
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses ", what, " that are not in the CBUF")});
      };
      if (c->data_reuse && !(before && before->skip_data_release && before->input == c->input &&
                             before->data_banks == c->data_banks))
        report("data");
      if (c->weight_reuse &&
          !(before && before->skip_weight_release && before->weights == c->weights &&
            before->weight_banks == c->weight_banks && before->data_banks == c->data_banks))
        report("weights");
      before = c;
    }
}

}  // namespace checker

// Every broken rule, with the layer and the unit: alignment, strides, sizes within registers, the
// division of the CBUF, windows that fit their cubes, operands. Empty if the hardware will do what
// the program says; whether memory and order are right is validate's question.
template <hw::hardware Hw>
std::vector<problem> verify(const program<Hw>& p) {
  diagnostics found;
  for (const auto& t : p.tasks) {
    for (const auto& op : t.operations)
      std::visit(
          [&]<class Layer>(const Layer& what) {
            checker::check_layer<Hw::spec.map>(
                what, checker::rules(p, Hw::spec, op.layer.name, layer::engine<Layer>::name,
                                     found));
          },
          op.layer.what);
    checker::check_connections(t, found);
    checker::check_reuse(t, found);
  }
  for (const auto& b : p.inputs)
    if (b.pixels) {
      checker::rules r(p, Hw::spec, b.name, "input", found);
      r.address(b.surface, "the picture");
      r.expect(b.surface.line_stride % 32 == 0, "the pixels' line stride of ",
               b.surface.line_stride, " is not a multiple of 32");
    } else {
      checker::rules(p, Hw::spec, b.name, "input", found).cube(b.surface, "the cube");
    }
  for (const auto& b : p.outputs)
    checker::rules(p, Hw::spec, b.name, "output", found).cube(b.surface, "the cube");
  return found.problems();
}

}  // namespace nvdlac::plan
