// SPDX-License-Identifier: Apache-2.0
// Operators that are refused are told once each, with the part of the network that is left: whoever
// follows it has a network.
#include <sstream>

#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

// The options in a message, as a shell would take them.
import::part proposed(const std::string& message) {
  std::istringstream words(message);
  import::part wanted;
  for (std::string word; words >> word;) {
    if (word != "--from" && word != "--to" && word != "--shape") continue;
    std::string name;
    words >> name;
    while (name.ends_with(')') || name.ends_with(';')) name.pop_back();
    if (word != "--shape") {
      (word == "--to" ? wanted.to : wanted.from).push_back(name);
      continue;
    }
    auto& shape = wanted.shapes[name.substr(0, name.find('='))];
    std::istringstream numbers(name.substr(name.find('=') + 1));
    for (std::string n; std::getline(numbers, n, ',');) shape.push_back(std::stoll(n));
  }
  return wanted;
}
import::network part_by_proposal(const std::string& file) {
  const auto wanted = proposed(refused(file));
  CHECK(wanted.cuts());
  auto n = import::onnx_network_from(file, "net.onnx", {}, wanted);
  for (const auto& p : net::verify(n.graph)) FAIL_CHECK(to_string(p));
  return n;
}
std::vector<std::string> names_of_outputs(const import::network& n) {
  std::vector<std::string> all;
  for (const auto o : n.graph.outputs())
    for (const auto& form : n.graph[o].in_file) all.push_back(form.name);
  std::ranges::sort(all);
  return all;
}
std::string picture_weights(const std::string& name) {
  return floats(name, {2, 2, 1, 1}, {1, -1, 0.5F, 2});
}
using ends = std::vector<std::string>;

}  // namespace

TEST_CASE("a detector's post-processing is cut off where its heads end") {
  const auto file = x_to_y(
      {1, 2, 4, 4},
      picture_weights("w") + node("Conv", "x w", "c") + node("Relu", "c", "r") +
          node("Conv", "r w", "boxes") + node("Conv", "r w", "s") + node("Sigmoid", "s", "scores") +
          node("Shape", "r", "size") + node("Multinomial", "boxes scores", "n") +
          node("NonZero", "scores", "z") + node("Unique", "n size", "t i") +
          node("ScatterElements", "t z n", "d") + node("Multinomial", "d scores", "y"));
  const auto what = refused(file);
  CHECK(mentions(what, "the operator Multinomial is not supported (2 nodes) (read the part "
                       "before: --to Conv_boxes --to Sigmoid_scores; supported are those of "
                       "docs/formats.md)"));
  CHECK(mentions(what, "the operator ScatterElements is not supported (1 node)"));
  CHECK(mentions(what, "the operator Unique is not supported (1 node)"));
  CHECK(what.find("--to") == what.find("--to Conv_boxes"));
  CHECK(names_of_outputs(part_by_proposal(file)) == ends{"boxes", "scores"});
}

TEST_CASE("what is refused in front is cut off, and what stands behind is read") {
  const auto shapes = "value_info " + value_info("h", {1, 2, 4, 4}) + "value_info " +
                      value_info("m", {1, 2, 4, 4});
  const auto behind = picture_weights("w") + node("Bernoulli", "x", "h m") +
                      node("Add", "h m", "a") + node("Conv", "a w", "c") + node("Relu", "c", "y") +
                      shapes;
  CHECK(proposed(refused(x_to_y({1, 2, 4, 4}, behind))).from == ends{"h", "m"});
  CHECK(proposed(refused(x_to_y({1, 2, 4, 4}, behind))).to.empty());
  CHECK(net::input_nodes(part_by_proposal(x_to_y({1, 2, 4, 4}, behind)).graph).size() == 2);
}

