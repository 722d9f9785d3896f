// SPDX-License-Identifier: Apache-2.0
#pragma once
// The average excess of the sums of int8 layers over float's, which their biases can take back.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/side_by_side.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// By the layers' names, for each kernel, in real numbers.
using drift_of_layers = std::map<std::string, std::vector<double>>;

// So many samples tell drift from chance, and as many others whether the outputs are better
// without.
inline constexpr std::size_t samples_of_drift = 8;

// How many products the network's layers with weights sum.
double multiplications_of(const quantised::graph& integers);

// Whether so many calibration samples are enough for a network, so that it takes at most about a
// third of the calibration's time, or some seconds.
bool tells_drift(const quantised::graph& integers, std::size_t samples);

namespace detail {

// Finds the drift of each layer, and takes it back, so that the layers behind it show their own.
class drift_finder {
 public:
  drift_finder(drift_of_layers& found, std::size_t samples, std::size_t threads)
      : found_(found), samples_(samples), threads_(threads) {}

  static bool takes(const quantised::convolution&, const exact_filters&) { return true; }

  quantised::convolution operator()(const filters_at_hand& f) const;

 private:
  drift_of_layers& found_;
  std::size_t samples_, threads_;
};

}  // namespace detail

// The drift of layers of `integers`, which `quantise` made of `real` and whose steps are `exact`,
// as samples show it, of which `given` are the feeds of the integer network. Layers without are
// left out, as are kernels (0) whose drift is not certain. The result does not depend on `threads`.
template <class Graph>
drift_of_layers drift_of(const Graph& real, quantised::graph integers, const known_filters& exact,
                         const std::vector<std::vector<net::float_tensor>>& samples,
                         const std::vector<std::vector<quantised::feed>>& given,
                         std::size_t threads) {
  drift_of_layers found;
  if (samples.size() < 2) return found;
  detail::side_by_side<Graph>(real, integers, exact, threads, detail::drift_finder::takes)
      .run(samples, given, detail::drift_finder(found, samples.size(), threads),
           [](std::size_t, std::size_t) {});
  return found;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/drift.ipp>
#endif
