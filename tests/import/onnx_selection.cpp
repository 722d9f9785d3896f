// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX that select by values, or at computed places.
#include <cmath>
#include <string>
#include <vector>

#include <nvdlac/host/expectation.hpp>
#include <nvdlac/host/on_host.hpp>

#include "onnx_model.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

// Boxes and scores of three boxes and two classes, which are inputs.
std::string detector(const std::string& body, const std::string& output = "y") {
  return model("input " + value_info("b", {1, 3, 4}) + "input " + value_info("s", {1, 2, 3}) +
               "output " + value_info(output, {1}) + body);
}
const std::string suppression = integers("n", {2}) + floats("o", {1}, {0.5F}) +
                                floats("l", {1}, {0.25F}) +
                                node("NonMaxSuppression", "b s n o l", "i");

std::vector<float> detected(const std::string& content) {
  const auto g = read(content);
  const std::vector<net::float_tensor> inputs{{{3, 4, 1}, {0, 0, 1, 1, 0, 0, 0.9F, 1, 2, 2, 3, 3}},
                      {{2, 3, 1}, {0.5F, 0.75F, 0.25F, 0, 0.3F, 0.9F}}};
  return net::evaluate(g, inputs).at(0).values;
}

}  // namespace

TEST_CASE("NonMaxSuppression gives as many rows as may be selected") {
  CHECK(detected(detector(suppression, "i")) ==
        numbers{0, 0, 1, 0, 1, 2, 0, 1, 1, -1, -1, -1});
  // Values that are gathered at the places of the rows behind them are 0.
  const auto places = suppression + integers("two", {2}) +
                      node("Gather", "i two", "p", integer("axis", 1)) + integers("axis", {1}) +
                      node("Squeeze", "p axis", "q");
  CHECK(detected(detector(places + node("Gather", "b q", "y", integer("axis", 1)))) ==
        numbers{0, 0, 0.9F, 1, 2, 2, 3, 3, 0, 0, 0.9F, 1, 0, 0, 0, 0});
  CHECK(mentions(refused(detector(node("NonMaxSuppression", "b s", "y"))), "selects no boxes"));
  CHECK(mentions(refused(detector(integers("n", {2}) + node("NonMaxSuppression", "s b n", "y"))),
                 "[1, boxes, 4] and [1, classes, boxes] are supported"));
}

TEST_CASE("TopK, and what is gathered at its places") {
  const auto top = [](const std::string& in, const std::string& out, const std::string& body) {
    const auto g = read(model("input " + value_info("x", {1, 2, 3}) + "output " +
                              value_info(out, {1}) + integers("k", {2}) +
                              node("TopK", in + " k", "v i", integer("axis", 2)) + body));
    return net::evaluate(g, net::float_tensor{{2, 3, 1}, {1, 3, 2, 6, 4, 5}}).at(0).values;
  };
  CHECK(top("x", "v", "") == numbers{3, 2, 6, 5});
  CHECK(top("x", "i", "") == numbers{1, 2, 0, 2});
  CHECK(top("x", "y", node("GatherElements", "x i", "y", integer("axis", 2))) ==
        numbers{3, 2, 6, 5});
  const auto pairs = integers("a", {0, 0, 1}) + integers("s", {1, 1, 1}) +
                     node("TopK", "x k1", "w j", integer("axis", 2)) + integers("k1", {1});
  CHECK(top("x", "y", pairs + node("GatherND", "x j", "y", integer("batch_dims", 2))) ==
        numbers{3, 6});
}

TEST_CASE("GatherND and ScatterND at constant places move elements") {
  const auto places = [](const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& values) {
    return "initializer { name: 'i' data_type: 7" + list("dims", shape) +
           list("int64_data", values) + " }\n";
  };
  const auto g = read(x_to_y({1, 2, 3}, places({2, 2}, {0, 1, 0, 0}) +
                                            node("GatherND", "x i", "y")));
  CHECK(run(g, onnx_model::count) == numbers{3, 4, 5, 0, 1, 2});
  // The second row of each becomes ten times the first.
  const auto rows = floats("ten", {1}, {10}) + integers("zero", {0}) +
                    node("Gather", "x zero", "r", integer("axis", 1)) +
                    node("Mul", "r ten", "u") + places({1, 1, 2}, {0, 1});
  CHECK(counted(x_to_y({1, 2, 3}, rows + node("ScatterND", "x i u", "y"))) ==
        numbers{0, 1, 2, 0, 10, 20});
  CHECK(mentions(refused(x_to_y({1, 2, 3}, rows + node("ScatterND", "x i u", "y",
                                                       word("reduction", "add")), 18)),
                 "reduction 'add' is not supported"));
}

TEST_CASE("a softmax and a sum by its probabilities are one layer of the host") {
  const auto is_one = [](const net::graph& g) {
    for (net::graph::id n = 0; n < g.size(); ++n)
      if (const auto* op = std::get_if<net::on_host>(&g[n].op))
        if (op->call.layer == host::call_of(host::expectation{}).layer) return g.size() == 3;
    return false;
  };
  const std::vector<std::int64_t> shape{1, 3, 2, 2};
  const auto by_filter =
      read(x_to_y(shape, floats("w", {1, 3, 1, 1}, {0, 1, 2}) +
                             node("Softmax", "x", "s", integer("axis", 1)) +
                             node("Conv", "s w", "c") + node("Relu", "c", "y")));
  CHECK(is_one(by_filter));
  CHECK(run(by_filter, onnx_model::count).at(0) == doctest::Approx(2).epsilon(0.05));
  const auto by_matrix =
      read(x_to_y({1, 2, 2, 3}, floats("w", {3}, {0, 1, 2}) +
                                    node("Softmax", "x", "s", integer("axis", 3)) +
                                    node("MatMul", "s w", "c") + node("Relu", "c", "y")));
  CHECK(is_one(by_matrix));
  const double shares = 1 + std::exp(1.0) + std::exp(2.0);
  CHECK(run(by_matrix, onnx_model::count).at(3) ==
        doctest::Approx((std::exp(1.0) + 2 * std::exp(2.0)) / shares));
}

TEST_CASE("Einsum as far as it is a MatMul between movements") {
  const auto with = [](const std::string& equation) {
    return node("Einsum", "x w", "y", word("equation", equation));
  };
  const std::string w = floats("w", {3, 2}, {1, 2, 3, 4, 5, 6});
  // Rows 0 1 2 and 3 4 5.
  CHECK(counted(x_to_y({1, 2, 3}, w + with("bij,jk->bik"))) == numbers{13, 16, 40, 52});
  CHECK(counted(x_to_y({1, 2, 3}, w + with("bij, jk -> kib"))) == numbers{13, 40, 16, 52});
  const auto square = read(x_to_y({1, 2, 3}, node("Einsum", "x x", "y",
                                                  word("equation", "bij,bkj->bik"))));
  CHECK(run(square, onnx_model::count) == numbers{5, 14, 14, 50});
  for (const char* equation :
       {"bii,ik->bk", "bij,jk->bk", "...j,jk->...k", "bij->bi", "bij,jk->bm"})
    CHECK(mentions(refused(x_to_y({1, 2, 3}, w + with(equation))), "a MatMul between movements"));
  CHECK(mentions(refused(x_to_y({1, 2, 3}, w + with("bij,kj->bik"))), "do not fit"));
}
