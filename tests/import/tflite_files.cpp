// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files: quantised ones, trained ones, and why some are refused.
#include "tflite_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <nvdlac/import/model.hpp>

#include "../shared.hpp"

using namespace tflite_model;

namespace {

// One operator from x to y.

}  // namespace

TEST_CASE("TFLite: integers become real numbers, and their scales a table") {
  builder b;
  const auto x = b.tensor("x", {1, 2, 2, 2}, uint8, {{0.5F}, {128}});
  // Each kernel has a scale of its own; the bias has the product of both scales.
  const auto w = b.constant("w", {2, 1, 1, 2}, std::vector<std::int8_t>{1, -2, 3, 4}, int8,
                            {{0.25F, 2}, {0, 0}, 0});
  const auto k = b.constant("b", {2}, ints{8, -1}, int32, {{0.125F, 1}, {0, 0}, 0});
  const auto c = b.tensor("c", {1, 2, 2, 2}, int8, {{0.1F}, {-128}});
  const auto d = b.tensor("d", {1, 2, 2, 2}, int8, {{0.2F}, {28}});
  const auto z = b.constant("z", {2}, std::vector<std::uint8_t>{130, 120}, uint8, {{0.5F}, {125}});
  const auto y = b.tensor("y", {1, 2, 2, 2});
  b.op(3, {x, w, k}, {c}, 1, {byte(0, 1), integer(1, 1), integer(2, 1)});
  b.op(0, {c, z}, {d}, 11);
  b.op(6, {d}, {y}, 38);
  const auto n = read(b.file({x}, {y}));
  // Integers from 0 on cut off what is negative.
  const floats in = ramp(8);
  floats expected;
  for (std::size_t p = 0; p < 8; p += 2)
    for (const float v : {0.25F * in[p] - 0.5F * in[p + 1] + 1, 6 * in[p] + 8 * in[p + 1] - 1})
      expected.push_back(std::clamp(v, 0.0F, 25.5F) + (expected.size() % 2 == 0 ? 2.5F : -2.5F));
  check_close(channels_last(net::evaluate(n.graph, cube({2, 2, 2}, in)).at(0)), expected);
  const auto scale = [&](const char* layer) { return n.scales.find(layer).value_or(0); };
  CHECK(scale("x") == doctest::Approx(0.5));  // 0 .. 255 around 128 are int8's
  CHECK(scale("c/range") == doctest::Approx(25.5 / 127));
  CHECK(scale("c") == doctest::Approx(25.5 / 127));  // what only the clipping reads
  CHECK(scale("d") == doctest::Approx(0.2 * 156 / 128));  // -31.2 .. 19.8
  CHECK(n.scales.entries.size() == n.graph.size());
}

TEST_CASE("TFLite: what joins tensors within its range does not cut them again") {
  const auto cuts = [](float scale_of_all) {
    builder b;
    const grid parts{{0.1F}, {-128}}, all{{scale_of_all}, {-128}};
    const auto x = b.tensor("x", {1, 2, 2, 2}, int8, {{0.5F}, {0}});
    const auto w = b.real("w", {2, 1, 1, 2}, {1, -2, 3, 4});
    const auto p = b.tensor("p", {1, 2, 2, 2}, int8, parts),
               q = b.tensor("q", {1, 2, 2, 2}, int8, parts),
               c = b.tensor("c", {1, 2, 2, 4}, int8, all),
               rows = b.tensor("rows", {1, 4, 4}, int8, all), y = b.tensor("y", {1, 4, 4});
    for (const auto to : {p, q})
      b.op(3, {x, w}, {to}, 1, {byte(0, 1), integer(1, 1), integer(2, 1)});
    b.op(2, {p, q}, {c}, 10, {integer(0, 3), byte(1, 0)});
    b.op(22, {c, b.integers("to", {1, 4, 4})}, {rows}, 17);
    b.op(6, {rows}, {y}, 38);
    std::vector<std::string> found;
    const auto n = read(b.file({x}, {y}));
    for (net::graph::id i = 0; i < n.graph.size(); ++i)
      if (std::holds_alternative<net::clip>(n.graph[i].op)) found.push_back(n.graph[i].name);
    return found.size();
  };
  CHECK(cuts(0.1F) == 2);
  CHECK(cuts(0.05F) == 3);
}

TEST_CASE("TFLite: weights of 16-bit floats are dequantised") {
  builder b;
  const auto x = b.tensor("x", {1, 2});
  const auto half = b.constant("half", {1, 2}, std::vector<std::uint16_t>{0x3c00, 0xc000}, float16);
  const auto w = b.tensor("w", {1, 2}), y = b.tensor("y", {1, 1});
  b.op(6, {half}, {w}, 38);
  b.op(9, {x, w}, {y}, 8);
  check_close(run(b.file({x}, {y})), {0.1F + 0.4F});
}

