// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac::lower {

// Convolutions of a batch that are computed in batch mode: none; those that are predicted to be
// faster by it, each alone; or all that can be. A program is made in the way that is predicted to
// be the fastest as a whole, of all three unless the third is asked for.
enum class batch_mode_use : std::uint8_t { off, predicted, forced };

}  // namespace nvdlac::lower
