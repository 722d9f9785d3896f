// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <limits>
#include <stdexcept>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/integer/evaluate.hpp>
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

}  // namespace

verification::verification(const preparation& from, const sim::settings& settings) : from_(from) {
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
  std::map<std::string, real_tensor> reference;  // of each layer
  if (layers)
    net::evaluate_each(network.graph, std::span(floats), [&](auto n, const net::float_tensor& t) {
      reference[network.graph[n].name] = t;
    });
  const auto feeds = feeds_of(set, machines_.front()->inputs());
  const auto wanted = network.integers.outputs();
  std::vector<net::any_tensor> exact(wanted.size());
  for (std::size_t t = 0; t < machines_.size(); ++t) {
    // Only sums of fp16 depend on the configuration.
    if (t == 0 || from_.options().precision.uses(hw::precision::fp16))
      net::integer::evaluate_any_each(
          network.integers, std::span<const net::integer::feed>(feeds),
          [&](auto n, const net::any_tensor& values) {
            for (std::size_t i = 0; i < wanted.size(); ++i)
              if (wanted[i] == n) exact[i] = values;
            const auto& node = network.integers[n];
            const auto found = reference.find(node.name);
            if (t == 0 && found != reference.end())
              compare_layer(node, values, found->second);
          },
          net::integer::order_of(from_.targets()[t]->spec()));
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

void verification::compare_layer(const net::integer::graph::node& node,
                                 const net::any_tensor& values, const real_tensor& reference) {
  const auto* in = std::get_if<net::integer::input>(&node.op);
  // Pixels have offsets and gains of their own, which the first convolution knows.
  if ((in && in->pixels) || reference.values.size() != net::shape_of(values).size()) return;
  layers_[node.name].add(reference.values, quant::real_of(values, node.scale, node.zero).values);
}

const comparison* verification::before_softmax(const std::string& output) const {
  const auto& g = from_.network().integers;
  for (const auto n : g.outputs()) {
    if (g[n].name != output || !std::holds_alternative<net::integer::softmax>(g[n].op)) continue;
    for (auto m = n; !g.inputs(m).empty();) {  // over layers that the float network does not have
      m = g.inputs(m)[0];
      const auto found = layers_.find(g[m].name);
      if (found != layers_.end()) return &found->second;
    }
  }
  return nullptr;
}

verification::layer verification::worst_layer() const {
  layer worst{"", std::numeric_limits<double>::infinity()};
  for (const auto& [name, c] : layers_)
    if (c.snr() < worst.snr || worst.name.empty()) worst = {name, c.snr()};
  return worst;
}

}  // namespace nvdlac::cli
