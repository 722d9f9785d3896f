// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>

#include <nvdlac/net/infer_shapes.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::report {

// "convolution kernels=20 window=5x5 stride=1x1 relu": an operator and its attributes.
template <class AnyOperator>
std::string describe(const AnyOperator& any) {
  std::ostringstream out;
  out << net::operator_name(any);
  std::visit(
      [&](const auto& op) {
        if constexpr (requires { op.kernels; }) out << " kernels=" << op.kernels;
        if constexpr (requires { op.outputs; }) out << " outputs=" << op.outputs;
        if constexpr (requires { op.groups; })
          if (op.groups != 1) out << " groups=" << op.groups;
        if constexpr (requires { op.kind == net::pool_kind::average; })
          out << ' ' << net::name_of(op.kind);
        if constexpr (requires { op.kind == net::extremum_kind::minimum; })
          out << (op.kind == net::extremum_kind::minimum ? " minimum" : " maximum");
        if constexpr (requires { op.coefficients; })
          if (op.coefficients != std::array{1.0F, 1.0F})
            out << " coefficients=" << op.coefficients[0] << ',' << op.coefficients[1];
        bool global = false;
        if constexpr (requires { op.global; }) global = op.global;
        if (global) out << " global";
        if constexpr (requires { op.window; })
          if (const net::window& w = op.window; !global) {
            out << " window=" << w.kernel_h << 'x' << w.kernel_w << " stride=" << w.stride_h << 'x'
                << w.stride_w;
            if (w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0)
              out << " pads=" << w.pad_top << ',' << w.pad_left << ',' << w.pad_bottom << ','
                  << w.pad_right;
            if (w.dilation_h != 1 || w.dilation_w != 1)
              out << " dilation=" << w.dilation_h << 'x' << w.dilation_w;
          }
        if constexpr (requires { op.ceil; })
          if (op.ceil) out << " ceil";
        if constexpr (requires { op.count_include_pad; })
          if (op.count_include_pad) out << " count_include_pad";
        if constexpr (requires { op.local_size; }) out << " local_size=" << op.local_size;
        if constexpr (requires { op.relu; })
          if (op.relu) out << " relu";
      },
      any);
  return out.str();
}

}  // namespace nvdlac::report
