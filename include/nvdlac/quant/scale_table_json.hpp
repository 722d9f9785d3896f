// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scale tables as JSON, in three forms:
//   own:    {"nvdlac_scales": 2, "method": "entropy", "ranges": {"conv1": 6.35, ..},
//            "scales": {"conv2": 0.05, ..}, "means": {"conv1": [0.1, ..], ..},
//            "lows": {"conv1": -0.3, ..}, "reaches": {"input": [150, 0.2, ..], ..},
//            "drifts": {"conv1": [0.01, ..], ..}, "measured": true},
//           where `ranges` has the largest magnitude of tensors, and `scales` a step of int8 of
//           those that a quantised model told so; in version 1 all had scales. `means`, `lows`,
//           `reaches` and `drifts` may be absent or name fewer layers; `measured` tells that
//           samples tell the ranges, a list of layers that they tell theirs
//   public: {"conv1": {"scale": 0.05, "min": 0, "max": 0, "offset": 0}, ..}, the calibration table
//           of the public NVDLA compiler; it takes `min` and `max` where `scale` is absent
//   AIMET:  {"activation_encodings": {"conv1": [{"min": -1, "max": 2, ..}], ..}, ..}, or a list of
//           objects with `name`, `scale` and `offset`, each a list of one
// and TensorRT's calibration cache, which is no JSON (tensor_rt_table.hpp).
// All are templates, so that the library of JSON costs only who reads or writes a table.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/strict_json.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/tensor_rt_table.hpp>

