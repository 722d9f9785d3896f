// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of a custom operator: a FlexBuffer, which names its values.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>

namespace nvdlac::import::tflite_format {

// The numbers among them, of whatever type.
struct option_values {
  using value = double;

  static hub::plain_value plain(double v);
  static std::string call(std::string_view name);
  static std::string shown(double v) { return text(v); }
};

// A word that begins with an underscore is the converter's own, which tells nothing of the
// operator.
class custom_options : public hub::asked_attributes<option_values> {
 public:
  // Throws `error` where the bytes are no FlexBuffer that holds a map of numbers.
  explicit custom_options(std::span<const std::uint8_t> bytes);

  // A whole number of 32 bits; without another one it must be there.
  std::int32_t integer(std::string_view name, std::optional<std::int32_t> otherwise = {}) const;
};

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/custom_options.ipp>
#endif
