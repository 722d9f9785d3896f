// SPDX-License-Identifier: Apache-2.0
// QKeras's layers: weights on the grids of their quantisers, activations as scales.
#include "keras_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/archive.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/keras/quantiser.hpp>

#include "keras_files.hpp"
#include "outcome.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;
namespace k = nvdlac::import::keras_format;

namespace {

struct quantised_layer {
  std::string class_name, shape, config;
  std::vector<keras_model::weight> weights;
};

std::string content_of(const quantised_layer& l) {
  return keras_model::hdf5(keras_model::sequence(l.shape, l.class_name, l.config),
                           {{"it", l.weights}});
}
outcome result_of(const quantised_layer& l) {
  return outcome_of([&] { return import::keras_network_from(content_of(l), "model.h5").graph; });
}
const std::vector<keras_model::weight> dense_weights{{"it/kernel:0", {5, 3}, -0.1F},
                                                     {"it/bias:0", {3}, 0.2F}};
quantised_layer dense(const std::string& kernel, const std::string& more = {},
                      const char* class_name = "QDense") {
  return {class_name, "[null, 5]",
          R"j("units": 3, "use_bias": true, "kernel_quantizer": )j" + kernel + more, dense_weights};
}
float input_at(std::size_t i) {  // what outcome_of computes with
  return static_cast<float>(3 * std::sin(1.7 * static_cast<double>(i + 1)));
}
float on_grid(float x, double step, double least, double most) {
  return static_cast<float>(std::clamp(std::nearbyint(x / step), least, most) * step);
}

// A quantiser as QKeras serialises it, since 2025 with one key more.
std::string auto_po2_object(bool since_2025) {
  return std::string(R"j({"class_name": "quantized_bits", "config": {"bits": 4, "integer": 1,
      "symmetric": true, "alpha": "auto_po2", "keep_negative": true, "qnoise_factor": 1.0,
      "use_stochastic_rounding": false)j") +
         (since_2025 ? R"j(, "post_training_scale": null)j" : "") + "}}";
}
// One kernel of 4 bits as the versions of QKeras quantise it, in the steps of its source: `first`
// is the range of all 15 steps or twice the largest of 14; `again` rounds with the last scale.
std::vector<float> auto_po2_of(std::vector<float> x, float unit, bool first_of_range, bool again) {
  const auto power = [](float s) { return std::exp2(std::nearbyint(std::log2(s + 1e-7F))); };
  for (auto& v : x) v /= unit;
  float largest = 0;
  for (const auto v : x) largest = std::max(largest, std::abs(v));
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  float scale = power(first_of_range ? (*high - *low) / 15 : largest * 2 / 14);
  std::vector<float> z(x.size());
  const auto round = [&] {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float v = std::floor(std::abs(x[i]) / scale + 0.5F);
      z[i] = (x[i] < 0 ? -1.0F : 1.0F) * (v < 7 ? v : 7.0F);
    }
  };
  for (int k = 0; k < 5; ++k) {
    round();
    float xz = 0, zz = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xz += x[i] * z[i];
      zz += z[i] * z[i];
    }
    const auto n = static_cast<float>(x.size());
    scale = power(xz / n / (zz / n + 1e-7F));
  }
  if (again) round();
  for (std::size_t i = 0; i < x.size(); ++i) z[i] *= scale * unit;
  return z;
}

}  // namespace

TEST_CASE("QKeras: weights and biases are rounded to the grid, activations clip and give a scale") {
  const auto l = dense(R"j("quantized_bits(4,0,1,alpha=1)")j",
                       R"j(, "bias_quantizer": {"class_name": "quantized_bits", "config":
                          {"bits": 5, "integer": 1, "symmetric": 0, "alpha": null,
                           "keep_negative": true, "use_stochastic_rounding": false,
                           "qnoise_factor": 1.0}}, "activation": "quantized_relu(3,1)")j");
  const auto w = keras_model::values_of(dense_weights[0]),
             b = keras_model::values_of(dense_weights[1]);
  const auto found = result_of(l);
  REQUIRE(found.complaint == "");
  REQUIRE(found.outputs[0].values.size() == 3);
  for (std::size_t j = 0; j < 3; ++j) {
    double y = on_grid(b[j], 0.125, -16, 15);
    for (std::size_t i = 0; i < 5; ++i)
      y += double{on_grid(w[i * 3 + j], 0.125, -7, 7)} * input_at(i);
    CHECK(found.outputs[0].values[j] == doctest::Approx(std::clamp(y, 0.0, 1.75)).epsilon(1e-5));
  }
  const auto n = import::keras_network_from(content_of(l), "model.h5");
  CHECK(n.scales.find("it").value_or(0) == 0.25);
}

