// SPDX-License-Identifier: Apache-2.0
// Clippings that an exporter folded into the range of QuantizeLinear: of inputs, between layers and
// of outputs, in 8 bits with and without a sign. They are functions of the network: in the float
// reference and in every precision.
#include "onnx_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "tflite_model.hpp"

using namespace onnx_model;

namespace {

enum class place { input, between, output };

struct folded {
  int type;           // of TensorProto: UINT8 or INT8
  std::int64_t zero;
  double low, high;   // in units of the scale
};
// A ReLU6, a clipping on both sides, and some that reach less far to one side of 0.
const std::vector<folded> ranges = {{2, 0, 0, 255},      {3, -128, 0, 255}, {2, 128, -128, 127},
                                    {3, 0, -128, 127},   {2, 30, -30, 225}, {3, 100, -228, 27}};

std::string whole(const std::string& name, int type, std::int64_t value) {
  return text("initializer { name: '", name, "' data_type: ", type, " int32_data: ", value,
              " }\n");
}
// Two convolutions, by 2 and by 1 for each channel, with a range at one place, and wide ones at the
// others.
constexpr float step = 6.0F / 255;
std::string model_of(const folded& f, place at) {
  const auto pair = [&](const std::string& from, place here) {
    const auto name = from + (here == at ? " s z" : " ws wz");
    return node("QuantizeLinear", name, from + "q") +
           node("DequantizeLinear", from + "q" + (here == at ? " s z" : " ws wz"), from + "d");
  };
  return x_to_y({1, 2, 4, 4},
                floats("s", {}, {step}) + whole("z", f.type, f.zero) + floats("ws", {}, {0.5F}) +
                    whole("wz", 3, 0) + floats("a", {2, 2, 1, 1}, {2, 0, 0, 2}) +
                    floats("b", {2, 2, 1, 1}, {1, 0, 0, 1}) + pair("x", place::input) +
                    node("Conv", "xd a", "c") + pair("c", place::between) +
                    node("Conv", "cd b", "e") + pair("e", place::output) +
                    node("Identity", "ed", "y"));
}
// Values far beyond the range on both sides, and within it.
net::float_tensor values() {
  net::float_tensor x{{2, 4, 4}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = (static_cast<float>(i * 7 % 32) - 15.5F) * 0.75F;
  return x;
}
double expected(double x, const folded& f, place at) {
  const auto cut = [&](double v, place here) {
    return here == at ? std::clamp(v, f.low * double{step}, f.high * double{step})
                      : std::clamp(v, -64.0, 63.5);
  };
  return cut(cut(2 * cut(x, place::input), place::between), place::output);
}

// The largest error of the network in integers, in parts of the output's range.
double worst(const import::network& n, const scale_source& scales, hw::precision p,
             const folded& f, place at) {
  compile_options how;
  how.precision = p;
  const auto prepared = prepare(n.graph, scales, how, pass::silent{}, [](net::graph&) {});
  const auto x = values();
  const auto& q = prepared.integers;
  const auto in = net::input_nodes(q).at(0);
  const std::vector<quantised::feed> feeds{
      quantised::feed_of(quantised::numbers_of(x, q[in].scale, q[in].precision))};
  const auto out = q.outputs().at(0);
  const auto y = quantised::real_of(
      quantised::evaluate_any(q, std::span<const quantised::feed>(feeds)).at(0),
      q[out].scale, q[out].zero);
  double error = 0, range = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const double wanted = expected(double{x.values[i]}, f, at);
    error = std::max(error, std::fabs(double{y.values[i]} - wanted));
    range = std::max(range, std::fabs(wanted));
  }
  return error / range;
}

}  // namespace

