// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/plain_value.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::hub {

NVDLAC_IMPL untyped_number number_of(double v) {
  constexpr double most = 9e15;  // the doubles below it have their units
  untyped_number n{.real = v};
  if (std::fabs(v) < most && v == std::floor(v)) n.whole = static_cast<std::int64_t>(v);
  return n;
}

NVDLAC_IMPL untyped_number number_of(std::int64_t v) {
  return {.real = static_cast<double>(v), .whole = v};
}

NVDLAC_IMPL const char* words_for(value_kind k) {
  switch (k) {
    case value_kind::flag: return "0 or 1 (false or true)";
    case value_kind::integer: return "a whole number";
    case value_kind::number: return "a number";
    case value_kind::string: return "a text";
    case value_kind::integers: return "a list of whole numbers";
    case value_kind::numbers: return "a list of numbers";
    case value_kind::strings: break;
  }
  return "a list of texts";
}

namespace detail {

// The whole text as a number; nothing: it is none, or lies beyond what the type holds.
template <class Number>
std::optional<Number> number_in_text(std::string_view s) {
  if (s.starts_with('+')) s.remove_prefix(1);
  Number v{};
  const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (failed != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return v;
}

template <class Number>
std::optional<std::vector<Number>> list_in_text(std::string_view rest) {
  std::vector<Number> all;
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto one = number_in_text<Number>(rest.substr(0, comma));
    if (!one) return std::nullopt;
    all.push_back(*one);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return all;
}

inline std::optional<float> as_float(double v) {
  if (std::isfinite(v) && std::fabs(v) > double{std::numeric_limits<float>::max()})
    return std::nullopt;
  return static_cast<float>(v);
}

inline std::optional<bool> as_flag(std::int64_t v) {
  return v == 0 || v == 1 ? std::optional(v == 1) : std::nullopt;
}

// The only number of an array.
inline std::optional<untyped_number> only_number(const array& a) {
  if (a.size() != 1) return std::nullopt;
  return a.real ? number_of(double{a.reals[0]}) : number_of(a.integers[0]);
}

// The value as an untyped number, if it is one or an array of one.
inline std::optional<untyped_number> untyped(const plain_value& v) {
  if (const auto* n = std::get_if<untyped_number>(&v)) return *n;
  if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v)) return only_number(**a);
  return std::nullopt;
}

}  // namespace detail

template <>
NVDLAC_IMPL std::optional<std::int64_t> read_as(const plain_value& v) {
  if (const auto* n = std::get_if<std::int64_t>(&v)) return *n;
  if (const auto* c = std::get_if<characters>(&v))
    return detail::number_in_text<std::int64_t>(c->all);
  const auto n = detail::untyped(v);
  return n ? n->whole : std::nullopt;
}

template <>
NVDLAC_IMPL std::optional<bool> read_as(const plain_value& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  if (const auto* c = std::get_if<characters>(&v)) {
    if (c->all == "True" || c->all == "true") return true;
    if (c->all == "False" || c->all == "false") return false;
  }
  const auto n = read_as<std::int64_t>(v);
  return n ? detail::as_flag(*n) : std::nullopt;
}

template <>
NVDLAC_IMPL std::optional<float> read_as(const plain_value& v) {
  if (const auto* f = std::get_if<float>(&v)) return *f;
  if (const auto* c = std::get_if<characters>(&v)) return detail::number_in_text<float>(c->all);
  const auto n = detail::untyped(v);
  return n ? detail::as_float(n->real) : std::nullopt;
}

template <>
NVDLAC_IMPL std::optional<std::string> read_as(const plain_value& v) {
  if (const auto* c = std::get_if<characters>(&v)) return c->all;
  const auto* s = std::get_if<std::string>(&v);
  return s != nullptr ? std::optional(*s) : std::nullopt;
}

template <>
NVDLAC_IMPL std::optional<dims> read_as(const plain_value& v) {
  if (const auto* d = std::get_if<dims>(&v)) return *d;
  if (const auto* c = std::get_if<characters>(&v))
    return detail::list_in_text<std::int64_t>(c->all);
  if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v))
    return (*a)->real ? std::nullopt : std::optional((*a)->integers);
  if (const auto* n = std::get_if<untyped_number>(&v))
    return n->whole ? std::optional(dims{*n->whole}) : std::nullopt;
  const auto* list = std::get_if<std::vector<untyped_number>>(&v);
  if (list == nullptr) return std::nullopt;
  dims d;
  for (const auto& n : *list) {
    if (!n.whole) return std::nullopt;
    d.push_back(*n.whole);
  }
  return d;
}

template <>
NVDLAC_IMPL std::optional<std::vector<float>> read_as(const plain_value& v) {
  if (const auto* f = std::get_if<std::vector<float>>(&v)) return *f;
  if (const auto* c = std::get_if<characters>(&v)) return detail::list_in_text<float>(c->all);
  if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v))
    return (*a)->real ? std::optional((*a)->reals) : std::nullopt;
  const auto* one = std::get_if<untyped_number>(&v);
  const auto* list = std::get_if<std::vector<untyped_number>>(&v);
  if (one == nullptr && list == nullptr) return std::nullopt;
  std::vector<float> all;
  for (const auto& n : one != nullptr ? std::vector{*one} : *list) {
    const auto f = detail::as_float(n.real);
    if (!f) return std::nullopt;
    all.push_back(*f);
  }
  return all;
}

template <>
NVDLAC_IMPL std::optional<std::vector<std::string>> read_as(const plain_value& v) {
  if (const auto* s = std::get_if<std::vector<std::string>>(&v)) return *s;
  const auto* list = std::get_if<std::vector<untyped_number>>(&v);
  return list != nullptr && list->empty() ? std::optional(std::vector<std::string>())
                                          : std::nullopt;
}

namespace detail {

struct shown_value {
  std::string operator()(own_value) const { return {}; }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(std::int64_t v) const { return text(v); }
  std::string operator()(float v) const { return text(v); }
  std::string operator()(const untyped_number& v) const {
    return v.whole ? text(*v.whole) : text(v.real);
  }
  std::string operator()(const std::string& v) const { return '"' + escape::line(v) + '"'; }
  std::string operator()(const characters& v) const { return escape::line(v.all); }
  std::string operator()(const std::shared_ptr<const array>& a) const {
    return a->real ? (*this)(a->reals) : (*this)(a->integers);
  }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    constexpr std::size_t most = 16;
    std::string s = "[";
    for (std::size_t i = 0; i < std::min(list.size(), most); ++i)
      s += (i == 0 ? "" : ", ") + (*this)(list[i]);
    return s + (list.size() > most ? ", ..]" : "]");
  }
};

}  // namespace detail

NVDLAC_IMPL std::string shown(const plain_value& v) {
  constexpr std::size_t most = 60;
  auto s = std::visit(detail::shown_value{}, v);
  return s.size() > most ? s.substr(0, most) + ".." : s;
}

}  // namespace nvdlac::import::hub
