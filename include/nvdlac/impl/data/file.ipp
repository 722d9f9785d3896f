// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ios>
#include <istream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>

namespace nvdlac::data {

NVDLAC_IMPL regular_file::regular_file(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) fail("a file without a name");
  size_ = static_cast<std::uintmax_t>(open().status().st_size);
}

NVDLAC_IMPL descriptor regular_file::open() const {
  namespace fs = std::filesystem;
  std::error_code failed;  // a device may do something when it is opened
  require_regular(fs::status(path_, failed).type(), failed);
  auto file = open_at_once(path_, O_RDONLY);
  if (!file) fail("the file cannot be read: " + std::generic_category().message(errno));
  if (const auto kind = file.status().st_mode; !S_ISREG(kind))
    require_regular(S_ISFIFO(kind)  ? fs::file_type::fifo
                    : S_ISDIR(kind) ? fs::file_type::directory
                                    : fs::file_type::unknown, {});
  return file;
}

NVDLAC_IMPL void regular_file::fail(std::string reason, std::string remedy) const {
  throw error(problem{.file = path_.string(), .reason = std::move(reason),
                      .remedy = std::move(remedy)});
}

NVDLAC_IMPL void regular_file::require_regular(std::filesystem::file_type kind,
                                               const std::error_code& failed) const {
  using enum std::filesystem::file_type;
  if (kind == regular) return;
  if (kind == not_found) fail("there is no such file");
  if (kind == directory) fail("this is a directory");
  if (kind == none) fail("the file cannot be read: " + failed.message());
  fail(kind == fifo ? "this is a FIFO" : "this is a device or a socket",
       "write its content to a file first");
}

NVDLAC_IMPL file_stream::file_stream(const std::filesystem::path& path)
    : std::istream(nullptr), buffer_(path) {
  rdbuf(&buffer_);
  exceptions(std::ios_base::badbit);  // an error of the buffer is one of who reads
}

NVDLAC_IMPL file_stream::buffer::int_type file_stream::buffer::underflow() {
  const auto got = file_.read(block_, offset_);
  if (got < 0)
    throw error(problem{.file = name_, .reason = "the file cannot be read: " +
                                                 std::generic_category().message(errno)});
  if (got == 0) return traits_type::eof();
  offset_ += static_cast<std::uint64_t>(got);
  setg(block_.data(), block_.data(), block_.data() + got);
  return traits_type::to_int_type(block_[0]);
}

NVDLAC_IMPL void refuse(const std::string& file, std::string reason, std::string remedy) {
  throw error(problem{.file = file, .reason = std::move(reason), .remedy = std::move(remedy)});
}

NVDLAC_IMPL file_bytes read_file(const std::filesystem::path& path) {
  return regular_file(path).read<file_bytes>();
}

NVDLAC_IMPL std::filesystem::path file_below(const std::filesystem::path& directory,
                                             const std::filesystem::path& name,
                                             const std::string& reader) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto root = fs::canonical(directory.empty() ? fs::path(".") : directory, failed);
  if (failed) refuse(reader, text("the directory of '", name.string(), "' cannot be read"));
  const auto found = fs::canonical(root / name, failed);
  if (failed)
    refuse(reader, text("the file '", name.string(), "' cannot be read",
                        failed == std::errc::no_such_file_or_directory
                            ? ": there is no such file" : ""));
  if (std::mismatch(root.begin(), root.end(), found.begin(), found.end()).first != root.end())
    refuse(reader,
           text("the file '", name.string(), "' is not below the directory of what names it"),
           "copy it there, instead of a link");
  return found;
}

NVDLAC_IMPL std::optional<std::size_t> product(const std::vector<std::size_t>& dims) {
  std::size_t n = 1;
  for (const auto d : dims) {
    if (d != 0 && n > std::numeric_limits<std::size_t>::max() / d) return std::nullopt;
    n *= d;
  }
  return n;
}

NVDLAC_IMPL std::string to_string(const std::vector<std::size_t>& dims) {
  std::string s;
  for (const auto d : dims) s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

NVDLAC_IMPL idx parse_idx(const file_bytes& bytes, const std::string& file) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) refuse(file, "is not an IDX file");
  if (bytes[2] != 8)
    refuse(file, text("has IDX element type ", int{bytes[2]}), "8, unsigned bytes, is supported");
  const std::size_t rank = bytes[3], header = 4 + 4 * rank;
  if (rank == 0 || rank > 4) refuse(file, text("has ", count_of(rank, "dimension")), "1 to 4");
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

NVDLAC_IMPL idx read_idx(const std::filesystem::path& path) {
  return parse_idx(read_file(path), path.string());
}

}  // namespace nvdlac::data