TEST_CASE("the saturation of QuantizeLinear belongs to the network, in every precision") {
  for (const auto& f : ranges)
    for (const auto at : {place::input, place::between, place::output}) {
      CAPTURE(f.type);
      CAPTURE(f.zero);
      CAPTURE(static_cast<int>(at));
      const auto n = import::onnx_network_from(model_of(f, at), "net.onnx");
      const auto x = values();
      const auto real = net::evaluate(n.graph, x).at(0).values;
      for (std::size_t i = 0; i < real.size(); ++i)
        CHECK(double{real[i]} ==
              doctest::Approx(expected(double{x.values[i]}, f, at)).epsilon(1e-5));
      const std::vector<sample> samples{{x}};
      const scale_source calibration = std::span<const sample>(samples);
      CHECK(worst(n, calibration, hw::precision::int8, f, at) < 0.03);
      CHECK(worst(n, calibration, hw::precision::int16, f, at) < 0.001);
      CHECK(worst(n, calibration, hw::precision::fp16, f, at) < 0.003);
      // With the model's own scales: half a step of each tensor, 0.5 of the wide ones.
      const double range = std::max(-f.low, f.high) * double{step};
      CHECK(worst(n, n.scales, hw::precision::int8, f, at) < 1.1 / range + 0.02);
      CHECK(worst(n, n.scales, hw::precision::int16, f, at) < 0.01);
    }
}

TEST_CASE("a range that reaches less far to one side of 0 keeps the integers of the file") {
  for (const auto& f : ranges) {
    CAPTURE(f.zero);
    const auto n = import::onnx_network_from(model_of(f, place::between), "net.onnx");
    const auto prepared = prepare(n.graph, n.scales, {}, pass::silent{}, [](net::graph&) {});
    const auto& q = prepared.integers;
    const auto first = q.consumers(net::input_nodes(q).at(0))[0];
    const bool lopsided = f.low < 0 && (-f.low < f.high / 2 || f.high < -f.low / 2);
    if (lopsided) {
      CHECK(q[first].zero == f.zero - (f.type == 2 ? 128 : 0));
      CHECK(q[first].scale == doctest::Approx(double{step}));
      CHECK(q.size() == 3);  // nothing is left of the clipping
    } else {
      CHECK(q[first].zero == (f.low == 0 ? -128 : 0));
    }
  }
}

TEST_CASE("what cannot exceed the range is not clipped") {
  const auto clips = [](const std::string& body) {
    const auto g = import::onnx_network_from(
        x_to_y({1, 2, 4, 4}, floats("s", {}, {step}) + whole("z", 2, 0) + body), "net.onnx").graph;
    std::size_t count = 0;
    for (net::graph::id n = 0; n < g.size(); ++n)
      count += std::holds_alternative<net::clip>(g[n].op);
    return count;
  };
  const auto pair = [](const std::string& from, const std::string& to) {
    return node("QuantizeLinear", from + " s z", from + "q") +
           node("DequantizeLinear", from + "q s z", to);
  };
  CHECK(clips(pair("x", "y")) == 1);
  CHECK(clips(node("Relu", "x", "r") + pair("r", "y")) == 1);  // above 6
  // A ReLU6 whose end is rounded, a sigmoid, and a pooling between two of one range.
  CHECK(clips(floats("six", {}, {6.001F}) + floats("null", {}, {0}) +
              node("Clip", "x null six", "r") + pair("r", "y")) == 1);
  CHECK(clips(node("Sigmoid", "x", "r") + pair("r", "y")) == 0);
  CHECK(clips(pair("x", "a") + node("MaxPool", "a", "p", ints("kernel_shape", {2, 2})) +
              pair("p", "y")) == 1);
  CHECK(clips(pair("x", "a") + node("AveragePool", "a", "p", ints("kernel_shape", {2, 2})) +
              pair("p", "y")) == 1);
}

TEST_CASE("pixels within the range of a quantised input stay pixels") {
  const auto n = import::onnx_network_from(
      x_to_y({1, 1, 4, 4}, floats("s", {}, {1.0F / 128}) + whole("z", 3, 0) +
                               floats("w", {1, 1, 1, 1}, {1}) +
                               node("QuantizeLinear", "x s z", "q") +
                               node("DequantizeLinear", "q s z", "d") + node("Conv", "d w", "c") +
                               node("QuantizeLinear", "c s z", "cq") +
                               node("DequantizeLinear", "cq s z", "y")),
      "net.onnx");
  const auto reads_pixels = [&](double mean, double scale) {
    compile_options how;
    how.preprocessing = net::preprocessing{.mean = {mean}, .scale = {scale}};
    const auto q = prepare(n.graph, n.scales, how, pass::silent{}, [](net::graph&) {}).integers;
    return std::get<quantised::input>(q[net::input_nodes(q).at(0)].op).pixels.has_value();
  };
  CHECK(reads_pixels(128, 1.0 / 128));
  CHECK(reads_pixels(127.5, 1 / 127.5));  // from -1 to 1: one step beyond
  CHECK_FALSE(reads_pixels(128, 1.0 / 64));
}

