// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/checker/engines.hpp>
#include <nvdlac/plan/checker/image_lines.hpp>
#include <nvdlac/plan/checker/rules.hpp>
#include <nvdlac/plan/program.hpp>

// The rules of Rubik.

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_layer(const layer::rubik& l, rules r) {
  using limits = typename hw::limits<Map>::rubik;
  const net::shape in = l.input.shape, out = l.output.shape;
  r.expect(r.hw().rubik, "the configuration has none");
  r.size(in, limits::width, limits::height, limits::channels, "the input");
  r.size(out, limits::width, limits::height, limits::channels, "the output");
  r.from_memory_to_memory(l.input, l.output);
  r.within(l.stride_y, 1, limits::stride, "the vertical stride");
  r.within(l.stride_x, 1, limits::stride, "the horizontal stride");
  r.expect(out.h == std::int64_t{in.h} * l.stride_y && out.w == std::int64_t{in.w} * l.stride_x,
           "the output ", out, " does not follow from the input ", in);
  const auto each = layer::surfaces(out, r.hw().atom(), l.output.precision);
  const auto all = layer::surfaces(in, r.hw().atom(), l.input.precision);
  r.expect(all == each * static_cast<std::uint64_t>(l.groups()), "the input has ", all,
           " surfaces, not ", l.groups(), " groups of ", each);
}

}  // namespace nvdlac::plan::checker

// The rules of CDP.

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_layer(const layer::cdp& l, rules r) {
  using limits = typename hw::limits<Map>::cdp;
  r.expect(r.hw().has_cdp(), "the configuration has none");
  r.size(l.input.shape, limits::width, limits::height, limits::channels, "the input");
  r.expect(l.output.shape == l.input.shape, "the output ", l.output.shape, " is not the input ",
           l.input.shape);
  r.from_memory_to_memory(l.input, l.output);
  r.expect(l.local_size >= 3 && l.local_size <= 9 && l.local_size % 2 == 1, "it normalises over ",
           l.local_size, " channels, none of 3, 5, 7 and 9");
  r.within(l.in.shift, 0, limits::input_shift, "the input converter's shift");
  r.within(l.out.shift, 0, limits::output_shift, "the output converter's shift");
  if (l.input.precision == hw::precision::int8) {
    r.within(l.in.offset, -128, 127, "the input converter's offset");
    r.within(l.out.offset, -(1 << 24), (1 << 24) - 1, "the output converter's offset");
  }
  r.expect(l.lut >= 0, "it has no lookup table");
  r.expect(l.lut < r.luts(), "there is no lookup table ", l.lut);
}

}  // namespace nvdlac::plan::checker

// The rules of the hardware that it does not check itself, over a finished program.

