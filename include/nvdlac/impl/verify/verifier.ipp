// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/keeping_more.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verifier.hpp>

namespace nvdlac::verification {

namespace detail {

NVDLAC_IMPL std::vector<double> numbers_of(const net::any_tensor& t) {
  return std::visit([]<class T>(const net::tensor<T>& typed) {
    std::vector<double> numbers;
    for (const auto v : typed.values)
      if constexpr (quantised::is_real<T>) numbers.push_back(quantised::value_of(v));
      else numbers.push_back(static_cast<double>(v));
    return numbers;
  }, t);
}

NVDLAC_IMPL bool is_tied(const net::any_tensor& t) {
  const auto numbers = numbers_of(t);
  return std::ranges::count(numbers, *std::ranges::max_element(numbers)) > 1;
}

// Returns the elements of an output that a cube of so many elements holds.
NVDLAC_IMPL std::vector<float> elements_of(const net::file_tensor& form, std::size_t cube,
                                           const std::vector<float>& of_output) {
  std::vector<float> values;
  form.visit(cube, [&](std::size_t, std::size_t i) { values.push_back(of_output[i]); });
  return values;
}

NVDLAC_IMPL first_class class_of(const data::array& output) {
  const auto best = data::best(output, 1).front();
  const auto nan = std::ranges::find_if(output.values, [](float x) { return std::isnan(x); });
  const float value = nan == output.values.end() ? output.values[best] : *nan;
  return {best, value, std::ranges::count(output.values, value) > 1};
}

}  // namespace detail

NVDLAC_IMPL verifier::verifier(std::string network, float_network reference,
                               layer_comparison layers, const quantised::graph& integers,
                               std::vector<simulated> programs)
    : network_(std::move(network)), reference_(std::move(reference)),
      layers_(std::move(layers)), integers_(integers), programs_(std::move(programs)),
      outputs_(net::outputs_of_file(programs_.at(0).on->outputs())),
      detections_(detection_sets_of(integers, outputs_)) {
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    depends_on_order_ = depends_on_order_ || integers.precision(n) == hw::precision::fp16;
}

NVDLAC_IMPL report verifier::begin() const {
  report r{.network = network_, .keeps_more = quant::keeping_more(integers_)};
  for (const auto& o : outputs_) {
    r.outputs.push_back({std::string(o.form.name), {o.form.shape.begin(), o.form.shape.end()}});
    if (o.parts.size() > 1)
      for (const auto& p : o.parts)
        r.outputs.back().parts.push_back(programs_.at(0).on->outputs().at(p.tensor).name);
    for (auto n = read_by_softmax(o); n;) {
      r.outputs.back().before_softmax.push_back(integers_[*n].name);
      const auto& behind = integers_.inputs(*n);
      if (behind.empty()) break;
      n = behind[0];
    }
  }
  for (const auto& p : programs_) {
    r.programs.push_back({.configuration = p.configuration, .cycles = p.cycles,
                          .prediction = p.prediction, .runs_on = p.runs_on});
    r.programs.back().outputs.resize(outputs_.size());
  }
  return r;
}

NVDLAC_IMPL input_report verifier::run(std::string name, std::span<const net::float_tensor> floats,
                                       const std::vector<quantised::feed>& feeds,
                                       const extent& what, given_outputs* seen) const {
  const auto reference = reference_(floats);
  input_report r{.name = std::move(name), .expected = detail::class_of(reference.front())};
  const auto wanted = integers_.outputs();
  const auto before = read_by_softmax(outputs_.front());
  const bool compares = what.layers && layers_;
  std::vector<net::any_tensor> exact(wanted.size()), tensors(integers_.size());
  net::any_tensor read;
  std::map<quantised::graph::id, std::vector<float>> boxes;  // of which detections are selected
  for (const auto& s : detections_)
    if (s.boxes) boxes[*s.boxes];
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    if (p == 0 || depends_on_order_)
      quantised::evaluate_any_each(
          integers_, std::span<const quantised::feed>(feeds),
          [&](auto n, const net::any_tensor& values) {
            for (std::size_t i = 0; i < wanted.size(); ++i)
              if (wanted[i] == n) exact[i] = values;
            if (n == before) read = values;
            if (const auto found = boxes.find(n); found != boxes.end())
              found->second = quantised::real_of(values, integers_.scale(n), integers_.zero(n),
                                                 integers_.gain(n)).values;
            if (compares && p == 0) tensors[n] = values;
          },
          quantised::order_of(programs_[p].spec));
    if (compares && p == 0) r.layers = layers_(floats, tensors);
    answer given{.tied_before_softmax = before && detail::is_tied(read)};
    if (what.simulator)
      given.differs = first_difference(exact, programs_[p].on->infer_any(feeds));
    std::vector<data::array> all;
    for (const auto& o : outputs_)
      all.push_back(runtime::array_of(o, programs_[p].on->outputs(), exact));
    if (seen != nullptr && p == 0) *seen = {reference, all};
    given.outputs.resize(outputs_.size());
    for (const auto& s : detections_)
      given.outputs[s.outputs[0]].detections =
          s.align(reference, all, s.boxes ? boxes.at(*s.boxes) : std::vector<float>());
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const auto& real = all[o];
      auto& compared = given.outputs[o];
      compared.add(reference.at(o).values, real.values);
      if (outputs_[o].parts.size() > 1)
        for (const auto& part : outputs_[o].parts) {
          const auto cube = net::shape_of(exact.at(part.tensor)).size();
          compared.parts.emplace_back().add(
              detail::elements_of(part.form, cube, reference[o].values),
              detail::elements_of(part.form, cube, real.values));
        }
      if (o == 0) given.first = detail::class_of(real);
    }
    // The numbers of one tensor tell more than real ones, of which two may be rounded to one.
    if (const auto& parts = outputs_.front().parts; parts.size() == 1)
      given.first.tied = detail::is_tied(exact.at(parts[0].tensor));
    r.programs.push_back(std::move(given));
  }
  return r;
}

NVDLAC_IMPL std::optional<mismatch> verifier::compare(
    std::size_t p, const std::vector<quantised::feed>& feeds) const {
  return first_difference(
      quantised::evaluate_any(integers_, std::span<const quantised::feed>(feeds),
                              quantised::order_of(programs_.at(p).spec)),
      programs_.at(p).on->infer_any(feeds));
}

NVDLAC_IMPL std::optional<mismatch> verifier::first_difference(
    const std::vector<net::any_tensor>& exact, const std::vector<net::any_tensor>& found) const {
  if (exact == found) return std::nullopt;
  mismatch m;
  for (std::size_t o = 0; o < exact.size(); ++o) {
    if (o < found.size() && exact[o] == found[o]) continue;
    m.output = integers_[integers_.outputs()[o]].name;
    if (o >= found.size()) break;
    const auto is = detail::numbers_of(found[o]), wanted = detail::numbers_of(exact[o]);
    while (m.element < std::min(is.size(), wanted.size()) && is[m.element] == wanted[m.element])
      ++m.element;
    if (m.element < is.size()) m.found = is[m.element];
    if (m.element < wanted.size()) m.expected = wanted[m.element];
    break;
  }
  return m;
}

NVDLAC_IMPL std::optional<quantised::graph::id> verifier::read_by_softmax(
    const net::file_output& output) const {
  if (output.parts.size() != 1) return std::nullopt;
  const auto n = integers_.outputs().at(output.parts[0].tensor);
  if (!std::holds_alternative<quantised::softmax>(integers_[n].op)) return std::nullopt;
  return integers_.inputs(n)[0];
}

}  // namespace nvdlac::verification
