// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/emit/transaction.hpp>

namespace nvdlac::emit {

struct file {
  std::string name;  // without a directory
  std::vector<std::uint8_t> bytes{};
};

// Writes all files into a directory, or none, as a `transaction`: what cannot be written is an
// `error`, and the files of before are still there.
inline void write_files(const std::filesystem::path& directory, std::vector<file> files) {
  transaction all;
  for (auto& f : files) all.add(resolve(directory / f.name), std::move(f.bytes));
  all.prepare();
  all.commit();
}

// One file by its path.
inline void write_file(const std::filesystem::path& path, std::vector<std::uint8_t> bytes) {
  write_files(path.parent_path(), {{path.filename().string(), std::move(bytes)}});
}

}  // namespace nvdlac::emit
