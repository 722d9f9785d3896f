// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

// Where files are quick, as they are written to no disk; the usual directory where there is none.
inline std::filesystem::path memory_directory() {
  const char* const memory = "/dev/shm";
  return ::access(memory, W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

// An empty directory that goes away with the test.
struct scratch {
  std::filesystem::path path;

  explicit scratch(const std::filesystem::path& in = std::filesystem::temp_directory_path()) {
    static int number = 0;
    path = in / ("nvdlac_test_" + std::to_string(::getpid()) + '_' + std::to_string(number++));
    std::filesystem::create_directories(path);
  }
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  std::filesystem::path write(std::string_view name, std::string_view content) const {
    std::ofstream(path / name, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return path / name;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path), {}));
  }
};
