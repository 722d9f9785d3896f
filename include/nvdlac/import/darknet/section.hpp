// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a Darknet network: sections, and in each `key=value` on a line.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/plain_value.hpp>

namespace nvdlac::import::darknet_format {

struct entry {
  std::string key{}, value{};
  std::size_t line = 0;
};

// One section. Where a value is not of the kind that is asked for, it throws `error` with the line.
// Which options a section may have stands in layer_types.hpp, so that none has to be asked for.
struct section {
  std::string type{};  // without the brackets
  std::size_t line = 0;
  std::vector<entry> entries{};

  // The first one counts.
  const entry* find(std::string_view key) const;
  // The value as a `T`; nothing: it is not there.
  template <class T>
  std::optional<T> given(std::string_view key) const {
    const auto* e = find(key);
    if (e == nullptr) return std::nullopt;
    auto found = hub::read_as<T>(plain(*e));
    if (!found)
      throw error(problem{.line = e->line,
                          .reason = text(e->key, "=", e->value, " is not ",
                                         hub::words_for(hub::kind_of<T>()))});
    return found;
  }
  std::int64_t integer(std::string_view key, std::int64_t otherwise) const {
    return given<std::int64_t>(key).value_or(otherwise);
  }
  float number(std::string_view key, float otherwise) const {
    return given<float>(key).value_or(otherwise);
  }
  std::string string(std::string_view key, const std::string& otherwise) const {
    return given<std::string>(key).value_or(otherwise);
  }
  bool flag(std::string_view key) const { return integer(key, 0) != 0; }
  // Numbers with commas between them; a last comma is allowed, as Darknet's own files have it.
  std::vector<std::int64_t> integers(std::string_view key) const {
    return given<std::vector<std::int64_t>>(key).value_or(std::vector<std::int64_t>());
  }

 private:
  // Numbers beyond 30 bits are none.
  static hub::plain_value plain(const entry& e);
};

// The sections in their order. What is no section and no `key=value` goes to `problems`. Spaces
// count nowhere; comments start with # or ;.
std::vector<section> sections_of(std::string_view content, diagnostics& problems,
                                 const budget& limits);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/section.ipp>
#endif
