// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string>
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
// set is never a mixture of both; this needs a file system with flock(), and nobody else who keeps
// a directory locked for longer than `patience`.
class transaction {
 public:
  transaction() = default;
  ~transaction() { undo(); }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  // Throws `error` if the file is among the others.
  void add(destination to, std::vector<std::uint8_t> bytes);

  // Paths that may be beside the destinations until `commit`, directories behind what is in them;
  // known before `prepare`.
  std::vector<std::string> temporaries() const;

  // Writes all files in their places, then the streams.
  void prepare();

  void commit();

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

  static void open_place(entry& e);

  // A new file takes its mode from the process, another one keeps its mode and, where that is
  // permitted, its owner; until then nobody else may read it.
  static void stage(entry& e);

  static void write_through(entry& e);

  // The directories of all files, always in the same order; those of several files are locked.
  void open_directories();

  // Gives the file of before a second name, as far as files can have two.
  static void save(entry& e);

  static void place(entry& e);

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
  std::vector<problem> undo();

  // All is done; what could not be removed.
  std::vector<problem> forget_old();

  void close_places(std::vector<problem>& left, const char* reason);

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
void write_files(const std::filesystem::path& directory, std::vector<file> files);

// One file by its path.
void write_file(const std::filesystem::path& path, std::vector<std::uint8_t> bytes);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/files.ipp>
#endif
