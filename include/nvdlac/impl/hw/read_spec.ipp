// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <charconv>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/read_spec.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

namespace detail {

NVDLAC_IMPL spec_reader::spec_reader(std::istream& in, const std::string& file) : file_(file) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number)
    read(without_comments(line, number), number);
  if (comment_ != 0) complain(comment_, "the comment that begins here does not end");
  if (values_.empty() && switches_.empty() && types_.empty())
    found_.add({.file = file_, .reason = "defines nothing of a configuration of NVDLA"});
  found_.check();
  conclude();
  found_.check();
}

NVDLAC_IMPL std::string_view spec_reader::next_word(std::string_view& rest) {
  constexpr auto blank = " \t\r";
  rest.remove_prefix(std::min(rest.find_first_not_of(blank), rest.size()));
  const auto word = rest.substr(0, rest.find_first_of(blank));
  rest.remove_prefix(word.size());
  return word;
}

NVDLAC_IMPL std::optional<std::uint32_t> spec_reader::number(std::string_view s) {
  std::uint32_t v = 0;
  const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || problem != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return v;
}

NVDLAC_IMPL std::string spec_reader::without_comments(std::string_view line, std::size_t at) {
  std::string code;
  while (true) {
    if (comment_ != 0) {
      const auto end = line.find("*/");
      if (end == line.npos) return code;
      line.remove_prefix(end + 2);
      comment_ = 0;
    }
    const auto begin = std::min(line.find("//"), line.find("/*"));
    code += line.substr(0, begin);
    if (begin == line.npos || line[begin + 1] == '/') return code;
    line.remove_prefix(begin + 2);
    code += ' ';
    comment_ = at;
  }
}

NVDLAC_IMPL void spec_reader::read(std::string_view rest, std::size_t at) {
  const auto directive = next_word(rest);
  if (directive.empty()) return;
  if (directive == "#define") return define(rest, at);
  for (const auto known : {"#include", "#ifndef", "#endif", "#pragma"})
    if (directive == known) return;
  complain(at, "'", directive, "' is no definition");
}

NVDLAC_IMPL void spec_reader::define(std::string_view rest, std::size_t at) {
  auto name = next_word(rest);
  const auto value = next_word(rest);
  if (!next_word(rest).empty()) return complain(at, "more than one value of ", name);
  if (name.starts_with("NVDLA_")) {
    is_header_ = true;
    name.remove_prefix(6);
  }
  if (!value.empty()) return add_value(name, value, at);
  for (const auto& [ending, on] : {std::pair<std::string_view, bool>{"_ENABLE", true},
                                   {"_DISABLE", false}})
    if (name.ends_with(ending) &&
        is_one_of(switch_names, name.substr(0, name.size() - ending.size())))
      return add_switch(name.substr(0, name.size() - ending.size()), on, at);
  for (const std::string_view kind : {"FEATURE_DATA_TYPE_", "WEIGHT_DATA_TYPE_"})
    if (name.starts_with(kind)) return add_type(kind, name.substr(kind.size()), at);
  const auto cut = name.rfind('_');
  if (cut != name.npos && is_one_of(value_names, name.substr(0, cut)))
    return add_value(name.substr(0, cut), name.substr(cut + 1), at);
  if (name.starts_with("_") || name.ends_with("_H") || name.ends_with("_H_")) return;  // a guard
  complain(at, "'", name, "' is unknown");
}

NVDLAC_IMPL void spec_reader::add_switch(std::string_view name, bool on, std::size_t at) {
  const auto [known, is_new] = switches_.try_emplace(std::string(name), on, at);
  if (!is_new && known->second.first != on)
    complain(at, name, (on ? " is enabled, and disabled" : " is disabled, and enabled"),
             " in line ", known->second.second);
}

NVDLAC_IMPL void spec_reader::add_value(std::string_view name, std::string_view value,
                                        std::size_t at) {
  if (!is_one_of(value_names, name)) {
    const bool is_derived =
        name.ends_with("_LOG2") || is_one_of(derived, name) ||
        std::ranges::any_of(derived_begins, [&](auto b) { return name.starts_with(b); });
    if (!is_derived) complain(at, "'", name, "' is unknown");
    return;
  }
  const auto v = number(value);
  if (!v && value != "x") return complain(at, name, " '", value, "' is no number");
  const given now{v.value_or(0), !v, at};
  const auto [known, is_new] = values_.try_emplace(std::string(name), now);
  if (!is_new && (known->second.value != now.value || known->second.none != now.none))
    complain(at, name, " is ", value, ", and another number in line ", known->second.line);
}

NVDLAC_IMPL void spec_reader::add_type(std::string_view kind, std::string_view type,
                                       std::size_t at) {
  if (type != "INT8" && type != "INT16" && type != "FP16")
    return complain(at, kind, type, ": the types are INT8, INT16 and FP16");
  types_[std::string(kind)].insert(std::string(type));
}

NVDLAC_IMPL bool spec_reader::is_on(std::string_view name) {
  const auto known = switches_.find(std::string(name));
  if (known != switches_.end()) return known->second.first;
  // A header defines what is there; a definition says of everything whether it is.
  if (!is_header_ && name != "RETIMING")
    complain(0, "says neither ", name, "_ENABLE nor ", name, "_DISABLE");
  return false;
}

NVDLAC_IMPL std::uint32_t spec_reader::value(std::string_view name) {
  const auto known = values_.find(std::string(name));
  if (known == values_.end()) complain(0, "says nothing of ", name);
  else if (known->second.none) complain(known->second.line, name, " is x, but it is needed");
  else return known->second.value;
  return 0;
}

NVDLAC_IMPL void spec_reader::data_types(bool first) {
  auto& types = out_.spec.data_types;
  if (first) {
    types = {true, true, true};
    return;
  }
  const auto& features = types_["FEATURE_DATA_TYPE_"];
  const auto& weights = types_["WEIGHT_DATA_TYPE_"];
  if (features != weights) complain(0, "features and weights have different data types");
  types = {features.contains("INT8"), features.contains("INT16"), features.contains("FP16")};
}

NVDLAC_IMPL void spec_reader::sdp() {
  auto& s = out_.spec;
  for (const char* unit : {"SDP_BS", "SDP_BN"})
    if (!is_on(unit)) complain(0, unit, " is disabled: nvdlac knows no NVDLA without it");
  const auto bs = value("SDP_BS_THROUGHPUT"), bn = value("SDP_BN_THROUGHPUT");
  if (bs != bn)
    complain(0, "SDP_BS_THROUGHPUT is ", bs, " and SDP_BN_THROUGHPUT ", bn,
             ": nvdlac knows no NVDLA where they differ");
  s.sdp_bs_bn_throughput = bs;
  s.sdp_lut = is_on("SDP_LUT");
  s.sdp_ew_throughput = 0;
  if (!is_on("SDP_EW")) return;
  const auto ew = values_.find("SDP_EW_THROUGHPUT");
  const bool one = ew != values_.end() && ew->second.none;  // as NVIDIA's build takes it
  s.sdp_ew_throughput = one ? 1 : value("SDP_EW_THROUGHPUT");
}

}  // namespace detail

NVDLAC_IMPL read_configuration read_spec(std::istream& in, const std::string& file) {
  return detail::spec_reader(in, file).take();
}

}  // namespace nvdlac::hw
