// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/coreml/weight_files.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL std::string weight_files::blob(const std::string& name, std::int64_t offset) {
  const auto& file = open(name);
  const auto at = static_cast<std::uintmax_t>(offset);
  const auto fail = [&](const char* why) {
    return error(text("its weights at byte ", offset, " of '", name, "' ", why));
  };
  constexpr std::size_t record_size = 64;
  if (offset < 0 || at > file.size() || file.size() - at < record_size)
    throw fail("lie behind its end");
  const auto record = file.read<std::string>(at, record_size);
  std::uint32_t mark = 0;
  std::uint64_t size = 0, from = 0;
  std::memcpy(&mark, record.data(), sizeof mark);
  std::memcpy(&size, record.data() + 8, sizeof size);
  std::memcpy(&from, record.data() + 16, sizeof from);
  if (mark != 0xDEADBEEF) throw fail("have no record");
  if (from > file.size() || size > file.size() - from) throw fail("lie behind its end");
  return file.read<std::string>(from, size);
}

NVDLAC_IMPL std::vector<std::filesystem::path> weight_files::paths() const {
  std::vector<std::filesystem::path> all;
  for (const auto& [name, file] : files_) all.push_back(file.first);
  return all;
}

NVDLAC_IMPL const data::regular_file& weight_files::open(const std::string& name) {
  if (const auto found = files_.find(name); found != files_.end()) return found->second.second;
  constexpr std::string_view beside = "@model_path/";
  const std::filesystem::path relative = name.starts_with(beside) ? name.substr(beside.size())
                                                                  : name;
  if (relative.empty() || relative.is_absolute())
    throw error("its weights are in '" + name + "', which is not beside the model");
  auto path = data::file_below(directory_, relative, "");
  data::regular_file file(path);
  return files_.emplace(name, std::pair{std::move(path), std::move(file)})
      .first->second.second;
}

}  // namespace nvdlac::import::coreml_format
