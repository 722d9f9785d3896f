// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/plain_value.hpp>

namespace nvdlac::import::hub {

// Attributes of an operator in a file, by name, all of which must be understood: it remembers which
// names were asked for, so that the others can be reported. `Values` tells of the format
//   value             how it stores one,
//   plain(value)      which plain value that is,
//   call(name)        what messages call it: "its attribute alpha",
// and, where the format has it,
//   shown(value)      how a message shows one, if not as the plain value,
//   is_ignored(name)  whether it tells nothing of the operator's result,
//   refusal(name, value, kind)  the refusal of a value that is none of a kind.
template <class Values>
class asked_attributes {
 public:
  using stored = typename Values::value;
  using by_name = std::map<std::string, stored, std::less<>>;

  explicit asked_attributes(Values values = {}) : values_(std::move(values)) {}

  // Adds an attribute. It may not be there already.
  void add(std::string name, stored v) {
    const auto [at, is_new] = all_.emplace(std::move(name), std::move(v));
    if (!is_new) throw error(values_.call(at->first) + " is given twice");
  }

  // Returns the value as the format stores it, or null where there is none. The name is understood
  // from now on, as by all questions that follow.
  const stored* find(std::string_view name) const {
    asked_.emplace(name);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  void ignore(std::initializer_list<std::string_view> names) const {
    for (const auto name : names) asked_.emplace(name);
  }

  // The value as a `T`; nothing: it is not there. Throws `error` where it is of another kind.
  template <class T>
  std::optional<T> given(std::string_view name) const {
    const auto* v = find(name);
    if (v == nullptr) return std::nullopt;
    auto found = read_as<T>(values_.plain(*v));
    if (!found) throw refusal(name, *v, kind_of<T>());
    return found;
  }
  // The value, which must be there.
  template <class T>
  T required(std::string_view name) const {
    auto found = given<T>(name);
    if (!found) throw error(values_.call(name) + " is missing");
    return *std::move(found);
  }

  // The value, or another one where it is not there; without another one it must be there.
  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {}) const {
    return otherwise ? given<std::int64_t>(name).value_or(*otherwise)
                     : required<std::int64_t>(name);
  }
  float number(std::string_view name, std::optional<float> otherwise = {}) const {
    return otherwise ? given<float>(name).value_or(*otherwise) : required<float>(name);
  }
  bool flag(std::string_view name, bool otherwise = false) const {
    return given<bool>(name).value_or(otherwise);
  }
  std::string string(std::string_view name, const std::string& otherwise) const {
    return given<std::string>(name).value_or(otherwise);
  }
  // Lists; nothing: it is not there.
  std::optional<dims> integers(std::string_view name) const { return given<dims>(name); }
  std::optional<std::vector<float>> numbers(std::string_view name) const {
    return given<std::vector<float>>(name);
  }
  std::optional<std::vector<std::string>> strings(std::string_view name) const {
    return given<std::vector<std::string>>(name);
  }

  // All attributes, without asking for one.
  const by_name& values() const { return all_; }
  // The attributes that nobody asked for, in the order of their names, but for those that tell
  // nothing.
  std::vector<std::pair<std::string, stored>> unasked() const {
    std::vector<std::pair<std::string, stored>> found;
    for (const auto& a : all_)
      if (!asked_.contains(a.first) && !is_ignored(a.first)) found.push_back(a);
    return found;
  }
  // A problem for each of them.
  std::vector<problem> not_understood() const {
    std::vector<problem> wrong;
    for (const auto& [name, v] : unasked()) {
      const auto s = shown_value(v);
      wrong.push_back({.reason = values_.call(name) + (s.empty() ? s : " (" + s + ")") +
                                 " is not understood",
                       .remedy = remedy()});
    }
    return wrong;
  }
  void require_understood() const {
    if (auto wrong = not_understood(); !wrong.empty()) throw error(std::move(wrong));
  }

  // The refusal of a value that is none of a kind.
  error refusal(std::string_view name, const stored& v, value_kind kind) const {
    if constexpr (requires { values_.refusal(name, v, kind); })
      return values_.refusal(name, v, kind);
    else {
      const auto s = shown_value(v);
      return error(text(values_.call(name), " is ", s, s.empty() ? "not " : ", not ",
                        words_for(kind)));
    }
  }

 protected:
  const Values& format() const { return values_; }

 private:
  bool is_ignored([[maybe_unused]] std::string_view name) const {
    if constexpr (requires { values_.is_ignored(name); }) return values_.is_ignored(name);
    else return false;
  }
  std::string shown_value(const stored& v) const {
    if constexpr (requires { values_.shown(v); }) return values_.shown(v);
    else return shown(values_.plain(v));
  }
  std::string remedy() const {
    if (asked_.empty()) return "it has none that are";
    return "understood are " + joined({asked_.begin(), asked_.end()});
  }

  Values values_;
  by_name all_;
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace nvdlac::import::hub
