// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/emit/files.hpp>

#include <scratch.hpp>
#include <special_files.hpp>

namespace {

using namespace nvdlac;
namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::vector<std::uint8_t> bytes_of(const std::string& s) { return {s.begin(), s.end()}; }

mode_t mode_of(const fs::path& path) {
  struct stat s{};
  ::stat(path.c_str(), &s);
  return s.st_mode & 07777;
}

}  // namespace

TEST_CASE("files are written all or not at all") {
  const scratch dir;
  emit::write_files(dir.path, {{"one", {1}}, {"two", {2, 3}}});
  CHECK(dir.files() == 2);
  fs::create_directory(dir.path / "three");  // no file can be there
  CHECK_THROWS_WITH_AS(emit::write_files(dir.path, {{"one", {9}}, {"three", {2, 3}}}),
                       doctest::Contains("is a directory"), error);
  CHECK_THROWS_WITH_AS(emit::write_file(dir.path / "no" / "file", {1}),
                       doctest::Contains("its directory does not exist"), error);
  CHECK_THROWS_WITH_AS(emit::write_file(dir.path / "one" / "file", {1}),
                       doctest::Contains("Not a directory"), error);
  CHECK_THROWS_WITH_AS(emit::write_files(dir.path, {{"x", {1}}, {"./x", {1}}}),
                       doctest::Contains("are the same file"), error);
  CHECK_THROWS_AS(emit::write_files(dir.path, {{"one", {9}}, {std::string(300, 'x'), {1}}}), error);
  CHECK(content_of(dir.path / "one") == "\1");
  CHECK(dir.files() == 3);
}

TEST_CASE("a directory that appears in the meantime is not lost, and neither are the other files") {
  const scratch dir;
  dir.write("a", "old");
  emit::transaction all;
  for (const char* name : {"a", "b"}) all.add(emit::resolve(dir.path / name), bytes_of("new"));
  all.prepare();
  CHECK(dir.files() == 2);
  CHECK(all.temporaries().size() == 3);
  for (const auto& name : all.temporaries()) CHECK(fs::exists(name));
  fs::create_directories(dir.path / "b" / "c");
  CHECK_THROWS_WITH_AS(all.commit(), doctest::Contains("b: cannot be written"), error);
  CHECK(content_of(dir.path / "a") == "old");
  CHECK(fs::exists(dir.path / "b" / "c"));
  CHECK(dir.files() == 2);
}

TEST_CASE("what is prepared and not committed goes away") {
  const scratch dir;
  {
    emit::transaction all;
    all.add(emit::resolve(dir.path / "a"), bytes_of("new"));
    all.prepare();
    CHECK(dir.files() == 1);
  }
  CHECK(dir.files() == 0);
}

TEST_CASE("temporary files are beside their destination, and those of others are left alone") {
  const scratch dir;
  emit::transaction one, other;
  for (auto* t : {&one, &other}) t->add(emit::resolve(dir.path / "a"), bytes_of("new"));
  const fs::path name = one.temporaries().back();
  CHECK(name.parent_path() == dir.path);
  CHECK(one.temporaries().front() == name / "a");
  CHECK(name != other.temporaries().back());
  dir.write(name.filename().string(), "not mine");
  CHECK_THROWS_WITH_AS(one.prepare(), doctest::Contains("a: cannot be written: File exists"),
                       error);
  CHECK(content_of(name) == "not mine");
  CHECK(dir.files() == 1);
}

namespace {

const std::string id(32, 'a');

// Leaves the files of a process that was killed before these had names, or while they got them.
void leave(const scratch& dir, const std::string& end, const std::vector<std::string>& names) {
  const auto place = ".nvdlac-" + id + end;
  fs::create_directory(dir.path / place);
  for (const auto& name : names) dir.write(place + '/' + name, "of " + end);
}

}  // namespace

TEST_CASE("what a dead process left is removed, and files that were due get their names") {
  const scratch dir;
  dir.write("b", "before");
  leave(dir, ".new", {"a", "b"});
  emit::write_file(dir.path / "x", {1});
  CHECK(content_of(dir.path / "b") == "before");
  CHECK(dir.files() == 2);

  leave(dir, ".old", {"b"});
  leave(dir, ".now", {"b", "c"});
  emit::write_file(dir.path / "x", {1});
  CHECK(content_of(dir.path / "b") == "of .now");
  CHECK(content_of(dir.path / "c") == "of .now");
  CHECK(dir.files() == 3);

  leave(dir, ".now", {"b"});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  dir.write("b", "of somebody, since");
  emit::write_file(dir.path / "x", {1});
  CHECK(content_of(dir.path / "b") == "of somebody, since");
  CHECK(dir.files() == 3);

  leave(dir, ".old", {"b"});  // all else was done
  emit::write_file(dir.path / "x", {1});
  CHECK(dir.files() == 3);
}

