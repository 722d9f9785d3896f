// SPDX-License-Identifier: Apache-2.0
#pragma once
// The differences of two loadables as text and in JSON. All that makes JSON is a template, so that
// its library costs only who asks for it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/loadable_diff.hpp>
#include <nvdlac/report/table.hpp>

namespace nvdlac::report {
namespace detail {

inline constexpr std::size_t width_of_terminal = 80;

template <class Json>
Json to_json(const diff_value& v) {
  return std::visit([]<class T>(const T& x) -> Json {
    if constexpr (std::is_same_v<T, std::monostate>) return nullptr;
    else return x;
  }, v);
}

// As JSON has it, but words without quotation marks, and counts in groups of three digits.
template <class Json>
std::string written(const diff_value& v) {
  if (std::holds_alternative<std::monostate>(v)) return "-";
  if (const auto* word = std::get_if<std::string>(&v)) return *word;
  if (const auto* count = std::get_if<std::uint64_t>(&v)) return grouped(*count);
  return to_json<Json>(v).dump();
}

// "-8.0 %" from a to b.
std::string relative(const diff_value& a, const diff_value& b);

// Words on lines of at most the terminal's width, each behind blanks.
std::string wrapped(const std::vector<std::string>& words);

// "13 of 500", or as well that there are more.
std::string describe_bytes(std::size_t a, std::size_t b, std::size_t different);

}  // namespace detail

// In lines of at most 80 letters.
template <class Json = json>
std::string to_text(const loadable_diff& d) {
  using namespace detail;
  if (d.same) return text(d.file_a, " and ", d.file_b, " are the same, byte for byte\n");
  std::string out = text("A: ", d.file_a, "\nB: ", d.file_b, "\n\n");
  if (!d.changes.empty()) {
    table t({{.title = "", .shortens = true}, {"A", true, true}, {"B", true, true},
             {"change", true}});
    for (const auto& c : d.changes)
      t.add({c.what, written<Json>(c.a), written<Json>(c.b), relative(c.a, c.b)});
    out += t.print(width_of_terminal) + '\n';
  }
  out += text("Layers: ", d.equal_layers, " equal, ", d.layers.size(), " changed, ",
              d.removed.size(), " in A alone, ", d.added.size(), " in B alone",
              d.reordered ? "; those of both are in another order" : "", '\n');
  for (const auto& [where, list] : {std::pair("A", &d.removed), std::pair("B", &d.added)}) {
    if (list->empty()) continue;
    std::vector<std::string> words;
    for (const auto& l : *list) words.push_back(text(l.name, " (", l.unit, ')'));
    out += text("in ", where, " alone\n") + wrapped(words);
  }
  for (const auto& l : d.layers) {
    const auto constants = describe_bytes(l.bytes_a, l.bytes_b, l.different);
    out += text(l.name, " (", l.unit, ')', constants.empty() ? "" : ": constants ", constants,
                '\n');
    std::vector<std::string> words;
    for (const auto& f : l.fields)
      words.push_back(f.what + ' ' + written<Json>(f.a) + " -> " + written<Json>(f.b));
    out += wrapped(words);
  }
  if (d.changes.empty() && d.layers.empty() && d.removed.empty() && d.added.empty() &&
      !d.reordered)
    out += "Only addresses, names or notes differ.\n";
  return out;
}

template <class Json = json>
Json to_json(const loadable_diff& d) {
  const auto list = [](const std::vector<change>& changes) {
    Json l = Json::array();
    for (const auto& c : changes)
      l.push_back({{"what", c.what}, {"a", detail::to_json<Json>(c.a)},
                   {"b", detail::to_json<Json>(c.b)}});
    return l;
  };
  const auto named = [](const std::vector<single_layer>& layers) {
    Json l = Json::array();
    for (const auto& one : layers) l.push_back({{"name", one.name}, {"unit", one.unit}});
    return l;
  };
  auto all = headed<Json>("diff");
  all.update(Json{{"a", d.file_a}, {"b", d.file_b}, {"same", d.same},
                  {"changes", list(d.changes)}});
  Json changed = Json::array();
  for (const auto& l : d.layers)
    changed.push_back({{"name", l.name}, {"unit", l.unit}, {"fields", list(l.fields)},
                       {"constants", {{"bytes_a", l.bytes_a}, {"bytes_b", l.bytes_b},
                                      {"different", l.different}}}});
  all["layers"] = {{"equal", d.equal_layers}, {"changed", changed}, {"removed", named(d.removed)},
                   {"added", named(d.added)}, {"reordered", d.reordered}};
  return all;
}

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/loadable_diff_text.ipp>
#endif
