// SPDX-License-Identifier: Apache-2.0
#pragma once
// ATen's normalisations by the statistics of what they read.
#include <nvdlac/import/pytorch/call.hpp>

namespace nvdlac::import::pytorch_format {

// layer_norm, and native_layer_norm, whose statistics nobody may read.
results on_layer_norm(const call& c);
results on_group_norm(const call& c);
// native_group_norm, which has the sizes of its input, and statistics that nobody may read.
results on_native_group_norm(const call& c);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/normalisation.ipp>
#endif
