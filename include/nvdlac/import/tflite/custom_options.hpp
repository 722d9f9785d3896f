// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of a custom operator: a FlexBuffer, which names its values.
#include <cstdint>
#include <span>
#include <string_view>

#include <nvdlac/import/hub/asked_attributes.hpp>

namespace nvdlac::import::tflite_format {

// The numbers among them. A word that begins with an underscore is the converter's own, which tells
// nothing of the operator.
class custom_options {
 public:
  // Throws `error` where the bytes are no FlexBuffer that holds a map of numbers.
  explicit custom_options(std::span<const std::uint8_t> bytes);

  // Throws `error` where the option is missing, or not of its kind.
  float number(std::string_view name) const;
  std::int32_t integer(std::string_view name) const;
  // Options that may be missing.
  std::int32_t integer(std::string_view name, std::int32_t otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;

  // Throws `error` where an option was not asked for.
  void require_all_asked() const;

 private:
  hub::asked_attributes<double> values_;
};

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/custom_options.ipp>
#endif
