// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/pytorch/aliases.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL bool is_view(std::string_view type) {
  static const std::set<std::string_view> all = {
      "_unsafe_view", "alias", "alpha_dropout", "chunk", "contiguous", "detach", "dropout",
      "expand", "expand_as", "feature_dropout", "flatten", "permute", "reshape", "select",
      "slice", "split", "split_with_sizes", "squeeze", "t", "to", "transpose", "unbind",
      "unflatten", "unsqueeze", "view", "view_as"};
  return all.contains(type);
}

NVDLAC_IMPL bool aliases::is_outdated(const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  return found != tensors_.end() && found->second.change != changes_[found->second.memory];
}

NVDLAC_IMPL void aliases::share(const std::string& tensor, const std::vector<std::string>& names) {
  const auto as = state_of(tensor);
  for (const auto& r : names) tensors_.insert_or_assign(r, as);
}

NVDLAC_IMPL void aliases::change(const std::string& tensor, const std::vector<std::string>& names) {
  auto as = state_of(tensor);
  as.change = ++changes_[as.memory];
  for (const auto& r : names) tensors_.insert_or_assign(r, as);
}

NVDLAC_IMPL aliases::state aliases::state_of(const std::string& tensor) {
  const auto [found, added] = tensors_.try_emplace(tensor, state{.memory = changes_.size()});
  if (added) changes_.push_back(0);
  return found->second;
}

}  // namespace nvdlac::import::pytorch_format
