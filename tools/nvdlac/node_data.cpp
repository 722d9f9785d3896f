// SPDX-License-Identifier: Apache-2.0
#include "node_data.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace nvdlac::cli {
namespace {

using report::json;

// From little to much, of what is better when it is less; and the other way round.
json gradient(bool less_is_better) {
  constexpr std::string_view good = "#d9f0d3", middle = "#fff7bc", bad = "#e34a33";
  return json::array({{{"stop", 0}, {"bgColor", less_is_better ? good : bad}},
                      {{"stop", 0.5}, {"bgColor", middle}},
                      {{"stop", 1}, {"bgColor", less_is_better ? bad : good}}});
}

std::string colour_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> colours{{
      {"CONV", "#9ecae1"}, {"SDP", "#a1d99b"}, {"PDP", "#fdbe85"}, {"CDP", "#cbc9e2"},
      {"RUBIK", "#d8b99f"}, {"MAC", "#9ecae1"}, {"memory", "#fcae91"}, {"output", "#fdbe85"},
      {"unit", "#a1d99b"}, {"latency", "#cbc9e2"}, {"hardware", "#a1d99b"}, {"part", "#c7e9c0"},
      {"host", "#fcae91"}, {"view", "#eeeeee"}}};
  const auto* const found = std::ranges::find(colours, word, &decltype(colours)::value_type::first);
  return std::string(found == colours.end() ? "#bdbdbd" : found->second);
}

// Values of one kind that the nodes have.
struct node_values {
  json results = json::object();

  void add(const std::string& node, const json& value) { results[node] = {{"value", value}}; }
  void add_word(const std::string& node, const std::string& word, std::string_view coloured_as) {
    results[node] = {{"value", word}, {"bgColor", colour_of(coloured_as)}};
  }
  json in_form() const { return {{"results", results}}; }
  json in_form(bool less_is_better) const {
    return {{"results", results}, {"gradient", gradient(less_is_better)}};
  }
};

}  // namespace

std::vector<std::pair<std::string_view, json>> node_data_of(const json& report) {
  node_values cycles, units, limits, bytes, scales, became, snr;
  std::set<std::size_t> counted;  // layers of the hardware
  std::map<std::string, json> errors;
  if (const auto v = report.find("verification"); v != report.end() && v->contains("layers"))
    for (const auto& e : v->at("layers")) errors[e.at("name").get<std::string>()] = e;
  const auto& by_layer = report.at("scales").at("layers");

  for (const auto& node : report.at("nodes")) {
    const auto name = node.at("name").get<std::string>();
    const auto fate = node.at("became").get<std::string>();
    const bool is_part = node.contains("part_of");
    const auto now = is_part ? node.at("part_of").get<std::string>() : name;
    became.add_word(name, is_part ? fate + ", part of " + now : fate,
                    is_part && fate == "hardware" ? "part" : fate);
    if (by_layer.contains(now)) scales.add(name, by_layer.at(now).at("scale"));
    if (const auto e = errors.find(now); e != errors.end() && !e->second.at("snr").is_null())
      snr.add(name, e->second.at("snr"));
    std::uint64_t own = 0, moved = 0;
    std::string unit, limit;
    std::uint64_t most = 0;
    bool is_first = false;
    for (const auto& i : node.at("layers")) {
      const auto& l = report.at("layers").at(i.get<std::size_t>());
      const auto& c = l.at("cycles");
      if (unit.empty()) unit = l.at("unit");
      if (const auto of = c.at("own").get<std::uint64_t>();
          c.at("limited_by") != "-" && (limit.empty() || of > most)) {
        most = of;
        limit = c.at("limited_by");
      }
      if (!counted.insert(i.get<std::size_t>()).second) continue;
      is_first = true;
      own += c.at("own").get<std::uint64_t>();
      moved += l.at("bytes_read").get<std::uint64_t>() + l.at("bytes_written").get<std::uint64_t>();
    }
    if (is_first) {
      cycles.add(name, own);
      bytes.add(name, moved);
    }
    if (!unit.empty()) units.add_word(name, unit, unit);
    if (!limit.empty()) limits.add_word(name, limit, limit);
  }
  const std::array<json, kinds_of_node_data.size()> forms{
      cycles.in_form(true), units.in_form(), limits.in_form(), bytes.in_form(true),
      scales.in_form(true), became.in_form(), snr.in_form(false)};
  std::vector<std::pair<std::string_view, json>> all;
  for (std::size_t k = 0; k + (errors.empty() ? 1 : 0) < forms.size(); ++k)
    all.emplace_back(kinds_of_node_data[k], forms[k]);
  return all;
}

}  // namespace nvdlac::cli
