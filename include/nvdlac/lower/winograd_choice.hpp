// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which convolutions take fewer cycles in Winograd's mode.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The form of a convolution for Winograd's mode, with weights of which only the number is told.
constexpr quantised::convolution in_winograd_form(quantised::convolution direct) {
  const auto given = direct.weights_given();
  const auto area = static_cast<std::size_t>(direct.window.kernel_h * direct.window.kernel_w);
  const net::only_size weights{given / area * quantised::winograd_taps};
  if (direct.wide_weights.empty()) direct.weights = weights;
  else direct.wide_weights = weights;
  direct.winograd = true;
  return direct;
}

namespace detail {

// The predicted cycles of a convolution that is a whole program.
template <class Hw>
std::uint64_t cycles_alone(const quantised::convolution& op, std::span<const net::shape> in,
                           hw::precision p, const cost::memory& m) {
  assembly to(contents::none());
  const auto cube = [&](label name, plan::memory where, net::shape s) {
    auto home = layer::packed(s, Hw::spec.atom(), {}, p);
    home.at = to.reserve(std::move(name), where, home.size);
    return home;
  };
  site<quantised::convolution> s{.op = op, .name = "convolution"};
  for (const auto& shape : in) s.in.push_back(cube("input", plan::memory::input, shape));
  s.out = cube("output", plan::memory::output, op.infer(in));
  lowering<quantised::convolution, Hw>::run(to, s);
  return cycles_in_order<Hw>(std::move(to.result), m);
}

}  // namespace detail

// Whether Hw computes the convolution in Winograd's mode, and takes at least an eighth fewer
// cycles by it, predicted for this memory, as the mode costs accuracy. The pooling that alone reads the result, if
// there is one, then reads it from memory. In fp16 the input fills its atoms: what lies in the lanes
// beyond the last channel is multiplied by 0, but may be no number.
template <class Hw>
bool is_faster_in_winograd(const quantised::convolution& direct, const quantised::pool* pool,
                           std::span<const net::shape> in, hw::precision p,
                           const cost::memory& m = cost::memory_of(Hw::spec)) {
  const auto lanes = layer::lanes_of(Hw::spec.atom(), p);
  if (p == hw::precision::fp16 && static_cast<std::uint64_t>(in[0].c) % lanes != 0) return false;
  const auto transformed = in_winograd_form(direct);
  if (!Hw::spec.data_types.has(p) || check_support<Hw>(transformed, in, p) != reason::none ||
      check_support<Hw>(direct, in, p) != reason::none)
    return false;
  const auto is_worth_it = [](std::uint64_t now, std::uint64_t before) {
    return now * 8 <= before * 7;
  };
  const auto now = detail::cycles_alone<Hw>(transformed, in, p, m);
  const auto before = detail::cycles_alone<Hw>(direct, in, p, m);
  if (!is_worth_it(now, before)) return false;
  const std::optional<quantised::pixels> none;
  if (pool == nullptr || why_apart<Hw>(direct, in, none, *pool, p) != apart::none) return true;
  const detail::pair_of_layers both{direct, *pool, in, none, {}, p};
  const auto together = pooled::of(*pool, both.convolved(), both.out());
  const auto apart = detail::cycles_of<Hw>(both, {}, m) - before + now;
  return is_worth_it(apart, detail::cycles_of<Hw>(both, together, m));
}

}  // namespace nvdlac::lower
