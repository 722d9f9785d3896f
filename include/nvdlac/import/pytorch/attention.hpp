// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/import/pytorch/call.hpp>

namespace nvdlac::import::pytorch_format {

// softmax(query * key^T * scale + mask) * value, over the last two axes.
results on_attention(const call& c);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/attention.ipp>
#endif
