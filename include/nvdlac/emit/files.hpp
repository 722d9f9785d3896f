// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/destination.hpp>
#include <nvdlac/emit/staging.hpp>

namespace nvdlac::emit {

// Files that are replaced together.

// Writes several files, or none. `prepare` writes them in a place beside their destinations
// (`staging`); only when all are complete and on the disk, `commit` gives them their names. A
// failure, of any call and at any time, is an `error` and leaves the files of before.
//
// What holds besides: where files can have two names (hard links), each name means its old or its
// new content at every moment, even if the power fails. If it fails, or the process is killed by
// SIGKILL, the next transaction in the same directory removes what is left; in the moment between
// two names the set is mixed until then, and it becomes that of the new files, for each directory
// where it has several. Two transactions on the same files come one after the other, so that the
// set is never a mixture of both; this needs a file system with flock(), and nobody else who keeps a
// directory locked for longer than `patience`.
class transaction {
 public:
  transaction() = default;
  ~transaction() { undo(); }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  // Throws `error` if the file is among the others.
  void add(destination to, std::vector<std::uint8_t> bytes) {
    const auto [other, is_new] = given_.emplace(to.identity, to.given);
    if (!is_new)
      detail::cannot_write(to.given, "and '" + other->second.string() + "' are the same file");
    entries_.push_back({std::move(to), std::move(bytes)});
    auto& e = entries_.back();
    if (e.to.stream) return;
    const auto parent = e.to.path.parent_path();
    const auto directory = parent.empty() ? std::filesystem::path(".") : parent;
    file_identity identity{};
    if (!find_file(directory, identity)) identity.name = directory.string();
    e.place = &places_.try_emplace(identity, directory, id_).first->second;
  }

  // What may be beside the destinations until `commit`, directories behind what is in them; known
  // before `prepare`.
  std::vector<std::string> temporaries() const {
    std::vector<std::string> names;
    for (const auto& e : entries_)
      if (!e.to.stream) names.push_back(e.fresh().string());
    for (const auto& [identity, place] : places_) names.push_back(place.fresh().string());
    return names;
  }

  // Writes all files in their places, then the streams.
  void prepare() {
    guarded([&] {
      for (auto& e : entries_)
        if (!e.to.stream) open_place(e);
      for (auto& e : entries_)
        if (!e.to.stream) stage(e);
      for (auto& e : entries_)
        if (e.to.stream) write_through(e);
      open_directories();
    });
  }

  void commit() {
    guarded([&] {
      for (auto& e : entries_)
        if (!e.to.stream) save(e);
      for (auto& e : entries_)
        if (!e.to.stream && !e.place->is_due() && !e.place->set_due())
          detail::cannot_write(e.to.given, errno);
      for (auto& e : entries_)
        if (!e.to.stream) place(e);
      for (const auto& [identity, directory] : directories_) directory.sync();
    });
    const auto left = forget_old();
    directories_.clear();
    if (!left.empty()) throw error(left);
  }

  static constexpr auto patience = std::chrono::seconds(5);

 private:
  enum class state : std::uint8_t { absent, staged, saved, placed };
  struct entry {
    destination to{};
    std::vector<std::uint8_t> bytes{};
    staging* place = nullptr;  // of what is no stream
    state is = state::absent;
    bool replaces = false;  // there was a file before, which is kept as old()
    bool moved = false;     // it is there only, as it could not have two names

    std::filesystem::path fresh() const { return place->fresh() / to.path.filename(); }
    std::filesystem::path old() const { return place->old() / to.path.filename(); }
  };

  static void open_place(entry& e) {
    if (e.place->is_open()) return;
    staging::settle(e.place->directory());
    if (!e.place->open()) detail::cannot_write(e.to.given, errno);
  }

  // A new file takes its mode from the process, another one keeps its mode and, where that is
  // permitted, its owner; until then nobody else may read it.
  static void stage(entry& e) {
    struct stat old{};
    const bool replaces = ::stat(e.to.path.c_str(), &old) == 0;
    descriptor file(::open(e.fresh().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                           replaces ? 0600 : 0666));
    if (!file) detail::cannot_write(e.to.given, errno);
    e.is = state::staged;
    if (replaces && !file.take_access_of(old)) detail::cannot_write(e.to.given, errno);
    if (!file.write(e.bytes) || !file.sync() || !file.close())
      detail::cannot_write(e.to.given, errno);
  }

