// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/quant/elementwise.hpp>

// An operator of one's own that a graph holds as it is: red, green and blue in other strengths.
struct tint {
  static constexpr nvdlac::net::arity inputs{1, 1};
  static constexpr std::string_view onnx = "my.company:Tint";  // its domain and type in files

  std::array<double, 3> gain{1, 1, 1};
  // Names the fields by which it is printed and read: `gain` is an attribute in files.
  static constexpr void fields(auto&& field) { field("gain", &tint::gain); }

  // The shape rule.
  constexpr nvdlac::net::shape infer(std::span<const nvdlac::net::shape> in) const {
    if (in[0].c != 3) throw nvdlac::error("a tint is of three channels");
    return in[0];
  }
  // The float reference, which calibration runs.
  nvdlac::net::float_tensor evaluate(std::span<const nvdlac::net::float_tensor* const> in) const {
    auto y = *in[0];
    const std::size_t area = y.values.size() / 3;
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = static_cast<float>(gain[i / area] * static_cast<double>(y.values[i]));
    return y;
  }
};

// Every NVDLA runs it: SDP has a multiplier for each channel.
template <class Hw>
struct nvdlac::lower::support<tint, Hw> : nvdlac::lower::always_supported<Hw> {};

// The computation of NVDLA for it, in all precisions.
template <>
struct nvdlac::quant::rule<tint> : nvdlac::quant::usual_rule {
  static void run(const tint& op, auto& to) { put_scale(to, op.gain); }
};
