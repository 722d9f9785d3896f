// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators in the integers that NVDLA computes with: what quantisation makes of net::graph. Each
// is one computation of the hardware, so that its reference is exact and lowering changes no value.
// All tensors are int8; a node's `scale` gives their meaning: real = scale * integer.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/type_list.hpp>

namespace nvdlac::net::integer {

// Pixels (unsigned bytes, 1, 3 or 4 a pixel in the order of the network's channels) that CDMA's
// input converter turns into int8: saturate<8>(cvt(p - mean[c])); cvt.offset is 0.
struct pixels {
  std::array<std::int16_t, 4> mean{};
  converter cvt{};
};

// Without `pixels` the host gives int8 values.
struct input {
  net::shape shape{};
  std::optional<integer::pixels> pixels{};
};

struct constant {
  int8_tensor value{};
};

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// y = saturate<8>(relu(saturate<32>(round_shift((a + (bias[k] << bias_shift)) * multiplier[k], shift))))
// A fully connected layer is a convolution whose window covers its whole input.
struct convolution {
  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<std::int8_t> weights{};      // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<std::int16_t> bias{};        // [kernels]
  std::uint8_t bias_shift = 0;             // 0..16
  std::vector<std::int16_t> multiplier{};  // [kernels]
  std::uint8_t shift = 0;                  // 0..63
  std::uint8_t truncate = 0;               // CACC, 0..16
  bool relu = false;
};

// PDP. Maximum: over the elements of the window inside the input. Average: the window is clipped to
// the input (or, count_include_pad, to the padded input, padding being 0), rows x columns remain;
// y = round_shift(round_shift(sum * (65536 / columns), 16) * (65536 / rows), 16).
struct pool {
  pool_kind kind = pool_kind::maximum;
  net::window window{};  // kernels at most 8 x 8
  bool ceil = false;
  bool count_include_pad = false;
};

// SDP's X1 and X2 over a tensor in memory:
// y = saturate<8>(out(relu(saturate<32>(x * multiplier[c]) + (addend[c] << addend_shift))))
struct scale {
  std::vector<std::int16_t> multiplier{};  // [C] or one for all
  std::vector<std::int16_t> addend{};      // [C], one for all, or empty: nothing is added
  std::uint8_t addend_shift = 0;
  bool relu = false;
  converter out{};                         // offset 0
};

// y = saturate<8>(out(relu(saturate<32>(a * multiplier) + (b << operand_shift)))), inputs a, b
struct add {
  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;
  bool relu = false;
  converter out{};
};

// Input i is copied, or rescaled: saturate<8>(round_shift(x * multiplier[i], shift)).
struct concat {
  std::vector<std::optional<std::int16_t>> multiplier{};  // by input; nullopt: copied
  std::uint8_t shift = 0;
};

// The same values in dense c-h-w order under another shape. Costs nothing when height and width
// are 1 before and after; else it is done by the host, on a graph's output only.
struct reshape {
  net::shape target{};
};

// On the host: saturate<8>(round(softmax(scale_in * x) / scale_out)), over the channels.
struct softmax {};

using operators = type_list<input, constant, convolution, pool, scale, add, concat, reshape, softmax>;
using graph = basic_graph<operators>;

}  // namespace nvdlac::net::integer
