// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that choose, repeat and reduce, beside their definitions.
#include "tflite_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tflite_model;

namespace {

const ints shape{1, 2, 3, 4};
const floats x = ramp(24);

// The elements of [1, 2, 3, 4] at (row, column, channel), in this order.
floats at(const std::vector<std::vector<std::size_t>>& places) {
  floats y;
  for (const auto& p : places) y.push_back(x[(p[0] * 3 + p[1]) * 4 + p[2]]);
  return y;
}
floats every(const ints& sizes, const std::function<std::vector<std::size_t>(
                                    std::size_t, std::size_t, std::size_t)>& from) {
  floats y;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sizes[0]); ++i)
    for (std::size_t j = 0; j < static_cast<std::size_t>(sizes[1]); ++j)
      for (std::size_t k = 0; k < static_cast<std::size_t>(sizes[2]); ++k) {
        const auto one_place = at({from(i, j, k)});
        y.insert(y.end(), one_place.begin(), one_place.end());
      }
  return y;
}
floats each(const std::function<float(float)>& f) {
  floats y = x;
  std::transform(y.begin(), y.end(), y.begin(), f);
  return y;
}

}  // namespace

TEST_CASE("TFLite: choosing elements") {
  const auto pick = [](int axis, const ints& which, const ints& to) {
    return run(with_integers(shape, to, 36, {which}, 23, {integer(0, axis)}));
  };
  check_close(pick(3, {3, 0, 0}, {1, 2, 3, 3}), every({2, 3, 3}, [](auto i, auto j, auto k) {
                return std::vector{i, j, k == 0 ? std::size_t{3} : 0};
              }));
  check_close(pick(1, {1, 0}, shape), every({2, 3, 4}, [](auto i, auto j, auto k) {
                return std::vector{1 - i, j, k};
              }));
  check_close(pick(-2, {2}, {1, 2, 1, 4}), every({2, 1, 4}, [](auto i, auto, auto k) {
                return std::vector{i, std::size_t{2}, k};
              }));
  CHECK(mentions(refused(with_integers(shape, shape, 36, {{4}}, 23, {integer(0, 3)})),
                 "index 4 of 4 elements"));
  CHECK(mentions(refused(with_integers(shape, {1, 2}, 36, {{0}}, 23, {integer(0, 3)})),
                 "its output [1, 2] does not have 4 dimensions"));
  check_close(run(with_integers(shape, shape, 105, {{1, -1}})),
              every({2, 3, 4}, [](auto i, auto j, auto k) {
                return std::vector{1 - i, j, 3 - k};
              }));
  check_close(run(with_integers(shape, {1, 4, 3, 8}, 69, {{1, 2, 1, 2}}, 51)),
              every({4, 3, 8}, [](auto i, auto j, auto k) {
                return std::vector{i % 2, j, k % 4};
              }));
  check_close(run(with_integers({1, 1, 1, 4}, {1, 2, 3, 4}, 130, {{1, 2, 3, 4}}, 104)),
              every({2, 3, 4}, [](auto, auto, auto k) {
                return std::vector{std::size_t{0}, std::size_t{0}, k};
              }));
  check_close(run(with_integers(shape, {1, 5, 3, 4}, 100, {{0, 0, 1, 2, 0, 0, 0, 0}}, 77,
                                {byte(0, 1)})),
              every({5, 3, 4}, [](auto i, auto j, auto k) {
                return std::vector{std::vector<std::size_t>{0, 0, 1, 1, 0}[i], j, k};
              }));
  CHECK(mentions(refused(with_integers(shape, {1, 6, 3, 4}, 100, {{0, 0, 3, 0, 0, 0, 0, 0}}, 77,
                                       {byte(0, 1)})),
                 "it mirrors 3 and 0 of 2 elements"));
}

TEST_CASE("TFLite: apart and together") {
  builder b;  // the lines of a picture, exchanged
  const auto in = b.tensor("x", shape), y = b.tensor("y", shape);
  const ints line{1, 3, 4};
  const auto first = b.tensor("first", line), second = b.tensor("second", line);
  b.op(88, {in}, {first, second}, 64, {integer(0, 2), integer(1, 1)});
  b.op(83, {second, first}, {y}, 59, {integer(0, 2), integer(1, 1)});
  check_close(run(b.file({in}, {y})),
              every({2, 3, 4}, [](auto i, auto j, auto k) { return std::vector{1 - i, j, k}; }));

  builder c;  // the width and height of a picture from its shape, as a size
  const auto p = c.tensor("x", shape), s = c.tensor("s", {4}, int32),
             z = c.tensor("y", {1, 4, 3, 4});
  ints n;
  for (const char* name : {"n", "h", "w", "c"}) n.push_back(c.tensor(name, {}, int32));
  const auto twice = c.tensor("twice", {}, int32), size = c.tensor("size", {2}, int32);
  c.op(77, {p}, {s}, 55);
  c.op(88, {s}, n, 64, {integer(0, 4), integer(1, 0)});
  c.op(18, {n[1], c.constant("two", {}, ints{2}, int32)}, {twice}, 21);
  c.op(83, {twice, n[2]}, {size}, 59, {integer(0, 2), integer(1, 0)});
  c.op(97, {p, size}, {z}, 74);
  check_close(run(c.file({p}, {z})),
              every({4, 3, 4}, [](auto i, auto j, auto k) { return std::vector{i / 2, j, k}; }));
}

