// SPDX-License-Identifier: Apache-2.0
// ONNX operators that multiply matrices, and those that reduce axes.
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "onnx_model.hpp"

using namespace onnx_model;

TEST_CASE("products of matrices and constants") {
  const auto product = [](const std::vector<std::int64_t>& shape, const std::string& w,
                          const std::string& in = "x w") {
    return x_to_y(shape, w + node("MatMul", in, "y"));
  };
  const auto w32 = floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(counted(product({1, 2, 3}, w32)) == numbers{13, 16, 40, 52});
  CHECK(counted(product({1, 1, 2, 3}, w32)) == numbers{13, 16, 40, 52});
  CHECK(counted(product({3}, w32)) == numbers{13, 16});
  CHECK(counted(product({1, 2, 3}, floats("w", {3}, {1, 2, 3}))) == numbers{8, 26});
  CHECK(counted(product({1, 2, 3}, floats("w", {2, 2}, {1, 2, 3, 4}), "w x")) ==
        numbers{6, 9, 12, 12, 19, 26});
  CHECK(counted(product({1, 2, 3}, floats("w", {2}, {1, 2}), "w x")) == numbers{6, 9, 12});
  CHECK(counted(product({3}, floats("w", {3}, {1, 2, 3}), "w x")) == numbers{8});
  const auto two = floats("w", {2, 3, 1}, {1, 1, 1, 1, 2, 3});
  CHECK(counted(product({2, 1, 3}, two)) == numbers{3, 26});
  CHECK(counted(product({1, 2, 1, 3}, two)) == numbers{3, 26});
  CHECK(mentions(refused(product({1, 2, 3}, two)), "several matrices"));
  CHECK(mentions(refused(product({1, 2, 2}, w32)), "do not fit the input [1, 2, 2]"));
}

TEST_CASE("products of two computed tensors are the host's") {
  const auto turned = node("Transpose", "x", "t", ints("perm", {0, 2, 1}));
  const auto square = x_to_y({1, 2, 3}, turned + node("MatMul", "x t", "y"));
  CHECK(counted(square) == numbers{5, 14, 14, 50});
  const auto g = read(square);
  CHECK(std::get<net::on_host>(g[g.size() - 1].op).call.layer.view() == "matrix_product");
  CHECK(counted(x_to_y({1, 2, 3}, turned + node("MatMul", "t x", "y"))) ==
        numbers{9, 12, 15, 12, 17, 22, 15, 22, 29});
  // Vectors, and a matrix for several.
  CHECK(counted(x_to_y({3}, node("MatMul", "x x", "y"))) == numbers{5});
  const auto sum = ints("axes", {1}) + integer("keepdims", 0);
  CHECK(counted(x_to_y({1, 2, 2}, node("ReduceSum", "x", "s", sum) +
                                      node("Squeeze", "s", "v", ints("axes", {0})) +
                                      node("MatMul", "x v", "y"), 11)) == numbers{4, 16});
  CHECK(counted(x_to_y({1, 2, 2, 2}, node("ReduceMax", "x", "m", ints("axes", {1})) +
                                         node("MatMul", "x m", "y"))) ==
        numbers{6, 7, 26, 31, 46, 55, 66, 79});
  CHECK(mentions(refused(x_to_y({1, 2, 3}, node("MatMul", "x x", "y"))),
                 "its inputs [1, 2, 3] and [1, 2, 3] do not fit"));
  CHECK(mentions(refused(x_to_y({1, 2}, node("Gemm", "x x", "y"))),
                 "it is a product of two computed tensors"));
}

