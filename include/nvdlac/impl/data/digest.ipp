// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/sha256.hpp>
#include <nvdlac/data/digest.hpp>
#include <nvdlac/data/file.hpp>

namespace nvdlac::data {

NVDLAC_IMPL digest sha256_of(const std::filesystem::path& file) {
  constexpr std::uintmax_t piece = 1 << 20;
  const regular_file content(file);
  sha256 all;
  for (std::uintmax_t at = 0; at < content.size(); at += piece)
    all.update(content.read<std::vector<std::uint8_t>>(at, std::min(piece, content.size() - at)));
  return all.finish();
}

}  // namespace nvdlac::data
