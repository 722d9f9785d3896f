// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The boxes of each class that no better one of it overlaps, as ONNX's NonMaxSuppression selects
// them. Inputs are the boxes [boxes][4] and the scores [classes][boxes], in the dense order of
// these, whatever their shapes.
//
// Rows of picture (which is 0), class and box, by classes, in each by scores. How many there are
// depends on the values, how many rows does not: those behind the last selected box are -1.
struct non_max_suppression {
  static constexpr net::arity inputs{2, 2};

  std::int32_t most = 1;  // boxes of one class
  bool by_centre = false;  // x, y, width, height of a box, in place of y, x, y, x of two corners
  float least_score = std::numeric_limits<float>::lowest();  // a selected box has more
  float most_overlap = 0;  // with a better one of its class
  static constexpr void fields(auto&& field) {
    field("most", &non_max_suppression::most);
    field("by_centre", &non_max_suppression::by_centre);
    field("least_score", &non_max_suppression::least_score);
    field("most_overlap", &non_max_suppression::most_overlap);
  }

  net::shape infer(std::span<const net::shape> in) const;
  std::uint64_t operations(std::span<const net::shape> in) const;
  std::int64_t counts_to(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;

 private:
  // Their numbers, the best first.
  std::vector<std::size_t> selected(std::span<const float> boxes,
                                    std::span<const float> scores) const;
};
static_assert(net::operation<non_max_suppression>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/non_max_suppression.ipp>
#endif
