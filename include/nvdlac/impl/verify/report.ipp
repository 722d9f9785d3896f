// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
  for (const auto& p : programs)
    if (!p.bit_exact()) return false;
  return true;
}

NVDLAC_IMPL const program_report& report::program() const {
  if (programs.size() != 1) throw std::logic_error("the report is not of one program");
  return programs.front();
}

NVDLAC_IMPL const quant::layer_error* report::worst_layer(bool calibrated) const {
  const auto costs = [](const quant::layer_error& l) {
    const double at_outputs = l.snr_at_outputs();
    return std::tuple(std::isnan(at_outputs) ? std::numeric_limits<double>::infinity() : at_outputs,
                      l.fixed_scale, l.snr_arising());
  };
  const quant::layer_error* worst = nullptr;
  const auto look_at = [&](const quant::layer_error& l) {
    if (l.known() && (worst == nullptr || costs(l) < costs(*worst))) worst = &l;
  };
  for (const auto& l : layers)
    if (!calibrated || !l.fixed_scale) look_at(l);
  for (const auto& l : rounded_inputs)
    if (!calibrated && worst != nullptr && !l.at_outputs.empty()) look_at(l);
  return worst;
}

NVDLAC_IMPL const quant::layer_error* report::before_softmax(std::size_t output) const {
  for (const auto& name : outputs.at(output).before_softmax)
    for (const auto& e : layers)
      if (e.name == name && (e.signal > 0 || !e.known())) return e.known() ? &e : nullptr;
  return nullptr;
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
    const bool first = inputs_of_layers++ == 0;
    std::size_t at_layers = 0, at_inputs = 0;
    for (auto& l : one.layers) {
      auto& all_of_kind = l.is_input ? rounded_inputs : layers;
      auto& at = l.is_input ? at_inputs : at_layers;
      if (first) all_of_kind.push_back(std::move(l));
      else all_of_kind.at(at++).add(l);
    }
    one.layers.clear();
  }
  inputs.push_back(std::move(one));
}

}  // namespace nvdlac::verification
