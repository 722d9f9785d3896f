// SPDX-License-Identifier: Apache-2.0
#pragma once
// One operation of an ML program: its inputs have names, and all that it is told is an input.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/values.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

using translation::operand;

// The values that operations of the type const give, by their names.
using constants = std::map<std::string, proto::view>;

class operation {
 public:
  operation(const proto::view& op, const translation::file_layer& l, const constants& known,
            value_reader& values, translation::channels_first_translator& all)
      : layer_(l), known_(known), values_(values), all_(all) {
    for (const auto& entry : op.children("inputs"))
      if (!inputs_.emplace(entry.string("key"), entry.child("value").children("arguments")).second)
        throw error("its input " + entry.string("key") + " is given twice");
  }

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return layer_.name; }
  std::string name(const char* step) const { return layer_.name + '/' + step; }
  std::size_t outputs() const { return layer_.outputs.size(); }

  bool has(const char* key) const { return find(key) != nullptr; }
  operand tensor(const char* key = "x") const {
    const auto all = tensors(key);
    if (all.size() != 1) throw error(text("its input ", key, " has ", all.size(), " tensors"));
    return all[0];
  }
  std::vector<operand> tensors(const char* key) const {
    const auto* given = find(key);
    if (given == nullptr) throw error(text("its input ", key, " is missing"));
    std::vector<operand> found;
    for (const auto& b : *given)
      found.push_back(b.has("name") ? all_.at(b.string("name"))
                                    : operand::of(values_.read(b.child("value"))));
    return found;
  }
  std::optional<operand> optional(const char* key) const {
    return has(key) ? std::optional(tensor(key)) : std::nullopt;
  }
  std::optional<dims> integers(const char* key) const {
    if (!has(key)) return std::nullopt;
    const auto a = constant(key);
    if (a.real) throw error(text("its input ", key, " has no integers"));
    return a.integers;
  }
  // One for each of the window's two dimensions.
  dims pair(const char* key, std::int64_t otherwise) const {
    const auto found = integers(key).value_or(dims{otherwise, otherwise});
    if (found.size() != 2)
      throw error(problem{.reason = text("its ", key, " are ", onnx_format::to_text(found)),
                          .remedy = "windows of two dimensions are supported"});
    return found;
  }
  std::vector<bool> flags(const char* key) const {
    std::vector<bool> all;
    for (const auto i : integers(key).value_or(dims{})) all.push_back(i != 0);
    return all;
  }
  std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return has(key) ? static_cast<std::int64_t>(single(key)) : otherwise;
  }
  bool flag(const char* key, bool otherwise = false) const {
    return integer(key, otherwise ? 1 : 0) != 0;
  }
  float number(const char* key, double otherwise) const {
    return static_cast<float>(has(key) ? single(key) : otherwise);
  }
  std::string word(const char* key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    const auto texts = value(key).child("immediateValue").child("tensor").child("strings");
    const auto all = texts.has("values") ? texts.strings("values") : std::vector<std::string>{};
    if (all.size() != 1) throw error(text("its input ", key, " is no text"));
    return all[0];
  }
  std::int64_t axis(const char* key, std::int64_t otherwise, std::size_t rank) const {
    return onnx_format::checked_axis(integer(key, otherwise), rank);
  }
  void require_understood() const {
    std::vector<problem> wrong;
    for (const auto& [key, ignored] : inputs_)
      if (!used_.contains(key))
        wrong.push_back({.reason = "its input " + key + " is not understood"});
    if (!wrong.empty()) throw error(wrong);
  }

 private:
  const std::vector<proto::view>* find(const char* key) const {
    used_.insert(key);
    const auto found = inputs_.find(key);
    return found == inputs_.end() ? nullptr : &found->second;
  }
  // What must be known when the file is read.
  proto::view value(const char* key) const {
    const auto* given = find(key);
    if (given == nullptr || given->size() != 1)
      throw error(text("its input ", key, " is not one value"));
    const auto& b = given->front();
    if (!b.has("name")) return b.child("value");
    const auto found = known_.find(b.string("name"));
    if (found == known_.end())
      throw error(problem{.reason = text("its input ", key, " is computed"),
                          .remedy = "it must be known when the file is read"});
    return found->second;
  }
  array constant(const char* key) const { return values_.read(value(key)); }
  double single(const char* key) const {
    const auto a = constant(key);
    if (a.size() != 1) throw error(text("its input ", key, " has ", a.size(), " values"));
    return a.number(0);
  }

  const translation::file_layer& layer_;
  const constants& known_;
  value_reader& values_;
  translation::channels_first_translator& all_;
  std::map<std::string, std::vector<proto::view>> inputs_;
  mutable std::set<std::string> used_;
};

}  // namespace nvdlac::import::coreml_format
