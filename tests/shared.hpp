// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

// Large test material (golden vectors, networks, pictures) is not part of the repository. It is
// looked for in the directory of the environment variable NVDLAC_SHARED, or else in `../shared`
// beside the repository. Empty if `name` is not there: a test then says so and returns.
inline std::optional<std::filesystem::path> shared_path(std::string_view name) {
  const char* set = std::getenv("NVDLAC_SHARED");
  const std::filesystem::path root =
      set ? std::filesystem::path(set) : std::filesystem::path(NVDLAC_SOURCE_DIR) / ".." / "shared";
  const auto path = root / name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path;
}
