// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators between depth and space, and those that resize pictures.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/net/bilinear.hpp>

namespace nvdlac::import::onnx_format {

// The dimensions [1, c, h, w] and a block size, whose square (or the block itself) divides them.
struct blocks {
  std::int64_t c, h, w, size;
};
blocks blocks_of(const context& c);

inline std::vector<value> on_depth_to_space(const context& c) {
  const auto [depth, h, w, b] = blocks_of(c);
  const auto mode = c.n.string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw error("mode '" + mode + "' is not understood");
  if (depth % (b * b) != 0)
    throw error(text("blocks of ", b, " do not divide ", depth, " channels"));
  const std::int64_t channels = depth / (b * b);
  movement m = mode == "DCR" ? transpose({1, b, b, channels, h, w}, {0, 3, 4, 1, 5, 2}, c.ceiling)
                             : transpose({1, channels, b, b, h, w}, {0, 1, 4, 2, 5, 3}, c.ceiling);
  m.shape = {1, channels, h * b, w * b};
  return {move_input(c, m)};
}

std::vector<value> on_space_to_depth(const context& c);

// How Resize computes.
struct resizing {
  // Whether sizes that are given scale all axes alike, by the smallest or by the largest.
  enum class ratio : std::uint8_t { any, not_larger, not_smaller };

  std::string mode, coordinates, nearest;
  interpolator between{};
  ratio keeps_ratio = ratio::any;
};

// Where output i is in the coordinates of the input.
double coordinate(const resizing& how, std::int64_t i, std::int64_t in, std::int64_t out,
                  double scale);
std::int64_t nearest_to(const resizing& how, double x);

// One layer's steps with the outermost ones repeated.
dims with_border(const dims& steps, std::int32_t times);

// The alignment if a transposed convolution can do it: linear, over height and width, by whole
// factors; nothing otherwise.
std::optional<net::alignment> whole_factors(const resizing& how, const dims& d, const dims& out,
                                            const std::vector<double>& scales);

// Whether a smaller picture is a sum of elements around each of its own, all with the same weights:
// with antialias, by whole factors.
bool shrinks_evenly(const resizing& how, const dims& d, const dims& out,
                    const std::vector<double>& scales);
// That picture, by a convolution of each channel.
value shrunk(const context& c, const resizing& how, const dims& out,
             const std::vector<double>& scales);

std::vector<value> interpolated(const context& c, const resizing& how, const dims& out,
                                const std::vector<double>& scales);

std::vector<value> resized(const context& c, const resizing& how, const dims& out,
                           const std::vector<double>& scales);

// Resizes some axes: finds the scale of every axis and the size of the result.
std::vector<value> resize(const context& c, const resizing& how,
                          const std::optional<std::vector<float>>& given_scales,
                          std::optional<dims> given_sizes, const dims& axes);

std::vector<value> on_resize(const context& c);

std::vector<value> on_upsample(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/rearranging.ipp>
#endif
