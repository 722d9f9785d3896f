// SPDX-License-Identifier: Apache-2.0
// Facts that a program may rely on while layers run, and those that it may not rely on.
#include <nvdlac/sim/in_flight.hpp>

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <nvdlac/hw/registers.hpp>

using namespace nvdlac;

namespace {

using sim::unit;

constexpr auto bits = sim::in_flight::done_bits_of<hw::register_map::small>();

sim::footprint at(std::uint64_t begin, std::uint64_t end) {
  sim::footprint f;
  f.add(begin, end - begin);
  f.close();
  return f;
}

// A device that executes layers of SDP, PDP and convolutions when it is told so.
struct machine {
  sim::in_flight flight{bits};
  sim::tolerance rules;
  machine() { flight.observe_flush(); }
  sim::in_flight::consumers turns{};

  int group(unit u) const { return turns[static_cast<std::size_t>(u)]; }
  void enable(std::initializer_list<unit> units) {
    for (const auto u : units) flight.enable(u, group(u), "D_OP_ENABLE", rules);
  }
  void execute(std::initializer_list<unit> units, sim::footprint reads, sim::footprint writes,
               sim::in_flight::number fetch = 0) {
    const auto before = turns;
    for (const auto u : units) turns[static_cast<std::size_t>(u)] ^= 1;
    flight.executed(before, turns, fetch,
                    {.reads = {std::move(reads)}, .writes = {std::move(writes)}}, rules);
  }
  void sdp(sim::footprint reads, sim::footprint writes) {
    enable({unit::sdp_rdma, unit::sdp});
    execute({unit::sdp_rdma, unit::sdp}, std::move(reads), std::move(writes));
  }
  void pdp(sim::footprint reads, sim::footprint writes) {
    enable({unit::pdp_rdma, unit::pdp});
    execute({unit::pdp_rdma, unit::pdp}, std::move(reads), std::move(writes));
  }
  // Behind a fetch that begins at once.
  void convolve(sim::footprint reads, sim::footprint writes) {
    enable({unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b, unit::cacc, unit::sdp});
    const auto fetch = flight.fetched(group(unit::cdma), {.reads = {std::move(reads)}}, rules);
    turns[static_cast<std::size_t>(unit::cdma)] ^= 1;
    execute({unit::csc, unit::cmac_a, unit::cmac_b, unit::cacc, unit::sdp}, {}, std::move(writes),
            fetch);
  }
};

}  // namespace

TEST_CASE("what a layer writes is read by another one only behind its interrupt") {
  for (const bool waits : {false, true}) {
    machine m;
    m.sdp(at(0, 8), at(100, 200));
    if (waits) m.flight.observe(bits.sdp);
    if (waits) {
      m.pdp(at(150, 160), at(300, 308));
    } else {
      CHECK_THROWS_WITH_AS(m.pdp(at(150, 160), at(300, 308)),
                           doctest::Contains("PDP_RDMA.D_OP_ENABLE: reads 0x96 to 0x9f, which SDP "
                                             "may not have written yet"),
                           error);
    }
  }
}

TEST_CASE("the reader of a unit runs ahead of what the unit writes before") {
  machine m;
  m.sdp(at(0, 8), at(100, 108));
  CHECK_THROWS_WITH_AS(m.sdp(at(100, 108), at(200, 208)),
                       doctest::Contains("SDP_RDMA.D_OP_ENABLE"), error);
}

TEST_CASE("a unit counts from its OP_ENABLE on") {
  machine m;
  m.sdp(at(0, 8), at(100, 108));
  m.enable({unit::pdp_rdma, unit::pdp});  // before the wait
  m.flight.observe(bits.sdp);
  CHECK_THROWS_AS(m.execute({unit::pdp_rdma, unit::pdp}, at(100, 108), at(200, 208)), error);
}

TEST_CASE("a unit writes in order, and over what its own layers have read") {
  machine m;
  m.sdp(at(0, 8), at(100, 108));
  m.sdp(at(8, 16), at(0, 8));        // read by the first
  m.flight.observe(bits.sdp);
  m.sdp(at(16, 24), at(0, 8));       // written by the second
  CHECK_THROWS_WITH_AS(m.pdp(at(500, 508), at(16, 24)),
                       doctest::Contains("PDP.D_OP_ENABLE: writes 0x10 to 0x17, which SDP_RDMA may "
                                         "still read"),
                       error);
}

TEST_CASE("CDMA reads ahead of the layers that its convolution waits for") {
  machine m;
  m.convolve(at(0, 8), at(100, 108));
  m.convolve(at(8, 16), at(0, 8));  // behind the first convolution, which has read it
  machine other;
  other.enable({unit::cdma});
  other.flight.fetched(0, {.reads = {at(0, 8)}}, other.rules);
  CHECK_THROWS_WITH_AS(other.sdp(at(50, 58), at(0, 8)),
                       doctest::Contains("which CDMA may still read"), error);
}

