// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// A precision field, as far as the configuration has that precision.
template <hw::hardware Hw>
hw::precision decode_precision(std::uint32_t code, std::string_view where) {
  const auto p = static_cast<hw::precision>(code);
  require(code < 3, where, "no precision has the code ", code);
  require(Hw::spec.data_types.has(p), where, "this configuration computes in int8 only");
  return p;
}

// The mode that CDMA, CSC, both CMACs and CACC must share.
struct convolution_mode {
  bool winograd = false;
  hw::precision precision = hw::precision::int8;
  bool operator==(const convolution_mode&) const = default;
};

template <hw::hardware Hw, fixed_string ConvMode, fixed_string Precision>
convolution_mode decode_mode(const group_view<Hw::spec.map>& g) {
  convolution_mode m{.winograd = g.template on<ConvMode>(),
                     .precision = decode_precision<Hw>(g.template u<Precision>(),
                                                       Precision.view())};
  require(!m.winograd || Hw::spec.winograd, ConvMode.view(),
          "this configuration has no Winograd convolution");
  return m;
}

}  // namespace nvdlac::sim
