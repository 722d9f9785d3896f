// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements at computed places, as ONNX's Gather, GatherND and GatherElements take them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// Inputs are the data and the places, in the dense order of these, whatever their shapes. A place
// below 0 counts from the end, unless `absent`: then it is none, as those behind the last box that
// a suppression selects, and gives 0.
struct computed_places {
  bool absent = false;

 protected:
  // The place on an axis of this size; -1: none. One beyond the axis is an `error`.
  std::int64_t on_axis(float index, std::int32_t size) const;
};

// Whole blocks of the data [outer][sizes..][block]: a place is one number for each of `sizes`.
struct gather : computed_places {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::size_t moved_inputs = 1;

  std::vector<std::int32_t> sizes{1};
  std::int32_t outer = 1, block = 1;
  bool own_places = false;  // of each of `outer`; else all have the same
  net::shape target{1, 1, 1};
  static constexpr void fields(auto&& field) {
    field("absent", &gather::absent);
    field("sizes", &gather::sizes);
    field("outer", &gather::outer);
    field("block", &gather::block);
    field("own_places", &gather::own_places);
    field("target", &gather::target);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<gather>);

// Single elements of the data [outer][size][inner], whose places are [outer][places][inner].
struct gather_elements : computed_places {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::size_t moved_inputs = 1;

  std::int32_t outer = 1, size = 1, inner = 1;
  static constexpr void fields(auto&& field) {
    field("absent", &gather_elements::absent);
    field("outer", &gather_elements::outer);
    field("size", &gather_elements::size);
    field("inner", &gather_elements::inner);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<gather_elements>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/gather.ipp>
#endif
