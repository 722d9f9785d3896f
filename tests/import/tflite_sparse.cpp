// SPDX-License-Identifier: Apache-2.0
// Sparse constants of TFLite, convolutions between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, and
// LSTM over a sequence.
#include <cmath>
#include <string>
#include <vector>

#include "tflite_model.hpp"

using namespace tflite_model;

namespace {

// y = x times a sparse matrix of 2 rows and 4 columns.
std::string multiplied(const sparsity& how, const floats& kept) {
  builder b;
  const auto x = b.tensor("x", {1, 4}), w = b.real("w", {2, 4}, kept), d = b.tensor("d", {2, 4}),
             y = b.tensor("y", {1, 2});
  b.set_sparse(w, how);
  b.op(124, {w}, {d}, 99);
  b.op(9, {x, d}, {y}, 8, {byte(0, 0)});
  return b.file({x}, {y});
}
std::vector<float> product(const std::string& file) {
  const auto g = read(file).graph;
  return net::evaluate(g, net::float_tensor{{4, 1, 1}, {1, 10, 100, 1000}}).at(0).values;
}

// A convolution of 3 taps, 2 apart, as TensorFlow writes a dilated one.
std::string dilated(const ints& pads, const ints& crops, int lines, int stride = 1) {
  builder b;
  const auto x = b.tensor("x", {1, 6, 2, 1}), y = b.tensor("y", {1, lines, 2, 1}),
             s = b.tensor("s", {2, 5, 2, 1}), c = b.tensor("c", {2, 3, 2, 1}),
             sizes = b.integers("sizes", {2, 1}),
             before = b.constant("pads", {2, 2}, pads, int32),
             behind = b.constant("crops", {2, 2}, crops, int32),
             w = b.real("w", {1, 3, 1, 1}, {1, 2, 4}), bias = b.real("b", {1}, {0.5F});
  b.op(38, {x, sizes, before}, {s});
  b.op(3, {s, w, bias}, {c}, 1, {byte(0, 1), integer(1, stride), integer(2, stride), byte(3, 1)});
  b.op(37, {c, sizes, behind}, {y});
  return b.file({x}, {y});
}

}  // namespace

TEST_CASE("sparse constants are read as dense ones") {
  // Row 0 has 5 in column 1; row 1 has 6 and 7 in columns 0 and 3.
  const sparsity rows{{0, 1}, {}, {{2, {}, {}}, {0, {0, 1, 3}, {1, 0, 3}}}};
  CHECK(product(multiplied(rows, {5, 6, 7})) == floats{50, 7006});
  // Columns first, then rows.
  const sparsity columns{{1, 0}, {}, {{4, {}, {}}, {0, {0, 1, 2, 2, 3}, {1, 0, 1}}}};
  CHECK(product(multiplied(columns, {6, 5, 7})) == floats{50, 7006});
  // Blocks of two columns: one in each row.
  const sparsity blocks{{0, 1, 2}, {1}, {{2, {}, {}}, {0, {0, 1, 2}, {0, 1}}, {2, {}, {}}}};
  CHECK(product(multiplied(blocks, {1, 2, 3, 4})) == floats{21, 4300});
}

TEST_CASE("sparse constants that say what cannot be are refused") {
  const auto refused = [](const sparsity& how, const floats& kept) {
    return complaints([&] { (void)read(multiplied(how, kept)); });
  };
  const sparsity beyond{{0, 1}, {}, {{2, {}, {}}, {0, {0, 1, 2}, {1, 4}}}};
  CHECK(mentions(refused(beyond, {5, 6}), "a value at 4 of 4"));
  const sparsity few{{0, 1}, {}, {{2, {}, {}}, {0, {0, 1, 3}, {1, 0, 3}}}};
  CHECK(mentions(refused(few, {5, 6}), "too few values"));
  const sparsity order{{0, 0}, {}, {{2, {}, {}}, {4, {}, {}}}};
  CHECK(mentions(refused(order, {5, 6}), "its dimensions are not all told"));
  const sparsity segments{{0, 1}, {}, {{2, {}, {}}, {0, {0, 1}, {1}}}};
  CHECK(mentions(refused(segments, {5}), "too few segments"));
}

