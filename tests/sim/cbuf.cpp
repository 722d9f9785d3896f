// SPDX-License-Identifier: Apache-2.0
// Data that stay in the CBUF from layer to layer: each rule broken once, and what the rules allow.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/sim/conv/slices.hpp>

#include "program.hpp"

using namespace nvdlac;

namespace {

constexpr program::convolution shape{.width = 6, .height = 5, .channels = 16, .kernels = 12};
constexpr std::uint32_t kernel = 16 * 9;          // bytes
constexpr std::uint32_t weights = 12 * kernel;    // 216 entries
constexpr std::uint32_t result = 6 * 5 * 8 * 2;   // 12 channels in two surfaces
using words = program::registers<nv_small>;

// Two register groups in turn, from reset on.
class chip {
 public:
  explicit chip(const sim::settings& s = {}) : device(s) {
    std::mt19937 random(3);
    std::vector<std::uint8_t> noise(0x20000);
    for (auto& b : noise) b = static_cast<std::uint8_t>(random());
    device.dram().write(shape.input, noise);
    device.dram().write(shape.weights, noise);
  }

  // Writes the registers of `units` into the next group of each, and enables them in this order.
  void start(const words& r, std::initializer_list<std::string_view> units) {
    for (const auto u : units) {
      device.write(hw::find(nv_small::spec.map, text(u, ".S_POINTER"))->address, turn_[u]);
      turn_[u] ^= 1;
    }
    of_units to{device, units};
    r.write(to);
    program::enable(device, units);
  }
  std::vector<std::uint8_t> output() {
    std::vector<std::uint8_t> bytes(result);
    device.dram().read(shape.output, bytes);
    device.dram().fill(shape.output, result, 0);
    return bytes;
  }
  std::vector<std::uint8_t> run(const words& r) {
    start(r, {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"});
    CHECK(device.waiting().empty());
    return output();
  }
  void refuses(const words& r, const char* rule) {
    CHECK_THROWS_WITH_AS(run(r), doctest::Contains(rule), error);
  }

  sim::device<nv_small> device;

 private:
  // The bus as far as these units go: the others may be busy.
  struct of_units {
    sim::device<nv_small>& device;
    std::initializer_list<std::string_view> units;
    void write(std::uint32_t address, std::uint32_t value) {
      if (std::ranges::find(units, hw::find(nv_small::spec.map, address)->unit) != units.end())
        device.write(address, value);
    }
  };

  std::map<std::string_view, std::uint32_t> turn_;
};

words layer() { return program::convolution_registers<nv_small>(shape); }
words both(words r, const char* field, std::int64_t value) {
  for (const std::string unit : {"CDMA", "CSC"}) r.set(unit + field, value);
  return r;
}
words weight_bytes(std::uint32_t n) { return both(layer(), ".D_WEIGHT_BYTES", n); }
words weight_banks(words r, std::int64_t n) { return both(std::move(r), ".D_BANK.WEIGHT_BANK", n); }

constexpr const char* keep_data = ".D_MISC_CFG.SKIP_DATA_RLS";
constexpr const char* keep_weights = ".D_MISC_CFG.SKIP_WEIGHT_RLS";
constexpr const char* reuse_data = ".D_MISC_CFG.DATA_REUSE";
constexpr const char* reuse_weights = ".D_MISC_CFG.WEIGHT_REUSE";

const std::vector<std::uint8_t>& expected() {
  static const auto bytes = chip{}.run(layer());
  return bytes;
}

}  // namespace

TEST_CASE("layers and runs in a row leave nothing in the CBUF") {
  chip c;
  for (int i = 0; i < 50; ++i) {
    CHECK(c.run(i % 3 == 0 ? weight_banks(layer(), 3) : layer()) == expected());
    CHECK(c.device.leak() == sim::cbuf_leak{});
  }
}

TEST_CASE("weights of one entry too many are never released") {
  chip c;
  CHECK(c.run(weight_bytes(weights + 8)) == expected());  // the first layer is right
  CHECK(c.device.leak().weights == 1);
  c.refuses(layer(), "CDMA.D_WEIGHT_BYTES: 1 of the 217 CBUF entries");
  CHECK(c.run(layer()) == expected());  // a refused layer leaves the CBUF as after reset

  chip other;
  other.run(weight_bytes(weights + 120));
  other.refuses(weight_banks(layer(), 3), "15 of the 231 CBUF entries");
}

TEST_CASE("weights of one entry too few are refused at once") {
  chip{}.refuses(weight_bytes(weights - 8), "CDMA.D_WEIGHT_BYTES");
}

TEST_CASE("leaked entries fill the banks of weights in the end") {
  chip c({.lenient = true});
  const auto even = weight_bytes(weights + 120), odd = weight_banks(even, 3);
  int layers = 0;
  std::string end;
  for (; end.empty() && layers < 200; ++layers) try {
      const auto out = c.run(layers % 2 == 0 ? even : odd);
      CHECK(out == expected());
    } catch (const error& e) {
      end = e.what();
    }
  CHECK(end.find("CDMA.D_WEIGHT_BYTES: CDMA waits for ever") != std::string::npos);
  // One bank of 512 entries holds a group of 8 kernels, 144 entries, beside 24 times 15.
  CHECK(layers == 27);
  CHECK(!c.device.take_warnings().empty());
}

TEST_CASE("what a layer keeps the next one reuses") {
  for (const auto& [keep, reuse] :
       {std::pair{keep_data, reuse_data}, std::pair{keep_weights, reuse_weights}}) {
    CAPTURE(keep);
    chip c;
    CHECK(c.run(both(layer(), keep, 1)) == expected());
    CHECK(c.run(both(both(layer(), reuse, 1), keep, 1)) == expected());
    CHECK(c.run(both(layer(), reuse, 1)) == expected());
    CHECK(c.device.leak() == sim::cbuf_leak{});
    c.run(both(layer(), keep, 1));  // kept for nobody: the next layer releases it
    CHECK(c.run(layer()) == expected());
    CHECK(c.device.leak() == sim::cbuf_leak{});
    c.run(layer());
    c.refuses(both(layer(), reuse, 1), reuse);  // nothing was kept
    c.run(both(layer(), keep, 1));
    const auto other_banks = weight_banks(both(layer(), reuse, 1), 3);
    if (keep == keep_weights) c.refuses(other_banks, reuse);
    else CHECK(c.run(other_banks) == expected());  // the data stays where it is
  }
}

TEST_CASE("only CDMA keeps what CSC releases") {
  chip c;
  c.run(layer().set("CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS", 1));
  c.start(both(layer(), reuse_weights, 1), {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA"});
  CHECK(c.device.waiting() != "");  // CSC waits for kernels that nobody brings
}

TEST_CASE("what CSC releases of a layer that kept its weights is what it was told") {
  chip c;
  c.refuses(layer().bytes("CSC.D_WEIGHT_BYTES", weights + 8), "CSC.D_WEIGHT_BYTES");
  chip d({.lenient = true});
  d.run(both(layer(), keep_weights, 1).bytes("CSC.D_WEIGHT_BYTES", weights + 8));
  d.refuses(layer(), "CSC.D_WEIGHT_BYTES");
}

TEST_CASE("slices that are not released come before those of the next layer") {
  chip c;
  CHECK(c.run(layer().count("CSC.D_RELEASE", 2)) == expected());
  CHECK(c.run(layer()) == expected());  // which releases them first
  CHECK(c.device.leak() == sim::cbuf_leak{});
  // CSC knows of four lines, CDMA brings five.
  auto less = layer();
  for (const std::string unit : {"CSC", "CACC", "SDP"})
    if (unit != "SDP") less.count(unit + ".D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", 4);
  less.count("CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT", 4).count("CSC.D_RELEASE", 4);
  less.count("CSC.D_ATOMICS", 24).count("SDP.D_DATA_CUBE_HEIGHT", 4);
  chip{}.refuses(less, "DATAIN_HEIGHT_EXT");
  chip lenient({.lenient = true});
  lenient.run(less);
  CHECK(lenient.device.leak().slices == 1);
  lenient.refuses(layer(), "CSC.D_RELEASE.RLS_SLICES: 1 slices");
}

TEST_CASE("no input streams through fewer banks than hold it") {
  // As the RTL of nv_small and nv_full: slices may leave before the next layer, but no layer begins
  // before all of its own are there, however few it keeps.
  constexpr program::convolution tall{.width = 16, .height = 64, .channels = 16, .kernels = 8};
  const auto rows = [&](std::int64_t banks, std::int64_t released) {
    return both(program::convolution_registers<nv_small>(tall), ".D_BANK.DATA_BANK", banks - 1)
        .count("CSC.D_RELEASE", released);
  };
  for (const std::int64_t released : {64, 16, 1}) {
    CHECK_NOTHROW(chip{}.run(rows(4, released)));
    chip{}.refuses(rows(3, released), "64 slices of 32 entries do not fit 3 banks: CDMA waits for "
                                      "ever behind 48 of them");
  }
}

TEST_CASE("both units divide the CBUF in the same way") {
  chip{}.refuses(layer().count("CSC.D_BANK.WEIGHT_BANK", 3), "CSC.D_BANK.WEIGHT_BANK");
  chip{}.refuses(layer().count("CDMA.D_BANK.DATA_BANK", 3), "CSC.D_BANK.DATA_BANK");
  chip c;
  c.run(layer());
  c.refuses(layer().count("CSC.D_BANK.WEIGHT_BANK", 3), "CSC.D_BANK.WEIGHT_BANK");
}

TEST_CASE("CDMA works ahead of CSC as far as the CBUF has room") {
  chip c;
  c.run(layer());
  c.start(layer(), {"CDMA"});
  CHECK(c.device.waiting().empty());  // its interrupts come before the convolution
  CHECK(c.device.leak().weights == 216);
  c.start(layer(), {"CDMA"});
  c.device.dram().fill(shape.input, 0x1000, 0);  // too late
  c.device.dram().fill(shape.weights, 0x1000, 0);
  for (int i = 0; i < 2; ++i) {
    c.start(layer(), {"CACC", "CMAC_A", "CMAC_B", "CSC", "SDP"});
    CHECK(c.output() == expected());
  }
  CHECK(c.device.leak() == sim::cbuf_leak{});
  // Two of three inputs of 60 slices fill its bank: the third waits, and both groups are taken.
  auto tall = program::convolution_registers<nv_small>(
      {.width = 6, .height = 20, .channels = 16, .kernels = 12});
  chip full;
  full.run(tall);
  for (int i = 0; i < 2; ++i) full.start(tall, {"CDMA"});
  CHECK(full.device.waiting().empty());
  full.start(tall, {"CDMA"});
  CHECK(full.device.waiting() == "CDMA");
  for (int i = 0; i < 3; ++i) full.start(tall, {"CACC", "CMAC_A", "CMAC_B", "CSC", "SDP"});
  CHECK(full.device.waiting().empty());
  CHECK(full.device.leak() == sim::cbuf_leak{});
}

TEST_CASE("CACC is enabled before CSC finds what it computes with") {
  constexpr auto rule = "CACC.D_OP_ENABLE: CSC is enabled and finds data and weights";
  using units = std::initializer_list<std::string_view>;
  for (const auto& order : {units{"SDP", "CMAC_A", "CMAC_B", "CSC", "CDMA", "CACC"},
                            units{"SDP", "CDMA", "CSC", "CACC", "CMAC_A", "CMAC_B"},
                            units{"CDMA", "CMAC_A", "CMAC_B", "CSC", "CACC", "SDP"}}) {
    chip strict, lenient({.lenient = true});
    CHECK_THROWS_WITH_AS(strict.start(layer(), order), doctest::Contains(rule), error);
    lenient.start(layer(), order);
    const auto warnings = lenient.device.take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].starts_with(rule));
  }
  for (const auto& order : {units{"CDMA", "CACC", "CSC", "SDP", "CMAC_A", "CMAC_B"},
                            units{"CSC", "CACC", "CDMA", "CMAC_A", "CMAC_B", "SDP"},
                            units{"CDMA", "SDP", "CMAC_A", "CMAC_B", "CACC", "CSC"}}) {
    chip c;
    c.start(layer(), order);
    CHECK(c.output() == expected());
  }
  // CSC needs nothing of CDMA where it reuses both.
  const auto reuse = both(both(layer(), reuse_data, 1), reuse_weights, 1);
  for (const auto& order : {units{"SDP", "CMAC_A", "CMAC_B", "CSC", "CACC"},
                            units{"SDP", "CMAC_A", "CMAC_B", "CACC", "CSC"}}) {
    chip c;
    c.run(both(both(layer(), keep_data, 1), keep_weights, 1));
    if (order.end()[-1] == "CSC") CHECK_NOTHROW(c.start(reuse, order));
    else CHECK_THROWS_WITH_AS(c.start(reuse, order), doctest::Contains(rule), error);
  }
  // CSC computes already with a part of the kernels that holds a kernel group.
  chip c;
  CHECK_THROWS_WITH_AS(c.start(layer().count("CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL", 8)
                                   .bytes("CDMA.D_WEIGHT_BYTES", 8 * kernel)
                                   .set("CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS", 1),
                               {"SDP", "CMAC_A", "CMAC_B", "CSC", "CDMA"}),
                       doctest::Contains(rule), error);
}

TEST_CASE("an operation of CDMA alone brings the weights of the layer after") {
  chip c;
  c.run(both(layer(), keep_data, 1));
  c.start(layer().set("CDMA.D_MISC_CFG.DATA_REUSE", 1).set("CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS", 1),
          {"CDMA"});
  c.device.dram().fill(shape.weights, 0x1000, 0);  // too late
  CHECK(c.run(layer().set("CDMA.D_MISC_CFG.WEIGHT_REUSE", 1)) == expected());
  CHECK(c.device.leak() == sim::cbuf_leak{});
}

TEST_CASE("lanes beyond the last channel are there for a CSC of more channels") {
  // CDMA is told 12 channels, CSC 16: as many entries, whole atoms.
  chip c;
  CHECK(c.run(layer().count("CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", 12)) == expected());
}

TEST_CASE("a slice of another shape is the same entries") {
  std::mt19937 random(9);
  for_each(hw::published{}, [&](auto t) {
    constexpr const auto& s = decltype(t)::type::spec;
    for (std::uint32_t channels = s.memory_atom; channels <= 9 * s.memory_atom;
         channels += s.memory_atom) {
      const sim::slice_shape one{7, channels};
      const auto entries = hw::feature_entries_per_slice(s, hw::precision::int8, 7, channels).n;
      // Every atom has a place of its own.
      std::vector<int> taken(entries * hw::atoms_per_entry(s));
      for (std::uint64_t x = 0; x < 7; ++x)
        for (std::uint64_t i = 0; i < channels / s.memory_atom; ++i)
          CHECK(taken.at(sim::slice_atom(s, 7, channels / s.memory_atom, x, i))++ == 0);
      std::vector<std::int8_t> data(std::size_t{3} * 7 * channels);
      for (auto& v : data) v = static_cast<std::int8_t>(random());
      // All entries as pixels of one entry, and back.
      const sim::slice_shape flat{static_cast<std::uint32_t>(entries), s.cbuf_entry};
      auto moved = data;
      sim::reshape_slices(s, one, flat, entries, 3, moved);
      for (std::uint32_t x = 0; x < 7; ++x)
        for (std::uint32_t ch = 0; ch < channels; ++ch)
          REQUIRE(moved[(entries * 1) * s.cbuf_entry +
                        sim::slice_atom(s, 7, channels / s.memory_atom, x, ch / s.memory_atom) *
                            s.memory_atom + ch % s.memory_atom] ==
                  data[(std::size_t{7} + x) * channels + ch]);
      sim::reshape_slices(s, flat, one, entries, 3, moved);
      CHECK(moved == data);
    }
  });
}
