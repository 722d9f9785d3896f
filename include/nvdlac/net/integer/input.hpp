// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// Pixels (unsigned bytes, 1, 3 or 4 a pixel in the order of the network's channels) that CDMA's
// input converter turns into int8: saturate<8>(cvt(p - mean[c])); cvt.offset is 0.
struct pixels {
  std::array<std::int16_t, 4> mean{};
  converter cvt{};

  constexpr bool operator==(const pixels&) const = default;
  constexpr std::int8_t operator()(std::uint8_t p, std::size_t channel) const {
    return static_cast<std::int8_t>(saturate<8>(cvt(std::int64_t{p} - mean[channel])));
  }
};

// What the user gives to one input: int8 values, or a picture's bytes [height][width][channel].
using feed = std::variant<int8_tensor, std::vector<std::uint8_t>>;

// Without `pixels` the host gives int8 values.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  std::optional<integer::pixels> pixels{};

  constexpr fitting fit(std::span<const net::shape>) const {
    const std::int32_t c = shape.c;
    if (pixels && c != 1 && c != 3 && c != 4)
      return {rule::picture_of_other_than_1_3_or_4_channels, {c}};
    return fit_shape(shape);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  // Throws if the feed is of the other kind or of another size.
  int8_tensor evaluate(const feed& given) const {
    int8_tensor y{infer({})};
    if (const auto* values = std::get_if<int8_tensor>(&given)) {
      if (pixels) throw error("the input is a picture of bytes but int8 values are given");
      if (values->shape != shape || values->values.size() != shape.size())
        throw error(text("the input is ", shape, " but the given tensor is ", values->shape,
                         " with ", values->values.size(), " values"));
      return *values;
    }
    const auto& bytes = std::get<std::vector<std::uint8_t>>(given);
    if (!pixels) throw error("the input is int8 values but a picture of bytes is given");
    if (bytes.size() != shape.size())
      throw error(text("the input is a picture of ", shape.size(), " bytes but ", bytes.size(),
                       " are given"));
    const auto channels = static_cast<std::size_t>(shape.c);
    const std::size_t area = bytes.size() / channels;
    for (std::size_t p = 0; p < area; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = (*pixels)(bytes[p * channels + c], c);
    return y;
  }
};
static_assert(operation<input>);

}  // namespace nvdlac::net::integer
