// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the dimensions of an array file become inputs of a network.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

// How an array file of `dims` is divided into inputs of a network.
struct division {
  std::size_t count = 0;  // how many inputs
  bool interleaved = false;  // hwc instead of chw
  bool as_in_file = false;   // as the network's file has it, whatever that is
  bool operator==(const division&) const = default;
};

// Takes (n, c, h, w), (n, h, w, c), (n, h, w) for one channel and (n, c*h*w), each also without n.
// Where the network's file tells its shape, arrays of that shape or of none are in its order,
// unless the user names another.
division divide(const std::vector<std::size_t>& dims, const net::shape& want, array_layout layout,
                const std::string& file, const net::file_tensor* in_file = nullptr);

// A copy of one input of (h, w, c) as (c, h, w), or the other way round.
template <class T>
std::vector<T> to_chw(const T* from, const net::shape& shape) {
  std::vector<T> to(shape.size());
  const auto channels = static_cast<std::size_t>(shape.c), plane = to.size() / channels;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i % channels * plane + i / channels] = from[i];
  return to;
}

template <class T>
std::vector<T> to_hwc(const T* from, const net::shape& shape) {
  std::vector<T> to(shape.size());
  const auto channels = static_cast<std::size_t>(shape.c), plane = to.size() / channels;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[i % channels * plane + i / channels];
  return to;
}

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/array_layouts.ipp>
#endif
