// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors that share their memory. An operator in place changes all of them, but the graph gives
// the result a new name alone: what is read by an older name is no longer what that name computed.
#include <nvdlac/base/cpp20.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nvdlac::import::pytorch_format {

// Operators whose result is, or may be, the memory of their input.
inline bool is_view(std::string_view type) {
  static const std::set<std::string_view> all = {
      "_unsafe_view", "alias", "alpha_dropout", "chunk", "contiguous", "detach", "dropout",
      "feature_dropout", "flatten", "permute", "reshape", "select", "slice", "split",
      "split_with_sizes", "squeeze", "t", "to", "transpose", "unsqueeze", "view"};
  return all.contains(type);
}

// Follows the operators in their order.
class aliases {
 public:
  // Whether an operator in place has changed what this tensor was.
  bool is_outdated(const std::string& tensor) const {
    const auto found = tensors_.find(tensor);
    return found != tensors_.end() && found->second.change != changes_[found->second.memory];
  }
  // The results are the memory of a tensor, with other places of the elements.
  void share(const std::string& tensor, const std::vector<std::string>& results) {
    const auto as = state_of(tensor);
    for (const auto& r : results) tensors_.insert_or_assign(r, as);
  }
  // The results are a tensor that is changed in place.
  void change(const std::string& tensor, const std::vector<std::string>& results) {
    auto as = state_of(tensor);
    as.change = ++changes_[as.memory];
    for (const auto& r : results) tensors_.insert_or_assign(r, as);
  }

 private:
  struct state {
    std::size_t memory = 0, change = 0;
  };
  state state_of(const std::string& tensor) {
    const auto [found, added] = tensors_.try_emplace(tensor, state{.memory = changes_.size()});
    if (added) changes_.push_back(0);
    return found->second;
  }

  std::map<std::string, state> tensors_{};
  std::vector<std::size_t> changes_{};  // how often each memory was changed
};

}  // namespace nvdlac::import::pytorch_format
