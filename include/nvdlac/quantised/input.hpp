// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators without an input.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// Pixels (unsigned bytes, 1, 3 or 4 a pixel in the order of the network's channels) that CDMA's
// input converter turns into int8, saturate<8>(cvt(p - mean[c])), or int16; cvt.offset is 0.
struct pixels {
  std::array<std::int16_t, 4> mean{};
  converter cvt{};
  static constexpr void fields(auto&& field) {
    field("mean", &pixels::mean);
    field("cvt", &pixels::cvt);
  }

  constexpr bool operator==(const pixels&) const = default;
  template <class T = std::int8_t>
  constexpr T operator()(std::uint8_t p, std::size_t channel) const {
    return static_cast<T>(saturate<8 * sizeof(T)>(cvt(std::int64_t{p} - mean[channel])));
  }
};

// The user's data for one input: values, or a picture's bytes [height][width][channel].
using feed =
    std::variant<net::int8_tensor, std::vector<std::uint8_t>, net::int16_tensor, net::fp16_tensor>;

feed feed_of(net::any_tensor values);

// The picture whose pixels became these values, each channel by its mean and scale: the nearest
// bytes.
std::vector<std::uint8_t> pixels_of(const net::float_tensor& values, const net::preprocessing& how);

// Without `pixels` the host gives values of the tensor's precision.
struct input {
  static constexpr net::arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  std::optional<quantised::pixels> pixels{};
  static constexpr void fields(auto&& field) {
    field("shape", &input::shape);
    field("pixels", &input::pixels);
  }

  constexpr net::fitting fit(std::span<const net::shape>) const {
    const std::int32_t c = shape.c;
    if (pixels && c != 1 && c != 3 && c != 4)
      return {net::rule::picture_of_other_than_1_3_or_4_channels, {c}};
    return fit_shape(shape);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  // Throws if the feed is of the other kind or of another size.
  net::any_tensor evaluate(const feed& given, hw::precision p = hw::precision::int8) const {
    return nvdlac::visit([&](const auto& value) { return taken(value, p); }, given);
  }

 private:
  template <class T>
  net::any_tensor taken(const net::tensor<T>& values, hw::precision p) const {
    if (pixels) throw error("the input is a picture of bytes but values are given");
    if (net::any_tensor(values).index() != static_cast<std::size_t>(p))
      throw error("the input's values are of another data type than those that are given");
    if (values.shape != infer({}) || values.values.size() != shape.size())
      throw error(text("the input is ", shape, " but the given tensor is ", values.shape, " with ",
                       values.values.size(), " values"));
    return values;
  }
  net::any_tensor taken(const std::vector<std::uint8_t>& bytes, hw::precision p) const;
  template <class T>
  net::tensor<T> converted(const std::vector<std::uint8_t>& bytes) const {
    net::tensor<T> y{infer({})};
    if (bytes.size() != shape.size())
      throw error(text("the input is a picture of ", shape.size(), " bytes but ", bytes.size(),
                       " are given"));
    const auto channels = static_cast<std::size_t>(shape.c);
    const std::size_t area = bytes.size() / channels;
    for (std::size_t at = 0; at < area; ++at)
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + at] = pixels->template operator()<T>(bytes[at * channels + c], c);
    return y;
  }
};
static_assert(net::operation<input>);

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr net::arity inputs{0, 0};

  net::shape shape{};
  net::constants<std::int8_t> values{};        // in dense c-h-w order
  net::constants<std::int16_t> wide_values{};  // int16 or bits of fp16, instead of them
  static constexpr void fields(auto&& field) {
    field("shape", &constant::shape);
    field("values", &constant::values, kept_apart);
    field("wide_values", &constant::wide_values, kept_apart);
  }

  constexpr net::fitting fit(std::span<const net::shape>) const { return fit_shape(shape); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const;
  constexpr net::fitting fit_constants(std::span<const net::shape>) const {
    const auto n = net::product({shape.c, shape.h, shape.w});
    return net::all_of({fit_shape(shape), wide_values.empty()
                                              ? fit_values(values, n, "constant")
                                              : fit_values(wide_values, n, "constant")});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const>) const {
    fit_constants({}).value();
    require_known(values, "constant");
    require_known(wide_values, "constant");
    if (wide_values.empty() != (sizeof(T) == 1))
      throw error("a constant has values of another precision than its tensor");
    net::tensor<T> y{shape};
    for (std::size_t i = 0; i < y.values.size(); ++i)
      if constexpr (sizeof(T) == 1) y.values[i] = values[i];
      else y.values[i] = std::bit_cast<T>(wide_values[i]);
    return y;
  }
};
static_assert(net::operation<constant>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/input.ipp>
#endif