namespace nvdlac::plan {

namespace checker {

// What the engine hands to the next one, and what an engine takes from the one before it.
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

// CBUF contents that a convolution reuses must have been left there by the one before it, and be
// where they were: weights go when any of the bank numbers changes, data when its own does. They
// must all have been there, and data be what memory holds still, padded as before.
constexpr void check_reuse(const task& t, const hw::spec& hw, diagnostics& found) {
  const layer::convolution* before = nullptr;
  bool is_overwritten = false;
  for (const auto& op : t.operations) {
    if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) {
      const auto report = [&](const char* what) {
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses ", what, " that are not in the CBUF")});
      };
      if (c->data_reuse && !(before && before->skip_data_release && before->input == c->input &&
                             before->winograd == c->winograd &&
                             before->data_banks == c->data_banks))
        report("data");
      if (c->weight_reuse &&
          !(before && before->skip_weight_release && before->weights == c->weights &&
            before->mask == c->mask && before->winograd == c->winograd &&
            before->weight_banks == c->weight_banks && before->data_banks == c->data_banks))
        report("weights");
      if (c->weight_reuse && (c->weights.size > c->weight_banks * hw.cbuf_bank().n ||
                              c->mask.size > hw.cbuf_bank().n))
        found.add({.layer = op.layer.name,
                   .reason = text("CONV: it reuses weights that do not fit ", int{c->weight_banks},
                                  " banks")});
      if (c->data_reuse && before != nullptr) {
        const auto &v = before->window, &w = c->window;
        if (std::tie(v.pad_top, v.pad_left, v.pad_bottom, v.pad_right) !=
            std::tie(w.pad_top, w.pad_left, w.pad_bottom, w.pad_right))
          found.add({.layer = op.layer.name,
                     .reason = "CONV: it reuses data that were padded otherwise"});
        if (is_overwritten)
          found.add({.layer = op.layer.name,
                     .reason = "CONV: it reuses data that have been overwritten in memory"});
      }
      before = c;
      is_overwritten = false;
    }
    layer::for_each_write(op.layer.what, [&](const layer::surface& s) {
      if (before == nullptr || s.at.buffer != before->input.at.buffer) return;
      const auto begin = s.at.offset, end = begin + s.size;
      const auto& read = before->input;
      is_overwritten = is_overwritten || (begin < read.at.offset + read.size &&
                                          read.at.offset < end);
    });
  }
}

// Kernels that come ahead are brought by operations of CDMA alone, behind that of an earlier
// convolution of the task, which has the same banks, as all between have; in the order of the
// convolutions, as CSC takes them. They must be whole entries of the CBUF, and have room in its banks
// beside those that are there for later convolutions and those that the next one reuses, else CDMA
// waits for ever, as the data of the next convolution come behind them.
class ahead_checker {
 public:
  constexpr ahead_checker(const task& t, const hw::spec& hw, diagnostics& found)
      : hw_(hw), found_(found) {
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
        all_.push_back({&op.layer, c});
  }
  constexpr void run() {
    for (std::size_t n = 0; n < all_.size(); ++n)
      if (all_[n].what->layers_ahead != 0) behind(n);
  }

 private:
  struct one {
    const layer::layer* layer;
    const layer::convolution* what;
    std::int32_t there = 0;  // of its kernels
  };

  constexpr void behind(std::size_t n) {
    const auto& c = *all_[n].what;
    const auto expect = [&](bool holds, const char* reason) {
      if (!holds)
        found_.add({.layer = all_[n].layer->name,
                    .reason = text("CONV: kernels come ahead behind it ", reason)});
      return holds;
    };
    const auto last = n + c.layers_ahead;
    if (!expect(last < all_.size(), "for no convolution of its task")) return;
    const std::int32_t kernels = c.kernels_ahead;
    const auto& to = *all_[last].what;
    expect(kernels > all_[last].there, "that are there, or none");
    expect(kernels <= to.output.c, "that their layer does not have");
    expect(!to.weight_reuse, "for one that reuses those of the layer before");
    expect(kernels == to.output.c ||
               bytes_of(to, kernels) % hw::weight_unit(hw_).n == 0,
           "that are no whole entries of the CBUF");
    for (auto i = n + 1; i <= last; ++i) {
      const auto& next = *all_[i].what;
      expect(next.data_banks == c.data_banks && next.weight_banks == c.weight_banks,
             "to other banks than its own");
      expect(next.precision == c.precision, "in another precision than its own");
      expect(!next.winograd && !c.winograd && next.mask.size == 0 && c.mask.size == 0,
             "in Winograd's mode, or compressed");
      all_[i].there = i == last ? std::min(kernels, to.output.c) : next.output.c;
    }
    furthest_ = std::max(furthest_, last);
    auto bytes = c.skip_weight_release ? c.weights.size : 0;
    for (auto i = n + 1; i <= furthest_; ++i)
      if (!all_[i].what->weight_reuse) bytes += bytes_of(*all_[i].what, all_[i].there);
    expect(bytes <= c.weight_banks * hw_.cbuf_bank().n, "that do not fit their banks");
  }
  static constexpr std::uint64_t bytes_of(const layer::convolution& c, std::int32_t kernels) {
    return kernels == c.output.c ? c.weights.size
                                 : c.bytes_per_kernel() * static_cast<std::uint64_t>(kernels);
  }

