// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvdlac/base/descriptor.hpp>

namespace nvdlac::emit {

// What a transaction keeps beside the destinations in one directory until it is done: directories
// that nobody else may enter, in which files have the names of their destinations.
//   .nvdlac-ID.new  files that are being written; of no worth if their process dies
//   .nvdlac-ID.now  the same directory from the moment on in which all are complete and get their
//                   names one by one: whoever finds it later gives the rest theirs
//   .nvdlac-ID.old  the files of before, to go back to
// The first is locked as long as its process lives, under either name.
class staging {
 public:
  staging(std::filesystem::path directory, const std::string& id)
      : directory_(std::move(directory)), stem_(directory_ / (std::string(start) + id)) {}

  static std::string random_id() {
    std::random_device source;
    std::string digits;
    for (std::size_t i = 0; i < id_digits; ++i) digits += "0123456789abcdef"[source() % 16];
    return digits;
  }

  const std::filesystem::path& directory() const { return directory_; }
  bool is_open() const { return has_fresh_; }
  bool has_old() const { return has_old_; }
  bool is_due() const { return is_due_; }

  // The place of new files, and that of the files of before.
  std::filesystem::path fresh() const { return with(is_due_ ? now_end : new_end); }
  std::filesystem::path old() const { return with(old_end); }

  // Makes the place of new files and locks it. Where it returns false, errno says why.
  bool open() {
    for (;;) {
      if (::mkdir(fresh().c_str(), S_IRWXU) != 0) return false;
      has_fresh_ = true;
      lock_ = descriptor(::open(fresh().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!lock_ && errno != ENOENT) return true;  // what cannot be read is not locked
      while (lock_ && ::flock(lock_.number(), LOCK_EX) != 0 && errno == EINTR) {}
      if (is_at(lock_, fresh())) return true;
      has_fresh_ = false;  // somebody took it for that of a dead process in between
    }
  }
  bool open_old() {
    has_old_ = ::mkdir(old().c_str(), S_IRWXU) == 0;
    return has_old_;
  }
  // From now on the new files are due.
  bool set_due() {
    is_due_ = ::rename(with(new_end).c_str(), with(now_end).c_str()) == 0;
    if (is_due_ && lock_) (void)::fchmod(lock_.number(), S_IRWXU);  // this is its time of change
    return is_due_;
  }
  // Removes the places, which are empty; names those that remain.
  std::vector<std::filesystem::path> close() {
    std::vector<std::filesystem::path> left;
    if (std::exchange(has_old_, false) && !removed(old())) left.push_back(old());
    if (std::exchange(has_fresh_, false) && !removed(fresh())) left.push_back(fresh());
    lock_.close();
    return left;
  }

  // Finishes what dead processes of this user left in a directory: gives files their names that are
  // due, unless somebody wrote such a file since, and removes the rest.
  static void settle(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    std::error_code failed;
    std::set<std::string> found;
    for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
         at.increment(failed))
      if (auto id = id_in(at->path().filename().string()); !id.empty()) found.insert(std::move(id));
    for (const auto& id : found) settle(directory, id);
  }

 private:
  static constexpr std::string_view start = ".nvdlac-";
  static constexpr const char *new_end = ".new", *now_end = ".now", *old_end = ".old";
  static constexpr std::size_t id_digits = 32;

  std::filesystem::path with(const char* end) const {
    auto name = stem_;
    return name += end;
  }
  static std::string id_in(std::string_view name) {
    if (!name.starts_with(start) || name.size() != start.size() + id_digits + 4) return {};
    const auto id = name.substr(start.size(), id_digits), end = name.substr(name.size() - 4);
    const bool known = end == new_end || end == now_end || end == old_end;
    const bool digits = id.find_first_not_of("0123456789abcdef") == id.npos;
    return known && digits ? std::string(id) : std::string();
  }
  static bool is_at(const descriptor& open, const std::filesystem::path& path) {
    struct stat there {};
    if (!open || ::lstat(path.c_str(), &there) != 0) return false;
    const auto own = open.status();
    return own.st_dev == there.st_dev && own.st_ino == there.st_ino;
  }
  // Tries again, as a file system that is far away may fail once.
  static bool removed(const std::filesystem::path& path) {
    return ::rmdir(path.c_str()) == 0 || errno == ENOENT || ::rmdir(path.c_str()) == 0;
  }

  // A place that this user made, and that no process has locked.
  static descriptor abandoned(const std::filesystem::path& place) {
    descriptor d(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!d || d.status().st_uid != ::geteuid() || !d.lock_now() || !is_at(d, place))
      return descriptor(-1);
    return d;
  }
  static void settle(const std::filesystem::path& directory, const std::string& id) {
    const staging left(directory, id);
    const auto due = left.with(now_end), unfinished = left.with(new_end);
    const auto of_due = abandoned(due), of_unfinished = abandoned(unfinished);
    if (!of_due && !of_unfinished) {  // somebody has the lock, or only the old files are there
      // In the order in which a living process gives the place its names: the other way round, both
      // could seem absent while it becomes due.
      struct stat there {};
      if (::lstat(unfinished.c_str(), &there) == 0 || ::lstat(due.c_str(), &there) == 0) return;
      if (!abandoned(left.old())) return;
    }
    if (of_due) give_names(of_due, due, directory);
    for (const auto& place : {left.old(), due, unfinished}) empty(place);
  }
  // The files of before have a time of change before the moment in which the new ones became due.
  static void give_names(const descriptor& place, const std::filesystem::path& due,
                         const std::filesystem::path& directory) {
    const auto when = [](const timespec& t) { return std::pair(t.tv_sec, t.tv_nsec); };
    const auto moment = when(place.status().st_ctim);
    for (const auto& name : names_in(due)) {
      struct stat there {};
      const bool absent = ::lstat((directory / name).c_str(), &there) != 0 && errno == ENOENT;
      const bool is_older = S_ISREG(there.st_mode) && when(there.st_ctim) <= moment;
      if (absent || is_older) (void)::rename((due / name).c_str(), (directory / name).c_str());
    }
  }
  static void empty(const std::filesystem::path& place) {
    if (const descriptor d(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        !d || d.status().st_uid != ::geteuid())
      return;
    for (const auto& name : names_in(place)) (void)::unlink((place / name).c_str());
    (void)::rmdir(place.c_str());
  }
  static std::vector<std::string> names_in(const std::filesystem::path& place) {
    namespace fs = std::filesystem;
    std::error_code failed;
    std::vector<std::string> names;
    for (fs::directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed))
      names.push_back(at->path().filename().string());
    return names;
  }

  std::filesystem::path directory_, stem_;
  descriptor lock_{-1};
  bool has_fresh_ = false, has_old_ = false, is_due_ = false;
};

}  // namespace nvdlac::emit
