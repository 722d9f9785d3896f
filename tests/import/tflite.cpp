// SPDX-License-Identifier: Apache-2.0
#include "tflite_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tflite_model;

namespace {

// y[h][w][k] of x[h][w][c] with weights [k][kh][kw][c], the pads of SAME or none; as defined.
struct sliding {
  int h, w, c, kernels, kh, kw, stride = 1, dilation = 1;
  bool same = false;

  int size(int in, int k) const {
    const int extent = (k - 1) * dilation + 1;
    return same ? (in + stride - 1) / stride : (in - extent) / stride + 1;
  }
  int before(int in, int k) const {
    const int extent = (k - 1) * dilation + 1;
    return same ? std::max((size(in, k) - 1) * stride + extent - in, 0) / 2 : 0;
  }
  floats run(const floats& x, const floats& weights, const floats& bias, int groups = 1) const {
    floats y;
    const int deep = c / groups;
    for (int i = 0; i < size(h, kh); ++i)
      for (int j = 0; j < size(w, kw); ++j)
        for (int k = 0; k < kernels; ++k) {
          float sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(k)];
          for (int r = 0; r < kh; ++r)
            for (int s = 0; s < kw; ++s)
              for (int d = 0; d < deep; ++d) {
                const int yy = i * stride - before(h, kh) + r * dilation,
                          xx = j * stride - before(w, kw) + s * dilation;
                if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
                const int from = k / (kernels / groups) * deep + d;
                sum += x[static_cast<std::size_t>((yy * w + xx) * c + from)] *
                       weights[static_cast<std::size_t>(((k * kh + r) * kw + s) * deep + d)];
              }
          y.push_back(sum);
        }
    return y;
  }
};

std::vector<option> convolution(const sliding& s, int activation = 0) {
  return {byte(0, s.same ? 0 : 1), integer(1, s.stride), integer(2, s.stride), byte(3, activation),
          integer(4, s.dilation), integer(5, s.dilation)};
}
std::string conv_file(const sliding& s, const floats& weights, const floats& bias, int groups = 1,
                      int activation = 0) {
  builder b;
  const auto x = b.tensor("x", {1, s.h, s.w, s.c});
  const auto w = b.real("w", {s.kernels, s.kh, s.kw, s.c / groups}, weights);
  const auto y = b.tensor("y", {1, s.size(s.h, s.kh), s.size(s.w, s.kw), s.kernels});
  ints in{x, w};
  if (!bias.empty()) in.push_back(b.real("b", {s.kernels}, bias));
  b.op(3, in, {y}, 1, convolution(s, activation));
  return b.file({x}, {y});
}
floats each(floats v, const std::function<float(float)>& f) {
  std::transform(v.begin(), v.end(), v.begin(), f);
  return v;
}

}  // namespace

TEST_CASE("TFLite: convolutions of any padding, stride, dilation, group and activation") {
  const floats x = ramp(6 * 7 * 4);
  for (const bool same : {true, false})
    for (const int stride : {1, 2})
      for (const int dilation : {1, 2})
        for (const int groups : {1, 2}) {
          const sliding s{6, 7, 4, 6, 3, 2, stride, dilation, same};
          const auto weights = ramp(static_cast<std::size_t>(6 * 3 * 2 * 4 / groups), 0.01F);
          const floats bias = ramp(6, 0.3F);
          check_close(run(conv_file(s, weights, bias, groups)), s.run(x, weights, bias, groups));
        }
  const sliding s{6, 7, 4, 2, 1, 1};
  const auto weights = ramp(8, 0.2F);
  const auto y = s.run(x, weights, {});
  check_close(run(conv_file(s, weights, {})), y);
  check_close(run(conv_file(s, weights, {}, 1, 1)),
              each(y, [](float v) { return std::max(v, 0.0F); }));
  check_close(run(conv_file(s, weights, {}, 1, 2)),
              each(y, [](float v) { return std::clamp(v, -1.0F, 1.0F); }));
  check_close(run(conv_file(s, weights, {}, 1, 3)),
              each(y, [](float v) { return std::clamp(v, 0.0F, 6.0F); }));
}

TEST_CASE("TFLite: depthwise convolutions with a multiplier") {
  const floats x = ramp(5 * 5 * 3);
  const sliding s{5, 5, 3, 6, 3, 3, 2, 1, true};
  const floats stored = ramp(9 * 6, 0.05F);  // [1][h][w][6]
  floats weights(stored.size());
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t t = 0; t < 9; ++t) weights[k * 9 + t] = stored[t * 6 + k];
  const auto file = [&](int multiplier) {
    builder b;
    const auto in = b.tensor("x", {1, 5, 5, 3}), w = b.real("w", {1, 3, 3, 6}, stored),
               y = b.tensor("y", {1, 3, 3, 6});
    b.op(4, {in, w, -1}, {y}, 2,
         {byte(0, 0), integer(1, 2), integer(2, 2), integer(3, multiplier)});
    return b.file({in}, {y});
  };
  check_close(run(file(2)), s.run(x, weights, {}, 3));
  CHECK(mentions(refused(file(3)), "layer 'y': its weights [1, 3, 3, 6] do not fit 3 channels"));
}

