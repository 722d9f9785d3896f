// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

// MXNet's files of parameters: lists of arrays, in all layouts that were written since 2015.

using onnx_format::array;
using onnx_format::dims;

// An array whose numbers are still bytes of the file.
struct stored_array {
  std::int32_t type = 0;
  dims shape{};
  std::string_view bytes{};

  array read() const {
    array a{.shape = shape};
    namespace d = onnx_format::array_detail;
    const auto real = [](auto v) { return static_cast<float>(v); };
    switch (type) {
      case 0: a.reals = d::unpack<float, float>(bytes, real); break;
      case 1: a.reals = d::unpack<double, float>(bytes, real); break;
      case 2: a.reals = d::unpack<std::uint16_t, float>(bytes, onnx_format::from_half); break;
      case 12: a.reals = d::unpack<std::uint16_t, float>(bytes, onnx_format::from_bfloat); break;
      default:
        throw error(problem{.reason = text("its numbers are of MXNet's type ", type),
                            .remedy = "float32, float64, float16 and bfloat16 are supported"});
    }
    return a;
  }
  static std::size_t size_of(std::int32_t type) {
    switch (type) {
      case 1: case 6: return 8;
      case 0: case 4: return 4;
      case 2: case 12: return 2;
      case 3: case 5: case 7: return 1;
      default: throw error(text("an array has numbers of type ", type, ", which is not known"));
    }
  }
};

class params {
 public:
  // The content outlives the parameters. Little endian, as the machines this runs on are.
  explicit params(std::string_view content) : rest_(content) {
    if (number<std::uint64_t>() != 0x112) throw error("it is no list of MXNet's arrays");
    (void)number<std::uint64_t>();
    const auto n = number<std::uint64_t>();
    require_within(&budget::fields, n);
    std::vector<stored_array> all;
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(next());
    const auto names = number<std::uint64_t>();
    if (names != n)
      throw error(problem{.reason = text("it has ", names, " names for ", n, " arrays"),
                          .remedy = "save the parameters with their names, as save_checkpoint and "
                                    "export do"});
    for (auto& a : all) {
      const auto name = std::string(bytes(number<std::uint64_t>()));
      if (!all_.emplace(without_kind(name), a).second)
        throw error("it has two arrays '" + name + "'");
    }
    if (!rest_.empty()) throw error(text(rest_.size(), " bytes follow its arrays"));
  }

  const stored_array* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }

 private:
  // Of arg:conv_weight and aux:bn_moving_mean.
  static std::string without_kind(const std::string& name) {
    return name.starts_with("arg:") || name.starts_with("aux:") ? name.substr(4) : name;
  }
  std::string_view bytes(std::uint64_t n) {
    if (n > rest_.size())
      throw error(problem{.reason = "it ends within an array or a name",
                          .remedy = "the file is corrupt or was cut off"});
    const auto part = rest_.substr(0, static_cast<std::size_t>(n));
    rest_.remove_prefix(part.size());
    return part;
  }
  template <class Number>
  Number number() {
    Number v;
    std::memcpy(&v, bytes(sizeof v).data(), sizeof v);
    return v;
  }
  template <class Number>
  dims shape(std::int64_t rank) {
    if (rank < 0 || rank > 32) throw error(text("an array has ", rank, " dimensions"));
    dims d;
    for (std::int64_t i = 0; i < rank; ++i)
      d.push_back(static_cast<std::int64_t>(number<Number>()));
    return d;
  }
  stored_array next() {
    const auto word = number<std::uint32_t>();
    stored_array a;
    bool scalar = false;
    if (word == 0xF993FAC9 || word == 0xF993FACA) {  // since 2017, and with numpy's shapes
      if (const auto kind = number<std::int32_t>(); kind != 0)
        throw error(problem{.reason = "an array is sparse", .remedy = "save it as a dense one"});
      const auto rank = number<std::int32_t>();
      scalar = word == 0xF993FACA && rank == 0;
      if (word == 0xF993FACA && rank == -1) return a;
      a.shape = shape<std::int64_t>(rank);
    } else if (word == 0xF993FAC8) {
      a.shape = shape<std::int64_t>(number<std::int32_t>());
    } else {  // the first ones: the word is the number of dimensions
      a.shape = shape<std::uint32_t>(word);
    }
    if (a.shape.empty() && !scalar) return a;  // without values: nothing follows
    (void)number<std::int32_t>();  // where it was computed
    (void)number<std::int32_t>();
    a.type = number<std::int32_t>();
    a.bytes = bytes(static_cast<std::uint64_t>(onnx_format::count(a.shape)) *
                    stored_array::size_of(a.type));
    return a;
  }

  std::string_view rest_;
  std::map<std::string, stored_array> all_;
};

// What the conversion of one node of a symbol works with.

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
