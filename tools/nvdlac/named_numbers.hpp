// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace nvdlac::cli {

// A number that an option sets by its name, as --limit macs=1000 does; one with decimals, if it is
// a double.
struct named_number {
  std::string_view name;
  std::variant<std::uint64_t*, double*> value;
  std::uint64_t least = 0, most = UINT64_MAX;
};

// Sets what "NAME=NUMBER" says; throws usage_error, which names the option and the names there are.
void set_number(std::string_view option, const std::string& word, std::span<const named_number>);

// "latency (64), width (8)": the names with the numbers now.
std::string list(std::span<const named_number>);

}  // namespace nvdlac::cli