  hw::spec hw_;
  diagnostics& found_;
  std::vector<one> all_{};
  std::size_t furthest_ = 0;  // of whose kernels some are there
};

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
  const bool is_r8 = cube.shape.c < 4;
  const std::int32_t columns = is_r8 ? cube.shape.c : 1;  // of the image for one of the cube
  for (const auto& op : t.operations)
    for (const use& u : uses(op.layer.what)) {
      if (u.surface->at.on_the_fly() || u.surface->at.buffer != cube.at.buffer) continue;
      const auto* c = std::get_if<layer::convolution>(&op.layer.what);
      rules r(p, hw, op.layer.name, layer::name_of_engine(op.layer.what), found);
      if (c == nullptr || !c->is_pixel()) {
        r.expect(false, "it reads the pixels of '", b.name, "' as a feature cube");
        continue;
      }
      r.expect((c->format == layer::pixel_format::r8) == is_r8, "its format ",
               static_cast<int>(c->format), " is not that of the ", cube.shape.c,
               " channels of '", b.name, '\'');
      r.expect(c->input.line_stride == cube.line_stride, "it reads lines of ",
               c->input.line_stride, " bytes, but '", b.name, "' has some of ", cube.line_stride);
      r.expect(c->window.stride_w % columns == 0 &&
                   (c->input.at.offset - cube.at.offset) % cube.line_stride +
                           static_cast<std::uint64_t>(c->input.shape.w * c->input.shape.c) <=
                       static_cast<std::uint64_t>(cube.shape.w * cube.shape.c),
               "its outputs are not some columns of '", b.name, "' apart, within its lines");
    }
}

// Bytes of pictures are unsigned and become values by the converter; all others are values.
constexpr void check_signs(const program_data& p, const hw::spec& hw, diagnostics& found) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto* c = std::get_if<layer::convolution>(&op.layer.what);
      if (c == nullptr || !c->is_pixel()) continue;
      const bool picture = std::any_of(p.inputs.begin(), p.inputs.end(), [&](const binding& b) {
        return b.pixels && b.surface.at.buffer == c->input.at.buffer;
      });
      rules r(p, hw, op.layer.name, "CONV", found);
      r.expect(c->pixels_signed == !picture, picture ? "it takes the bytes of a picture for signed"
                                                     : "it takes values of int8 for unsigned");
      r.expect(picture || (!c->convert && !c->use_mean), "it converts values of int8");
    }
}

}  // namespace checker

// Every broken rule, with the layer and the unit: alignment, strides, sizes within registers, the
// division of the CBUF, windows that fit their cubes, operands. Empty if the hardware will do what
// the program says; whether memory and order are right is validate's question.
template <hw::hardware Hw>
constexpr std::vector<problem> verify(const program<Hw>& p) {
  diagnostics found;
  for (const auto& t : p.tasks) {
    for (const auto& op : t.operations)
      nvdlac::visit(
          [&]<class Layer>(const Layer& what) {
            checker::check_layer<Hw::spec.map>(
                what, checker::rules(p, Hw::spec, op.layer.name, layer::engine<Layer>::name,
                                     found));
          },
          op.layer.what);
    checker::check_connections(t, found);
    checker::check_reuse(t, Hw::spec, found);
    checker::check_in_registers<Hw::spec.map>(t, p, Hw::spec, found);
  }
  checker::check_image_lines(p, Hw::spec, found);
  checker::check_signs(p, Hw::spec, found);
  for (const auto& b : p.inputs)
    if (b.pixels || b.surface.is_interleaved()) {
      checker::rules r(p, Hw::spec, b.name, "input", found);
      r.address(b.surface, "the picture");
      r.expect(b.surface.line_stride % 32 == 0, "the pixels' line stride of ",
               b.surface.line_stride, " is not a multiple of 32");
      r.expect(b.surface.is_interleaved() && b.surface.shape.c >= b.shape.c &&
                   b.surface.shape.c <= 4,
               "pixels of ", b.surface.shape.c, " channels stand for ", b.shape.c);
      for (const auto& t : p.tasks) checker::check_readers(b, t, p, Hw::spec, found);
    } else {
      checker::rules(p, Hw::spec, b.name, "input", found).cube(b.surface, "the cube");
    }
  for (const auto& b : p.outputs)
    checker::rules(p, Hw::spec, b.name, "output", found).cube(b.surface, "the cube");
  return found.problems();
}

}  // namespace nvdlac::plan
