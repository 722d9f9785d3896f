// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/regular_file.hpp>

namespace nvdlac::data {

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
