// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of neural networks in ONNX's terms: those that move and choose elements; and all of
// them by name.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/layers.hpp>

namespace nvdlac::import::coreml_format {

inline constexpr auto whole = std::numeric_limits<std::int64_t>::max();

results on_crop(const conversion& c);
results padded(const conversion& c, const dims& pads, const std::string& mode, float value);
results on_padding(const conversion& c);
// Before and behind each dimension.
results on_constant_pad(const conversion& c);

results on_upsample(const conversion& c);
results on_resize_bilinear(const conversion& c);

results on_load_constant(const conversion& c);
results on_load_constant_nd(const conversion& c);
inline results on_copy(const conversion& c) { return {c.one()}; }

operand channels_last(const conversion& c, const operand& x);
results on_flatten(const conversion& c);
results on_reshape(const conversion& c);
// Permutes sequences, channels, height and width.
results on_permute(const conversion& c);
results on_transpose(const conversion& c);
results joined(const conversion& c, std::int64_t axis);
results on_concat(const conversion& c);
inline results on_concat_nd(const conversion& c) { return joined(c, c.axis(c.p.integer("axis"))); }
results parts(const conversion& c, std::int64_t axis, std::int64_t n, const dims& lengths);
results on_split(const conversion& c);
results on_split_nd(const conversion& c);
inline results on_reorganize_data(const conversion& c) {
  const auto mode = c.p.integer("mode");
  if (mode < 0 || mode > 2) throw error(text("its mode is number ", mode));
  std::vector<attribute> how{{"blocksize", c.p.integer("blockSize")}};
  if (mode != 0) how.push_back({"mode", std::string(mode == 1 ? "DCR" : "CRD")});
  return {c.to().node(mode == 0 ? "SpaceToDepth" : "DepthToSpace", c.name(), {c.picture()}, 4,
                      how)};
}
// Slices channels, height or width; an end of 0 is that of all.
results on_slice(const conversion& c);
// A part of each dimension; where a mask says so it begins or ends where the dimension does, or is
// one element whose dimension is left out.
struct slices {
  dims begins, ends, strides;
  std::vector<bool> begin_masks, end_masks, squeezes;
};
operand sliced(translation::layer_writer& to, const std::string& name, const operand& x, slices s);
results on_slice_static(const conversion& c);
results on_squeeze(const conversion& c);
results on_expand_dims(const conversion& c);
results on_flatten_to_2d(const conversion& c);
results on_reshape_static(const conversion& c);
results on_rank_preserving_reshape(const conversion& c);

// How many dimensions the results of a layer have: as its inputs, or as it says.
enum class ranks : std::uint8_t { of_inputs, exact };

struct layer_entry {
  results (*convert)(const conversion&);
  ranks results_have = ranks::of_inputs;
};

const std::map<std::string_view, layer_entry>& layers();

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/moving.ipp>
#endif
