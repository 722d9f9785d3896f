// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/file.hpp>

namespace nvdlac::import::coreml_format {

// The files of weights that a program names, below the directory of the program.
class weight_files {
 public:
  explicit weight_files(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // The bytes of the blob whose record stands at this offset.
  std::string blob(const std::string& name, std::int64_t offset);
  // The number of bytes of the file of this name.
  std::uintmax_t bytes(const std::string& name) { return open(name).size(); }
  std::vector<std::filesystem::path> paths() const;

 private:
  const data::regular_file& open(const std::string& name);

  std::filesystem::path directory_;
  std::map<std::string, std::pair<std::filesystem::path, data::regular_file>> files_;
};

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/weight_files.ipp>
#endif
