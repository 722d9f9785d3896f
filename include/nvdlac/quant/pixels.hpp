// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/net/large_window.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/quant/ratio.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

// An input of pixels in integers. Real value = gain[c] * scale * integer + offset[c].
struct pixel_input {
  net::integer::pixels pixels{};
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
    if (conv ? conv->groups == 1 && conv->window.dilation_h == 1 &&
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

}  // namespace nvdlac::quant
