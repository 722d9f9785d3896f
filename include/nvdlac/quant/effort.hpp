// SPDX-License-Identifier: Apache-2.0
#pragma once
// Choices by the outputs of the integer network, which cost more than a calibration.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/equalise.hpp>
#include <nvdlac/quant/evaluate_samples.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The samples of a calibration by which an effort chooses, and those that it holds back to judge
// what it has chosen: every fourth, of fewer than four the last one. A single one is both.
struct divided_samples {
  sample_stream chosen_by{}, held_back{};
};
divided_samples divided(const sample_stream& samples);

// Some of the samples with what the float network gives for them, by which the outputs of integers
// are judged. A softmax is judged by what it reads as well, since probabilities of few samples that
// are uncertain outweigh all others.
class output_judge {
 public:
  static constexpr std::size_t most_samples = 32;  // evenly chosen

  template <class Graph>
  output_judge(const Graph& real, const sample_stream& samples,
               std::optional<net::preprocessing> how, std::size_t threads)
      : threads_(threads), how_(std::move(how)) {
    spread_over(samples, most_samples).each([&](const auto& s) { given_.push_back(s); });
    const auto outputs = real.outputs();
    auto nodes = outputs;
    for (auto& n : nodes)
      nvdlac::visit([&]<class Op>(const Op&) {
        if constexpr (std::is_same_v<Op, net::softmax>) n = real.inputs(n)[0];
      }, real[n].op);
    for (std::size_t k = 0; k < nodes.size(); ++k) reads_softmax_.push_back(nodes[k] != outputs[k]);
    wanted_.resize(given_.size(), std::vector<net::float_tensor>(nodes.size()));
    read_ = wanted_;
    for_all(given_.size(), threads_, [&](std::size_t i) {
      net::evaluate_each(real, std::span<const net::float_tensor>(given_[i]),
                         [&](auto n, const net::float_tensor& t) {
                           for (std::size_t k = 0; k < nodes.size(); ++k) {
                             if (outputs[k] == n) wanted_[i][k] = t;
                             if (reads_softmax_[k] && nodes[k] == n) read_[i][k] = t;
                           }
                         });
    });
  }

  std::size_t samples() const { return given_.size(); }

  // The squared errors of outputs as parts of their squares, then those of what a softmax reads.
  std::vector<double> errors(const quantised::graph& integers) const;
  // Their sum: for every second sample, and for the others.
  std::array<double, 2> halves(const quantised::graph& integers) const;
  // Their sum for all samples.
  double error(const quantised::graph& integers) const;

 private:
  struct squares {
    double error = 0, all = 0;
  };

  // By sample and output.
  std::vector<std::vector<squares>> squares_of(const quantised::graph& integers) const;

  std::size_t threads_;
  std::optional<net::preprocessing> how_;
  std::vector<sample_stream::sample> given_{};
  std::vector<std::vector<net::float_tensor>> wanted_{};  // by sample and output
  std::vector<std::vector<net::float_tensor>> read_{};    // by the softmax that an output is
  std::vector<bool> reads_softmax_{};                     // by output
};

// The remedy where samples tell too little.
inline constexpr const char* more_samples =
    "calibrate with more samples, of all kinds that the network will see";

// Whether no output has a larger error after than before, and all have a tenth less on average:
// less is chance, and as likely a loss for other samples.
bool is_clearly_better(const std::vector<double>& before, const std::vector<double>& after);

// The outputs that have larger errors after than before, and the errors as the reason.
std::vector<problem> worse_outputs(const quantised::graph& integers,
                                   const std::vector<double>& before,
                                   const std::vector<double>& after);

// Brings the channels of a network that has its scales to one range, as far as that makes its
// outputs clearly better. `calibrate(n)` sets the scales of another and gives what its observers
// counted, which is returned where there are factors; `quantise(n)` gives its integers,
// progress(samples done, all) is told.
template <class Network, class Calibrate, class Quantise, class Progress>
auto equalise(Network& n, const sample_stream& samples, const output_judge& judge,
              const net::layer_precisions& precision, std::size_t threads,
              const Calibrate& calibrate, const Quantise& quantise, const Progress& progress) {
  std::optional<decltype(calibrate(n))> counted;
  equaliser channels(n.graph, precision);
  if (channels.empty()) return counted;
  evaluate_samples(n.graph, samples, threads,
                   [&](auto node, const net::float_tensor& t, std::size_t) {
                     channels.observe(node, t);
                   },
                   progress);
  channels.settle(threads);
  // Less is nothing for other inputs, and weights that are chosen by what they do gain as much.
  constexpr double worth = 2.0 / 3;
  double least = worth * judge.error(quantise(n));
  auto best = n;
  for (const double part : {0.5, 1.0}) try {
      auto tried = n;
      channels.run(tried.graph, part);
      auto seen = calibrate(tried);
      tried.scales.equalised = true;
      if (const double found = judge.error(quantise(tried)); found < least) {
        best = std::move(tried);
        least = found;
        counted = std::move(seen);
      }
    } catch (const nvdlac::error&) {
      // Scales that do not go together: it stays as it was.
    }
  n = std::move(best);
  return counted;
}

// Scales of n that make the outputs better: each in turn is tried smaller and larger, and stays so
// where that helps half of the samples by 0.1 % and does not harm the other half. progress(done,
// all) is called for each scale.
template <class Network, class Quantise, class Progress>
void choose_scales(Network& n, const output_judge& judge, const net::layer_precisions& precision,
                   const Quantise& quantise, const Progress& progress) {
  constexpr double worth = 0.999;
  const auto whole = detail::compared(n.graph);
  std::set<std::string> kept;
  for (typename decltype(n.graph)::id i = 0; i < n.graph.size(); ++i)
    if (whole[i] || n.graph.inputs(i).empty() || shared_factor(n.graph, i) ||
        precision(n.graph[i].name) != hw::precision::int8)
      kept.insert(n.graph[i].name);
  auto least = judge.halves(quantise(n));
  std::size_t done = 0;
  for (auto& e : n.scales.entries) {
    const auto before = e.range;
    for (const double by : {0.8, 1.25}) {
      if (kept.contains(e.layer)) break;
      const auto taken = std::exchange(e.range, before.times(by));
      std::array<double, 2> found = least;
      try {
        found = judge.halves(quantise(n));
      } catch (const error&) {
        // No scale for this layer.
      }
      if (found[0] < worth * least[0] && found[1] <= least[1]) least = found;
      else e.range = taken;
    }
    progress(++done, n.scales.entries.size());
  }
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/effort.ipp>
#endif
