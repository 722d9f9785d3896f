// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string_view>

#include <nvdlac/import/keras/moving.hpp>

namespace nvdlac::import::keras_format {

struct operator_entry {
  void (*convert)(const conversion&);
};

// The classes of layers that are understood, but for InputLayer and models.
inline const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"Activation", {on_activation}}, {"ActivityRegularization", {on_nothing}}, {"Add", {on_add}},
      {"AlphaDropout", {on_nothing}}, {"Average", {on_average}},
      {"AveragePooling1D", {on_average_pool_1d}}, {"AveragePooling2D", {on_average_pool_2d}},
      {"BatchNormalization", {on_batch_normalisation}}, {"Concatenate", {on_concatenate}},
      {"Conv1D", {on_conv_1d}}, {"Conv2D", {on_conv_2d}}, {"Conv2DTranspose", {on_conv_transpose}},
      {"Cropping1D", {on_cropping_1d}}, {"Cropping2D", {on_cropping_2d}}, {"Dense", {on_dense}},
      {"DepthwiseConv2D", {on_depthwise_conv}}, {"Dropout", {on_nothing}}, {"ELU", {on_elu}},
      {"Flatten", {on_flatten}}, {"GaussianDropout", {on_nothing}},
      {"GaussianNoise", {on_nothing}}, {"GlobalAveragePooling1D", {on_global_average_1d}},
      {"GlobalAveragePooling2D", {on_global_average_2d}},
      {"GlobalMaxPooling1D", {on_global_max_1d}}, {"GlobalMaxPooling2D", {on_global_max_2d}},
      {"LeakyReLU", {on_leaky_relu}}, {"MaxPooling1D", {on_max_pool_1d}},
      {"MaxPooling2D", {on_max_pool_2d}}, {"Maximum", {on_maximum}}, {"Merge", {on_merge}},
      {"Minimum", {on_minimum}}, {"Multiply", {on_multiply}}, {"Normalization", {on_normalisation}},
      {"PReLU", {on_prelu}}, {"Permute", {on_permute}}, {"ReLU", {on_relu}},
      {"Rescaling", {on_rescaling}}, {"Reshape", {on_reshape}},
      {"SeparableConv2D", {on_separable_conv}}, {"Softmax", {on_softmax}},
      {"SpatialDropout1D", {on_nothing}}, {"SpatialDropout2D", {on_nothing}},
      {"Subtract", {on_subtract}}, {"TFOpLambda", {on_function}},
      {"ThresholdedReLU", {on_thresholded_relu}}, {"TrueDivide", {on_divide}},
      {"UpSampling1D", {on_upsampling_1d}}, {"UpSampling2D", {on_upsampling_2d}},
      {"ZeroPadding1D", {on_zero_padding_1d}}, {"ZeroPadding2D", {on_zero_padding_2d}},
  };
  return all;
}

}  // namespace nvdlac::import::keras_format
