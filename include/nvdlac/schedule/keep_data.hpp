// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data that stay in the CBUF for the next convolution.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/layer/layer.hpp>

namespace nvdlac::schedule {

// Whether what one of them reads lies in the CBUF as the other wants it.
constexpr bool reads_the_same(const layer::convolution& a, const layer::convolution& b) {
  const auto &v = a.window, &w = b.window;
  const bool same_pads = v.pad_left == w.pad_left && v.pad_right == w.pad_right &&
                         a.pad_value == b.pad_value && a.kernel_lines == b.kernel_lines;
  return a.input == b.input && a.format == b.format && a.precision == b.precision &&
         a.entries_per_slice == b.entries_per_slice && a.release == b.release &&
         (!a.is_pixel() || same_pads) && a.pixels_signed == b.pixels_signed &&
         a.convert == b.convert && a.cvt == b.cvt && a.use_mean == b.use_mean && a.mean == b.mean;
}

// Convolutions that read the same one behind the other share its way into the CBUF, as far as all
// their weights find room beside it. Whether there are any.
template <class Hw>
constexpr bool keep_data(std::vector<layer::layer>& layers) {
  std::vector<layer::convolution*> run;  // that read the same
  std::uint8_t data = 0, weights = 0;    // banks of all of them
  bool found = false;
  const auto finish = [&] {
    for (std::size_t i = 0; i < run.size() && run.size() > 1; ++i) {
      found = true;
      run[i]->data_banks = data, run[i]->weight_banks = weights;
      run[i]->data_reuse = i > 0, run[i]->skip_data_release = i + 1 < run.size();
    }
    run.clear();
    data = weights = 0;
  };
  for (auto& l : layers) {
    if (layer::on_host(l.what)) finish();
    auto* const c = std::get_if<layer::convolution>(&l.what);
    if (c == nullptr) continue;
    if (!run.empty() && (!reads_the_same(*run.back(), *c) ||
                         std::max(data, c->data_banks) + std::max(weights, c->weight_banks) >
                             static_cast<int>(Hw::spec.cbuf_banks)))
      finish();
    run.push_back(c);
    data = std::max(data, c->data_banks), weights = std::max(weights, c->weight_banks);
  }
  finish();
  return found;
}

}  // namespace nvdlac::schedule