TEST_CASE("TFLite: a fully connected layer reads pictures with channels last") {
  builder b;
  const auto x = b.tensor("x", {1, 2, 3, 4}), flat = b.tensor("flat", {1, 24});
  const auto shape = b.integers("shape", {-1, 24});
  const floats weights = ramp(48, 0.01F);
  const auto w = b.real("w", {2, 24}, weights), k = b.real("b", {2}, {0.5F, -0.5F});
  const auto y = b.tensor("y", {1, 2});
  b.op(22, {x, shape}, {flat});
  b.op(9, {flat, w, k}, {y}, 8, {byte(0, 0)});
  const auto g = read(b.file({x}, {y})).graph;
  CHECK(g.size() == 2);
  const floats in = ramp(24);
  floats expected{0.5F, -0.5F};
  for (std::size_t o = 0; o < 2; ++o)
    for (std::size_t i = 0; i < 24; ++i) expected[o] += weights[o * 24 + i] * in[i];
  check_close(net::evaluate(g, cube({4, 2, 3}, in)).at(0).values, expected);

  const auto direct = [&](const std::vector<option>& options, const ints& out) {
    builder d;
    const auto p = d.tensor("x", {1, 1, 3, 4});
    const auto v = d.real("w", {2, 12}, ramp(24, 0.01F));
    const auto q = d.tensor("y", out);
    d.op(9, {p, v}, {q}, 8, options);
    return d.file({p}, {q});
  };
  CHECK(run(direct({byte(0, 1)}, {1, 2})).size() == 2);
  CHECK(mentions(refused(direct({byte(1, 1)}, {1, 2})), "weights are shuffled"));
  CHECK(mentions(refused(direct({byte(2, 1)}, {1, 2})), "its output has the shape [1, 2]"));
  CHECK(mentions(refused(direct({byte(2, 2)}, {1, 2})), "one of its options is 2"));
}

TEST_CASE("TFLite: pooling does not count the padding of SAME") {
  const floats x = ramp(9);
  const auto pool = [&](int code, int padding, const ints& to) {
    return run(one({1, 3, 3, 1}, to, code, 5,
                   {byte(0, padding), integer(1, 2), integer(2, 2), integer(3, 2), integer(4, 2)}));
  };
  check_close(pool(1, 0, {1, 2, 2, 1}),
              {(x[0] + x[1] + x[3] + x[4]) / 4, (x[2] + x[5]) / 2, (x[6] + x[7]) / 2, x[8]});
  check_close(pool(1, 1, {1, 1, 1, 1}), {(x[0] + x[1] + x[3] + x[4]) / 4});
  check_close(pool(17, 0, {1, 2, 2, 1}), {0.5F, 0.3F, 0.7F, 0.9F});
  check_close(run(with_integers({1, 3, 3, 2}, {1, 2}, 40, {{1, 2}}, 27, {byte(0, 0)})),
              [] {
                floats mean(2, 0.0F);
                const auto v = ramp(18);
                for (std::size_t i = 0; i < 18; ++i) mean[i % 2] += v[i] / 9;
                return mean;
              }());
}

