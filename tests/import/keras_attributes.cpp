// SPDX-License-Identifier: Apache-2.0
// Every key of every layer of Keras: another value gives another result or is refused; keys of
// training change nothing.
#include "keras_model.hpp"

#include <string>
#include <vector>

#include <nvdlac/import/keras.hpp>

#include "outcome.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;

namespace {

struct subject {
  const char *class_name, *shape, *config;
  std::vector<std::vector<hsize_t>> weights;
  std::vector<const char*> changes;  // each replaces a key or adds it
};

// The outcome of `config` with a change: of two equal keys the last one counts.
outcome result(const subject& s, const std::string& change = {}) {
  std::string config = s.config;
  if (!change.empty()) config += (config.empty() ? "" : ", ") + change;
  keras_model::layer l{"it", {}};
  for (const auto& w : s.weights)
    l.weights.push_back({"it/" + std::to_string(l.weights.size()) + ":0", w,
                         0.2F + 0.3F * static_cast<float>(l.weights.size())});
  const auto content = keras_model::hdf5(keras_model::sequence(s.shape, s.class_name, config), {l});
  return outcome_of([&] { return import::keras_from(content, "model.h5"); });
}

#define WINDOW                                                                                 \
  R"("kernel_size": [3, 3], "strides": [1, 1], "padding": "valid", "use_bias": true,)"         \
  R"("data_format": "channels_last", "dilation_rate": [1, 1], "activation": "linear")"
#define CHANGES_OF_WINDOW                                                                      \
  R"("kernel_size": [2, 2])", R"("strides": [2, 2])", R"("padding": "same")",                  \
      R"("padding": "causal")", R"("data_format": "channels_first")", R"("data_format": "x")", \
      R"("dilation_rate": [2, 2])", R"("activation": "relu")", R"("activation": "mine")",      \
      R"("use_bias": false)", R"("strides": 0)", R"("strides": [1, 2, 3])",                    \
      R"("kernel_size": "3")"

const char* const picture = "[null, 5, 6, 4]";
const subject subjects[] = {
    {"Conv2D", picture, WINDOW R"(, "filters": 2, "groups": 1)", {{3, 3, 4, 2}, {2}},
     {CHANGES_OF_WINDOW, R"("filters": 3)", R"("groups": 2)"}},
    {"Conv2D", picture, WINDOW R"(, "filters": 2, "groups": 2)", {{3, 3, 2, 2}, {2}},
     {CHANGES_OF_WINDOW, R"("filters": 3)", R"("groups": 1)"}},
    {"DepthwiseConv2D", picture, WINDOW R"(, "depth_multiplier": 2)", {{3, 3, 4, 2}, {8}},
     {CHANGES_OF_WINDOW, R"("depth_multiplier": 1)", R"("groups": 2)"}},
    {"SeparableConv2D", picture, WINDOW R"(, "filters": 3, "depth_multiplier": 2)",
     {{3, 3, 4, 2}, {1, 1, 8, 3}, {3}},
     {CHANGES_OF_WINDOW, R"("filters": 2)", R"("depth_multiplier": 1)"}},
    {"Conv2DTranspose", picture,
     R"("kernel_size": [3, 3], "strides": [2, 2], "padding": "same", "data_format": "channels_last",
        "dilation_rate": [1, 1], "activation": "linear", "use_bias": true, "filters": 2,
        "output_padding": null)",
     {{3, 3, 2, 4}, {2}},
     {R"("kernel_size": [2, 2])", R"("strides": [1, 1])", R"("padding": "valid")",
      R"("data_format": "channels_first")", R"("dilation_rate": [2, 2])", R"("filters": 3)",
      R"("activation": "tanh")", R"("use_bias": false)", R"("output_padding": [0, 0])",
      R"("output_padding": [2, 2])"}},
    {"Conv1D", "[null, 8, 4]",
     R"("filters": 2, "kernel_size": [3], "strides": [1], "padding": "valid",
        "data_format": "channels_last", "dilation_rate": [1], "activation": "linear",
        "use_bias": true)",
     {{3, 4, 2}, {2}},
     {R"("filters": 1)", R"("kernel_size": [2])", R"("strides": [2])", R"("padding": "same")",
      R"("padding": "causal")", R"("dilation_rate": [2])", R"("activation": "elu")",
      R"("data_format": "channels_first")", R"("use_bias": false)"}},
    {"Dense", "[null, 6]", R"("units": 3, "activation": "linear", "use_bias": true)", {{6, 3}, {3}},
     {R"("units": 2)", R"("activation": "sigmoid")", R"("use_bias": false)",
      R"("dtype": {"class_name": "DTypePolicy", "config": {"name": "int8_from_float32"}})",
      R"("quantization_config": {"mode": "int8"})", R"("lora_rank": 4)"}},
    {"Dense", "[null, 3, 6]", R"("units": 3, "activation": "linear")", {{6, 3}, {3}},
     {R"("activation": "softmax")"}},
    {"Dense", "[null, 2, 3, 6]", R"("units": 3, "activation": "linear")", {{6, 3}, {3}},
     {R"("activation": "softmax")"}},
    {"LSTM", "[null, 3, 4]",
     R"("units": 2, "activation": "tanh", "recurrent_activation": "sigmoid", "use_bias": true)",
     {{4, 8}, {2, 8}, {8}},
     {R"("units": 3)", R"("activation": "relu")", R"("recurrent_activation": "hard_sigmoid")",
      R"("use_bias": false)", R"("return_sequences": true)", R"("go_backwards": true)",
      R"("return_state": true)", R"("stateful": true)", R"("time_major": true)"}},
    {"GRU", "[null, 3, 4]", R"("units": 2, "reset_after": true)", {{4, 6}, {2, 6}, {2, 6}},
     {R"("units": 3)", R"("activation": "relu")", R"("reset_after": false)",
      R"("return_sequences": true)", R"("go_backwards": true)"}},
    {"SimpleRNN", "[null, 3, 4]", R"("units": 2)", {{4, 2}, {2, 2}, {2}},
     {R"("units": 1)", R"("activation": "sigmoid")", R"("return_sequences": true)"}},
    {"BatchNormalization", picture,
     R"("axis": [3], "epsilon": 0.001, "scale": true, "center": true)",
     {{4}, {4}, {4}, {4}},
     {R"("axis": [1])", R"("axis": 2)", R"("axis": [1, 3])", R"("epsilon": 0.5)",
      R"("scale": false)", R"("center": false)", R"("renorm": true)", R"("mode": 1)"}},
    {"BatchNormalization", "[null, 3, 4]", R"("axis": -1, "epsilon": 0.001)", {{4}, {4}, {4}, {4}},
     {R"("axis": 1)", R"("epsilon": 0.5)"}},
    {"BatchNormalization", "[null, 4]", R"("epsilon": 0.001, "scale": false)", {{4}, {4}, {4}},
     {R"("scale": true)", R"("epsilon": 0.5)"}},
    {"LayerNormalization", picture,
     R"("axis": [3], "epsilon": 0.001, "scale": true, "center": true, "rms_scaling": false)",
     {{4}, {4}},
     {R"("axis": 1)", R"("axis": [2, 3])", R"("epsilon": 0.5)", R"("scale": false)",
      R"("center": false)", R"("rms_scaling": true)"}},
    {"LayerNormalization", "[null, 3, 4]", R"("axis": -1, "scale": false)", {{4}},
     {R"("epsilon": 0.5)", R"("scale": true)"}},
    {"GroupNormalization", picture,
     R"("axis": -1, "groups": 2, "epsilon": 0.001, "scale": true, "center": true)", {{4}, {4}},
     {R"("axis": 1)", R"("groups": 4)", R"("groups": 3)", R"("groups": 0)", R"("epsilon": 0.5)",
      R"("scale": false)", R"("center": false)"}},
    {"UnitNormalization", picture, R"("axis": -1)", {}, {R"("axis": 1)"}},
    {"Resizing", picture, R"("height": 7, "width": 4, "interpolation": "bilinear")", {},
     {R"("height": 5)", R"("width": 9)", R"("width": 0)", R"("interpolation": "nearest")",
      R"("interpolation": "area")", R"("crop_to_aspect_ratio": true)",
      R"("pad_to_aspect_ratio": true)", R"("antialias": true)",
      R"("data_format": "channels_first")"}},
    {"Activation", picture, R"("activation": "relu")", {},
     {R"("activation": "elu")", R"("activation": "exponential")", R"("activation": "gelu")",
      R"("activation": "hard_sigmoid")", R"("activation": "hard_swish")", R"("activation": "mish")",
      R"("activation": "leaky_relu")", R"("activation": "linear")",
      R"("activation": "log_softmax")",
      R"("activation": "selu")", R"("activation": "sigmoid")",
      R"("activation": "softmax")", R"("activation": "softplus")", R"("activation": "softsign")",
      R"("activation": "swish")",
      R"("activation": "tanh")",
      R"("activation": {"class_name": "f"})"}},
    {"ReLU", picture, R"("max_value": 2.5, "negative_slope": 0.0, "threshold": 0.0)", {},
     {R"("max_value": 1.0)", R"("max_value": null)", R"("negative_slope": 0.5)",
      R"("threshold": 1.5)", R"("max_value": -1)"}},
    {"ReLU", picture, R"("negative_slope": 0.25)", {}, {R"("max_value": 1)", R"("threshold": 1)"}},
    {"LeakyReLU", picture, R"("alpha": 0.3)", {},
     {R"("alpha": 0.5)", R"("alpha": null, "negative_slope": 0.1)"}},
    {"ELU", picture, R"("alpha": 1.0)", {}, {R"("alpha": 0.5)"}},
    {"ThresholdedReLU", picture, R"("theta": 1.0)", {}, {R"("theta": 0.5)"}},
    {"Softmax", picture, R"("axis": -1)", {},
     {R"("axis": 1)", R"("axis": [1, 2])", R"("axis": 9)"}},
    {"PReLU", picture, R"("shared_axes": [1, 2])", {{1, 1, 4}}, {R"("shared_axes": "x")"}},
    {"MaxPooling2D", picture,
     R"("pool_size": [2, 2], "strides": [1, 1], "padding": "valid",
        "data_format": "channels_last")",
     {},
     {R"("pool_size": [3, 3])", R"("strides": null)", R"("padding": "same")",
      R"("data_format": "channels_first")", R"("pool_size": 9)"}},
    {"AveragePooling2D", picture, R"("pool_size": [2, 2], "strides": [1, 1], "padding": "same")",
     {},
     {R"("pool_size": [3, 3])", R"("strides": null)", R"("padding": "valid")"}},
    {"MaxPooling1D", "[null, 8, 4]", R"("pool_size": [2], "strides": [1], "padding": "valid")", {},
     {R"("pool_size": [3])", R"("strides": [2])", R"("padding": "same")",
      R"("data_format": "channels_first")"}},
    {"GlobalAveragePooling2D", picture, R"("keepdims": false)", {},
     {R"("keepdims": true)", R"("data_format": "channels_first")"}},
    {"GlobalMaxPooling2D", picture, "", {}, {R"("keepdims": true)"}},
    {"GlobalAveragePooling1D", "[null, 8, 4]", "", {},
     {R"("keepdims": true)", R"("data_format": "channels_first")"}},
    {"ZeroPadding2D", picture, R"("padding": [[1, 2], [0, 1]], "data_format": "channels_last")", {},
     {R"("padding": [[1, 1], [0, 1]])", R"("padding": 2)", R"("padding": [1, 2])",
      R"("padding": [-1, 2])", R"("data_format": "channels_first")"}},
    {"Cropping2D", picture, R"("cropping": [[1, 1], [0, 1]])", {},
     {R"("cropping": [[1, 2], [0, 1]])", R"("cropping": [[5, 1], [0, 1]])",
      R"("data_format": "channels_first")"}},
    {"UpSampling2D", picture, R"("size": [2, 2], "interpolation": "nearest")", {},
     {R"("size": [3, 2])", R"("interpolation": "bilinear")", R"("interpolation": "lanczos3")",
      R"("data_format": "channels_first")"}},
    {"UpSampling1D", "[null, 8, 4]", R"("size": 2)", {}, {R"("size": 3)"}},
    {"ZeroPadding1D", "[null, 8, 4]", R"("padding": [1, 2])", {}, {R"("padding": 1)"}},
    {"Cropping1D", "[null, 8, 4]", R"("cropping": [1, 2])", {}, {R"("cropping": 2)"}},
    {"Flatten", picture, R"("data_format": "channels_last")", {},
     {R"("data_format": "channels_first")"}},
    {"Reshape", picture, R"("target_shape": [10, 12])", {},
     {R"("target_shape": [12, -1])", R"("target_shape": [7, 12])", R"("target_shape": null)"}},
    {"Permute", picture, R"("dims": [2, 1, 3])", {},
     {R"("dims": [3, 1, 2])", R"("dims": [1, 2])"}},
    {"Rescaling", picture, R"("scale": 0.5, "offset": 1)", {},
     {R"("scale": 0.25)", R"("offset": -1)", R"("scale": [1, 2, 3, 4])", R"("scale": [1, 2])"}},
    {"Normalization", picture, R"("axis": -1, "mean": [1, 2, 3, 4], "variance": [4, 3, 2, 1])", {},
     {R"("mean": [1, 2, 3, 5])", R"("variance": [4, 3, 2, 2])", R"("invert": true)",
      R"("axis": 1)", R"("mean": null)"}},
    {"Dropout", picture, R"("rate": 0.2)", {}, {R"("mystery": 1)"}},
};

}  // namespace

