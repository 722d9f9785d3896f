// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/staging.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL std::string staging::random_id() {
  std::random_device source;
  std::string digits;
  for (std::size_t i = 0; i < id_digits; ++i) digits += "0123456789abcdef"[source() % 16];
  return digits;
}

NVDLAC_IMPL bool staging::open() {
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

NVDLAC_IMPL bool staging::open_old() {
  has_old_ = ::mkdir(old().c_str(), S_IRWXU) == 0;
  return has_old_;
}

NVDLAC_IMPL bool staging::set_due() {
  is_due_ = ::rename(with(new_end).c_str(), with(now_end).c_str()) == 0;
  if (is_due_ && lock_) (void)::fchmod(lock_.number(), S_IRWXU);  // this is its time of change
  return is_due_;
}

NVDLAC_IMPL std::vector<std::filesystem::path> staging::close() {
  std::vector<std::filesystem::path> left;
  if (std::exchange(has_old_, false) && !removed(old())) left.push_back(old());
  if (std::exchange(has_fresh_, false) && !removed(fresh())) left.push_back(fresh());
  lock_.close();
  return left;
}

NVDLAC_IMPL void staging::settle(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::set<std::string> found;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed))
    if (auto id = id_in(at->path().filename().string()); !id.empty()) found.insert(std::move(id));
  for (const auto& id : found) settle(directory, id);
}

NVDLAC_IMPL std::filesystem::path staging::with(const char* end) const {
  auto name = stem_;
  return name += end;
}

NVDLAC_IMPL std::string staging::id_in(std::string_view name) {
  if (!name.starts_with(start) || name.size() != start.size() + id_digits + 4) return {};
  const auto id = name.substr(start.size(), id_digits), end = name.substr(name.size() - 4);
  const bool known = end == new_end || end == now_end || end == old_end;
  const bool digits = id.find_first_not_of("0123456789abcdef") == id.npos;
  return known && digits ? std::string(id) : std::string();
}

NVDLAC_IMPL bool staging::is_at(const descriptor& open, const std::filesystem::path& path) {
  struct stat there {};
  if (!open || ::lstat(path.c_str(), &there) != 0) return false;
  const auto own = open.status();
  return own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

NVDLAC_IMPL descriptor staging::abandoned(const std::filesystem::path& place) {
  descriptor d(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!d || d.status().st_uid != ::geteuid() || !d.lock_now() || !is_at(d, place))
    return descriptor(-1);
  return d;
}

NVDLAC_IMPL void staging::settle(const std::filesystem::path& directory, const std::string& id) {
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

NVDLAC_IMPL void staging::give_names(const descriptor& place, const std::filesystem::path& due,
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

NVDLAC_IMPL void staging::empty(const std::filesystem::path& place) {
  if (const descriptor d(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      !d || d.status().st_uid != ::geteuid())
    return;
  for (const auto& name : names_in(place)) (void)::unlink((place / name).c_str());
  (void)::rmdir(place.c_str());
}

NVDLAC_IMPL std::vector<std::string> staging::names_in(const std::filesystem::path& place) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<std::string> names;
  for (fs::directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed))
    names.push_back(at->path().filename().string());
  return names;
}

}  // namespace nvdlac::emit
