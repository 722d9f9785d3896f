// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/pass/join_slices.hpp>
#include <nvdlac/pass/pool_levels.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL reduced_axes::reduced_axes(const dims& shape, dims axes, bool keep) {
  for (auto& a : axes) a = checked_axis(a, shape.size());
  const auto is_reduced = [&](std::size_t i) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
  };
  for (const bool reduced : {false, true})
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (is_reduced(i) != reduced) continue;
      order.push_back(static_cast<std::int64_t>(i));
      if (reduced) last.push_back(shape[i]);
      else stay *= shape[i];
    }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_reduced(i) || keep) result.push_back(is_reduced(i) ? 1 : shape[i]);
  if (last.empty()) throw error("it reduces no axes");
}

NVDLAC_IMPL net::shape reduced_cube(const reduced_axes& axes) {
  return net::checked_shape(axes.stay, axes.last[0],
                            count(dims(axes.last.begin() + 1, axes.last.end())));
}

NVDLAC_IMPL std::vector<std::int32_t> results_of_channels(const context& c, const computed& x,
                                                          const reduced_axes& axes) {
  const net::shape cube = c.net.net().shape(x.node);
  if (!is_whole(x, cube)) return {};
  const computed sorted = axes.sort(c, x);
  const auto run = static_cast<std::size_t>(axes.run());
  const auto area = static_cast<std::int32_t>(net::shape{1, cube.h, cube.w}.size());
  std::vector<std::int32_t> results(static_cast<std::size_t>(cube.c), -1);
  for (std::size_t i = 0; i < cube.size(); ++i) {
    const auto element = sorted.from ? (*sorted.from)[i] : static_cast<std::int32_t>(i);
    auto& of = results[static_cast<std::size_t>(element / area)];
    const auto result = static_cast<std::int32_t>(i / run);
    if (of >= 0 && of != result) return {};
    of = result;
  }
  return results;
}

NVDLAC_IMPL element_map channels_of_results(const context& c, const computed& x,
                                            const reduced_axes& axes) {
  const auto results = results_of_channels(c, x, axes);
  if (!std::cmp_equal(results.size(), axes.stay)) return {};
  element_map channels(results.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    channels[static_cast<std::size_t>(results[k])] = static_cast<std::int32_t>(k);
  return channels;
}

namespace detail {

// The cube of which a node is the means over all lines or over all columns; or the node itself.
NVDLAC_IMPL assembly::id whole_of_means(const net::graph& g, assembly::id n) {
  const auto* means = std::get_if<net::convolution>(&g[n].op);
  if (means == nullptr || g.inputs(n).size() != 1) return n;
  const auto source = g.inputs(n)[0];
  const net::shape in = g[source].shape;
  const bool of_lines = means->window == net::window{.kernel_h = in.h};
  if ((!of_lines && means->window != net::window{.kernel_w = in.w}) || means->relu ||
      means->groups != in.c || means->kernels != in.c || !means->bias.empty())
    return n;
  const float share = 1.0F / static_cast<float>(of_lines ? in.h : in.w);
  const bool alike = std::ranges::all_of(means->weights, [&](float w) { return w == share; });
  return alike ? source : n;
}

// All lines and columns of each channel as one.
NVDLAC_IMPL assembly::id pooled_places(const context& c, const std::string& layer,
                                       net::pool_kind kind, assembly::id cube) {
  const auto of =
      kind == net::pool_kind::average ? whole_of_means(c.net.net().graph(), cube) : cube;
  return c.net.add(layer, net::pool{.kind = kind, .global = true}, {of});
}

}  // namespace detail

NVDLAC_IMPL computed pooled(const context& c, const std::string& layer, net::pool_kind kind,
                            const computed& x, const reduced_axes& axes) {
  if (auto channels = channels_of_results(c, x, axes); !channels.empty())
    return arranged(c, detail::pooled_places(c, layer, kind, x.node), axes.result,
                    std::move(channels), layer);
  const auto n = c.net.add(layer, net::pool{.kind = kind, .global = true},
                           {c.net.as_cube(axes.sort(c, x), reduced_cube(axes))});
  return {n, axes.result};
}

NVDLAC_IMPL computed summed(const context& c, const std::string& layer, const computed& x,
                            const reduced_axes& axes, float factor) {
  const net::shape cube = reduced_cube(axes);
  const auto n = c.net.add(
      layer,
      net::convolution{.kernels = cube.c, .window = {.kernel_h = cube.h, .kernel_w = cube.w},
                       .groups = cube.c, .weights = std::vector<float>(cube.size(), factor)},
      {c.net.as_cube(axes.sort(c, x), cube)});
  return {n, axes.result};
}

NVDLAC_IMPL computed summed_in_levels(const context& c, const std::string& layer,
                                      const computed& x, const reduced_axes& axes) {
  // Kernels of fewer weights come faster than PDP begins.
  constexpr std::size_t least_weights = 16384;
  const net::shape cube = reduced_cube(axes);
  if (std::max(cube.h, cube.w) <= pass::whole_mean ||
      cube.size() * hw::least_lanes < least_weights)
    return summed(c, layer, x, axes);
  const auto levels = pass::pool_in_levels(net::pool_kind::average, cube).levels;
  const net::window last = levels.back().window;
  auto n = c.net.as_cube(axes.sort(c, x), cube);
  float elements = 1;  // of the windows of the means
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    n = c.net.add(text(layer, "/level_", i + 1), levels[i], {n});
    elements *= static_cast<float>(levels[i].window.kernel_h * levels[i].window.kernel_w);
  }
  const auto weights = cube.c * last.kernel_h * last.kernel_w;
  n = c.net.add(layer,
                net::convolution{.kernels = cube.c, .window = last, .groups = cube.c,
                                 .weights = std::vector<float>(static_cast<std::size_t>(weights),
                                                               elements)},
                {n});
  return {n, axes.result};
}

