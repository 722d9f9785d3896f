// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <variant>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

#include "loadable_of.hpp"
#include "progress.hpp"
#include "scheduling.hpp"
#include "traced_input.hpp"

namespace nvdlac::cli {
namespace {

// The outputs of the network as it was read.
std::vector<real_array> as_in_file(const graph& g,
                                   const std::vector<net::float_tensor>& values) {
  const auto nodes = g.outputs();
  std::vector<real_array> result;
  for (const auto& o : net::outputs_of_file(
           nodes.size(), [&](std::size_t i) -> const auto& { return g[nodes[i]]; }))
    result.push_back({{o.form.shape.begin(), o.form.shape.end()},
                      o.form.from_cube(std::span<const float>(values.at(o.tensor).values))});
  return result;
}

// Whether the largest value stands more than once.
bool is_tied(const net::any_tensor& t) {
  return std::visit([]<class T>(const net::tensor<T>& numbers) {
    std::vector<double> values;
    for (const auto v : numbers.values)
      if constexpr (quantised::is_real<T>) values.push_back(quantised::value_of(v));
      else values.push_back(static_cast<double>(v));
    return std::ranges::count(values, *std::ranges::max_element(values)) > 1;
  }, t);
}

}  // namespace

verification::verification(const preparation& from, const sim::settings& settings,
                           const prediction_options& conditions, bool report)
    : from_(from) {
  for (const auto* t : from.targets()) {
    progress_line line(text("compiling for ", t->name()), from.is_silent());
    auto given = conditions.on(*t);
    const auto program = build_scheduled(*t, from, given.memory, false, line).program;
    given.memory.weights_ahead = cost::kernels_ahead::none;  // of the loadable, which runs
    built b{.predicted = report::predict(program.tasks, t->spec(), given),
            .tasks = program.tasks.size(),
            .weights = program.weights_size,
            .features = program.features_size};
    for (const auto& r : report::rows_of(program.tasks, b.predicted.estimate.layers))
      ++b.layers, b.macs += r.macs;
    if (report) reports_.push_back(report_on(from, *t, program, b.predicted));
    const auto bytes = loadable_of(*t, program);
    b.loadable = bytes.size();
    programs_.push_back(std::move(b));
    machines_.push_back(t->simulate(runtime::load(emit::read_loadable(bytes), t->spec()), settings));
  }
  outputs_ = net::outputs_of_file(machines_.front()->outputs());
}

std::vector<net::float_tensor> verification::floats_of(const input_set& set) const {
  return data::tensors_of(input_set(set), from_.wanted());
}

verification::result verification::run(const input_set& set, const extent& what) const {
  const auto floats = floats_of(set);
  result r{as_in_file(from_.original(), net::evaluate(from_.original(), std::span(floats))), {}};
  const auto& network = from_.network();
  const auto feeds = runtime::feeds_of(set, machines_.front()->inputs());
  const auto wanted = network.integers.outputs();
  std::vector<net::any_tensor> exact(wanted.size()), tensors(network.integers.size());
  const auto before = read_by_softmax(outputs_.front());
  net::any_tensor classes;
  for (std::size_t t = 0; t < machines_.size(); ++t) {
    // Only sums of fp16 depend on the configuration.
    if (t == 0 || from_.options().precision.uses(hw::precision::fp16))
      quantised::evaluate_any_each(
          network.integers, std::span<const quantised::feed>(feeds),
          [&](auto n, const net::any_tensor& values) {
            for (std::size_t i = 0; i < wanted.size(); ++i)
              if (wanted[i] == n) exact[i] = values;
            if (n == before) classes = values;
            if (what.layers && t == 0) tensors[n] = values;
          },
          quantised::order_of(from_.targets()[t]->spec()));
    if (what.layers && t == 0) {
      quant::layer_errors<graph> errors(network.graph, network.integers);
      errors.add(floats, tensors);
      r.layers = errors.results();
    }
    r.tied.push_back(is_tied(exact.at(outputs_.front().tensor)));
    r.tied_before.push_back(before && is_tied(classes));
    if (what.simulator) require_equal(t, machines_[t]->infer(feeds), exact, set.name);
    r.programs.emplace_back();
    for (const auto& o : outputs_)
      r.programs.back().push_back(runtime::array_of(o, machines_[t]->outputs(), exact));
  }
  return r;
}

void verification::check_simulator() const {
  for (std::size_t t = 0; t < machines_.size(); ++t) {
    const auto feeds = traced_input(from_, *machines_[t]);
    const auto exact = quantised::evaluate_any(from_.network().integers,
                                               std::span<const quantised::feed>(feeds),
                                               quantised::order_of(from_.targets()[t]->spec()));
    require_equal(t, machines_[t]->infer(feeds), exact, "the input of a trace");
  }
}

void verification::require_equal(std::size_t target, const std::vector<net::any_tensor>& simulated,
                                 const std::vector<net::any_tensor>& exact,
                                 const std::string& input) const {
  if (simulated != exact)
    throw std::logic_error(text("the simulated ", from_.targets()[target]->name(),
                                " differs from the exact integer network for ", input));
}

void verification::count(const std::vector<quant::layer_error>& of_input) {
  if (errors_.empty()) {
    errors_ = of_input;
    return;
  }
  for (std::size_t i = 0; i < of_input.size(); ++i) errors_.at(i).add(of_input[i]);
}

std::optional<quantised::graph::id> verification::read_by_softmax(
    const net::file_output& output) const {
  const auto& g = from_.network().integers;
  const auto n = g.outputs().at(output.tensor);
  if (!std::holds_alternative<quantised::softmax>(g[n].op)) return std::nullopt;
  return g.inputs(n)[0];
}

std::optional<quant::layer_error> verification::before_softmax(
    const net::file_output& output) const {
  const auto& g = from_.network().integers;
  for (auto n = read_by_softmax(output); n;) {  // over layers that the float network does not have
    for (const auto& e : errors_)
      if (e.name == g[*n].name && e.signal > 0) return e;
    if (g.inputs(*n).empty()) break;
    n = g.inputs(*n)[0];
  }
  return std::nullopt;
}

bool verification::ends_with_softmax() const {
  return read_by_softmax(outputs_.front()).has_value();
}

quant::layer_error verification::worst_layer() const {
  quant::layer_error worst;
  for (const auto& e : errors_)
    if (worst.name.empty() || e.snr_arising() < worst.snr_arising()) worst = e;
  return worst;
}

}  // namespace nvdlac::cli
