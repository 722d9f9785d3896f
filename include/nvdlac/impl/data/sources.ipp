// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/sha256.hpp>
#include <nvdlac/data/digest.hpp>
#include <nvdlac/data/sources.hpp>

namespace nvdlac::data {

NVDLAC_IMPL emit::provenance::source source_of(const char* role,
                                               const std::vector<std::filesystem::path>& files) {
  std::vector<digest> each;
  for (const auto& file : files) each.push_back(sha256_of(file));
  std::ranges::sort(each);
  sha256 all;
  for (const auto& one : each) all.update(one.hex() + '\n');
  return {.role = role, .sha256 = each.size() == 1 ? each.front() : all.finish(),
          .count = static_cast<std::uint32_t>(each.size())};
}

NVDLAC_IMPL emit::provenance::source source_of_model(
    const std::filesystem::path& main, std::vector<std::filesystem::path> external) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(main, ignored)) external.push_back(main);
  return source_of("model", external);
}

NVDLAC_IMPL void calibration_source::add(std::span<const net::float_tensor> sample) {
  static_assert(std::endian::native == std::endian::little);
  if (next_++ != count_) return;  // it was seen
  for (const auto& t : sample)
    values_.update(std::span(reinterpret_cast<const std::uint8_t*>(t.values.data()),
                             t.values.size() * sizeof(float)));
  ++count_;
}

NVDLAC_IMPL std::optional<emit::provenance::source> calibration_source::seen() const {
  if (count_ == 0) return std::nullopt;
  return emit::provenance::source{
      .role = "calibration", .sha256 = values_.finish(), .count = count_};
}

}  // namespace nvdlac::data
