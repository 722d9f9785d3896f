// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>

namespace nvdlac {

NVDLAC_IMPL std::string to_string(const problem& p) {
  std::string s = p.file;
  if (p.line != 0) s.append(":").append(std::to_string(p.line));
  if (!s.empty()) s += ": ";
  if (!p.layer.empty()) s += "layer '" + p.layer + "': ";
  s += p.reason;
  if (!p.remedy.empty()) s += " (" + p.remedy + ")";
  return escape::line(s);
}

namespace detail {

NVDLAC_IMPL printable::printable(const char* s)
    : value(s), print([](std::ostream& out, const printable& p) {
        out << static_cast<const char*>(p.value);
      }) {}

NVDLAC_IMPL std::string printed(std::initializer_list<printable> values) {
  text_stream out;
  for (const auto& v : values) v.print(out, v);
  return out.str();
}

NVDLAC_IMPL void throw_if_any(std::vector<problem> found) {
  if (!found.empty()) throw error(std::move(found));
}

}  // namespace detail

NVDLAC_IMPL std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (const auto& word : words) all.append(all.empty() ? "" : between).append(word);
  return all;
}

NVDLAC_IMPL std::string joined_first(std::vector<std::string> words, std::size_t shown) {
  if (words.size() <= shown) return joined(words);
  const auto rest = words.size() - shown;
  words.resize(shown);
  return text(joined(words), " and ", rest, " more");
}

}  // namespace nvdlac
