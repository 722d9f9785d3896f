// SPDX-License-Identifier: Apache-2.0
#pragma once
// Doubts that are no errors, but that the user should know before he trusts the numbers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/channel_means.hpp>
#include <nvdlac/quant/own_steps.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// Watches what calibration samples hold.
struct seen_inputs {
  std::size_t samples = 0;
  std::vector<bool> varies{};  // by input: whether one held more than a single value throughout
  std::vector<float> first{};
  std::vector<std::vector<float>> largest{};  // magnitudes, by input and by feature of a vector
  // The first ones as they are, so many and of so many values at most, but for the very first.
  static constexpr std::size_t most_kept = 32, most_values = std::size_t{1} << 22;
  std::vector<std::vector<net::float_tensor>> kept{};
  std::size_t kept_values = 0;

  void observe(std::span<const net::float_tensor> sample);
};

// Steps, of either sign: a number with fewer has fewer than 5 bits.
inline constexpr double fewest_steps = 16;

// The steps of a scale up to a magnitude, to which integers round it.
double steps_of(double reach, double scale);

// The size of a step in the precision, int8 or int16, of a calibrated tensor that reaches so far.
double step_in(hw::precision p, double range);

// How a layer, or one that is computed in this precision, keeps more bits.
std::string with_more_bits(hw::precision p, const std::string& layer);

// Tells of tensors that the file quantises to more bits than they are computed in; `remedy` says
// how they keep them.
std::vector<problem> narrowed_tensors(std::span<const quantised_tensor> of_file,
                                      const net::layer_precisions& p, std::string remedy);

// Tells of the scales of the file in whose place others stand, `by`, and of its bits.
std::vector<problem> replaced_scales(std::span<const quantised_tensor> of_file,
                                     const std::string& by, std::string remedy);

// Inputs whose calibration says little.
template <class Graph>
std::vector<problem> uniform_inputs(const Graph& g, const seen_inputs& seen) {
  std::vector<problem> found;
  const auto nodes = net::input_nodes(g);
  for (std::size_t i = 0; i < std::min(nodes.size(), seen.varies.size()); ++i)
    if (!seen.varies[i])
      found.push_back({.layer = g[nodes[i]].name,
                       .reason = text("every calibration input is a single value throughout (",
                                      seen.first[i], "): the scales of all layers are guesses"),
                       .remedy = "calibrate with inputs as the network will see them"});
  return found;
}

namespace detail {

// The outputs, as the file calls them, that depend on n: each once.
template <class Graph>
std::string outputs_behind(const Graph& g, typename Graph::id n) {
  std::vector<bool> reached(g.size(), false);
  reached[n] = true;
  std::set<std::string> named;  // several tensors may hold one output
  std::string names;
  for (const auto m : g.order()) {
    for (const auto i : g.inputs(m)) reached[m] = reached[m] || reached[i];
    if (!reached[m] || !g[m].output) continue;
    std::vector<std::string> of_tensor;
    for (const auto& form : g[m].in_file) of_tensor.emplace_back(form.name);
    if (of_tensor.empty()) of_tensor.push_back(g[m].name);
    for (const auto& name : of_tensor)
      if (named.insert(name).second) names += text(names.empty() ? "'" : ", '", name, '\'');
  }
  return names;
}

// Whether what reads the concat n feels how coarse the steps of one of its inputs are, as all but
// filters does: those to which the others are nearly all keep 25 dB.
template <class Graph>
bool is_felt(const Graph& g, typename Graph::id n, std::size_t input,
             const std::vector<double>& ranges, double step, const net::layer_precisions& p) {
  constexpr double most = 0.003;  // of the signal
  if (!std::holds_alternative<net::concat>(g[n].op) || !may_have_own_steps(g, n, p)) return true;
  std::vector<double> range, steps;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::int32_t c = 0; c < g[g.inputs(n)[i]].shape.c; ++c) {
      range.push_back(ranges[i]);
      steps.push_back(i == input ? step : 0);
    }
  const auto noise = noise_behind(g, n, range, steps);
  return noise.of_steps > most * static_cast<double>(noise.kernels);
}

}  // namespace detail