NVDLAC_IMPL std::vector<value> global_pool(const context& c, net::pool_kind kind,
                                           const dims& axes) {
  const computed& x = c.tensor(0);
  return {pooled(c, c.n.name(), kind, x, reduced_axes(x.shape, axes, true))};
}

NVDLAC_IMPL std::vector<value> on_global_pool(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  if (shape.size() < 3 || shape[0] != 1)
    throw error(problem{.reason = text("its input has the shape ", to_text(shape)),
                        .remedy = "pictures [1, channels, height, width] are supported"});
  return global_pool(
      c, c.n.type() == "GlobalMaxPool" ? net::pool_kind::maximum : net::pool_kind::average,
      ascending(static_cast<std::int64_t>(shape.size()) - 2, 1, 2));
}

NVDLAC_IMPL double reducer::prepared(double v) const {
  switch (before) {
    case preparing::magnitude: return std::fabs(v);
    case preparing::square: return v * v;
    case preparing::exponential: return std::exp(v);
    case preparing::nothing: break;
  }
  return v;
}

NVDLAC_IMPL double reducer::combined(double a, double b) const {
  switch (how) {
    case combining::maximum: return std::max(a, b);
    case combining::minimum: return std::min(a, b);
    case combining::product: return a * b;
    case combining::sum:
    case combining::mean: break;
  }
  return a + b;
}

NVDLAC_IMPL double reducer::finished(double v, std::size_t run) const {
  if (how == combining::mean) v /= static_cast<double>(run);
  return after == finishing::root        ? std::sqrt(v)
         : after == finishing::logarithm ? std::log(v)
                                               : v;
}

NVDLAC_IMPL const std::map<std::string_view, reducer>& reducers() {
  using enum combining;
  using prepare = preparing;
  using finish = finishing;
  static const std::map<std::string_view, reducer> all = {
      {"ReduceL1", {sum, prepare::magnitude}},
      {"ReduceL2", {sum, prepare::square, finish::root}},
      {"ReduceLogSum", {sum, prepare::nothing, finish::logarithm}},
      {"ReduceLogSumExp", {sum, prepare::exponential, finish::logarithm}},
      {"ReduceMax", {maximum}},
      {"ReduceMean", {mean}},
      {"ReduceMin", {minimum}},
      {"ReduceProd", {product}},
      {"ReduceSum", {sum}},
      {"ReduceSumSquare", {sum, prepare::square}}};
  return all;
}

