// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::report {

// Lines of text with aligned columns; columns of numbers are aligned to the right.
class table {
 public:
  struct column {
    std::string title;
    bool right = false;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string print() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      widths.push_back(columns_[c].title.size());
      for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string out;
    const auto line = [&](auto cell) {
      std::string s;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::string fill(widths[c] - cell(c).size(), ' ');
        s += (c == 0 ? "" : "  ") + (columns_[c].right ? fill + cell(c) : cell(c) + fill);
      }
      out += s.substr(0, s.find_last_not_of(' ') + 1) + '\n';
    };
    line([&](std::size_t c) { return columns_[c].title; });
    for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
    return out;
  }

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::report
