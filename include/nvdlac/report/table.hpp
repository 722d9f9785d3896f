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
    bool shortens = false;  // its cells lose their middle where lines would be too long
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // In lines of at most `most` letters, as far as columns shorten; 0: of any length.
  std::string print(std::size_t most = 0) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      widths.push_back(columns_[c].title.size());
      for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
    }
    if (most != 0) shorten(widths, most);
    std::string out;
    const auto line = [&](auto cell) {
      std::string s;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const auto shown = shortened(cell(c), widths[c]);
        const std::string fill(widths[c] - shown.size(), ' ');
        s += (c == 0 ? "" : "  ") + (columns_[c].right ? fill + shown : shown + fill);
      }
      out += s.substr(0, s.find_last_not_of(' ') + 1) + '\n';
    };
    line([&](std::size_t c) { return columns_[c].title; });
    for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
    return out;
  }

 private:
  // Takes from the widest of the columns that shorten, as long as it has more than a few letters.
  void shorten(std::vector<std::size_t>& widths, std::size_t most) const {
    constexpr std::size_t few = 12;
    auto total = 2 * (widths.size() - 1);
    for (const auto w : widths) total += w;
    for (; total > most; --total) {
      std::size_t* widest = nullptr;
      for (std::size_t c = 0; c < widths.size(); ++c)
        if (columns_[c].shortens && widths[c] > (widest == nullptr ? few : *widest))
          widest = &widths[c];
      if (widest == nullptr) return;
      --*widest;
    }
  }

  // "stage4/..conv2" of "stage4/block1/branch2/conv2"
  static std::string shortened(const std::string& s, std::size_t most) {
    if (s.size() <= most) return s;
    const auto end = (most - 2) / 2;
    return s.substr(0, most - 2 - end) + ".." + s.substr(s.size() - end);
  }

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::report
