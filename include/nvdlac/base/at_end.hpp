// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// Calls a function, which must not throw, at the end of its scope, however that is left.
template <class F>
class at_end {
 public:
  explicit at_end(F f) : f_(std::move(f)) {}
  at_end(const at_end&) = delete;
  at_end& operator=(const at_end&) = delete;
  ~at_end() { f_(); }

 private:
  F f_;
};

}  // namespace nvdlac
