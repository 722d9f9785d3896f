// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the error of an integer network arises: each layer's values beside what the float network
// has there, and beside what the float layer makes of the integers that the layer itself reads.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/zero_points.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// Where the error of an integer network arises: each layer's values beside what the float network
// has there, and beside what the float layer makes of the integers that the layer itself reads.

// Whether SDP may compute it behind the layer that it reads, whose integers are then called like
// it.
template <class Operator>
bool may_stand_behind(const Operator& op) {
  return std::holds_alternative<net::relu>(op) || std::holds_alternative<net::clip>(op) ||
         std::holds_alternative<net::prelu>(op);
}

// Compares a network behind its passes with its integers, input by input. Both must outlive it.
template <class Graph>
class layer_errors {
 public:
  using id = typename Graph::id;

  layer_errors(const Graph& real, const quantised::graph& integers)
      : real_(real), integers_(integers), ranges_(real.size(), 0), found_(real.size()) {
    std::map<std::string, quantised::graph::id> named;
    for (quantised::graph::id n = 0; n < integers.size(); ++n) named[integers[n].name] = n;
    integer_of_.resize(real.size());
    for (id n = 0; n < real.size(); ++n) {
      found_[n].name = real[n].name;
      found_[n].is_input = real.inputs(n).empty();
      const auto i = named.find(real[n].name);
      if (i == named.end()) continue;
      const auto* in = std::get_if<quantised::input>(&integers[i->second].op);
      if (in != nullptr && in->pixels) continue;  // they have offsets and gains of their own
      const auto of = standing_for(n, named);
      integer_of_[of] = i->second;
      found_[of].fixed_scale = std::holds_alternative<quantised::softmax>(integers[i->second].op);
    }
  }

  // The largest values of the float network, which `at_own_range` counts with.
  void observe(std::span<const net::float_tensor> inputs) {
    net::evaluate_each(real_, inputs, [&](id n, const net::float_tensor& t) {
      for (const float x : t.values) ranges_[n] = std::max(ranges_[n], std::fabs(double{x}));
    });
  }
  // The tensors of the integer network, by node, for these inputs. It can ask as well what the
  // errors of layers become `at_outputs`, of the largest first, as far as there is time.
  void add(std::span<const net::float_tensor> inputs, const std::vector<net::any_tensor>& tensors,
           bool at_outputs = false) {
    std::vector<net::float_tensor> reference(real_.size()), held(real_.size());
    std::vector<own_error> own;
    net::evaluate_each(real_, inputs,
                       [&](id n, const net::float_tensor& t) { reference[n] = t; });
    for (const id n : real_.order()) {
      const auto expected = computed(n, reference, held);
      const auto i = integer_of_[n];
      if (!i || net::shape_of(tensors[*i]).size() != expected.values.size()) {
        held[n] = expected;
        continue;
      }
      const auto& node = integers_[*i];
      held[n] = quantised::real_of(tensors[*i], node.scale, node.zero, node.gain);
      held[n].shape = expected.shape;
      count(n, node, reference[n].values, expected.values, held[n].values);
      if (at_outputs)
        own.push_back(error_of(n, reference[n], expected, held[n]));
    }
    follow(std::move(own), reference);
  }
  // The errors of the layers that have integers of their own, in the network's order.
  std::vector<layer_error> results() const {
    auto all = results_and_inputs();
    std::erase_if(all, &layer_error::is_input);
    return all;
  }
  // The errors of these and of the inputs, but for those of pixels.
  std::vector<layer_error> results_and_inputs() const {
    std::vector<layer_error> result;
    for (const id n : real_.order())
      if (integer_of_[n]) result.push_back(found_[n]);
    return result;
  }

