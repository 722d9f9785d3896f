// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far integers may be from the float network: as far as the steps of their scales explain.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/scale_table.hpp>

#include "float_graph.hpp"

namespace nvdlac::judge {

// The root of the mean square of what rounding makes of each output of a float network, found by
// computing it several times with noise in the place of the rounding: evenly spread over one step
// of each tensor's and each filter's scale, in fp16 over one unit of the last place.
//
// The step of a tensor is that which its range needs, largest value / 127 (32767 in int16); a
// larger one that the network has counts up to four times as much, since tensors that are moved
// together share a scale. What is far beyond is no consequence of rounding but a wrong scale, and
// one that is too small saturates: neither makes the expectation larger. Scales that a model itself
// has are as they are (`given`).
struct expected_error {
  std::vector<double> rms{};                 // by output of Graph::outputs()
  std::vector<net::float_tensor> exact{};    // the outputs without noise
  std::vector<std::vector<double>> spread{};  // of each element
};

expected_error expected_error_of(const cli::graph&, const quant::scale_table&,
                                 const net::layer_precisions&,
                                 std::span<const std::vector<net::float_tensor>> samples,
                                 std::size_t sample, bool given, std::uint64_t seed);

// So many times the expectation is still explained: scales that are shared, clipped or of one sign,
// averages and sums that round twice, and tables in straight lines.
inline constexpr double explained = 4;

}  // namespace nvdlac::judge
