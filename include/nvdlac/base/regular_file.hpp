// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <nvdlac/base/error.hpp>

namespace nvdlac {

// A file of the user that has a size and an end. A FIFO would wait for a writer without a word, and
// a device may never end, so that both are refused. All problems are `error`s that name the file.
class regular_file {
 public:
  // More than that is refused before anything is allocated: no format that is read here has it.
  static constexpr std::uintmax_t most_bytes = (std::uintmax_t{1} << 31) - 1;

  explicit regular_file(std::filesystem::path path) : path_(std::move(path)) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const auto kind = fs::status(path_, failed).type();
    if (path_.empty()) fail("a file without a name");
    if (kind == fs::file_type::not_found) fail("there is no such file");
    if (kind == fs::file_type::directory) fail("this is a directory");
    if (kind == fs::file_type::none) fail("the file cannot be read: " + failed.message());
    if (kind != fs::file_type::regular)
      fail(kind == fs::file_type::fifo ? "this is a FIFO" : "this is a device or a socket",
           "write its content to a file first");
    size_ = fs::file_size(path_, failed);
    if (failed) fail("the file cannot be read: " + failed.message());
  }

  std::uintmax_t size() const { return size_; }

  // All bytes, or those of a part that lies within the file.
  template <class Bytes>
  Bytes read() const { return read<Bytes>(0, size_); }
  template <class Bytes>
  Bytes read(std::uintmax_t offset, std::uintmax_t length) const {
    if (length > most_bytes)
      fail(text("has ", length, " bytes"), "files of less than 2 GiB are read");
    Bytes content;
    try {
      content.resize(static_cast<std::size_t>(length));
    } catch (const std::bad_alloc&) {
      fail(text("its ", length, " bytes do not fit into the memory of this machine"));
    }
    std::ifstream in(path_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offset));
    in.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(length));
    if (!in || std::cmp_not_equal(in.gcount(), length)) fail("the file cannot be read");
    return content;
  }

 private:
  [[noreturn]] void fail(std::string reason, std::string remedy = {}) const {
    throw error(problem{.file = path_.string(), .reason = std::move(reason),
                        .remedy = std::move(remedy)});
  }

  std::filesystem::path path_;
  std::uintmax_t size_ = 0;
};

}  // namespace nvdlac
