// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/net/on_host.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// A layer that the host computes in numbers of any precision.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr net::arity inputs{1, net::most_host_inputs};

  net::host_call call{};
  const net::host_layer* layer = nullptr;  // as in net::on_host
  net::shape target{};                     // of the result
  static constexpr void fields(auto&& field) {
    field("call", &on_host::call);
    field("target", &on_host::target);
  }

  constexpr net::shape infer(std::span<const net::shape>) const { return target; }

  // The numbers are taken for the real ones that they stand for, and the result rounded to the
  // nearest number of the precision and the scale. This is the reference, and what the simulated
  // runtime does.
  net::any_tensor evaluate(std::span<const net::any_tensor* const> in,
                           std::span<const double> scales, hw::precision precision,
                           double scale) const {
    if (!(scale > 0)) throw error("a layer of the host has a scale that is not above 0");
    std::vector<net::float_tensor> values;
    for (std::size_t i = 0; i < in.size(); ++i) values.push_back(real_of(*in[i], scales[i]));
    std::vector<const net::float_tensor*> each;
    for (const auto& t : values) each.push_back(&t);
    const auto result = net::on_host{call, layer}.evaluate(each);
    for (const float x : result.values)
      if (std::isnan(x))
        throw error(text("the host's layer '", call.layer,
                         "' gives a value that is not a number"));
    return numbers_of(result, scale, precision);
  }
};
static_assert(net::operation<on_host>);

}  // namespace nvdlac::quantised
