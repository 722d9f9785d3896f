// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/report/loadable_diff.hpp>
#include <nvdlac/report/loadable_diff_text.hpp>

namespace nvdlac::report::detail {

NVDLAC_IMPL std::string relative(const diff_value& a, const diff_value& b) {
  const auto number = [](const diff_value& v) -> std::optional<double> {
    if (const auto* n = std::get_if<std::uint64_t>(&v)) return static_cast<double>(*n);
    if (const auto* x = std::get_if<double>(&v)) return *x;
    return std::nullopt;
  };
  const auto from = number(a), to = number(b);
  if (!from || !to || *from == 0) return "";
  text_stream out;
  out << std::showpos << std::fixed;
  out.precision(1);
  out << 100 * (*to / *from - 1) << " %";
  return out.str();
}

NVDLAC_IMPL std::string wrapped(const std::vector<std::string>& words) {
  std::string out, line;
  for (const auto& word : words) {
    if (!line.empty() && 2 + line.size() + 2 + word.size() > width_of_terminal) {
      out += "  " + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + word;
  }
  return line.empty() ? out : out + "  " + line + '\n';
}

NVDLAC_IMPL std::string describe_bytes(std::size_t a, std::size_t b, std::size_t different) {
  if (a != b) return text(grouped(a), " -> ", grouped(b, "byte"));
  return a == 0           ? ""
         : different == 0 ? "equal"
                          : text(grouped(different), " of ", grouped(a, "byte"), " differ");
}

}  // namespace nvdlac::report::detail