TEST_CASE("a convolution between blocks of a batch is dilated") {
  const auto run = [](const std::string& file) {
    const auto g = read(file).graph;
    std::vector<float> x(12);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i / 2);
    return net::evaluate(g, net::float_tensor{{1, 6, 2}, x}).at(0).values;
  };
  // Lines -2 to 7; y = x[i - 2] + 2 x[i] + 4 x[i + 2] + 0.5.
  CHECK(run(dilated({2, 2, 0, 0}, {0, 0, 0, 0}, 6)) ==
        floats{8.5F, 8.5F, 14.5F, 14.5F, 20.5F, 20.5F, 27.5F, 27.5F, 10.5F, 10.5F, 13.5F, 13.5F});
  // Zeros that make the blocks whole are left out behind.
  CHECK(run(dilated({2, 4, 0, 0}, {0, 2, 0, 0}, 6)) ==
        floats{8.5F, 8.5F, 14.5F, 14.5F, 20.5F, 20.5F, 27.5F, 27.5F, 10.5F, 10.5F, 13.5F, 13.5F});
  CHECK(run(dilated({0, 0, 0, 0}, {0, 0, 0, 0}, 2)) == floats{20.5F, 20.5F, 27.5F, 27.5F});
  CHECK(mentions(complaints([] { (void)read(dilated({2, 2, 0, 0}, {0, 0, 0, 0}, 6, 2)); }),
                 "no plain convolution"));
  CHECK(mentions(complaints([] { (void)read(dilated({0, 0, 0, 0}, {1, 0, 0, 0}, 6)); }),
                 "SPACE_TO_BATCH_ND is not supported"));
}

TEST_CASE("an LSTM over a sequence begins with a state of 0") {
  const auto file = [](float clip) {
    builder b;
    const auto x = b.tensor("x", {1, 2, 1}), y = b.tensor("y", {1, 2, 1}),
               h = b.tensor("h", {1, 1}), c = b.tensor("c", {1, 1});
    b.set_flag(h, 5);
    b.set_flag(c, 5);
    ints in{x};
    for (const float w : {0.5F, -0.25F, 1.0F, 0.75F}) in.push_back(b.real("w", {1, 1}, {w}));
    for (const float r : {0.25F, 0.5F, -0.5F, 1.0F}) in.push_back(b.real("r", {1, 1}, {r}));
    in.insert(in.end(), {-1, -1, -1});
    for (const float v : {0.1F, 0.2F, 0.3F, 0.4F}) in.push_back(b.real("b", {1}, {v}));
    in.insert(in.end(), {-1, -1, h, c});
    b.op(44, in, {y}, 71, {byte(0, 4), number(1, clip), number(2, 0), byte(3, 0)});
    return b.file({x}, {y});
  };
  // Gates: input, forget, cell, output.
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  double h = 0, c = 0;
  std::vector<float> expected;
  for (const double x : {2.0, -1.0}) {
    const double i = sigmoid(0.5 * x + 0.25 * h + 0.1), f = sigmoid(-0.25 * x + 0.5 * h + 0.2),
                 g = std::tanh(1.0 * x - 0.5 * h + 0.3), o = sigmoid(0.75 * x + 1.0 * h + 0.4);
    c = f * c + i * g;
    h = o * std::tanh(c);
    expected.push_back(static_cast<float>(h));
  }
  const auto g = read(file(0)).graph;
  const auto& shape = g[net::input_nodes(g).at(0)].shape;
  check_close(in_file::outputs(g, net::float_tensor{shape, {2, -1}}).at(0).values, expected);
  CHECK(mentions(complaints([&] { (void)read(file(3)); }), "it clips its cell"));
}