NVDLAC_IMPL computed product_along(const context& c, const computed& x, const reduced_axes& axes) {
  const std::int64_t run = axes.run();
  if (run > 64)
    throw error(problem{.reason = text("it multiplies ", run, " elements"),
                        .remedy = "products of up to 64 elements are supported"});
  const auto& name = c.n.name();
  std::vector<computed> factors;  // [stay, 1]
  computed rest = axes.sort(c, x);
  rest.shape = {axes.stay, run};
  const auto part = [&](std::int64_t first, std::int64_t n) {
    auto steps = all_steps(rest.shape, c.ceiling);
    slice(steps, 1, first, first + n, 1);
    const computed y = moved(rest, from_steps(steps, c.ceiling), name,
                             c.net.net().shape(rest.node));
    return c.net.as_cube(y, net::checked_shape(axes.stay, n, 1));
  };
  for (std::int64_t n = run; n > 1; n /= 2) {
    const std::int64_t half = n / 2;
    if (n % 2 != 0) factors.push_back({part(n - 1, 1), {axes.stay, 1}});
    rest = {c.net.add(text(name, "/product", n), net::multiply{},
                      {part(0, half), part(half, half)}),
            {axes.stay, half}};
  }
  computed all = {part(0, 1), axes.result};
  for (std::size_t i = 0; i < factors.size(); ++i)
    all.node = c.net.add(text(name, "/rest", i), net::multiply{}, {all.node, factors[i].node});
  return all;
}

namespace detail {

// Extrema of channels at each place, in halves: each step computes those of the first half and of
// the last, which overlap where the number is odd. The last half comes from a convolution that
// selects channels, so that SDP compares behind it, and the first one where it stands.
class channel_halves {
 public:
  channel_halves(const context& c, net::extremum_kind kind, assembly::id all)
      : c_(c), kind_(kind), all_(all), rest_(all), channels_(c.net.net().shape(all).c) {}

  // A cube of a single channel, or of so many that line y * folds + c is line y of channel c.
  assembly::id run() {
    while (channels_ > 1) halve();
    return rest_;
  }
  std::int32_t folds() const { return folds_; }

 private:
  // Channels of which every configuration has whole atoms: parts of a cube from one on are no
  // copies.
  static constexpr std::int32_t whole_atoms = 32;
  // Up to so many channels, lines become channels as well: atoms would be mostly empty otherwise.
  static constexpr std::int32_t most_folded = 16;

  void halve() {
    const std::int32_t half = (channels_ + 1) / 2, last = channels_ - half;
    const net::shape s = c_.net.net().shape(rest_);
    const std::int32_t lines = channels_ > most_folded || folds_ > 1 ? 1
                               : s.h % 4 == 0                        ? 4
                               : s.h % 2 == 0                        ? 2
                                                                     : 1;
    const auto name = [&](const char* part) { return text(c_.n.name(), part, half); };
    const auto first_half = lines == 1 ? taken(name("/first"), 0, half)
                                       : selected(name("/first"), 0, half, lines);
    const auto last_half = lines == 1 && last * folds_ % whole_atoms == 0
                               ? taken(name("/last"), last, half)
                               : selected(name("/last"), last, half, lines);
    rest_ = c_.net.add(half == 1 ? c_.n.name() : name("/of"), net::extremum{.kind = kind_},
                       {first_half, last_half});
    c_.net.net().share_scale(rest_, all_);
    folds_ *= lines;
    channels_ = half;
  }
  // Channels as they stand, of all lines that are folded.
  assembly::id taken(const std::string& layer, std::int32_t first, std::int32_t channels) const {
    const net::shape s = c_.net.net().shape(rest_);
    const net::box b{.from = {first * folds_, 0, 0},
                     .loops = {{{channels * folds_, {1, 0, 0}, {1, 0, 0}},
                                {s.h, {0, 1, 0}, {0, 1, 0}},
                                {s.w, {0, 0, 1}, {0, 0, 1}}}}};
    return c_.net.add(layer, net::move{.target = {channels * folds_, s.h, s.w}, .boxes = {b}},
                      {rest_});
  }
  // Channels by kernels of a single 1, and so many lines of each beside each other as channels.
  assembly::id selected(const std::string& layer, std::int32_t first, std::int32_t channels,
                        std::int32_t lines) const {
    const std::int32_t from = c_.net.net().shape(rest_).c, to = channels * folds_ * lines;
    net::convolution select{.kernels = to,
                            .window = {.kernel_h = lines, .stride_h = lines},
                            .weights = std::vector<float>(
                                static_cast<std::size_t>(to * from * lines), 0.0F)};
    for (std::int32_t k = 0; k < to; ++k) {
      const std::int32_t channel = first * folds_ + k / lines, line = k % lines;
      select.weights[static_cast<std::size_t>((k * from + channel) * lines + line)] = 1;
    }
    const auto made = c_.net.add(layer, std::move(select), {rest_});
    c_.net.net().share_scale(made, all_);
    return made;
  }