namespace nvdlac::quant {

namespace detail {

using json = nlohmann::ordered_json;

inline constexpr const char* own_form = "nvdlac_scales";

template <class Json>
std::optional<double> number(const Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return std::nullopt;
  if (!found->is_number()) return std::nan("");
  return found->template get<double>();
}

// The range of one layer of the public form, or a reason why it has none.
template <class Json>
value_range public_range(const Json& layer, std::string& reason) {
  if (!layer.is_object()) {
    reason = "is no object with a scale";
    return {};
  }
  for (const auto& [member, value] : layer.items())
    if (member != "scale" && member != "min" && member != "max" && member != "offset")
      reason = "has a member '" + member + "' that is none of scale, min, max, offset";
  if (const auto offset = number(layer, "offset"); offset && *offset != 0)
    reason = "has an offset; int8 on NVDLA is symmetric here";
  if (const auto scale = number(layer, "scale")) return *scale;
  const auto low = number(layer, "min"), high = number(layer, "max");
  if (low && high) return value_range::up_to(std::max(std::fabs(*low), std::fabs(*high)));
  reason = "has neither scale nor min and max";
  return {};
}

// The activations of a file of AIMET's encodings, asymmetric ones by the end that is further from
// 0.
template <class Json>
void read_encodings(const Json& all, scale_table& table, diagnostics& found) {
  const auto add = [&](std::string layer, const Json& one) {
    const auto of = [&](const char* member) -> std::optional<double> {
      const auto v = one.find(member);
      if (v == one.end()) return std::nullopt;
      const Json& first = v->is_array() && v->size() == 1 ? v->front() : *v;
      return first.is_number() ? std::optional(first.template get<double>()) : std::nullopt;
    };
    const auto low = of("min"), high = of("max"), scale = of("scale"), offset = of("offset");
    const auto bits = of("bitwidth") ? of("bitwidth") : of("bw");
    double reach = 0;
    if (low && high) reach = std::max(std::fabs(*low), std::fabs(*high));
    else if (scale && bits && *bits >= 2 && *bits <= 32) {
      const double first = offset.value_or(-std::exp2(*bits - 1));
      reach = *scale * std::max(std::fabs(first), std::fabs(first + std::exp2(*bits) - 1));
      if (first == -std::exp2(*bits - 1)) reach = *scale * (std::exp2(*bits - 1) - 1);
    } else {
      return found.add({.file = table.file, .layer = std::move(layer),
                        .reason = "its encoding has neither min and max nor scale and bitwidth"});
    }
    table.entries.push_back({std::move(layer), value_range::up_to(reach)});
  };
  const auto each = [&](const std::string& layer, const Json& one) {
    if (!one.is_object())
      found.add({.file = table.file, .layer = layer, .reason = "its encoding is no object"});
    else add(layer, one);
  };
  if (all.is_array()) {
    for (const Json& one : all)
      each(one.is_object() ? one.value("name", std::string()) : std::string(), one);
  } else if (all.is_object()) {
    for (const auto& [layer, list] : all.items()) {
      if (list.is_array() && list.size() == 1) each(layer, list.front());
      else
        found.add({.file = table.file, .layer = layer,
                   .reason = "it has not one encoding for all its channels"});
    }
  } else {
    found.add({.file = table.file, .reason = "its activation_encodings are no object or array"});
  }
}

// Reads what layers of the table have for each of their channels, `what`.
template <class Json>
void read_channels(const Json& layers, const char* what,
                   std::vector<double> scale_table::entry::* of, scale_table& table,
                   diagnostics& found) {
  for (const auto& [layer, numbers] : layers.items()) {
    const auto entry = std::ranges::find(table.entries, layer, &scale_table::entry::layer);
    if (entry == table.entries.end())
      found.add(
          {.file = table.file, .layer = layer, .reason = text("has ", what, " but no scale")});
    else if (!numbers.is_array())
      found.add(
          {.file = table.file, .layer = layer, .reason = text("its ", what, " are no array")});
    else
      for (const Json& m : numbers)
        ((*entry).*of).push_back(m.is_number() ? m.template get<double>() : std::nan(""));
  }
}

// The lowest or the highest values of layers of the table.
template <class Json>
void read_ends(const Json& layers, const char* what,
               std::optional<double> scale_table::entry::* of, scale_table& table,
               diagnostics& found) {
  for (const auto& [layer, end] : layers.items()) {
    const auto entry = std::ranges::find(table.entries, layer, &scale_table::entry::layer);
    if (entry == table.entries.end())
      found.add({.file = table.file, .layer = layer,
                 .reason = text("has a ", what, " value but no scale")});
    else (*entry).*of = end.is_number() ? end.template get<double>() : std::nan("");
  }
}

// The layers of the table whose scales samples tell: all, or those of a list.
template <class Json>
void read_measured(const Json& layers, scale_table& table, diagnostics& found) {
  if (layers.is_boolean())
    for (auto& e : table.entries) e.measured = layers.template get<bool>();
  else
    for (const Json& layer : layers) {
      const auto entry = std::ranges::find(
          table.entries, layer.is_string() ? layer.template get<std::string>() : std::string(),
          &scale_table::entry::layer);
      if (entry != table.entries.end()) entry->measured = true;
      else
        found.add({.file = table.file,
                   .reason = text("its member 'measured' lists ", layer.dump(),
                                  ", which has no scale")});
    }
}

// Throws for a table that could not be read again, so that it is not written.
void check_writable(const scale_table& table);
template <class Json>
std::string print(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace detail

// Any of these forms. `file` is for messages. Throws, all together: syntax errors, layers listed
// twice, scales that are not positive numbers, members that are not understood.
template <class Json = detail::json>
scale_table read_scales(std::string_view text_of_file, const std::string& file = {}) {
  diagnostics found;
  if (is_tensor_rt_cache(text_of_file)) {
    auto cached = tensor_rt_scales(text_of_file, file, found);
    check(cached, found);
    found.check();
    return cached;
  }
  const auto document = parse_strictly<Json>(text_of_file, file, "scale table", found);
  const auto refuse = [&](std::string layer, std::string reason) {
    found.add({.file = file, .layer = std::move(layer), .reason = std::move(reason)});
  };
  scale_table table{.file = file};
  if (!document.is_object()) {
    refuse({}, "is no JSON object");
  } else if (const auto encodings = document.find("activation_encodings");
             encodings != document.end()) {
    table.method = "AIMET's encodings";
    detail::read_encodings(*encodings, table, found);
  } else if (const auto version = document.find(detail::own_form);
             version != document.end() && !version->is_object()) {
    if (*version != 1 && *version != 2)
      refuse({}, text("is a scale table of version ", version->dump(), ", not 1 or 2"));
    for (const auto& [member, value] : document.items())
      if (member == "method" && value.is_string()) table.method = value.template get<std::string>();
      else if (member == "equalised" && value.is_boolean()) table.equalised = value;
      else if ((member == "scales" || member == "ranges") && value.is_object())
        for (const auto& [layer, told] : value.items()) {
          const double number = told.is_number() ? told.template get<double>() : std::nan("");
          table.entries.push_back({layer, member == "scales" ? value_range(number)
                                                             : value_range::up_to(number)});
        }
      else if (member != detail::own_form &&
               !((member == "means" || member == "lows" || member == "highs" ||
                  member == "reaches" || member == "drifts") && value.is_object()) &&
               !(member == "measured" && (value.is_boolean() || value.is_array())))
        refuse({}, "its member '" + member + "' is not understood");
    if (!document.contains("scales") && !document.contains("ranges"))
      refuse({}, "has no member 'scales'");
    if (const auto means = document.find("means"); means != document.end() && means->is_object())
      detail::read_channels(*means, "means", &scale_table::entry::means, table, found);
    if (const auto reaches = document.find("reaches");
        reaches != document.end() && reaches->is_object())
      detail::read_channels(*reaches, "reaches", &scale_table::entry::reach, table, found);
    if (const auto drifts = document.find("drifts");
        drifts != document.end() && drifts->is_object())
      detail::read_channels(*drifts, "drifts", &scale_table::entry::drift, table, found);
    if (const auto lows = document.find("lows"); lows != document.end() && lows->is_object())
      detail::read_ends(*lows, "lowest", &scale_table::entry::low, table, found);
    if (const auto highs = document.find("highs"); highs != document.end() && highs->is_object())
      detail::read_ends(*highs, "highest", &scale_table::entry::high, table, found);
    if (const auto measured = document.find("measured");
        measured != document.end() && (measured->is_boolean() || measured->is_array()))
      detail::read_measured(*measured, table, found);
  } else {
    for (const auto& [layer, value] : document.items()) {
      std::string reason;
      const auto range = detail::public_range(value, reason);
      if (reason.empty()) table.entries.push_back({layer, range});
      else refuse(layer, reason);
    }
  }
  check(table, found);
  found.check();
  return table;
}

// The own form; reading it gives the same numbers.
template <class Json = detail::json>
std::string write_scales(const scale_table& table) {
  detail::check_writable(table);
  auto scales = Json::object(), ranges = scales, means = scales, lows = scales, highs = scales,
       reaches = scales, drifts = scales;
  auto measured = Json::array();
  for (const auto& e : table.entries) {
    if (e.range.in_steps()) scales[e.layer] = e.range.step();
    else ranges[e.layer] = e.range.largest();
    if (!e.means.empty()) means[e.layer] = e.means;
    if (e.low) lows[e.layer] = *e.low;
    if (e.high) highs[e.layer] = *e.high;
    if (!e.reach.empty()) reaches[e.layer] = e.reach;
    if (!e.drift.empty()) drifts[e.layer] = e.drift;
    if (e.measured) measured.push_back(e.layer);
  }
  Json document{{detail::own_form, ranges.empty() ? 1 : 2}, {"method", table.method}};
  if (!ranges.empty()) document["ranges"] = std::move(ranges);
  if (!scales.empty() || document[detail::own_form] == 1) document["scales"] = std::move(scales);
  if (table.equalised) document["equalised"] = true;
  if (!means.empty()) document["means"] = std::move(means);
  if (!lows.empty()) document["lows"] = std::move(lows);
  if (!highs.empty()) document["highs"] = std::move(highs);
  if (!reaches.empty()) document["reaches"] = std::move(reaches);
  if (!drifts.empty()) document["drifts"] = std::move(drifts);
  if (!measured.empty() && measured.size() == table.entries.size()) document["measured"] = true;
  else if (!measured.empty()) document["measured"] = std::move(measured);
  return detail::print(document);
}

// The public compiler's form, which has scales alone.
template <class Json = detail::json>
std::string write_public_scales(const scale_table& table) {
  detail::check_writable(table);
  if (table.equalised)
    throw error(problem{.reason = "a calibration table of the public compiler cannot tell that the "
                                  "channels were brought to one range",
                        .remedy = "calibrate for it without that: effort 0"});
  Json document = Json::object();
  for (const auto& e : table.entries)
    document[e.layer] = {{"scale", e.range.step()}, {"min", 0}, {"max", 0}, {"offset", 0}};
  return detail::print(document);
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/scale_table_json.ipp>
#endif