TEST_CASE("between two refused operators the larger part is read") {
  const auto middle = picture_weights("w") + node("Relu", "x", "f") + node("EyeLike", "f", "g") +
                      node("Conv", "g w", "c") + node("Relu", "c", "r") + node("Unique", "r", "t") +
                      node("Neg", "t", "y") + "value_info " + value_info("g", {1, 2, 4, 4});
  const auto what = refused(x_to_y({1, 2, 4, 4}, middle));
  CHECK(mentions(what, "(read the part between: --from EyeLike_g --to Relu_r; "));
  CHECK(names_of_outputs(part_by_proposal(x_to_y({1, 2, 4, 4}, middle))) == ends{"r"});
}

TEST_CASE("a network all of whose outputs are constant is refused") {
  CHECK(mentions(refused(x_to_y({1, 2}, floats("k", {2}, {1, -1}) + node("Neg", "k", "y"))),
                 "layer 'y': this output is constant (no output depends on an input)"));
}

TEST_CASE("tokens that only look up vectors are the host's, others are left out") {
  const auto tables = floats("words", {3, 2}, {0, 1, 2, 3, 4, 5}) +
                      floats("kinds", {2, 2}, {0, 1, 2, 3}) +
                      node("Cast", "x", "l", integer("to", 7)) +
                      node("Gather", "words l", "w") + node("Gather", "kinds k", "t");
  const auto with = [&](const std::string& rest) {
    return model("input " + value_info("x", {1, 5}, 6) + "input " + value_info("k", {1, 5}, 7) +
                 "output " + value_info("y", {1}) + tables + node("Add", "w t", "y") + rest);
  };
  const auto n = import::onnx_network_from(
      with("output " + value_info("z", {1}) + node("Relu", "y", "r") + node("Neg", "r", "z")),
      "net.onnx");
  CHECK(net::input_nodes(n.graph).size() == 2);
  // Where the host is not allowed to, the vectors are given.
  const error refused_later({{.layer = "Gather_w"}, {.layer = "Gather_t"}});
  CHECK(import::cut_around(n.nodes, refused_later) ==
        "read the part behind: --from Gather_w --from Gather_t");
  // Whatever else reads the tokens needs them.
  const auto more = refused(with("output " + value_info("z", {1}) + node("Cast", "x", "z",
                                                                         integer("to", 1))));
  CHECK(mentions(more, "--from t --shape t=1,5,2"));
  CHECK(!mentions(more, "--from w"));
}

TEST_CASE("control flow is refused by name, with what its branches read") {
  const auto branch = [](const std::string& name, const std::string& type) {
    return "attribute { name: '" + name + "' type: GRAPH g { " + node(type, "r", name) +
           "output { name: '" + name + "' } } } ";
  };
  const auto file = x_to_y(
      {1, 2, 4, 4}, "initializer { name: 'k' data_type: 9 int32_data: 1 }" + picture_weights("w") +
                        node("Conv", "x w", "r") + node("Neg", "r", "s") +
                        node("If", "k", "i", branch("then_branch", "Relu") +
                                                 branch("else_branch", "Neg")) +
                        node("Scan", "s", "j") + node("Loop", "i j", "y"));
  const auto what = refused(file);
  for (const char* type : {"If", "Loop", "Scan"})
    CHECK_MESSAGE(mentions(what, text("the operator ", type, " is not supported (1 node)")), what);
  CHECK(names_of_outputs(part_by_proposal(file)) == ends{"r", "s"});
}

TEST_CASE("what has no part to be read is told without one") {
  using import::cut_around;
  using import::cut_node;
  CHECK(cut_around({}) == "");
  const cut_node refused_one{.outputs = {"a"}, .of_network = {true}, .refused = true};
  CHECK(cut_around({refused_one}) == "");
  // Nodes that the network does not need do not count.
  const cut_node dead{.outputs = {"b"}, .of_network = {false}};
  CHECK(cut_around({refused_one, dead}) == "");
  // More ends than a user would type.
  std::vector<cut_node> many(1, refused_one);
  for (std::size_t i = 1; i <= 17; ++i) {
    many.push_back({.outputs = {"c"}, .of_network = {false}});
    many[0].inputs.push_back({i, 0});
  }
  CHECK(cut_around(many) == "");
  many[0].inputs.pop_back();
  CHECK(mentions(cut_around(many), "read the part before: --to c --to c"));
}