TEST_CASE("the host gives products side by side where only a matrix of all their columns is read") {
  // Two heads of three tokens and two columns each, and a matrix over the four columns.
  const auto heads = [](const std::string& behind) {
    return x_to_y({1, 2, 3, 2},
                  node("Transpose", "x", "t", ints("perm", {0, 1, 3, 2})) +
                      node("MatMul", "x t", "a") + node("MatMul", "a x", "heads") +
                      node("Transpose", "heads", "turned", ints("perm", {0, 2, 1, 3})) +
                      integers("shape", {1, 3, 4}) + node("Reshape", "turned shape", "tokens") +
                      behind);
  };
  const auto layers = [](const std::string& model) {
    std::vector<std::string> all;
    const auto g = read(model);
    for (const auto n : g.order())
      if (const auto* call = std::get_if<net::on_host>(&g[n].op))
        all.emplace_back(call->call.layer.view());
      else if (std::holds_alternative<net::move>(g[n].op))
        all.emplace_back("move");
    return all;
  };
  const auto product =
      heads(floats("w", {4, 1}, {0.25F, 0.25F, 0.25F, 0.25F}) + node("MatMul", "tokens w", "y"));
  CHECK(layers(product) ==
        std::vector<std::string>{"move", "matrix_product", "joined_matrix_products"});
  CHECK(counted(product) == counted(heads(node("ReduceMean", "tokens", "y", ints("axes", {2})))));
  // Another reader wants the matrices.
  const auto both = heads(floats("w", {4, 1}, {1, 1, 1, 1}) + node("MatMul", "tokens w", "z") +
                          integers("sizes", {1, 1, 3, 1}) + node("Reshape", "z sizes", "column") +
                          node("Add", "heads column", "y"));
  CHECK(layers(both).at(2) == "matrix_product");
}

TEST_CASE("a fully connected layer reads no more than a block of its input") {
  // The second of five tokens: weights for one token.
  const auto token = integers("i", {1}) + node("Gather", "x i", "t", integer("axis", 1)) +
                     node("Flatten", "t", "f") + floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}) +
                     node("MatMul", "f w", "y");
  const auto model = x_to_y({1, 5, 3}, token);
  CHECK(counted(model) == numbers{40, 52});
  const auto g = read(model);
  CHECK(std::get<net::fully_connected>(g[g.size() - 1].op).weights.size() == 6);
}

TEST_CASE("Gemm of several rows") {
  const auto gemm = [](const std::string& constants, const std::string& in, const std::string& a) {
    return counted(x_to_y({2, 3}, constants + node("Gemm", in, "y", a)));
  };
  const auto w32 = floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(gemm(w32, "x w", "") == numbers{13, 16, 40, 52});
  CHECK(gemm(w32, "x w", number("alpha", 2)) == numbers{26, 32, 80, 104});
  CHECK(gemm(floats("w", {2, 3}, {1, 3, 5, 2, 4, 6}), "x w", integer("transB", 1)) ==
        numbers{13, 16, 40, 52});
  const auto w22 = floats("w", {2, 2}, {1, 2, 3, 4});
  const auto turned = integer("transA", 1);
  CHECK(gemm(w22, "x w", turned) == numbers{9, 12, 13, 18, 17, 24});
  CHECK(gemm(w22 + floats("b", {3, 2}, {1, 2, 3, 4, 5, 6}), "x w b", turned) ==
        numbers{10, 14, 16, 22, 22, 30});
  CHECK(gemm(w22 + floats("b", {3, 1}, {1, 2, 3}), "x w b", turned + number("beta", 2)) ==
        numbers{11, 14, 17, 22, 23, 30});
  CHECK(gemm(w22 + floats("b", {2}, {1, 2}), "x w b", turned + number("beta", 3)) ==
        numbers{12, 18, 16, 24, 20, 30});
  const auto one = floats("w", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(gemm(one, "x w x", "") == numbers{0, 2, 4, 6, 8, 10});
  CHECK(gemm(one, "x w x", number("beta", 2)) == numbers{0, 3, 6, 9, 12, 15});
  // Rows of all outputs are pictures.
  const auto batch = [&](const std::string& body) {
    return model("input " + value_info("x", {2, 3}) + "output " + value_info("y", {2, 2}) + body);
  };
  CHECK(counted(batch(w32 + node("Gemm", "x w", "y"))) == numbers{13, 16});
  CHECK(mentions(refused(batch(w32 + floats("b", {2, 1}, {1, 2}) + node("Gemm", "x w b", "y"))),
                 "its bias [2, 1] does not fit"));
}

TEST_CASE("reductions over blocks of channels join them element by element") {
  // x and its squares under each other, along an axis of their own.
  const auto stacked = [](const std::string& type) {
    const bool by_input = type == "Sum";
    const auto g = read(x_to_y(
        {1, 3, 1, 2},
        integers("a", {1}) + node("Mul", "x x", "s") + node("Unsqueeze", "x a", "u") +
            node("Unsqueeze", "s a", "v") + node("Concat", "u v", "c", integer("axis", 1)) +
            node("Reduce" + type, by_input ? "c a" : "c", "y",
                 integer("keepdims", 0) + (by_input ? "" : ints("axes", {1})))));
    CHECK(g.size() == 3);
    return run(g, onnx_model::count);
  };
  CHECK(stacked("Sum") == numbers{0, 2, 6, 12, 20, 30});
  CHECK(stacked("Mean") == numbers{0, 1, 3, 6, 10, 15});
  CHECK(stacked("Max") == numbers{0, 1, 4, 9, 16, 25});
  CHECK(stacked("Min") == numbers{0, 1, 2, 3, 4, 5});
  CHECK(stacked("Prod") == numbers{0, 1, 8, 27, 64, 125});
  // Blocks of a tensor.
  const auto blocks = [](const std::vector<std::int64_t>& shape, const std::string& type) {
    const auto g = read(x_to_y({1, 6, 1, 2}, integers("s", shape) + node("Reshape", "x s", "b") +
                                                 node(type, "b", "y", ints("axes", {1}))));
    for (std::size_t n = 0; n < g.size(); ++n) CHECK(g.get_if<net::reshape>(n) == nullptr);
    return run(g, onnx_model::count);
  };
  CHECK(blocks({1, 2, 3, 1, 2}, "ReduceMax") == numbers{6, 7, 8, 9, 10, 11});
  CHECK(blocks({1, 3, 2, 1, 2}, "ReduceMean") == numbers{4, 5, 6, 7});
}

TEST_CASE("a sum over a large picture is that of means of its windows") {
  for (const auto& [h, w] : {std::pair{18, 20}, {17, 23}, {40, 1}}) {
    const auto g = read(x_to_y({1, 60, h, w}, integers("a", {2, 3}) +
                                                  node("ReduceSum", "x a", "y")));
    CHECK(g.get_if<net::pool>(1) != nullptr);
    const auto sums = run(g, [](net::shape s) {
      net::float_tensor t{s};
      for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = static_cast<float>(i % 7);
      return t;
    });
    REQUIRE(sums.size() == 60);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      float sum = 0;
      const auto area = static_cast<std::size_t>(h * w);
      for (std::size_t i = c * area; i < (c + 1) * area; ++i) sum += static_cast<float>(i % 7);
      CHECK(sums[c] == doctest::Approx(sum).epsilon(1e-5));
    }
  }
  const auto few = read(x_to_y({1, 2, 18, 20}, integers("a", {2, 3}) +
                                                   node("ReduceSum", "x a", "y")));
  CHECK(few.size() == 2);
}

