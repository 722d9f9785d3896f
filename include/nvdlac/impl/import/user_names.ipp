// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::optional<std::size_t> number_in(const std::string& name, std::size_t count) {
  std::size_t n = 0;
  const auto* end = name.data() + name.size();
  const auto [last, failed] = std::from_chars(name.data(), end, n);
  if (failed != std::errc() || last != end || n >= count) return std::nullopt;
  return n;
}

}  // namespace nvdlac::import