// Vectors of which so few were seen that features which differ have one scale. By chance alone one
// feature of a thousand is as small as those that are told.
template <class Graph>
std::vector<problem> features_of_one_scale(const Graph& g, const seen_inputs& seen,
                                           const net::layer_precisions& p) {
  std::vector<problem> found;
  const auto nodes = net::input_nodes(g);
  if (seen.samples == 0 || seen.samples >= channel_reach::least) return found;
  const double by_chance = std::pow(1e-3, 1.0 / static_cast<double>(seen.samples)) / 2;
  for (std::size_t i = 0; i < std::min(nodes.size(), seen.largest.size()); ++i) {
    const auto n = nodes[i];
    const auto readers = g.consumers(n);
    const bool may_differ = weights_read(g, n) || std::ranges::any_of(readers, [&](auto r) {
                              return std::holds_alternative<net::scale>(g[r].op);
                            });
    const auto precision = p(g[n].name);
    if (seen.largest[i].empty() || precision == hw::precision::fp16 || !may_differ) continue;
    const double top = double{std::ranges::max(seen.largest[i])};
    const auto is_coarse = [&](float x) {
      return x > 0 && double{x} < top * by_chance &&
             steps_of(double{x}, step_in(precision, top)) < fewest_steps;
    };
    const auto count = std::ranges::count_if(seen.largest[i], is_coarse);
    if (count == 0) continue;
    const auto first = std::ranges::find_if(seen.largest[i], is_coarse) - seen.largest[i].begin();
    found.push_back(
        {.layer = g[n].name,
         .reason = text(count, " of its ", seen.largest[i].size(), count == 1 ? " features has" :
                        " features have", " fewer than 5 bits, the first is ", first,
                        ", because ",
                        nvdlac::count_of(seen.samples, "calibration input does",
                                         "calibration inputs do"),
                        " not tell how far each reaches; which reaches ",
                        detail::outputs_behind(g, n)),
         .remedy = text("calibrate with ", channel_reach::least,
                        " inputs or more: then each feature has a scale of its own")});
  }
  return found;
}

namespace detail {

// The node that gives the numbers of n, before what only moves or selects them.
template <class Graph>
typename Graph::id giving(const Graph& g, typename Graph::id n) {
  while (!g.inputs(n).empty() && shared_factor(g, n)) n = g.inputs(n)[0];
  return n;
}

// Whether n is zeros, which any scale keeps.
template <class Graph>
bool is_zeros(const Graph& g, typename Graph::id n) {
  const auto* fixed = std::get_if<net::constant>(&g[giving(g, n)].op);
  return fixed != nullptr &&
         std::ranges::all_of(fixed->value.values, [](float x) { return x == 0; });
}

}  // namespace detail

// Tensors that a concat or a move joins with others at a scale that leaves them fewer than 5 bits,
// unless none but filters reads them and does not feel it, inputs of which single channels have so
// few, and outputs of which some, and softmaxes whose results have fewer than 4. Classes of a
// softmax that are seldom are small by what they mean, and parts of zeros lose nothing.
template <class Graph>
std::vector<problem> coarse_parts(const Graph& g, const scale_table& table,
                                  const quantised::graph& integers,
                                  const net::layer_precisions& p) {
  std::map<std::string, const scale_table::entry*> entries;
  for (const auto& e : table.entries) entries.emplace(e.layer, &e);
  std::map<std::string, const quantised::graph::node*> nodes;
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    nodes.emplace(integers[n].name, &integers[n]);
  std::vector<problem> found;
  const auto doubt = [&](typename Graph::id n, std::string reason) {
    found.push_back({.layer = g[n].name,
                     .reason = text(std::move(reason), ", which reaches ",
                                    detail::outputs_behind(g, n)),
                     .remedy = with_more_bits(p(g[n].name), g[n].name)});
    if (!joins(g, n)) return;
    std::string ends;
    for (const auto i : g.inputs(n))
      if (!g.inputs(i).empty()) ends += text(" --to ", g[i].name);
    if (!ends.empty()) found.back().remedy += ", or end before it:" + ends;
  };
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto node = nodes.find(g[n].name);
    const auto entry = entries.find(g[n].name);
    const auto precision = p(g[n].name);
    if (node == nodes.end() || precision == hw::precision::fp16) continue;
    const auto& numbers = *node->second;
    if (numbers.precision == hw::precision::fp16) continue;  // such as a softmax in int16
    if (entry != entries.end() && numbers.gain.empty()) {
      std::size_t coarse = 0, first = 0;
      const auto& reach = entry->second->reach;
      // An output has errors of its own already: with 8 steps it is some 20 dB above them.
      const bool is_input = g.inputs(n).empty();
      const double least = is_input ? fewest_steps : fewest_steps / 2;
      const bool classes = std::holds_alternative<net::softmax>(g[detail::giving(g, n)].op);
      for (std::size_t c = 0; !classes && c < reach.size(); ++c)
        if (steps_of(reach[c], numbers.scale) < least && coarse++ == 0) first = c;
      if (coarse != 0)
        doubt(n, text(coarse, coarse == 1 ? " of its channels has" : " of its channels have",
                      " fewer than ", is_input ? 5 : 4, " bits, the first is ", first));
    }
    if (entry != entries.end() && precision == hw::precision::int8 &&
        std::holds_alternative<net::softmax>(g[n].op)) {
      const double reach = entry->second->range.largest();
      if (const double steps = steps_of(reach, numbers.scale); steps < fewest_steps / 2)
        found.push_back(
            {.layer = g[n].name,
             .reason = text("its results reach ", reach, ", of which int8, whose 127 is 1, keeps ",
                            steps, " steps: fewer than 4 bits, which reaches ",
                            detail::outputs_behind(g, n)),
             .remedy = text("end before it and compute it outside: --to ",
                            g[g.inputs(n)[0]].name)});
    }
    if (!joins(g, n) || !numbers.gain.empty()) continue;
    const auto inputs = g.inputs(n);
    std::vector<double> ranges;
    for (const auto i : inputs) {
      const auto own = entries.find(g[i].name);
      ranges.push_back(own == entries.end() ? range_of_scale(numbers.scale)
                                            : own->second->range.largest());
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!entries.contains(g[inputs[i]].name) || detail::is_zeros(g, inputs[i])) continue;
      if (const double steps = steps_of(ranges[i], numbers.scale);
          steps < fewest_steps && detail::is_felt(g, n, i, ranges, numbers.scale, p))
        doubt(n, text("its part '", g[inputs[i]].name, "' is left with ", steps,
                      " of ", precision == hw::precision::int8 ? 127 : 32767,
                      " steps, fewer than 5 bits"));
    }
  }
  return found;
}

