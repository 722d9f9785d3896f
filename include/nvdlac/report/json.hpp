// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of a compilation as JSON: what was compiled for what, scales, layers and memory.
// All are templates, so that the library of JSON costs only who asks for a report.
#include <string>
#include <string_view>

#include <nvdlac/base/types.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/report/cycles.hpp>
#include <nvdlac/report/json_text.hpp>
#include <nvdlac/report/layers.hpp>

namespace nvdlac::report {

namespace detail {

template <class Json>
Json of(net::shape s) { return Json::array({s.c, s.h, s.w}); }

template <class Json>
Json of(const plan::binding& b, bytes atom) {
  Json j{{"name", b.name}, {"shape", of<Json>(b.shape)}, {"scale", b.scale},
         {"precision", hw::name_of(b.surface.precision)}};
  for (const auto& t : b.in_file) j["in_file"].push_back(to_json<Json>(t));
  const auto& s = b.surface;
  j["memory"] = {{"bytes", s.size}, {"offset", s.at.offset}, {"cube", of<Json>(s.shape)},
                 {"line_stride", s.line_stride}};
  if (!b.pixels) {
    j["memory"]["surface_stride"] = s.surface_stride;
    j["memory"]["channels_of_an_atom"] = layer::lanes_of(atom, s.precision);
  }
  if (b.pixels) {
    j["pixels"] = {{"mean", b.pixels->mean},
                   {"scale", b.pixels->cvt.scale},
                   {"shift", b.pixels->cvt.shift}};
  }
  if (b.preprocessing)
    j["preprocessing"] = {{"mean", b.preprocessing->mean},
                          {"scale", b.preprocessing->scale},
                          {"order", net::to_string(b.preprocessing->order)}};
  return j;
}

// That of all nodes, if it is one.
inline const char* precision_of(const quantised::graph& g) {
  for (quantised::graph::id n = 1; n < g.size(); ++n)
    if (g.precision(n) != g.precision(0)) return "mixed";
  return g.size() == 0 ? "" : hw::name_of(g.precision(0));
}

template <class Json>
Json of(const layer_row& r) {
  return {{"name", r.name},          {"unit", r.unit},
          {"task", r.task},          {"operation", r.index},
          {"input", of<Json>(r.input)},    {"output", of<Json>(r.output)},
          {"macs", r.macs},          {"bytes_read", r.on_hardware.moved.read()},
          {"bytes_written", r.on_hardware.moved.written},
          {"cycles", to_json<Json>(r.on_hardware)}, {"what", r.detail}};
}

}  // namespace detail

// Shapes are [channels, height, width] but for those in the file; sizes are bytes.
template <class Json = json, class Graph>
Json to_json(const prepared<Graph>& network, const plan::program_data& program,
             std::string_view configuration, bytes atom, const prediction& predicted) {
  Json j{{"network", program.network},
         {"configuration", configuration},
         {"precision", detail::precision_of(network.integers)},
         {"inputs", Json::array()},
         {"outputs", Json::array()}};
  for (const auto& b : program.inputs) j["inputs"].push_back(detail::of<Json>(b, atom));
  for (const auto& b : program.outputs) j["outputs"].push_back(detail::of<Json>(b, atom));

  j["scales"] = {{"method", network.scales.method}, {"layers", Json::object()}};
  for (const auto& e : network.scales.entries) j["scales"]["layers"][e.layer] = e.scale;

  j["memory"] = {{"weights", program.weights_size},
                 {"features", program.features_size},
                 {"features_lower_bound", program.features_bound}};

  j["remarks"] = Json::array();
  for (const auto& r : program.remarks)
    j["remarks"].push_back({{"layer", r.layer.view()}, {"text", r.text.view()}});

  j["layers"] = Json::array();
  std::uint64_t macs = 0;
  for (const auto& r : rows_of(program.tasks, predicted.estimate.layers)) {
    j["layers"].push_back(detail::of<Json>(r));
    macs += r.macs;
  }
  const auto& totals = predicted.estimate.totals;
  j["totals"] = {{"layers", j["layers"].size()}, {"macs", macs}, {"bytes_read", totals.read},
                 {"bytes_written", totals.written}};
  j["prediction"] = to_json<Json>(predicted);
  return j;
}
template <hw::hardware Hw, class Json = json, class Graph>
Json to_json(const prepared<Graph>& network, const plan::program<Hw>& program) {
  return to_json<Json>(network, program, hw::name<Hw>(), Hw::spec.atom(),
                       predict(program.tasks, Hw::spec, {.memory = cost::memory_of(Hw::spec)}));
}

}  // namespace nvdlac::report
