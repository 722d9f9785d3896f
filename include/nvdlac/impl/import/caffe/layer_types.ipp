// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/activation.hpp>
#include <nvdlac/import/caffe/convolution.hpp>
#include <nvdlac/import/caffe/detection.hpp>
#include <nvdlac/import/caffe/elementwise.hpp>
#include <nvdlac/import/caffe/host.hpp>
#include <nvdlac/import/caffe/layer_types.hpp>
#include <nvdlac/import/caffe/layout.hpp>
#include <nvdlac/import/caffe/pooling.hpp>
#include <nvdlac/import/caffe/reshape.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL const std::map<std::string_view, layer_type>& layer_types() {
  constexpr std::size_t many = 1024;
  static const std::map<std::string_view, layer_type> types = {
      {"AbsVal", {"", on_absval}},
      {"ArgMax", {"argmax_param", on_arg_max}},
      {"Axpy", {"", on_axpy, 3, 3}},
      {"BNLL", {"", on_function<net::function::softplus>}},
      {"BatchNorm", {"batch_norm_param", on_batch_norm}},
      {"Bias", {"bias_param", on_bias, 1, 2}},
      {"Clip", {"clip_param", on_clip}},
      {"Concat", {"concat_param", on_concat, 1, many}},
      {"Convolution", {"convolution_param", on_convolution}},
      {"ConvolutionDepthwise", {"convolution_param", on_depthwise_convolution}},
      {"Crop", {"crop_param", on_crop, 2, 2}},
      {"Deconvolution", {"convolution_param", on_deconvolution}},
      {"DepthwiseConvolution", {"convolution_param", on_depthwise_convolution}},
      {"DetectionOutput", {"detection_output_param", on_detection_output, 3, 3}},
      {"Dropout", {"dropout_param", on_nothing}},
      {"ELU", {"elu_param", on_elu}},
      {"Eltwise", {"eltwise_param", on_eltwise, 2, many}},
      {"Exp", {"exp_param", on_exp}},
      {"Flatten", {"flatten_param", on_flatten}},
      {"InnerProduct", {"inner_product_param", on_inner_product}},
      {"Interp", {"interp_param", on_interp}},
      {"LRN", {"lrn_param", on_lrn}},
      {"MVN", {"mvn_param", on_mvn}},
      {"Normalize", {"norm_param", on_normalize}},
      {"PReLU", {"prelu_param", on_prelu}},
      {"Log", {"log_param", on_log}},
      {"Permute", {"permute_param", on_permute}},
      {"Pooling", {"pooling_param", on_pooling}},
      {"Power", {"power_param", on_power}},
      {"PriorBox", {"prior_box_param", on_prior_box, 2, 2}},
      {"ReLU", {"relu_param", on_relu}},
      {"ReLU6", {"", on_relu6}},
      {"Reduction", {"reduction_param", on_reduction}},
      {"Reshape", {"reshape_param", on_reshape}},
      {"Scale", {"scale_param", on_scale, 1, 2}},
      {"ShuffleChannel", {"shuffle_channel_param", on_shuffle_channel}},
      {"Sigmoid", {"sigmoid_param", on_function<net::function::sigmoid>}},
      {"SPP", {"spp_param", on_spatial_pyramid}},
      {"Silence", {"", nullptr, 1, many}},
      {"Slice", {"slice_param", nullptr, 1, 1, on_slice}},
      {"Softmax", {"softmax_param", on_softmax}},
      {"Split", {"", on_nothing}},
      {"Swish", {"swish_param", on_swish}},
      {"TanH", {"tanh_param", on_function<net::function::tanh>}},
      {"Threshold", {"threshold_param", on_threshold}},
      {"Tile", {"tile_param", on_tile}},
      {"Upsample", {"upsample_param", on_upsample}},
  };
  return types;
}

NVDLAC_IMPL problem unsupported(const std::string& type, bool with_list) {
  const auto ends = [&](std::string_view s) {
    return type.size() >= s.size() && type.compare(type.size() - s.size(), s.size(), s) == 0;
  };
  if (type.empty()) return {.reason = "it has no type"};
  const auto layer = (std::string_view("AEIOU").find(type[0]) == std::string_view::npos
                          ? "it is a " : "it is an ") + type + " layer";
  if (ends("Data"))
    return {.reason = layer + ", which reads a training set",
            .remedy = "give the deploy file, whose Input layer has the shape of a picture"};
  if (ends("Loss") || ends("_LOSS") || type == "Accuracy" || ends("Output"))
    return {.reason = layer + ", which is of use in training and testing only",
            .remedy = "give the deploy file, or exclude the layer from the phase TEST"};
  std::string known;
  for (const auto& [name, ignored] : layer_types()) known += std::string(name) + ", ";
  return {.reason = "layers of type " + type + " are not supported",
          .remedy = with_list ? "supported are " + known + "Input" : ""};
}

}  // namespace nvdlac::import::caffe_format
