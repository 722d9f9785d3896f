// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// Element `index` of a little-endian array of T, as a double; exact for every supported T but the
// 64-bit integers beyond 2^53, which no float could hold either.
template <class T>
double npy_element(const std::uint8_t* from, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

struct npy_type {
  std::string_view name;
  std::size_t size;
  double (*element)(const std::uint8_t*, std::size_t);
};

inline constexpr std::array npy_types{
    npy_type{"|u1", 1, npy_element<std::uint8_t>}, npy_type{"|i1", 1, npy_element<std::int8_t>},
    npy_type{"<f4", 4, npy_element<float>},        npy_type{"<f8", 8, npy_element<double>},
    npy_type{"<i4", 4, npy_element<std::int32_t>}, npy_type{"<i8", 8, npy_element<std::int64_t>}};

}  // namespace detail

bool is_npy(const file_bytes& bytes);

// Versions 1 and 2 in C order with elements u1, i1, i4, i8, f4 or f8. Values that are not finite,
// and integers that a float does not hold exactly, are errors. `file` is for messages.
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