TEST_CASE("what a process has locked is not removed, nor what only looks like left over") {
  const scratch dir;
  emit::transaction living;
  living.add(emit::resolve(dir.path / "a"), bytes_of("living"));
  living.prepare();
  dir.write(".nvdlac-" + id + ".new", "a file");
  dir.write(".nvdlac-notes", "of the user");
  fs::create_directory(dir.path / "elsewhere");
  dir.write("elsewhere/kept", "kept");
  const auto link = ".nvdlac-" + std::string(32, 'b') + ".new";
  fs::create_directory_symlink("elsewhere", dir.path / link);
  emit::write_file(dir.path / "x", {1});
  CHECK(dir.files() == 6);
  CHECK(content_of(dir.path / "elsewhere" / "kept") == "kept");
  living.commit();
  CHECK(content_of(dir.path / "a") == "living");
}

TEST_CASE("links lead to what is written, also to a file that does not exist yet") {
  const scratch dir;
  fs::create_directory(dir.path / "far");
  dir.write("far/old", "old");
  fs::create_symlink("far/old", dir.path / "link");
  fs::create_symlink("link", dir.path / "link of a link");
  fs::create_symlink("far/new", dir.path / "into the void");
  fs::create_symlink("round", dir.path / "round");
  emit::write_file(dir.path / "link of a link", bytes_of("1"));
  emit::write_file(dir.path / "into the void", bytes_of("2"));
  CHECK(content_of(dir.path / "far/old") == "1");
  CHECK(content_of(dir.path / "far/new") == "2");
  for (const char* name : {"link", "link of a link", "into the void"})
    CHECK(fs::is_symlink(dir.path / name));
  CHECK_THROWS_AS(emit::write_file(dir.path / "round", {1}), error);
  CHECK_THROWS_WITH_AS(emit::write_files(dir.path, {{"link", {1}}, {"far/old", {1}}}),
                       doctest::Contains("are the same file"), error);
}

TEST_CASE("a file keeps its mode, a new one gets that of the process") {
  const scratch dir;
  for (const mode_t mode : {0600u, 0644u, 0755u, 0666u}) {
    const auto path = dir.write("f", "old");
    ::chmod(path.c_str(), mode);
    emit::write_file(path, bytes_of("new"));
    CHECK(mode_of(path) == mode);
    CHECK(content_of(path) == "new");
  }
  const auto before = ::umask(027);
  emit::write_file(dir.path / "new", {1});
  ::umask(before);
  CHECK(mode_of(dir.path / "new") == 0640);
}

TEST_CASE("FIFOs and devices are written through") {
  const scratch dir;
  const opened_fifo fifo(dir.path / "fifo");
  emit::write_files(dir.path, {{"fifo", bytes_of("through")}, {"beside", {1}}});
  CHECK(fifo.read() == "through");
  CHECK(fs::is_fifo(dir.path / "fifo"));
  CHECK(dir.files() == 2);
  if (!make_null(dir.path / "null")) return;
  emit::write_file(dir.path / "null", bytes_of("nothing"));
  CHECK(fs::is_character_file(dir.path / "null"));
}

TEST_CASE("of two writers of the same files the second waits for the first") {
  const scratch dir(memory_directory());
  const std::array names{"a", "b"};
  const auto add = [&](emit::transaction& t, const char* text) {
    for (const auto* name : names) t.add(emit::resolve(dir.path / name), bytes_of(text));
  };
  emit::transaction first;
  add(first, "first");
  first.prepare();
  std::atomic<bool> done = false;
  std::thread second([&] {
    emit::transaction t;
    add(t, "second");
    t.prepare();
    t.commit();
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(!done);
  CHECK(!fs::exists(dir.path / "a"));
  first.commit();
  second.join();
  for (const auto* name : names) CHECK(content_of(dir.path / name) == "second");
  CHECK(dir.files() == names.size());
}

TEST_CASE("of two writers at once one wins with all its files, 200 times") {
  const scratch dir(memory_directory());
  const std::array names{"a", "b", "c"};
  const auto write = [&](const char* text) {
    std::vector<emit::file> files;
    for (const auto* name : names) files.push_back({name, bytes_of(text)});
    emit::write_files(dir.path, files);
  };
  for (int race = 0; race < 200; ++race) {
    CAPTURE(race);
    std::array<int, 2> start{};
    REQUIRE(::pipe(start.data()) == 0);
    std::array<pid_t, 2> writers{};
    for (std::size_t w = 0; w < 2; ++w) {
      writers[w] = ::fork();
      if (writers[w] != 0) continue;
      char all_are_there = 0;
      ::close(start[1]);
      int code = 1;
      if (::read(start[0], &all_are_there, 1) == 0) try {
          write(w == 0 ? "first" : "second");
          code = 0;
        } catch (...) {
        }
      ::_exit(code);
    }
    ::close(start[0]);
    ::close(start[1]);
    for (const auto writer : writers) {
      int status = 0;
      ::waitpid(writer, &status, 0);
      CHECK(status == 0);
    }
    const auto winner = content_of(dir.path / "a");
    CHECK((winner == "first" || winner == "second"));
    for (const auto* name : names) CHECK(content_of(dir.path / name) == winner);
    CHECK(dir.files() == names.size());
  }
}
