// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <utility>
#include <vector>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::sim {

// One input in the CBUF: [y][x][channel], without padding; for Winograd the extended input of the
// extended channels, with it.
struct cbuf_input {
  std::vector<std::int8_t> data;     // int8
  std::vector<std::int16_t> data16;  // int16, or the bits of fp16
};

// What lies in the CBUF. `held` until the next convolution if that is to reuse it. The input of
// one batch at a time is at hand.
struct cbuf_contents : cbuf_input {
  std::vector<std::uint8_t> weights;  // not compressed, elements of 1 or 2 bytes
  bool data_held = false, weights_held = false;
  bool pixel = false, winograd = false, compressed = false;
  hw::precision precision = hw::precision::int8;
  std::uint32_t width = 0, height = 0, channels = 0, data_banks = 0, weight_banks = 0;
  std::uint32_t weight_bytes = 0;       // as CDMA read them
  std::array<std::int32_t, 3> sides{};  // an image's padding left and right, and its value
  // Lines at the end of the input that CSC did not release, without SKIP_DATA_RLS.
  std::uint32_t kept_lines = 0;

  std::uint32_t batches() const { return static_cast<std::uint32_t>(others_.size()); }
  void set_batches(std::uint32_t n) {
    others_.resize(n);
    selected_ = 0;
  }
  // Makes the input of batch `n` the one at hand.
  void select(std::uint32_t n) {
    if (n == selected_) return;
    std::swap(input(), others_[selected_]);
    std::swap(input(), others_[n]);
    selected_ = n;
  }
  cbuf_input& input() { return *this; }

 private:
  std::vector<cbuf_input> others_{1};  // one for each batch; that at hand is not here
  std::uint32_t selected_ = 0;
};

}  // namespace nvdlac::sim