  const context& c_;
  net::extremum_kind kind_;
  assembly::id all_, rest_;
  std::int32_t channels_, folds_ = 1;
};

// The map of a matrix of one feature, by the places of its rows among lines of which so many stand
// beside each other as channels.
NVDLAC_IMPL element_map map_of_folds(const rows_of_channels& rows, net::shape whole,
                                     std::int32_t folds) {
  element_map map;
  map.reserve(rows.place.size());
  for (const auto place : rows.place) {
    const std::int32_t y = place / whole.w, x = place % whole.w;
    map.push_back((y % folds * (whole.h / folds) + y / folds) * whole.w + x);
  }
  return map;
}

}  // namespace detail

NVDLAC_IMPL std::optional<computed> reduced_over_channels(const context& c, combining how,
                                                          const computed& x,
                                                          const reduced_axes& axes) {
  auto& net = c.net.net();
  const net::shape cube = net.shape(x.node);
  const auto rows = as_rows_of_channels(axes.sort(c, x), axes.stay, axes.run(), cube);
  if (!rows || cube.c == 1 || how == combining::product) return std::nullopt;
  const auto& name = c.n.name();
  if (how == combining::maximum || how == combining::minimum) {
    using enum net::extremum_kind;
    detail::channel_halves halves(c, how == combining::maximum ? maximum : minimum, x.node);
    const auto one = halves.run();
    return arranged(c, one, axes.result, detail::map_of_folds(*rows, cube, halves.folds()), name);
  }
  const float factor = how == combining::mean ? 1.0F / static_cast<float>(cube.c) : 1.0F;
  const auto one = net.add(name,
                           net::convolution{.kernels = 1,
                                            .weights = std::vector<float>(
                                                static_cast<std::size_t>(cube.c), factor)},
                           {x.node});
  return arranged(c, one, axes.result, rows->map_of(1), name);
}

NVDLAC_IMPL std::optional<computed> reduced_along_side(const context& c, combining how,
                                                       const computed& x,
                                                       const reduced_axes& axes) {
  const net::shape cube = c.net.net().shape(x.node);
  const auto axis = axes.order.back();
  if (x.from || x.shape != dims{1, cube.c, cube.h, cube.w} || axes.last.size() != 1 ||
      (axis != 2 && axis != 3) || how == combining::product)
    return std::nullopt;
  const auto& name = c.n.name();
  const net::shape side = axis == 2 ? net::shape{cube.c, cube.h, 1} : net::shape{cube.c, 1, cube.w};
  if (how == combining::mean && side == cube) return std::nullopt;  // a mean of whole channels
  if (how == combining::sum || how == combining::mean) {
    const float factor = how == combining::mean ? 1.0F / static_cast<float>(axes.run()) : 1.0F;
    net::convolution sums{.kernels = cube.c,
                          .window = {.kernel_h = side.h, .kernel_w = side.w},
                          .groups = cube.c,
                          .weights = std::vector<float>(side.size(), factor)};
    return computed{c.net.add(name, std::move(sums), {x.node}), axes.result};
  }
  const auto kind = how == combining::maximum ? net::pool_kind::maximum : net::pool_kind::minimum;
  const auto levels = pass::pool_in_levels(kind, side).levels;
  auto n = x.node;
  for (std::size_t i = 0; i < levels.size(); ++i)
    n = c.net.add(i + 1 == levels.size() ? name : text(name, "/level_", i + 1), levels[i], {n});
  return computed{n, axes.result};
}

