// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::host {

namespace detail {

NVDLAC_IMPL double parameter_reader::next() {
  if (left_.empty()) throw error(text("its parameter '", name_, "' has too few values"));
  const double v = left_.front();
  left_ = left_.subspan(1);
  return v;
}

}  // namespace detail

NVDLAC_IMPL net::host_layer layer_of(net::function f) {
  auto result = layer_of<net::activation>();
  result.name = net::name_of(f);
  result.evaluate = [f](const net::host_parameters& p, net::host_layer::tensors in) {
    auto op = operator_of<net::activation>(p);
    op.function = f;
    diagnostics found;
    op.check({}, found, {});
    found.check();
    return op.evaluate(in);
  };
  return result;
}

NVDLAC_IMPL net::on_host on_host(const net::activation& op) {
  static const auto layers = [] {
    std::array<net::host_layer, net::functions.size()> all;
    for (std::size_t f = 0; f < all.size(); ++f) all[f] = layer_of(static_cast<net::function>(f));
    return all;
  }();
  auto call = call_of(op);
  std::erase_if(call.parameters, [&](const auto& p) {
    return p.name == "function" || (p.name == "parts" && op.parts.empty());
  });
  call.layer = net::name_of(op.function);
  return {std::move(call), &layers[static_cast<std::size_t>(op.function)]};
}

}  // namespace nvdlac::host
