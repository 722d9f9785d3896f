// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/sizes.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL std::optional<dims> sizes::declared(const std::string& tensor) const {
  const auto* list = sizes_of(tensor);
  if (list == nullptr) return std::nullopt;
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    d.push_back(fixed == nullptr ? -1 : integer_in(*fixed));
  }
  return d;
}

NVDLAC_IMPL void sizes::know(const std::string& input, const dims& given) {
  const auto* list = sizes_of(input);
  for (std::size_t i = 0; list != nullptr && i < list->size() && i < given.size(); ++i)
    if (const auto name = open_name((*list)[i]); !name.empty()) open_[name] = given[i];
}

NVDLAC_IMPL std::int64_t sizes::number(const std::string& name) const {
  const auto found = open_.find(name);
  if (found == open_.end())
    throw error(problem{.reason = "it depends on the size '" + name + "', which is open",
                        .remedy = "export the model with sizes that are fixed"});
  return found->second;
}

NVDLAC_IMPL dims sizes::of(const std::string& tensor) const {
  const auto* list = sizes_of(tensor);
  if (list == nullptr) throw error("the file does not tell the shape of '" + tensor + "'");
  dims d;
  for (const auto& i : *list) {
    const auto* fixed = member(i, "as_int");
    d.push_back(fixed != nullptr ? integer_in(*fixed) : number(open_name(i)));
  }
  return d;
}

NVDLAC_IMPL bool sizes::is_real(const std::string& tensor) const {
  const auto* meta = member(tensors_, tensor.c_str());
  const auto* type = meta == nullptr ? nullptr : member(*meta, "dtype");
  return type == nullptr || pytorch_format::is_real(integer_in(*type));
}

NVDLAC_IMPL const json* sizes::sizes_of(const std::string& tensor) const {
  const auto* meta = member(tensors_, tensor.c_str());
  const auto* list = meta == nullptr ? nullptr : member(*meta, "sizes");
  return list == nullptr || !list->is_array() || list->size() > 8 ? nullptr : list;
}

NVDLAC_IMPL std::string sizes::open_name(const json& size) {
  const auto* open = member(size, "as_expr");
  return open == nullptr ? "" : word(*open, "expr_str");
}

}  // namespace nvdlac::import::pytorch_format