NVDLAC_IMPL std::optional<computed> reduced_over_places(const context& c, combining how,
                                                        const computed& x,
                                                        const reduced_axes& axes) {
  const auto results = results_of_channels(c, x, axes);
  const net::shape cube = c.net.net().shape(x.node);
  const auto stay = static_cast<std::size_t>(axes.stay);
  if (results.size() <= stay || (cube.h == 1 && cube.w == 1) || how == combining::product)
    return std::nullopt;
  const auto& name = c.n.name();
  const auto of_places = [&](net::pool_kind kind) {
    const auto n = detail::pooled_places(c, name + "/places", kind, x.node);
    c.net.net().share_scale(n, x.node);
    return n;
  };
  if (how == combining::maximum || how == combining::minimum) {
    const auto kind = how == combining::maximum ? net::pool_kind::maximum : net::pool_kind::minimum;
    // The channels of each result behind each other.
    element_map channels;
    for (std::int32_t k = 0; k < cube.c; ++k) channels.push_back(k);
    std::ranges::stable_sort(channels, {},
                             [&](auto k) { return results[static_cast<std::size_t>(k)]; });
    const dims sides{axes.stay, cube.c / axes.stay};
    const auto rest = arranged(c, of_places(kind), sides, std::move(channels), name);
    auto y = reduced(c, rest, {how}, reduced_axes(sides, {1}, false));
    y.shape = axes.result;
    return y;
  }
  const auto times = static_cast<float>(results.size() / stay);
  net::convolution means{.kernels = static_cast<std::int32_t>(stay),
                         .weights = std::vector<float>(stay * results.size(), 0.0F)};
  for (std::size_t k = 0; k < results.size(); ++k)
    means.weights[static_cast<std::size_t>(results[k]) * results.size() + k] = 1 / times;
  if (how == combining::mean)
    return computed{c.net.add(name, std::move(means), {of_places(net::pool_kind::average)}),
                    axes.result};
  // A pooling keeps its input's scale, which a sum would multiply.
  if (stay > static_cast<std::size_t>(hw::least_lanes)) return std::nullopt;
  const auto n = c.net.add(name + "/channels", std::move(means), {x.node});
  c.net.net().share_scale(n, x.node);
  const dims sides{axes.stay, cube.h, cube.w};
  auto y = summed(c, name, {n, sides}, reduced_axes(sides, {1, 2}, false), times);
  y.shape = axes.result;
  return y;
}

namespace detail {

// The blocks of channels: what a concat joins, if it joins just these, or else parts of the maps.
NVDLAC_IMPL std::vector<assembly::id> blocks_of_channels(const context& c, assembly::id whole,
                                                         net::shape block) {
  auto& net = c.net.net();
  const auto joined = net.graph().inputs(whole);
  if (std::holds_alternative<net::concat>(net.graph()[whole].op) &&
      std::ranges::all_of(joined, [&](auto n) { return net.shape(n) == block; }))
    return {joined.begin(), joined.end()};
  std::vector<assembly::id> parts;
  if (block.h == 1 && block.w == 1) return parts;  // kernels take the elements of a vector
  for (std::int32_t first = 0; first < net.shape(whole).c; first += block.c) {
    parts.push_back(net.add(text(c.n.name(), "/block", first / block.c),
                            pass::slice_of_channels(net.shape(whole), first, block.c), {whole}));
    net.share_scale(parts.back(), whole);
  }
  return parts;
}

}  // namespace detail

NVDLAC_IMPL std::optional<computed> reduced_over_blocks(const context& c, combining how,
                                                        const computed& x,
                                                        const reduced_axes& axes) {
  constexpr std::int64_t most_blocks = 16;
  auto& net = c.net.net();
  const net::shape cube = net.shape(x.node);
  const std::int64_t run = axes.run();
  if (run < 2 || run > most_blocks || cube.c % run != 0 ||
      std::cmp_not_equal(axes.stay * run, cube.size()))
    return std::nullopt;
  const auto sorted = axes.sort(c, x);
  if (!sorted.from) return std::nullopt;
  for (std::int64_t i = 0; i < axes.stay * run; ++i)
    if ((*sorted.from)[static_cast<std::size_t>(i)] != i % run * axes.stay + i / run)
      return std::nullopt;
  const net::shape block{cube.c / static_cast<std::int32_t>(run), cube.h, cube.w};
  const auto parts = detail::blocks_of_channels(c, x.node, block);
  if (parts.empty()) return std::nullopt;
  const float factor = how == combining::mean ? 1.0F / static_cast<float>(run) : 1.0F;
  auto all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto& name = c.n.name();
    const auto layer = i + 1 == parts.size() ? name : text(name, "/of", i + 1);
    const std::vector both{all, parts[i]};
    if (how == combining::sum || how == combining::mean) {
      all = net.add(layer, net::add{.coefficients = {i == 1 ? factor : 1.0F, factor}}, both);
      continue;
    }
    if (how == combining::product) {
      all = net.add(layer, net::multiply{}, both);
      continue;
    }
    using enum net::extremum_kind;
    const auto kind = how == combining::maximum ? maximum : minimum;
    all = net.add(layer, net::extremum{.kind = kind}, both);
    net.share_scale(all, x.node);
  }
  return computed{all, axes.result};
}

