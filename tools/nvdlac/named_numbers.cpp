// SPDX-License-Identifier: Apache-2.0
#include "named_numbers.hpp"

#include <charconv>

#include <nvdlac/base/error.hpp>

#include "usage.hpp"

namespace nvdlac::cli {

void set_number(std::string_view option, const std::string& word,
                std::span<const named_number> names) {
  const auto equals = word.find('=');
  for (const auto& n : names) {
    if (n.name != word.substr(0, equals)) continue;
    const auto digits = equals == word.npos ? "" : word.substr(equals + 1);
    std::visit([&]<class Number>(Number* to) {
      Number value{};
      const auto [end, failed] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (digits.empty() || failed != std::errc{} || end != digits.data() + digits.size())
        throw usage_error(text(option, ": '", word, "' is not ", n.name, "=NUMBER"));
      if (!(value >= static_cast<Number>(n.least) && value <= static_cast<Number>(n.most)))
        throw usage_error(text(option, ": '", word, "' is not from ", n.least, " to ", n.most));
      *to = value;
    }, n.value);
    return;
  }
  throw usage_error(text(option, ": '", word, "' names none of ", list(names)));
}

std::string list(std::span<const named_number> names) {
  std::string all;
  for (const auto& n : names)
    std::visit([&](const auto* value) {
      all += text(all.empty() ? "" : ", ", n.name, " (", *value, ")");
    }, n.value);
  return all;
}

}  // namespace nvdlac::cli