TEST_CASE("QKeras: ties go to the even step") {
  std::vector<float> v{0.125F, 0.375F, -0.125F, -0.375F, 7, -7};
  k::put_on_grid(v, k::quantiser_reader("it", "quantized_bits(4, 1)").read());
  CHECK(v == std::vector<float>{0, 0.5F, 0, -0.5F, 1.75F, -2});
  std::vector<float> u{-1, 0.0625F, 0.1875F, 3};
  k::put_on_grid(u, k::quantiser_reader("it", "quantized_relu(3,0)").read());
  CHECK(u == std::vector<float>{0, 0, 0.25F, 0.875F});
}

TEST_CASE("QKeras: a factor multiplies in single precision, and what is added is, too") {
  const std::vector<float> all{0.3F, -0.7F, 0.05F, 0.9F, -0.99F};
  auto added = all, direct = all;
  k::put_on_grid(added, k::quantiser_reader("it", "quantized_bits(4,0,alpha=0.3)").read());
  k::put_on_grid(direct,
                 k::quantiser_reader("it", "quantized_bits(4,0,alpha=0.3,use_ste=False)").read());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float q = 0.3F * on_grid(all[i], 0.125, -8, 7);
    const float difference = q - all[i];
    CHECK(added[i] == all[i] + difference);
    CHECK(direct[i] == q);
  }
}

