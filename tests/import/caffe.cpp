// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"

using namespace nvdlac;

namespace {

const std::string picture = R"(layer { name: "data" type: "Input" top: "data"
  input_param { shape { dim: 1 dim: 2 dim: 3 dim: 3 } } }
)";
const std::string no_weights = "name: 'none' layer { name: 'none' }";

net::graph read(const std::string& prototxt, const std::string& weights = no_weights) {
  const scratch directory;
  return import::caffe(directory.write("net.prototxt", prototxt),
                       directory.write("net.caffemodel", weights));
}

// 0.1, 0.2, .. with alternating signs
net::float_tensor ramp(net::shape s) {
  net::float_tensor t{s};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    t.values[i] = 0.1F * static_cast<float>(i + 1) * (i % 2 == 0 ? 1.0F : -1.0F);
  return t;
}

std::vector<float> run(const net::graph& g) {
  CHECK(net::verify(g).empty());
  return net::evaluate(g, ramp(g[net::input_nodes(g).at(0)].shape)).at(0).values;
}
std::vector<float> run(const std::string& layers, const std::string& weights = no_weights) {
  return run(read(picture + layers, weights));
}

void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

std::string refused(const std::string& layers, const std::string& weights = no_weights) {
  return complaints([&] { (void)read(picture + layers, weights); });
}

std::string layer(const std::string& name, const std::string& type, const std::string& rest = {},
                  const std::string& bottom = "data") {
  return "layer { name: '" + name + "' type: '" + type + "' bottom: '" + bottom + "' top: '" +
         name + "' " + rest + " }\n";
}
std::string floats(std::size_t n, float start = 1, float step = 1) {
  std::string s;
  for (std::size_t i = 0; i < n; ++i) s += text(" data: ", start + step * static_cast<float>(i));
  return s;
}

}  // namespace

TEST_CASE("convolution, with groups, bias and every way to give a window") {
  const std::string weights =
      "layer { name: 'c' blobs { shape { dim: 2 dim: 1 dim: 2 dim: 1 } data: 1 "
      "data: 2 data: 3 data: 4 } blobs { shape { dim: 2 } data: 10 data: 20 } }";
  const std::string p = "convolution_param { num_output: 2 group: 2 ";
  const auto g =
      read(picture + layer("c", "Convolution", p + "kernel_h: 2 kernel_w: 1 stride: 2 pad_h: 1 }"),
           weights);
  const auto& op = std::get<net::convolution>(g[1].op);
  CHECK(op.window == net::window{.kernel_h = 2, .kernel_w = 1, .stride_h = 2, .stride_w = 2,
                                 .pad_top = 1, .pad_bottom = 1});
  // Channel 0 of the picture is 0.1 -0.2 0.3 / -0.4 0.5 -0.6 / 0.7 -0.8 0.9.
  check_close(run(g),
              {10 + 2 * 0.1F, 10 + 2 * 0.3F, 10 - 0.4F + 2 * 0.7F, 10 - 0.6F + 2 * 0.9F,
               20 - 4 * 1.0F, 20 - 4 * 1.2F, 20 + 3 * 1.3F - 4 * 1.6F, 20 + 3 * 1.5F - 4 * 1.8F});
  const auto same = read(picture + layer("c", "Convolution", p +
      "kernel_size: 2 kernel_size: 1 stride: 2 stride: 2 pad: 1 pad: 0 dilation: 1 }"), weights);
  CHECK(std::get<net::convolution>(same[1].op).window == op.window);

  const std::string one =
      "layer { name: 'c' blobs { num: 1 channels: 2 height: 1 width: 1 double_data: 1 "
      "double_data: -1 } }";
  const auto dilated = read(picture + layer("c", "Convolution",
      "convolution_param { num_output: 1 bias_term: false kernel_size: 1 dilation: 2 engine: CUDNN "
      "weight_filler { type: 'xavier' } } param { lr_mult: 1 }"), one);
  CHECK(std::get<net::convolution>(dilated[1].op).window.dilation_w == 2);
  CHECK(run(dilated)[0] == doctest::Approx(0.1F + 1.0F));

  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 2 kernel_h: 1 }"), weights),
                 "both kernel_size and kernel_h"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "}"), weights), "kernel_size is missing"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 9 }"), weights), "spans 9"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 2 }"), weights), "2x1x2x1"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 1 stride: 0 }")),
                 "stride is 0"));
  CHECK(
      mentions(refused(layer("c", "Convolution", p + "kernel_size: 4000000000 }")), "4000000000"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 1 axis: 2 }")), "axis 2"));
  CHECK(mentions(refused(layer("c", "Convolution", p + "kernel_size: 1 }")), "has no weights"));
  CHECK(mentions(refused(layer("c", "Convolution", "convolution_param { num_output: 3 group: 2 "
                                                   "kernel_size: 1 }")), "groups"));
}

