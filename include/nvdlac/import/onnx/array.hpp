// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::onnx_format {

using dims = std::vector<std::int64_t>;

std::string to_text(const dims& d);

// The most elements that a tensor may have, and that may be moved one by one: of constants fewer
// than of any network's tensor, since a small file can describe large ones.
struct element_ceiling {
  std::uint64_t elements = net::max_elements;
  std::uint64_t moved;
  std::string_view limit = "constants";  // that users raise

  // The ceiling of tensors of the network.
  explicit element_ceiling(const budget& limits) : moved(limits.moved) {}
};

// Small files can describe large constants: weights stay within the budget, all other constants
// within what a file of its size needs. What stands in other files counts as if it stood here.
class constant_elements {
 public:
  constant_elements(std::size_t bytes_of_file, const budget& limits)
      : limits_(limits), most_(limits.constants_of(bytes_of_file)) {}

  // Throws if the file holds more weights than the budget has.
  void take_weights(std::uint64_t n);
  void allow_for(std::uint64_t read) { most_ += 16 * read; }
  void count(std::uint64_t n, bool weight) { (weight ? weights_ : computed_) += n; }

  // The elements that one more constant may have.
  element_ceiling left_for(bool weight) const;

 private:
  budget limits_;
  std::uint64_t weights_ = 0, computed_ = 0, most_;
};

// The number of elements; throws for a negative dimension or more elements than any network has.
std::int64_t count(const dims& d);
// The number of elements; also throws for more of them than the ceiling has.
std::int64_t count(const dims& d, const element_ceiling& most);

// A tensor that is known: real numbers, or integers (of any width, or truth values).
struct array {
  dims shape{};
  bool real = true;
  std::vector<float> reals{};
  std::vector<std::int64_t> integers{};
  std::int64_t stored = 0;  // the TensorProto's data_type; 0 if it was computed
  std::shared_ptr<const std::string> scale_of{};  // what awaits it: see computed::awaits

  std::size_t size() const { return real ? reals.size() : integers.size(); }
  double number(std::size_t i) const {
    return real ? static_cast<double>(reals[i]) : static_cast<double>(integers[i]);
  }
  static array of_integers(dims shape, std::vector<std::int64_t> values) {
    return {.shape = std::move(shape), .real = false, .integers = std::move(values)};
  }
  static array of_reals(dims shape, std::vector<float> values) {
    return {.shape = std::move(shape), .reals = std::move(values)};
  }
};

std::string element_type(std::int64_t data_type);
inline bool is_real_type(std::int64_t t) { return t == 1 || t == 10 || t == 11 || t == 16; }

// The least and the largest number of a type of integers or truth values; those of 64 bits are
// kept as signed ones.
std::pair<std::int64_t, std::int64_t> range_of_type(std::int64_t t);

float from_half(std::uint16_t h);
float from_bfloat(std::uint16_t b);

// Integers of 4 bits, two in a byte: the first in its lower half.
inline bool is_of_4_bits(std::int64_t t) { return t == 21 || t == 22; }

// The error of a number that its type of integers does not have.
error out_of_type(std::string_view number, std::int64_t type);

// The bytes of so many elements of a type that is read.
std::uint64_t bytes_of(std::int64_t t, std::uint64_t elements);

namespace array_detail {

template <class Stored, class To, class Convert>
std::vector<To> unpack(std::string_view raw, Convert convert) {
  std::vector<To> result(raw.size() / sizeof(Stored));
  for (std::size_t i = 0; i < result.size(); ++i) {
    Stored s;  // little endian, as the machines this runs on are
    std::memcpy(&s, raw.data() + i * sizeof(Stored), sizeof(Stored));
    result[i] = convert(s);
  }
  return result;
}
template <class To, class From, class Convert>
std::vector<To> convert_all(const std::vector<From>& from, Convert convert) {
  std::vector<To> to(from.size());
  std::transform(from.begin(), from.end(), to.begin(), convert);
  return to;
}

}  // namespace array_detail

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/array.ipp>
#endif
