// SPDX-License-Identifier: Apache-2.0
#pragma once
// Detections of a single-shot detector, as Caffe's SSD defines them (detection_output_layer.cpp and
// bbox_util.cpp of its fork): boxes that a network tells relative to prior ones, the overlapping
// ones of each class suppressed.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// How a network tells a box; the numbers are Caffe's.
enum class box_code : std::uint8_t { corners = 1, centre_and_size = 2, corners_by_size = 3 };

// Corners in parts of the picture's width and height.
struct box_corners {
  float left = 0, top = 0, right = 0, bottom = 0;
};

// The intersection of two boxes over their union; 0 for boxes with no area.
float overlap_of(const box_corners& a, const box_corners& b);

// Finds the detections. Inputs are what the network tells of the boxes, for each prior box the
// four numbers of `code` (unless `shared`, for each class of it), and a score for each class of
// each prior box; both in the dense order of these, whatever their shapes.
struct ssd_detections {
  static constexpr net::arity inputs{2, 2};

  std::vector<float> priors{};     // left, top, right, bottom of each
  std::vector<float> variances{};  // factors of the four numbers for each prior; empty: none
  std::int32_t classes = 2;
  std::int32_t background = 0;  // a class that is no detection; -1: none
  std::int32_t candidates = -1;  // of one class that are looked at; -1: all
  std::int32_t kept = 1;         // of all classes: the rows of the result
  box_code code = box_code::corners;
  bool shared = true;
  bool clipped = false;          // boxes, to the picture
  float least_score = 0;         // a detection has more
  float most_overlap = 0.3F;     // with a better one of its class
  float eta = 1;                 // factor of most_overlap behind each kept one, while over 1/2
  static constexpr void fields(auto&& field) {
    field("priors", &ssd_detections::priors);
    field("variances", &ssd_detections::variances);
    field("classes", &ssd_detections::classes);
    field("background", &ssd_detections::background);
    field("candidates", &ssd_detections::candidates);
    field("kept", &ssd_detections::kept);
    field("code", &ssd_detections::code);
    field("shared", &ssd_detections::shared);
    field("clipped", &ssd_detections::clipped);
    field("least_score", &ssd_detections::least_score);
    field("most_overlap", &ssd_detections::most_overlap);
    field("eta", &ssd_detections::eta);
  }

  struct detection {
    std::int32_t label = 0;
    float score = 0;
    box_corners box{};
  };
  // At most `kept`, by classes, in each by scores.
  std::vector<detection> found(std::span<const net::float_tensor* const> in) const;

 protected:
  // A row of so many numbers for each detection. Throws `error` where inputs and priors do not fit.
  net::shape rows(std::span<const net::shape> in, std::int32_t numbers) const;

 private:
  box_corners decoded(std::size_t prior, const float* encoded) const;
  std::vector<std::size_t> kept_of_class(std::span<const float> scores, std::int32_t c,
                                         std::span<const box_corners> boxes) const;
};

// The rows of detections are given by three layers, so that each tensor has numbers of one kind.
// Rows behind the last detection are 0: of picture 0, and of no score.

// The number of the picture, which is 0, and the class.
struct ssd_labels : ssd_detections {
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 2); }
  std::int64_t counts_to(std::span<const net::shape>) const { return classes - 1; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<ssd_labels>);

struct ssd_scores : ssd_detections {
  static constexpr bool wants_16_bits = true;
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 1); }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<ssd_scores>);

// Left, top, right, bottom.
struct ssd_boxes : ssd_detections {
  static constexpr bool wants_16_bits = true;
  net::shape infer(std::span<const net::shape> in) const { return rows(in, 4); }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<ssd_boxes>);

using detection_operators = type_list<ssd_labels, ssd_scores, ssd_boxes>;

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/detection.ipp>
#endif