TEST_CASE("inner product, also transposed and in the old form") {
  const auto expected = [](float bias) {
    const auto x = ramp({2, 3, 3});
    float y = bias;
    for (std::size_t i = 0; i < 18; ++i) y += x.values[i] * static_cast<float>(i + 1);
    return y;
  };
  const std::string plain = "layer { name: 'f' blobs { shape { dim: 1 dim: 18 }" + floats(18) +
                            "} blobs { shape { dim: 1 } data: 5 } }";
  check_close(run(layer("f", "InnerProduct", "inner_product_param { num_output: 1 }"), plain),
              {expected(5)});
  const std::string turned =
      "layer { name: 'f' blobs { shape { dim: 18 dim: 2 }" + floats(36) + "} }";
  const auto y = run(layer("f", "InnerProduct",
      "inner_product_param { num_output: 2 bias_term: false transpose: true }"), turned);
  float second = 0;
  const auto x = ramp({2, 3, 3});
  for (std::size_t i = 0; i < 18; ++i) second += x.values[i] * static_cast<float>(2 * i + 2);
  CHECK(y[1] == doctest::Approx(second));

  const std::string old =
      "input: 'data' input_dim: 5 input_dim: 2 input_dim: 3 input_dim: 3 "
      "layers { name: 'f' type: INNER_PRODUCT bottom: 'data' top: 'f' blobs_lr: 1 weight_decay: 1 "
      "inner_product_param { num_output: 1 } } "
      "layers { name: 'r' type: RELU bottom: 'f' top: 'f' }"
      "layers { name: 'd' type: DATA top: 'x' include { phase: TRAIN } data_param { source: 'x' } "
      "}";
  const std::string old_weights =
      "layers { name: 'f' type: INNER_PRODUCT blobs { num: 1 channels: 1 height: 1 "
      "width: 18" +
      floats(18) + "} blobs { num: 1 channels: 1 height: 1 width: 1 data: 100 } }";
  const auto g = read(old, encode(import::caffe_format::schema(), "NetParameter", old_weights));
  CHECK(g.size() == 3);
  CHECK(g[0].shape == net::shape{2, 3, 3});
  check_close(run(g), {expected(100)});
}

