// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import::pytorch_format {

// Tensors that share their memory. An operator in place changes all of them, but the graph gives
// the result a new name alone: what is read by an older name is no longer what that name computed.

// Operators whose result is, or may be, the memory of their input.
bool is_view(std::string_view type);

// Follows the operators in their order.
class aliases {
 public:
  // Whether an operator in place has changed what this tensor was.
  bool is_outdated(const std::string& tensor) const;
  // The results are the memory of a tensor, with other places of the elements.
  void share(const std::string& tensor, const std::vector<std::string>& names);
  // The results are a tensor that is changed in place.
  void change(const std::string& tensor, const std::vector<std::string>& names);

 private:
  struct state {
    std::size_t memory = 0, change = 0;
  };
  state state_of(const std::string& tensor);

  std::map<std::string, state> tensors_{};
  std::vector<std::size_t> changes_{};  // how often each memory was changed
};

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/aliases.ipp>
#endif