 private:
  // The node whose values the integers have that are called like n: a clipping or a slope that
  // joined it has none of its own.
  template <class Names>
  id standing_for(id n, const Names& named) const {
    while (!real_[n].output && real_.consumers(n).size() == 1) {
      const id next = real_.consumers(n)[0];
      if (named.contains(real_[next].name) || !may_stand_behind(real_[next].op)) break;
      n = next;
    }
    return n;
  }
  // A layer's tensor with its own error alone, which has so much of its signal.
  struct own_error {
    id layer{};
    double part = 0;
    net::float_tensor tensor{};
  };
  own_error error_of(id n, const net::float_tensor& reference, const net::float_tensor& expected,
                     const net::float_tensor& held) const {
    own_error e{.layer = n, .tensor = reference};
    double signal = 0, error = 0;
    for (std::size_t i = 0; i < e.tensor.values.size(); ++i) {
      const float off = held.values[i] - expected.values[i];
      if (!std::isfinite(off) || !std::isfinite(e.tensor.values[i])) continue;
      signal += double{e.tensor.values[i]} * double{e.tensor.values[i]};
      error += double{off} * double{off};
      e.tensor.values[i] += off;
    }
    e.part = signal > 0 ? error / signal : error;
    return e;
  }
  // The multiplications of the float network, and a few for each value.
  double work() const {
    double all = 1;
    for (id n = 0; n < real_.size(); ++n) {
      const auto& s = real_[n].shape;
      all += 8 * static_cast<double>(s.size());
      nvdlac::visit([&](const auto& op) {
        if constexpr (requires { op.weights.size(); })
          all += static_cast<double>(op.weights.size()) *
                 static_cast<double>(net::shape{1, s.h, s.w}.size());
      }, real_[n].op);
    }
    return all;
  }
  // Carries errors of single layers to the outputs.
  void follow(std::vector<own_error> errors, const std::vector<net::float_tensor>& reference) {
    if (errors.empty()) return;
    constexpr double in_a_second = 4e8;
    constexpr std::size_t least = 2;
    std::ranges::stable_sort(errors, std::ranges::greater(), &own_error::part);
    const double count = std::min(static_cast<double>(errors.size()), in_a_second / work());
    errors.resize(std::min(errors.size(), std::max(least, static_cast<std::size_t>(count))));
    const auto order = real_.order();
    const auto outputs = real_.outputs();
    for (auto& e : errors) {
      std::map<id, net::float_tensor> changed;
      auto& at = found_[e.layer].at_outputs;
      changed.emplace(e.layer, std::move(e.tensor));
      for (const id n : order) {
        const auto inputs = real_.inputs(n);
        if (changed.contains(n) ||
            std::ranges::none_of(inputs, [&](id i) { return changed.contains(i); }))
          continue;
        std::vector<const net::float_tensor*> in;
        for (const id i : inputs) {
          const auto own = changed.find(i);
          in.push_back(own != changed.end() ? &own->second : &reference[i]);
        }
        changed.emplace(n, net::evaluate_node(real_, n, std::span(std::as_const(in)), nullptr));
      }
      at.resize(outputs.size());
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto& wanted = reference[outputs[k]].values;
        const auto own = changed.find(outputs[k]);
        const auto& given = own != changed.end() ? own->second.values : wanted;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          const double x{wanted[i]}, off = double{given[i]} - x;
          if (!std::isfinite(off)) continue;
          at[k].signal += x * x;
          at[k].error += off * off;
        }
      }
    }
  }
  net::float_tensor computed(id n, const std::vector<net::float_tensor>& reference,
                             const std::vector<net::float_tensor>& held) const {
    std::vector<const net::float_tensor*> in;
    for (const auto i : real_.inputs(n)) in.push_back(&held[i]);
    return net::evaluate_node(real_, n, std::span(std::as_const(in)), &reference[n]);
  }
  void count(id n, const quantised::graph::node& node, const std::vector<float>& reference,
             const std::vector<float>& expected, const std::vector<float>& values) {
    auto& all = found_[n];
    const double own = ranges_[n] / steps_from(node.zero);
    const std::size_t area =
        node.gain.empty() ? 1 : std::max<std::size_t>(1, values.size() / node.gain.size());
    const auto rounded = [](double x, double step) {
      return step > 0 ? std::round(x / step) * step : x;
    };
    const auto square = [](double x) { return x * x; };
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x{reference[i]}, v{values[i]}, e{std::isfinite(expected[i]) ? expected[i] : x};
      if (!std::isfinite(v - x)) {
        ++all.not_finite;
        continue;
      }
      all.signal += square(x);
      all.product += x * v;
      all.square += square(v);
      all.error += square(v - x);
      all.arising += square(v - e);
      if (node.precision != hw::precision::int8) continue;
      const double gain = node.gain.empty() ? 1 : node.gain[i / area];
      all.at_its_scale += square(rounded(e, gain * node.scale) - x);
      all.at_own_range += square(rounded(e, own) - x);
    }
  }

  const Graph& real_;
  const quantised::graph& integers_;
  std::vector<std::optional<quantised::graph::id>> integer_of_{};
  std::vector<double> ranges_;
  std::vector<layer_error> found_;
};

}  // namespace nvdlac::quant
