// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

// A pass that sees every network, and changes nothing.
struct look {
  static constexpr std::string_view name = "look";
  static constexpr std::string_view description = "sees the network";
  static void run(auto&) {}
};
