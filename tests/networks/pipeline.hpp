// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trained networks through the whole toolkit, beside their float and their exact integer reference.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "compiled.hpp"
#include "float_graph.hpp"

namespace networks {

using namespace nvdlac;

// Small pictures with their classes, as bytes [height][width][channels], and others to calibrate
// with.
struct collection {
  std::vector<std::vector<std::uint8_t>> pictures{};
  std::vector<std::size_t> labels{};
  std::vector<std::vector<std::uint8_t>> training{};

  // The last ones of them.
  std::span<const std::vector<std::uint8_t>> calibration(std::size_t count = 100) const {
    return std::span(training).last(count);
  }
};

// The tensor of a picture: (pixel - mean[element]) * scale; `mean` of one or of all elements.
inline net::float_tensor real(const std::vector<std::uint8_t>& picture, net::shape shape,
                              const std::vector<double>& mean, double scale) {
  net::float_tensor t{shape};
  for (std::int32_t c = 0; c < shape.c; ++c)
    for (std::int32_t y = 0; y < shape.h; ++y)
      for (std::int32_t x = 0; x < shape.w; ++x) {
        const auto i = static_cast<std::size_t>((y * shape.w + x) * shape.c + c);
        t.at(c, y, x) = static_cast<float>((picture[i] - mean[mean.size() == 1 ? 0 : i]) * scale);
      }
  return t;
}

// Makes a softmax's input an output instead: in int8 it tells classes apart that softmax does not.
inline net::graph without_softmax(net::graph g) {
  for (const auto n : g.outputs())
    if (std::holds_alternative<net::softmax>(g[n].op)) {
      g[g.inputs(n)[0]].output = true;
      g = std::move(g).filtered([&](auto other) { return other != n; });
      break;
    }
  net::infer_shapes(g);
  return g;
}

// Puts the network's classifier in front of the average, as a SqueezeNet has it: a fully connected
// layer over means is the mean of a convolution by its weights.
inline net::graph with_classifier_before_average(const net::graph& g) {
  net::graph result;
  std::vector<net::graph::id> at(g.size());
  for (const auto n : g.order()) {
    auto from = g.inputs(n).empty() ? n : g.inputs(n)[0];
    while (std::holds_alternative<net::reshape>(g[from].op) ||
           std::holds_alternative<net::flatten>(g[from].op))
      from = g.inputs(from)[0];
    const auto* fc = std::get_if<net::fully_connected>(&g[n].op);
    const auto* mean = std::get_if<net::pool>(&g[from].op);
    if (fc != nullptr && mean != nullptr && mean->kind == net::pool_kind::average) {
      const auto each = result.add(
          g[n].name + "/each",
          net::convolution{.kernels = fc->outputs, .weights = fc->weights, .bias = fc->bias},
          {at[g.inputs(from)[0]]});
      at[n] = result.add(g[n].name, *mean, {each});
    } else {
      std::vector<net::graph::id> inputs;
      for (const auto i : g.inputs(n)) inputs.push_back(at[i]);
      at[n] = result.add(g[n].name, g[n].op, inputs);
    }
    result[at[n]].output = g[n].output;
  }
  pass::remove_dead::run(result);
  net::infer_shapes(result);
  return result;
}

template <class T>
std::size_t top1(const net::tensor<T>& t) {
  return static_cast<std::size_t>(std::max_element(t.values.begin(), t.values.end()) -
                                  t.values.begin());
}

// Whether another class has the value of the first one.
template <class T>
bool is_tied(const net::tensor<T>& t) {
  return std::ranges::count(t.values, t.values[top1(t)]) > 1;
}

// The integers that the runtime takes for a float tensor.
inline net::int8_tensor quantised(const net::float_tensor& t, double scale) {
  net::int8_tensor q{t.shape};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    q.values[i] = static_cast<std::int8_t>(
        saturate<8>(std::llround(static_cast<double>(t.values[i]) / scale)));
  return q;
}

// 1 where both point the same way.
inline double cosine(const net::float_tensor& a, const net::float_tensor& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double x{a.values[i]}, y{b.values[i]};
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

// The network's outputs for an input: of the simulator, the integer reference and in float.
struct results {
  std::vector<net::any_tensor> simulated{}, exact{};
  // Values of the simulator as real numbers and in float, by output of the file and in its order.
  std::vector<net::float_tensor> values{}, real{};
  std::size_t trace_differences = 0;  // if the register trace was replayed
};

enum class replay : bool { no, yes };  // of the register trace, which takes as long again

inline results run_on(const cli::target& t, const net::graph& network, const scale_source& source,
                      const sample& picture, const compile_options& options,
                      replay trace = replay::no) {
  const auto prepared = prepare(network, source, options, pass::verify{}, [&](net::graph& g) {
    const auto left = host::partition(
        g, options.host, t.check({g}, options.precision, options.limits.layers));
    if (!left.empty()) throw error(left);
  });
  compiled chip(t, prepared.integers, options);
  const auto& program = chip.program();
  std::vector<quantised::feed> feeds;
  for (std::size_t i = 0; i < picture.size(); ++i)
    feeds.push_back(quantised::feed_of(quantised::numbers_of(
        picture[i], program.inputs[i].scale, program.inputs[i].surface.precision,
        program.inputs[i].gain)));
  results r{.simulated = chip.infer_any(feeds),
            .exact = quantised::evaluate_any(prepared.integers,
                                                std::span<const quantised::feed>(feeds),
                                                quantised::order_of(t.spec())),
            .trace_differences = trace == replay::yes ? chip.trace_differences(feeds) : 0};
  const auto nodes = network.outputs();
  const auto cubes = net::evaluate(network, std::span<const net::float_tensor>(picture));
  const auto to_file = [](const std::vector<net::file_output>& forms, auto values_of) {
    std::vector<net::float_tensor> all;
    for (const auto& form : forms) {
      auto values = form.gathered<float>(values_of);
      all.push_back({{static_cast<std::int32_t>(values.size()), 1, 1}, std::move(values)});
    }
    return all;
  };
  r.values = to_file(net::outputs_of_file(program.outputs), [&](std::size_t i) {
    return quantised::real_of(r.simulated[i], program.outputs[i].scale).values;
  });
  const auto node_of = [&](std::size_t i) -> const auto& { return network[nodes[i]]; };
  r.real = to_file(net::outputs_of_file(nodes.size(), node_of),
                   [&](std::size_t i) { return cubes[i].values; });
  return r;
}

struct accuracy {
  double real = 0, simulated = 0;  // top-1, per cent
  std::size_t differences = 0;     // pictures for which simulator and integer reference differ
  std::size_t trace_differences = 0;
  std::size_t tied = 0, real_tied = 0;  // pictures whose first class is not alone
};

// Top-1 over the first `count` pictures.
template <class Hw>
accuracy classify(const net::graph& network, const collection& all, std::size_t count,
                  const std::vector<double>& mean, double scale, bool pixels) {
  const net::shape shape = network[net::input_nodes(network).at(0)].shape;
  std::vector<sample> calibration;
  for (const auto& picture : all.calibration())
    calibration.push_back({real(picture, shape, mean, scale)});
  compile_options options;
  if (pixels) options.preprocessing = net::preprocessing{.mean = mean, .scale = {scale}};
  const auto prepared = prepare(network, std::span<const sample>(calibration), options,
                                pass::verify{}, [](const net::graph&) {});
  compiled program(hardware<Hw>(), prepared.integers, options);
  const auto& input = program.program().inputs[0];

  accuracy result;
  std::size_t real_hits = 0, simulated_hits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto tensor = real(all.pictures[i], shape, mean, scale);
    const quantised::feed feed =
        input.pixels ? quantised::feed(all.pictures[i])
                     : quantised::feed(quantised(tensor, input.scale));
    const auto out = program.infer({feed}).at(0);
    result.differences += out != quantised::evaluate(prepared.integers, feed).at(0);
    if (i == 0) result.trace_differences = program.trace_differences({feed});
    const auto expected = net::evaluate(network, tensor).at(0);
    real_hits += top1(expected) == all.labels[i];
    simulated_hits += top1(out) == all.labels[i];
    result.tied += is_tied(out);
    result.real_tied += is_tied(expected);
  }
  result.real = 100.0 * static_cast<double>(real_hits) / static_cast<double>(count);
  result.simulated = 100.0 * static_cast<double>(simulated_hits) / static_cast<double>(count);
  return result;
}

}  // namespace networks
