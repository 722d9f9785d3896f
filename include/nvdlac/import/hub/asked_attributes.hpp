// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac::import::hub {

// Attributes of an operator in a file, by name, all of which must be understood: it remembers which
// names were asked for, so that the others can be reported. `Value` is what the format has for one.
template <class Value>
class asked_attributes {
 public:
  using all = std::map<std::string, Value, std::less<>>;

  // Adds an attribute; returns false where its name is there already.
  bool add(std::string name, Value value) {
    return all_.emplace(std::move(name), std::move(value)).second;
  }

  // Null where it is not there. From now on the name is understood, and so for all that follow.
  const Value* find(std::string_view name) const {
    asked_.emplace(name);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Returns what read(value) gives, or nothing where the attribute is not there.
  template <class Read>
  auto read(std::string_view name, const Read& read) const
      -> std::optional<std::remove_cvref_t<std::invoke_result_t<const Read&, const Value&>>> {
    const auto* v = find(name);
    if (v == nullptr) return std::nullopt;
    return read(*v);
  }
  void ignore(std::initializer_list<std::string_view> names) const {
    for (const auto name : names) asked_.emplace(name);
  }

  // All attributes, without asking for one.
  const all& values() const { return all_; }
  // The attributes that nobody asked for, in the order of their names.
  std::vector<std::pair<std::string, Value>> unasked() const {
    std::vector<std::pair<std::string, Value>> found;
    for (const auto& a : all_)
      if (!asked_.contains(a.first)) found.push_back(a);
    return found;
  }
  // The names that were asked for, whether they are there or not.
  std::string asked() const { return joined({asked_.begin(), asked_.end()}); }

 private:
  all all_;
  mutable std::set<std::string, std::less<>> asked_;
};

// The value, which must be there.
template <class T>
T required(std::optional<T> value, std::string_view name) {
  if (!value) throw error(text("its ", name, " is missing"));
  return *std::move(value);
}

}  // namespace nvdlac::import::hub
