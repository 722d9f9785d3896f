// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>

namespace nvdlac::data::detail {

// The header is a Python dictionary with exactly these keys; NumPy writes it in one way only, and
// only that way is read.
struct npy_header {
  std::string type;
  std::vector<std::size_t> dims;
  bool fortran = false;
};

class npy_header_parser {
 public:
  npy_header_parser(std::string_view s, const std::string& file) : rest_(s), file_(file) {}

  npy_header parse();

 private:
  [[noreturn]] void bad() const { refuse(file_, "has a damaged NumPy header"); }
  void skip();
  bool accept(char c);
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string quoted();
  std::string_view word();
  std::vector<std::size_t> tuple();

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace nvdlac::data::detail

namespace nvdlac::data {

// The content of a NumPy file. `from_bytes` tells that the elements are unsigned bytes (pixels).
struct npy {
  array content = {};
  bool from_bytes = false;
};

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// The bits of a real number of 16 bits.
struct npy_half {
  std::uint16_t bits = 0;
};
double value_of(npy_half h);

// Element `index` of an array of T, whose bytes have the processor's order or the other one, as a
// double; exact for every supported T but the 64-bit integers beyond 2^53, which no float could
// hold either.
template <class T>
double npy_element(const std::uint8_t* from, std::size_t index, bool swapped) {
  static_assert(std::endian::native == std::endian::little);
  std::array<std::uint8_t, sizeof(T)> bytes;
  std::copy_n(from + index * sizeof(T), sizeof(T), bytes.begin());
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  const auto value = std::bit_cast<T>(bytes);
  if constexpr (std::is_same_v<T, npy_half>) return value_of(value);
  else return static_cast<double>(value);
}

// The name behind the order of the bytes, which is '|' where an element has one.
struct npy_type {
  std::string_view name;
  std::size_t size;
  double (*element)(const std::uint8_t*, std::size_t, bool swapped);
};

template <class T>
constexpr npy_type npy_type_of(std::string_view name) {
  return {name, sizeof(T), npy_element<T>};
}

inline constexpr std::array npy_types{
    npy_type_of<std::uint8_t>("b1"),  npy_type_of<std::uint8_t>("u1"),
    npy_type_of<std::int8_t>("i1"),   npy_type_of<std::uint16_t>("u2"),
    npy_type_of<std::int16_t>("i2"),  npy_type_of<std::uint32_t>("u4"),
    npy_type_of<std::int32_t>("i4"),  npy_type_of<std::uint64_t>("u8"),
    npy_type_of<std::int64_t>("i8"),  npy_type_of<npy_half>("f2"),
    npy_type_of<float>("f4"),         npy_type_of<double>("f8")};

// The place in a file in Fortran order, whose first index runs fastest, of each element in C order.
std::vector<std::size_t> fortran_places(const std::vector<std::size_t>& dims);

}  // namespace detail

bool is_npy(const file_bytes& bytes);

// Versions 1 and 2 in C or Fortran order, with elements that are bool, integers of 1 to 8 bytes,
// f2, f4 or f8, in any order of bytes. Values that are not finite, and integers that a float does
// not hold exactly, are errors. `file` is for messages.
npy parse_npy(const file_bytes& bytes, const std::string& file);

npy read_npy(const std::filesystem::path& path);

namespace detail {

// The bytes of a version 1 file, as NumPy itself would write them.
std::string npy_file(std::string_view type, const std::vector<std::size_t>& dims,
                     const void* elements, std::size_t size);

}  // namespace detail

// The bytes of a file of f4.
std::string to_npy(const array& a);
// The bytes of a file of i1, i2 or (of a struct of its bits) f2.
template <class T>
std::string to_npy(const std::vector<std::size_t>& dims, const std::vector<T>& values) {
  static_assert(sizeof(T) <= 2);
  constexpr const char* type = sizeof(T) == 1 ? "|i1" : std::is_integral_v<T> ? "<i2" : "<f2";
  return detail::npy_file(type, dims, values.data(), sizeof(T) * values.size());
}

void write_npy(const std::filesystem::path& path, const array& a);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/npy.ipp>
#endif
