// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

namespace detail {

// The predicted cycles of a convolution that is a whole program.
NVDLAC_IMPL std::uint64_t cycles_alone(const target& hw, const quantised::convolution& op,
                                       std::span<const net::shape> in, hw::precision p,
                                       const cost::memory& m) {
  assembly to(contents::none());
  const auto cube = [&](label name, plan::memory where, net::shape s) {
    auto packed = layer::packed(s, hw.atom(), {}, p);
    packed.at = to.reserve(std::move(name), where, packed.size);
    return packed;
  };
  site<quantised::convolution> s{.op = op, .name = "convolution"};
  for (const auto& shape : in) s.in.push_back(cube("input", plan::memory::input, shape));
  s.out = cube("output", plan::memory::output, op.infer(in));
  lower_operator(hw, to, s);
  return cycles_in_order(hw, std::move(to.result), m);
}

}  // namespace detail

NVDLAC_IMPL bool is_faster_in_winograd(const target& hw, const quantised::convolution& direct,
                                       const quantised::pool* pool,
                                       std::span<const net::shape> in, hw::precision p,
                                       const cost::memory& m) {
  const auto lanes = layer::lanes_of(hw.atom(), p);
  if (p == hw::precision::fp16 && static_cast<std::uint64_t>(in[0].c) % lanes != 0) return false;
  const auto transformed = in_winograd_form(direct);
  if (!hw.data_types.has(p) || check_support(hw, transformed, in, p) != reason::none ||
      check_support(hw, direct, in, p) != reason::none)
    return false;
  const auto is_worth_it = [](std::uint64_t now, std::uint64_t before) {
    return now * 8 <= before * 7;
  };
  const auto now = detail::cycles_alone(hw, transformed, in, p, m);
  const auto before = detail::cycles_alone(hw, direct, in, p, m);
  if (!is_worth_it(now, before)) return false;
  const std::optional<quantised::pixels> none;
  if (pool == nullptr || why_apart(hw, direct, in, none, *pool, p) != apart::none) return true;
  const detail::pair_of_layers both{direct, *pool, in, none, {}, p};
  const auto together = pooled_by(*pool, both.convolved(), both.out());
  const auto apart = detail::cycles_of(hw, both, {}, m) - before + now;
  return is_worth_it(apart, detail::cycles_of(hw, both, together, m));
}

}  // namespace nvdlac::lower
