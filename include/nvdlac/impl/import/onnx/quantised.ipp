// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL grid integers_of_type(std::int64_t type) {
  switch (type) {
    case 2: return {.least = 0, .most = 255};
    case 3: return {.least = -128, .most = 127};
    case 4: return {.least = 0, .most = 65535};
    case 5: return {.least = -32768, .most = 32767};
    case 6: return {.least = std::int64_t{-1} << 31, .most = (std::int64_t{1} << 31) - 1};
    default: break;
  }
  throw error(problem{.reason = "it quantises to " + element_type(type),
                      .remedy = is_of_4_bits(type)
                                    ? "only constants, such as weights, may have 4 bits"
                                    : "8 and 16 bits are supported, and 4 of constants"});
}

NVDLAC_IMPL constant_grid read_grid(const context& c, std::size_t scale, std::size_t zero) {
  constant_grid g{c.reals(scale, "scales"), {}, {}, c.constant(scale, "scales").shape};
  for (const float s : g.scales)
    if (!(s > 0) || !std::isfinite(s)) throw error(text("its scale is ", s));
  if (c.given(zero)) {
    const array& z = c.constant(zero, "zero points");
    if (z.real) throw error("its zero points are no integers");
    g.zeros = z.integers;
    g.type = z.stored;
  }
  if (g.zeros.empty()) g.zeros.assign(g.scales.size(), 0);
  if (g.zeros.size() != g.scales.size())
    throw error(text("it has ", g.scales.size(), " scales and ", g.zeros.size(), " zero points"));
  return g;
}

NVDLAC_IMPL grid one_grid(const context& c, std::size_t scale, std::size_t zero,
                          std::int64_t type) {
  const auto g = read_grid(c, scale, zero);
  if (g.scales.size() != 1)
    throw error(problem{.reason = "it has several scales for one computed tensor",
                        .remedy = "only weights may have a scale for each channel"});
  if (g.type && *g.type == 0) throw error("the type of its zero point is not known");
  grid result = integers_of_type(g.type.value_or(type));
  result.scale = g.scales[0];
  result.zero = g.zeros[0];
  if (result.zero < result.least || result.zero > result.most)
    throw error(text("its zero point is ", result.zero));
  return result;
}

NVDLAC_IMPL scale_places::scale_places(const dims& shape, const constant_grid& g,
                                       const scale_axis& along)
    : alone_(g.scales.size() == 1 && along.block == 0), in_blocks_(along.block != 0) {
  if (along.block < 0) throw error(text("its block_size is ", along.block));
  if (alone_) return;
  const auto at = static_cast<std::size_t>(checked_axis(along.axis, shape.size()));
  run_ = static_cast<std::size_t>(strides_of(shape)[at]);
  size_ = static_cast<std::size_t>(shape[at]);
  block_ = in_blocks_ ? static_cast<std::size_t>(along.block) : 1;
  dims wanted = in_blocks_ ? shape : dims{shape[at]};
  if (in_blocks_) wanted[at] = shape[at] / along.block + (shape[at] % along.block != 0 ? 1 : 0);
  const bool fits = in_blocks_ ? g.shape == wanted : std::cmp_equal(size_, g.scales.size());
  if (!fits)
    throw error(in_blocks_ ? text("its scales ", to_text(g.shape), " do not fit ", to_text(shape),
                                  " in blocks of ", along.block, " along axis ", at)
                           : text("its ", g.scales.size(), " scales do not fit axis ", at,
                                  " of ", to_text(shape)));
}

NVDLAC_IMPL std::size_t scale_places::of(std::size_t i) const {
  if (alone_) return 0;
  const std::size_t along = i / run_ % size_;
  if (!in_blocks_) return along;
  const std::size_t blocks = (size_ + block_ - 1) / block_;
  return (i / (run_ * size_) * blocks + along / block_) * run_ + i % run_;
}

NVDLAC_IMPL array dequantised(const array& a, const constant_grid& g, const scale_axis& along) {
  if (a.real) throw error("the values that it dequantises are no integers");
  const scale_places places(a.shape, g, along);
  array real{.shape = a.shape, .reals = std::vector<float>(a.size())};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto k = places.of(i);
    real.reals[i] = static_cast<float>(double{g.scales[k]} *
                                       static_cast<double>(a.integers[i] - g.zeros[k]));
  }
  return real;
}

