// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/effort.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL divided_samples divided(const sample_stream& samples) {
  const std::size_t all = samples.size;
  if (all < 2) return {samples, samples};
  const auto is_held_back = [all](std::size_t i) { return all < 4 ? i + 1 == all : i % 4 == 3; };
  const auto part = [&](bool held_back, std::size_t size) {
    return sample_stream{size, [each = samples.each, is_held_back, held_back](const auto& visit) {
                           std::size_t i = 0;
                           each([&](const sample_stream::sample& s) {
                             if (is_held_back(i++) == held_back) visit(s);
                           });
                         }};
  };
  const std::size_t held = std::max<std::size_t>(all / 4, 1);
  return {part(false, all - held), part(true, held)};
}

NVDLAC_IMPL std::vector<std::vector<output_judge::squares>> output_judge::squares_of(
    const quantised::graph& integers) const {
  struct judged {
    quantised::graph::id node;
    const std::vector<std::vector<net::float_tensor>>& wanted;
    std::size_t output;
  };
  const auto outputs = integers.outputs();
  std::vector<judged> all;
  for (std::size_t k = 0; k < outputs.size(); ++k) all.push_back({outputs[k], wanted_, k});
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!reads_softmax_[k] || !std::holds_alternative<quantised::softmax>(integers[outputs[k]].op))
      continue;
    const auto n = integers.inputs(outputs[k])[0];
    if (integers[n].shape.size() == read_.at(0)[k].shape.size()) all.push_back({n, read_, k});
  }
  std::vector<std::vector<squares>> found(given_.size());
  for_all(given_.size(), threads_, [&](std::size_t i) {
    const auto feeds = feeds_of(integers, given_[i], how_);
    found[i].resize(all.size());
    const auto compare = [&](auto n, const net::any_tensor& t) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (all[k].node != n) continue;
        const auto& node = integers[n];
        const auto given = quantised::real_of(t, node.scale, node.zero, node.gain).values;
        const auto& wanted = all[k].wanted[i][all[k].output].values;
        for (std::size_t e = 0; e < wanted.size(); ++e) {
          const double w{wanted[e]}, off = double{given[e]} - w;
          found[i][k].error += off * off;
          found[i][k].all += w * w;
        }
      }
    };
    quantised::evaluate_any_each(integers, std::span<const quantised::feed>(feeds), compare);
  });
  return found;
}

NVDLAC_IMPL std::vector<double> output_judge::errors(const quantised::graph& integers) const {
  const auto found = squares_of(integers);
  std::vector<double> result(found.empty() ? 0 : found[0].size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    squares sum;
    for (const auto& of_sample : found) {
      sum.error += of_sample[k].error;
      sum.all += of_sample[k].all;
    }
    result[k] = sum.all > 0 ? sum.error / sum.all : sum.error;
  }
  return result;
}

NVDLAC_IMPL std::array<double, 2> output_judge::halves(const quantised::graph& integers) const {
  const auto found = squares_of(integers);
  std::array<double, 2> result{};
  for (std::size_t k = 0; !found.empty() && k < found[0].size(); ++k)
    for (std::size_t half = 0; half < 2; ++half) {
      squares sum;
      for (std::size_t i = half; i < found.size(); i += 2) {
        sum.error += found[i][k].error;
        sum.all += found[i][k].all;
      }
      if (sum.all > 0) result[half] += sum.error / sum.all;
    }
  return result;
}

NVDLAC_IMPL bool is_clearly_better(const std::vector<double>& before,
                                   const std::vector<double>& after) {
  double left = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (!(after[k] <= before[k])) return false;
    left += before[k] > 0 ? after[k] / before[k] : 1;
  }
  constexpr double worth = 0.9;
  return left <= worth * static_cast<double>(before.size());
}

NVDLAC_IMPL std::vector<problem> worse_outputs(const quantised::graph& integers,
                                               const std::vector<double>& before,
                                               const std::vector<double>& after) {
  const auto decibels = [](double error) {
    return error > 0 ? text(std::round(-100 * std::log10(error)) / 10, " dB") : text("exact");
  };
  std::vector<problem> found;
  const auto outputs = integers.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (!(after[k] <= before[k]))
      found.push_back({.layer = integers[outputs[k]].name,
                       .reason = text("SNR ", decibels(after[k]), ", ", decibels(before[k]),
                                      " by default"),
                       .remedy = more_samples});
  return found;
}

NVDLAC_IMPL double output_judge::error(const quantised::graph& integers) const {
  const auto both = halves(integers);
  return both[0] + both[1];
}

}  // namespace nvdlac::quant
