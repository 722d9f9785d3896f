// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of a compilation as JSON: what was compiled for what, scales, layers and memory.
// All are templates, so that the library of JSON costs only who asks for a report.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/prepared.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/report/conversions.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/distributions.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/name_groups.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/repeated_reads.hpp>

namespace nvdlac::report {

namespace detail {

template <class Json>
Json of(const plan::binding& b, bytes atom) {
  Json j{{"name", b.name}, {"shape", to_json<Json>(b.shape)}, {"scale", b.scale},
         {"precision", hw::name_of(b.surface.precision)}};
  if (!b.gain.empty()) j["gain"] = b.gain;
  for (const auto& t : b.in_file) j["in_file"].push_back(to_json<Json>(t));
  const auto s = b.seen();
  j["memory"] = {{"bytes", s.size}, {"offset", s.at.offset}, {"cube", to_json<Json>(s.shape)},
                 {"line_stride", s.line_stride}};
  if (s.transposed) j["memory"]["transposed"] = true;
  if (!s.is_interleaved()) {
    j["memory"]["surface_stride"] = s.surface_stride;
    j["memory"]["channels_of_an_atom"] = layer::lanes_of(atom, s.precision);
  }
  if (b.pixels) {
    j["pixels"] = {{"mean", b.pixels->mean},
                   {"scale", b.pixels->cvt.scale},
                   {"shift", b.pixels->cvt.shift}};
  }
  if (b.preprocessing) j["preprocessing"] = to_json<Json>(*b.preprocessing);
  return j;
}

// That of all nodes, if it is one.
const char* precision_of(const quantised::graph& g);

template <class Json>
Json of(const layer_row& r, const data_flow::node& from) {
  return {{"name", r.name},          {"unit", r.unit},
          {"task", r.task},          {"operation", r.index},
          {"layer", from.layer},     {"box", from.box},
          {"stage", from.stage},     {"reads_layers", from.layers},
          {"reads_inputs", from.inputs},
          {"input", to_json<Json>(r.input)},    {"output", to_json<Json>(r.output)},
          {"macs", r.macs},          {"bytes_read", r.on_hardware.moved.read()},
          {"bytes_of_weights", r.on_hardware.moved.weights},
          {"bytes_written", r.on_hardware.moved.written},
          {"cycles", to_json<Json>(r.on_hardware)}, {"what", r.detail}};
}

// The groups of the network's names, with the cycles of what is in each.
template <class Json>
Json groups_of(const data_flow& flow, const std::vector<layer_row>& rows) {
  std::vector<std::uint64_t> cycles(flow.groups.groups.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (auto g = flow.groups.of[flow.layers[i].box]; g != name_groups::none;
         g = flow.groups.groups[g].parent)
      cycles[g] += rows[i].on_hardware.own();
  Json all = Json::array();
  for (const auto& g : flow.groups.groups) {
    all.push_back({{"name", g.name}, {"cycles", cycles[all.size()]}});
    if (g.parent != name_groups::none) all.back()["parent"] = g.parent;
  }
  return all;
}

template <class Json>
Json of(const conversion& c) {
  Json j{{"layer", c.layer}, {"from", Json::array()}, {"to", to_json<Json>(c.to)},
         {"layers", c.layers}, {"cycles", c.cycles}, {"why", c.why}};
  for (const auto& s : c.from)
    j["from"].push_back({{"layer", s.name}, {"shape", to_json<Json>(s.shape)}});
  return j;
}

template <class Json>
Json of(const repeated_read& r) {
  Json j{{"buffer", r.buffer}, {"weights", r.weights}, {"bytes", r.once}, {"read", r.read},
         {"readers", Json::array()}};
  for (const auto& own : r.readers) {
    j["readers"].push_back({{"layer", own.layer}, {"bytes", own.bytes}});
    if (!own.why.empty()) j["readers"].back()["why"] = own.why;
  }
  return j;
}

// The most that its layers can reach: MACs of int8, and bytes of reads or of writes, in a cycle.
template <class Json>
Json of(const hw::spec& s, const conditions& c) {
  return {{"macs_per_cycle", std::uint64_t{s.mac_atomic_c} * s.mac_atomic_k},
          {"bytes_per_cycle", cost::bus(s, c.memory).width()},
          {"cbuf", s.cbuf().n},
          {"has_cvsram", s.has_sram()}};
}

// The buffers of the feature pool with their places, and the layers at both ends of their lives.
template <class Json>
Json buffers_of(const plan::program_data& p, const data_flow& flow) {
  Json all = Json::array();
  for (const auto& l : flow.features) {
    const auto& b = p.buffers[l.buffer];
    all.push_back({{"name", b.name}, {"bytes", b.size}, {"offset", b.offset},
                   {"first_layer", l.first}, {"last_layer", l.last}});
    if (b.cvsram) all.back()["cvsram"] = true;
  }
  return all;
}

}  // namespace detail

// The names of all layers in front of and behind quantisation.
template <class Graph>
layer_names layers_of(const prepared<Graph>& network) {
  layer_names names;
  for (std::size_t n = 0; n < network.graph.size(); ++n) names.insert(network.graph[n].name);
  for (std::size_t n = 0; n < network.integers.size(); ++n) names.insert(network.integers[n].name);
  return names;
}

// Shapes are [channels, height, width] but for those in the file; sizes are bytes. Layers are named
// by their index in "layers", inputs by theirs in "inputs".
template <class Json = json, class Graph>
Json to_json(const prepared<Graph>& network, const plan::program_data& program,
             std::string_view configuration, const hw::spec& hardware,
             const prediction& predicted) {
  const auto flow = data_flow_of(program, layers_of(network));
  auto j = headed<Json>("report");
  j.update(Json{{"network", program.network},
                {"configuration", configuration},
                {"hardware", detail::of<Json>(hardware, predicted.given)},
                {"precision", detail::precision_of(network.integers)},
                {"inputs", Json::array()},
                {"outputs", Json::array()}});
  for (const auto& b : program.inputs)
    j["inputs"].push_back(detail::of<Json>(b, hardware.atom()));
  for (const auto& b : program.outputs) {
    const auto& writers = flow.outputs[j["outputs"].size()];
    j["outputs"].push_back(detail::of<Json>(b, hardware.atom()));
    j["outputs"].back()["written_by"] = writers;
  }

  // The real values that NVDLA's integers stand for, and the table that led to that: ranges / 127.
  j["scales"] = {{"method", network.scales.method}, {"layers", Json::object()},
                 {"table", Json::object()}};
  const auto& g = network.integers;
  for (const auto n : g.order())
    j["scales"]["layers"][g[n].name] = {{"scale", g[n].scale}, {"zero", g[n].zero}};
  for (const auto& e : network.scales.entries) j["scales"]["table"][e.layer] = e.range.step();

  j["memory"] = {{"weights", program.weights_size},
                 {"features", program.features_size},
                 {"features_lower_bound", program.features_bound},
                 {"buffers", detail::buffers_of<Json>(program, flow)}};
  if (const auto& c = program.cvsram; c.limit != 0)
    j["memory"]["cvsram"] = {{"limit", c.limit}, {"bytes", c.size}, {"weights", c.weights},
                             {"lower_bound", c.bound}};

  j["remarks"] = Json::array();
  for (const auto& r : program.remarks)
    j["remarks"].push_back({{"layer", r.layer.view()}, {"text", r.text.view()}});

  const auto rows = rows_of(program.tasks, predicted.estimate.layers);
  j["conversions"] = Json::array();
  for (const auto& c : conversions_of(g, rows, flow, hardware.atom()))
    j["conversions"].push_back(detail::of<Json>(c));

  j["layers"] = Json::array();
  std::uint64_t macs = 0;
  for (const auto& r : rows) {
    const auto& from = flow.layers[j["layers"].size()];
    j["layers"].push_back(detail::of<Json>(r, from));
    if (const auto group = flow.groups.of[from.box]; group != name_groups::none)
      j["layers"].back()["group"] = group;
    macs += r.macs;
  }
  j["groups"] = detail::groups_of<Json>(flow, rows);
  const auto& totals = predicted.estimate.totals;
  j["totals"] = {{"layers", j["layers"].size()}, {"macs", macs}, {"bytes_read", totals.read},
                 {"bytes_written", totals.written}};
  const auto reads = read_bytes_of(program, flow, hardware.atom());
  j["reads"] = {{"bytes", reads.once}, {"read", reads.read}, {"repeated", Json::array()}};
  for (const auto& r : reads.repeated) j["reads"]["repeated"].push_back(detail::of<Json>(r));
  j["prediction"] = to_json<Json>(predicted);
  j["weights"] = weight_ranges<Json>(network.graph);
  return j;
}
template <hw::hardware Hw, class Json = json, class Graph>
Json to_json(const prepared<Graph>& network, const plan::program<Hw>& program) {
  return to_json<Json>(network, program, hw::name<Hw>(), Hw::spec,
                       predict(program.tasks, Hw::spec, {.memory = cost::memory_of(Hw::spec)}));
}

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/compilation.ipp>
#endif
