// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/cpp20.hpp>

namespace nvdlac {

template <class...>
inline constexpr bool never = false;

// Labels that make a failed assertion say what it is about.
namespace failed {
template <class>
struct operator_;
template <class>
struct on_hardware;
}  // namespace failed

}  // namespace nvdlac
