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
  std::uint64_t behind = 0;  // of `fixed`, what follows the first answer

  constexpr std::uint64_t cycles() const { return std::max({unit, latency, memory}) + fixed; }
};

namespace detail {

// Atoms that a reader has in flight.
constexpr std::uint64_t in_flight(const hw::spec& s, std::uint64_t throughput) {
  return std::max<std::uint64_t>(
      1, s.dram.latency * std::clamp<std::uint64_t>(throughput, 1, measured.reader_rate) /
             s.memory_atom);
}
// The way of a read besides the memory's latency.
constexpr std::uint64_t round_trip_of(const hw::spec& s) {
  return s.dram.burst > 1 ? measured.round_trip_of_bursts : measured.round_trip;
}

// The bytes that a unit takes in so many cycles.
struct stream_rate {
  std::uint64_t bytes = 1, cycles = 1;

  constexpr std::uint64_t cycles_of(std::uint64_t n) const { return ceil_div(n * cycles, bytes); }
};
constexpr stream_rate elements_a_cycle(std::uint64_t elements, hw::precision p) {
  return {.bytes = std::max<std::uint64_t>(1, elements) * hw::element_bytes(p)};
}

// The way of a cube through a unit. Its reader has `depth` atoms in flight, which are there a
// `round_trip` later beside the memory's latency; what comes last goes through the unit alone.
struct streaming {
  stream_rate rate{};
  std::uint64_t depth = 1, round_trip = 0;
  std::uint64_t own = 0;  // of the unit, from the first answer on, besides the write at the end
  std::uint64_t own_of_one_turn = own;  // where all are in flight at once
};
constexpr stream_cost stream(const hw::spec& s, const memory& m,
                             const layer::client_traffic& moved, const streaming& by) {
  std::array<layer::traffic, 2> by_memory{};
  add(by_memory, moved);
  const auto atoms = ceil_div(moved.source, s.memory_atom);
  const auto rounds = atoms == 0 ? 0 : (atoms - 1) / by.depth;
  const auto last = atoms - rounds * by.depth;
  const auto latency = m.read_latency_of(moved.in_cvsram.source);
  const auto written = m.write_latency_of(moved.in_cvsram.written);
  const auto behind = (rounds == 0 ? by.own_of_one_turn : by.own) + written;
  return {.unit = by.rate.cycles_of(moved.source),
          .latency = rounds * (latency + by.round_trip) + by.rate.cycles_of(last * s.memory_atom),
          .memory = moving(s, m, by_memory),
          .fixed = latency + behind,
          .behind = behind};
}

// The lines of all surfaces that a unit reads.
constexpr std::uint64_t lines_of(const auto& l, const hw::spec& s) {
  return layer::surfaces(l.input.shape, s.atom(), l.input.precision) *
         static_cast<std::uint64_t>(l.input.shape.h) * static_cast<std::uint64_t>(l.input.pictures);
}

constexpr stream_cost cost_of(const layer::sdp& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  const std::uint64_t units = (l.x1.enabled() ? 1u : 0u) + (l.x2.enabled() ? 1u : 0u);
  auto cost = stream(s, m, moved,
                     {.rate = elements_a_cycle(elements_of_sdp(s, l.lut >= 0), l.input.precision),
                      .depth = in_flight(s, s.sdp_bs_bn_throughput),
                      .round_trip = round_trip_of(s),
                      .own = measured_on(s).sdp + measured.sdp_unit * units});
  cost.unit = std::max(cost.unit, lines_of(l, s) * measured_on(s).sdp_line);
  return cost;
}

// The rate of PDP or CDP, of so many elements of 8 bits a cycle.
constexpr stream_rate plane_rate(const hw::spec& s, std::uint64_t throughput, hw::precision p) {
  return elements_a_cycle(throughput, measured_on(s).half_of_16_bits ? hw::precision::int8 : p);
}
// Cycles in which PDP takes an atom.
constexpr std::uint64_t pooling_of_an_atom(const hw::spec& s, hw::precision p) {
  return plane_rate(s, s.pdp_throughput, p).cycles_of(s.memory_atom);
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
  auto cost = stream(s, m, moved,
                     {.rate = plane_rate(s, s.pdp_throughput, l.input.precision),
                      .depth = in_flight(s, s.pdp_throughput),
                      .round_trip = round_trip_of(s) + measured.round_trip_of_pdp,
                      .own = measured_on(s).pdp + bottom_of(l, s)});
  cost.unit = std::max(cost.unit, lines_of(l, s) * measured.pdp_line);
  return cost;
}
// The cycles that PDP adds behind SDP.
constexpr std::uint64_t after_sdp(const layer::pdp& l, const hw::spec& s) {
  return measured_on(s).pdp_after_sdp + bottom_of(l, s);
}
// The cycles of nv_full's CDP besides those of its atoms and of any layer.
constexpr std::uint64_t columns_of(const layer::cdp& l, const hw::spec& s) {
  constexpr std::uint64_t together = 8, hidden = 4;
  const auto& of = measured_on(s);
  if (of.cdp_columns == 0) return 0;
  const auto lines = lines_of(l, s);
  const auto w = static_cast<std::uint64_t>(l.input.shape.w);
  const auto first = plane_rate(s, s.cdp_throughput, l.input.precision)
                         .cycles_of(std::min(w, together) * s.memory_atom);
  const auto columns = w <= hidden ? 0 : lines * ceil_div(w, together) * of.cdp_columns;
  if (l.input.precision != hw::precision::fp16) return first + columns;
  return first + columns + of.cdp_fp16 + lines * (w / together) * of.cdp_fp16_columns;
}
constexpr stream_cost cost_of(const layer::cdp& l, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  const auto columns = columns_of(l, s);
  return stream(s, m, moved,
                {.rate = plane_rate(s, s.cdp_throughput, l.input.precision),
                 .depth = in_flight(s, s.cdp_throughput),
                 .round_trip = round_trip_of(s),
                 .own = measured_on(s).cdp + columns,
                 .own_of_one_turn = measured.cdp_short + columns});
}
constexpr stream_cost cost_of(const layer::rubik&, const hw::spec& s, const memory& m,
                              const layer::client_traffic& moved) {
  return stream(s, m, moved,
                {.rate = {.bytes = s.memory_atom}, .depth = in_flight(s, s.memory_atom),
                 .round_trip = round_trip_of(s), .own = measured.rubik});
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
