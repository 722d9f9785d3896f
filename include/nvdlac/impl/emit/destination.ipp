// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/destination.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL void cannot_write(const std::filesystem::path& file, std::string reason,
                              std::string remedy) {
  throw error(problem{.file = file.string(), .reason = std::move(reason),
                      .remedy = std::move(remedy)});
}

NVDLAC_IMPL void cannot_write(const std::filesystem::path& file, int number) {
  cannot_write(file, "cannot be written: " + std::generic_category().message(number));
}

NVDLAC_IMPL std::filesystem::path follow(const std::filesystem::path& given) {
  auto path = given;
  for (int links = 0; links < 40; ++links) {
    std::error_code none;
    const auto next = std::filesystem::read_symlink(path, none);
    if (none) return path;
    path = path.parent_path() / next;
  }
  cannot_write(given, ELOOP);
}

NVDLAC_IMPL struct stat look_at_directory(const destination& to) {
  const auto parent = to.path.parent_path();
  const auto directory = parent.empty() ? std::filesystem::path(".") : parent;
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) {
    if (errno != ENOENT) cannot_write(to.given, errno);
    cannot_write(to.given, "its directory does not exist",
                 "create '" + directory.string() + "' first");
  }
  if (!S_ISDIR(found.st_mode))
    cannot_write(to.given, "'" + directory.string() + "' is not a directory");
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    cannot_write(to.given, "nothing can be written to the directory '" + directory.string() +
                               "': " + std::generic_category().message(errno));
  return found;
}

}  // namespace detail

NVDLAC_IMPL bool find_file(const std::filesystem::path& path, file_identity& found) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return false;
  found = {s.st_dev, s.st_ino, {}};
  return true;
}

NVDLAC_IMPL destination resolve(const std::filesystem::path& given) {
  destination to{.given = given, .path = given};
  if (given.native().find('\0') != std::string::npos)
    detail::cannot_write(given, "has a name with a NUL character");
  struct stat found{};
  const bool exists = ::stat(given.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) detail::cannot_write(given, errno);
  if (given.empty()) detail::cannot_write(given, "has no name", "name the file to write");
  if (given.filename().empty() || (exists && S_ISDIR(found.st_mode)))
    detail::cannot_write(given, "is a directory", "name the file to write");
  if (exists) {
    to.identity = {found.st_dev, found.st_ino, {}};
    if (::access(given.c_str(), W_OK) != 0) detail::cannot_write(given, errno);
  }
  auto target = detail::follow(given);
  // Links below /proc lead to open files that may have no name.
  file_identity named{};
  to.stream = exists && (!S_ISREG(found.st_mode) || !find_file(target, named) ||
                         named != to.identity);
  if (to.stream) return to;
  to.path = std::move(target);
  const auto directory = detail::look_at_directory(to);
  if (!exists)
    to.identity = {directory.st_dev, directory.st_ino, to.path.filename().string()};
  return to;
}

}  // namespace nvdlac::emit