TEST_CASE("TFLite: element by element") {
  const ints shape{1, 2, 2, 3};
  const floats x = ramp(12), k{1, 10, 100};
  const auto expected = [&](auto f) {
    floats y = x;
    for (std::size_t i = 0; i < 12; ++i) y[i] = f(x[i], k[i % 3]);
    return y;
  };
  const auto binary = [&](int code, int type, bool first = false, int activation = 0) {
    return run(with_constant(shape, shape, code, {3}, k, first, type, {byte(0, activation)}));
  };
  check_close(binary(0, 11), expected([](float a, float b) { return a + b; }));
  check_close(binary(0, 11, true, 3),
              expected([](float a, float b) { return std::clamp(a + b, 0.0F, 6.0F); }));
  check_close(binary(41, 28), expected([](float a, float b) { return a - b; }));
  check_close(binary(41, 28, true), expected([](float a, float b) { return b - a; }));
  check_close(binary(18, 21), expected([](float a, float b) { return a * b; }));
  check_close(binary(42, 29), expected([](float a, float b) { return a / b; }));
  check_close(run(with_constant(shape, shape, 55, {}, {0.25F})),
              each(x, [](float v) { return std::max(v, 0.25F); }));
  check_close(run(with_constant(shape, shape, 54, {1, 1, 3}, {0.5F, 2, 0})), [&] {
    floats y = x;
    const floats slope{0.5F, 2, 0};
    for (std::size_t i = 0; i < 12; ++i) y[i] = y[i] < 0 ? y[i] * slope[i % 3] : y[i];
    return y;
  }());
  check_close(run(one(shape, shape, 19)), each(x, [](float v) { return std::max(v, 0.0F); }));
  check_close(run(one(shape, shape, 20)),
              each(x, [](float v) { return std::clamp(v, -1.0F, 1.0F); }));
  check_close(run(one(shape, shape, 21)),
              each(x, [](float v) { return std::clamp(v, 0.0F, 6.0F); }));
  check_close(run(one(shape, shape, 98, 75, {number(0, 0.5F)})),
              each(x, [](float v) { return v < 0 ? v / 2 : v; }));
  check_close(run(one(shape, shape, 101)), each(x, [](float v) { return std::fabs(v); }));
  check_close(run(one(shape, shape, 117)), each(x, [](float v) {
                return v * std::clamp(v / 6 + 0.5F, 0.0F, 1.0F);
              }));
  // The softmax of each pixel's channels, and its steepness.
  floats soft = x;
  for (std::size_t p = 0; p < 12; p += 3) {
    float sum = 0;
    for (std::size_t i = p; i < p + 3; ++i) sum += soft[i] = std::exp(2 * x[i]);
    for (std::size_t i = p; i < p + 3; ++i) soft[i] /= sum;
  }
  check_close(run(one(shape, shape, 25, 9, {number(0, 2)})), soft);
}

TEST_CASE("TFLite: moving elements") {
  const ints shape{1, 2, 3, 4};
  const floats x = ramp(24);
  floats padded(48, 0.0F);  // a line above and one below
  std::copy(x.begin(), x.end(), padded.begin() + 12);
  check_close(run(with_integers(shape, {1, 4, 3, 4}, 34, {{0, 0, 1, 1, 0, 0, 0, 0}}, 22)), padded);
  const auto slice = run(with_integers(shape, {1, 2, 3, 2}, 65, {{0, 0, 0, 1}, {1, 2, -1, 2}}, 48));
  floats expected;
  for (std::size_t p = 0; p < 24; p += 4) expected.insert(expected.end(), {x[p + 1], x[p + 2]});
  check_close(slice, expected);
  check_close(run(with_integers(shape, {1, 2, 3, 2}, 45, {{0, 0, 0, 1}, {1, 2, 3, 3}, {1, 1, 1, 1}},
                                32, {integer(0, 7), integer(1, 7)})),
              expected);
  CHECK(mentions(refused(with_integers(shape, {1, 2, 3, 2}, 45,
                                       {{0, 0, 0, 1}, {1, 2, 3, 3}, {1, 1, 1, 1}}, 32,
                                       {integer(2, 1)})),
                 "ellipsis"));

  builder b;  // two halves, exchanged
  const auto in = b.tensor("x", shape), axis = b.constant("axis", {}, ints{3}, int32);
  const auto l = b.tensor("l", {1, 2, 3, 2}), r = b.tensor("r", {1, 2, 3, 2}),
             y = b.tensor("y", shape);
  b.op(49, {axis, in}, {l, r}, 35, {integer(0, 2)});
  b.op(2, {r, l}, {y}, 10, {integer(0, -1)});
  floats exchanged;
  for (std::size_t p = 0; p < 24; p += 4)
    exchanged.insert(exchanged.end(), {x[p + 2], x[p + 3], x[p], x[p + 1]});
  check_close(run(b.file({in}, {y})), exchanged);

  // A reshape whose dimensions the network computes from a shape.
  builder s;
  const auto p = s.tensor("x", {1, 1, 1, 6}), k = s.tensor("shape", {4}, int32),
             n = s.tensor("n", {}, int32), six = s.constant("six", {}, ints{6}, int32),
             to = s.tensor("to", {2}, int32), z = s.tensor("y", {1, 6});
  const auto zero = s.integers("zero", {0}), first = s.integers("one", {1});
  s.op(77, {p}, {k}, 55);
  s.op(45, {k, zero, first, first}, {n}, 32, {integer(4, 1)});
  s.op(83, {n, six}, {to}, 59, {integer(0, 2), integer(1, 0)});
  s.op(22, {p, to}, {z}, 17);
  check_close(run(s.file({p}, {z})), ramp(6));

  // Two transpositions that cancel out, around a function.
  builder t;
  const auto a = t.tensor("x", shape), perm = t.integers("perm", {0, 3, 1, 2}),
             back = t.integers("back", {0, 2, 3, 1}), c = t.tensor("c", {1, 4, 2, 3}),
             d = t.tensor("d", {1, 4, 2, 3}), e = t.tensor("y", shape);
  t.op(39, {a, perm}, {c}, 26);
  t.op(19, {c}, {d});
  t.op(39, {d, back}, {e}, 26);
  const auto file = t.file({a}, {e});
  CHECK(read(file).graph.size() == 2);
  check_close(run(file), each(x, [](float v) { return std::max(v, 0.0F); }));
  check_close(run(one({1, 1, 1, 6}, {1, 6}, 43, 30, {list(0, {1, 2})})), ramp(6));
}

