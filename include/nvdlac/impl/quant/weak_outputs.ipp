// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quant/drift.hpp>
#include <nvdlac/quant/weak_outputs.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::size_t samples_of_outputs(const quantised::graph& integers,
                                           const net::layer_precisions& p, std::size_t samples) {
  constexpr double all = 2e8, alone = 1e9, slower = 10;  // multiplications; slower: in fp16
  if (p.is_all(hw::precision::fp16)) return 0;
  const double each =
      std::max(1.0, multiplications_of(integers)) * (p.uses(hw::precision::fp16) ? slower : 1);
  if (each > all) return each > alone ? 0 : std::min<std::size_t>(samples, 1);
  return std::min(samples, static_cast<std::size_t>(std::min(all / each, 1e6)));
}

namespace detail {

NVDLAC_IMPL std::optional<problem> doubt_of_output(const std::string& output, double error,
                                                   std::size_t samples,
                                                   const std::string& remedy) {
  const double snr = error > 0 ? -10 * std::log10(error) : doubtful_snr;
  if (!(snr < doubtful_snr)) return std::nullopt;
  return problem{.layer = output,
                 .reason = text("for ", nvdlac::count_of(samples, "calibration input"),
                                " this output has an SNR of ", std::round(10 * snr) / 10,
                                " dB beside the float network, which is little"),
                 .remedy = text("verify tells the layer where most is lost; ", remedy)};
}

}  // namespace detail

}  // namespace nvdlac::quant
