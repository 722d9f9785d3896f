// SPDX-License-Identifier: Apache-2.0
#pragma once
// The things that a program is made from, by their content, for the notes of its loadable.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/base/sha256.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

// One thing that was read, in these files.
emit::provenance::source source_of(const char* role,
                                   const std::vector<std::filesystem::path>& files);

// A model in a file, or in a folder, and the further files that hold its data.
emit::provenance::source source_of_model(const std::filesystem::path& main,
                                         std::vector<std::filesystem::path> external);

// The values that a network sees of a calibration, whose samples are visited in the same order any
// number of times.
class calibration_source {
 public:
  void begin() { next_ = 0; }  // of a visit
  void add(std::span<const net::float_tensor> sample);
  // Nothing where no sample was seen.
  std::optional<emit::provenance::source> seen() const;

 private:
  sha256 values_{};
  std::uint32_t count_ = 0, next_ = 0;
};

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/sources.ipp>
#endif
