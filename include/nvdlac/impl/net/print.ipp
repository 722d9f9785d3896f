// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::detail {

NVDLAC_IMPL void describe_window(std::ostream& out, const window& w) {
  out << " window=" << w.kernel_h << 'x' << w.kernel_w << " stride=" << w.stride_h << 'x'
      << w.stride_w;
  if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
    out << " pads=" << w.pad_top << ',' << w.pad_left << ',' << w.pad_bottom << ',' << w.pad_right;
  if (w.dilation_h != 1 || w.dilation_w != 1)
    out << " dilation=" << w.dilation_h << 'x' << w.dilation_w;
}

NVDLAC_IMPL void describe_call(std::ostream& out, const host_call& c) {
  out << ' ' << c.layer;
  for (const auto& p : c.parameters) {
    out << ' ' << p.name << '=';
    for (std::size_t i = 0; i < p.values.size(); ++i) out << (i == 0 ? "" : ",") << p.values[i];
  }
}

}  // namespace nvdlac::net::detail