TEST_CASE("reductions") {
  const auto reduce = [](const std::string& type, const std::string& a = "") {
    return counted(x_to_y({1, 2, 1, 2}, node("Reduce" + type, "x", "y", a)));  // 0 1, 2 3
  };
  const auto along = [&](const std::string& type, std::int64_t axis) {
    return reduce(type, ints("axes", {axis}));
  };
  check_close(reduce("L1"), {6});
  check_close(reduce("L2"), {std::sqrt(14.0F)});
  check_close(reduce("LogSum"), {std::log(6.0F)});
  check_close(reduce("LogSumExp"), {3.440190F});
  check_close(reduce("Max"), {3});
  check_close(reduce("Mean"), {1.5F});
  check_close(reduce("Min"), {0});
  check_close(reduce("Prod"), {0});
  check_close(reduce("Sum"), {6});
  check_close(reduce("SumSquare"), {14});
  check_close(along("L1", 1), {2, 4});
  check_close(along("L2", 3), {1, std::sqrt(13.0F)});
  check_close(along("LogSum", -1), {0, std::log(5.0F)});
  check_close(along("Min", 3), {0, 2});
  check_close(along("SumSquare", 1), {4, 10});
  // Halves of [[0 1] [2 3]], which are halves of channels in one of its orders.
  check_close(counted(x_to_y({1, 2, 2}, node("ReduceProd", "x", "y", ints("axes", {1})))), {0, 3});
  // Reductions of 0.1, -0.2, 0.3, ..
  const auto line = [](const std::string& type, std::int64_t n) {
    return run(x_to_y({1, 1, 1, n}, node("Reduce" + type, "x", "y")));
  };
  check_close(line("L1", 3), {0.6F});
  check_close(line("Min", 3), {-0.2F});
  check_close(line("Prod", 5), {0.0012F});
  check_close(line("Prod", 7), {0.0012F * -0.6F * 0.7F});
  const auto least = read(x_to_y({1, 1, 1, 3}, node("ReduceMin", "x", "y")));
  REQUIRE(least.size() == 2);  // one pooling behind the input
  CHECK(least.get_if<net::pool>(1)->kind == net::pool_kind::minimum);
  CHECK(mentions(refused(x_to_y({1, 1, 1, 65}, node("ReduceProd", "x", "y"))),
                 "multiplies 65 elements"));
  // The axes stay as ones, or go: what reads the result sees it.
  const auto next = [](const std::string& a) {
    return x_to_y({1, 2, 1, 2}, node("ReduceMin", "x", "m", ints("axes", {3}) + a) +
                                    node("Transpose", "m", "y", ints("perm", {0, 2, 1, 3})));
  };
  CHECK(counted(next("")) == numbers{0, 2});
  CHECK(mentions(refused(next(integer("keepdims", 0))), "no permutation of 3 dimensions"));
  const auto none = integer("noop_with_empty_axes", 1);
  CHECK(counted(x_to_y({1, 1, 1, 3}, node("ReduceSum", "x", "s", none) + node("Relu", "s", "y"))) ==
        numbers{0, 1, 2});
  // Reductions of constants.
  const auto folded = [](const std::string& type) {
    return counted(x_to_y({1}, floats("k", {3}, {-1, 2, -2}) + node("Reduce" + type, "k", "r") +
                                   node("Add", "x r", "y")));
  };
  check_close(folded("L1"), {5});
  check_close(folded("L2"), {3});
  check_close(folded("Min"), {-2});
  check_close(folded("Prod"), {4});
  check_close(folded("SumSquare"), {9});
  check_close(folded("LogSumExp"),
              {std::log(std::exp(-1.0F) + std::exp(2.0F) + std::exp(-2.0F))});
}

