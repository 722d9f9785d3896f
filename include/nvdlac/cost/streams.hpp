// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cycles of layers that go from memory to memory: SDP, PDP, CDP and Rubik. Each takes atom
// after atom: what is slowest of the unit, of the reads in flight, and of the memory decides.
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/traffic.hpp>

namespace nvdlac::cost {

// The three bounds of a stream, and what is added to the largest. In cycles.
struct stream_cost {
  std::uint64_t unit = 0, latency = 0, memory = 0;
  std::uint64_t fixed = 0;
  std::uint64_t shortest = 0;  // of all together

  constexpr std::uint64_t cycles() const {
    return std::max(std::max({unit, latency, memory}) + fixed, shortest);
  }
};

namespace detail {

// Bytes that a reader has in flight.
constexpr std::uint64_t in_flight(const hw::spec& s, std::uint64_t throughput) {
  return std::max<std::uint64_t>(
      s.memory_atom,
      s.dram.latency * std::min<std::uint64_t>(throughput, measured.reader_rate));
}

constexpr stream_cost stream(const hw::spec& s, const memory& m,
                             const layer::client_traffic& moved, hw::precision p,
                             std::uint64_t throughput, std::uint64_t round_trip,
                             std::uint64_t fixed, std::uint64_t of_a_short_cube) {
  std::array<layer::traffic, 2> by_memory{};
  add(by_memory, moved);
  const auto unit = ceil_div(moved.source, throughput * hw::element_bytes(p));
  const auto latency = m.read_latency_of(moved.in_cvsram.source) + round_trip;
  const auto in_flight_latency = ceil_div(moved.source * latency, in_flight(s, throughput));
  return {.unit = unit, .latency = in_flight_latency,
          .memory = moving(s, m, by_memory),
          .fixed = fixed, .shortest = of_a_short_cube + unit};
}

constexpr stream_cost cost_of(const layer::sdp& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  const std::uint64_t units = (l.x1.enabled() ? 1u : 0u) + (l.x2.enabled() ? 1u : 0u);
  return stream(s, m, moved, l.input.precision, std::max<std::uint64_t>(1, s.sdp_bs_bn_throughput),
                measured.round_trip, measured.sdp + measured.sdp_unit * units,
                measured.sdp_short);
}

// Cycles in which PDP takes an atom.
constexpr std::uint64_t pooling_of_an_atom(const hw::spec& s, hw::precision p) {
  return ceil_div(layer::lanes_of(s.atom(), p), std::max<std::uint64_t>(1, s.pdp_throughput));
}

// Rows of windows that end behind the input.
constexpr std::uint64_t rows_in_the_padding(const layer::pdp& l) {
  std::uint64_t rows = 0;
  for (std::int32_t y = 0; y < l.output.shape.h; ++y)
    if (y * l.window.stride_h + l.window.kernel_h - l.window.pad_top > l.input.shape.h) ++rows;
  return rows;
}
// These lines of windows are computed when nothing comes any more.
constexpr std::uint64_t bottom_of(const layer::pdp& l, const hw::spec& s) {
  const auto rows = rows_in_the_padding(l);
  const auto line = static_cast<std::uint64_t>(l.output.shape.w) *
                    pooling_of_an_atom(s, l.input.precision);
  return rows == 0 ? 0 : rows * line + measured.pdp_bottom_rows;
}
constexpr stream_cost cost_of(const layer::pdp& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  const auto bottom = bottom_of(l, s);
  return stream(s, m, moved, l.input.precision, std::max<std::uint64_t>(1, s.pdp_throughput),
                measured.round_trip_pdp, measured.pdp + bottom, measured.pdp_short + bottom);
}
// The cycles that PDP adds behind SDP.
constexpr std::uint64_t after_sdp(const layer::pdp& l, const hw::spec& s) {
  return (is_nvdlav1(s) ? measured.pdp_after_sdp_full : measured.pdp_after_sdp) +
         bottom_of(l, s);
}
constexpr stream_cost cost_of(const layer::cdp& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  return stream(s, m, moved, l.input.precision, std::max<std::uint64_t>(1, s.cdp_throughput),
                measured.round_trip, measured.cdp, measured.cdp_short);
}
constexpr stream_cost cost_of(const layer::rubik& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  return stream(s, m, moved, l.input.precision, s.memory_atom, measured.round_trip,
                measured.rubik, measured.rubik);
}

// Convolutions are no streams, and what the host computes is not counted.
constexpr stream_cost cost_of(const auto&, const hw::spec&, const memory&,
                              const layer::client_traffic&) {
  return {};
}

}  // namespace detail

constexpr stream_cost stream_of(const layer::any& what, const hw::spec& s, const memory& m) {
  const auto moved = layer::clients_of(what, s.atom());
  return nvdlac::visit([&](const auto& l) { return detail::cost_of(l, s, m, moved); }, what);
}

}  // namespace nvdlac::cost
