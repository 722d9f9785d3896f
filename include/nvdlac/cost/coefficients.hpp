// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::cost {

// All that the model of cycles takes from measurements, in cycles unless said. Measured on NVIDIA's
// RTL (nvdla/hw, master; nv_full's is of branch nvdlav1) with memories of read latency 16 to 1,024,
// write latency 20 and one beat a cycle each way; the same numbers serve all configurations. What
// follows from a configuration's parameters is not here.

struct coefficients {
  // CDMA to CSC: from a convolution's start to its first MAC, besides the latency, the transfer
  // and one cycle for each kernel of the first group, which CMAC takes one by one.
  std::uint64_t after_data = 70;       // when data came last
  std::uint64_t after_weights = 64;    // when weights came last
  // So many cycles before the last MAC of a kernel group CDMA requests what takes that group's
  // room, on the scale on which a layer's first request is its start.
  std::uint64_t before_last_mac = 52;
  // From one convolution's last MAC, and from CSC's enabling, to the next one's first when all of
  // it is in the CBUF, besides one cycle for each kernel of the first group.
  std::uint64_t between_convolutions = 57, after_sequencer = 28;
  // Where MCIF takes several requests for data for each for weights: sevenths of the cycles that
  // the fetch of data loses in which weights come at most, and of the weights that come in such
  // cycles (four layers of techniques.md that were measured, within 1 %).
  std::uint64_t gaps_filled = 6, weights_in_gaps = 5;
  // CDMA fetches the lines of an image with so many cycles between them.
  std::uint64_t image_line = 3;
  // From the last answer of an operation of CDMA to the first request of the next one (96 cycles
  // between the requests at a latency of 64), and until a read of its status tells that it is done.
  std::uint64_t between_fetches = 32, fetch_seen = 37;
  // CDMA's requests for weights that may go beyond the banks (`wt_req_sum`), atoms.
  std::uint64_t weights_ahead = 8;

  // CMAC and CACC: from a step's first MAC to its first atom in the delivery buffer; from an atom
  // delivered to its credit at CSC (NV_NVDLA_CSC_sg.v); one more cycle for each atom delivered
  // (NV_NVDLA_CACC_delivery_buffer.v).
  std::uint64_t to_delivery = 20;
  std::uint64_t to_credit = 18;
  std::uint64_t dead_delivery = 1;
  // CACC is done so many cycles before the last atom would be a credit's base.
  std::uint64_t cacc_done_before = 6;
  // From CACC's end to SDP's, besides the latency of a write.
  std::uint64_t sdp_after_cacc = 26;
  // From SDP's end to PDP's on the fly.
  std::uint64_t pdp_after_sdp = 20;

  // SDP, PDP and CDP from memory: from the first answer to the end, besides the elements and the
  // latency of a write.
  std::uint64_t sdp = 49;
  std::uint64_t sdp_unit = 10;         // for each of X1 and X2 that computes
  std::uint64_t pdp = 59;
  // SDP takes a line, and a tile of Winograd's mode from CACC, in so many cycles at least.
  std::uint64_t sdp_line = 0, winograd_tile = 0;
  // Whether PDP and CDP take half as many elements of 16 bits a cycle as of 8.
  bool half_of_16_bits = false;
  // CDMA of nvdlav1 takes a line of one surface, and one of two, in so many cycles at least.
  std::uint64_t fetch_line = 3, fetch_lines = 4;
  std::uint64_t pdp_bottom_rows = 8;   // besides the lines of windows that end in the padding
  // PDP takes a line in so many cycles at least: nv_large, lines of one atom.
  std::uint64_t pdp_line = 7;
  std::uint64_t cdp = 103, cdp_short = 80;  // short: a cube within the reads in flight
  // CDP of nv_full goes through lines by eight columns, the first of which pass before anything is
  // computed. Besides for each eight columns of a line that has more than four, and in fp16 for
  // all of a layer and for each whole eight columns: 13 cubes in each precision.
  std::uint64_t cdp_columns = 0, cdp_fp16 = 0, cdp_fp16_columns = 0;
  std::uint64_t rubik = 66;            // not measured
  // From a unit's last element until its reader begins the next layer: SDP, 1 to 512 atoms one
  // behind the other at latencies of 16, 64 and 256; taken for PDP and CDP as well.
  std::uint64_t reader_after = 15;
  // Where SDP waits for operands: from the answer to the first read until it takes CACC's first
  // atom. Of kernels (dscnn on nv_small), and of points (sums of 56 pixels on nv_large).
  std::uint64_t operands_to_result = 13, points_to_result = 33;
  // From a layer's end to that of the one behind it of which all is read, besides the unit's
  // cycles: what the shortest of these latencies leaves at most, not a measurement of its own.
  std::uint64_t unit_after = 34;

  // A read's way besides the memory's latency, alone and where a request asks for a burst of
  // beats; PDP's reader needs one more.
  std::uint64_t round_trip = 14, round_trip_of_bursts = 17;
  std::uint64_t round_trip_of_pdp = 1;
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
  std::uint64_t accesses_table = 340;  // of a layer that needs another table than its unit has
};

inline constexpr coefficients measured{};

// Measurements of nv_full, whose RTL is of another branch, where they differ.
inline constexpr coefficients measured_on_nvdlav1{.dead_delivery = 0,
                                                  .sdp_after_cacc = 38,
                                                  .pdp_after_sdp = 60,
                                                  .sdp = 62,
                                                  .pdp = 66,
                                                  .sdp_line = 3,
                                                  .winograd_tile = 6,
                                                  .half_of_16_bits = true,
                                                  .cdp = 80,
                                                  .cdp_columns = 2,
                                                  .cdp_fp16 = 28,
                                                  .cdp_fp16_columns = 1};

// Whether the configuration's RTL is of that branch.
constexpr bool is_nvdlav1(const hw::spec& s) { return s.map == hw::register_map::full; }
constexpr const coefficients& measured_on(const hw::spec& s) {
  return is_nvdlav1(s) ? measured_on_nvdlav1 : measured;
}
// Elements of SDP in a cycle: of Y, where that looks them up.
constexpr std::uint64_t elements_of_sdp(const hw::spec& s, bool looks_up) {
  const auto x = s.sdp_bs_bn_throughput, y = s.sdp_ew_throughput;
  return std::max<std::uint64_t>(1, looks_up && s.has_ew() ? std::min(x, y) : x);
}
// Cycles in which so many elements of a pixel go from CACC to SDP at best. What Y takes longer for
// hides the cycle that CACC loses.
constexpr std::uint64_t delivery_of(const hw::spec& s, std::uint64_t elements,
                                    bool looks_up = false) {
  const auto handed =
      ceil_div(elements, elements_of_sdp(s, false)) + measured_on(s).dead_delivery;
  return looks_up ? std::max(handed, ceil_div(elements, elements_of_sdp(s, true))) : handed;
}

}  // namespace nvdlac::cost
