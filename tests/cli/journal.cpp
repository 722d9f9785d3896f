// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <nvdlac/base/error.hpp>

#include <tools/nvdlac/queue/journal.hpp>

#include "cli.hpp"

namespace {

using nvdlac::cli::journal;

struct contents {
  std::vector<std::string> lines{};
  std::size_t damaged = 0;
};
contents read(const std::filesystem::path& path, const std::string& identity = "work") {
  contents c;
  c.damaged = nvdlac::cli::read_journal(path, identity, [&](std::size_t n, std::string&& line) {
    c.lines.push_back(std::to_string(n) + ' ' + line);
  });
  return c;
}

std::filesystem::path written(const scratch& dir) {
  const auto path = dir.path / "journal";
  journal j(path, "work");
  j.add(7, "seven, and more");
  j.add(3, "");
  j.flush();
  return path;
}

}  // namespace

TEST_CASE("a journal gives what was added to it") {
  const scratch dir;
  const auto path = written(dir);
  CHECK(read(path).lines == std::vector<std::string>{"7 seven, and more", "3 "});
  journal(path, "work").add(1, "one");
  CHECK(read(path).lines.back() == "1 one");
  CHECK(read(path).lines.size() == 3);
}

TEST_CASE("a line that is not whole is left out and cut off, wherever the file ends") {
  const scratch dir;
  const auto whole = content(written(dir));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const auto path = dir.write("torn", whole.substr(0, size));
    CHECK(read(path).damaged == 0);
    const auto kept = read(path).lines.size();
    { journal(path, "work").add(9, "nine"); }
    const auto after = read(path);
    CHECK(after.damaged == 0);
    REQUIRE(after.lines.size() == kept + 1);
    CHECK(after.lines.back() == "9 nine");
  }
}

TEST_CASE("every changed byte of a line is found") {
  const scratch dir;
  const auto whole = content(written(dir));
  const auto start = whole.find('\n') + 1, end = whole.find('\n', start);
  for (auto at = start; at < end; ++at) {
    auto changed = whole;
    changed[at] ^= 1;
    if (changed[at] == '\n') continue;
    const auto c = read(dir.write("changed", changed));
    CAPTURE(at);
    CHECK(c.damaged == 1);
    CHECK(c.lines == std::vector<std::string>{"3 "});
  }
}

TEST_CASE("what is no file of its own is no journal: nothing waits for it or follows it") {
  const scratch dir;
  const auto fifo = dir.path / "fifo", link = dir.path / "link";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::filesystem::create_symlink("elsewhere", link);
  for (const auto& [path, reason] : {std::pair{fifo, "is no regular file"},
                                     std::pair{link, "is a symbolic link"},
                                     std::pair{std::filesystem::path("/dev/null"),
                                               "is no regular file"}}) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(journal(path, "work"), doctest::Contains(reason), nvdlac::error);
    CHECK_THROWS_WITH_AS(nvdlac::cli::wait_for_journal(path), doctest::Contains(reason),
                         nvdlac::error);
    CHECK_THROWS_AS(read(path), nvdlac::error);
  }
  CHECK(!std::filesystem::exists(dir.path / "elsewhere"));
}

TEST_CASE("a journal of other work, or one that is open, is refused") {
  const scratch dir;
  const auto path = written(dir);
  CHECK_THROWS_WITH_AS(read(path, "other"), doctest::Contains("holds the results of other work"),
                       nvdlac::error);
  CHECK_THROWS_AS(journal(path, "other"), nvdlac::error);
  CHECK_THROWS_AS(journal(dir.path / "absent" / "journal", "work"), nvdlac::error);
  CHECK_THROWS_AS(journal(path, "work").add(1, "two\nlines"), std::logic_error);
}
