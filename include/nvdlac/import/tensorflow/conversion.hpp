// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

// An output of a node, by the node's number.
struct port {
  std::size_t node = 0;
  std::size_t output = 0;
  auto operator<=>(const port&) const = default;
};

// A node of the graph, with its inputs found. It remembers which attributes were asked for, so that
// those which nobody understands can be reported. One that is left out has its default.
class node {
 public:
  node(std::string name, const proto::view& fields)
      : name_(std::move(name)), op_(fields.string("op")) {
    for (const auto& a : fields.children("attr"))
      if (!attributes_.emplace(a.string("key"), a.child("value")).second)
        throw error(problem{.layer = name_,
                            .reason = "attribute '" + a.string("key") + "' is given twice"});
  }

  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::vector<port> inputs{};  // without control inputs

  bool has(const char* name) const {
    asked_.insert(name);
    return attributes_.contains(name);
  }
  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const auto a = find(name, "i");
    return a ? a->integer("i") : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    const auto a = find(name, "b");
    return a ? a->flag("b", false) : otherwise;
  }
  float number(const char* name, float otherwise) const {
    const auto a = find(name, "f");
    return a ? a->number("f") : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise) const {
    const auto a = find(name, "s");
    return a ? a->bytes("s") : otherwise;
  }
  std::int64_t type(const char* name, std::int64_t otherwise = dt_none) const {
    const auto a = find(name, "type");
    return a ? a->integer("type") : otherwise;
  }
  std::optional<dims> integers(const char* name) const {
    const auto a = find(name, "list");
    if (!a) return std::nullopt;
    const auto list = a->child("list");
    for (const char* other : {"s", "f", "b", "type", "shape", "tensor", "func"})
      if (list.size(other) != 0) throw mistyped(name);
    return list.values<std::int64_t>("i");
  }
  std::optional<proto::view> message(const char* name, const char* kind) const {
    const auto a = find(name, kind);
    if (!a) return std::nullopt;
    return a->child(kind);
  }

  // Every other attribute that names a type, with it.
  std::vector<std::pair<std::string, std::int64_t>> further_types() const {
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const auto& [name, a] : attributes_)
      if (!asked_.contains(name) && !is_ignored(name) && a.has("type"))
        found.emplace_back(name, type(name.c_str()));
    return found;
  }
  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const {
    for (const auto& [name, ignored] : attributes_)
      if (!asked_.contains(name) && !is_ignored(name))
        problems.add({.file = file, .layer = name_,
                      .reason = "attribute '" + name + "' of " + op_ + " is not understood"});
  }

 private:
  // What changes no value: notes of tools, and how TensorFlow computes on its own devices.
  static bool is_ignored(std::string_view name) {
    static const std::set<std::string_view> known = {
        "use_cudnn_on_gpu", "container", "shared_name", "message", "validate_shape",
        "use_locking", "allowed_devices", "debug_name", "config", "config_proto", "executor_type",
        "exponential_avg_factor", "grad_x", "grad_y", "preferred_shape"};
    return name.starts_with("_") || known.contains(name);
  }
  error mistyped(const char* name) const {
    return error(text("attribute '", name, "' is of another type than its operator has"));
  }
  std::optional<proto::view> find(const char* name, const char* kind) const {
    asked_.insert(name);
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) return std::nullopt;
    for (const char* k : {"list", "s", "i", "f", "b", "type", "shape", "tensor", "placeholder",
                          "func"})
      if (found->second.has(k) != (std::string_view(k) == kind)) throw mistyped(name);
    return found->second;
  }

  std::string name_, op_;
  std::map<std::string, proto::view> attributes_;
  mutable std::set<std::string> asked_;
};

using onnx_format::attribute;
using translation::computed;
using translation::names;
using translation::order;
using translation::values;

struct tensor : translation::tensor {
  std::int64_t type = dt_none;
  std::function<array()> read{};  // the values of a constant
};

// One axis of a picture that SpaceToBatchND cut into several: its pixels by turns. The pictures
// are kept as the one that they come from, without the zeros around it.
struct block {
  std::int64_t size = 1, before = 0, after = 0;       // zeros that are not part of it yet
  std::int64_t cropped_before = 0, cropped_after = 0;  // what was left out ahead of BatchToSpaceND
};
using blocks = std::vector<block>;  // by axis of the tensor

// The tensors of a graph, which grow as its nodes are converted.
class tensors : public translation::source {
 public:
  const tensor& at(std::int32_t index) const override {
    return all_[static_cast<std::size_t>(index)];
  }
  array constant(std::int32_t, bool) const override {  // those of the file are folded at once
    throw error("its values are not known");
  }