TEST_CASE("pooling rounds up as Caffe does") {
  const auto maximum =
      run(layer("p", "Pooling", "pooling_param { pool: MAX kernel_size: 2 stride: 2 }"));
  check_close(maximum, {0.5F, 0.3F, 0.7F, 0.9F, 1.3F, 1.5F, 1.7F, -1.8F});
  const auto floor = read(picture + layer("p", "Pooling",
      "pooling_param { pool: AVE kernel_size: 2 stride: 2 round_mode: FLOOR }"));
  CHECK(floor[1].shape == net::shape{2, 1, 1});
  // The corner window holds one element and 3 of padding: Caffe divides by 4. The last one hangs
  // over the padding's end by nothing here.
  const auto padded =
      run(layer("p", "Pooling", "pooling_param { pool: AVE kernel_size: 2 stride: 2 pad: 1 }"));
  CHECK(padded[0] == doctest::Approx(0.1F / 4));
  const auto global =
      run(layer("p", "Pooling", "pooling_param { pool: AVE global_pooling: true }"));
  check_close(global,
              {0.5F / 9, (-1.0F + 1.1F - 1.2F + 1.3F - 1.4F + 1.5F - 1.6F + 1.7F - 1.8F) / 9});
  // A window larger than the picture is clipped when the size rounds up.
  const auto clipped =
      read(picture + layer("p", "Pooling", "pooling_param { kernel_size: 4 stride: 2 }"));
  CHECK(clipped[1].shape == net::shape{2, 1, 1});

  CHECK(mentions(
      refused(layer("p", "Pooling", "pooling_param { global_pooling: true kernel_size: 2 }")),
      "both"));
  CHECK(mentions(refused(layer("p", "Pooling", "pooling_param { kernel_size: 2 pad: 2 }")),
                 "padding"));
  CHECK(
      mentions(refused(layer("p", "Pooling", "pooling_param { pool: 7 kernel_size: 2 }")), "pool"));
}

TEST_CASE("batch normalisation, scale, bias, power and their weights") {
  const std::string weights =
      "layer { name: 'bn' blobs { shape { dim: 2 } data: 2 data: 4 } blobs { shape { dim: 2 } "
      "data: 8 data: 18 }"
      " blobs { shape { dim: 1 } data: 2 } } "
      "layer { name: 's' blobs { shape { dim: 2 } data: 3 data: 4 } blobs { shape { dim: 2 } data: "
      "5 data: 6 } }"
      "layer { name: 'b' blobs { shape { dim: 2 } data: 7 data: 8 } }";
  const auto bn =
      run(layer("bn", "BatchNorm", "batch_norm_param { eps: 0 use_global_stats: true }"), weights);
  CHECK(bn[0] == doctest::Approx((0.1F - 1) / 2));
  CHECK(bn[9] == doctest::Approx((-1.0F - 2) / 3));
  const auto scale = run(layer("s", "Scale", "scale_param { bias_term: true }"), weights);
  CHECK(scale[9] == doctest::Approx(-4.0F + 6));
  CHECK(run(layer("b", "Bias"), weights)[0] == doctest::Approx(7.1F));
  CHECK(run(layer("p", "Power", "power_param { scale: 2 shift: 1 }"))[0] == doctest::Approx(1.2F));

  CHECK(mentions(
      refused(layer("bn", "BatchNorm", "batch_norm_param { use_global_stats: false }"), weights),
      "batch"));
  CHECK(mentions(refused(layer("b", "BatchNorm"), weights), "1 blobs for it instead of 3"));
  CHECK(mentions(refused(layer("s", "Scale", "scale_param { axis: 2 bias_term: true }"), weights),
                 "one for each channel"));
  CHECK(mentions(refused(layer("s", "Scale"), weights), "2 blobs for it instead of 1"));
}