// Tensors in fp16 whose values the table knows to lie beyond its range.
template <class Graph>
std::vector<problem> beyond_fp16(const Graph& g, const scale_table& table,
                                 const net::layer_precisions& p) {
  std::map<std::string, double> ranges;
  for (const auto& e : table.entries) ranges[e.layer] = e.range.largest();
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto range = ranges.find(g[n].name);
    if (range == ranges.end() || p(g[n].name) != hw::precision::fp16) continue;
    if (const double reach = range->second; reach > 65504)
      found.push_back({.layer = g[n].name,
                       .reason = text("its values reach ", reach, ", and in fp16 those beyond "
                                      "65504 become 65504"),
                       .remedy = text("compute it in int16 or int8: --precision fp16,", g[n].name,
                                      "=int16; or scale the network's values")});
  }
  return found;
}

// Softmaxes of inputs so large that fp16 has steps of 1 or more between them, by which their
// results are off by whole factors. The runtime's softmax reads fp16 for int16, too.
template <class Graph>
std::vector<problem> coarse_softmaxes(const Graph& g, const scale_table& table,
                                      const net::layer_precisions& p) {
  constexpr double least_step = 1;
  constexpr int mantissa_bits = 10;
  std::map<std::string, double> ranges;
  for (const auto& e : table.entries) ranges[e.layer] = e.range.largest();
  const auto reads_fp16 = [&](typename Graph::id n) {
    const auto precision = p(g[n].name);
    if (std::holds_alternative<net::softmax>(g[n].op)) return precision != hw::precision::int8;
    const auto* host = std::get_if<net::on_host>(&g[n].op);
    return host != nullptr && precision == hw::precision::fp16 &&
           (host->call.layer == "softmax" || host->call.layer == "log_softmax");
  };
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    if (!reads_fp16(n)) continue;
    auto from = g.inputs(n)[0];
    double factor = 1;
    for (auto share = shared_factor(g, from); share && !ranges.contains(g[from].name);
         share = shared_factor(g, from)) {
      factor *= *share;
      from = g.inputs(from)[0];
    }
    const auto range = ranges.find(g[from].name);
    if (range == ranges.end()) continue;
    const double reach = range->second * factor;
    const double step = std::ldexp(1.0, std::ilogb(reach) - mantissa_bits);
    if (step >= least_step)
      found.push_back({.layer = g[n].name,
                       .reason = text("its inputs reach ", reach, ", where fp16 has steps of ",
                                      step, ": their differences, of which a softmax is made, are "
                                      "lost"),
                       .remedy = text("scale the network's values down, or end before it in int16 "
                                      "or int8 and compute it outside: --to ",
                                      g[g.inputs(n)[0]].name)});
  }
  return found;
}

// Weights of which fp16 leaves nothing.
template <class Graph>
std::vector<problem> vanishing_weights(const Graph& g, const quantised::graph& integers) {
  std::map<std::string, const quantised::convolution*> convolutions;
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    if (integers.precision(n) == hw::precision::fp16)
      if (const auto* c = integers.get_if<quantised::convolution>(n))
        if (!c->winograd) convolutions[integers[n].name] = c;
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto c = convolutions.find(g[n].name);
    if (c == convolutions.end()) continue;
    nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (requires { op.weights; }) {
        const auto some = std::ranges::count_if(op.weights, [](float w) { return w != 0; });
        const auto& halves = c->second->wide_weights;
        const auto left = std::count_if(halves.begin(), halves.end(),
                                        [](std::int16_t bits) { return (bits & 0x7fff) != 0; });
        if (left < some)
          found.push_back({.layer = g[n].name,
                           .reason = text(some - left, " of its ", op.weights.size(),
                                          " weights are so small that fp16 makes them 0"),
                           .remedy = text("compute it in int16 or int8: --precision fp16,",
                                          g[n].name, "=int16")});
      }
    }, g[n].op);
  }
  return found;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/doubts.ipp>
#endif
