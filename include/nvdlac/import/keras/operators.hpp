// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <nvdlac/import/keras/convolution.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::keras_format {

// Layers that move elements, join tensors, or compute element by element with several.

// Passes the input of a layer that is for training alone.
void on_nothing(const conversion& c);

// The borders that lie around each of n axes, before and after it.
dims borders(const conversion& c, const char* key, std::size_t axes);
// Checks the number of dimensions, and returns the first of those of the picture.
std::size_t first_place(const conversion& c, std::size_t axes);
void pad(const conversion& c, std::size_t axes);
inline void on_zero_padding_1d(const conversion& c) { pad(c, 1); }
inline void on_zero_padding_2d(const conversion& c) { pad(c, 2); }

void crop(const conversion& c, std::size_t axes);
inline void on_cropping_1d(const conversion& c) { crop(c, 1); }
inline void on_cropping_2d(const conversion& c) { crop(c, 2); }

void upsample(const conversion& c, std::size_t axes);
inline void on_upsampling_2d(const conversion& c) { upsample(c, 2); }
void on_upsampling_1d(const conversion& c);
// A picture brought to a size.
void on_resizing(const conversion& c);

// In the order of channels last, which an input with channels first is brought to.
void on_flatten(const conversion& c);
void on_reshape(const conversion& c);
void on_permute(const conversion& c);

// Two by two, as Keras does.
computed joined(const conversion& c, const char* type, const std::string& layer);
inline void join(const conversion& c, const char* type) { c.give(joined(c, type, c.name())); }
inline void on_add(const conversion& c) { join(c, "Add"); }
inline void on_multiply(const conversion& c) { join(c, "Mul"); }
inline void on_maximum(const conversion& c) { join(c, "Max"); }
inline void on_minimum(const conversion& c) { join(c, "Min"); }
void on_subtract(const conversion& c);
void on_divide(const conversion& c);
void on_average(const conversion& c);
void on_concatenate(const conversion& c);
// Keras 1 has one layer for all of them.
void on_merge(const conversion& c);
// A function of TensorFlow that was called like a layer.
void on_function(const conversion& c);

// x * factor + offset, each one number or one for each channel.
void scale(const conversion& c, std::vector<float> factor, std::vector<float> offset);
void on_rescaling(const conversion& c);
// Means and variances stand in the configuration, or are weights with a count behind them.
void on_normalisation(const conversion& c);

// The layers of QKeras are those of Keras with weights on grids.
void on_quantised_conv_1d(const conversion& c);
void on_quantised_conv_2d(const conversion& c);
void on_quantised_conv_transpose(const conversion& c);
void on_quantised_dense(const conversion& c);
void on_quantised_depthwise_conv(const conversion& c);
void on_quantised_separable_conv(const conversion& c);
void on_quantised_normalisation(const conversion& c);

struct operator_entry {
  void (*convert)(const conversion&);
};

// The classes of layers that are understood, but for InputLayer and models.
const std::map<std::string_view, operator_entry>& operators();

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/operators.ipp>
#endif