namespace detail {

// As range_of, which looks at so many layers more.
inline value_range range_within(const net::graph& g, assembly::id n, int& left) {
  using enum net::function;
  const auto& any = g[n].op;
  if (std::holds_alternative<net::softmax>(any)) return {0, 1};
  if (const auto* f = std::get_if<net::activation>(&any)) {
    if (f->function == sigmoid) return {0, 1};
    if (f->function == tanh || f->function == softsign || f->function == erf) return {-1, 1};
  }
  if (const auto* clip = std::get_if<net::clip>(&any))
    return {double{clip->low}, double{clip->high}};
  const auto* pool = std::get_if<net::pool>(&any);
  const auto* move = std::get_if<net::move>(&any);
  const bool is_relu = std::holds_alternative<net::relu>(any);
  const bool keeps = pool != nullptr || move != nullptr || is_relu ||
                     std::holds_alternative<net::concat>(any) ||
                     std::holds_alternative<net::reshape>(any) ||
                     std::holds_alternative<net::flatten>(any) ||
                     std::holds_alternative<net::identity>(any);
  if (!keeps || --left <= 0) return is_relu ? value_range{.low = 0} : value_range{};
  const auto inputs = g.inputs(n);
  value_range all = range_within(g, inputs[0], left);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const auto more = range_within(g, inputs[i], left);
    all = {std::min(all.low, more.low), std::max(all.high, more.high)};
  }
  if (pool != nullptr && pool->kind == net::pool_kind::average) all = all.with(0);  // its padding
  if (move != nullptr)
    for (const auto& b : move->boxes)
      if (b.input == net::box::filled) all = all.with(double{move->fill});
  if (is_relu) all = {std::max(all.low, 0.0), std::max(all.high, 0.0)};
  return all;
}

}  // namespace detail

NVDLAC_IMPL value_range range_of(const net::graph& g, assembly::id n) {
  int left = 64;  // many tensors of a long chain may ask
  return detail::range_within(g, n, left);
}

NVDLAC_IMPL std::optional<net::preprocessing> bytes_of(const grid& g) {
  if (g.most - g.least != 255) return std::nullopt;
  return net::preprocessing{.mean = {static_cast<double>(g.zero - g.least)},
                            .scale = {double{g.scale}}};
}

NVDLAC_IMPL computed on_grid(const context& c, computed x, const grid& g) {
  auto& net = c.net.net();
  if (std::holds_alternative<net::input>(net.graph()[x.node].op))
    net.note_bytes(x.node, bytes_of(g));
  const auto range = range_of(net.graph(), x.node);
  if (range.low < g.low() - double{g.scale} || range.high > g.high() + double{g.scale})
    x.node = net.add(c.n.name() + "/range",
                     net::clip{.low = static_cast<float>(g.low()),
                               .high = static_cast<float>(g.high())}, {x.node});
  net.note_scale(x.node, g.step(), g.low(), g.high(), g.bits());
  x.integers = std::make_shared<const grid>(g);
  return x;
}

NVDLAC_IMPL void require_scaled(const computed& x) {
  if (x.awaits)
    throw error(problem{.reason = "this output is not multiplied by the scale '" + *x.awaits +
                                  "' of its DynamicQuantizeLinear",
                        .remedy = "the scale depends on the picture: multiply by it"});
}

NVDLAC_IMPL void give_output(assembly& net, assembly::id n, net::file_tensor form) {
  const auto& g = net.graph();
  net.mark_output(n, std::move(form));
  if (!std::holds_alternative<net::clip>(g[n].op) || !g[n].name.ends_with("/range")) return;
  const auto from = g.inputs(n)[0];
  if (g.consumers(from).size() == 1 && !g[from].output &&
      !std::holds_alternative<net::input>(g[from].op))
    net.take_name(n, from, "/unclipped");
}

NVDLAC_IMPL computed off_grid(const context& c, computed x, const grid& g) {
  if (!x.integers) throw error("its input holds no integers");
  if (x.integers->scale == 0) {  // the integers of an input
    if (x.integers->least != g.least || x.integers->most != g.most)
      throw error("its zero point is of another type than its input");
    if (c.net.net().note_scale(x.node, g.symmetric(), g.low(), g.high(), g.bits()) !=
        g.symmetric())
      throw error("its scale differs from that of another reader of its input");
    c.net.net().note_bytes(x.node, bytes_of(g));
    c.net.note_input(x.node, g);
  } else if (*x.integers != g) {
    throw error(text("it takes the scale ", g.scale, " and the zero point ", g.zero,
                     ", but its input has ", x.integers->scale, " and ", x.integers->zero));
  }
  x.integers = nullptr;
  return x;
}

NVDLAC_IMPL scale_axis scale_axis_of(const context& c) {
  const scale_axis along{.axis = c.n.integer("axis", 1), .block = c.n.integer("block_size", 0)};
  (void)c.n.flag("saturate", true);  // of 8-bit floats, which are refused by their type
  if (along.block != 0 && !c.is_constant(0))
    throw error(problem{.reason = "it has a scale for each block of a computed tensor",
                        .remedy = "only constants, such as weights, may have a block_size"});
  return along;
}

