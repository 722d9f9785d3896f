// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include <nvdlac/base/sha256.hpp>

namespace nvdlac::data {

// The SHA-256 of a file's bytes, of which few are in memory at once. Throws nvdlac::error.
digest sha256_of(const std::filesystem::path& file);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/digest.ipp>
#endif
