// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <new>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::data {

// A file of the user that has a size and an end. A FIFO would wait for a writer without a word, and
// a device may never end, so that both are refused, also where they take the place of a file that
// was looked at before. Whatever nvdlac reads is opened here. All problems are `error`s with the
// name of the file.
class regular_file {
 public:
  // More than that is refused before anything is allocated: no format that is read here has it.
  static constexpr std::uintmax_t most_bytes = (std::uintmax_t{1} << 31) - 1;

  explicit regular_file(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::uintmax_t size() const { return size_; }

  // To read; what it has now is what the descriptor tells.
  descriptor open() const;

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
    const auto got =
        open().read({reinterpret_cast<char*>(content.data()), content.size()}, offset);
    if (got < 0) fail("the file cannot be read: " + std::generic_category().message(errno));
    if (std::cmp_not_equal(got, length)) fail("the file cannot be read: it became shorter");
    return content;
  }

 private:
  [[noreturn]] void fail(std::string reason, std::string remedy = {}) const;
  void require_regular(std::filesystem::file_type kind, const std::error_code& failed) const;

  std::filesystem::path path_;
  std::uintmax_t size_ = 0;
};

// A regular file that is read line by line, however long it is. Throws nvdlac::error also where it
// cannot be read on.
class file_stream : public std::istream {
 public:
  explicit file_stream(const std::filesystem::path& path);

 private:
  class buffer : public std::streambuf {
   public:
    explicit buffer(const std::filesystem::path& path)
        : name_(path.string()), file_(regular_file(path).open()) {}

   private:
    int_type underflow() override;

    std::string name_;
    descriptor file_;
    std::uint64_t offset_ = 0;
    std::array<char, 1 << 14> block_{};
  };

  buffer buffer_;
};

using file_bytes = std::vector<std::uint8_t>;

[[noreturn]] void refuse(const std::string& file, std::string reason, std::string remedy = {});

// The whole content of a file. Throws nvdlac::error if it cannot be read or has 2 GiB or more.
file_bytes read_file(const std::filesystem::path& path);

// The file of this name in a directory or below, with no symbolic link left in its path: neither
// `..` nor a link leads out of the directory. `reader` names what asks for it. Throws
// nvdlac::error.
std::filesystem::path file_below(const std::filesystem::path& directory,
                                 const std::filesystem::path& name, const std::string& reader);

// The product of dimensions, or nothing if it does not fit.
std::optional<std::size_t> product(const std::vector<std::size_t>& dims);

// "2x3x4"
std::string to_string(const std::vector<std::size_t>& dims);

// A file in the format of the MNIST collection: bytes in dims.size() dimensions.
struct idx {
  std::vector<std::size_t> dims = {};
  std::vector<std::uint8_t> values = {};
};

// Header: 0 0, element type, rank, then one big-endian word per dimension. Only type 8 (unsigned
// bytes) is read. `file` is for messages.
idx parse_idx(const file_bytes& bytes, const std::string& file);

idx read_idx(const std::filesystem::path& path);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/file.ipp>
#endif
