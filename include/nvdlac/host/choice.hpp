// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::host {

// The operators and layers that the user lets the host compute.
struct choice {
  enum class kind : std::uint8_t {
    softmax,  // a softmax over the channels, as the public runtime does; the rest is refused
    nothing,  // not even that
    listed,   // that softmax, and the operators and layers of these names
    all       // whatever no engine of NVDLA runs
  };

  choice::kind what = kind::softmax;
  std::vector<std::string> names{};

  static choice nothing() { return {kind::nothing, {}}; }
  static choice all() { return {kind::all, {}}; }
  static choice of(std::vector<std::string> names) {
    return {kind::listed, std::move(names)};
  }
  // One of the names of an operator is enough.
  bool allows(std::initializer_list<std::string_view> any_of_these) const;
};

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/choice.ipp>
#endif
