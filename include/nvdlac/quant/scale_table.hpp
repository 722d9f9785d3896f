// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/quant/value_range.hpp>

namespace nvdlac::quant {

// Tensors that reach below 0 at most so far, as a part of what they reach above, or above as a part
// of what they reach below, can have an offset of their own: it is worth 1.2 dB and more.
inline constexpr double furthest_below = 0.75;

// A step of int8 of a tensor whose largest magnitude is `range`, and the reverse.
constexpr double scale_of_range(double range) { return value_range::up_to(range).step(); }
constexpr double range_of_scale(double scale) { return value_range(scale).largest(); }

// How many times as far as the calibrated range numbers of 16 bits reach: they have enough, and
// inputs may reach further than the samples.
inline constexpr double beyond_calibration = 4;

// The range of each layer's output tensor, in the order of the network; what a step is worth
// follows from it where the precision is known. A calibration adds the mean of each channel of the
// tensors that layers with weights read, the lowest value of those that reach below 0 less far than
// above, the highest of those that reach above 0 less far than below, and how far each channel of
// an input or an output reaches where they differ. `prepare` adds how far sums in int8 are from
// those in float.
struct scale_table {
  struct entry {
    std::string layer{};
    value_range range{};
    std::vector<double> means{};  // real; empty: unknown
    std::optional<double> low{};  // real, below 0; none: as far as the range
    // Likewise the highest, above 0, of those that reach above 0 less far than below.
    std::optional<double> high{};
    // The largest magnitude in each channel of an input or an output whose channels differ, and of
    // what filters give with steps of each channel's own; empty: they do not.
    std::vector<double> reach{};
    // The average excess of the sums of filters in int8 over those in float, by kernel, real, which
    // their biases take back; empty: nothing is known.
    std::vector<double> drift{};
    // Whether samples tell the range, which others may exceed; one that is given stays as it is.
    bool measured = false;

    bool operator==(const entry&) const = default;
    // Keeps the lowest or the highest value if an offset is worth it. They are at most and at least
    // 0; where none is above 0 there is a step for what may be.
    void note_ends(double lowest, double highest) {
      const double reaches = range.largest(), far = furthest_below * reaches;
      if (lowest < 0 && -lowest <= far) low = lowest;
      else if (-lowest > far && highest <= far) high = std::max(highest, reaches / 256);
    }
  };

  std::string method{};  // of the calibration; for the reader only
  std::vector<entry> entries{};
  std::string file{};  // that it was read from, for messages
  // Whether channels were brought to one range before: its scales are of no other network.
  bool equalised = false;

  bool operator==(const scale_table&) const = default;

  // The size of a step of int8.
  std::optional<double> find(const std::string& layer) const;
};

constexpr bool representable_scale(double s) { return s > 0 && s <= 1e300 && s >= 1e-300; }

// The problem of a layer that needs a scale and that a table, which may be a quantised model's own,
// does not list.
problem not_listed(const scale_table& table, const std::string& layer);

// Collects what cannot be a scale or a mean, and layers that are listed twice.
void check(const scale_table& table, diagnostics& found);

// A tensor by the name that the network's file has for it, and the layer that gives its elements.
struct named_tensor {
  std::string tensor{}, layer{};

  bool operator==(const named_tensor&) const = default;
};

// A tensor that the network's file quantises itself, by the layer that gives it, and to how many
// bits.
struct quantised_tensor {
  std::string layer{};
  int bits = 8;

  bool operator==(const quantised_tensor&) const = default;
};

// How SDP shifts the sums of convolutions that shall be one, which have these shifts in common: it
// has no others for single kernels.
struct shared_shifts {
  std::uint8_t bias = 0;   // at least
  std::uint8_t sums = 63;  // at most
};
// By the layers' names.
using shifts_of_layers = std::map<std::string, shared_shifts>;

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/scale_table.ipp>
#endif
