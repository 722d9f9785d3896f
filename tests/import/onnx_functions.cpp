// SPDX-License-Identifier: Apache-2.0
// Functions that an ONNX model defines itself.
#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

// own_function("f", "a b", "y", nodes): one of the domain "mine".
std::string own_function(const std::string& name, const std::string& in, const std::string& out,
                     const std::string& body, int opset = 13) {
  const std::string call = node(name, in, out);  // which has the fields input and output, too
  return text("functions { domain: 'mine' name: '", name, "' opset_import { version: ", opset,
              " } opset_import { domain: 'mine' version: 1 } ",
              call.substr(call.find(" input: "), call.rfind('}') - call.find(" input: ")), body,
              " }\n");
}
std::string call(const std::string& type, const std::string& in, const std::string& out,
                 const std::string& attributes = {}) {
  return node(type, in, out, "domain: 'mine' " + attributes);
}
std::string own_attribute(const std::string& name, const std::string& of, const char* type) {
  return "attribute { name: '" + name + "' ref_attr_name: '" + of + "' type: " + type + " } ";
}
// x [1, 2, 1, 1] of ramp: 0.1, -0.2.
std::string with(const std::string& defined, const std::string& body, int opset = 13) {
  return x_to_y({1, 2, 1, 1}, body, opset) + "opset_import { domain: 'mine' version: 1 } " +
         defined;
}
std::vector<std::string> names(const net::graph& g) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < g.size(); ++i) all.push_back(g[i].name);
  return all;
}

const std::string leaky =
    own_function("Leaky", "a", "b", "attribute: 'slope' " +
                                    node("LeakyRelu", "a", "b",
                                         own_attribute("alpha", "slope", "FLOAT")));

}  // namespace

TEST_CASE("functions: calls become the nodes of their bodies") {
  const auto half = floats("half", {1}, {0.5F});
  const auto f = own_function("Mix", "a k", "s t",
                          node("Relu", "a", "r") + node("Mul", "r k", "s") + node("Neg", "a", "t"));
  const auto g = read(with(f, half + call("Mix", "x half", "p q") + call("Mix", "q half", "u") +
                                  node("Add", "p u", "y")));
  check_close(run(g), {0.05F, 0.1F});
  CHECK(names(g) == std::vector<std::string>{"x", "Mix_p q/Relu_r", "Mix_p q/Mul_s",
                                             "Mix_p q/Neg_t", "Mix_u/Relu_r", "Mix_u/Mul_s",
                                             "Add_y"});
  // Nodes and calls without names, and calls of one name.
  const auto bare = [](const std::string& type, const std::string& in, const std::string& out) {
    return "node { op_type: '" + type + "' domain: 'mine' input: '" + in + "' output: '" + out +
           "' name: 'same' }\n";
  };
  const auto twice = own_function("Two", "a", "b",
                              "node { op_type: 'Relu' input: 'a' output: 'r' }"
                              "node { op_type: 'Neg' input: 'r' output: 'b' }");
  CHECK(names(read(with(twice, bare("Two", "x", "m") + bare("Two", "m", "y")))) ==
        std::vector<std::string>{"x", "same/r", "m", "same_2/r", "y"});
  // A tensor of the model that is called like one of a body.
  CHECK(run(with(twice, node("Neg", "x", "same/r") + bare("Two", "same/r", "y"))) ==
        numbers{0, -0.2F});
}

TEST_CASE("functions: attributes by reference, with defaults and left out") {
  const auto y = [&](const std::string& defined, const std::string& attributes) {
    return run(with(defined, call("Leaky", "x", "y", attributes)))[1];
  };
  CHECK(y(leaky, number("slope", 0.5F)) == doctest::Approx(-0.1));
  CHECK(y(leaky, "") == doctest::Approx(-0.002));  // LeakyRelu's own
  const auto standard =
      own_function("Leaky", "a", "b", "attribute_proto { name: 'slope' type: FLOAT f: 0.25 } " +
                                      node("LeakyRelu", "a", "b",
                                           own_attribute("alpha", "slope", "FLOAT")));
  CHECK(y(standard, "") == doctest::Approx(-0.05));
  CHECK(y(standard, number("slope", 0.5F)) == doctest::Approx(-0.1));
  // Through two calls.
  const auto outer =
      own_function("Outer", "a", "b", "attribute: 'steep' " +
                                          call("Leaky", "a", "b",
                                               own_attribute("slope", "steep", "FLOAT")));
  CHECK(run(with(leaky + outer, call("Outer", "x", "y", number("steep", 0.5F))))[1] ==
        doctest::Approx(-0.1));
  CHECK(run(with(leaky + outer, call("Outer", "x", "y")))[1] == doctest::Approx(-0.002));
}

