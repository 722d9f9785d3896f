// SPDX-License-Identifier: Apache-2.0
#pragma once
// The right classes of the inputs of a verification.
#include <cstddef>
#include <span>
#include <string>

#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

// Throws nvdlac::error where a label is none of the classes that the network's first output tells
// apart, one for each element; `file` is for messages.
void check_labels(std::span<const std::size_t> labels, const report& of,
                  const std::string& file = {});

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/labels.ipp>
#endif
