// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nvdlac/error.hpp>

namespace nvdlac::emit {

struct file {
  std::string name;  // without a directory
  std::vector<std::uint8_t> bytes{};
};

// Writes all files into a directory, or none: under other names first, renamed when all are
// complete. What cannot be written is an `error`.
inline void write_files(const std::filesystem::path& directory, const std::vector<file>& files) {
  namespace fs = std::filesystem;
  const auto part = [&](const file& f) { return directory / (f.name + ".part"); };
  const auto discard = [&](std::size_t written) {
    for (std::size_t i = 0; i < written; ++i) {
      std::error_code ignored;
      fs::remove(part(files[i]), ignored);
    }
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::ofstream out(part(files[i]), std::ios::binary);
    out.write(reinterpret_cast<const char*>(files[i].bytes.data()),
              static_cast<std::streamsize>(files[i].bytes.size()));
    out.close();
    if (out.fail()) {
      discard(i + 1);
      throw error(problem{.file = (directory / files[i].name).string(),
                          .reason = "cannot be written"});
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::error_code failed;
    fs::rename(part(files[i]), directory / files[i].name, failed);
    if (!failed) continue;
    discard(files.size());
    for (std::size_t done = 0; done < i; ++done) {
      std::error_code ignored;
      fs::remove(directory / files[done].name, ignored);
    }
    throw error(problem{.file = (directory / files[i].name).string(),
                        .reason = "cannot be written: " + failed.message()});
  }
}

// One file by its path.
inline void write_file(const std::filesystem::path& path, std::vector<std::uint8_t> bytes) {
  write_files(path.parent_path(), {{path.filename().string(), std::move(bytes)}});
}

}  // namespace nvdlac::emit