NVDLAC_IMPL computed reduced(const context& c, computed x, const reducer& r,
                             const reduced_axes& axes) {
  const auto& name = c.n.name();
  const auto prepare = [&](auto op, const char* what, std::size_t times = 1) {
    x.node = c.net.add(name + what, std::move(op), std::vector(times, x.node));
  };
  if (r.before != preparing::nothing) x = alone(c, x);
  if (r.before == preparing::exponential && has_zeros(x)) x = {c.net.as_cube(x), x.shape};
  if (r.before == preparing::magnitude) prepare(net::prelu{{-1.0F}}, "/magnitude");
  if (r.before == preparing::square) prepare(net::multiply{}, "/square", 2);
  if (r.before == preparing::exponential)
    prepare(net::activation{.function = net::function::exponential}, "/exponential");
  const auto combined = [&]() -> computed {
    if (auto y = reduced_over_channels(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_along_side(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_over_places(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_over_blocks(c, r.how, x, axes)) return *std::move(y);
    switch (r.how) {
      case combining::maximum: return pooled(c, name, net::pool_kind::maximum, x, axes);
      case combining::mean: return pooled(c, name, net::pool_kind::average, x, axes);
      case combining::minimum: return pooled(c, name, net::pool_kind::minimum, x, axes);
      case combining::product: return product_along(c, x, axes);
      case combining::sum: break;
    }
    return summed_in_levels(c, name, x, axes);
  };
  const computed y = combined();
  using enum net::function;
  if (r.after == finishing::root)
    return apply_function(c, name + "/root", net::activation{.function = power, .gamma = 0.5F}, y);
  if (r.after == finishing::logarithm)
    return apply_function(c, name + "/logarithm", net::activation{.function = logarithm}, y);
  return y;
}

NVDLAC_IMPL array reduced(const array& x, const reducer& r, const reduced_axes& axes,
                          const element_ceiling& most) {
  const array sorted = apply(x, transpose(x.shape, axes.order, most));
  const auto run = static_cast<std::size_t>(axes.run());
  if (run == 0 || sorted.size() == 0) throw error("it reduces no elements");
  array result{.shape = axes.result, .real = sorted.real};
  for (std::size_t i = 0; i < sorted.size(); i += run) {
    double v = r.prepared(sorted.number(i));
    for (std::size_t k = 1; k < run; ++k) v = r.combined(v, r.prepared(sorted.number(i + k)));
    v = r.finished(v, run);
    if (result.real) result.reals.push_back(static_cast<float>(v));
    else result.integers.push_back(to_integer(v));
  }
  return result;
}

NVDLAC_IMPL std::vector<value> reduce_by(const context& c, const reducer& r) {
  c.require_inputs(1, 2);
  const bool keep = c.n.flag("keepdims", true);
  const bool nothing = c.n.flag("noop_with_empty_axes", false);
  const dims& shape = shape_of(c.in[0]);
  dims axes = axes_of(c, 1).value_or(dims{});
  if (axes.empty() && nothing) return {c.in[0]};
  if (axes.empty()) axes = ascending(static_cast<std::int64_t>(shape.size()), 1);
  const reduced_axes sides(shape, axes, keep);
  if (c.is_constant(0)) return c.one(reduced(c.constant(0, "values"), r, sides, c.ceiling));
  return {reduced(c, c.tensor(0), r, sides)};
}

NVDLAC_IMPL std::vector<value> on_reduce(const context& c) {
  return reduce_by(c, reducers().at(c.n.type()));
}

}  // namespace nvdlac::import::onnx_format
