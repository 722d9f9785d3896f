// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

  npy_header parse() {
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
        if (word() != "False") refuse(file_, "is in Fortran order", "save it in C order");
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

 private:
  [[noreturn]] void bad() const { refuse(file_, "has a damaged NumPy header"); }
  void skip() {
    const auto n = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string quoted() {
    expect('\'');
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) bad();
    std::string s(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return s;
  }
  std::string_view word() {
    skip();
    const auto end = rest_.find_first_of(",} ");
    if (end == std::string_view::npos) bad();
    const auto s = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return s;
  }
  std::vector<std::size_t> tuple() {
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

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace nvdlac::data::detail
