// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/table.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::string table::print(std::size_t most) const {
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
    print(out, part, own, [&](std::size_t c) { return shortened(columns_[c].title, own[c]); });
    std::vector<std::vector<std::string>> cells(columns_.size());
    for (const auto c : part) {
      for (const auto& row : rows_) cells[c].push_back(row[c]);
      if (!columns_[c].wraps) cells[c] = shortened(cells[c], own[c]);
    }
    for (std::size_t r = 0; r < rows_.size(); ++r)
      print(out, part, own, [&](std::size_t c) { return cells[c][r]; });
  }
  return out;
}

NVDLAC_IMPL std::size_t table::total(const std::vector<std::size_t>& widths, const indices& part) {
  auto sum = part.empty() ? 0 : 2 * (part.size() - 1);
  for (const auto c : part) sum += widths[c];
  return sum;
}

NVDLAC_IMPL std::vector<table::indices> table::parts(std::vector<std::size_t> widths,
                                                     std::size_t most) const {
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

NVDLAC_IMPL void table::shorten(std::vector<std::size_t>& widths, const indices& part,
                                std::size_t most) const {
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

NVDLAC_IMPL std::vector<std::string> table::wrapped(std::string s, std::size_t most) {
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

}  // namespace nvdlac::report
