// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/traffic.hpp>

namespace nvdlac::cost {

// All that the model of cycles takes from measurements, in cycles unless said. Measured on
// NVIDIA's RTL (nvdla/hw, master) of nv_small and nv_large with a memory of read latency 64, write
// latency 20 and one beat a cycle each way; the same numbers serve both, and the configurations
// that were not measured. What follows from a configuration's parameters is not here.

struct coefficients {
  // CDMA to CSC: from a convolution's start to its first MAC, besides the latency, the transfer
  // and one cycle for each kernel of the first group, which CMAC takes one by one.
  std::uint64_t after_data = 70;       // when data came last
  std::uint64_t after_weights = 64;    // when weights came last
  // A kernel group that had to wait for room in the CBUF: from its last atom, likewise.
  std::uint64_t after_refill = 12;
  // From one convolution's last MAC to the next one's first when all of it is in the CBUF.
  std::uint64_t between_convolutions = 65;
  // Where MCIF takes several requests for data for each for weights: sevenths of the cycles that
  // the fetch of data loses in which weights come at most, and of the weights that come in such
  // cycles (four layers of techniques.md that were measured, within 1 %).
  std::uint64_t gaps_filled = 6, weights_in_gaps = 5;
  // CDMA fetches the lines of an image with so many cycles between them.
  std::uint64_t image_line = 3;
  // From the last answer of an operation of CDMA to the first request of the next one.
  std::uint64_t between_fetches = 20;
  // CDMA's requests for weights that may go beyond the banks (`wt_req_sum`), atoms.
  std::uint64_t weights_ahead = 8;

  // CMAC and CACC: from a step's first MAC to its first atom in the delivery buffer; from an atom
  // delivered to its credit at CSC (NV_NVDLA_CSC_sg.v); one more cycle for each atom delivered
  // (NV_NVDLA_CACC_delivery_buffer.v).
  std::uint64_t to_delivery = 20;
  std::uint64_t to_credit = 18;
  // There is none in nv_full.
  std::uint64_t dead_delivery = 1;
  // CACC is done so many cycles before the last atom would be a credit's base.
  std::uint64_t cacc_done_before = 6;
  // From CACC's end to SDP's, besides the latency of a write.
  std::uint64_t sdp_after_cacc = 26, sdp_after_cacc_full = 38;
  // From SDP's end to PDP's on the fly.
  std::uint64_t pdp_after_sdp = 20, pdp_after_sdp_full = 60;

  // SDP, PDP and CDP from memory: besides the transfer, and besides the elements of a cube too
  // short to fill the reads in flight.
  std::uint64_t sdp = 123, sdp_short = 135;
  std::uint64_t sdp_unit = 10;         // for each of X1 and X2 that computes
  std::uint64_t pdp = 126, pdp_short = 143;
  std::uint64_t pdp_bottom_rows = 8;   // besides the lines of windows that end in the padding
  std::uint64_t cdp = 158, cdp_short = 164;
  std::uint64_t rubik = 150;           // not measured

  // A read's way besides the memory's latency; PDP's reader needs one more.
  std::uint64_t round_trip = 14;
  std::uint64_t round_trip_pdp = 15;
  // Read DMAs hold as many atoms in flight as cover the spec's latency, at so many bytes a cycle
  // (project.h, *_LATENCY_FIFO_DEPTH).
  std::uint64_t reader_rate = 8;

  // The memory of the measurements; NVDLA's OUTSTANDING_CNT after reset lets reads of 256 beats out
  // (axi_len + 1 in NV_NVDLA_MCIF_READ_IG_cvt.v).
  std::uint64_t write_latency = 20;
  std::uint64_t outstanding = 256;

