// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/loaded_data_flow.hpp>

#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

using namespace nvdlac;

namespace {

layer::surface cube(std::int32_t buffer, std::uint64_t offset = 0, std::uint64_t size = 64) {
  return {.at = {buffer, offset}, .shape = {8, 1, static_cast<std::int32_t>(size / 8)},
          .line_stride = 64, .surface_stride = 64, .size = size};
}

// Buffers 0, input; 1 and 2, features; 3, output. Two convolutions with their SDP make a half of 1
// each, a pooling reads all of it, and SDP adds 1 to what that writes.
plan::program_data program() {
  plan::program_data p;
  p.network = "net";
  for (const auto& [name, memory, offset] :
       {std::tuple{"in", plan::memory::input, 0}, {"a", plan::memory::features, 0},
        {"b", plan::memory::features, 64}, {"out", plan::memory::output, 0}})
    p.buffers.push_back({.name = name, .memory = memory, .size = 64,
                         .offset = static_cast<std::uint64_t>(offset)});
  p.inputs.push_back({.name = "in", .surface = cube(0), .shape = {8, 1, 8}});
  p.outputs.push_back({.name = "out", .surface = cube(3), .shape = {8, 1, 8}});
  auto& operations = p.tasks.emplace_back().operations;
  const auto add = [&](label name, layer::any what) {
    operations.push_back({.layer = {std::move(name), std::move(what)}});
  };
  for (const std::uint64_t half : {0u, 1u}) {
    add(label("conv/x", half), layer::convolution{.input = cube(0), .output = {8, 1, 4}});
    add(label("conv/x", half, "/sdp"),
        layer::sdp{.input = cube(-1), .output = cube(1, 32 * half, 32)});
  }
  add("<pool>", layer::pdp{.input = cube(1), .output = cube(2)});
  layer::sdp sum{.input = cube(2), .output = cube(3)};
  sum.x1 = {.alu = true, .mode = layer::sdp_mode::per_point, .operands = cube(1)};
  add("sum@2", sum);
  return p;
}

}  // namespace

TEST_CASE("layers read what earlier layers wrote") {
  const auto p = program();
  const auto flow = report::data_flow_of(p, {"conv", "<pool>", "sum"});
  REQUIRE(flow.layers.size() == 6);
  CHECK(flow.boxes == std::vector<std::string>{"conv", "<pool>", "sum@2"});
  std::vector<std::size_t> stages, boxes;
  std::vector<std::string> layers;
  for (const auto& l : flow.layers) {
    stages.push_back(l.stage);
    boxes.push_back(l.box);
    layers.push_back(l.layer);
  }
  CHECK(stages == std::vector<std::size_t>{0, 0, 1, 1, 2, 3});
  CHECK(boxes == std::vector<std::size_t>{0, 0, 0, 0, 1, 2});
  CHECK(layers == std::vector<std::string>{"conv", "conv", "conv", "conv", "<pool>", "sum"});
  CHECK(flow.layers[0].inputs == std::vector<std::size_t>{0});
  CHECK(flow.layers[4].layers == std::vector<std::size_t>{1, 3});
  CHECK(flow.layers[5].layers == std::vector<std::size_t>{1, 3, 4});
  CHECK(flow.outputs == std::vector<std::vector<std::size_t>>{{5}});
  REQUIRE(flow.features.size() == 2);
  CHECK(flow.features[0].buffer == 1);
  CHECK(flow.features[0].first == 1);
  CHECK(flow.features[1].first == 4);
  CHECK(flow.features[1].last == 5);
}

TEST_CASE("the data flow in Graphviz's language joins the parts of a layer") {
  const auto p = program();
  std::vector<report::layer_row> rows;
  for (const auto& o : p.tasks[0].operations) rows.push_back(report::row_of(o.layer));
  const auto graph =
      report::data_flow_graph(p, report::data_flow_of(p, {"conv", "<pool>", "sum"}), rows);
  for (const char* const line :
       {"box0 [id=box0 class=\"CONV\" label=\"conv\\nCONV + SDP, 2 parts\"];",
        "input0 -> box0;", "box0 -> box1;", "box1 -> box2 [label=\"8x1x8\"];",
        "box2 -> output0 [label=\"8x1x8\"];", "label=\"<pool>\\nPDP\""}) {
    CAPTURE(line);
    CHECK(graph.find(line) != graph.npos);
  }
}

TEST_CASE("groups of names are frames, or boxes where they are folded") {
  auto p = program();
  auto& operations = p.tasks[0].operations;
  const std::vector<const char*> names{"/b/b.0/conv/x0", "/b/b.0/conv/x0/sdp", "/b/b.0/conv/x1",
                                       "/b/b.0/conv/x1/sdp", "/b/b.0/pool", "/b/sum"};
  for (std::size_t i = 0; i < names.size(); ++i) operations[i].layer.name = names[i];
  operations.push_back({.layer = {"/out", layer::sdp{.input = cube(3), .output = cube(3)}}});
  std::vector<report::layer_row> rows;
  for (const auto& o : operations) rows.push_back(report::row_of(o.layer));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].on_hardware.done = i == 6 ? 100 : 50;
  const auto flow =
      report::data_flow_of(p, {"/b/b.0/conv", "/b/b.0/pool", "/b/sum", "/out"});
  REQUIRE(flow.boxes.size() == 4);
  REQUIRE(flow.groups.groups.size() == 2);
  const auto has = [](const std::string& graph, const std::string& line) {
    CAPTURE(line);
    CHECK(graph.find(line) != graph.npos);
  };
  const auto all = report::data_flow_graph(p, flow, rows);
  for (const char* const line :
       {"subgraph cluster_0 {\n  id=group0; class=frame;", "label=\"/b\";", "label=\"b.0\";",
        "label=\"conv\\nCONV + SDP, 2 parts\"", "label=\"sum\\nSDP\"", "label=\"/out\\nSDP\""})
    has(all, line);
  const auto inner = report::folded_data_flow_graph(p, flow, rows, 1);
  has(inner, "fold1_group1 [id=fold1_group1 class=\"group\" "
             "label=\"b.0\\n2 layers, 62.5 % of the cycles\"];");  // 250 of 400
  has(inner, "label=\"sum\\nSDP\"");
  has(inner, "id=fold1_group0; class=frame;");
  has(inner, "fold1_group1 -> fold1_box2");
  const auto outer = report::folded_data_flow_graph(p, flow, rows, 0);
  has(outer, "label=\"/b\\n3 layers, 75.0 % of the cycles\"");
  CHECK(outer.find("subgraph") == outer.npos);
  has(outer, "fold0_input0 -> fold0_group0;");
  has(outer, "fold0_group0 -> fold0_box3");
}

TEST_CASE("passes of layers that are computed as one belong together") {
  auto p = program();
  for (auto& op : p.tasks[0].operations)
    if (std::string name(op.layer.name.view()); name.starts_with("conv/"))
      op.layer.name = label("conv+side", name.substr(4));
  const auto flow = report::data_flow_of(p, {"conv", "side", "<pool>", "sum"});
  CHECK(flow.layers[0].layer == "conv+side");
  CHECK(flow.boxes == std::vector<std::string>{"conv+side", "<pool>", "sum@2"});
  const auto unknown = report::data_flow_of(p, {"conv", "<pool>", "sum"});
  CHECK(unknown.layers[0].layer == "conv+side/x0");
}
