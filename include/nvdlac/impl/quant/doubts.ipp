// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/doubts.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL double steps_of(double reach, double scale) { return std::round(reach / scale); }

NVDLAC_IMPL double step_in(hw::precision p, double range) {
  return p == hw::precision::int8 ? range / 127 : beyond_calibration * range / 32767;
}

NVDLAC_IMPL std::string with_more_bits(hw::precision p, const std::string& layer) {
  return p == hw::precision::int8
             ? text("compute it in 16 bits: --precision int8,", layer, "=int16")
             : text("compute it in fp16: --precision int16,", layer, "=fp16");
}

namespace detail {

// Their number, the first of them by name, and how many bits they have in the file.
NVDLAC_IMPL std::string named_with_bits(std::span<const quantised_tensor> all) {
  std::vector<std::string> names;
  for (const auto& t : all) names.push_back('\'' + t.layer + '\'');
  const auto [least, most] = std::ranges::minmax(all, {}, &quantised_tensor::bits);
  const auto bits = least.bits == most.bits ? text(least.bits)
                                            : text(least.bits, " to ", most.bits);
  return text(nvdlac::count_of(all.size(), "tensor"), " of ", bits, " bits (",
              joined_first(std::move(names), 3), ')');
}

}  // namespace detail

NVDLAC_IMPL std::vector<problem> narrowed_tensors(std::span<const quantised_tensor> of_file,
                                                  const net::layer_precisions& p,
                                                  std::string remedy) {
  std::vector<quantised_tensor> wide;
  for (const auto& t : of_file)
    if (t.bits > 8 && p(t.layer) == hw::precision::int8) wide.push_back(t);
  if (wide.empty()) return {};
  return {{.reason = text("the file has ", detail::named_with_bits(wide),
                          ": int8 computes 8 of them"),
           .remedy = std::move(remedy)}};
}

NVDLAC_IMPL std::vector<problem> replaced_scales(std::span<const quantised_tensor> of_file,
                                                 const std::string& by, std::string remedy) {
  if (of_file.empty()) return {};
  return {{.reason = text(by, " replaces the scales that the file has for ",
                          detail::named_with_bits(of_file)),
           .remedy = std::move(remedy)}};
}

NVDLAC_IMPL void seen_inputs::observe(std::span<const net::float_tensor> sample) {
  if (++samples == 1) {
    varies.assign(sample.size(), false);
    first.assign(sample.size(), 0);
    largest.resize(sample.size());
  }
  std::size_t values = 0;
  for (const auto& t : sample) values += t.values.size();
  if (kept.empty() || (kept.size() < most_kept && kept_values + values <= most_values)) {
    kept.emplace_back(sample.begin(), sample.end());
    kept_values += values;
  }
  for (std::size_t i = 0; i < std::min(sample.size(), varies.size()); ++i) {
    const auto& v = sample[i].values;
    if (sample[i].shape.h == 1 && sample[i].shape.w == 1) {
      largest[i].resize(v.size());
      for (std::size_t c = 0; c < v.size(); ++c)
        largest[i][c] = std::max(largest[i][c], std::fabs(v[c]));
    }
    varies[i] = varies[i] || v.size() < 2 ||
                std::ranges::any_of(v, [&](float x) { return x != v[0]; });
    if (samples == 1 && !v.empty()) first[i] = v[0];
  }
}

}  // namespace nvdlac::quant