  std::int32_t of(port p, const node& n) {
    const auto [found, is_new] = numbers_.emplace(p, static_cast<std::int32_t>(all_.size()));
    if (is_new) {
      tensor t;
      t.name = p.output == 0 ? n.name() : text(n.name(), ':', p.output);
      t.told = false;
      all_.push_back(std::move(t));
    }
    return found->second;
  }
  tensor& operator[](std::int32_t index) { return all_[static_cast<std::size_t>(index)]; }
  std::map<std::int32_t, blocks>& cut() { return cut_; }

 private:
  std::deque<tensor> all_;
  std::map<port, std::int32_t> numbers_;
  std::map<std::int32_t, blocks> cut_;
};

// What the conversion of one node works with: also its attributes.
class conversion : public translation::conversion {
 public:
  conversion(const tensorflow_format::node& from, const indices& inputs, const indices& outputs,
             values& all, tensors& of_graph, const blocks& crops)
      : translation::conversion(inputs, outputs, all),
        n(from), crops_ahead(crops), inputs_(inputs), outputs_(outputs), tensors_(of_graph) {}

  const tensorflow_format::node& n;
  const blocks& crops_ahead;  // of the BatchToSpaceND behind it; empty: there is none

  std::int64_t type_of(std::size_t i) const { return tensors_.at(inputs_[i]).type; }
  // Other than that of the input that tells the types of outputs.
  void set_type(std::int64_t type) const { tensors_[outputs_[0]].type = type; }
  const blocks* cut(std::size_t i) const {
    const auto found = tensors_.cut().find(inputs_[i]);
    return found == tensors_.cut().end() ? nullptr : &found->second;
  }
  void set_cut(blocks b) const { tensors_.cut()[outputs_[0]] = std::move(b); }

  void require_count(const char* attribute, std::size_t wanted) const {
    const auto given = n.integer(attribute, static_cast<std::int64_t>(wanted));
    if (std::cmp_not_equal(given, wanted))
      throw error(text("attribute '", attribute, "' is ", given, ", but it has ", wanted));
  }
  // The single number or the list in constant input i.
  std::int64_t single(std::size_t i, const char* what) const {
    const dims d = integers(i, what);
    if (d.size() != 1) throw error(text("its ", what, " is no single number"));
    return d[0];
  }
  // Input 0 as it is.
  void pass(std::size_t i = 0) const {
    if (is_constant(i)) return give_constant(constant(i, "values"));
    give(all().result(inputs_[i]));
  }

  bool channels_first() const {
    const auto format = n.string("data_format", "NHWC");
    if (format == "NHWC" || format == "NCHW") return format == "NCHW";
    throw error(problem{.reason = "its data_format is " + format,
                        .remedy = "NHWC and NCHW are supported"});
  }
  // The window of an operator on a picture.
  translation::window window() const {
    using kind = translation::window::padding;
    translation::window w{.channels_first = channels_first()};
    w.strides = spatial("strides", w, true);
    w.dilations = spatial("dilations", w, false);
    const auto padding = n.string("padding", "");
    if (padding != "SAME" && padding != "VALID" && padding != "EXPLICIT")
      throw error(text("its padding is '", padding, "'"));
    w.kind = padding == "SAME" ? kind::same : padding == "VALID" ? kind::valid : kind::given;
    const dims explicit_pads = n.integers("explicit_paddings").value_or(dims{});
    if (w.kind == kind::given) {
      if (explicit_pads.size() != 8) throw error("its explicit_paddings are no 8 numbers");
      const auto at = 2 * w.first_axis();
      w.pads = {explicit_pads[at], explicit_pads[at + 2], explicit_pads[at + 1],
                explicit_pads[at + 3]};
      for (std::size_t i = 0; i < 8; ++i)
        if (explicit_pads[i] < 0 || ((i < at || i >= at + 4) && explicit_pads[i] != 0))
          throw error(text("its explicit_paddings are ", onnx_format::to_text(explicit_pads)));
    } else if (!explicit_pads.empty()) {
      throw error("it has explicit_paddings, but its padding is " + padding);
    }
    return w;
  }
  // The numbers for height and width in a list of four.
  dims spatial(const char* attribute, const translation::window& w, bool required) const {
    const auto given = n.integers(attribute);
    if (!given && !required) return {1, 1};
    if (!given || given->size() != 4)
      throw error(text("its ", attribute, " are no 4 numbers"));
    for (const std::size_t i : {std::size_t{0}, w.channel_axis()})
      if ((*given)[i] != 1)
        throw error(text("its ", attribute, " are ", onnx_format::to_text(*given)));
    return {(*given)[w.first_axis()], (*given)[w.first_axis() + 1]};
  }

 private:
  const indices& inputs_;
  const indices& outputs_;
  tensors& tensors_;
};

}  // namespace nvdlac::import::tensorflow_format
