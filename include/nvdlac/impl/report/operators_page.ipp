// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/operator_limits.hpp>
#include <nvdlac/report/operators_page.hpp>

namespace nvdlac::report::detail {

NVDLAC_IMPL std::string notes::operator()(lower::reason r) {
  auto at = std::find(seen_.begin(), seen_.end(), r);
  if (at == seen_.end()) at = seen_.insert(at, r);
  return text('[', at - seen_.begin() + 1, ']');
}

NVDLAC_IMPL std::string notes::print() const {
  std::string s;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    s += text("- [", i + 1, "] ", lower::to_text(seen_[i]), "\n");
  return s;
}

NVDLAC_IMPL std::string row(const std::vector<std::string>& cells) {
  std::string s = "|";
  for (const auto& c : cells) s += ' ' + c + " |";
  return s + '\n';
}

NVDLAC_IMPL std::string header(std::vector<std::string> cells, std::size_t words) {
  std::string s = row(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i < words ? "---" : "---:";
  return s + row(cells);
}

NVDLAC_IMPL std::string cell(const limited& l, notes& note) {
  const auto [most, beyond] = limit_of(l.ask);
  const auto one = l.in_one_layer ? greatest(l.in_one_layer) : most;
  const bool any = beyond == lower::reason::none;
  return text(any ? "any" : std::to_string(most), one == most ? "" : text(" (", one, ')'),
              any ? "" : ' ' + note(beyond));
}

}  // namespace nvdlac::report::detail
