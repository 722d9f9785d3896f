// SPDX-License-Identifier: Apache-2.0
#pragma once
// Detections of a single-shot detector, as TensorFlow Lite's Detection_PostProcess defines them
// (detection_postprocess.cc): boxes that a network tells relative to anchors, the overlapping ones
// suppressed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// Finds the detections. Inputs are what the network tells of the boxes, four numbers or more for
// each anchor (centre and size; those behind are no part of the box), and a score for each class of
// each anchor, the background's before them or left out; both in the dense order of these, whatever
// their shapes.
struct post_process {
  static constexpr net::arity inputs{2, 2};

  std::vector<float> anchors{};             // y, x, height, width of each
  std::array<float, 4> scales{1, 1, 1, 1};  // what the four numbers of a box are divided by
  std::int32_t classes = 1;                 // without the background
  std::int32_t most = 1;                    // boxes that are kept
  std::int32_t classes_of_box = 1;          // rows for each of them
  // Whether boxes compete in each class apart, `most_of_class` of which are kept; a kept box is of
  // one class then. Else each competes by its best class, and has its best classes in its rows.
  bool by_class = false;
  std::int32_t most_of_class = 100;
  float least_score = 0;    // a detection has as much at least
  float most_overlap = 1;   // with a better one
  static constexpr void fields(auto&& field) {
    field("anchors", &post_process::anchors);
    field("scales", &post_process::scales);
    field("classes", &post_process::classes);
    field("most", &post_process::most);
    field("classes_of_box", &post_process::classes_of_box);
    field("by_class", &post_process::by_class);
    field("most_of_class", &post_process::most_of_class);
    field("least_score", &post_process::least_score);
    field("most_overlap", &post_process::most_overlap);
  }

  struct detection {
    std::int32_t label = 0;  // from 0 on, the background not counted
    float score = 0;
    box_corners box{};
  };
  // `most` times `classes_of_box` rows, the best first: those that nothing was found for are 0.
  struct detections {
    std::vector<detection> rows{};
    std::int32_t boxes = 0;
  };
  // Finds the detections. Of equal scores the first box wins, and the first class.
  detections found(std::span<const net::float_tensor* const> in) const;

  // Throws `error` where inputs and anchors do not fit.
  std::uint64_t operations(std::span<const net::shape> in) const;

 protected:
  // A row of so many numbers for each detection. Throws `error` where inputs and anchors do not
  // fit.
  net::shape rows(std::span<const net::shape> in, std::int32_t numbers) const;

 private:
  // The scores of all anchors, for each anchor those of its classes and the background's.
  struct scores_of_anchors {
    std::span<const float> all;
    std::size_t each, first;  // numbers of an anchor, and the place of its first class
    float at(std::size_t anchor, std::size_t label) const {
      return all[anchor * each + first + label];
    }
  };

  std::vector<box_corners> decoded(std::span<const float> encoded) const;
  std::vector<std::size_t> apart(std::span<const float> scores,
                                 std::span<const box_corners> boxes, std::int32_t kept) const;
  detections by_classes(const scores_of_anchors& scores, std::span<const box_corners> boxes) const;
  detections by_best_class(const scores_of_anchors& scores,
                           std::span<const box_corners> boxes) const;
};

// The rows are given by four layers, so that each tensor has numbers of one kind.

// Top, left, bottom, right.
struct post_processed_boxes : post_process {
  static constexpr bool wants_16_bits = true;
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 4); }
  // Boxes of twice the extent of the anchors, where the numbers of boxes reach so far.
  double bound(std::span<const double> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<post_processed_boxes>);

struct post_processed_classes : post_process {
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 1); }
  std::int64_t counts_to(std::span<const net::shape>) const { return classes - 1; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<post_processed_classes>);

struct post_processed_scores : post_process {
  static constexpr bool wants_16_bits = true;
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 1); }
  double bound(std::span<const double> in) const { return in[1]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<post_processed_scores>);

// How many boxes were kept, each of which has `classes_of_box` rows.
struct post_processed_count : post_process {
  net::shape infer(std::span<const net::shape> in) const {
    (void)rows(in, 1);
    return {1, 1, 1};
  }
  std::int64_t counts_to(std::span<const net::shape>) const { return most; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<post_processed_count>);

using post_process_operators = type_list<post_processed_boxes, post_processed_classes,
                                         post_processed_scores, post_processed_count>;

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/post_process.ipp>
#endif