TEST_CASE("windows over a length") {
  const std::vector<std::int64_t> line = {1, 2, 3};
  const auto conv = [&](const std::string& a) {
    return x_to_y(line, floats("w", {1, 2, 2}, {1, 1, 1, 1}) + node("Conv", "x w", "y", a));
  };
  CHECK(counted(conv("")) == numbers{8, 12});
  CHECK(counted(conv(ints("strides", {2}))) == numbers{8});
  CHECK(counted(conv(ints("pads", {1, 0}))) == numbers{3, 8, 12});
  CHECK(counted(conv(ints("pads", {0, 1}))) == numbers{8, 12, 7});
  CHECK(counted(conv(ints("dilations", {2}))) == numbers{10});
  CHECK(counted(conv(word("auto_pad", "SAME_LOWER"))) == numbers{3, 8, 12});
  CHECK(mentions(refused(conv(ints("kernel_shape", {3}))), "differs from the weights'"));
  CHECK(mentions(refused(conv(ints("strides", {1, 1}))), "not of 1 dimension"));
  CHECK(mentions(refused(conv(ints("pads", {1, 1, 1, 1}))), "are not 2 numbers"));
  CHECK(mentions(refused(x_to_y({2, 2, 3}, floats("w", {1, 2, 1}, {1, 1}) +
                                               node("Conv", "x w", "y"))), "shape [2, 2, 3]"));
  const auto pool = [&](const std::string& type, const std::string& a) {
    return counted(x_to_y(line, node(type, "x", "y", ints("kernel_shape", {2}) + a)));
  };
  CHECK(pool("MaxPool", "") == numbers{1, 2, 4, 5});
  CHECK(pool("AveragePool", "") == numbers{0.5F, 1.5F, 3.5F, 4.5F});
  CHECK(pool("MaxPool", ints("strides", {2}) + integer("ceil_mode", 1)) == numbers{1, 2, 4, 5});
  CHECK(counted(x_to_y(line, node("GlobalMaxPool", "x", "y"))) == numbers{2, 5});
  const auto up = [](const std::string& a) {
    return counted(x_to_y({1, 1, 2}, floats("w", {1, 1, 3}, {1, 2, 3}) +
                                         node("ConvTranspose", "x w", "y", a)));
  };
  CHECK(up("") == numbers{0, 1, 2, 3});
  CHECK(up(ints("strides", {2}) + ints("output_padding", {1})) == numbers{0, 0, 1, 2, 3, 0});
  CHECK(up(ints("pads", {1, 1})) == numbers{1, 2});
  CHECK(up(ints("output_shape", {3})) == numbers{1, 2, 3});
}

