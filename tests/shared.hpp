// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

// Large test material (golden vectors, networks, pictures) is not part of the repository. It is
// looked for in the directory of the environment variable NVDLAC_SHARED, or else in `../shared`
// beside the repository.
inline std::filesystem::path shared_root() {
  const char* set = std::getenv("NVDLAC_SHARED");
  return set ? std::filesystem::path(set)
             : std::filesystem::path(NVDLAC_SOURCE_DIR) / ".." / "shared";
}

// Names that were asked for and are not there. The program of the tests reports itself as skipped
// then, see main.cpp.
inline std::set<std::string>& absent_material() {
  static std::set<std::string> names;
  return names;
}

// Empty if `name` is not there: a test returns, or goes on without it.
inline std::optional<std::filesystem::path> shared_path(std::string_view name) {
  const auto path = shared_root() / name;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  absent_material().emplace(name);
  return std::nullopt;
}
