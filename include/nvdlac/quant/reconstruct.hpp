// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer weights and biases by what they do to a layer's sums on calibration samples.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// The exact filters of an integer network, by the names of the layers.
using known_filters = std::map<std::string, exact_filters>;

namespace detail {

// The filters of one group of a layer: what they read, and for each what its sums should be.
class group_of_filters {
 public:
  // How far real weights may leave the exact ones: the less, the larger. Those are tried.
  static constexpr double ridges[]{10, 1, 0.1, 0.01};
  // Samples are divided, and real weights leave the exact ones, only where the layer has so few.
  static constexpr std::size_t most_fitted = 1024;

  group_of_filters(input_rows rows, std::size_t threads);

  bool is_definite() const;
  std::size_t rows() const { return rows_.rows(); }

  // The sums that a filter should have: at each row, counted from their mean. What is beyond
  // the limits saturates.
  struct target {
    std::vector<double> sums{};
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
  };

  // The integers of a filter whose exact weights are these; `q` are those that are nearest to them,
  // which stay where others that two thirds of the samples choose are no better for the last third.
  void choose(std::span<const double> exact, const target& t, std::span<std::int8_t> q) const;
  // The mean of the sums of these weights.
  double mean_sum(std::span<const std::int8_t> q) const {
    return dot(q.data(), means_.data(), q.size());
  }
  // The squared error of their sums, without that of their mean and of what saturates.
  template <class Weights>
  double squared_error(const Weights& weights, const target& t) const {
    return error_from(weights, t, means_, 0, 0);
  }

 private:
  static constexpr std::size_t damping = 2;  // of the ridges, for rounding
  // How much better other weights must be for samples that have not been seen.
  static constexpr double worth = 0.98;
  // Where the samples are too many numbers to be divided: positions for each weight, of which fewer
  // tell nothing of others.
  static constexpr std::size_t least_rows = 2;

  template <class Weights>
  double error_from(const Weights& weights, const target& t, std::span<const double> means,
                    double mean, std::size_t begin) const {
    const auto sums = rows_.sums(weights, means, begin, rows());
    double error = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double off = std::clamp(sums[i] + mean, t.low, t.high) -
                         std::clamp(t.sums[begin + i], t.low, t.high);
      error += off * off;
    }
    return error;
  }
  static std::vector<double> moved(std::span<const double> exact, const input_rows& rows,
                                   const square_matrix& products, std::span<const double> sums,
                                   const error_of_sums& fit);
  // Real weights that make up for the errors of what is read, where that holds as well for the last
  // third of the samples when the others have chosen them; the exact ones elsewhere. Nothing where
  // even those, rounded by what the others show, are no better for that third than `nearest`.
  std::optional<std::vector<double>> fitted(std::span<const double> exact, const target& t,
                                            const std::vector<bool>& kept,
                                            std::span<const std::int8_t> nearest) const;

  input_rows rows_, train_;
  std::vector<double> means_;
  square_matrix products_, train_products_{0};
  error_of_sums rounding_;
  std::vector<error_of_sums> trials_{}, fits_{};
};

// The integer and the float network side by side, layer by layer, for all samples.
template <class Graph>
class reconstruction {
 public:
  using id = typename Graph::id;
  using integer_id = quantised::graph::id;
  using inputs = std::vector<std::vector<net::float_tensor>>;
  using feeds = std::vector<std::vector<quantised::feed>>;

  reconstruction(const Graph& real, quantised::graph& integers, const known_filters& exact,
                 std::size_t threads)
      : real_(real), integers_(integers), exact_(exact), threads_(threads),
        real_of_(integers.size()), wanted_(real.size(), false), targets_(real.size()),
        values_(real.size()), numbers_(integers.size()), order_(real.order()) {
    std::map<std::string, integer_id> named;
    for (integer_id n = 0; n < integers.size(); ++n) named[integers[n].name] = n;
    for (id n = 0; n < real.size(); ++n) {
      if (!exact_.contains(real[n].name)) continue;
      id last = n;  // what is an output is called like the layer that joined it last
      while (!named.contains(real[last].name) && real.consumers(last).size() == 1)
        last = real.consumers(last)[0];
      const auto found = named.find(real[last].name);
      if (found == named.end() || !is_chosen(n, found->second)) continue;
      real_of_[found->second] = n;
      wanted_[n] = true;
    }
    for (id n = 0; n < real.size(); ++n) readers_.push_back(real.consumers(n).size());
    for (integer_id n = 0; n < integers.size(); ++n)
      integer_readers_.push_back(integers.consumers(n).size());
  }

