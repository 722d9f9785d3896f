// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/data/file.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

#include <nvdlac/import/file.hpp>

#include "../scratch.hpp"

using namespace nvdlac;

namespace {

// The complaint of all readers of files, which is the same.
std::string complaint(const std::filesystem::path& path) {
  const auto of = [&](const std::function<void()>& read) -> std::string {
    try {
      read();
    } catch (const error& e) {
      CHECK(e.problems().size() == 1);
      CHECK(e.problems().front().file == path.string());
      return e.problems().front().reason;
    }
    return {};
  };
  const auto first = of([&] { (void)import::read_file(path); });
  CHECK(of([&] { (void)data::read_file(path); }) == first);
  return first;
}

// Sanitizers reserve terabytes of addresses, and live with no limit of them.
#ifdef __has_feature
constexpr bool can_limit = !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer));
#else
constexpr bool can_limit = true;
#endif

// The memory that this process may still take.
class memory_limit {
 public:
  explicit memory_limit(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &now);
  }
  ~memory_limit() { ::setrlimit(RLIMIT_AS, &before_); }
  memory_limit(const memory_limit&) = delete;
  memory_limit& operator=(const memory_limit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("only regular files are read, whole or in parts") {
  const scratch dir;
  const auto file = dir.write("f", "abcdef");
  CHECK(import::read_file(file) == "abcdef");
  CHECK(data::read_file(file).size() == 6);
  CHECK(data::regular_file(file).size() == 6);
  CHECK(data::regular_file(file).read<std::string>(2, 3) == "cde");
  CHECK(data::regular_file(file).read<std::string>(6, 0).empty());
  CHECK_THROWS_AS((void)data::regular_file(file).read<std::string>(4, 3), error);
  std::filesystem::create_symlink(file, dir.path / "link");
  CHECK(import::read_file(dir.path / "link") == "abcdef");

  CHECK(complaint(dir.path / "absent") == "there is no such file");
  CHECK(complaint(dir.path) == "this is a directory");
  CHECK(complaint("") == "a file without a name");
  CHECK(complaint("/dev/zero") == "this is a device or a socket");
  REQUIRE(::mkfifo((dir.path / "pipe").c_str(), 0600) == 0);
  CHECK(complaint(dir.path / "pipe") == "this is a FIFO");  // and does not wait for a writer
}

TEST_CASE("a file that is too large is refused before anything is allocated") {
  const scratch dir;
  const auto sparse = dir.write("sparse", "x");
  std::filesystem::resize_file(sparse, std::uintmax_t{9} << 30);
  CHECK(complaint(sparse) == "has 9663676416 bytes");
  CHECK(data::regular_file(sparse).read<std::string>(std::uintmax_t{8} << 30, 2).size() == 2);
  std::filesystem::resize_file(sparse, std::uintmax_t{1900} << 20);
  if (!can_limit) return;
  const memory_limit limit(std::size_t{1} << 30);
  CHECK(complaint(sparse) ==
        "its 1992294400 bytes do not fit into the memory of this machine");
}
