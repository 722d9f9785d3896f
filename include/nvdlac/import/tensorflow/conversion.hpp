// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

// An output of a node, by the node's number.
struct port {
  std::size_t node = 0;
  std::size_t output = 0;
  auto operator<=>(const port&) const = default;
};

// A node of the graph, with its inputs found. An attribute that is left out has its default.
class node {
 public:
  node(std::string name, const proto::view& fields);

  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::vector<port> inputs{};  // without control inputs

  bool has(const char* name) const { return attributes_.has(name); }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  float number(const char* name, float otherwise) const;
  std::string string(const char* name, const std::string& otherwise) const;
  std::int64_t type(const char* name, std::int64_t otherwise = dt_none) const;
  std::optional<dims> integers(const char* name) const;
  std::optional<proto::view> message(const char* name, const char* kind) const;

  // Every other attribute that names a type, with it.
  std::vector<std::pair<std::string, std::int64_t>> further_types() const;
  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const;

 private:
  // Whether it changes no value: notes of tools, and how TensorFlow computes on its own devices.
  static bool is_ignored(std::string_view name);
  error mistyped(const char* name) const {
    return error(text("attribute '", name, "' is of another type than its operator has"));
  }
  std::optional<proto::view> find(const char* name, const char* kind) const;

  std::string name_, op_;
  hub::asked_attributes<proto::view> attributes_;
};

using hub::attribute;
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

  std::int32_t of(port p, const node& n);
  tensor& operator[](std::int32_t index) { return all_[static_cast<std::size_t>(index)]; }
  std::map<std::int32_t, blocks>& cut() { return cut_; }

 private:
  std::deque<tensor> all_;
  std::map<port, std::int32_t> numbers_;
  std::map<std::int32_t, blocks> cut_;
};

// The context in which one node is converted, with its attributes.
class conversion : public translation::conversion {
 public:
  conversion(const tensorflow_format::node& from, const indices& inputs, const indices& outputs,
             values& all, tensors& of_graph, const blocks& crops);

  const tensorflow_format::node& n;
  const blocks& crops_ahead;  // of the BatchToSpaceND behind it; empty: there is none

  std::int64_t type_of(std::size_t i) const { return tensors_.at(inputs_[i]).type; }
  // Other than that of the input that tells the types of outputs.
  void set_type(std::int64_t type) const { tensors_[outputs_[0]].type = type; }
  const blocks* cut(std::size_t i) const;
  void set_cut(blocks b) const { tensors_.cut()[outputs_[0]] = std::move(b); }

  void require_count(const char* attribute, std::size_t wanted) const;
  // The single number or the list in constant input i.
  std::int64_t single(std::size_t i, const char* what) const;
  // Input 0 as it is.
  void pass(std::size_t i = 0) const;

  bool channels_first() const;
  // The window of an operator on a picture.
  translation::window window() const;
  // The numbers for height and width in a list of four.
  dims spatial(const char* attribute, const translation::window& w, bool required) const;

 private:
  const indices& inputs_;
  const indices& outputs_;
  tensors& tensors_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/conversion.ipp>
#endif