  template <class Told>
  void run(const inputs& samples, const feeds& given, Told told) {
    samples_ = samples.size();
    const auto position = net::input_positions(integers_, given.at(0).size());
    std::size_t done = 0;
    for (const auto n : integers_.order()) {
      if (const auto r = real_of_[n]) {
        while (targets_[*r].empty()) advance(samples);
        choose(n, *r);
        targets_[*r] = {};
      }
      const auto in = integers_.inputs(n);
      numbers_[n].resize(samples.size());
      for_all(samples.size(), threads_, [&](std::size_t s) {
        std::vector<const net::any_tensor*> read;
        for (const auto i : in) read.push_back(&numbers_[i][s]);
        const auto* feed = in.empty() && !given[s].empty() ? &given[s][position[n]] : nullptr;
        numbers_[n][s] = quantised::evaluate_node(integers_, n, read, feed);
      });
      for (const auto i : in)
        if (--integer_readers_[i] == 0) numbers_[i] = {};
      told(++done, integers_.size());
    }
  }

 private:
  // Whether the filters of real node r are those of integer node n, and can be chosen.
  bool is_chosen(id r, integer_id n) const {
    const auto* c = integers_.get_if<quantised::convolution>(n);
    if (c == nullptr || c->truncate != 0 || c->with_second != net::combination::sum) return false;
    constexpr std::size_t most_taps = 4608;  // whose products fill 170 MB
    return c->weights.size() == exact_.at(real_[r].name).weights.size() &&
           c->weights.size() <= most_taps * static_cast<std::size_t>(c->kernels);
  }
  // The float tensors of the next node. Of filters that are chosen, their sums are kept.
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
      else if constexpr (requires(Op o) { o.relu = false, o.weights; }) {
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

  void choose(integer_id n, id r) {
    const auto& op = std::get<quantised::convolution>(integers_[n].op);
    const net::shape in = integers_[integers_.inputs(n)[0]].shape, out = integers_[n].shape;
    const auto groups = static_cast<std::size_t>(op.groups);
    const auto kernels = static_cast<std::size_t>(op.kernels), of_group = kernels / groups;
    const std::size_t taps = op.weights.size() / kernels;
    const auto at = positions(taps, out);
    auto chosen = op;
    const auto weights = chosen.weights.changeable();
    const auto bias = chosen.bias.changeable();
    const std::size_t within = groups > 1 ? 1 : threads_;
    for_all(groups, groups > 1 ? threads_ : 1, [&](std::size_t g) {
      const group_of_filters filters(
          input_rows::gather(op, g, numbers_[integers_.inputs(n)[0]], in, out, at, within),
          within);
      if (!filters.is_definite()) return;
      for_all(of_group, within, [&](std::size_t i) {
        const std::size_t k = g * of_group + i;
        choose(n, r, k, filters, at, weights.subspan(k * taps, taps), bias[k]);
      });
    });
    std::get<quantised::convolution>(integers_[n].op) = std::move(chosen);
  }
  // The weights and the bias of kernel k. The bias stays as it is where it is beyond 16 bits.
  void choose(integer_id n, id r, std::size_t k, const group_of_filters& filters,
              const chosen_positions& at, std::span<std::int8_t> q, std::int16_t& bias) const {
    const auto& op = std::get<quantised::convolution>(integers_[n].op);
    const auto& exact = exact_.at(real_[r].name);
    double mean = 0;
    const auto target = target_of(n, r, k, at, mean);
    std::vector<double> w(q.size());
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = double{exact.weights[k * w.size() + i]};
    std::vector<std::int8_t> chosen(q.begin(), q.end());
    filters.choose(w, target, chosen);
    const double b = std::ldexp(mean - filters.mean_sum(chosen), -op.bias_shift);
    if (!(std::fabs(b) <= 32767)) return;
    std::ranges::copy(chosen, q.begin());
    bias = round16(b);
  }
  // The sums that kernel k should have, from their mean on.
  group_of_filters::target target_of(integer_id n, id r, std::size_t k, const chosen_positions& at,
                                     double& mean) const {
    const auto& op = std::get<quantised::convolution>(integers_[n].op);
    const auto& exact = exact_.at(real_[r].name);
    const auto in = integers_.inputs(n);
    const double step = exact.step[k];
    const double of_operand = std::ldexp(1.0 / op.multiplier[k], op.operand_shift + op.shift);
    group_of_filters::target t{.sums = std::vector<double>(at.count)};
    for (std::size_t row = 0; row < at.count; ++row) {
      const auto [s, position] = at[row];
      const std::size_t i = k * at.area + position;
      t.sums[row] = (double{targets_[r][s].values[i]} + exact.offset) / step;
      if (in.size() > 1)
        t.sums[row] -= std::get<net::int8_tensor>(numbers_[in[1]][s]).values[i] * of_operand;
      mean += t.sums[row];
    }
    mean /= static_cast<double>(at.count);
    for (double& x : t.sums) x -= mean;
    if (in.size() > 1 || !op.slope.empty()) return t;
    const double unit = integers_[n].scale / step;
    const auto low = op.low != quantised::no_low ? std::max<int>(op.low, -128) : op.relu ? 0 : -128;
    t.low = low * unit - mean;
    t.high = std::min<int>(op.high, 127) * unit - mean;
    return t;
  }
  // At least 32 for each weight of a filter, if the samples have them and memory does.
  chosen_positions positions(std::size_t taps, net::shape out) const {
    constexpr std::size_t least = 16384, for_each_tap = 32, most_values = std::size_t{1} << 26;
    chosen_positions at{.area = net::shape{1, out.h, out.w}.size()};
    at.all = at.area * samples_;
    at.count = std::min({at.all, std::max(least, for_each_tap * taps), most_values / taps});
    return at;
  }

  const Graph& real_;
  quantised::graph& integers_;
  const known_filters& exact_;
  std::size_t threads_, samples_ = 0;
  std::vector<std::optional<id>> real_of_;  // the filters of an integer node that are chosen
  std::vector<bool> wanted_;
  std::vector<std::vector<net::float_tensor>> targets_, values_;  // by node and sample
  std::vector<std::vector<net::any_tensor>> numbers_;
  std::vector<id> order_;
  std::size_t next_ = 0;  // of order_
  std::vector<std::size_t> readers_{}, integer_readers_{};  // still to come
};

}  // namespace detail

