// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/expectation.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape expectation::infer(std::span<const net::shape> in) const {
  const net::shape out = reduced(in[0], axes);
  if (in[0].size() / out.size() != values.size())
    throw error(text("it has ", count_of(values.size(), "value"), " for ",
                     in[0].size() / out.size(),
                     " probabilities"));
  return out;
}

NVDLAC_IMPL net::float_tensor expectation::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  auto to = y.values.begin();
  std::vector<double> x(values.size());
  for_each_line(in[0]->shape, axes, [&](const std::vector<std::size_t>& line) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = double{in[0]->values[line[i]]};
    const auto shares = net::softmax_of(x.data(), x.size(), 1);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += shares[i] * double{values[i]};
    *to++ = static_cast<float>(sum);
  });
  return y;
}

}  // namespace nvdlac::host
