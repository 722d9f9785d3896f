// SPDX-License-Identifier: Apache-2.0
// The common form of models, and what writes it.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/hub/writer.hpp>
#include <nvdlac/import/onnx/file.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include "files.hpp"
#include "onnx_model.hpp"

using namespace nvdlac;
using import::hub::array;
using import::hub::constant;
using import::hub::dims;

TEST_CASE("constants of a file are read when somebody asks, those that are known are shared") {
  int asked = 0;
  const constant of_file({2}, [&] {
    ++asked;
    return array::of_reals({2}, {1, 2});
  });
  CHECK(of_file.shape() == dims{2});
  CHECK(asked == 0);
  CHECK(of_file.numbers()->reals == std::vector<float>{1, 2});
  CHECK(asked == 1);

  const auto known = std::make_shared<const array>(array::of_reals({1}, {3}));
  CHECK(constant(known).numbers() == known);
  import::hub::writer to(14);
  to.constant("k", known);
  CHECK(to.model().graph->constants.at(0).second.numbers() == known);
}

TEST_CASE("constants that are known have as many numbers as their shape, of their type") {
  const auto complaint = [](array a, std::int64_t type) {
    import::hub::writer to(14);
    to.constant("k", std::move(a), type);
    return complaints([&] { (void)to.model().graph->constants[0].second.numbers(); });
  };
  CHECK(
      mentions(complaint(array::of_integers({3}, {1, 2}), 7), "it has 2 values for the shape [3]"));
  CHECK(mentions(complaint(array::of_integers({1}, {300}), 2), "its value 300 is no UINT8"));
  CHECK(mentions(complaint(array::of_integers({1}, {-129}), 3), "its value -129 is no INT8"));
  CHECK(complaint(array::of_integers({1}, {-128}), 3).empty());
}

TEST_CASE("what a file of ONNX tells is in the common form") {
  const auto m = import::onnx_format::model_in(
      "ir_version: 8 opset_import { version: 13 } graph {\n"
      "node { op_type: 'Loop' input: 'a' output: 'b' attribute { name: 'body' type: GRAPH g {\n"
      "  node { op_type: 'Add' input: 'i' input: 'outside' output: 'o' } } } }\n"
      "node { op_type: 'F' domain: 'ai.onnx' attribute { name: 'old' i: 3 }\n"
      "  attribute { name: 'empty' } attribute { name: 'type' type: TYPE_PROTO } }\n"
      "initializer { name: 'k' dims: 1 data_type: 1 float_data: 2 float_data: 3 }\n"
      "input { name: 'a' type { tensor_type { elem_type: 1 shape {\n"
      "  dim { dim_param: 'n' denotation: 'DATA_BATCH' } dim { dim_value: 4 } } } } }\n"
      "output { name: 'b' } }",
      "n.pbtxt", {}, budget{}.fields);
  using namespace import::hub;
  REQUIRE(m.graph);
  const auto& nodes = m.graph->nodes;
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].label() == "b");
  CHECK(std::get<subgraphs>(*nodes[0].attributes.at(0).value).reads ==
        std::vector<std::string>{"i", "outside"});
  CHECK(std::get<std::int64_t>(*nodes[1].attributes.at(0).value) == 3);
  const auto type = [&](std::size_t k) { return type_of(*nodes[1].attributes.at(k).value); };
  CHECK(type(0) == "INT");
  CHECK(type(1) == "UNDEFINED");
  CHECK(type(2) == "TYPE_PROTO");
  const auto& a = m.graph->inputs.at(0).type;
  REQUIRE(a);
  CHECK(a->shape == dims{-1, 4});
  CHECK(a->counts_pictures == true);
  CHECK_FALSE(m.graph->outputs.at(0).type);
  // Its values are looked at when they are asked for.
  CHECK(mentions(complaints([&] { (void)m.graph->constants.at(0).second.numbers(); }),
                 "it has 2 values instead of 1"));
}