  static void write_through(entry& e) {
    if (e.to.descriptor >= 0) {
      if (!write_all(e.to.descriptor, e.bytes)) detail::cannot_write(e.to.given, errno);
      return;
    }
    descriptor stream(::open(e.to.path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
    if (!stream || !stream.write(e.bytes) || !stream.close())
      detail::cannot_write(e.to.given, errno);
  }

  // The directories of all files, always in the same order; those of several files are locked.
  void open_directories() {
    std::size_t files = 0;
    for (const auto& e : entries_) {
      if (e.to.stream) continue;
      ++files;
      const auto parent = e.to.path.parent_path();
      const auto path = parent.empty() ? std::filesystem::path(".") : parent;
      file_identity identity{};
      if (find_file(path, identity)) directories_.try_emplace(identity, path);
    }
    if (files < 2) return;  // one name changes at once
    const auto end = std::chrono::steady_clock::now() + patience;
    for (const auto& [identity, directory] : directories_)
      while (!directory.lock() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  // Gives the file of before a second name, as far as files can have two.
  static void save(entry& e) {
    if (!e.place->has_old() && !e.place->open_old()) detail::cannot_write(e.to.given, errno);
    e.replaces = ::link(e.to.path.c_str(), e.old().c_str()) == 0;
  }

  static void place(entry& e) {
    struct stat there {};
    if (!e.replaces && ::lstat(e.to.path.c_str(), &there) == 0) {
      if (S_ISDIR(there.st_mode)) detail::cannot_write(e.to.given, EISDIR);
      if (::rename(e.to.path.c_str(), e.old().c_str()) != 0)
        detail::cannot_write(e.to.given, errno);
      e.replaces = e.moved = true;
    }
    e.is = state::saved;
    if (::rename(e.fresh().c_str(), e.to.path.c_str()) != 0)
      detail::cannot_write(e.to.given, errno);
    e.is = state::placed;
  }

  // Tries again, as a file system that is far away may fail once: nothing else could be done.
  static int remove(const std::filesystem::path& path) {
    return ::unlink(path.c_str()) == 0 ? 0 : ::unlink(path.c_str());
  }

  template <class Work>
  void guarded(Work work) {
    try {
      work();
    } catch (const error& e) {
      auto problems = e.problems();
      for (auto& p : undo()) problems.push_back(std::move(p));
      throw error(std::move(problems));
    }
  }

  // Back to the files of before; what that could not do.
  std::vector<problem> undo() {
    std::vector<problem> left;
    const auto must = [&](int result, const entry& e, const char* reason,
                          const std::filesystem::path& kept) {
      if (result == 0) return;
      left.push_back({.file = e.to.given.string(),
                      .reason = reason + (": " + std::generic_category().message(errno)),
                      .remedy = "it is in '" + kept.string() + "'"});
    };
    for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
      auto& e = *at;
      if (e.to.stream) continue;
      const auto path = e.to.path, fresh = e.fresh(), old = e.old();
      const bool placed = e.is == state::placed;
      if ((placed && e.replaces) || e.moved)
        must(::rename(old.c_str(), path.c_str()), e, "its former content cannot be put back", old);
      else if (e.replaces)
        must(remove(old), e, "a second name of it cannot be removed", old);
      else if (placed)
        must(remove(path), e, "its new content cannot be removed", path);
      if (e.is == state::staged || e.is == state::saved)
        must(remove(fresh), e, "its new content cannot be removed", fresh);
      e.is = state::absent;
      e.replaces = e.moved = false;
    }
    close_places(left, "cannot be removed: ");
    directories_.clear();
    return left;
  }

  // All is done; what could not be removed.
  std::vector<problem> forget_old() {
    std::vector<problem> left;
    for (auto& e : entries_) {
      if (e.to.stream) continue;
      if (e.replaces && remove(e.old()) != 0)
        left.push_back({.file = e.to.given.string(),
                        .reason = "is written, but its former content cannot be removed: " +
                                  std::generic_category().message(errno),
                        .remedy = "it is in '" + e.old().string() + "'"});
      e.is = state::absent;
      e.replaces = e.moved = false;
    }
    close_places(left, "all is written, but this cannot be removed: ");
    return left;
  }

  void close_places(std::vector<problem>& left, const char* reason) {
    for (auto& [identity, place] : places_)
      for (const auto& path : place.close())
        left.push_back({.file = path.string(),
                        .reason = reason + std::generic_category().message(errno)});
  }

  const std::string id_ = staging::random_id();
  std::vector<entry> entries_{};
  std::map<file_identity, std::filesystem::path> given_{};
  std::map<file_identity, staging> places_{};
  std::map<file_identity, open_directory> directories_{};
};

struct file {
  std::string name;  // without a directory
  std::vector<std::uint8_t> bytes{};
};

// Writes all files into a directory, or none, as a `transaction`: what cannot be written is an
// `error`, and the files of before are still there.
inline void write_files(const std::filesystem::path& directory, std::vector<file> files) {
  transaction all;
  for (auto& f : files) all.add(resolve(directory / f.name), std::move(f.bytes));
  all.prepare();
  all.commit();
}

// One file by its path.
inline void write_file(const std::filesystem::path& path, std::vector<std::uint8_t> bytes) {
  write_files(path.parent_path(), {{path.filename().string(), std::move(bytes)}});
}

}  // namespace nvdlac::emit
