// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/pictures.hpp>

namespace nvdlac {

NVDLAC_IMPL pictures& pictures::of(std::string input, std::filesystem::path path) & {
  entries_.push_back({std::move(input), std::move(path)});
  return *this;
}

NVDLAC_IMPL pictures pictures::of(std::string input, std::filesystem::path path) && {
  return std::move(of(std::move(input), std::move(path)));
}

}  // namespace nvdlac