TEST_CASE("Keras keeps 1 for true, 0 for false and 2.0 for 2 where its user wrote these") {
  const subject normalised = {"BatchNormalization", picture, R"("epsilon": 0.001)",
                              {{4}, {4}, {4}, {4}}, {}};
  const subject unscaled = {"BatchNormalization", picture, R"("epsilon": 0.001)",
                            {{4}, {4}, {4}}, {}};
  const auto as_true = result(normalised, R"("scale": 1, "center": 1.0)");
  CHECK(as_true.complaint == "");
  CHECK(as_true == result(normalised, R"("scale": true, "center": true)"));
  CHECK(result(unscaled, R"("scale": 0)") == result(unscaled, R"("scale": false)"));
  CHECK(mentions(result(normalised, R"("scale": 2)").complaint, "its scale is 2"));
  CHECK(mentions(result(normalised, R"("scale": "true")").complaint, "its scale is"));
  const subject dense = {"Dense", "[null, 6]", R"("activation": "linear")", {{6, 3}, {3}}, {}};
  CHECK(result(dense, R"("units": 3.0)") == result(dense, R"("units": 3)"));
  CHECK(result(dense, R"("units": 3)").complaint == "");
  CHECK(mentions(result(dense, R"("units": 3.5)").complaint, "its units is 3.5"));
}

