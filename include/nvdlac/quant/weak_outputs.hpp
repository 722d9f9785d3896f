// SPDX-License-Identifier: Apache-2.0
#pragma once
// Outputs of which the integers keep so little that the user should know before he runs them.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/effort.hpp>
#include <nvdlac/quant/host.hpp>
#include <nvdlac/quant/keeping_more.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The samples, of so many, that a compilation has time to compute in integers: a fraction of a
// second's; none of a network that is too large for one, or all in fp16.
std::size_t samples_of_outputs(const quantised::graph& integers, const net::layer_precisions& p,
                               std::size_t samples);

namespace detail {

// The doubt of an output with this squared error, as a part of its squares; nothing: it has none.
std::optional<problem> doubt_of_output(const std::string& output, double error,
                                       std::size_t samples, const std::string& remedy);

}  // namespace detail

// The outputs whose signal to noise beside the float network is little for these samples, of which
// the first are computed. Whole numbers that count are right or wrong, and have none.
template <class Graph>
std::vector<problem> weak_outputs(const Graph& real, const quantised::graph& integers,
                                  std::span<const sample_stream::sample> samples,
                                  const std::optional<net::preprocessing>& how,
                                  const net::layer_precisions& p, std::size_t threads) {
  const auto count = samples_of_outputs(integers, p, samples.size());
  if (count == 0) return {};
  const auto shown = samples.first(count);
  const std::vector<sample_stream::sample> first(shown.begin(), shown.end());
  const auto errors = output_judge(real, stream_of(first), how, threads).errors(integers);
  std::vector<problem> found;
  const auto remedy = keeping_more(integers);
  const auto outputs = real.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (!counts(real, outputs[k]))
      if (auto doubt = detail::doubt_of_output(real[outputs[k]].name, errors[k], count, remedy))
        found.push_back(std::move(*doubt));
  return found;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/weak_outputs.ipp>
#endif
