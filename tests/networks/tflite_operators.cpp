// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators behind a convolution: the loadable on the simulator, its trace and
// the integer reference are equal bit for bit, and near the float network.
#include <doctest/doctest.h>

#include <vector>

#include "../import/tflite_model.hpp"
#include "operators.hpp"

using namespace nvdlac;
using networks::check;
using tflite_model::builder;
using tflite_model::byte;
using tflite_model::integer;
using tflite_model::ints;
using options = std::vector<tflite_model::option>;

namespace {

const ints picture{1, 6, 6, 8};

// A convolution of a picture gives 8 channels to the operators, which write the network's output.
template <class Operators>
net::graph behind_convolution(const ints& to, Operators operators) {
  randomness random(5);
  builder b;
  const auto x = b.tensor("x", picture), c = b.tensor("c", picture), y = b.tensor("y", to);
  const auto w = b.real("w", {8, 3, 3, 8}, random.reals(8 * 9 * 8));
  b.op(3, {x, w}, {c}, 1, {byte(0, 0), integer(1, 1), integer(2, 1)});
  operators(b, c, y);
  return tflite_model::read(b.file({x}, {y})).graph;
}
// One operator, whose further inputs are lists of integers.
net::graph one(const ints& to, std::int32_t code, const std::vector<ints>& lists = {},
               int type = 0, const options& more = {}) {
  return behind_convolution(to, [&](builder& b, std::int32_t c, std::int32_t y) {
    ints in{c};
    for (const auto& l : lists) in.push_back(b.integers("k", l));
    b.op(code, in, {y}, type, more);
  });
}

}  // namespace

TEST_CASE("TFLite: operators that choose and repeat, on the simulator") {
  check("GATHER", one({1, 6, 6, 3}, 36, {{7, 0, 2}}, 23, {integer(0, 3)}));
  check("TILE", one({1, 12, 6, 8}, 69, {{1, 2, 1, 1}}, 51));
  check("REVERSE_V2", one(picture, 105, {{2}}, 81));
  check("MIRROR_PAD", one({1, 8, 7, 8}, 100, {{0, 0, 1, 1, 0, 1, 0, 0}}, 77, {byte(0, 1)}));
  check("UNPACK and PACK",
        behind_convolution({1, 6, 2, 8}, [](builder& b, std::int32_t c, std::int32_t y) {
          ints columns;
          for (int i = 0; i < 6; ++i) columns.push_back(b.tensor("column", {1, 6, 8}));
          b.op(88, {c}, columns, 64, {integer(0, 6), integer(1, 2)});
          b.op(83, {columns[4], columns[1]}, {y}, 59, {integer(0, 2), integer(1, 2)});
        }));
}

TEST_CASE("TFLite: operators that reduce and compute, on the simulator") {
  check("REDUCE_MIN", one({1, 1, 1, 8}, 89, {{1, 2}}, 27, {byte(0, 1)}));
  check("L2_POOL_2D", one({1, 3, 3, 8}, 12, {}, 5,
                          {byte(0, 1), integer(1, 2), integer(2, 2), integer(3, 2), integer(4, 2)}),
        0.97);
  check("ARG_MAX", one({1, 6, 6}, 56, {{3}}, 40), 0.9);
  check("LOG_SOFTMAX", one(picture, 50, {}, 36));
  const auto with = [](std::int32_t code, int type, const ints& shape) {
    return behind_convolution(picture, [&](builder& b, std::int32_t c, std::int32_t y) {
      std::size_t n = 1;
      for (const auto d : shape) n *= static_cast<std::size_t>(d);
      b.op(code, {c, b.real("k", shape, randomness(7).reals(n))}, {y}, type);
    });
  };
  check("SQUARED_DIFFERENCE", with(99, 76, {8}));
  check("BATCH_MATMUL", with(126, 101, {8, 8}));
}
