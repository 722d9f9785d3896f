// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/local_response.hpp>
#include <nvdlac/import/onnx/pooling.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL dilated_side::dilated_side(const net::sliding& s, std::int64_t size,
                                       std::int64_t phase) {
  const std::int64_t d = s.dilation, all = size + s.before + s.after - s.extent() + 1;
  first = ((phase - s.before) % d + d) % d;
  before = (first + s.before - phase) / d;
  outputs = (all - phase + d - 1) / d;
  const std::int64_t inputs = (size - first + d - 1) / d;
  after = std::max<std::int64_t>(outputs - 1 + s.kernel - before - inputs, 0);
}

NVDLAC_IMPL computed dilated_pool(const context& c, const computed& x, const net::pool& op) {
  const net::window& w = op.window;
  const net::shape in = cube_of(x.shape);
  const net::sliding rows = net::vertical(w), columns = net::horizontal(w);
  const auto i32 = [](std::int64_t v) { return as_int32(v, "a number of its window"); };
  const auto all = [](const net::sliding& s, std::int64_t size) {
    const std::int64_t n = size + s.before + s.after - s.extent() + 1;
    if (n < 1) throw error("its window is larger than the padded input");
    return n;
  };
  const net::shape out = net::checked_shape(in.c, all(rows, in.h), all(columns, in.w));
  net::move together{.target = out};
  std::vector<assembly::id> parts;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(rows.dilation, out.h); ++i)
    for (std::int64_t j = 0; j < std::min<std::int64_t>(columns.dilation, out.w); ++j) {
      const dilated_side v(rows, in.h, i), h(columns, in.w, j);
      auto steps = all_steps({in.c, in.h, in.w}, c.ceiling);
      slice(steps, 1, v.first, in.h, rows.dilation);
      slice(steps, 2, h.first, in.w, columns.dilation);
      const auto name = text(c.n.name(), "/phase", i, ".", j);
      const computed phase = moved({x.node, {in.c, in.h, in.w}, x.from, x.moved_by},
                                   from_steps(steps, c.ceiling), name, c.net.net().shape(x.node));
      const auto n = c.net.add(
          name,
          net::pool{.kind = op.kind,
                    .window = {.kernel_h = w.kernel_h, .kernel_w = w.kernel_w,
                               .pad_top = i32(v.before), .pad_left = i32(h.before),
                               .pad_bottom = i32(v.after), .pad_right = i32(h.after)},
                    .count_include_pad = op.count_include_pad},
          {c.net.as_cube(phase, net::checked_shape(in.c, phase.shape[1], phase.shape[2]))});
      together.boxes.push_back(
          {.input = static_cast<std::int32_t>(parts.size()),
           .to = {0, i32(i), i32(j)},
           .loops = {{{in.c, {1, 0, 0}, {1, 0, 0}},
                      {i32(v.outputs), {0, i32(rows.dilation), 0}, {0, 1, 0}},
                      {i32(h.outputs), {0, 0, i32(columns.dilation)}, {0, 0, 1}}}}});
      parts.push_back(n);
    }
  const auto n = c.net.add(text(c.n.name(), "/phases"), std::move(together), parts);
  auto steps = all_steps({1, out.c, out.h, out.w}, c.ceiling);
  slice(steps, 2, 0, out.h, rows.stride);
  slice(steps, 3, 0, out.w, columns.stride);
  return moved({n, {1, out.c, out.h, out.w}}, from_steps(steps, c.ceiling), c.n.name(), out);
}

namespace detail {

// Whether no value below 0 comes from a layer.
NVDLAC_IMPL bool is_never_negative(const net::graph& g, assembly::id n) {
  const auto& op = g[n].op;
  if (std::holds_alternative<net::relu>(op)) return true;
  if (const auto* c = std::get_if<net::clip>(&op)) return c->low >= 0;
  const auto* f = std::get_if<net::activation>(&op);
  return f != nullptr && f->function == net::function::sigmoid;
}

}  // namespace detail

NVDLAC_IMPL bool takes_zeros(const net::pool& op, const net::window& whole) {
  const auto& w = op.window;
  const bool counts = op.kind == net::pool_kind::maximum || op.count_include_pad ||
                      (w.pad_top | w.pad_left | w.pad_bottom | w.pad_right) == 0;
  return counts && std::max(whole.pad_top, whole.pad_bottom) < whole.kernel_h &&
         std::max(whole.pad_left, whole.pad_right) < whole.kernel_w;
}

NVDLAC_IMPL void require_finite(const computed& x) {
  if (x.around_lowest)
    throw error(problem{.reason = "it takes a tensor that is padded with minus infinity",
                        .remedy = "a MaxPool without dilations may"});
}

