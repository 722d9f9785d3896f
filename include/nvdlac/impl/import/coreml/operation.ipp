// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

NVDLAC_IMPL std::optional<proto::view> input_values::constant(const proto::view& given) const {
  if (!given.has("name")) return given.child("value");
  const auto found = known->find(given.string("name"));
  return found == known->end() ? std::nullopt : std::optional(found->second);
}

NVDLAC_IMPL hub::plain_value input_values::plain(const value& given) const {
  const auto v = given.size() == 1 ? constant(given.front()) : std::nullopt;
  if (!v) return hub::own_value{};
  if (!is_text(*v)) return std::make_shared<const array>(values->read(*v));
  const auto texts = v->child("immediateValue").child("tensor").child("strings");
  auto all = texts.has("values") ? texts.strings("values") : std::vector<std::string>{};
  if (all.size() != 1) return all;
  return std::move(all[0]);
}

NVDLAC_IMPL error input_values::refusal(std::string_view key, const value& given,
                                        hub::value_kind kind) const {
  if (given.size() == 1 && !constant(given.front()))
    return error(problem{.reason = call(key) + " is computed",
                         .remedy = "it must be known when the file is read"});
  return error(text(call(key), " is not ", hub::words_for(kind)));
}

NVDLAC_IMPL std::string input_values::call(std::string_view key) {
  return text("its input ", key);
}

NVDLAC_IMPL operation::operation(const proto::view& op, const translation::file_layer& l,
                                 const constants& known, value_reader& values,
                                 translation::channels_first_translator& all)
    : asked_attributes(input_values{&known, &values}), layer_(l), all_(all) {
  for (const auto& entry : op.children("inputs"))
    add(entry.string("key"), entry.child("value").children("arguments"));
}

NVDLAC_IMPL operand operation::tensor(std::string_view key) const {
  const auto all = tensors(key);
  if (all.size() != 1) throw error(text("its input ", key, " has ",
                                        count_of(all.size(), "tensor")));
  return all[0];
}

NVDLAC_IMPL std::vector<operand> operation::tensors(std::string_view key) const {
  const auto* given = find(key);
  if (given == nullptr) throw error(format().call(key) + " is missing");
  std::vector<operand> found;
  for (const auto& b : *given)
    found.push_back(b.has("name") ? all_.at(b.string("name"))
                                  : operand::of(format().values->read(b.child("value"))));
  return found;
}

NVDLAC_IMPL dims operation::pair(std::string_view key, std::int64_t otherwise) const {
  const auto found = integers(key).value_or(dims{otherwise, otherwise});
  if (found.size() != 2)
    throw error(problem{.reason = text("its ", key, " are ", onnx_format::to_text(found)),
                        .remedy = "windows of two dimensions are supported"});
  return found;
}

NVDLAC_IMPL std::vector<bool> operation::flags(std::string_view key) const {
  std::vector<bool> all;
  for (const auto i : integers(key).value_or(dims{})) all.push_back(i != 0);
  return all;
}

}  // namespace nvdlac::import::coreml_format
