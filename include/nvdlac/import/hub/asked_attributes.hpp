// SPDX-License-Identifier: Apache-2.0
#pragma once
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

  // Returns the value, or null where there is none. The name is understood from now on, also where
  // `has` or `ignore` is given it.
  const Value* find(std::string_view name) const {
    asked_.emplace(name);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
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