TEST_CASE("TFLite: what is not understood is refused, all of it") {
  const ints shape{1, 2, 2, 1};
  CHECK(mentions(refused(one(shape, shape, 16)),
                 "layer 'y': the operator LSTM is not supported (1 node)"));
  CHECK(mentions(refused(one(shape, shape, 32, 0, {})), "CUSTOM"));
  CHECK(mentions(refused(one(shape, shape, 250)), "the operator number 250"));
  CHECK(mentions(refused(one(shape, shape, 19, 11)), "its options are of type 11 instead of 0"));
  CHECK(mentions(refused(one(shape, shape, 25, 11, {byte(0, 1)})),
                 "layer 'y': its options are of type 11 instead of 9"));
  CHECK(mentions(refused(one(shape, shape, 25, 9, {number(0, 1), byte(1, 1)})),
                 "it has an option that is not understood, behind the first 1"));
  const auto pool = [&](const std::vector<option>& o) {
    return refused(one(shape, {1, 1, 1, 1}, 17, 5, o));
  };
  CHECK(mentions(pool({byte(0, 2), integer(1, 1), integer(2, 1), integer(3, 2), integer(4, 2)}),
                 "its padding is number 2"));
  CHECK(mentions(pool({byte(0, 1), integer(1, 0), integer(2, 1), integer(3, 2), integer(4, 2)}),
                 "strides [1, 0]"));
  CHECK(mentions(pool({byte(0, 1), integer(1, 1), integer(2, 1), integer(3, 2), integer(4, 2),
                       byte(5, 5)}),
                 "its fused activation is number 5"));
  builder c;
  const auto in = c.tensor("x", shape), w = c.real("w", {1, 1, 1, 1}, {1, 2, 3});
  const auto out = c.tensor("y", shape);
  c.op(3, {in, w}, {out}, 1, {byte(0, 1), integer(1, 1), integer(2, 1)});
  CHECK(mentions(refused(c.file({in}, {out})), "its constant 'w' has 12 bytes instead of 4"));
  const auto flagged = [&](int field) {
    builder b;
    const auto x = b.tensor("x", shape), y = b.tensor("y", shape);
    b.set_flag(x, field);
    b.op(19, {x}, {y});
    return refused(b.file({x}, {y}));
  };
  CHECK(mentions(flagged(5), "its tensor 'x': it is a variable, which keeps its values"));
  CHECK(mentions(flagged(6), "its tensor 'x': it is sparse"));
  // A variable that nothing but operators like it read; one that is refused itself is enough.
  const auto with_variable = [&](std::int32_t code) {
    builder b;
    const auto x = b.tensor("x", shape), state = b.tensor("state", shape),
               y = b.tensor("y", shape);
    b.set_flag(state, 5);
    b.op(code, {x, state}, {y});
    return refused(b.file({x}, {y}));
  };
  const auto added = with_variable(0), rnn = with_variable(24);
  CHECK(mentions(added, "layer 'y': its tensor 'state': it is a variable, which keeps its values"));
  CHECK_FALSE(mentions(added, "nothing produces"));
  CHECK(mentions(rnn, "layer 'y': the operator RNN is not supported"));
  CHECK_FALSE(mentions(rnn, "'state'"));

  builder b;
  const auto x = b.tensor("x", shape), y = b.tensor("y", shape), z = b.tensor("", shape),
             u = b.tensor("y", shape);
  b.op(16, {x}, {y});
  b.op(107, {x}, {z});
  b.op(19, {u}, {u});
  const auto all = refused(b.file({x}, {y, z, u}));
  CHECK(mentions(all, "layer 'y': the operator LSTM"));
  CHECK(mentions(all, "layer 'tensor 2': the operator GATHER_ND"));
  CHECK(mentions(all, "layer 'y#3': nothing produces its input 'y#3'"));
  CHECK(mentions(refused(b.file({x}, {y}, 2)), "it is of version 2"));
  CHECK(mentions(refused(b.file({9}, {y})), "it names tensor 9 of 4"));
}

TEST_CASE("TFLite files are recognised by their content") {
  const scratch directory;
  const auto file = directory.write("net.bin", one({1, 2, 2, 1}, {1, 2, 2, 1}, 19));
  CHECK(import::model(file).size() == 2);
  CHECK(mentions(complaints([&] { (void)import::model(file, file); }),
                 "a TFLite file holds its weights itself"));
  CHECK(mentions(complaints([&] { (void)import::tflite(directory.write("o", "ir_version: 7")); }),
                 "this is an ONNX text file, not a TFLite file"));
}

TEST_CASE("trained TFLite networks compute what their conversions to ONNX do") {
  struct { const char *tflite, *onnx; float tolerance; bool real = false; } const pairs[] = {
      {"coral_mobilenet_v1_0.25_128_quant", "coral_mobilenet_v1_0.25_128_quant_fromtfl", 1e-6F},
      {"tflm_person_detect", "tflm_person_detect_fromtfl", 1e-5F},
      // These two were converted before they were quantised.
      {"mlperf_kws_ref_model", "mlperf_kws_ref_model_float32_fromtfl", 0.005F, true},
      {"mlperf_pretrainedResnet_quant", "mlperf_pretrainedResnet_fromtfl", 0.05F, true}};
  for (const auto& p : pairs) {
    const auto ours = shared_path("nets/tflite/" + std::string(p.tflite) + ".tflite"),
               theirs = shared_path("nets/onnx/" + std::string(p.onnx) + ".onnx");
    if (!ours || !theirs) continue;
    auto n = import::any_network(*ours);
    const auto other = import::without_scales(import::any_network(*theirs));
    CHECK(n.scales.entries.size() == n.graph.size());
    if (p.real)  // which saturates nowhere
      for (net::graph::id i = 0; i < n.graph.size(); ++i)
        if (n.graph[i].name.ends_with("/range")) n.graph[i].op = net::identity{};
    const auto s = n.graph[net::input_nodes(n.graph).at(0)].shape;
    net::float_tensor x{s};
    const float range = static_cast<float>(n.scales.entries.at(0).range.largest());
    for (std::size_t i = 0; i < x.values.size(); ++i)
      x.values[i] = range * (static_cast<float>(i * 7919 % 256) / 128 - 1);
    const auto found = net::evaluate(n.graph, x).at(0), expected = net::evaluate(other, x).at(0);
    REQUIRE(found.values.size() == expected.values.size());
    for (std::size_t i = 0; i < found.values.size(); ++i)
      CHECK(std::fabs(found.values[i] - expected.values[i]) <= p.tolerance);
  }
}
