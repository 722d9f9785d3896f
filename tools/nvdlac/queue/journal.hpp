// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nvdlac/emit/destination.hpp>

namespace nvdlac::cli {

// FNV-1a of 64 bits, in hexadecimal digits.
std::string checksum(std::string_view);

// Results as they come, each a line of a file with its number and a checksum. What was added
// outlives the process at once, and a failure of power after half a second.
class journal {
 public:
  // Opens or makes the file, and locks it; a line at its end that is not whole is cut off. Throws
  // nvdlac::error where another process keeps the lock, or where the file is of other work.
  journal(const std::filesystem::path&, std::string_view identity);
  ~journal();

  // A line without its end; any thread may.
  void add(std::size_t number, std::string_view line);
  // All is on the disk.
  void flush();

 private:
  void write(std::string_view content);
  void keep_on_disk(const std::stop_token&);

  std::filesystem::path path_;
  descriptor file_;
  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  bool dirty_ = false;
  int failed_ = 0;  // errno of an earlier call
  std::jthread syncing_;
};

// Calls for each line that is whole; returns how many are not, but for one without an end, which is
// being written. Throws nvdlac::error where the file is of other work.
std::size_t read_journal(const std::filesystem::path&, std::string_view identity,
                         const std::function<void(std::size_t number, std::string&& line)>&);

// Until no process has the file open as a journal; throws as journal does.
void wait_for_journal(const std::filesystem::path&);

}  // namespace nvdlac::cli