TEST_CASE("sums, concatenation, flattening, reshaping, softmax, LRN and what changes nothing") {
  const auto sum =
      run("layer { name: 'e' type: 'Eltwise' bottom: 'data' bottom: 'data' bottom: 'data' top: 'e' "
          "eltwise_param { operation: SUM coeff: 1 coeff: -2 coeff: 4 } }");
  CHECK(sum[0] == doctest::Approx(0.3F));
  const auto pair = [](const std::string& type, const std::string& attributes) {
    return "layer { name: 'e' type: '" + type + "' bottom: 'data' bottom: 'r' top: 'e' " +
           attributes + " }";
  };
  const std::string rectified = layer("r", "ReLU");
  const auto of = [&](const std::string& attributes) {
    return run(rectified + pair("Eltwise", "eltwise_param { " + attributes + " }"));
  };
  CHECK(of("operation: PROD")[0] == doctest::Approx(0.01F));
  CHECK(of("operation: PROD")[1] == 0.0F);
  CHECK(of("operation: MAX")[1] == 0.0F);
  CHECK(of("operation: SUM coeff: 1 coeff: -3")[0] == doctest::Approx(-0.2F));
  CHECK(run(rectified + pair("Scale", "scale_param { axis: 0 }"))[0] == doctest::Approx(0.01F));
  CHECK(run(rectified + pair("Bias", "bias_param { axis: 0 }"))[0] == doctest::Approx(0.2F));
  CHECK(mentions(refused(rectified + pair("Scale", "scale_param { axis: 1 }")), "axis 1"));
  const auto unfit = [&](const std::string& attributes) {
    return refused(rectified + pair("Eltwise", "eltwise_param { " + attributes + " }"));
  };
  CHECK(mentions(unfit("operation: PROD coeff: 1 coeff: 2"), "which only a SUM does"));
  CHECK(mentions(unfit("operation: SUM coeff: 1"), "1 coefficients for 2 inputs"));
  const auto concat =
      read(picture +
           "layer { name: 'c' type: 'Concat' bottom: 'data' bottom: 'data' top: 'c' "
           "concat_param { axis: -3 } }");
  CHECK(concat[1].shape == net::shape{4, 3, 3});
  const auto in_file = [&](const std::string& l) {
    return read(picture + l)[1].in_file.at(0).shape;
  };
  using dims = std::vector<std::int32_t>;
  CHECK(in_file(layer("f", "Flatten")) == dims{1, 18});
  CHECK(read(picture + layer("f", "Flatten", "flatten_param { axis: 2 }"))[1].shape ==
        net::shape{2, 9, 1});
  CHECK(in_file(layer("r", "Reshape", "reshape_param { shape { dim: 0 dim: 6 dim: -1 } }")) ==
        dims{1, 6, 3});
  CHECK(read(picture + layer("r", "Reshape", "reshape_param { shape { dim: 9 } axis: 2 }"))[1]
            .shape == net::shape{2, 9, 1});
  CHECK(std::holds_alternative<net::softmax>(read(picture + layer("s", "Softmax"))[1].op));
  const auto lrn = read(picture + layer("l", "LRN", "lrn_param { local_size: 3 alpha: 0.5 k: 2 }"));
  CHECK(std::get<net::lrn>(lrn[1].op).k == 2.0F);
  const auto split =
      read(picture + "layer { name: 's' type: 'Split' bottom: 'data' top: 'a' top: 'b' }" +
           layer("d", "Dropout", "dropout_param { dropout_ratio: 0.3 }", "a") +
           layer("r", "ReLU", "", "b"));
  CHECK(split.size() == 4);
  CHECK(split.outputs().size() == 2);

  CHECK(mentions(refused(layer("l", "LRN", "lrn_param { local_size: 4 }")), "odd"));
  CHECK(mentions(refused(layer("s", "Softmax", "softmax_param { axis: 0 }")), "axis 0"));
  CHECK(mentions(refused(layer("c", "Concat", "concat_param { axis: 0 }")), "to a batch"));
  CHECK(mentions(refused(layer("r", "Reshape", "reshape_param { shape { dim: 2 dim: 9 } }")),
                 "mixes pictures"));
  CHECK(
      mentions(refused(layer("r", "Reshape", "reshape_param { shape { dim: 1 dim: -1 dim: -1 } }")),
               "more than one -1"));
  CHECK(mentions(refused(layer("r", "Reshape", "reshape_param { shape { dim: 1 dim: 5 } }")),
                 "another number"));
}