TEST_CASE("inputs and outputs of a quantised file: what their integers mean is told") {
  const auto picture = std::vector<std::int64_t>{1, 2, 2, 2};
  const auto file = [&](int input, int type, std::int64_t zero, const std::string& body) {
    return import::onnx_network_from(
        model("input " + value_info("x", picture, input) + "output " +
              value_info("y", {1}, body.find("'y'") == body.npos ? type : 1) +
              floats("s", {}, {0.5F}) + whole("z", type, zero) + body),
        "net.onnx");
  };
  const auto dequantised = node("DequantizeLinear", "x s z", "d") + node("Relu", "d", "y");
  const auto quantised = node("QuantizeLinear", "x s z", "q") +
                         node("DequantizeLinear", "q s z", "d") + node("Relu", "d", "y");
  const auto how = [](double mean, double scale) {
    return net::preprocessing{.mean = {mean}, .scale = {scale}};
  };
  CHECK(file(2, 2, 100, dequantised).preprocessing == how(100, 0.5));
  CHECK(file(3, 3, -28, dequantised).preprocessing == how(100, 0.5));
  CHECK(file(1, 2, 100, quantised).preprocessing == how(100, 0.5));
  CHECK(file(1, 3, -28, quantised).preprocessing == how(100, 0.5));
  CHECK_FALSE(file(1, 5, 0, quantised).preprocessing.has_value());
  CHECK_FALSE(file(1, 2, 0, node("Relu", "x", "y")).preprocessing.has_value());
  // Two readers that do not agree.
  CHECK_FALSE(file(1, 2, 100, node("QuantizeLinear", "x s z", "q") +
                                  node("DequantizeLinear", "q s z", "d") +
                                  floats("t", {}, {0.25F}) + node("QuantizeLinear", "x t z", "r") +
                                  node("DequantizeLinear", "r t z", "e") +
                                  node("Add", "d e", "y")).preprocessing.has_value());

  const auto whole_output = import::onnx_network_from(
      model("input " + value_info("x", picture) + "output " + value_info("y", {1}, 2) +
            floats("s", {}, {0.5F}) + whole("z", 2, 3) + node("QuantizeLinear", "x s z", "y")),
      "net.onnx");
  REQUIRE(whole_output.notes.size() == 1);
  CHECK(to_string(whole_output.notes[0]) ==
        "net.onnx: layer 'y': the file gives this output as integers of type UINT8; it is given as "
        "the real numbers that they stand for (integer = real / 0.5 + 3)");
  CHECK(import::onnx_network_from(
            model("input " + value_info("x", picture) + "output " + value_info("y", {1}, 7) +
                  node("ArgMax", "x", "y", integer("axis", 1))), "net.onnx").notes.size() == 1);
  CHECK(import::onnx_network_from(x_to_y(picture, node("Relu", "x", "y")), "n").notes.empty());

  namespace t = tflite_model;
  const auto tflite = [](t::type type, std::int64_t zero) {
    t::builder b;
    const t::grid g{{0.5F}, {zero}};
    const auto x = b.tensor("x", {1, 2, 2, 1}, type, g), y = b.tensor("y", {1, 2, 2, 1}, type, g);
    b.op(19, {x}, {y});
    return import::tflite_network_from(b.file({x}, {y}), "net.tflite");
  };
  CHECK(tflite(t::uint8, 100).preprocessing == how(100, 0.5));
  CHECK(tflite(t::int8, -28).preprocessing == how(100, 0.5));
  CHECK_FALSE(tflite(t::int16, 0).preprocessing.has_value());
  CHECK(mentions(to_string(tflite(t::uint8, 3).notes.at(0)),
                 "output as integers of type UINT8; it is given as the real numbers that they "
                 "stand for (integer = real / 0.5 + 3)"));
}
