// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer and the float network side by side, layer by layer, for calibration samples.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// The exact filters of an integer network, by the names of the layers.
using known_filters = std::map<std::string, exact_filters>;

namespace detail {

// A layer of int8 filters whose turn has come.
struct filters_at_hand {
  const quantised::convolution& op;
  const std::string& layer;    // its name in the float network
  const exact_filters& exact;
  net::shape in, out;
  double scale;                // of what it gives
  const std::vector<double>& gain;              // of its channels; empty: 1
  const std::vector<net::float_tensor>& real;   // by sample: what it should give before its ReLU
  const std::vector<net::any_tensor>& read;     // by sample: what it reads
  const std::vector<net::any_tensor>* added;    // and adds to its sums, or nothing

  // The sum that kernel k should have at a position of a sample, its bias included.
  double wanted(std::size_t k, chosen_positions::sample_position at, std::size_t area) const {
    const std::size_t i = k * area + at.position;
    double sum = (double{real[at.sample].values[i]} + exact.offset[k]) / exact.step[k];
    if (added != nullptr)
      sum -= std::get<net::int8_tensor>((*added)[at.sample]).values[i] *
             std::ldexp(1.0 / op.multiplier[k], op.operand_shift + op.shift);
    return sum;
  }
};

// An operator of filters whose sums are what it gives without its ReLU.
template <class Op>
concept sums_before_relu = requires(Op o) {
  o.relu = false;
  o.weights;
};

// The float network and the integers that were made of it, of which layers with filters are chosen.
template <class Graph>
class side_by_side {
 public:
  using id = typename Graph::id;
  using integer_id = quantised::graph::id;
  using inputs = std::vector<std::vector<net::float_tensor>>;
  using feeds = std::vector<std::vector<quantised::feed>>;

  // takes(operator, exact filters): whether a layer is of interest.
  template <class Takes>
  side_by_side(const Graph& real, quantised::graph& integers, const known_filters& exact,
               std::size_t threads, Takes takes)
      : real_(real), integers_(integers), exact_(exact), threads_(threads),
        real_of_(integers.size()), wanted_(real.size(), false), targets_(real.size()),
        values_(real.size()), numbers_(integers.size()), order_(real.order()) {
    std::map<std::string, integer_id> named;
    for (integer_id n = 0; n < integers.size(); ++n) named[integers[n].name] = n;
    for (id n = 0; n < real.size(); ++n) {
      const auto filters = exact_.find(real[n].name);
      if (filters == exact_.end() || !has_sums(real[n].op)) continue;
      id last = n;  // what is an output is called like the layer that joined it last
      while (!named.contains(real[last].name) && real.consumers(last).size() == 1)
        last = real.consumers(last)[0];
      const auto found = named.find(real[last].name);
      if (found == named.end()) continue;
      const auto* c = integers.get_if<quantised::convolution>(found->second);
      if (c == nullptr || c->truncate != 0 || c->with_second != net::combination::sum ||
          c->weights.empty() || !takes(*c, filters->second))
        continue;
      real_of_[found->second] = n;
      wanted_[n] = true;
    }
    for (id n = 0; n < real.size(); ++n) readers_.push_back(real.consumers(n).size());
    for (integer_id n = 0; n < integers.size(); ++n)
      integer_readers_.push_back(integers.consumers(n).size());
  }

  // choose(filters at hand) gives the operator that is to be in its place, before what it gives is
  // computed; progress(done, all) is called after every layer.
  template <class Choose, class Progress>
  void run(const inputs& samples, const feeds& given, Choose choose, Progress progress) {
    const auto position = net::input_positions(integers_, given.at(0).size());
    std::size_t done = 0;
    for (const auto n : integers_.order()) {
      const auto in = integers_.inputs(n);
      if (const auto r = real_of_[n]) {
        while (targets_[*r].empty()) advance(samples);
        auto chosen = choose(filters_at_hand{
            .op = std::get<quantised::convolution>(integers_[n].op), .layer = real_[*r].name,
            .exact = exact_.at(real_[*r].name), .in = integers_[in[0]].shape,
            .out = integers_[n].shape, .scale = integers_[n].scale,
            .gain = integers_[n].gain, .real = targets_[*r],
            .read = numbers_[in[0]], .added = in.size() > 1 ? &numbers_[in[1]] : nullptr});
        std::get<quantised::convolution>(integers_[n].op) = std::move(chosen);
        targets_[*r] = {};
      }
      numbers_[n].resize(samples.size());
      for_all(samples.size(), threads_, [&](std::size_t s) {
        std::vector<const net::any_tensor*> read;
        for (const auto i : in) read.push_back(&numbers_[i][s]);
        const auto* feed = in.empty() && !given[s].empty() ? &given[s][position[n]] : nullptr;
        numbers_[n][s] = quantised::evaluate_node(integers_, n, read, feed);
      });
      for (const auto i : in)
        if (--integer_readers_[i] == 0) numbers_[i] = {};
      progress(++done, integers_.size());
    }
  }

 private:
  static bool has_sums(const auto& op) {
    return nvdlac::visit([]<class Op>(const Op&) { return sums_before_relu<Op>; }, op);
  }
  // The float tensors of the next node. Of filters that are of interest, their sums are kept.
  void advance(const inputs& samples) {
    const id n = order_.at(next_++);
    const auto in = real_.inputs(n);
    values_[n].resize(samples.size());
    const auto position = net::input_positions(real_, samples[0].size());
    const auto compute = [&](const auto& make) {
      for_all(samples.size(), threads_, [&](std::size_t s) {
        std::vector<const net::float_tensor*> read;
        for (const auto i : in) read.push_back(&values_[i][s]);
        values_[n][s] = make(s, std::span<const net::float_tensor* const>(read));
      });
    };
    nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (net::is_network_input<Op>)
        compute([&](std::size_t s, auto) { return samples[s][position[n]]; });
      else if constexpr (sums_before_relu<Op>) {
        auto linear = op;
        linear.relu = false;
        compute([&](std::size_t, auto read) { return linear.evaluate(read); });
        if (wanted_[n]) targets_[n] = values_[n];
        if (op.relu)
          for (auto& t : values_[n])
            for (float& x : t.values) x = std::max(x, 0.0F);
      } else compute([&](std::size_t, auto read) { return op.evaluate(read); });
    }, real_[n].op);
    for (const auto i : in)
      if (--readers_[i] == 0) values_[i] = {};
  }

  const Graph& real_;
  quantised::graph& integers_;
  const known_filters& exact_;
  std::size_t threads_;
  std::vector<std::optional<id>> real_of_;  // the filters of an integer node that are of interest
  std::vector<bool> wanted_;
  std::vector<std::vector<net::float_tensor>> targets_, values_;  // by node and sample
  std::vector<std::vector<net::any_tensor>> numbers_;
  std::vector<id> order_;
  std::size_t next_ = 0;  // of order_
  std::vector<std::size_t> readers_{}, integer_readers_{};  // still to come
};

}  // namespace detail

}  // namespace nvdlac::quant