NVDLAC_IMPL void check_real_type(const context& c, const char* attribute) {
  const auto type = c.n.integer(attribute, 0);
  if (type != 0 && !is_real_type(type))
    throw error(text("its ", attribute, " is ", element_type(type),
                     ", which holds no real numbers"));
}

NVDLAC_IMPL std::vector<value> on_quantize_linear(const context& c) {
  c.require_inputs(2, 3);
  const auto along = scale_axis_of(c);
  const auto wanted = c.n.integer("output_dtype", 0);
  check_real_type(c, "precision");
  if (const auto type = read_grid(c, 1, 2).type; type && wanted != 0 && wanted != *type)
    throw error(text("its output_dtype is ", element_type(wanted), ", but its zero point is ",
                     element_type(*type)));
  if (!c.is_constant(0)) {
    const computed& x = c.tensor(0);
    if (x.integers) throw error("it quantises what is quantised already");
    return {on_grid(c, x, one_grid(c, 1, 2, wanted == 0 ? 2 : wanted))};
  }
  const array& a = c.constant(0, "values");
  if (!a.real) throw error("it quantises integers");
  const auto g = read_grid(c, 1, 2);
  const auto type = g.type.value_or(wanted == 0 ? 2 : wanted);
  const auto [least, most] = is_of_4_bits(type)
                                 ? range_of_type(type)
                                 : std::pair(integers_of_type(type).least,
                                             integers_of_type(type).most);
  const scale_places places(a.shape, g, along);
  array q{.shape = a.shape, .real = false, .integers = std::vector<std::int64_t>(a.size())};
  q.stored = type;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto k = places.of(i);
    const double v = std::nearbyint(a.reals[i] / g.scales[k]) + static_cast<double>(g.zeros[k]);
    if (std::isnan(v)) throw error("it quantises a value that is no number");
    q.integers[i] = static_cast<std::int64_t>(
        std::clamp(v, static_cast<double>(least), static_cast<double>(most)));
  }
  return c.one(std::move(q));
}

NVDLAC_IMPL std::vector<value> on_dequantize_linear(const context& c) {
  c.require_inputs(2, 3);
  const auto along = scale_axis_of(c);
  check_real_type(c, "output_dtype");
  if (c.is_constant(0))
    return c.one(dequantised(c.constant(0, "values"), read_grid(c, 1, 2), along));
  return {off_grid(c, c.tensor(0), one_grid(c, 1, 2))};
}

namespace detail {

// One number for each element of a constant, from one that is broadcast to its shape.
inline array spread(const array& numbers, const dims& to, const element_ceiling& most) {
  if (broadcast(numbers.shape, to) != to)
    throw error(text("its ", to_text(numbers.shape), " scales or zero points do not fit ",
                     to_text(to)));
  return apply(numbers, expand(numbers.shape, to, most));
}

// How a real number becomes an integer, by QONNX's names.
inline double rounded(double x, const std::string& mode) {
  if (mode == "ROUND") return std::nearbyint(x);
  if (mode == "CEIL") return std::ceil(x);
  if (mode == "FLOOR") return std::floor(x);
  if (mode == "ROUND_TO_ZERO") return std::trunc(x);
  throw error(problem{.reason = "its rounding_mode is " + mode,
                      .remedy = "ROUND, CEIL, FLOOR and ROUND_TO_ZERO are understood"});
}

// Its name, which versions write in either case.
inline std::string rounding_mode(const context& c, const char* usual) {
  auto mode = c.n.string("rounding_mode", usual);
  for (char& letter : mode)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return mode;
}

// A number of bits from 1 to 32, which input `i` tells.
inline int bits_of(const context& c, std::size_t i) {
  const array& widths = c.constant(i, "bits");
  if (widths.size() != 1) throw error("it has several bit widths");
  const double bits = widths.number(0);
  if (!(bits >= 1 && bits <= 32) || bits != std::floor(bits))
    throw error(problem{.reason = text("it has integers of ", bits, " bits"),
                        .remedy = "whole numbers from 1 to 16 are supported"});
  return static_cast<int>(bits);
}

// The integers of so many bits, which input `i` tells.
inline grid integers_of_bits(const context& c, std::size_t i, bool is_signed, bool narrow) {
  const int bits = bits_of(c, i);
  if (bits > 16)
    throw error(problem{.reason = text("it quantises to ", bits, " bits"),
                        .remedy = "whole numbers from 1 to 16 are supported"});
  const auto all = std::int64_t{1} << bits;
  if (is_signed) return {.least = -all / 2 + (narrow ? 1 : 0), .most = all / 2 - 1};
  return {.least = 0, .most = all - 1 - (narrow ? 1 : 0)};
}

// The single number that input `i` is.
inline double only_number(const context& c, std::size_t i, const char* what) {
  const array& a = c.constant(i, what);
  if (a.size() != 1)
    throw error(text("it has ", a.size(), ' ', what, ", of which one is supported"));
  return a.number(0);
}

}  // namespace detail

