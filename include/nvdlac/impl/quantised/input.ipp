// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL feed feed_of(net::any_tensor values) {
  return nvdlac::visit([](auto& typed) { return feed(std::move(typed)); }, values);
}

NVDLAC_IMPL std::vector<std::uint8_t> pixels_of(const net::float_tensor& t,
                                                const net::preprocessing& how) {
  std::vector<std::uint8_t> pixels(t.values.size());
  const auto channels = static_cast<std::size_t>(t.shape.c), area = pixels.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto mean = how.mean[how.mean.size() == 1 ? 0 : c],
               scale = how.scale[how.scale.size() == 1 ? 0 : c];
    for (std::size_t i = 0; i < area; ++i)
      pixels[i * channels + c] = static_cast<std::uint8_t>(std::clamp(
          std::round(static_cast<double>(t.values[c * area + i]) / scale + mean), 0.0, 255.0));
  }
  return pixels;
}

NVDLAC_IMPL net::any_tensor input::taken(const std::vector<std::uint8_t>& bytes,
                                         hw::precision p) const {
  if (!pixels) throw error("the input is values but a picture of bytes is given");
  if (p == hw::precision::int8) return converted<std::int8_t>(bytes);
  if (p == hw::precision::int16) return converted<std::int16_t>(bytes);
  throw error("pixels become int8 or int16");
}

NVDLAC_IMPL void constant::check(std::span<const net::shape>, diagnostics& found,
                                 const std::string& layer) const {
  const auto n = net::product({shape.c, shape.h, shape.w});
  if (wide_values.empty()) check_values(values, n, "value", found, layer);
  else check_values(wide_values, n, "value", found, layer);
}

}  // namespace nvdlac::quantised
