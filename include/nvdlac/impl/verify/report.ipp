// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/verify/comparison.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

NVDLAC_IMPL double input_report::largest_error() const {
  double most = 0;
  for (const auto& p : programs)
    for (const auto& o : p.outputs) {
      if (!o.known()) return o.largest_error();
      most = std::max(most, o.largest_error());
    }
  return most;
}

NVDLAC_IMPL bool report::bit_exact() const {
  return std::ranges::all_of(programs, &program_report::bit_exact);
}

NVDLAC_IMPL const program_report& report::program() const {
  if (programs.size() != 1) throw std::logic_error("the report is not of one program");
  return programs.front();
}

NVDLAC_IMPL const quant::layer_error* report::worst_layer() const {
  const auto costs = [](const quant::layer_error& l) {
    const double at_outputs = l.snr_at_outputs();
    return std::tuple(l.fixed_scale,
                      std::isnan(at_outputs) ? std::numeric_limits<double>::infinity() : at_outputs,
                      l.snr_arising());
  };
  const quant::layer_error* worst = nullptr;
  for (const auto& l : layers)
    if (l.known() && (worst == nullptr || costs(l) < costs(*worst))) worst = &l;
  return worst;
}

NVDLAC_IMPL std::vector<quant::layer_error> report::layers_worst_first() const {
  auto all = layers;
  const auto known =
      std::ranges::stable_partition(all, [](const auto& l) { return !l.known(); });
  std::ranges::stable_sort(known, {}, &quant::layer_error::snr_arising);
  return all;
}

NVDLAC_IMPL const quant::layer_error* report::before_softmax(std::size_t output) const {
  for (const auto& name : outputs.at(output).before_softmax)
    for (const auto& e : layers)
      if (e.name == name && (e.signal > 0 || !e.known())) return e.known() ? &e : nullptr;
  return nullptr;
}

NVDLAC_IMPL std::string report::not_finite(std::size_t program, std::size_t output,
                                           std::optional<std::size_t> part) const {
  const auto of = [&](const input_report& i) -> const comparison& {
    const auto& c = i.programs.at(program).outputs.at(output);
    return part ? c.parts.at(*part) : c;
  };
  const auto first = std::ranges::find_if_not(inputs, &comparison::known, of);
  if (first == inputs.end()) return {};
  const auto all = std::ranges::count_if(inputs, [&](const auto& i) { return !of(i).known(); });
  const auto& c = of(*first);
  const auto count = c.undefined > 0 ? c.undefined : c.lost;
  return text("of the ", count_of(c.count, "value"), " for ", first->name, ' ',
              c.undefined > 0 ? "the float network itself" : "the program", " computes ", count,
              count == 1 ? " that is no finite number" : " that are no finite numbers",
              all == 1 ? "" : text(", and such for ", count_of(all - 1, "input"), " more"));
}

NVDLAC_IMPL void report::add(input_report one) {
  for (std::size_t p = 0; p < programs.size(); ++p) {
    auto& all = programs[p];
    const auto& given = one.programs.at(p);
    for (std::size_t o = 0; o < all.outputs.size(); ++o) all.outputs[o].add(given.outputs.at(o));
    all.agreed +=
        given.first.is(one.expected.number) && one.expected.is(given.first.number) ? 1 : 0;
    all.right += one.label && given.first.is(*one.label) ? 1 : 0;
    all.tied += given.first.tied ? 1 : 0;
    all.tied_before_softmax += given.tied_before_softmax ? 1 : 0;
    all.inexact += given.differs ? 1 : 0;
  }
  float_right += one.label && one.expected.is(*one.label) ? 1 : 0;
  float_tied += one.expected.tied ? 1 : 0;
  if (!one.layers.empty()) {
    ++inputs_of_layers;
    if (layers.empty()) layers = std::move(one.layers);
    else
      for (std::size_t i = 0; i < one.layers.size(); ++i) layers.at(i).add(one.layers[i]);
    one.layers.clear();
  }
  inputs.push_back(std::move(one));
}

NVDLAC_IMPL void check_labels(std::span<const std::size_t> labels, const report& of,
                              const std::string& file) {
  std::size_t classes = 1;
  for (const auto d : of.outputs.at(0).shape) classes *= static_cast<std::size_t>(d);
  const auto wrong = std::ranges::find_if(labels, [&](std::size_t l) { return l >= classes; });
  if (wrong != labels.end())
    throw error({.file = file,
                 .reason = text("the label of input ", wrong - labels.begin() + 1, " is ", *wrong,
                                ", but the network has ", count_of(classes, "class", "classes")),
                 .remedy = "classes count from 0, in the order of the output's elements"});
}

}  // namespace nvdlac::verification
