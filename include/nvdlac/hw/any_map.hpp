// SPDX-License-Identifier: Apache-2.0
#pragma once
// Limits of the engines that hold whatever the register map is, for who knows no configuration:
// importers, passes of the network and the quantiser. Others ask hw::limits_of(spec.map).
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// Numbers as windows and shapes count them.
struct common_limits {
  std::int32_t cube_side = 0;  // lines, columns and channels
  struct {
    std::int32_t kernels = 0, kernel = 0, stride = 0, dilation = 0;
    std::int32_t pad_before = 0, pad_after = 0;  // left and above, right and below
  } convolution{};
  struct {
    std::int32_t kernel = 0, stride = 0, pad = 0;
  } pdp{};
};

constexpr common_limits common_to(const engine_limits& a, const engine_limits& b) {
  const auto least = [&](auto... of) {
    return static_cast<std::int32_t>(std::min({of(a)..., of(b)...}));
  };
  using limits = const engine_limits&;
  return {
      .cube_side = least([](limits l) { return l.convolution.width; },
                         [](limits l) { return l.convolution.height; },
                         [](limits l) { return l.convolution.channels; },
                         [](limits l) { return l.sdp.width; },
                         [](limits l) { return l.sdp.height; },
                         [](limits l) { return l.sdp.channels; },
                         [](limits l) { return l.pdp.width; },
                         [](limits l) { return l.pdp.height; },
                         [](limits l) { return l.pdp.channels; }),
      .convolution = {.kernels = least([](limits l) { return l.convolution.kernels; }),
                      .kernel = least([](limits l) { return l.convolution.kernel_width; },
                                      [](limits l) { return l.convolution.kernel_height; }),
                      .stride = least([](limits l) { return l.convolution.stride; }),
                      .dilation = least([](limits l) { return l.convolution.dilation; }),
                      .pad_before = least([](limits l) { return l.convolution.pad_left; },
                                          [](limits l) { return l.convolution.pad_top; }),
                      .pad_after = least([](limits l) { return l.convolution.pad_right; },
                                         [](limits l) { return l.convolution.pad_bottom; })},
      .pdp = {.kernel = least([](limits l) { return l.pdp.kernel; }),
              .stride = least([](limits l) { return l.pdp.firmware_stride; }),
              .pad = least([](limits l) { return l.pdp.pad; })}};
}

inline constexpr common_limits any_map =
    common_to(limits<register_map::small>, limits<register_map::full>);

}  // namespace nvdlac::hw