namespace detail {

// A scale, or the one of each channel, with the sign of each element; that of 0 is positive.
inline computed signs_of(const context& c, computed x, const array& scales) {
  if (x.integers) throw error("it makes signs of what is quantised already");
  const auto channels = x.shape.size() > 1 ? x.shape[1] : 1;
  dims of_channels(x.shape.size(), 1);
  if (of_channels.size() > 1) of_channels[1] = channels;
  if (broadcast(scales.shape, of_channels) != of_channels)
    throw error(problem{.reason = text("it has scales ", to_text(scales.shape)),
                        .remedy = "one, or one for each channel, is supported"});
  const array all = detail::spread(scales, of_channels, c.ceiling);
  std::vector<float> factor, bias;
  double most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double s = all.number(i);
    if (!(s > 0) || !std::isfinite(s)) throw error(text("its scale is ", s));
    factor.push_back(static_cast<float>(2 * s));
    bias.push_back(static_cast<float>(-s));
    most = std::max(most, s);
  }
  const bool is_one = scales.size() == 1;
  auto& net = c.net.net();
  x.node = c.net.as_cube(x, cube_of(x.shape));
  x.from = nullptr;
  const auto of_cube = static_cast<std::size_t>(net.shape(x.node).c);
  if (!is_one && factor.size() != of_cube)
    throw error(text("its ", factor.size(), " scales are not those of ", of_cube, " channels"));
  if (is_one) {
    factor.assign(of_cube, factor.front());
    bias.assign(of_cube, bias.front());
  }
  // 1 for all that is not below 0.
  constexpr float below = -std::numeric_limits<float>::denorm_min();
  const auto signs = c.net.add(c.n.name() + "/sign",
                               net::activation{.function = net::function::threshold,
                                               .alpha = below}, {x.node});
  x.node = c.net.add(c.n.name(), net::scale{.factor = std::move(factor),
                                            .bias = std::move(bias)}, {signs});
  net.note_scale(x.node, is_one ? most : most / 127, -most, most, 1);
  return x;
}

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_quant(const context& c) {
  c.require_inputs(4, 4);
  const bool narrow = c.n.flag("narrow", false);
  grid g = detail::integers_of_bits(c, 3, c.n.flag("signed", true), narrow);
  const auto mode = detail::rounding_mode(c, "ROUND");
  const array &scales = c.constant(1, "scales"), &zeros = c.constant(2, "zero points");
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (!(scales.number(i) > 0) || !std::isfinite(scales.number(i)))
      throw error(text("its scale is ", scales.number(i)));
  if (c.is_constant(0)) {
    const array& a = c.constant(0, "values");
    const array s = detail::spread(scales, a.shape, c.ceiling),
                z = detail::spread(zeros, a.shape, c.ceiling);
    array real{.shape = a.shape, .reals = std::vector<float>(a.size())};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double q = detail::rounded(a.number(i) / s.number(i) + z.number(i), mode);
      real.reals[i] = static_cast<float>(
          (std::clamp(q, static_cast<double>(g.least), static_cast<double>(g.most)) -
           z.number(i)) * s.number(i));
    }
    return c.one(std::move(real));
  }
  if (scales.size() != 1 || zeros.size() != 1)
    throw error(problem{.reason = "it has several scales for one computed tensor",
                        .remedy = "only weights may have a scale for each channel"});
  if (mode != "ROUND")
    throw error(problem{.reason = "its rounding_mode is " + mode,
                        .remedy = "ROUND is supported of computed tensors, which NVDLA rounds"});
  const double zero = zeros.number(0);
  if (zero != std::floor(zero) || !(std::abs(zero) <= 65536))
    throw error(text("its zero point is ", zero));
  g.scale = static_cast<float>(scales.number(0));
  g.zero = static_cast<std::int64_t>(zero);
  if (c.tensor(0).integers) throw error("it quantises what is quantised already");
  auto x = on_grid(c, c.tensor(0), g);
  x.integers = nullptr;
  return {x};
}