TEST_CASE("in-place layers, phases and the batch") {
  const auto g = read(
      "input: 'data' input_shape { dim: 64 dim: 2 dim: 3 dim: 3 } " +
      std::string(
          "layer { name: 'r1' type: 'ReLU' bottom: 'data' top: 'data' }"
          "layer { name: 'p' type: 'Power' bottom: 'data' top: 'data' power_param { shift: -1 } }"
          "layer { name: 'r2' type: 'ReLU' bottom: 'data' top: 'data' }"
          "layer { name: 'shape' type: 'Reshape' bottom: 'data' top: 'out' reshape_param { shape { "
          "dim: 64 dim: -1 } } }"
          "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'out' top: 'loss' include { phase: "
          "TRAIN } }"
          "layer { name: 'stage' type: 'Nonsense' bottom: 'out' top: 'x' include { stage: 'other' "
          "} nonsense_param { a: 1 } }"
          "layer { name: 'not' type: 'Nonsense' bottom: 'out' top: 'x' exclude { phase: TEST } }"));
  REQUIRE(g.size() == 5);
  CHECK(std::ranges::equal(g.inputs(2), std::vector<net::graph::id>{1}));
  CHECK(g[4].output);
  CHECK(run(g)[8] == 0.0F);
  const auto mixing = complaints([] {
    (void)read(
        "input: 'data' input_shape { dim: 4 dim: 2 dim: 3 dim: 3 } layer { name: 'r' type: "
        "'Reshape' bottom: 'data' top: 'out' reshape_param { shape { dim: 1 dim: -1 } } }");
  });
  CHECK(mentions(mixing, "layer 'r': it reshapes 4 pictures to 1, which mixes them"));
}

TEST_CASE("activations") {
  const auto of = [](const std::string& type, const std::string& parameters = "") {
    return run(layer("r", type, parameters));
  };
  CHECK(of("ReLU", "relu_param { negative_slope: 0.5 }")[1] == doctest::Approx(-0.1F));
  CHECK(of("ReLU6")[1] == 0.0F);
  CHECK(of("ReLU6")[0] == doctest::Approx(0.1F));
  CHECK(of("AbsVal")[1] == doctest::Approx(0.2F));
  CHECK(of("Clip", "clip_param { min: -0.15 max: 0.05 }")[0] == doctest::Approx(0.05F));
  CHECK(of("Clip", "clip_param { min: -0.15 max: 0.05 }")[1] == doctest::Approx(-0.15F));
  CHECK(of("ELU")[1] == doctest::Approx(std::expm1(-0.2)));
  CHECK(of("ELU", "elu_param { alpha: 2 }")[1] == doctest::Approx(2 * std::expm1(-0.2)));
  CHECK(of("Sigmoid")[0] == doctest::Approx(0.524979));
  CHECK(of("TanH")[0] == doctest::Approx(std::tanh(0.1)));
  CHECK(of("BNLL")[0] == doctest::Approx(std::log1p(std::exp(0.1))));
  CHECK(of("Swish")[0] == doctest::Approx(0.0524979));
  CHECK(of("Swish", "swish_param { beta: 10 }")[0] == doctest::Approx(0.0731059));
  CHECK(of("Threshold", "threshold_param { threshold: 0.05 }")[0] == 1.0F);
  CHECK(of("Threshold", "threshold_param { threshold: 0.15 }")[0] == 0.0F);
  CHECK(of("Exp")[0] == doctest::Approx(std::exp(0.1)));
  CHECK(of("Exp", "exp_param { base: 2 scale: 3 shift: 1 }")[0] ==
        doctest::Approx(std::exp2(1.3)));
  CHECK(of("Log", "log_param { scale: -1 shift: 3 }")[0] == doctest::Approx(std::log(2.9)));
  CHECK(of("Log", "log_param { base: 2 shift: 3 }")[0] == doctest::Approx(std::log2(3.1)));
  CHECK(of("Power", "power_param { power: 3 scale: 2 shift: 1 }")[0] == doctest::Approx(1.728));
  CHECK(of("Power", "power_param { power: 2 scale: 2 shift: 1 }")[0] == doctest::Approx(1.44));
  CHECK(of("Power", "power_param { power: 0 }")[0] == 1.0F);
  CHECK(mentions(refused(layer("r", "Log", "log_param { base: 1 }")), "its base is 1"));
  CHECK(mentions(refused(layer("r", "Exp", "exp_param { base: -2 }")), "its base is -2"));
  CHECK(mentions(refused(layer("r", "Clip", "clip_param { min: 0 }")), "no max"));
  CHECK(
      mentions(refused(layer("r", "Clip", "clip_param { min: 1 max: 0 }")), "it clips to 1 .. 0"));
  CHECK(mentions(refused(layer("r", "ReLU6", "clip_param { min: 1 max: 0 }")), "has no meaning"));
}