TEST_CASE("TFLite: reducing") {
  const auto reduce = [](int code, const std::function<float(float, float)>& f) {
    floats expected;
    for (std::size_t k = 0; k < 4; ++k) {
      float v = x[k];
      for (std::size_t i = 4; i < 24; i += 4) v = f(v, x[k + i]);
      expected.push_back(v);
    }
    const auto file = [&](const ints& to, int keep) {
      return with_integers(shape, to, code, {{1, 2}}, 27, {byte(0, keep)});
    };
    check_close(run(file({1, 4}, 0)), expected);
    check_close(run(file({1, 1, 1, 4}, 1)), expected);
  };
  reduce(89, [](float a, float b) { return std::min(a, b); });
  reduce(82, [](float a, float b) { return std::max(a, b); });
  reduce(81, [](float a, float b) { return a * b; });
  const auto place = [](int code, int axis, const ints& to, int type) {
    builder b;
    const auto in = b.tensor("x", shape), y = b.tensor("y", to, int32);
    b.op(code, {in, b.constant("axis", {}, ints{axis}, int32)}, {y}, type, {byte(0, int32)});
    return run(b.file({in}, {y}));
  };
  // Channels 0 and 2 rise, 1 and 3 fall.
  check_close(place(56, 3, {1, 2, 3}, 40), floats(6, 2));
  check_close(place(79, -1, {1, 2, 3}, 57), floats(6, 3));
  const auto lines = place(56, 1, {1, 3, 4}, 40);  // read as a cube, [3][4] at channel 0 .. 2
  CHECK(std::count(lines.begin(), lines.end(), 1.0F) == 6);
}

// As DeepLab ends; the file has scales for all but the places.
TEST_CASE("TFLite: places of maxima have a scale, and are converted where a type holds them") {
  const auto ending = [](type places, std::int32_t code, type to, const grid& of_result = {}) {
    builder b;
    const auto in = b.tensor("x", shape, uint8, {{0.5F}, {3}}),
               y = b.tensor("y", {1, 2, 3}, places), z = b.tensor("z", {1, 2, 3}, to, of_result);
    b.op(56, {in, b.constant("axis", {}, ints{3}, int32)}, {y}, 40, {byte(0, places)});
    if (code == 53) b.op(code, {y}, {z}, 37, {byte(0, places), byte(1, to)});
    else b.op(code, {y, y}, {z}, 29);
    return b.file({in}, {z});
  };
  for (const auto to : {int32, uint8, float32}) {
    CAPTURE(int{to});
    const auto n = read(ending(int64, 53, to));
    CHECK(n.scales.find("x") == 0.5 * 252 / 127);
    CHECK(n.scales.find("y") == doctest::Approx(3.0 / 127));
  }
  CHECK(mentions(refused(ending(int64, 53, uint8, {{0.5F}, {0}})), "it converts INT64 to UINT8"));
  CHECK(mentions(refused(ending(int64, 42, int64)), "drops what is behind the point"));
}

TEST_CASE("TFLite: functions of elements, rows and windows") {
  const auto f = [](int code, int type, const std::function<float(float)>& g) {
    check_close(run(one(shape, shape, code, type)), each(g));
  };
  f(8, 0, [](float v) { return std::floor(v); });
  f(104, 0, [](float v) { return std::ceil(v); });
  f(116, 0, [](float v) { return std::nearbyint(v); });
  f(158, 123, [](float v) { return v < 0 ? -1.0F : 1.0F; });
  f(66, 0, [](float v) { return std::sin(v); });
  f(108, 84, [](float v) { return std::cos(v); });
  const auto difference = run(with_constant(shape, shape, 99, {1}, {0.5F}, false, 76));
  check_close(difference, each([](float v) { return (v - 0.5F) * (v - 0.5F); }));

  floats logarithms = x;
  for (std::size_t p = 0; p < 24; p += 4) {
    float sum = 0;
    for (std::size_t i = p; i < p + 4; ++i) sum += std::exp(x[i]);
    for (std::size_t i = p; i < p + 4; ++i) logarithms[i] -= std::log(sum);
  }
  check_close(run(one(shape, shape, 50, 36)), logarithms);

  floats norms;
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t k = 0; k < 4; ++k) {
      float sum = 0;
      for (const std::size_t from : {j * 4, j * 4 + 4, j * 4 + 12, j * 4 + 16})
        sum += x[from + k] * x[from + k];
      norms.push_back(std::sqrt(sum / 4));
    }
  check_close(run(one(shape, {1, 1, 2, 4}, 12, 5, {byte(0, 1), integer(1, 1), integer(2, 1),
                                                  integer(3, 2), integer(4, 2)})), norms);

  const floats m = ramp(12, 0.2F);  // [3][4], each line of which is one output
  floats product;
  for (std::size_t p = 0; p < 24; p += 4)
    for (std::size_t o = 0; o < 3; ++o) {
      float sum = 0;
      for (std::size_t i = 0; i < 4; ++i) sum += x[p + i] * m[o * 4 + i];
      product.push_back(sum);
    }
  check_close(run(with_constant(shape, {1, 2, 3, 3}, 126, {3, 4}, m, false, 101, {byte(1, 1)})),
              product);
}