TEST_CASE("dilated maxima") {
  const auto pool = [](const std::string& a) {  // of 0.1 -0.2 0.3 -0.4 0.5 -0.6
    return x_to_y({1, 1, 1, 6}, node("MaxPool", "x", "y", ints("kernel_shape", {1, 2}) +
                                                              ints("dilations", {1, 2}) + a));
  };
  check_close(run(pool("")), {0.3F, -0.2F, 0.5F, -0.4F});
  check_close(run(pool(ints("strides", {1, 2}))), {0.3F, 0.5F});
  check_close(run(pool(ints("pads", {0, 1, 0, 1}))), {-0.2F, 0.3F, -0.2F, 0.5F, -0.4F, 0.5F});
  check_close(run(pool(ints("pads", {0, 0, 0, 1}))), {0.3F, -0.2F, 0.5F, -0.4F, 0.5F});
  check_close(run(pool(integer("ceil_mode", 1))), {0.3F, -0.2F, 0.5F, -0.4F});
  CHECK(mentions(refused(pool(ints("strides", {1, 2}) + integer("ceil_mode", 1))), "ceil_mode"));
  check_close(counted(x_to_y({1, 2, 3, 3}, node("MaxPool", "x", "y", ints("kernel_shape", {2, 2}) +
                                                   ints("dilations", {2, 2})))), {8, 17});
  CHECK(mentions(
      refused(x_to_y({1, 1, 1, 2}, node("MaxPool", "x", "y",
                                        ints("kernel_shape", {1, 2}) + ints("dilations", {1, 2})))),
      "larger than"));
}

TEST_CASE("computed tensors that are repeated") {
  const auto peak = node("ReduceMax", "x", "m", ints("axes", {1}));
  const std::vector<std::int64_t> shape = {1, 2, 1, 3};
  CHECK(counted(x_to_y(shape, peak + node("Sub", "x m", "y"))) == numbers{-3, -3, -3, 0, 0, 0});
  CHECK(counted(x_to_y(shape, peak + node("Sub", "m x", "y"))) == numbers{3, 3, 3, 0, 0, 0});
  CHECK(counted(x_to_y({1, 2, 2, 1}, node("ReduceMax", "x", "m", ints("axes", {2})) +
                                         node("ReduceMax", "x", "n", ints("axes", {1})) +
                                         node("Add", "m n", "y"))) == numbers{3, 4, 5, 6});
}

TEST_CASE("rows that are blocks of a map's lines and columns are multiplied where they stand") {
  std::vector<float> weights;
  for (int i = 0; i < 36; ++i) weights.push_back(static_cast<float>(i % 5 - 2));
  struct form {
    std::vector<std::int64_t> seen, order, rows;
    std::int32_t lines, columns;
  };
  const auto product = floats("w", {12, 3}, weights) + node("MatMul", "r w", "y");
  const auto read_as = [&](const form& f, const std::string& first) {
    return onnx_model::read(x_to_y(
        {1, 2, 4, 6}, first + integers("seen", f.seen) + node("Reshape", "a seen", "v") +
                          node("Transpose", "v", "t", ints("perm", f.order)) +
                          integers("rows", f.rows) + node("Reshape", "t rows", "r") + product));
  };
  // Each line's channels and columns; patches of two lines and three columns.
  for (const form& f : {form{{1, 2, 4, 6}, {0, 2, 1, 3}, {1, 4, 12}, 1, 6},
                        form{{1, 2, 4, 6}, {0, 2, 3, 1}, {1, 4, 12}, 1, 6},
                        form{{1, 2, 2, 2, 2, 3}, {0, 2, 4, 1, 3, 5}, {1, 4, 12}, 2, 3},
                        form{{2, 2, 2, 2, 3}, {1, 3, 2, 4, 0}, {1, 4, 12}, 2, 3}}) {
    const auto g = read_as(f, node("Relu", "x", "a"));
    REQUIRE(g.size() == 3);  // nothing is moved
    const auto& op = std::get<net::convolution>(g[2].op);
    CHECK(op.window.kernel_h == f.lines);
    CHECK(op.window.kernel_w == f.columns);
    const auto y = onnx_model::run(g, onnx_model::count);
    // A matrix that an input gives, whose packing moves it.
    const auto packed = read_as(f, node("Identity", "x", "a"));
    CHECK(y == onnx_model::run(packed, onnx_model::count));
  }
}
