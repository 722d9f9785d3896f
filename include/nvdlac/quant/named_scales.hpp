// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scale tables of other tools, which name tensors where nvdlac's name layers.
#include <span>

#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// The table with the layers' names in place of the tensors', as other tools list these. An entry of
// the layer's own name wins; of several tensors that a layer gives, in whatever order of elements,
// the first one has the scale.
scale_table named_by_tensor(scale_table table, std::span<const named_tensor> tensors);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/named_scales.ipp>
#endif
