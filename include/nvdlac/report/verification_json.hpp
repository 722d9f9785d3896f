// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of a verification in JSON. All are templates, so that the library of JSON costs only
// who asks for it.
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include <nvdlac/report/json.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::report {

// Adds how many of the values that were compared are no finite numbers, where there are any.
template <class Json>
void add_not_finite(Json& to, std::size_t values) {
  if (values != 0) to["not_finite"] = values;
}

// Adds how the detections of an output are matched, where it holds some.
template <class Json>
void add_detections(Json& to, const verification::comparison& c) {
  if (!c.detections) return;
  const auto& d = *c.detections;
  auto& j = to["detections"];
  j = {{"matched", d.matched}, {"missed", d.missed}, {"extra", d.extra}};
  if (d.matched != 0) j["least_overlap"] = d.overlap;
  if (!d.scored) return;
  j["best_missed_score"] = d.best_missed;
  j["best_extra_score"] = d.best_extra;
  j["largest_box_error"] = d.box_error;
  j["largest_score_error"] = d.score_error;
}

// The part that all programs share: the network, the float network's answers, the errors of layers.
// A signal to noise that is infinite is null, and so are all errors beside `not_finite`.
template <class Json = json>
Json network_to_json(const verification::report& r) {
  Json all{{"network", r.network}, {"inputs", r.inputs.size()}, {"float_tied", r.float_tied}};
  if (r.labelled) all["float_right"] = r.float_right;
  const auto* const worst = r.worst_layer();
  if (worst == nullptr) return all;
  const auto described = [](const quant::layer_error& e) {
    return Json{{"name", e.name},
                {"is_input", e.is_input},
                {"snr_of_its_own", e.snr_arising()},
                {"snr_at_outputs", e.snr_at_outputs()},
                {"snr", e.snr()}};
  };
  all["worst_layer"] = described(*worst);
  if (const auto* other = r.worst_layer(true)) all["worst_calibrated_layer"] = described(*other);
  all["inputs_of_layers"] = r.inputs_of_layers;
  all["layers"] = Json::array();
  for (const auto& l : r.layers) {
    all["layers"].push_back({{"name", l.name}, {"snr", l.snr()},
                             {"snr_of_its_own", l.snr_arising()}, {"cosine", l.cosine()},
                             {"lost_by_its_scale", l.lost()}, {"fixed_scale", l.fixed_scale}});
    add_not_finite(all["layers"].back(), l.not_finite);
  }
  return all;
}

// The answers of one program.
template <class Json = json>
Json program_to_json(const verification::report& r, std::size_t program) {
  const auto& p = r.programs.at(program);
  Json outputs = Json::array();
  for (std::size_t o = 0; o < p.outputs.size(); ++o) {
    const auto& c = p.outputs[o];
    outputs.push_back({{"name", r.outputs[o].name}, {"shape", r.outputs[o].shape},
                       {"largest_error", c.largest_error()},
                       {"mean_error", c.mean_error()},
                       {"snr", c.worst_snr()},
                       {"cosine", c.cosine()}});
    add_not_finite(outputs.back(), c.undefined + c.lost);
    add_detections(outputs.back(), c);
    if (!c.parts.empty()) outputs.back()["snr_of_all"] = c.snr();
    for (std::size_t i = 0; i < c.parts.size(); ++i) {
      outputs.back()["parts"].push_back({{"name", r.outputs[o].parts.at(i)},
                                         {"largest_error", c.parts[i].largest_error()},
                                         {"snr", c.parts[i].snr()},
                                         {"cosine", c.parts[i].cosine()}});
      add_not_finite(outputs.back()["parts"].back(), c.parts[i].undefined + c.parts[i].lost);
    }
    if (const auto* before = r.before_softmax(o))
      outputs.back()["cosine_before_softmax"] = before->cosine();
  }
  Json j{{"name", p.configuration}, {"outputs", std::move(outputs)},
         {"same_class", p.agreed}, {"tied", p.tied}, {"bit_exact", p.bit_exact()}};
  if (r.ends_with_softmax()) j["tied_before_softmax"] = p.tied_before_softmax;
  if (r.labelled) j["right"] = p.right;
  return j;
}

// A row for each input: the first classes of the float network and of one program, whether the
// program's run is exact, and how far the outputs of the two are apart.
template <class Json = json>
Json inputs_to_json(const verification::report& r, std::size_t program) {
  Json rows = Json::array();
  for (const auto& i : r.inputs) {
    const auto& a = i.programs.at(program);
    Json row{{"name", i.name}, {"float_class", i.expected.number}, {"class", a.first.number},
             {"tied", a.first.tied}, {"bit_exact", !a.differs}};
    if (a.differs)
      row["differs"] = {{"output", a.differs->output}, {"element", a.differs->element},
                        {"expected", a.differs->expected}, {"found", a.differs->found}};
    if (i.label) row["label"] = *i.label;
    row["outputs"] = Json::array();
    for (const auto& c : a.outputs) {
      row["outputs"].push_back({{"largest_error", c.largest_error()}, {"snr", c.worst_snr()},
                                {"cosine", c.cosine()}});
      add_not_finite(row["outputs"].back(), c.undefined + c.lost);
      add_detections(row["outputs"].back(), c);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The inputs whose class is not that of the float network or not the label, `wrong` in short, and
// how often which class was found for which: rows [expected, found, inputs]. Expected is the label,
// where there is one.
template <class Json = json>
Json confusion_to_json(const verification::report& r, std::size_t program) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  Json wrong = Json::array();
  for (const auto& i : r.inputs) {
    const auto found = i.programs.at(program).first.number;
    const auto expected = i.label.value_or(i.expected.number);
    ++counts[{expected, found}];
    if (found == expected && found == i.expected.number) continue;
    wrong.push_back({{"name", i.name}, {"float_class", i.expected.number}, {"class", found}});
    if (i.label) wrong.back()["label"] = *i.label;
  }
  Json all{{"expected", r.labelled ? "label" : "float"}, {"counts", Json::array()}};
  for (const auto& [classes, inputs] : counts)
    all["counts"].push_back({classes.first, classes.second, inputs});
  all["wrong"] = std::move(wrong);
  return all;
}

// All of it (docs/schema/verify.json), with what is predicted of each program, where that is given.
template <class Json = json>
Json to_json(const verification::report& r, std::span<const prediction> predicted = {}) {
  auto all = headed<Json>("verify");
  all.update(network_to_json<Json>(r));
  all["configs"] = Json::array();
  for (std::size_t p = 0; p < r.programs.size(); ++p) {
    all["configs"].push_back(program_to_json<Json>(r, p));
    all["configs"].back()["each"] = inputs_to_json<Json>(r, p);
    if (p < predicted.size())
      all["configs"].back()["prediction"] = to_json<Json>(predicted[p]);
  }
  return all;
}

}  // namespace nvdlac::report
