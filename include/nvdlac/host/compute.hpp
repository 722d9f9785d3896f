// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls carried out: on real numbers, and on those that NVDLA computes with.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/values.hpp>

namespace nvdlac {
namespace host {

// The shape of a call's result. An unknown layer, or shapes that it does not take, are an `error`.
inline net::shape infer(const call& c, input_shapes in) {
  const layer& l = layers().get(c.layer);
  if (!l.inputs.contains(in.size()))
    throw error(text("the host's layer '", c.layer, "' does not take ", in.size(), " inputs"));
  return l.infer(c.parameters, in);
}

inline net::float_tensor evaluate(const call& c, input_tensors in) {
  const auto needed = infer(c, net::shapes_of(in));
  auto y = layers().get(c.layer).evaluate(c.parameters, in);
  if (y.shape != needed || y.values.size() != needed.size())
    throw error(text("the host's layer '", c.layer, "' gives ", y.shape, " instead of ", needed));
  return y;
}

// The largest whole number that the call gives, if it counts.
inline std::optional<std::int64_t> counts_to(const call& c, input_shapes in) {
  const layer& l = layers().get(c.layer);
  if (!l.counts_to) return std::nullopt;
  return l.counts_to(c.parameters, in);
}

// The call on NVDLA's numbers: taken for the real numbers that they stand for, and the result
// rounded to the nearest number of the precision and the scale. This is the reference, and what the
// simulated runtime does.
inline net::any_tensor compute(const call& c, std::span<const net::any_tensor* const> in,
                               std::span<const double> scales, hw::precision precision,
                               double scale) {
  if (!(scale > 0)) throw error("a layer of the host has a scale that is not above 0");
  std::vector<net::float_tensor> real;
  for (std::size_t i = 0; i < in.size(); ++i) real.push_back(quant::real_of(*in[i], scales[i]));
  std::vector<const net::float_tensor*> each;
  for (const auto& t : real) each.push_back(&t);
  const auto result = evaluate(c, each);
  for (const float x : result.values)
    if (std::isnan(x))
      throw error(text("the host's layer '", c.layer, "' gives a value that is not a number"));
  return quant::numbers_of(result, scale, precision);
}

}  // namespace host

inline net::shape net::on_host::infer(std::span<const shape> in) const {
  return host::infer(call, in);
}
inline net::float_tensor net::on_host::evaluate(std::span<const float_tensor* const> in) const {
  return host::evaluate(call, in);
}

}  // namespace nvdlac
