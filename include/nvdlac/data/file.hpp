// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac::data {

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

using file_bytes = std::vector<std::uint8_t>;

[[noreturn]] inline void refuse(const std::string& file, std::string reason,
                                std::string remedy = {}) {
  throw error(problem{.file = file, .reason = std::move(reason), .remedy = std::move(remedy)});
}

// The whole content of a file. Throws nvdlac::error if it cannot be read or has 2 GiB or more.
inline file_bytes read_file(const std::filesystem::path& path) {
  return regular_file(path).read<file_bytes>();
}

// The file of this name in a directory or below, with no symbolic link left in its path: neither
// `..` nor a link leads out of the directory. `reader` names what asks for it. Throws
// nvdlac::error.
inline std::filesystem::path file_below(const std::filesystem::path& directory,
                                        const std::filesystem::path& name,
                                        const std::string& reader) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto root = fs::canonical(directory.empty() ? fs::path(".") : directory, failed);
  if (failed) refuse(reader, text("the directory of '", name.string(), "' cannot be read"));
  const auto found = fs::canonical(root / name, failed);
  if (failed) refuse(reader, text("the file '", name.string(), "' cannot be read"));
  if (std::mismatch(root.begin(), root.end(), found.begin(), found.end()).first != root.end())
    refuse(reader,
           text("the file '", name.string(), "' is not below the directory of what names it"),
           "copy it there, instead of a link");
  return found;
}

// The product of dimensions, or nothing if it does not fit.
inline std::optional<std::size_t> product(const std::vector<std::size_t>& dims) {
  std::size_t n = 1;
  for (const auto d : dims) {
    if (d != 0 && n > std::numeric_limits<std::size_t>::max() / d) return std::nullopt;
    n *= d;
  }
  return n;
}

// "2x3x4"
inline std::string to_string(const std::vector<std::size_t>& dims) {
  std::string s;
  for (const auto d : dims) s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

// A file in the format of the MNIST collection: bytes in dims.size() dimensions.
struct idx {
  std::vector<std::size_t> dims = {};
  std::vector<std::uint8_t> values = {};
};

// Header: 0 0, element type, rank, then one big-endian word per dimension. Only type 8 (unsigned
// bytes) is read. `file` is for messages.
inline idx parse_idx(const file_bytes& bytes, const std::string& file) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) refuse(file, "is not an IDX file");
  if (bytes[2] != 8)
    refuse(file, text("has IDX element type ", int{bytes[2]}), "8, unsigned bytes, is supported");
  const std::size_t rank = bytes[3], header = 4 + 4 * rank;
  if (rank == 0 || rank > 4) refuse(file, text("has ", rank, " dimensions"), "1 to 4");
  if (bytes.size() < header) refuse(file, "ends inside its IDX header");
  idx result;
  for (std::size_t at = 4; at < header; at += 4) {
    std::size_t dim = 0;
    for (std::size_t i = 0; i < 4; ++i) dim = dim << 8 | bytes[at + i];
    result.dims.push_back(dim);
  }
  const auto expected = product(result.dims);
  if (!expected || *expected != bytes.size() - header)
    refuse(file, text("holds ", bytes.size() - header, " values, its IDX header promises ",
                      to_string(result.dims)));
  result.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
  return result;
}

inline idx read_idx(const std::filesystem::path& path) {
  return parse_idx(read_file(path), path.string());
}

}  // namespace nvdlac::data
