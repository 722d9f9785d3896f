// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/emit/files.hpp>

namespace nvdlac::cli {

// Files that a command will write: all together when all are complete, or none.
class output_files {
 public:
  // Looks, before any long work, whether the file can be written: its directory is there, it is
  // none of the inputs, and no other output has its name. Throws nvdlac::error.
  void expect(const std::filesystem::path& path, const std::vector<std::filesystem::path>& inputs);

  void add(const std::filesystem::path& path, std::vector<std::uint8_t> bytes);
  void add(const std::filesystem::path& path, std::string_view content);
  void write();

 private:
  std::vector<std::filesystem::path> expected_{};
  std::vector<emit::file> files_{};
};

// "out/digits.nv_small.nvdla" of "out/digits.nvdla" and "nv_small".
std::filesystem::path with_infix(const std::filesystem::path& path, std::string_view infix);

}  // namespace nvdlac::cli
