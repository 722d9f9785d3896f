// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that read several others, and those that move elements.
#include <algorithm>
#include <cstdint>
#include <string>

#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::darknet_format {

inline id on_nothing(const context& c) { return c.add(c.name, net::identity{}, {c.input()}); }
inline id on_cost(const context& c) { return c.input(); }

id on_activation(const context& c);

// Channels from one on, and zeros where there are none.
id channels(const context& c, const std::string& node, id x, std::int64_t first,
            std::int64_t count);

// One of equal groups of the channels of each layer, all behind each other.
id on_route(const context& c);

// Thins a larger picture out to the elements at every so many lines and columns that it has the
// size of the other.
id thinned(const context& c, const std::string& node, id x, const net::shape& like);

// The sum of its input and of other layers; of these only the channels that the input has.
id on_shortcut(const context& c);

// The product with another layer.
id multiplied(const context& c, id other);
id on_scale_channels(const context& c);
id on_sam(const context& c);

id on_upsample(const context& c);

// Darknet's loop over `loop`: element (k, j, i) belongs to (k % c, j * stride + k / c / stride,
// i * stride + k / c % stride) of a picture with c = channels / stride^2 and `stride` times the
// height and width, whatever shape the tensor of so many elements has.
onnx_format::movement reorganised(const net::shape& loop, std::int64_t stride, bool gathers,
                                  dims to, const onnx_format::element_ceiling& most);

// reorg3d loops over its output, as one expects; the older reorg over its input, whatever comes of
// it, and networks were trained with that.
id reorganise(const context& c, bool over_output);
inline id on_reorg(const context& c) { return reorganise(c, false); }
inline id on_reorg3d(const context& c) { return reorganise(c, true); }

// The middle of the picture, and 2 * x - 1 of it.
id on_crop(const context& c);

// Over all elements.
id on_softmax(const context& c);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/layout.ipp>
#endif
