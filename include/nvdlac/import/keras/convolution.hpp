// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers with windows, fully connected ones, and normalisation.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nvdlac/import/keras/activation.hpp>

namespace nvdlac::import::keras_format {

using translation::require_picture;
using translation::window;

// How a layer steps over a picture, or (`axes` 1) over a row, which is a picture of width 1.
window window_of(const conversion& c, std::size_t axes, const char* strides, const dims& stride,
                 bool with_dilations);
// Windows hang over the end of a picture that is smaller than they are.
void require_room(const conversion& c, const window& w, const dims& kernel);

// A row of features as a picture of width 1, and back.
conversion raised(const conversion& c, bool first);
computed lowered(const conversion& c, computed y, bool first);

// A kernel [..][channels][kernels], with two axes of places before those.
array kernel_of(const conversion& c, std::size_t k, std::size_t axes, bool flips = true);
void require_size(const conversion& c, const array& kernel, std::size_t axes, std::int64_t kernels,
                  std::size_t at);
void require_biases(const conversion& c, std::size_t k, std::int64_t kernels);
void require_channels(std::int64_t channels, std::int64_t wanted);

void convolve(const conversion& c, std::size_t axes);
inline void on_conv_1d(const conversion& c) { convolve(c, 1); }
inline void on_conv_2d(const conversion& c) { convolve(c, 2); }

// Weights [h][w][channels][multiplier].
computed convolve_depthwise(const conversion& c, const std::string& layer, const window& w,
                            std::optional<std::size_t> bias);
void on_depthwise_conv(const conversion& c);
void on_separable_conv(const conversion& c);

// Weights [h][w][kernels][channels].
void on_conv_transpose(const conversion& c);

computed pooled(const conversion& c, const char* type, std::size_t axes, const std::string& layer);
void pool(const conversion& c, const char* type, std::size_t axes);
inline void on_average_pool_1d(const conversion& c) { pool(c, "AveragePool", 1); }
inline void on_average_pool_2d(const conversion& c) { pool(c, "AveragePool", 2); }
inline void on_max_pool_1d(const conversion& c) { pool(c, "MaxPool", 1); }
inline void on_max_pool_2d(const conversion& c) { pool(c, "MaxPool", 2); }

// Over the whole picture.
computed pooled_all(const conversion& c, const char* type, std::size_t axes,
                    const std::string& layer);
void pool_all(const conversion& c, const char* type, std::size_t axes);
inline void on_global_average_1d(const conversion& c) { pool_all(c, "GlobalAveragePool", 1); }
inline void on_global_average_2d(const conversion& c) { pool_all(c, "GlobalAveragePool", 2); }
inline void on_global_max_1d(const conversion& c) { pool_all(c, "GlobalMaxPool", 1); }
inline void on_global_max_2d(const conversion& c) { pool_all(c, "GlobalMaxPool", 2); }

// Weights [channels][kernels]. Along the last of several dimensions it is a convolution of width 1.
void on_dense(const conversion& c);

void on_batch_normalisation(const conversion& c);

// QKeras takes the sum of a window, times 1 by its elements on the grid of average_quantizer.
void give_average(const conversion& c, const std::optional<quantiser>& q, computed y,
                  std::int64_t elements, const function& activation);
void on_quantised_average_2d(const conversion& c);
void on_quantised_global_average_2d(const conversion& c);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/convolution.ipp>
#endif
