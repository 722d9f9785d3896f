// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/rewriter.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/host.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// An input of pixels in integers. Real value = gain[c] * scale * (integer - zero) + offset[c].
struct pixel_input {
  quantised::pixels pixels{};
  double scale = 1;
  std::int32_t zero = 0;
  std::vector<double> gain{}, offset{};
};

// Whether only convolutions of one group and without dilation read n, padded by little more than
// their kernels: they can take pixels from CDMA, and per-channel gains and offsets into their
// weights and biases.
template <class Graph>
bool feeds_convolutions_only(const Graph& g, typename Graph::id n) {
  if (g[n].output || g.consumers(n).empty()) return false;
  for (const auto reader : g.consumers(n)) {
    const auto* conv = std::get_if<net::convolution>(&g[reader].op);
    const auto* scale = std::get_if<net::scale>(&g[reader].op);
    if (conv ? g.inputs(reader).size() == 1 && conv->groups == 1 && conv->window.dilation_h == 1 &&
                   conv->window.dilation_w == 1 && pass::fits_pixels(conv->window)
             : (scale && free_factor(*scale)) || std::holds_alternative<net::identity>(g[reader].op)
                   ? feeds_convolutions_only(g, reader) : false)
      continue;
    return false;
  }
  return true;
}

// The scaling of channels that alone reads the input n; n, if there is none.
template <class Graph>
typename Graph::id scaling_behind(const Graph& g, typename Graph::id n) {
  auto last = n;
  do {
    if (g[last].output || g.consumers(last).size() != 1) return n;
    last = g.consumers(last)[0];
  } while (std::holds_alternative<net::identity>(g[last].op));
  const auto* s = std::get_if<net::scale>(&g[last].op);
  return s == nullptr || s->relu || free_factor(*s) ? n : last;
}

// The preprocessing that pixels of `format` have behind a scaling: another mean and scale.
net::preprocessing behind(const net::scale& s, const net::preprocessing& format,
                          std::size_t channels);

// Whether the input converter holds such means and scales.
bool can_be_converted(const net::preprocessing& format);

// Whether pixels can be given for the input n; `scaled`: also where a scaling is behind it.
template <class Graph>
bool fits_pixels(const Graph& g, typename Graph::id n, bool scaled = true) {
  const auto channels = g[n].shape.c;
  if (channels != 1 && channels != 3 && channels != 4) return false;
  if (const auto s = scaling_behind(g, n); s != n && scaled)
    return can_be_converted(behind(std::get<net::scale>(g[s].op), {},
                                   static_cast<std::size_t>(channels))) &&
           feeds_convolutions_only(g, s);
  return feeds_convolutions_only(g, n);
}

// Whether convolutions of precision p alone read n, or its numbers with another meaning.
template <class Graph>
bool is_read_in(hw::precision p, const Graph& g, typename Graph::id n,
                const net::layer_precisions& of) {
  const auto readers = g.consumers(n);
  return std::all_of(readers.begin(), readers.end(), [&](auto r) {
    return of(g[r].name) == p &&
           ((std::holds_alternative<net::convolution>(g[r].op) && g.inputs(r).size() == 1) ||
            is_read_in(p, g, r, of));
  });
}

// Whether the input n becomes pixels, where its program may take any.
template <class Graph>
bool takes_pixels(const Graph& g, typename Graph::id n, const net::layer_precisions& of,
                  bool scaled = true) {
  const auto p = of(g[n].name);
  return p != hw::precision::fp16 && fits_pixels(g, n, scaled) && is_read_in(p, g, n, of);
}

// The pixel form of the input n, or of the scaling behind it, whose calibrated scale is `wanted`;
// nothing if it has to be given as int8 values. Means are rounded to whole pixel values. What
// remains is an integer for 0, which padding has as well, as near to all channels as it can be, and
// an offset. All channels share one converter, as fine as neither the calibration nor the range of
// a byte allows any of them to saturate; different scales of channels are gains.
template <class Graph>
std::optional<pixel_input> as_pixels(const Graph& g, typename Graph::id n,
                                     const net::preprocessing& given, double wanted,
                                     double levels = 127, bool scaled = true) {
  if (!fits_pixels(g, n, scaled)) return std::nullopt;
  const auto channels = static_cast<std::size_t>(g[n].shape.c);
  const auto scaling = scaled ? scaling_behind(g, n) : n;
  const auto format =
      scaling != n ? behind(std::get<net::scale>(g[scaling].op), given, channels) : given;
  if (scaling != n && !can_be_converted(format)) return std::nullopt;
  const auto of = [&](const std::vector<double>& v, std::size_t c, const char* what) {
    if (v.size() != 1 && v.size() != channels)
      throw error({.layer = g[n].name,
                   .reason = text("there are ", v.size(), ' ', what, "s of pixels for ",
                                  count_of(channels, "channel")),
                   .remedy = "give one or one per channel"});
    return v[v.size() == 1 ? 0 : c];
  };
  pixel_input result;
  double reach = 0, top = 0, least = 1, most = -1;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = of(format.mean, c, "mean"), scale = of(format.scale, c, "scale");
    if (!(std::fabs(mean) <= 32000) || !(std::fabs(scale) >= 1e-30 && std::fabs(scale) <= 1e30))
      throw error({.layer = g[n].name,
                   .reason = text("pixels of mean ", mean, " and scale ", scale),
                   .remedy = "means up to 32000 and scales other than 0 can be represented"});
    const double rounded = std::round(mean);
    result.pixels.mean[c] = round16(rounded);
    result.offset.push_back(rounded - mean);
    least = std::min(least, rounded - mean);
    most = std::max(most, rounded - mean);
    result.gain.push_back(scale);
    top = std::max(top, std::fabs(scale));
    // Rounded means need more than the calibrated range, in int8 less than a step more.
    const double further = levels > 127 ? std::fabs(rounded - mean) : 0;
    reach = std::max(reach, std::min(std::max(std::fabs(rounded), std::fabs(255 - rounded)),
                                     levels * wanted / std::fabs(scale) + further));
  }
  result.pixels.cvt = nearest_converter(levels / reach);
  result.scale = top / ratio_of(result.pixels.cvt);
  const double step = 1 / ratio_of(result.pixels.cvt);  // in pixel values
  result.zero = static_cast<std::int32_t>(std::lround(-(least + most) / 2 / step));
  for (std::size_t c = 0; c < channels; ++c) {
    result.offset[c] = (result.offset[c] + result.zero * step) * result.gain[c];
    result.gain[c] /= top;
  }
  return result;
}