NVDLAC_IMPL void require_finite(const context& c) {
  const auto* const x = c.in.empty() ? nullptr : std::get_if<computed>(&c.in[0]);
  if (c.n.type() == "MaxPool" && x != nullptr && x->around_lowest) {
    const auto dilations = c.n.integers("dilations").value_or(dims{});
    if (std::ranges::all_of(dilations, [](auto d) { return d == 1; })) return;
  }
  for (const auto& v : c.in)
    if (const auto* in = std::get_if<computed>(&v)) require_finite(*in);
}

NVDLAC_IMPL std::vector<value> on_pool(const context& c) {
  c.require_inputs(1, 1);
  const bool maximum = c.n.type().ends_with("MaxPool");
  const computed& x = c.tensor(0);
  if (!maximum)
    if (auto y = averaged_channels(c)) return {*std::move(y)};
  require_picture(x.shape);
  const std::size_t rank = x.shape.size();
  const net::shape seen = cube_of(x.shape);
  net::pool op{.kind = maximum ? net::pool_kind::maximum : net::pool_kind::average,
               .window = window_of(c.n, {}, seen, rank - 2),
               .ceil = c.n.flag("ceil_mode", false)};
  if (!maximum) op.count_include_pad = c.n.flag("count_include_pad", false);
  else if (c.n.integer("storage_order", 0) != 0) throw error("storage_order 1 is not supported");
  if (c.n.outputs().size() > 1 && !c.n.outputs()[1].empty())
    throw error("its second output, the places of the maxima, is not supported");
  if (op.window.dilation_h != 1 || op.window.dilation_w != 1) {
    if (op.ceil && (op.window.stride_h != 1 || op.window.stride_w != 1))
      throw error("it has ceil_mode, strides and dilations, which are not supported together");
    computed y = dilated_pool(c, x, op);
    y.shape.resize(rank);
    return {y};
  }
  if (x.around_lowest) {  // the padding of a maximum is just that
    op.window = widened(op.window, c.net.zeros_around(x, seen));
    return as_picture(c, c.net.add(c.n.name(), op, {c.net.as_padded(x, seen).node}), rank);
  }
  // A maximum pads with less than all values: where none is below 0, zeros change nothing.
  const bool widens = !maximum || detail::is_never_negative(c.net.net().graph(), x.node);
  const net::window whole =
      widens ? widened(op.window, c.net.zeros_around(x, seen)) : op.window;
  if (whole == op.window || !takes_zeros(op, whole))
    return as_picture(c, c.net.add(c.n.name(), op, {c.net.as_cube(x, seen)}), rank);
  op.window = whole;
  op.count_include_pad = !maximum;
  return as_picture(c, c.net.add(c.n.name(), op, {c.net.as_padded(x, seen).node}), rank);
}

NVDLAC_IMPL std::vector<value> norms_of_windows(const context& c, net::window w, bool ceil) {
  const auto p = c.n.integer("p", 2);
  if (p < 1 || p > 64)
    throw error(problem{.reason = text("its p is ", p), .remedy = "1 to 64 are supported"});
  const computed& x = c.tensor(0);
  const net::shape seen = cube_of(x.shape);
  // Places that the last windows reach beyond the padding count as zeros, as the padding does.
  w = net::padded_for(w, seen, net::fit_window(w, seen, seen.c, ceil).value());
  const padded source = c.net.as_padded(x, seen);
  const auto& name = c.n.name();
  const auto add = [&](const std::string& layer, auto op, std::vector<assembly::id> inputs) {
    return c.net.add(layer, std::move(op), std::move(inputs));
  };
  auto n = source.node;
  constexpr auto power = net::function::power;
  if (p % 2 == 1) n = add(name + "/magnitude", net::prelu{{-1.0F}}, {n});
  if (p == 2) n = add(name + "/square", net::multiply{}, {n, n});
  else if (p > 2)
    n = add(name + "/power", net::activation{.function = power, .gamma = static_cast<float>(p)},
            {n});
  const auto ones = static_cast<std::size_t>(net::product({seen.c, w.kernel_h, w.kernel_w}));
  require_within(&budget::weights, ones, c.net.net().limits());
  n = add(p == 1 ? name : name + "/sum",
          net::convolution{.kernels = seen.c, .window = widened(w, source.zeros),
                           .groups = seen.c, .weights = std::vector(ones, 1.0F)}, {n});
  if (p > 1)
    n = add(name, net::activation{.function = power, .gamma = 1 / static_cast<float>(p)}, {n});
  return as_picture(c, n, x.shape.size());
}

NVDLAC_IMPL std::vector<value> on_lp_pool(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  require_picture(shape);
  const bool ceil = c.n.flag("ceil_mode", false);
  return norms_of_windows(c, window_of(c.n, {}, cube_of(shape), shape.size() - 2), ceil);
}

NVDLAC_IMPL std::vector<value> on_global_lp_pool(const context& c) {
  c.require_inputs(1, 1);
  require_picture(c.tensor(0).shape);
  const net::shape seen = cube_of(c.tensor(0).shape);
  return norms_of_windows(c, {.kernel_h = seen.h, .kernel_w = seen.w}, false);
}

}  // namespace nvdlac::import::onnx_format
