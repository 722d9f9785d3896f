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

constexpr const char* unit_name(const layer::any& what) {
  constexpr const char* names[] = {"CONV", "SDP", "PDP", "CDP", "RUBIK", "host", "host"};
  return names[what.index()];
}

// Two engines that are connected on the fly mean the same cube.
inline void check_connections(const task& t, diagnostics& found) {
  for (const auto& op : t.operations) {
    const auto parent = op.fused_parent.operation;
    if (parent < 0 || static_cast<std::size_t>(parent) >= t.operations.size()) continue;
    const auto& from = t.operations[static_cast<std::size_t>(parent)].layer;
    layer::surface given{}, taken{};
    if (const auto* c = std::get_if<layer::convolution>(&from.what))
      given = {.shape = c->output, .precision = c->precision};
    else if (const auto* s = std::get_if<layer::sdp>(&from.what)) given = s->output;
    if (const auto* s = std::get_if<layer::sdp>(&op.layer.what)) taken = s->input;
    else if (const auto* p = std::get_if<layer::pdp>(&op.layer.what)) taken = p->input;
    if (given.precision != taken.precision)
      found.add({.layer = op.layer.name,
                 .reason = text(unit_name(op.layer.what), ": it takes another data type on the "
                                "fly than '", from.name, "' gives")});
    if (given.shape != taken.shape)
      found.add({.layer = op.layer.name,
                 .reason = text(unit_name(op.layer.what), ": it takes ", taken.shape,
                                " on the fly but '", from.name, "' gives ", given.shape)});
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
          [&](const auto& what) {
            checker::check_layer<Hw::spec.map>(
                what, checker::rules(p, Hw::spec, op.layer.name, checker::unit_name(op.layer.what),
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
