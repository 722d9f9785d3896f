// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators without input: the network's inputs, with the way from pictures to them, and constants.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The picture (or other cube) that the user gives, after preprocessing.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  static constexpr void fields(auto&& field) { field("shape", &input::shape); }

  constexpr fitting fit(std::span<const net::shape>) const { return fit_shape(shape); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
};
static_assert(operation<input>);

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  float_tensor value{};
  static constexpr void fields(auto&& field) { field("value", &constant::value); }

  constexpr fitting fit(std::span<const shape>) const { return fit_shape(value.shape); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const>) const;
};
static_assert(operation<constant>);

// The channels of a network's input; grey: colours are weighed 299 : 587 : 114.
enum class channel_order : std::uint8_t { rgb, bgr, grey };

constexpr std::string_view to_string(channel_order order) {
  return order == channel_order::rgb ? "rgb" : order == channel_order::bgr ? "bgr" : "grey";
}

// How a picture of another size becomes one of the network's. `stretch` changes its proportions;
// `fit` shows all of it, with grey (127) beside it; `fill` and `shorter` cut what is too much from
// both ends alike, `shorter` of a picture whose shorter side has a given length.
enum class resizing : std::uint8_t { none, stretch, fit, fill, shorter };

constexpr std::string_view to_string(resizing how) {
  constexpr std::string_view names[]{"none", "stretch", "fit", "fill", "short"};
  return names[static_cast<std::size_t>(how)];
}

struct picture_size {
  resizing resize = resizing::none;
  std::int32_t side = 0;  // pixels of both sides, or of the shorter one; 0: those of the network
  std::int32_t crop = 0;  // then so many pixels of both, from the middle; 0: those of the network

  constexpr bool given() const { return resize != resizing::none || crop != 0; }
  constexpr bool operator==(const picture_size&) const = default;
};

// "short:256"
std::string resize_text(const picture_size& s);

// From pixels to what the network was trained on: value[c] = (pixel[c] - mean[c]) * scale[c].
// `mean` and `scale` hold one number for all channels or one for each, in the order in which the
// network takes the channels. (x / 255 - m) / s is mean 255 m and scale 1 / (255 s).
struct preprocessing {
  std::vector<double> mean{0}, scale{1};
  channel_order order = channel_order::rgb;
  picture_size size{};  // before that

  bool operator==(const preprocessing&) const = default;
};

// "mean 0, scale 0.00390625, order rgb, resize short:256, crop 224"
std::string describe(const preprocessing& p);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/input.ipp>
#endif