TEST_CASE("functions: optional inputs, outputs that are inputs, and their own opset") {
  const auto clip = own_function("Top", "a low high", "b", node("Clip", "a low high", "b"));
  CHECK(run(with(clip, floats("k", {}, {0}) + call("Top", "x k", "y"))) == numbers{0.1F, 0});
  CHECK(run(with(clip, floats("k", {}, {0}) + call("Top", "x - k", "y"))) == numbers{0, -0.2F});
  const auto both = own_function("Both", "a", "a r s",
                             node("Relu", "a", "r") + node("Identity", "r", "s"));
  CHECK(run(with(both, call("Both", "x", "p q s") + node("Sub", "p q", "y"))) ==
        numbers{0, -0.2F});
  // Clip of opset 6 has its bounds as attributes.
  const auto old = own_function("Old", "a", "b", node("Clip", "a", "b", number("min", 0)), 6);
  CHECK(run(with(old, call("Old", "x", "y"), 18)) == numbers{0.1F, 0});
  // An operator that is known needs no function.
  const auto known = "functions { domain: 'com.microsoft' name: 'QLinearAdd' }";
  CHECK(run(with(known, node("Relu", "x", "y"))) == numbers{0.1F, 0});
}

TEST_CASE("functions: what is wrong with them") {
  const auto bad = [](const std::string& defined, const std::string& body) {
    return refused(with(defined, body));
  };
  const auto f = [](const std::string& body) { return own_function("F", "a", "b", body); };
  const auto relu = node("Relu", "a", "b");
  CHECK(mentions(bad(f(call("F", "a", "b")), call("F", "x", "y")), "mine:F calls itself"));
  CHECK(mentions(bad(f(call("G", "a", "b")) + own_function("G", "a", "b", call("F", "a", "b")),
                     call("F", "x", "y")), "calls itself"));
  CHECK(mentions(bad(f(relu) + f(relu), call("F", "x", "y")), "defined twice"));
  CHECK(mentions(bad(f(relu), call("F", "x x", "y")), "it has 2 inputs, but the function mine:F"));
  CHECK(mentions(bad(f(relu), call("F", "x", "y z")), "it has 2 outputs, but the function mine:F"));
  CHECK(mentions(bad(f(relu), call("F", "x", "y", integer("k", 1))),
                 "layer 'F_y': attribute 'k' is none of the function mine:F"));
  CHECK(mentions(bad(f(node("Relu", "c", "b")), call("F", "x", "y")), "reads 'c'"));
  CHECK(mentions(bad(f(node("Relu", "a", "c")), call("F", "x", "y")), "gives its output 'b'"));
  CHECK(mentions(bad(f(relu + relu), call("F", "x", "y")), "gives 'b' twice"));
  CHECK(mentions(bad(f(node("LeakyRelu", "a", "b", own_attribute("alpha", "k", "FLOAT"))),
                     call("F", "x", "y")), "has no attribute 'k'"));
  CHECK(mentions(bad(f(node("Mystery", "a", "b")), call("F", "x", "y")),
                 "layer 'F_y/Mystery_b': the operator Mystery is not supported"));
  CHECK(mentions(bad(leaky, call("Leaky", "x", "y", integer("slope", 1))),
                 "'alpha' is of type INT instead of FLOAT"));
  CHECK(mentions(bad(own_function("F", "a", "b", relu, 99), call("F", "x", "y")), "opset 99"));
}

TEST_CASE("functions that double, or that lie within each other without end, are refused at once") {
  const auto chain = [](int depth, const char* each) {
    std::string all = own_function("F0", "a", "b", node("Neg", "a", "b"));
    for (int i = 1; i <= depth; ++i) {
      const auto inner = text("F", i - 1);
      all += own_function(text("F", i), "a", "b",
                      std::string(each) == "twice"
                          ? call(inner, "a", "c") + call(inner, "c", "b") : call(inner, "a", "b"));
    }
    return with(all, call(text("F", depth), "x", "y"));
  };
  CHECK(run(chain(5, "twice")) == numbers{0.1F, -0.2F});
  CHECK(run(chain(60, "once")) == numbers{-0.1F, 0.2F});
  CHECK(mentions(refused(chain(40, "twice")), "nodes or layers of a model, more than the limit"));
  CHECK(mentions(refused(chain(70, "once")), "more than 64 deep"));
  const std::string large = own_function("F", "a", "b",
                                     "node { op_type: 'Relu' input: 'a' output: 'b' doc_string: '" +
                                         std::string(1 << 16, 'd') + "' }");
  std::string calls;
  for (int i = 0; i < 20000; ++i) calls += call("F", "x", i == 0 ? "y" : text("y", i));
  CHECK(run(with(large, calls)) == numbers{0.1F, 0});  // what documents a body is not kept
  // Inputs that no node of a body reads are bound for each call, too.
  std::string wide;
  for (int i = 0; i < 100000; ++i) wide += text(" i", i);
  CHECK(mentions(refused(with(own_function("F", wide.substr(1), "b", node("Neg", "i0", "b")),
                              calls)),
                 "elements of all weights"));
  // A long attribute that many nodes of a body refer to is there once.
  std::string many = node("LeakyRelu", "a", "b", own_attribute("alpha", "k", "FLOAT"));
  for (int i = 0; i < 10000; ++i)
    many += node("LeakyRelu", "a", text("b", i), own_attribute("alpha", "k", "FLOAT"));
  CHECK(mentions(refused(with(own_function("F", "a", "b", "attribute: 'k' " + many),
                              call("F", "x", "y", word("k", std::string(1 << 17, 'k'))))),
                 "'alpha' is of type STRING instead of FLOAT"));
}
