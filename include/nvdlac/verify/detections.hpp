// SPDX-License-Identifier: Apache-2.0
#pragma once
// Outputs that are detections. They are sets: which of two equal scores comes first says nothing,
// and one row more or less moves all behind it.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/verify/detection_counts.hpp>

namespace nvdlac::verification {

// One detection of an output.
struct detection {
  std::size_t row = 0;
  float label = 0, score = 0;
  host::box_corners box{};
};

// Pairs of detections, by their places in two lists: each of the first list, the best first, with
// that of its class in the second whose box overlaps its own most, by half of their union at least.
std::vector<std::pair<std::size_t, std::size_t>> paired(const std::vector<detection>& a,
                                                        const std::vector<detection>& b);

// Outputs of a network that are one set of detections.
struct detection_set {
  enum class form : std::uint8_t {
    whole,     // one output: picture, class, score, left, top, right, bottom
    apart,     // three outputs: top, left, bottom, right; class; score
    selected,  // one output: picture, class, number of the box
  };
  form of{};
  std::vector<std::size_t> outputs{};  // of the file, by number
  // The node that computes all boxes of which some are selected, and whether by centre and size.
  std::optional<quantised::graph::id> boxes{};
  bool by_centre = false;

  // The detections in these outputs. `all_boxes`: of selected ones.
  std::vector<detection> read(const std::vector<data::array>& from,
                              const std::vector<float>& all_boxes = {}) const;
  // Brings the rows of a program's outputs beside those of the float network that they are paired
  // with. Rows that nothing is paired with stand where the float network has none, as far as there
  // are such.
  detection_counts align(const std::vector<data::array>& reference, std::vector<data::array>& found,
                         const std::vector<float>& all_boxes = {}) const;
};

// The sets among the outputs of the file, which the host's layers compute.
std::vector<detection_set> detection_sets_of(const quantised::graph& integers,
                                             const std::vector<net::file_output>& outputs);

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/detections.ipp>
#endif
