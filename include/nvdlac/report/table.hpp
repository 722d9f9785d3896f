// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/report/short_names.hpp>

namespace nvdlac::report {

// Lines of text with aligned columns; columns of numbers are aligned to the right.
class table {
 public:
  struct column {
    std::string title;
    bool right = false;
    bool shortens = false;  // its cells are shortened where lines would be too long
    bool leads = false;     // begins each part of a table that is too wide
    bool wraps = false;     // its cells take several lines where lines would be too long
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // In lines of at most `most` letters, as far as columns shorten and wrap; 0: of any length. What
  // is still too wide comes in parts, one below the other, if it has columns that lead.
  std::string print(std::size_t most = 0) const;

 private:
  using indices = std::vector<std::size_t>;
  static constexpr std::size_t few = 12;  // letters, of which nothing is taken

  // Beside each other, two spaces between them.
  static std::size_t total(const std::vector<std::size_t>& widths, const indices& part);

  std::vector<indices> parts(std::vector<std::size_t> widths, std::size_t most) const;

  // Takes from the widest of the columns that shorten or wrap, as long as it has more than a few
  // letters.
  void shorten(std::vector<std::size_t>& widths, const indices& part, std::size_t most) const;

  template <class Cell>
  void print(std::string& out, const indices& part, const std::vector<std::size_t>& widths,
             const Cell& cell) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const auto c : part) {
      cells.push_back(columns_[c].wraps ? wrapped(cell(c), widths[c])
                                        : std::vector{cell(c)});
      height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::string s;
      for (std::size_t n = 0; n < part.size(); ++n) {
        const auto shown = i < cells[n].size() ? cells[n][i] : std::string();
        const auto width = widths[part[n]];
        const std::string fill(width - std::min(width, shown.size()), ' ');
        s += (n == 0 ? "" : "  ") + (columns_[part[n]].right ? fill + shown : shown + fill);
      }
      out += s.substr(0, s.find_last_not_of(' ') + 1) + '\n';
    }
  }

  // Broken at spaces, or else inside of a word.
  static std::vector<std::string> wrapped(std::string s, std::size_t most);

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/table.ipp>
#endif
