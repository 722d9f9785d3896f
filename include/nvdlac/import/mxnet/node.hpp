// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the conversion of one node of a symbol works with.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/mxnet/params.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

using translation::operand;
using translation::sliding_window;

// One operator with its attributes, all of which are texts. All must be understood.
class symbol_node {
 public:
  symbol_node(const translation::file_layer& l, std::map<std::string, std::string> attributes)
      : layer(l), attributes_(std::move(attributes)) {}

  const translation::file_layer& layer;

  std::string word(const char* name, const std::string& otherwise) const {
    const auto* v = find(name);
    return v == nullptr ? otherwise : *v;
  }
  bool flag(const char* name, bool otherwise) const {
    const auto* v = find(name);
    if (v == nullptr) return otherwise;
    if (*v == "True" || *v == "true" || *v == "1") return true;
    if (*v == "False" || *v == "false" || *v == "0") return false;
    throw not_understood(name, *v);
  }
  float number(const char* name, std::optional<float> otherwise) const {
    const auto* v = find(name);
    if (v == nullptr && !otherwise) throw error(text("its ", name, " is missing"));
    return v == nullptr ? *otherwise : parsed<float>(name, *v);
  }
  std::int64_t integer(const char* name, std::optional<std::int64_t> otherwise = {}) const {
    const auto* v = find(name);
    if (v == nullptr && !otherwise) throw error(text("its ", name, " is missing"));
    return v == nullptr ? *otherwise : parsed<std::int64_t>(name, *v);
  }
  // "(3, 3)", "[3,3]" or "3"; nothing: it is absent. None within is that number.
  std::optional<dims> integers(const char* name,
                               std::optional<std::int64_t> none = std::nullopt) const {
    const auto* v = find(name);
    if (v == nullptr) return std::nullopt;
    dims d;
    std::string part;
    const auto end_part = [&] {
      if (part == "None" && none) d.push_back(*none);
      else if (!part.empty()) d.push_back(parsed<std::int64_t>(name, part));
      part.clear();
    };
    for (const char c : *v)
      if (c == ',') end_part();
      else if (std::string_view("()[] \tL").find(c) == std::string_view::npos) part += c;
    end_part();
    return d;
  }
  // A number for each axis of a window.
  dims per_axis(const char* name, std::size_t axes, std::int64_t otherwise) const {
    const auto d = integers(name);
    if (!d || d->empty()) return dims(axes, otherwise);
    if (d->size() != axes) throw error(text("its ", name, " is ", onnx_format::to_text(*d)));
    return *d;
  }
  // What an attribute must be, if it is there.
  void require(const char* name, std::initializer_list<std::string_view> allowed) const {
    const auto* v = find(name);
    if (v != nullptr && std::ranges::find(allowed, *v) == allowed.end())
      throw error(text("its ", name, " is ", *v, ", which is not supported"));
  }
  void ignore(std::initializer_list<const char*> names) const {
    for (const char* name : names) used_.insert(name);
  }
  void require_understood() const {
    // How it is computed or was trained, and what the user noted.
    static const std::set<std::string_view> of_all = {
        "workspace", "cudnn_off", "cudnn_tune", "lr_mult", "wd_mult", "force_mirroring",
        "mirror_stage", "ctx_group"};
    require("dtype", {"float32", "float16", "float64"});
    std::vector<problem> all;
    for (const auto& [name, value] : attributes_)
      if (!used_.contains(name) && !of_all.contains(name) && !name.starts_with("__") &&
          !name.ends_with("_lr_mult") && !name.ends_with("_wd_mult"))
        all.push_back({.reason = text("its attribute ", name, " (", value, ") is not understood"),
                       .remedy = "leave it at its default"});
    if (!all.empty()) throw error(all);
  }

 private:
  const std::string* find(const char* name) const {
    used_.insert(name);
    const auto found = attributes_.find(name);
    return found == attributes_.end() || found->second == "None" ? nullptr : &found->second;
  }
  static error not_understood(const char* name, const std::string& value) {
    return error(text("its ", name, " is ", value, ", which is not understood"));
  }
  template <class Number>
  static Number parsed(const char* name, const std::string& value) {
    Number v{};
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), v);
    if (failed != std::errc() || end != value.data() + value.size())
      throw not_understood(name, value);
    return v;
  }

  std::map<std::string, std::string> attributes_;
  mutable std::set<std::string> used_;
};

// What the conversion of a node works with.
class conversion {
 public:
  conversion(const symbol_node& node, translation::channels_first_translator& all)
      : n(node), all_(all) {}

  const symbol_node& n;

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return n.layer.name; }
  std::size_t inputs() const { return n.layer.inputs.size(); }
  const operand& in(std::size_t i) const {
    if (i >= inputs()) throw error(text("its input ", i, " is missing"));
    return all_.at(n.layer.inputs[i]);
  }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ", inputs(), " inputs"));
  }
  const operand& only() const {
    require_inputs(1, 1);
    return in(0);
  }
  // As many as its num_args tells.
  std::vector<operand> all() const {
    require_inputs(1, 1024);
    const auto told = n.integer("num_args", static_cast<std::int64_t>(inputs()));
    if (!std::cmp_equal(told, inputs()))
      throw error(text("it has ", inputs(), " inputs, but its num_args is ", told));
    std::vector<operand> found;
    for (std::size_t i = 0; i < inputs(); ++i) found.push_back(in(i));
    return found;
  }
  std::optional<operand> bias(std::size_t i, bool none) const {
    const bool left_out = n.flag("no_bias", none);
    require_inputs(left_out ? i : i + 1, left_out ? i : i + 1);
    if (left_out) return std::nullopt;
    return in(i);
  }

 private:
  translation::channels_first_translator& all_;
};

}  // namespace nvdlac::import::mxnet_format