TEST_CASE("all problems of a network come together, with lines") {
  const auto what = refused(
      "layer { name: 'a' type: 'Embed' bottom: 'data' top: 'a' embed_param { } }\n"
      "layer { name: 'b' type: 'ReLU' bottom: 'data' top: 'b' relu_param { slope: 1 } }\n"
      "layer { name: 'c' type: 'ReLU' bottom: 'nothing' top: 'c' pooling_param { } }\n"
      "layer { name: 'c' type: 'ReLU' bottom: 'd' top: 'b' }\n"
      "layer { name: 'd' type: 'Accuracy' bottom: 'b' top: 'd' }\n"
      "layer { name: 'e' type: 'Data' top: 'e' }\n");
  CHECK(mentions(what,
                 "net.prototxt:3: layer 'a': layers of type Embed are not supported ("));
  CHECK(mentions(what, "supported are AbsVal"));
  CHECK(!mentions(what, "embed_param"));
  CHECK(mentions(what,
                 "net.prototxt:4: layer 'b': the field slope of ReLUParameter is not understood"));
  CHECK(mentions(what, "net.prototxt:5: layer 'c': nothing produces its input 'nothing'"));
  CHECK(mentions(what, "layer 'c': pooling_param has no meaning in a layer of type ReLU"));
  CHECK(mentions(what, "net.prototxt:6: layer 'c': its name is used more than once"));
  CHECK(mentions(what,
                 "layer 'c': nothing produces its input 'd' before it; layer 'd' does so later"));
  CHECK(mentions(what, "layer 'd': it is an Accuracy layer, which is of use in training"));
  CHECK(mentions(what, "layer 'e': it is a Data layer"));
}

TEST_CASE("inputs that are no pictures") {
  const auto input = [](const std::string& shape) {
    return complaints([&] {
      (void)read("layer { name: 'data' type: 'Input' top: 'data' input_param { " + shape + " } } " +
                 layer("r", "ReLU"));
    });
  };
  CHECK(mentions(input(""), "0 shapes"));
  CHECK(mentions(input("shape { dim: 1 }"), "1 dimension"));
  CHECK(mentions(input("shape { dim: 1 dim: 0 dim: 3 }"), "below 1"));
  CHECK(mentions(input("shape { dim: 1 dim: -3 dim: 3 }"), "below 1"));
  CHECK(mentions(input("shape { dim: 0 dim: 3 dim: 3 }"), "batch of 0"));
  CHECK(mentions(input("shape { dim: 1 dim: 4000000000 dim: 4000000000 dim: 4000000000 }"),
                 "elements"));
  CHECK(mentions(input("shape { dim: 1 dim: 1 dim: 1 dim: 1 dim: 1 }"), "5 dimensions"));
  CHECK(mentions(complaints([] { (void)read("input: 'data' input_dim: 1 " + layer("r", "ReLU")); }),
                 "input_dim"));
  CHECK(mentions(complaints([] {
                   (void)read(picture + layer("r", "ReLU", "", "other") +
                              "input: 'other' input_dim: 1 "
                              "input_dim: 1 input_dim: 1 input_dim: 1");
                 }) + refused("layer { name: 'x' type: 'Input' top: 'data' }"),
                 "Input layer"));
  CHECK(mentions(
      complaints([] { (void)read("name: 'x' layer { name: 'r' type: 'ReLU' top: 'y' }"); }),
      "0 inputs"));
  CHECK(mentions(complaints([] { (void)read("layer { name: 'r' type: 'ReLU' top: 'y' "); }),
                 "net.prototxt:1:"));
}
