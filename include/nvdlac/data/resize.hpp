// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures of any size as those of a network, in integers, so that they are the same everywhere.
// stb_image_resize, which comes with stb_image.h, ends the program by an assertion where this
// filter makes pictures a little smaller, such as 500 to 375 pixels.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

namespace detail {

// Makes `to` of `from` elements along one dimension of an array, which has `outer` blocks of them,
// each of `inner` bytes. The weight of an element falls as a triangle with its distance from the
// middle of the new one, and ends one step of the coarser of both away: between elements it
// interpolates, and what is made smaller is averaged. Beyond the ends there is nothing. Distances
// are counted in halves of 1 / (from * to), in which all are whole numbers.
std::vector<std::uint8_t> scaled_along(const std::vector<std::uint8_t>& values, std::size_t outer,
                                       std::size_t from, std::size_t to, std::size_t inner);

// First its rows, then its columns, as Pillow's BILINEAR does it, which the recipes of the usual
// classifiers mean.
picture scaled(const picture& p, std::size_t height, std::size_t width, const std::string& file,
               std::uint64_t most_samples);

// Copies a part of `from`, which begins at (y, x), over the part of `to` that begins at (v, u).
void copy_pixels(const picture& from, std::size_t y, std::size_t x, picture& to, std::size_t v,
                 std::size_t u, std::size_t height, std::size_t width);

// From which end one more row or column is cut where the rest is odd.
enum class odd_rest : std::uint8_t {
  at_end,   // the bottom, the right
  to_even,  // so that the part begins at an even place, as torchvision's CenterCrop rounds it
};

// The middle of a picture that has at least so many pixels.
picture middle(const picture& p, std::size_t height, std::size_t width,
               odd_rest odd = odd_rest::at_end);

// In the middle of a grey one of this size.
picture framed(const picture& p, std::size_t height, std::size_t width);

// With its proportions, the largest that fits (or, to cover, the smallest that fills) this size;
// the other side is rounded down.
picture scaled_evenly(const picture& p, std::size_t height, std::size_t width, bool to_cover,
                      const std::string& file, std::uint64_t most_samples);

picture scaled_as(const picture& p, const net::picture_size& s, std::size_t height,
                  std::size_t width, const std::string& file, std::uint64_t most_samples);

}  // namespace detail

// The picture with the size that the network takes: resized, then cut. `file` is for messages.
// Throws nvdlac::error if what is left to cut from is too small; where `s` does not lead to that
// size, the result has another one, which `arrange` refuses.
picture resized(const picture& p, const net::shape& want, const net::picture_size& s,
                const std::string& file, std::uint64_t most_samples);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/resize.ipp>
#endif
