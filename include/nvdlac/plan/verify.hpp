// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the hardware that it does not check itself, over a finished program.
#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/checker/cbuf_contents.hpp>
#include <nvdlac/plan/checker/cdp.hpp>
#include <nvdlac/plan/checker/connections.hpp>
#include <nvdlac/plan/checker/convolution.hpp>
#include <nvdlac/plan/checker/host.hpp>
#include <nvdlac/plan/checker/image_lines.hpp>
#include <nvdlac/plan/checker/pdp.hpp>
#include <nvdlac/plan/checker/rubik.hpp>
#include <nvdlac/plan/checker/rules.hpp>
#include <nvdlac/plan/checker/sdp.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

namespace checker {

// The rules of a task's convolutions as programs have them that write registers.
template <hw::register_map Map>
constexpr void check_in_registers(const task& t, const program_data& p, const hw::spec& hw,
                                  diagnostics& found) {
  const bool is_other = std::any_of(t.operations.begin(), t.operations.end(), [](const auto& op) {
    const auto* c = std::get_if<layer::convolution>(&op.layer.what);
    return c != nullptr && c->differs_in_registers();
  });
  if (!is_other) return;
  auto other = t;
  for (auto& op : other.operations) {
    auto* c = std::get_if<layer::convolution>(&op.layer.what);
    if (c == nullptr) continue;
    if (c->register_data_banks != 0) c->data_banks = c->register_data_banks;
    if (c->register_weight_banks != 0) c->weight_banks = c->register_weight_banks;
    check_layer<Map>(*c, rules(p, hw, op.layer.name, "CONV", found));
  }
  check_reuse(other, hw, found);
  ahead_checker(other, hw, found).run();
}

// An input of pixels: what reads it reads an image that has its lines, channels and columns.
constexpr void check_readers(const binding& b, const task& t, const program_data& p,
                             const hw::spec& hw, diagnostics& found) {
  const auto& cube = b.surface;
  const std::int32_t of_pixel = cube.shape.c < 4 ? 1 : 4;
  const std::int32_t columns = cube.shape.c / of_pixel;  // of the image for one of the cube
  const auto element = hw::element_bytes(cube.precision);
  for (const auto& op : t.operations)
    for (const use& u : uses(op.layer.what)) {
      if (u.surface->at.on_the_fly() || u.surface->at.buffer != cube.at.buffer) continue;
      const auto* c = std::get_if<layer::convolution>(&op.layer.what);
      rules r(p, hw, op.layer.name, layer::name_of_engine(op.layer.what), found);
      if (c == nullptr || !c->is_pixel()) {
        r.expect(false, "it reads the pixels of '", b.name, "' as a feature cube");
        continue;
      }
      const auto layout = layer::layout_of(c->format);
      r.expect(layout && layout->channels == of_pixel && layout->precision == cube.precision,
               "its format ", static_cast<int>(c->format), " is not that of the ", cube.shape.c,
               " channels of ", hw::name_of(cube.precision), " of '", b.name, '\'');
      r.expect(c->input.line_stride == cube.line_stride, "it reads lines of ",
               c->input.line_stride, " bytes, but '", b.name, "' has some of ", cube.line_stride);
      r.expect(c->window.stride_w % columns == 0 &&
                   (c->input.at.offset - cube.at.offset) % cube.line_stride +
                           static_cast<std::uint64_t>(c->input.shape.w * c->input.shape.c) *
                               element <=
                       static_cast<std::uint64_t>(cube.shape.w * cube.shape.c) * element,
               "its outputs are not some columns of '", b.name, "' apart, within its lines");
    }
}

// Bytes of pictures are unsigned and become values by the converter; all others are values, and of
// fp16 nothing is told of a sign.
constexpr void check_signs(const program_data& p, const hw::spec& hw, diagnostics& found) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto* c = std::get_if<layer::convolution>(&op.layer.what);
      if (c == nullptr || !c->is_pixel()) continue;
      const bool picture = std::any_of(p.inputs.begin(), p.inputs.end(), [&](const binding& b) {
        return b.pixels && b.surface.at.buffer == c->input.at.buffer;
      });
      rules r(p, hw, op.layer.name, "CONV", found);
      const auto numbers = c->input_precision();
      if (picture) r.expect(!c->pixels_signed, "it takes the bytes of a picture for signed");
      else if (numbers == hw::precision::fp16)
        r.expect(!c->pixels_signed, "it takes values of fp16 for signed integers");
      else r.expect(c->pixels_signed, "it takes values of ", hw::name_of(numbers), " for unsigned");
      r.expect(picture || (!c->convert && !c->use_mean), "it converts values of ",
               hw::name_of(numbers));
    }
}

// Returns what verify() says of a program for a configuration of this register map.
template <hw::register_map Map>
constexpr std::vector<problem> verify(const program_data& p, const hw::spec& hw) {
  diagnostics found;
  for (const auto& t : p.tasks) {
    for (const auto& op : t.operations)
      nvdlac::visit(
          [&]<class Layer>(const Layer& what) {
            check_layer<Map>(what, rules(p, hw, op.layer.name, layer::engine<Layer>::name, found));
          },
          op.layer.what);
    check_connections(t, found);
    check_reuse(t, hw, found);
    check_in_registers<Map>(t, p, hw, found);
  }
  check_image_lines(p, hw, found);
  check_signs(p, hw, found);
  for (const auto& b : p.inputs)
    if (b.pixels || b.surface.is_interleaved()) {
      rules r(p, hw, b.name, "input", found);
      r.address(b.surface, "the picture");
      r.expect(b.surface.line_stride % 32 == 0, "the pixels' line stride of ",
               b.surface.line_stride, " is not a multiple of 32");
      r.expect(b.surface.is_interleaved() && b.surface.shape.c >= b.shape.c &&
                   b.surface.shape.c <= 4,
               "pixels of ", b.surface.shape.c, " channels stand for ", b.shape.c);
      for (const auto& t : p.tasks) check_readers(b, t, p, hw, found);
    } else {
      rules(p, hw, b.name, "input", found).cube(b.surface, "the cube");
    }
  for (const auto& b : p.outputs)
    rules(p, hw, b.name, "output", found).cube(b.surface, "the cube");
  return found.problems();
}

}  // namespace checker

// Every broken rule, with the layer and the unit: alignment, strides, sizes within registers, the
// division of the CBUF, windows that fit their cubes, operands. Empty if the hardware will do what
// the program says; whether memory and order are right is validate's question.
constexpr std::vector<problem> verify(const program_data& p, const hw::spec& hw) {
  return hw.map == hw::register_map::full ? checker::verify<hw::register_map::full>(p, hw)
                                          : checker::verify<hw::register_map::small>(p, hw);
}
template <hw::hardware Hw>
constexpr std::vector<problem> verify(const program<Hw>& p) {
  return checker::verify<Hw::spec.map>(p, Hw::spec);
}

}  // namespace nvdlac::plan