template <>
struct rule<net::input> : usual_rule {
  static constexpr bool keeps_whole_range = true;
  static bool requantises(const net::input&, const reading&) { return false; }

  static void run(const net::input& op, auto& to) {
    const auto& how = to.how();
    const auto scaling = how.scale_pixels ? scaling_behind(to.from(), to.node()) : to.node();
    auto p = how.pixels && takes_pixels(to.from(), to.node(), how.precision, how.scale_pixels)
                 ? as_pixels(to.from(), to.node(), *how.pixels,
                             to.scale_of(scaling), to.top(), how.scale_pixels)
                 : std::nullopt;
    quantised::input input{.shape = op.shape};
    if (p) {
      input.pixels = p->pixels;
      if (scaling != to.node()) take_back(std::get<net::scale>(to.from()[scaling].op), *p);
      to.put({to.emit(to.name(), std::move(input), {}, p->scale, op.shape), p->scale,
              std::move(p->gain), std::move(p->offset), p->zero});
    } else {
      const auto reach = to.reach_of_channels(step_source::input);
      to.put(std::move(input), gains_of(reach, to.top() * to.scale()));
      hold_places(to);
    }
    to.integers()[to.placed().node].in_file = to.from()[to.node()].in_file;
  }

 private:
  // Places are the numbers themselves, of a precision that has them all: the host reads any.
  static void hold_places(auto& to) {
    const auto most = places_of_input(to.from(), to.node());
    if (!most || holds(to.precision(), *most)) return;
    if (!holds(hw::precision::int16, *most))
      throw error(problem{.reason = text("its places reach ", *most, ", but int16 ends at 32767"),
                          .remedy = "begin behind what it looks up: --from LAYER"});
    to.integers()[to.placed().node].precision = hw::precision::int16;
  }

  // Turns the meaning of the integers behind the scaling into that before it.
  static void take_back(const net::scale& s, pixel_input& p) {
    for (std::size_t c = 0; c < p.gain.size(); ++c) {
      p.gain[c] /= factor_of(s, c);
      p.offset[c] = (p.offset[c] - bias_of(s, c)) / factor_of(s, c);
    }
  }
};

template <>
struct rule<net::constant> : usual_rule {
  static constexpr bool keeps_whole_range = true;
  static std::optional<double> inherent_scale(const net::constant& op) {
    const double range = largest_of(op.value.values);
    return scale_of_range(range == 0 ? 1 : range);
  }

  static void run(const net::constant& op, auto& to) {
    quantised::constant value{.shape = op.value.shape};
    if (to.real()) value.wide_values = half_bits_of(op.value.values, "value");
    else
      for (const float x : op.value.values) {
        const auto number = round_to(static_cast<double>(x) / to.scale(), to.top());
        if (to.precision() == hw::precision::int16) value.wide_values.push_back(number);
        else value.values.push_back(static_cast<std::int8_t>(number));
      }
    to.put(std::move(value));
  }
};

// Between which values pixels lie.
struct pixel_range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  explicit pixel_range(const net::preprocessing& how);
  // Whether they lie within the bounds of a clipping, or within one of the 255 steps of an 8-bit
  // range beyond them.
  bool is_within(const net::clip& c) const;
};

// Removes clippings of inputs that become pixels, which are all within their bounds: quantised
// models saturate their inputs, which would keep the first convolution from reading the pixels.
// What is given as values may be anything, so other inputs keep theirs. `g` is what `quantise`
// gets.
template <class Graph>
void drop_idle_clips(Graph& g, const net::preprocessing& how, const net::layer_precisions& of,
                     bool scaled = true) {
  const pixel_range pixels(how);
  pass::rewriter<Graph> r(g);
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    if (!std::holds_alternative<net::input>(g[n].op)) continue;
    std::vector<std::pair<typename Graph::id, net::clip>> idle;
    for (const auto reader : g.consumers(n))
      if (const auto* clip = std::get_if<net::clip>(&g[reader].op);
          clip != nullptr && pixels.is_within(*clip)) {
        idle.emplace_back(reader, *clip);
        g[reader].op = net::identity{};
      }
    const bool dropped = takes_pixels(g, n, of, scaled);
    for (const auto& [reader, clip] : idle)
      if (dropped) r.bypass(reader, n);
      else g[reader].op = clip;
  }
  r.finish();
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/inputs.ipp>
#endif