TEST_CASE("a key of a Keras layer changes the result, or is refused by name") {
  for (const auto& s : subjects) {
    INFO(std::string(s.class_name) << " " << std::string(s.config));
    const auto plain = result(s);
    CHECK(plain.complaint == "");
    for (const char* change : s.changes) {
      INFO(std::string(change));
      const auto changed = result(s, change);
      if (changed.accepted()) CHECK_FALSE(changed.same_result(plain));
      else CHECK(mentions(changed.complaint, "model.h5: layer 'it': "));
    }
    for (const char* key : {R"("trainable": false)", R"("kernel_initializer": {"class_name": "X"})",
                            R"("kernel_regularizer": {"class_name": "L2", "config": {"l2": 1}})",
                            R"("activity_regularizer": {"class_name": "L2"})",
                            R"("bias_constraint": {"class_name": "MaxNorm"})", R"("later": null)",
                            R"("dtype": "mixed_float16")",
                            R"("dtype": {"config": {"name": "float32"}})"}) {
      INFO(std::string(key));
      CHECK(result(s, key) == plain);
    }
    CHECK_FALSE(result(s, R"("mystery": [1])").accepted());
    if (s.weights.empty()) continue;
    auto fewer = s;
    fewer.weights.pop_back();
    CHECK_FALSE(result(fewer).accepted());
    auto more = s;
    more.weights.push_back({4});
    CHECK_FALSE(result(more).accepted());
    auto wrong = s;
    ++wrong.weights[0].back();
    CHECK_FALSE(result(wrong).accepted());
  }
}

#endif
