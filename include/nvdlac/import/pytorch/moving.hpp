// SPDX-License-Identifier: Apache-2.0
#pragma once
// ATen's operators that move elements.
#include <cstdint>
#include <string>

#include <nvdlac/import/pytorch/call.hpp>

namespace nvdlac::import::pytorch_format {

results on_view(const call& c);
results on_flatten(const call& c);
results on_permute(const call& c);
results exchanged(const call& c, const operand& x, std::int64_t a, std::int64_t b);
results on_transpose(const call& c);
results on_t(const call& c);
results on_unsqueeze(const call& c);
results on_squeeze(const call& c);

results on_slice(const call& c);
results on_select(const call& c);
results parts(const call& c, const operand& x, std::int64_t axis, const dims& lengths);
// Parts of so many elements, of which the last has what is left.
results equal_parts(const call& c, const operand& x, std::int64_t length);
results on_split(const call& c);
results on_chunk(const call& c);
results on_split_with_sizes(const call& c);
results on_concat(const call& c);
results on_stack(const call& c);
// Each element of an axis, without that axis.
results on_unbind(const call& c);
results on_unflatten(const call& c);
results on_view_as(const call& c);
// Repeated along axes of one element; -1 keeps a size.
results on_expand(const call& c);
results on_expand_as(const call& c);
results on_repeat(const call& c);
results on_roll(const call& c);
results on_flip(const call& c);

// Pads from the last axis on, each before and behind.
results padded(const call& c, const char* name, const std::string& mode, float value);
results on_pad(const call& c);
results on_constant_pad(const call& c);
inline results on_reflection_pad(const call& c) { return padded(c, "padding", "reflect", 0); }
inline results on_replication_pad(const call& c) { return padded(c, "padding", "edge", 0); }

results upsampled(const call& c, const std::string& mode);
inline results on_upsample_nearest(const call& c) { return upsampled(c, "nearest"); }
inline results on_upsample_bilinear(const call& c) { return upsampled(c, "linear"); }
inline results on_upsample_bicubic(const call& c) { return upsampled(c, "cubic"); }
results on_pixel_shuffle(const call& c);
results on_pixel_unshuffle(const call& c);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/moving.ipp>
#endif