  // Register accesses of nvdlac's traces: before a layer's first OP_ENABLE, and from there to its
  // last one (with the time of the poll for CBUF's flush).
  std::uint64_t accesses_convolution = 112, accesses_enabling_convolution = 22;
  std::uint64_t accesses_sdp = 38, accesses_enabling_sdp = 2;
  std::uint64_t accesses_pdp = 43, accesses_cdp = 43;
};

inline constexpr coefficients measured{};

// What nv_full's RTL, of another branch, has different: whether that is this configuration's.
constexpr bool is_nvdlav1(const hw::spec& s) { return s.map == hw::register_map::full; }
// Cycles in which so many elements of a pixel go from CACC to SDP at best.
constexpr std::uint64_t delivery_of(const hw::spec& s, std::uint64_t elements) {
  return ceil_div(elements, std::max<std::uint64_t>(1, s.sdp_bs_bn_throughput)) +
         (is_nvdlav1(s) ? 0 : measured.dead_delivery);
}
constexpr std::uint64_t sdp_after_cacc(const hw::spec& s) {
  return is_nvdlav1(s) ? measured.sdp_after_cacc_full : measured.sdp_after_cacc;
}

// What an NVDLA's cycles depend on besides its program: the memory behind it and its host.

// What a program may use unless it is said: as much as NVIDIA's compiler takes for the CVSRAM of a
// configuration (`localCvsramSize` in its profile). No specification has a size.
inline constexpr std::uint64_t usual_cvsram = 1 << 20;

// The secondary memory that the configuration was made for, of so many bytes.
constexpr cost::cvsram cvsram_of(const hw::spec& s, std::uint64_t size) {
  return {.bytes = size, .width = s.sram.width_bits / 8, .read_latency = s.sram.latency,
          .write_latency = measured.write_latency, .outstanding = measured.outstanding};
}

// The memory that the configuration was made for, as register programs set its arbiter, with the
// secondary one of the specification, if it has one, or with another one.
constexpr memory memory_of(const hw::spec& s, const cost::cvsram& beside) {
  return {.width = s.dram.width_bits / 8, .read_latency = s.dram.latency,
          .write_latency = measured.write_latency, .outstanding = measured.outstanding,
          .data_turns = layer::data_turns, .cvsram = beside};
}
constexpr memory memory_of(const hw::spec& s) {
  return memory_of(s, s.has_sram() ? cvsram_of(s, 0) : cost::cvsram{});
}

// When a layer's registers are written. Ahead: into the free register group while the layer before
// it runs, enabled when all that it depends on is done; so do the public firmware, register traces
// and register programs. Serial: when the layer before it is done.
enum class order : std::uint8_t { ahead, serial };

struct host {
  cost::order order = cost::order::ahead;
  std::uint64_t access = 0;     // cycles of one register access
  std::uint64_t interrupt = 0;  // cycles from a layer's end to the first access that follows it

  constexpr bool operator==(const host&) const = default;
};

// The bus between the units and one of the memories, seen by one client: cycles of so many atoms.
class bus {
 public:
  constexpr bus(const hw::spec& s, const memory& m, bool of_cvsram = false)
      : atom_(s.memory_atom),
        round_trip_(m.read_latency_of(of_cvsram) + measured.round_trip),
        is_alone_(m.cvsram.bytes == 0) {
    const std::uint64_t beat = (of_cvsram ? s.sram : s.dram).width_bits / 8;
    const std::uint64_t given = of_cvsram ? m.cvsram.width : m.width;
    const std::uint64_t beats = of_cvsram ? m.cvsram.outstanding : m.outstanding;
    width_ = std::max<std::uint64_t>(1, std::min(given, beat));
    outstanding_ = std::max<std::uint64_t>(1, beats * std::max<std::uint64_t>(1, beat / atom_));
  }

  constexpr std::uint64_t cycles(std::uint64_t atoms) const {
    return std::max(ceil_div(atoms * atom_, width_), ceil_div(atoms * round_trip_, outstanding_));
  }
  // Atoms that come in so many cycles while the layer before computes: by the width alone, which is
  // too many of a memory far away, or also by the requests in flight where there are two memories
  // and the layer is a pass whose data are there, so that only weights come.
  constexpr std::uint64_t ahead(std::uint64_t cycles, bool only_weights) const {
    const auto by_width = cycles * width_ / atom_;
    if (is_alone_ || !only_weights) return by_width;
    return std::min(by_width, cycles * outstanding_ / round_trip_);
  }
  constexpr std::uint64_t atom() const { return atom_; }
  constexpr std::uint64_t width() const { return width_; }

 private:
  std::uint64_t atom_, width_ = 1, round_trip_;
  std::uint64_t outstanding_ = 1;  // reads in flight, of an atom each
  bool is_alone_;                  // there is no other memory
};

// Cycles in which both memories, beside each other, move what is read and what is written.
constexpr std::uint64_t moving(const hw::spec& s, const memory& m,
                               const std::array<layer::traffic, 2>& by_memory) {
  std::uint64_t most = 0;
  for (const bool of_cvsram : {false, true}) {
    const auto& moved = by_memory[of_cvsram ? 1 : 0];
    const auto atoms = std::max(ceil_div(moved.read, s.memory_atom),
                                ceil_div(moved.written, s.memory_atom));
    if (atoms != 0) most = std::max(most, bus(s, m, of_cvsram).cycles(atoms));
  }
  return most;
}
constexpr void add(std::array<layer::traffic, 2>& to, const layer::client_traffic& moved) {
  for (const bool of_cvsram : {false, true}) {
    to[of_cvsram ? 1 : 0].read += moved.read(of_cvsram);
    to[of_cvsram ? 1 : 0].written += moved.written_to(of_cvsram);
  }
}

// The cycles of layers that go from memory to memory: SDP, PDP, CDP and Rubik. Each takes atom
// after atom: what is slowest of the unit, of the reads in flight, and of the memory decides.

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
// What PDP adds behind SDP.
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