TEST_CASE("TFLite: functions by table") {
  const ints shape{1, 2, 2, 3};
  const floats x = ramp(12);
  const auto f = [&](int code, const std::function<float(float)>& expected) {
    check_close(run(one(shape, shape, code)), each(x, expected));
  };
  f(14, [](float v) { return 1 / (1 + std::exp(-v)); });
  f(28, [](float v) { return std::tanh(v); });
  f(47, [](float v) { return std::exp(v); });
  f(111, [](float v) { return v < 0 ? std::expm1(v) : v; });
  const sliding s{2, 2, 3, 1, 1, 1};
  check_close(run(conv_file(s, {1, 2, 3}, {}, 1, 4)),
              each(s.run(x, {1, 2, 3}, {}), [](float v) { return std::tanh(v); }));
}

TEST_CASE("TFLite: transposed convolution, resizing, blocks and sums") {
  const floats x = ramp(2 * 3 * 2);
  for (const bool same : {true, false}) {
    // x [1, 2, 3, 2] to [1, h, w, 3] by 3x3 kernels with stride 2.
    const int h = same ? 4 : 5, w = same ? 6 : 7;
    const floats weights = ramp(3 * 3 * 3 * 2, 0.1F);
    floats expected(static_cast<std::size_t>(h * w * 3), 0.5F);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int r = 0; r < 3; ++r)
            for (int q = 0; q < 3; ++q)
              for (int d = 0; d < 2; ++d) {
                const int yy = 2 * i + r, xx = 2 * j + q;
                if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
                expected[static_cast<std::size_t>((yy * w + xx) * 3 + k)] +=
                    x[static_cast<std::size_t>((i * 3 + j) * 2 + d)] *
                    weights[static_cast<std::size_t>(((k * 3 + r) * 3 + q) * 2 + d)];
              }
    builder b;
    const auto size = b.integers("size", {1, h, w, 3});
    const auto v = b.real("w", {3, 3, 3, 2}, weights), k = b.real("b", {3}, {0.5F, 0.5F, 0.5F});
    const auto in = b.tensor("x", {1, 2, 3, 2}), y = b.tensor("y", {1, h, w, 3});
    b.op(67, {size, v, in, k}, {y}, 49, {byte(0, same ? 0 : 1), integer(1, 2), integer(2, 2)});
    check_close(run(b.file({in}, {y})), expected);
  }
  const ints shape{1, 1, 2, 1}, larger{1, 2, 4, 1};
  const auto nearest = run(with_integers(shape, larger, 97, {{2, 4}}, 74, {byte(0, 0)}));
  check_close(nearest, {0.1F, 0.1F, -0.2F, -0.2F, 0.1F, 0.1F, -0.2F, -0.2F});
  const auto bilinear =
      run(with_integers(shape, larger, 23, {{2, 4}}, 15, {byte(2, 0), byte(3, 1)}));
  check_close(bilinear, {0.1F, 0.025F, -0.125F, -0.2F, 0.1F, 0.025F, -0.125F, -0.2F});
  CHECK(mentions(refused(with_integers(shape, larger, 23, {{2, 4}}, 15, {byte(2, 1), byte(3, 1)})),
                 "both corners and centres"));
  const auto deep = ramp(8);  // [1, 1, 1, 8] to [1, 2, 2, 2] and back keep their order here
  check_close(run(one({1, 1, 1, 8}, {1, 2, 2, 2}, 5, 94, {integer(0, 2)})), deep);
  check_close(run(one({1, 2, 2, 2}, {1, 1, 1, 8}, 26, 19, {integer(0, 2)})), deep);
  const auto v = ramp(18);
  floats sum(2, 0.0F);
  for (std::size_t i = 0; i < 18; ++i) sum[i % 2] += v[i];
  check_close(run(with_integers({1, 3, 3, 2}, {1, 1, 1, 2}, 74, {{1, 2}}, 27, {byte(0, 1)})), sum);
}
