// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the pictures of a batch share layers.
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::choose {

// Small maps computed together or not, each with the uses of batch mode that the options allow.
std::vector<candidate> with_batch(const hw::spec& hw, const candidate& from,
                                  const compile_options& options);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/batch.ipp>
#endif