// Samples whose float tensors fill about a GiB at once.
template <class Graph>
std::size_t most_samples(const Graph& g) {
  std::size_t largest = 1;
  for (typename Graph::id n = 0; n < g.size(); ++n) largest = std::max(largest, g[n].shape.size());
  return std::max<std::size_t>(8, (std::size_t{1} << 28) / (3 * largest));
}

// Chooses the weights and biases of the int8 layers of `integers` anew, which `quantise` made of
// `real` and whose exact filters are given: layer by layer, so that the sums of each are nearest to
// those of the float network when it reads what the integer layers before it give. Shifts,
// multipliers and scales stay. Layers with more than 4608 weights a filter, transformed ones in
// Winograd's mode, and weights of 0, stay as they are. `given` are the feeds of the integer network
// for `samples`. told(done, all) is called after every layer. The result does not depend on
// `threads`.
template <class Graph, class Told>
void reconstruct(const Graph& real, quantised::graph& integers, const known_filters& exact,
                 const std::vector<std::vector<net::float_tensor>>& samples,
                 const std::vector<std::vector<quantised::feed>>& given, std::size_t threads,
                 Told told) {
  if (samples.empty()) return;
  detail::reconstruction<Graph>(real, integers, exact, threads).run(samples, given, told);
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/reconstruct.ipp>
#endif
