// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far the values of a tensor reach from 0, whatever the precision that it is computed in.
#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// A range as its source tells it: a calibration, and a file with minimum and maximum, know the
// largest magnitude; a quantised model knows how large a step of int8 is, 127 of which reach as
// far. Either is kept as it was told, so that a table that is written and read again gives the
// same steps to the last bit.
class value_range {
 public:
  constexpr value_range() = default;
  // As scales of int8 are written: `step` is what one of 127 steps is worth.
  constexpr value_range(double step) : told_(step) {}  // NOLINT(google-explicit-constructor)
  // Values from -largest to largest.
  static constexpr value_range up_to(double largest) { return {largest, false}; }

  constexpr double largest() const { return in_steps_ ? steps * told_ : told_; }
  // The size of a step if so many of them reach as far: 127 in int8.
  constexpr double step(double levels = steps) const {
    return in_steps_ && levels == steps ? told_ : largest() / levels;
  }
  // Whether a step of int8 was told, and not the largest magnitude.
  constexpr bool in_steps() const { return in_steps_; }

  constexpr value_range times(double factor) const { return {told_ * factor, in_steps_}; }
  constexpr value_range over(double factor) const { return {told_ / factor, in_steps_}; }
  constexpr bool operator==(const value_range&) const = default;

 private:
  static constexpr double steps = 127;
  constexpr value_range(double told, bool in_steps) : told_(told), in_steps_(in_steps) {}

  double told_ = 1;
  bool in_steps_ = true;
};

}  // namespace nvdlac::quant
