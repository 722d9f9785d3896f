// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <nvdlac/host/call.hpp>
#include <nvdlac/host/description.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/type_name.hpp>

namespace nvdlac::host {

using input_shapes = std::span<const net::shape>;
using input_tensors = std::span<const net::float_tensor* const>;

// What the host can compute for networks whose layers no engine of NVDLA runs. Both functions throw
// nvdlac::error with a reason, without the layer's name; `evaluate` gives the same bits for the
// same values.
struct layer {
  std::string name;  // by which calls know it
  net::arity inputs{1, 1};
  std::function<net::shape(const parameters&, input_shapes)> infer{};
  std::function<net::float_tensor(const parameters&, input_tensors)> evaluate{};
  // Of a layer that counts, such as the place of a maximum: its results are the whole numbers from
  // 0 to this one, which are given as they are. Unset: real numbers, which get a scale.
  std::function<std::int64_t(const parameters&, input_shapes)> counts_to{};
};

// The layer that computes an operator by the name of its type; one with `counts_to(input_shapes)`
// counts.
template <net::operation Op>
layer layer_of() {
  layer result{.name = std::string(type_name<Op>()), .inputs = Op::inputs};
  result.infer = [](const parameters& p, input_shapes in) { return operator_of<Op>(p).infer(in); };
  result.evaluate = [](const parameters& p, input_tensors in) {
    return operator_of<Op>(p).evaluate(in);
  };
  if constexpr (requires(const Op& op, input_shapes in) { op.counts_to(in); })
    result.counts_to = [](const parameters& p, input_shapes in) {
      return operator_of<Op>(p).counts_to(in);
    };
  return result;
}

}  // namespace nvdlac::host
