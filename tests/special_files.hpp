// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <csignal>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// A FIFO that somebody reads, so that opening it to write does not wait.
class opened_fifo {
 public:
  explicit opened_fifo(const std::filesystem::path& path) {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    reader_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader_ >= 0);
  }
  ~opened_fifo() { ::close(reader_); }
  opened_fifo(const opened_fifo&) = delete;
  opened_fifo& operator=(const opened_fifo&) = delete;

  // Reads what came; at most 64 KiB wait in a FIFO.
  std::string read() const {
    std::string all;
    std::array<char, 4096> block{};
    for (ssize_t n = 0; (n = ::read(reader_, block.data(), block.size())) > 0;)
      all.append(block.data(), static_cast<std::size_t>(n));
    return all;
  }

 private:
  int reader_ = -1;
};

// While it lives, no file can get larger than this many bytes.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// A device like /dev/null that a test may lose: one of its own, or a link to that of the system
// where no permission to replace it exists. False where there is neither.
inline bool make_null(const std::filesystem::path& path) {
  if (::geteuid() != 0) {
    std::filesystem::create_symlink("/dev/null", path);
    return true;
  }
  if (::mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device >= 0 && ::close(device) == 0) return true;
  }
  MESSAGE("skipped for devices: none can be made here");
  return false;
}