TEST_CASE("CACC's interrupt tells of CDMA's reads, not of SDP's writes") {
  machine m;
  m.convolve(at(0, 8), at(100, 108));
  m.flight.observe(bits.cacc);
  m.flight.host_writes(0, 0, 8, m.rules);
  CHECK_THROWS_AS(m.flight.host_reads(0, 100, 8, m.rules), error);
  m.flight.observe(bits.sdp);
  m.flight.host_reads(0, 100, 8, m.rules);
}

TEST_CASE("both of CDMA's interrupts tell that it has read") {
  machine m;
  m.convolve(at(0, 8), at(100, 108));
  m.flight.observe(bits.cdma_weights);
  CHECK_THROWS_AS(m.flight.host_writes(0, 0, 8, m.rules), error);
  m.flight.observe(bits.cdma_data);
  m.flight.host_writes(0, 0, 8, m.rules);
}

TEST_CASE("an interrupt that nobody took may be that of an older layer") {
  machine m;
  // SDP hands to PDP, whose interrupt alone is taken; SDP's stays.
  m.enable({unit::sdp_rdma, unit::sdp, unit::pdp});
  m.execute({unit::sdp_rdma, unit::sdp, unit::pdp}, at(0, 8), at(100, 108));
  m.flight.observe(bits.pdp);
  m.sdp(at(0, 8), at(200, 208));
  m.flight.observe(bits.sdp << 1);
  m.sdp(at(0, 8), at(300, 308));  // group 0 again
  m.flight.observe(bits.sdp);           // perhaps that of the first layer
  CHECK_THROWS_AS(m.flight.host_reads(0, 300, 8, m.rules), error);
  m.flight.observe(bits.sdp);
  m.flight.host_reads(0, 300, 8, m.rules);
}

TEST_CASE("of several interrupts the oldest layer's is the first") {
  machine m;
  m.sdp(at(0, 8), at(100, 108));
  m.sdp(at(0, 8), at(200, 208));
  CHECK(m.flight.oldest_of(bits.sdp * 3) == bits.sdp);
  m.flight.observe(bits.sdp);
  CHECK(m.flight.oldest_of(bits.sdp * 3) == bits.sdp << 1);
}

TEST_CASE("registers and tables are written when their layer has ended") {
  machine m;
  m.enable({unit::sdp_rdma, unit::sdp});
  m.execute({unit::sdp_rdma, unit::sdp}, at(0, 8), at(100, 108));
  m.flight.configure(unit::sdp, 1, "SDP.D_CVT_SCALE", m.rules);
  CHECK_THROWS_WITH_AS(m.flight.configure(unit::sdp, 0, "SDP.D_CVT_SCALE", m.rules),
                       doctest::Contains("SDP.D_CVT_SCALE: written while SDP may still work"),
                       error);
  CHECK_THROWS_AS(m.flight.write_table(unit::sdp, "SDP.S_LUT_ACCESS_DATA", m.rules), error);
  m.flight.observe_idle(unit::sdp, 1);
  CHECK_THROWS_AS(m.flight.configure(unit::sdp, 0, "SDP.D_CVT_SCALE", m.rules), error);
  m.flight.observe_idle(unit::sdp, 0);
  m.flight.configure(unit::sdp, 0, "SDP.D_CVT_SCALE", m.rules);
  m.flight.write_table(unit::sdp, "SDP.S_LUT_ACCESS_DATA", m.rules);
  // Its writes may be on their way all the same.
  CHECK_THROWS_AS(m.flight.host_reads(0, 100, 8, m.rules), error);
  // A layer that is enabled and has not begun keeps a table from being written, too.
  m.enable({unit::sdp});
  CHECK_THROWS_WITH_AS(m.flight.write_table(unit::sdp, "SDP.S_LUT_ACCESS_DATA", m.rules),
                       doctest::Contains("written while group 1 of SDP is enabled"), error);
}

TEST_CASE("an operation of CDMA that brings nothing ends with the one before it") {
  machine m;
  m.convolve(at(0, 8), at(100, 108));
  m.enable({unit::cdma});
  m.flight.fetched(1, {}, m.rules);
  CHECK_THROWS_AS(m.flight.configure(unit::cdma, 1, "CDMA.D_BANK", m.rules), error);
  m.flight.observe(bits.cacc);
  m.flight.configure(unit::cdma, 1, "CDMA.D_BANK", m.rules);
}

TEST_CASE("a lenient device warns of what some latencies break") {
  machine m;
  m.rules = sim::tolerance(true);
  m.sdp(at(0, 8), at(100, 200));
  m.pdp(at(150, 160), at(300, 308));
  CHECK(m.rules.take_warnings().size() == 1);
}

TEST_CASE("CDMA is enabled when the CBUF is known to be flushed") {
  sim::in_flight flight{bits};
  sim::tolerance rules;
  flight.enable(unit::sdp, 0, "SDP.D_OP_ENABLE", rules);
  CHECK_THROWS_WITH_AS(flight.enable(unit::cdma, 0, "CDMA.D_OP_ENABLE", rules),
                       "CDMA.D_OP_ENABLE: enabled before CDMA.S_CBUF_FLUSH_STATUS was seen to be 1",
                       error);
  flight.observe_flush();
  flight.enable(unit::cdma, 0, "CDMA.D_OP_ENABLE", rules);
}
