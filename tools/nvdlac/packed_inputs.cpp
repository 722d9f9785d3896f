// SPDX-License-Identifier: Apache-2.0
#include "packed_inputs.hpp"

#include <cstddef>
#include <utility>

#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

json to_json(const verification::detection_counts& d) {
  return {d.matched, d.missed, d.extra, d.best_missed, d.best_extra, d.box_error, d.score_error,
          d.overlap, d.scored};
}
verification::detection_counts detections_of(const json& j) {
  return {.matched = j[0], .missed = j[1], .extra = j[2], .best_missed = j[3], .best_extra = j[4],
          .box_error = j[5], .score_error = j[6], .overlap = j[7], .scored = j[8]};
}

json to_json(const verification::comparison& c) {
  json parts = json::array();
  for (const auto& p : c.parts) parts.push_back(to_json(p));
  return {c.largest, c.sum, c.signal, c.noise, c.product, c.square, c.count, parts,
          c.undefined, c.lost, c.detections ? to_json(*c.detections) : json()};
}
verification::comparison comparison_of(const json& j) {
  verification::comparison c{.largest = j[0], .sum = j[1], .signal = j[2], .noise = j[3],
                             .product = j[4], .square = j[5], .count = j[6],
                             .undefined = j[8], .lost = j[9]};
  if (!j[10].is_null()) c.detections = detections_of(j[10]);
  for (const auto& p : j[7]) c.parts.push_back(comparison_of(p));
  return c;
}

json to_json(const verification::first_class& c) { return {c.number, c.value, c.tied}; }
verification::first_class class_of(const json& j) {
  return {.number = j[0], .value = j[1], .tied = j[2]};
}

json to_json(const verification::answer& a) {
  json outputs = json::array();
  for (const auto& o : a.outputs) outputs.push_back(to_json(o));
  return {to_json(a.first), a.tied_before_softmax, outputs};
}
verification::answer answer_of(const json& j) {
  verification::answer a{.first = class_of(j[0]), .tied_before_softmax = j[1]};
  for (const auto& o : j[2]) a.outputs.push_back(comparison_of(o));
  return a;
}

json to_json(const quant::layer_error& e) {
  json at_outputs = json::array();
  for (const auto& o : e.at_outputs) at_outputs.push_back(json::array({o.signal, o.error}));
  return {e.name, e.signal, e.error, e.arising, e.product, e.square, e.not_finite,
          e.at_its_scale, e.at_own_range, e.fixed_scale, at_outputs, e.is_input};
}
quant::layer_error layer_of(const json& j) {
  quant::layer_error e{.name = j[0], .signal = j[1], .error = j[2], .arising = j[3],
                       .product = j[4], .square = j[5], .not_finite = j[6],
                       .at_its_scale = j[7], .at_own_range = j[8], .fixed_scale = j[9],
                       .is_input = j[11]};
  for (const auto& o : j[10]) e.at_outputs.push_back({.signal = o[0], .error = o[1]});
  return e;
}

}  // namespace

std::string packed(const std::vector<verification::input_report>& all) {
  json list = json::array();
  for (const auto& i : all) {
    json programs = json::array(), layers = json::array();
    for (const auto& p : i.programs) programs.push_back(to_json(p));
    for (const auto& e : i.layers) layers.push_back(to_json(e));
    const json label = i.label ? json(*i.label) : json();
    list.push_back({i.number, i.name, to_json(i.expected), label, programs, layers});
  }
  std::string bytes;
  json::to_cbor(list, bytes);
  return bytes;
}

std::vector<verification::input_report> unpacked(const std::string& bytes) {
  std::vector<verification::input_report> all;
  for (const auto& j : json::from_cbor(bytes)) {
    verification::input_report i{.number = j[0], .name = j[1], .expected = class_of(j[2])};
    if (!j[3].is_null()) i.label = j[3].get<std::size_t>();
    for (const auto& p : j[4]) i.programs.push_back(answer_of(p));
    for (const auto& e : j[5]) i.layers.push_back(layer_of(e));
    all.push_back(std::move(i));
  }
  return all;
}

}  // namespace nvdlac::cli