NVDLAC_IMPL std::vector<value> on_bipolar_quant(const context& c) {
  c.require_inputs(2, 2);
  const array& scales = c.constant(1, "scales");
  if (!c.is_constant(0)) return {detail::signs_of(c, c.tensor(0), scales)};
  const array& a = c.constant(0, "values");
  const array s = detail::spread(scales, a.shape, c.ceiling);
  array real{.shape = a.shape, .reals = std::vector<float>(a.size())};
  for (std::size_t i = 0; i < a.size(); ++i)
    real.reals[i] = static_cast<float>(a.number(i) >= 0 ? s.number(i) : -s.number(i));
  return c.one(std::move(real));
}

NVDLAC_IMPL std::vector<value> on_trunc(const context& c) {
  c.require_inputs(5, 7);
  // Its second version tells the scale behind it, and a zero point that nothing reads.
  const bool second = c.inputs() > 5;
  const double scale = detail::only_number(c, 1, "scales"),
               zero = detail::only_number(c, 2, "zero points"),
               outer_scale = second ? detail::only_number(c, 4, "scales") : scale;
  const auto mode = detail::rounding_mode(c, "FLOOR");
  for (const double s : {scale, outer_scale})
    if (!(s > 0) || !std::isfinite(s)) throw error(text("its scale is ", s));
  // The number of units of the input that one unit of the result counts.
  const double unit =
      std::exp2(second ? std::round(std::log2(outer_scale / scale))
                       : detail::bits_of(c, 3) - detail::bits_of(c, 4));
  const double zero_behind = second ? zero / unit : zero;
  if (!(unit >= 1) || zero_behind != std::floor(zero_behind) || !(std::abs(zero_behind) <= 65536))
    throw error(text("it leaves one of ", unit, " steps, around the zero point ", zero_behind));
  const bool may_be_below =
      second ? c.n.flag("signed", true)
             : c.is_constant(0) ||
                   range_of(c.net.net().graph(), c.tensor(0).node).low < 0;
  const bool narrow = second && c.n.flag("narrow", false);
  grid g = detail::integers_of_bits(c, c.inputs() - 1, may_be_below, narrow);
  if (c.is_constant(0)) {
    const array& a = c.constant(0, "values");
    array real{.shape = a.shape, .reals = std::vector<float>(a.size())};
    for (std::size_t i = 0; i < a.size(); ++i) {
      double q = std::nearbyint(a.number(i) / scale + zero) / unit;
      if (second) q = std::clamp(q, static_cast<double>(g.least), static_cast<double>(g.most));
      real.reals[i] = static_cast<float>((detail::rounded(q, mode) - zero_behind) * outer_scale);
    }
    return c.one(std::move(real));
  }
  computed x = c.tensor(0);
  if (x.integers) throw error("it truncates what is quantised already");
  // NVDLA rounds to the nearest. Inputs lie on steps of 1 / unit: what they are rounded down to is
  // nearest to them less half a step but half of such a one.
  const double beside = 0.5 - 0.5 / unit;
  const double less = mode == "FLOOR"  ? beside
                      : mode == "CEIL" ? -beside
                      : mode == "ROUND" || unit == 1
                          ? 0
                          : throw error(problem{.reason = "its rounding_mode is " + mode,
                                                .remedy = "FLOOR, CEIL and ROUND are supported of "
                                                          "computed tensors"});
  const double factor = outer_scale / (scale * unit);
  const double bias = (zero / unit - zero_behind - less) * outer_scale;
  if (factor != 1 || bias != 0) {
    const auto channels = static_cast<std::size_t>(c.net.net().shape(x.node).c);
    x.node = c.net.add(c.n.name(),
                       net::scale{.factor = std::vector(channels, static_cast<float>(factor)),
                                  .bias = std::vector(channels, static_cast<float>(bias))},
                       {x.node});
  }
  g.scale = static_cast<float>(outer_scale);
  g.zero = static_cast<std::int64_t>(zero_behind);
  x = on_grid(c, x, g);
  x.integers = nullptr;
  return {x};
}

NVDLAC_IMPL std::vector<value> on_dynamic_quantize_linear(const context& c) {
  c.require_inputs(1, 1);
  computed x = c.tensor(0);
  const auto& outputs = c.n.outputs();
  x.awaits = std::make_shared<const std::string>(outputs.size() > 1 ? outputs[1] : "");
  auto one = array::of_reals({}, {1.0F});
  one.scale_of = x.awaits;
  auto zero = array::of_integers({}, {0});
  zero.stored = 2;
  return {x, std::make_shared<const array>(std::move(one)),
          std::make_shared<const array>(std::move(zero))};
}

}  // namespace nvdlac::import::onnx_format
