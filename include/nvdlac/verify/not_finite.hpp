// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of a verification that are NaN or infinite.
#include <cstddef>
#include <optional>
#include <string>

#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

// Who computes values of an output, or of this part of it, that are NaN or infinite, how many and
// for which inputs: "of the 4 values for a.npy the float network itself computes 2 that are no
// finite numbers". Nothing where all are finite.
std::string not_finite(const report& r, std::size_t program, std::size_t output,
                       std::optional<std::size_t> part = {});

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/not_finite.ipp>
#endif