TEST_CASE("QKeras: a quantiser as text and as an object are the same, and each argument counts") {
  const auto plain = result_of(dense(R"j("quantized_bits(4,0,0,alpha=1)")j"));
  REQUIRE(plain.accepted());
  CHECK(plain == result_of(dense(R"j({"class_name": "quantized_bits", "module": "qkeras.quantizers",
      "registered_name": "qkeras>quantized_bits", "config": {"bits": 4, "integer": 0,
      "symmetric": 0, "alpha": 1, "keep_negative": true, "use_stochastic_rounding": false,
      "qnoise_factor": 1.0, "post_training_scale": null}})j")));
  CHECK(plain == result_of(dense(R"j("quantized_bits(bits=4, alpha=1.)")j")));
  for (const char* other :
       {"quantized_bits(3,0,0,alpha=1)", "quantized_bits(4,1,0,alpha=1)",
        "quantized_bits(4,0,0,0,alpha=1)", "quantized_bits(4,0,0,alpha=0.5)",
        "quantized_bits(4,0,keep_negative=False,alpha=1)", "quantized_bits(2,-1,1,alpha=1)"}) {
    INFO(other);
    const auto changed = result_of(dense('"' + std::string(other) + '"'));
    CHECK(changed.complaint == "");
    CHECK_FALSE(plain.same_result(changed));
  }
  CHECK_FALSE(result_of(dense(R"j("quantized_bits(2,-1,1,alpha=1)")j"))
                  .same_result(result_of(dense(R"j("quantized_bits(2,-1,0,alpha=1)")j"))));
}

TEST_CASE("QKeras: kernels have steps of their own with auto_po2, which is their default") {
  const auto told = result_of(dense(R"j("quantized_bits(4,0,1,alpha='auto_po2')")j"));
  CHECK(told.complaint == "");
  CHECK(told == result_of(dense(R"j("quantized_bits(4,0,1)")j")));
  CHECK_FALSE(told.same_result(result_of(dense(R"j("quantized_bits(4,0,1,alpha=1)")j"))));
  CHECK(mentions(result_of(dense("null", R"j(, "bias_quantizer":
            "quantized_bits(4,0,1,alpha='auto_po2')")j")).complaint, "in a list of numbers"));
  CHECK(mentions(result_of(dense(R"j("quantized_bits(4,0,1,keep_negative=0)")j")).complaint,
                 "keep_negative=False"));
}

TEST_CASE("QKeras: auto_po2 finds the steps of the version that the file tells, or is refused") {
  const auto quantiser = [](bool since_2025) {
    return k::quantiser_reader("it", import::keras_format::json::parse(
                                         auto_po2_object(since_2025))).read();
  };
  std::mt19937 random(7);
  const auto real = [&] {
    return static_cast<float>(random()) / static_cast<float>(random.max()) * 2 - 1;
  };
  int uncertain = 0;
  for (int kernel = 0; kernel < 100; ++kernel) {
    std::vector<float> x(18);
    const float largest = 0.05F + std::abs(real());
    for (auto& v : x) v = largest * real() * real() * real();
    const auto first = auto_po2_of(x, 2, true, false), second = auto_po2_of(x, 2, false, false),
               newest = auto_po2_of(x, 2, false, true);
    auto told = x, untold = x;
    REQUIRE(k::power_of_2_steps(quantiser(true), 1).put_on_grid(told));
    CHECK(told == newest);
    const bool certain = first == second && second == newest;
    CHECK(k::power_of_2_steps(quantiser(false), 1).put_on_grid(untold) ==
          (certain && auto_po2_of(x, 2, true, true) == newest));
    if (certain) CHECK(untold == newest);
    uncertain += !certain;
  }
  CHECK(uncertain > 5);
  CHECK(uncertain < 95);
}

TEST_CASE("QKeras: each kernel of a layer has its own steps") {
  std::vector<float> x;
  for (int i = 0; i < 24; ++i) x.push_back(0.9F * static_cast<float>(std::sin(1.3 * i)));
  for (std::size_t i = 1; i < x.size(); i += 2) x[i] *= 0.1F;
  auto all = x;
  const auto q = k::quantiser_reader("it", import::keras_format::json::parse(
                                               auto_po2_object(true))).read();
  REQUIRE(k::power_of_2_steps(q, 2).put_on_grid(all));
  for (std::size_t kernel = 0; kernel < 2; ++kernel) {
    std::vector<float> one;
    for (std::size_t i = kernel; i < x.size(); i += 2) one.push_back(x[i]);
    const auto alone = auto_po2_of(one, 2, false, true);
    for (std::size_t i = 0; i < alone.size(); ++i) CHECK(all[2 * i + kernel] == alone[i]);
  }
}

TEST_CASE("QKeras: a step that the order of a sum decides is refused") {
  // All are half between 1 and 2, in logarithms.
  std::vector<float> x(16, std::sqrt(2.0F));
  const auto q = k::quantiser_reader("it", "quantized_bits(2,0,1,alpha='auto_po2')").read();
  CHECK_FALSE(k::power_of_2_steps(q, 1).put_on_grid(x));
}

TEST_CASE("QKeras: what is no grid of even steps is refused by layer, key and quantiser") {
  const std::pair<const char*, const char*> refused[] = {
      {"quantized_po2(4)", "powers of 2"}, {"quantized_relu_po2(4)", "powers of 2"},
      {"binary()", "signs"}, {"ternary", "signs"}, {"stochastic_ternary()", "chance"},
      {"stochastic_binary", "chance"}, {"bernoulli()", "chance"},
      {"quantized_tanh(8)", "another function"},
      {"quantized_bits(4,0,1,alpha='auto')", "auto_po2"}, {"quantized_bits(1,0,1)", "1 bit"},
      {"quantized_bits(4,0,1,use_stochastic_rounding=1)", "by chance"},
      {"quantized_bits(4,0,1,qnoise_factor=0.5)", "qnoise_factor 0.5"},
      {"quantized_bits(4,0,1,mystery=3)", "mystery"}, {"quantized_bits(4,0", "not understood"},
      {"quantized_bits(4,bits=4)", "twice"}, {"quantized_bits(4.5)", "bits 4.5"},
      {"quantized_bits(99)", "bits 99"}, {"quantized_bits(4,0,1,scale_axis=1)", "scale_axis"},
      {"quantized_relu(4,0,1)", "use_sigmoid"}, {"quantized_relu(4,0,0,0.25)", "place 4"},
      {"quantized_relu(4,0,relu_upper_bound=0.5)", "relu_upper_bound"},
      {"quantized_relu(4,0,negative_slope=0.3)", "negative_slope"},
      {"quantized_relu(4,negative_slope=0.5,enable_fast_inference=1)", "enable_fast_inference"},
      {"quantized_linear(4)", "another function"},
      {"quantized_bits(4,alpha=-1)", "alpha -1"}, {"quantized_bits(4,alpha=1e60)", "alpha 1e+60"},
      {"quantized_bits(4,post_training_scale=2)", "post_training_scale"},
      {"quantized_bits(4,use_variables=1)", "use_variables"}};
  for (const auto& [call, reason] : refused) {
    INFO(std::string(call));
    const auto c = result_of(dense('"' + std::string(call) + '"')).complaint;
    CHECK(mentions(c, "layer 'it'"));
    CHECK(mentions(c, "QDense"));
    CHECK(mentions(c, "its kernel_quantizer "));
    CHECK(mentions(c, std::string(call).substr(0, std::string(call).find('('))));
    CHECK(mentions(c, reason));
  }
  for (const char* function : {"quantized_tanh(8)", "hard_sigmoid", "binary_tanh",
                               "quantized_bits(8,0,1,alpha=2)"}) {
    INFO(function);
    const auto c = result_of({"QActivation", "[null, 5]",
                              R"j("activation": ")j" + std::string(function) + '"', {}}).complaint;
    CHECK(mentions(c, "activation " + std::string(function).substr(0, 8)));
  }
  CHECK(mentions(result_of(dense(R"j({"module": "mine", "class_name": "quantized_bits",
                                      "config": {"bits": 4, "alpha": 1}})j")).complaint,
                 "mine.quantized_bits"));
  for (const char* more : {R"j("mask": [[1]])j", R"j("kernel_range": 1.0)j"})
    CHECK(mentions(result_of(dense("null", ", " + std::string(more))).complaint, "QDense"));
  CHECK(mentions(result_of({"QLSTM", "[null, 5]", "", {}}).complaint, "class QLSTM"));
}

TEST_CASE("QKeras: activations are ReLU, leaky ReLU or clipping to the ends of their grid") {
  const auto of = [](const char* call) {
    return result_of({"QActivation", "[null, 2, 3, 2]",
                      R"j("activation": ")j" + std::string(call) + '"', {}});
  };
  const auto check = [&](const char* call, float low, float high, float slope) {
    INFO(call);
    const auto found = of(call);
    REQUIRE(found.complaint == "");
    const auto& y = found.in_file[0].values;
    const auto x = of("linear").in_file[0].values;
    REQUIRE(y.size() == x.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(y[i] == std::clamp(x[i] < 0 ? x[i] * slope : x[i], low, high));
  };
  check("quantized_relu(6,1)", 0, 2 - 1.0F / 32, 0);
  check("quantized_relu(8)", 0, 1 - 1.0F / 256, 0);
  check("quantized_relu(6,1,negative_slope=0.25)", -0.5F, 2 - 1.0F / 16, 0.25F);
  check("quantized_bits(8,1)", -2, 2 - 1.0F / 64, 1);
  check("quantized_bits(8,1,1)", -2 + 1.0F / 64, 2 - 1.0F / 64, 1);
  check("quantized_bits(8,1,0,0)", 0, 2 - 1.0F / 128, 1);
  check("quantized_bits(12,2)", -4, 4 - 1.0F / 512, 1);
  check("relu", 0, 9, 0);
}

TEST_CASE("QKeras: convolutions take the keys of their own weights") {
  const std::string window = R"j("kernel_size": [2, 2], "strides": [1, 1], "padding": "valid",
      "use_bias": false, "activation": "linear", )j";
  const auto check = [&](const char* class_name, const std::string& config,
                         const std::vector<keras_model::weight>& weights) {
    INFO(class_name);
    const quantised_layer plain{std::string(class_name).substr(1), "[null, 4, 5, 2]",
                                window + config, weights};
    quantised_layer same = plain, coarse = plain;
    same.class_name = coarse.class_name = class_name;
    const std::string own = std::string(class_name) == "QDepthwiseConv2D" ? "depthwise" : "kernel";
    same.config += R"j(, "bias_quantizer": null, ")j" + own + R"j(_quantizer": null)j";
    coarse.config += ", \"" + own + R"j(_quantizer": "quantized_bits(2,0,1,alpha=1)")j";
    CHECK(result_of(same).complaint == "");
    CHECK(result_of(plain).same_result(result_of(same)));
    CHECK(result_of(coarse).complaint == "");
    CHECK_FALSE(result_of(plain).same_result(result_of(coarse)));
  };
  check("QConv2D", R"j("filters": 3)j", {{"it/kernel:0", {2, 2, 2, 3}, 0.1F}});
  check("QConv2DTranspose", R"j("filters": 3)j", {{"it/kernel:0", {2, 2, 3, 2}, 0.1F}});
  check("QDepthwiseConv2D", R"j("depth_multiplier": 1)j", {{"it/kernel:0", {2, 2, 2, 1}, 0.1F}});
}

TEST_CASE("QKeras: an average is a sum times a quantised part") {
  const auto check = [](const char* name, const std::string& config, int elements) {
    INFO(name);
    const auto plain = result_of({std::string(name).substr(1), "[null, 3, 3, 2]", config, {}});
    const auto found = result_of({name, "[null, 3, 3, 2]",
                                  config + R"j(, "activation": "quantized_bits(8,2)",
                                  "average_quantizer": "quantized_bits(4,0,1,alpha=1)")j", {}});
    REQUIRE(plain.complaint == "");
    REQUIRE(found.complaint == "");
    const float factor = std::nearbyint(8.0F / static_cast<float>(elements)) / 8 *
                         static_cast<float>(elements);
    const auto& x = plain.in_file[0].values;
    REQUIRE(found.in_file[0].values.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(found.in_file[0].values[i] ==
            doctest::Approx(std::clamp(x[i] * factor, -4.0F, 4.0F)).epsilon(1e-5));
  };
  check("QAveragePooling2D", R"j("pool_size": [3, 2], "strides": [1, 1], "padding": "valid")j", 6);
  check("QGlobalAveragePooling2D", R"j("data_format": "channels_last")j", 9);
}

TEST_CASE("QKeras: normalisation without quantisers is that of Keras") {
  const std::vector<keras_model::weight> weights{{"it/gamma:0", {2}}, {"it/beta:0", {2}},
                                                 {"it/mean:0", {2}}, {"it/var:0", {2}, 1}};
  const auto of = [&](const char* name, const std::string& more) {
    const std::string config = R"j("axis": [3], "epsilon": 0.001)j";
    return result_of({name, "[null, 3, 3, 2]", config + more, weights});
  };
  const std::string none = R"j(, "beta_quantizer": null, "gamma_quantizer": null,
                              "mean_quantizer": null, "variance_quantizer": null)j";
  CHECK(of("QBatchNormalization", none).complaint == "");
  CHECK(of("QBatchNormalization", none).same_result(of("BatchNormalization", "")));
  const auto coarse = of("QBatchNormalization",
                         none + R"j(, "mean_quantizer": "quantized_bits(3,0,1)")j");
  CHECK(coarse.complaint == "");
  CHECK_FALSE(coarse.same_result(of("BatchNormalization", "")));
  CHECK(mentions(of("QBatchNormalization", "").complaint, "it has no gamma_quantizer"));
}

TEST_CASE("QKeras: a trained network gives what its layers compute one by one") {
  const auto path = shared_path("nets/keras/qkeras_v3_3layer.keras");
  if (!path) return;
  const auto content = import::read_file(*path);
  const auto n = import::keras_network_from(content, "model.keras");
  auto members = import::unpacked(content, {}, [](std::string_view m) {
    return m == "model.weights.h5";
  });
  const import::hdf5_file weights(members.at("model.weights.h5"), {});
  std::vector<float> x(16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = input_at(i);
  const auto found = net::evaluate(
      n.graph, std::vector<net::float_tensor>{{n.graph[net::input_nodes(n.graph).at(0)].shape, x}});
  for (const char* layer : {"q_dense", "q_dense_1", "q_dense_2", "q_dense_3"}) {
    const auto vars = "/layers/" + std::string(layer) + "/vars/";
    const auto kernel = weights.read(vars + "0").reals, bias = weights.read(vars + "1").reals;
    std::vector<float> y(bias.size());
    for (std::size_t j = 0; j < y.size(); ++j) {
      double sum = on_grid(bias[j], 1.0 / 32, -32, 31);
      for (std::size_t i = 0; i < x.size(); ++i)
        sum += double{on_grid(kernel[i * y.size() + j], 1.0 / 32, -32, 31)} * x[i];
      const bool last = std::string(layer) == "q_dense_3";
      y[j] = static_cast<float>(last ? std::exp(sum) : std::clamp(sum, 0.0, 63.0 / 64));
    }
    x = y;
  }
  float all = 0;
  for (const auto v : x) all += v;
  REQUIRE(found.at(0).values.size() == 5);
  for (std::size_t j = 0; j < 5; ++j)
    CHECK(found[0].values[j] == doctest::Approx(x[j] / all).epsilon(1e-4));
  CHECK(n.scales.find("relu1").value_or(0) == 1.0 / 64);
}

#endif
