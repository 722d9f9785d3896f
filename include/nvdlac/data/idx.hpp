// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nvdlac/data/file.hpp>

namespace nvdlac::data {

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
