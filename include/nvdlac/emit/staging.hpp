// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvdlac/base/descriptor.hpp>

namespace nvdlac::emit {

// The directories that a transaction keeps beside the destinations in one directory until it is
// done: nobody else may enter them, and files in them have the names of their destinations.
//   .nvdlac-ID.new  files that are being written; of no worth if their process dies
//   .nvdlac-ID.now  the same directory from the moment on in which all are complete and get their
//                   names one by one: whoever finds it later gives the rest theirs
//   .nvdlac-ID.old  the files of before, to go back to
// The first is locked as long as its process lives, under either name.
class staging {
 public:
  staging(std::filesystem::path directory, const std::string& id)
      : directory_(std::move(directory)), stem_(directory_ / (std::string(start) + id)) {}

  static std::string random_id();

  const std::filesystem::path& directory() const { return directory_; }
  bool is_open() const { return has_fresh_; }
  bool has_old() const { return has_old_; }
  bool is_due() const { return is_due_; }

  // The place of new files, and that of the files of before.
  std::filesystem::path fresh() const { return with(is_due_ ? now_end : new_end); }
  std::filesystem::path old() const { return with(old_end); }

  // Makes the place of new files and locks it. Where it returns false, errno says why.
  bool open();
  bool open_old();
  // From now on the new files are due.
  bool set_due();
  // Removes the places, which are empty; names those that remain.
  std::vector<std::filesystem::path> close();

  // Finishes what dead processes of this user left in a directory: gives files their names that are
  // due, unless somebody wrote such a file since, and removes the rest.
  static void settle(const std::filesystem::path& directory);

 private:
  static constexpr std::string_view start = ".nvdlac-";
  static constexpr const char *new_end = ".new", *now_end = ".now", *old_end = ".old";
  static constexpr std::size_t id_digits = 32;

  std::filesystem::path with(const char* end) const;
  static std::string id_in(std::string_view name);
  static bool is_at(const descriptor& open, const std::filesystem::path& path);
  // Tries again, as a file system that is far away may fail once.
  static bool removed(const std::filesystem::path& path) {
    return ::rmdir(path.c_str()) == 0 || errno == ENOENT || ::rmdir(path.c_str()) == 0;
  }

  // A place that this user made, and that no process has locked.
  static descriptor abandoned(const std::filesystem::path& place);
  static void settle(const std::filesystem::path& directory, const std::string& id);
  // The files of before have a time of change before the moment in which the new ones became due.
  static void give_names(const descriptor& place, const std::filesystem::path& due,
                         const std::filesystem::path& directory);
  static void empty(const std::filesystem::path& place);
  static std::vector<std::string> names_in(const std::filesystem::path& place);

  std::filesystem::path directory_, stem_;
  descriptor lock_{-1};
  bool has_fresh_ = false, has_old_ = false, is_due_ = false;
};

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/staging.ipp>
#endif
