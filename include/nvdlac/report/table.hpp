// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::report {

// "stage4/..conv2" of "stage4/block1/branch2/conv2"
inline std::string shortened(const std::string& s, std::size_t most) {
  if (s.size() <= most) return s;
  const auto end = (most - 2) / 2;
  return s.substr(0, most - 2 - end) + ".." + s.substr(s.size() - end);
}

// Lines of text with aligned columns; columns of numbers are aligned to the right.
class table {
 public:
  struct column {
    std::string title;
    bool right = false;
    bool shortens = false;  // its cells lose their middle where lines would be too long
    bool leads = false;     // begins each part of a table that is too wide
    bool wraps = false;     // its cells take several lines where lines would be too long
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // In lines of at most `most` letters, as far as columns shorten and wrap; 0: of any length. What
  // is still too wide comes in parts, one below the other, if it has columns that lead.
  std::string print(std::size_t most = 0) const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      widths.push_back(columns_[c].title.size());
      for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string out;
    for (const auto& part : parts(widths, most)) {
      auto own = widths;
      if (most != 0) shorten(own, part, most);
      out += out.empty() ? "" : "\n";
      print(out, part, own, [&](std::size_t c) { return columns_[c].title; });
      for (const auto& row : rows_) print(out, part, own, [&](std::size_t c) { return row[c]; });
    }
    return out;
  }

 private:
  using indices = std::vector<std::size_t>;
  static constexpr std::size_t few = 12;  // letters, of which nothing is taken

  // Beside each other, two spaces between them.
  static std::size_t total(const std::vector<std::size_t>& widths, const indices& part) {
    auto sum = part.empty() ? 0 : 2 * (part.size() - 1);
    for (const auto c : part) sum += widths[c];
    return sum;
  }

  std::vector<indices> parts(std::vector<std::size_t> widths, std::size_t most) const {
    indices all, leading;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      all.push_back(c);
      if (columns_[c].leads) leading.push_back(c);
      if (columns_[c].shortens || columns_[c].wraps) widths[c] = std::min(widths[c], few);
    }
    if (most == 0 || leading.empty() || total(widths, all) <= most) return {all};
    std::vector<indices> result{leading};
    for (const auto c : all) {
      if (columns_[c].leads) continue;
      result.back().push_back(c);
      if (total(widths, result.back()) <= most || result.back().size() == leading.size() + 1)
        continue;
      result.back().pop_back();
      result.push_back(leading);
      result.back().push_back(c);
    }
    return result;
  }

  // Takes from the widest of the columns that shorten or wrap, as long as it has more than a few
  // letters.
  void shorten(std::vector<std::size_t>& widths, const indices& part, std::size_t most) const {
    for (auto sum = total(widths, part); sum > most; --sum) {
      std::size_t* widest = nullptr;
      for (const auto c : part)
        if ((columns_[c].shortens || columns_[c].wraps) &&
            widths[c] > (widest == nullptr ? few : *widest))
          widest = &widths[c];
      if (widest == nullptr) return;
      --*widest;
    }
  }

  template <class Cell>
  void print(std::string& out, const indices& part, const std::vector<std::size_t>& widths,
             const Cell& cell) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const auto c : part) {
      cells.push_back(columns_[c].wraps ? wrapped(cell(c), widths[c])
                                        : std::vector{shortened(cell(c), widths[c])});
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
  static std::vector<std::string> wrapped(std::string s, std::size_t most) {
    std::vector<std::string> lines;
    while (s.size() > most) {
      const auto space = s.rfind(' ', most);
      const bool between = space != s.npos && space != 0;
      lines.push_back(s.substr(0, between ? space : most));
      s.erase(0, between ? space + 1 : most);
    }
    lines.push_back(std::move(s));
    return lines;
  }

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::report
