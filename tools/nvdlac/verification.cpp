// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/integer/evaluate.hpp>
#include <nvdlac/net/integer/numbers.hpp>
#include <nvdlac/quant/values.hpp>

#include "loadable_of.hpp"

namespace nvdlac::cli {
namespace {

// The outputs of the network as it was read, in the order of the program's: passes may change it.
std::vector<real_tensor> in_order(const net::graph& g, std::vector<real_tensor> values,
                                  const std::vector<sim::binding>& wanted) {
  const auto outputs = g.outputs();
  std::vector<real_tensor> result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::size_t from = i;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (g[outputs[k]].name == wanted[i].name) from = k;
    result.push_back(std::move(values.at(from)));
  }
  return result;
}

// Whether the largest value stands more than once.
bool is_tied(const net::any_tensor& t) {
  return std::visit([]<class T>(const net::tensor<T>& numbers) {
    std::vector<double> values;
    for (const auto v : numbers.values)
      if constexpr (net::integer::is_real<T>) values.push_back(net::integer::value_of(v));
      else values.push_back(static_cast<double>(v));
    return std::ranges::count(values, *std::ranges::max_element(values)) > 1;
  }, t);
}

}  // namespace

verification::verification(const preparation& from, const sim::settings& settings)
    : from_(from), errors_(from.network().graph, from.network().integers) {
  for (const auto* t : from.targets()) {
    const auto bytes = loadable_of(*t, t->build(from.network(), from.options()));
    machines_.push_back(t->simulate(sim::load(emit::read_loadable(bytes), t->spec()), settings));
  }
}

std::vector<net::float_tensor> verification::floats_of(const input_set& set) const {
  const auto wanted = from_.wanted();
  std::vector<net::float_tensor> tensors;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    tensors.push_back({wanted[i].shape, set.values[i].values});
  return tensors;
}

verification::result verification::run(const input_set& set, bool layers) {
  const auto floats = floats_of(set);
  result r{in_order(from_.original(), net::evaluate(from_.original(), std::span(floats)),
                    outputs()), {}};
  const auto& network = from_.network();
  const auto feeds = feeds_of(set, machines_.front()->inputs());
  const auto wanted = network.integers.outputs();
  std::vector<net::any_tensor> exact(wanted.size()), tensors(network.integers.size());
  const auto before = read_by_softmax(wanted.front());
  net::any_tensor classes;
  for (std::size_t t = 0; t < machines_.size(); ++t) {
    // Only sums of fp16 depend on the configuration.
    if (t == 0 || from_.options().precision.uses(hw::precision::fp16))
      net::integer::evaluate_any_each(
          network.integers, std::span<const net::integer::feed>(feeds),
          [&](auto n, const net::any_tensor& values) {
            for (std::size_t i = 0; i < wanted.size(); ++i)
              if (wanted[i] == n) exact[i] = values;
            if (n == before) classes = values;
            if (layers && t == 0) tensors[n] = values;
          },
          net::integer::order_of(from_.targets()[t]->spec()));
    if (layers && t == 0) compare_layers(floats, tensors);
    r.tied.push_back(is_tied(exact.front()));
    r.tied_before.push_back(before && is_tied(classes));
    const auto given = machines_[t]->infer(feeds);
    r.programs.emplace_back();
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] != exact.at(i))
        throw std::logic_error(text("the simulated ", from_.targets()[t]->name(),
                                    " differs from the exact integer network for ", set.name));
      r.programs.back().push_back(quant::real_of(given[i], outputs()[i].scale));
    }
  }
  return r;
}

void verification::compare_layers(std::span<const net::float_tensor> floats,
                                  const std::vector<net::any_tensor>& tensors) {
  errors_.observe(floats);
  errors_.add(floats, tensors);
}

std::optional<net::integer::graph::id> verification::read_by_softmax(
    net::integer::graph::id output) const {
  const auto& g = from_.network().integers;
  if (!std::holds_alternative<net::integer::softmax>(g[output].op)) return std::nullopt;
  return g.inputs(output)[0];
}

std::optional<quant::layer_error> verification::before_softmax(const std::string& output) const {
  const auto& g = from_.network().integers;
  for (const auto n : g.outputs()) {
    if (g[n].name != output || !std::holds_alternative<net::integer::softmax>(g[n].op)) continue;
    for (auto m = n; !g.inputs(m).empty();) {  // over layers that the float network does not have
      m = g.inputs(m)[0];
      for (const auto& e : errors_.results())
        if (e.name == g[m].name && e.signal > 0) return e;
    }
  }
  return std::nullopt;
}

bool verification::ends_with_softmax() const {
  return read_by_softmax(from_.network().integers.outputs().front()).has_value();
}

quant::layer_error verification::worst_layer() const {
  quant::layer_error worst;
  for (const auto& e : errors_.results())
    if (worst.name.empty() || e.snr_arising() < worst.snr_arising()) worst = e;
  return worst;
}

}  // namespace nvdlac::cli
