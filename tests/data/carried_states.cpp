// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/carried_states.hpp>

using namespace nvdlac;

namespace {

data::wanted_input input(const std::string& name, net::shape shape) { return {name, shape, {}}; }
net::file_output output(const std::string& name, std::vector<std::int32_t> shape) {
  return {.form = {.name = name, .shape = std::move(shape)}, .parts = {}};
}

const std::vector<data::wanted_input> inputs{input("s", {2, 1, 1}), input("x", {3, 1, 1})};
const std::vector<net::file_output> outputs{output("y", {1, 3}), output("s/next", {1, 2})};

std::string complaint(const std::vector<data::state_names>& names,
                      const std::vector<data::wanted_input>& in = inputs) {
  try {
    (void)data::carried_states(in, outputs, names);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool says(const std::string& all, const std::string& part) {
  return all.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("states go from run to run, the first of which begins with zeros") {
  data::carried_states states(inputs, outputs);
  CHECK(states.is_state(0));
  CHECK_FALSE(states.is_state(1));
  const auto given = states.given(inputs);
  REQUIRE(given.size() == 1);
  CHECK(given[0].name == "x");
  const data::input_set step{.name = "a", .values = {{.name = "a", .values = {1, 2, 3}}}};
  auto first = states.completed(step);
  REQUIRE(first.values.size() == 2);
  CHECK(first.values[0].values == std::vector<float>{0, 0});
  CHECK(first.values[1].values == std::vector<float>{1, 2, 3});
  states.take({{{1, 3}, {7, 8, 9}}, {{1, 2}, {4, 5}}});
  CHECK(states.completed(step).values[0].values == std::vector<float>{4, 5});
  states.begin();
  CHECK(states.completed(step).values[0].values == std::vector<float>{0, 0});
}

TEST_CASE("a state has the order of the input's elements") {
  auto turned = inputs;  // the file's element i stands at 1 - i
  turned[0].how.in_file = net::file_tensor{.name = "s", .shape = {1, 2, 2}};
  turned[0].shape = {2, 2, 1};
  turned[0].how.in_file->walk = {{2, 1}, {2, 2}};
  data::carried_states states(turned, {output("y", {1, 3}), output("s/next", {1, 2, 2})});
  states.take({{{1, 3}, {7, 8, 9}}, {{1, 2, 2}, {1, 2, 3, 4}}});
  CHECK(states.completed({.name = "a", .values = {{}}}).values[0].values ==
        turned[0].how.in_file->to_cube(std::span<const float>(std::vector<float>{1, 2, 3, 4})));
}

TEST_CASE("states of other names are told in pairs") {
  CHECK(data::state_names_in("h=h_out,c=c_out") ==
        std::vector<data::state_names>{{"h", "h_out"}, {"c", "c_out"}});
  for (const char* wrong : {"", "h", "=h", "h=", "h=i,", "h=i,,c=d"})
    CHECK_THROWS_AS((void)data::state_names_in(wrong), error);
  CHECK(complaint({{"s", "s/next"}}).empty());
  CHECK(complaint({{"x", "y"}}).empty());
  CHECK(says(complaint({{"h", "y"}}), "layer 'h': is no input of the network (its inputs are s, "));
  CHECK(says(complaint({{"x", "z"}}), "layer 'z': is no output of the network (its outputs are "));
  CHECK(says(complaint({{"x", "s/next"}}), "takes 3 values, but the output 's/next' gives 2"));
  CHECK(says(complaint({{"x", "y"}, {"x", "y"}}), "takes one state, and is given two"));
  CHECK(says(complaint({{"s", "s/next"}, {"x", "y"}}), "every input is a state"));
  CHECK(says(complaint({}, {input("x", {3, 1, 1})}), "no input has an output of its name"));
}
