// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/large_window.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quant {

// An input of pixels in integers. Real value = gain[c] * scale * integer + offset[c].
struct pixel_input {
  quantised::pixels pixels{};
  double scale = 1;
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
                   conv->window.dilation_w == 1 && net::fits_pixels(conv->window)
             : (scale && free_factor(*scale)) || std::holds_alternative<net::identity>(g[reader].op)
                   ? feeds_convolutions_only(g, reader) : false)
      continue;
    return false;
  }
  return true;
}

// The pixel form of the input n, whose calibrated scale is `wanted`; nothing if it has to be given
// as int8 values. Means are rounded to whole pixel values; the remainder is an offset. All channels
// share one converter, as fine as neither the calibration nor the range of a byte allows to
// saturate; different scales of channels are gains.
template <class Graph>
std::optional<pixel_input> as_pixels(const Graph& g, typename Graph::id n,
                                     const net::preprocessing& format, double wanted,
                                     double levels = 127) {
  const auto channels = static_cast<std::size_t>(g[n].shape.c);
  if (channels != 1 && channels != 3 && channels != 4) return std::nullopt;
  if (!feeds_convolutions_only(g, n)) return std::nullopt;
  const auto of = [&](const std::vector<double>& v, std::size_t c, const char* what) {
    if (v.size() != 1 && v.size() != channels)
      throw error({.layer = g[n].name,
                   .reason = text("there are ", v.size(), ' ', what, "s of pixels for ", channels,
                                  " channels"),
                   .remedy = "give one or one per channel"});
    return v[v.size() == 1 ? 0 : c];
  };
  pixel_input result;
  double reach = 0, top = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = of(format.mean, c, "mean"), scale = of(format.scale, c, "scale");
    if (!(std::fabs(mean) <= 32000) || !(std::fabs(scale) >= 1e-30 && std::fabs(scale) <= 1e30))
      throw error({.layer = g[n].name,
                   .reason = text("pixels of mean ", mean, " and scale ", scale),
                   .remedy = "means up to 32000 and scales other than 0 can be represented"});
    const double rounded = std::round(mean);
    result.pixels.mean[c] = round16(rounded);
    result.offset.push_back((rounded - mean) * scale);
    result.gain.push_back(scale);
    reach = std::max({reach, std::fabs(rounded), std::fabs(255 - rounded)});
    top = std::max(top, std::fabs(scale));
  }
  result.pixels.cvt = nearest_converter(std::max(levels / reach, top / wanted));
  result.scale = top / ratio_of(result.pixels.cvt);
  for (double& gain : result.gain) gain /= top;
  return result;
}

template <>
struct rule<net::input> : usual_rule {
  static constexpr bool keeps_whole_range = true;
  static bool requantises(const net::input&, const reading&) { return false; }

  static void run(const net::input& op, auto& to) {
    const auto& pixels = to.how().pixels;
    auto p = pixels && !to.real() && to.is_read_in(to.precision())
                 ? as_pixels(to.from(), to.node(), *pixels, to.scale(), to.top())
                 : std::nullopt;
    quantised::input input{.shape = op.shape};
    if (p) {
      input.pixels = p->pixels;
      to.put({to.emit(to.name(), std::move(input), {}, p->scale, op.shape), p->scale,
              std::move(p->gain), std::move(p->offset)});
    } else to.put(std::move(input));
    to.integers()[to.placed().node].in_file = to.from()[to.node()].in_file;
  }
};

template <>
struct rule<net::constant> : usual_rule {
  static constexpr bool keeps_whole_range = true;
  static std::optional<double> inherent_scale(const net::constant& op) {
    const double range = largest_of(op.value.values);
    return range == 0 ? 1 : range / 127;
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

// Clippings of an input within whose bounds all pixels lie, or within one of the 255 steps of an
// 8-bit range beyond them, become identities: quantised models saturate their inputs, which would
// keep the first convolution from reading the pixels.
template <class Graph>
void drop_idle_clips(Graph& g, const net::preprocessing& how) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::size_t channels = std::max(how.mean.size(), how.scale.size());
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = how.mean.at(how.mean.size() == 1 ? 0 : std::min(c, how.mean.size() - 1));
    const double scale =
        how.scale.at(how.scale.size() == 1 ? 0 : std::min(c, how.scale.size() - 1));
    const double ends[] = {-mean * scale, (255 - mean) * scale};
    low = std::min({low, ends[0], ends[1]});
    high = std::max({high, ends[0], ends[1]});
  }
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    if (!std::holds_alternative<net::input>(g[n].op)) continue;
    for (const auto r : g.consumers(n)) {
      const auto* clip = std::get_if<net::clip>(&g[r].op);
      if (clip == nullptr) continue;
      const double range = double{clip->high} - double{clip->low};
      const double step = std::isfinite(range) ? 1.001 * range / 255 : 0;
      if (low >= double{clip->low} - step && high <= double{clip->high} + step)
        g[r].op = net::identity{};
    }
  }
}

}  // namespace nvdlac::quant
