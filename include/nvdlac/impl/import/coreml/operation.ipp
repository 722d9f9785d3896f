// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/operation.hpp>
#include <nvdlac/import/coreml/value_reader.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL operation::operation(const proto::view& op, const translation::file_layer& l,
                                 const constants& known, value_reader& values,
                                 translation::channels_first_translator& all)
    : layer_(l), known_(known), values_(values), all_(all) {
  for (const auto& entry : op.children("inputs"))
    if (!inputs_.add(entry.string("key"), entry.child("value").children("arguments")))
      throw error("its input " + entry.string("key") + " is given twice");
}

NVDLAC_IMPL operand operation::tensor(const char* key) const {
  const auto all = tensors(key);
  if (all.size() != 1) throw error(text("its input ", key, " has ",
                                        count_of(all.size(), "tensor")));
  return all[0];
}

NVDLAC_IMPL std::vector<operand> operation::tensors(const char* key) const {
  const auto* given = inputs_.find(key);
  if (given == nullptr) throw error(text("its input ", key, " is missing"));
  std::vector<operand> found;
  for (const auto& b : *given)
    found.push_back(b.has("name") ? all_.at(b.string("name"))
                                  : operand::of(values_.read(b.child("value"))));
  return found;
}

NVDLAC_IMPL std::optional<dims> operation::integers(const char* key) const {
  if (!has(key)) return std::nullopt;
  const auto a = constant(key);
  if (a.real) throw error(text("its input ", key, " has no integers"));
  return a.integers;
}

NVDLAC_IMPL dims operation::pair(const char* key, std::int64_t otherwise) const {
  const auto found = integers(key).value_or(dims{otherwise, otherwise});
  if (found.size() != 2)
    throw error(problem{.reason = text("its ", key, " are ", onnx_format::to_text(found)),
                        .remedy = "windows of two dimensions are supported"});
  return found;
}

NVDLAC_IMPL std::vector<bool> operation::flags(const char* key) const {
  std::vector<bool> all;
  for (const auto i : integers(key).value_or(dims{})) all.push_back(i != 0);
  return all;
}

NVDLAC_IMPL std::string operation::word(const char* key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  const auto texts = value(key).child("immediateValue").child("tensor").child("strings");
  const auto all = texts.has("values") ? texts.strings("values") : std::vector<std::string>{};
  if (all.size() != 1) throw error(text("its input ", key, " is no text"));
  return all[0];
}

NVDLAC_IMPL void operation::require_understood() const {
  std::vector<problem> wrong;
  for (const auto& [key, ignored] : inputs_.unasked())
    wrong.push_back({.reason = "its input " + key + " is not understood",
                     .remedy = "understood are " + inputs_.asked()});
  if (!wrong.empty()) throw error(wrong);
}

NVDLAC_IMPL proto::view operation::value(const char* key) const {
  const auto* given = inputs_.find(key);
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

NVDLAC_IMPL double operation::single(const char* key) const {
  const auto a = constant(key);
  if (a.size() != 1) throw error(text("its input ", key, " has ", count_of(a.size(), "value")));
  return a.number(0);
}

}  // namespace nvdlac::import::coreml_format
