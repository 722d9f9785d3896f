// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sources of a loadable, and the tool that made it: enough to make it anew, and nothing that is
// not the same then, such as a date or a place in a file system.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/constexpr_vector.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/sha256.hpp>

namespace nvdlac::emit {

struct provenance {
  // Something that was read.
  struct source {
    label role;               // "model", "weights", "calibration", "scales", "schedule"
    // The SHA-256 of a file. Of several the SHA-256 of the sorted lines that have the SHA-256 of
    // each in hexadecimal digits. Of a calibration that of the values which the network saw of it,
    // floats of 4 bytes with the least one first, so that it is the same for pictures and for
    // arrays of their pixels.
    digest sha256{};
    std::uint32_t count = 0;  // files, or inputs of the calibration

    constexpr bool operator==(const source&) const = default;
  };

  label version, commit;          // of nvdlac; of a tree without a history the commit is empty
  std::vector<label> options{};   // "--effort=2": those that were given, sorted, without files
  std::vector<source> sources{};  // in the order in which they are listed above

  // Whether nothing is known of the loadable.
  constexpr bool empty() const { return version.empty(); }
  constexpr const source* find(std::string_view role) const {
    const auto at = std::ranges::find_if(sources, [&](const source& s) { return s.role == role; });
    return at == sources.end() ? nullptr : &*at;
  }
  constexpr bool operator==(const provenance&) const = default;
};

}  // namespace nvdlac::emit
