// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/emit/files.hpp>

namespace nvdlac::data {

namespace detail {

NVDLAC_IMPL npy_header npy_header_parser::parse() {
  npy_header h;
  bool has_type = false, has_order = false, has_shape = false;
  expect('{');
  while (!accept('}')) {
    const auto key = quoted();
    expect(':');
    if (key == "descr" && !has_type) {
      h.type = quoted();
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      const auto value = word();
      if (value != "True" && value != "False") bad();
      h.fortran = value == "True";
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      h.dims = tuple();
      has_shape = true;
    } else {
      bad();
    }
    if (!accept(',')) {
      expect('}');
      break;
    }
  }
  skip();
  if (!rest_.empty() || !has_type || !has_order || !has_shape) bad();
  return h;
}

NVDLAC_IMPL void npy_header_parser::skip() {
  const auto n = rest_.find_first_not_of(" \n");
  rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
}

NVDLAC_IMPL bool npy_header_parser::accept(char c) {
  skip();
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

NVDLAC_IMPL std::string npy_header_parser::quoted() {
  expect('\'');
  const auto end = rest_.find('\'');
  if (end == std::string_view::npos) bad();
  std::string s(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return s;
}

NVDLAC_IMPL std::string_view npy_header_parser::word() {
  skip();
  const auto end = rest_.find_first_of(",} ");
  if (end == std::string_view::npos) bad();
  const auto s = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return s;
}

NVDLAC_IMPL std::vector<std::size_t> npy_header_parser::tuple() {
  std::vector<std::size_t> dims;
  expect('(');
  while (!accept(')')) {
    skip();
    std::size_t value = 0;
    const auto [end, failed] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (failed != std::errc{} || dims.size() == 32) bad();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    dims.push_back(value);
    if (!accept(',')) {
      expect(')');
      break;
    }
  }
  return dims;
}

NVDLAC_IMPL double value_of(npy_half h) {
  const int exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
  constexpr double none = std::numeric_limits<double>::infinity();
  const double size = exponent == 31 ? (fraction == 0 ? none : std::nan(""))
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(fraction + 1024, exponent - 25);
  return (h.bits & 0x8000) != 0 ? -size : size;
}

NVDLAC_IMPL std::vector<std::size_t> fortran_places(const std::vector<std::size_t>& dims) {
  std::vector<std::size_t> places{0};
  std::size_t step = 1;
  for (const auto d : dims) {
    std::vector<std::size_t> finer;
    finer.reserve(places.size() * d);
    for (const auto p : places)
      for (std::size_t i = 0; i < d; ++i) finer.push_back(p + i * step);
    places = std::move(finer);
    step *= d;
  }
  return places;
}

}  // namespace detail

NVDLAC_IMPL bool is_npy(const file_bytes& bytes) {
  return bytes.size() >= 6 && std::memcmp(bytes.data(), detail::npy_magic.data(), 6) == 0;
}

NVDLAC_IMPL npy parse_npy(const file_bytes& bytes, const std::string& file) {
  if (!is_npy(bytes)) refuse(file, "is not a NumPy file");
  if (bytes.size() < 12) refuse(file, "ends inside its NumPy header");
  const int version = bytes[6];
  if (version != 1 && version != 2)
    refuse(file, text("has NumPy format version ", version), "1 and 2 are supported");
  std::size_t length = std::size_t{bytes[8]} | std::size_t{bytes[9]} << 8;
  if (version == 2) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() - start < length) refuse(file, "ends inside its NumPy header");
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()) + start, length);
  auto [type, dims, fortran] = detail::npy_header_parser(head, file).parse();

  const detail::npy_type* known = nullptr;
  const bool has_order = !type.empty() && std::string_view("|<>=").find(type[0]) != type.npos;
  if (has_order)
    for (const auto& t : detail::npy_types)
      if (std::string_view(type).substr(1) == t.name) known = &t;
  if (!known)
    refuse(file, "has elements of type '" + type + "'",
           "convert it: bool, integers and floats are understood, ARRAY.astype('float32')");
  const bool swapped = type[0] == '>';
  const auto count = product(dims);
  const std::size_t available = bytes.size() - start - length;
  if (!count || *count > available / known->size || *count * known->size != available)
    refuse(file, text("holds ", available, " bytes of elements, its header promises ",
                      to_string(dims), " of ", known->size, " bytes each"));

  const auto places = fortran ? detail::fortran_places(dims) : std::vector<std::size_t>();
  npy result{{std::move(dims), std::vector<float>(*count)}, known->name == "u1"};
  const bool integer = known->name[0] != 'f';
  for (std::size_t i = 0; i < *count; ++i) {
    const double value = known->element(bytes.data() + start + length, fortran ? places[i] : i,
                                        swapped);
    const bool fits = std::abs(value) <= double{std::numeric_limits<float>::max()};  // not for NaN
    const auto stored = fits ? static_cast<float>(value) : 0.0F;
    if (!fits || (integer && double{stored} != value))
      refuse(file, text("element ", i, " is ", value), "finite values that fit into a float");
    result.content.values[i] = stored;
  }
  return result;
}

NVDLAC_IMPL npy read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

namespace detail {

NVDLAC_IMPL std::string npy_file(std::string_view type, const std::vector<std::size_t>& dims,
                                 const void* elements, std::size_t size) {
  std::string head = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const auto d : dims) head += std::to_string(d) + (dims.size() == 1 ? "," : ", ");
  if (dims.size() > 1) head.resize(head.size() - 2);
  head += "), }";
  head.append(63 - (10 + head.size()) % 64, ' ');  // the elements begin at a multiple of 64
  head += '\n';
  std::string s(npy_magic);
  s += {'\1', '\0', static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
  s += head;
  const auto at = s.size();
  s.resize(at + size);
  if (size != 0) std::memcpy(s.data() + at, elements, size);
  return s;
}

}  // namespace detail

NVDLAC_IMPL std::string to_npy(const array& a) {
  return detail::npy_file("<f4", a.dims, a.values.data(), 4 * a.values.size());
}

NVDLAC_IMPL void write_npy(const std::filesystem::path& path, const array& a) {
  const auto s = to_npy(a);
  emit::write_file(path, {s.begin(), s.end()});
}

}  // namespace nvdlac::data
