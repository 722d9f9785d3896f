// SPDX-License-Identifier: Apache-2.0
// Configurations that are numbers alone: which there are, what each would do with a network, and
// that this is what the compiler of the published ones does.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/explore.hpp>

#include "import/files.hpp"
#include "planned.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

using ranges = std::vector<explore::range>;

bool same(const explore::point& p, const cli::target& t, const plan::program_data& program) {
  return p.refused.empty() && p.spec == t.spec() &&
         p.totals == cost::cycles(program.tasks, t.spec(), cost::memory_of(t.spec())).totals &&
         p.features == program.features_size && p.weights == program.weights_size;
}

}  // namespace

TEST_CASE("a configuration of numbers does what the compiler of its type does") {
  for (const auto* target : cli::targets())
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(target->name());
      CAPTURE(seed);
      const auto g = random_graph::make(seed);
      const auto p = explore::predict(target->spec(), g);
      try {
        CHECK(same(p, *target, planned(*target, g)));
      } catch (const error& e) {
        CHECK(p.refused != "");
      }
    }
}

TEST_CASE("all legal combinations of the ranges, in their order") {
  const auto found = explore::configurations(
      nv_small::spec,
      ranges{{"mac_atomic_c", {8, 16}}, {"cbuf_entry", {8, 16}}, {"dram.width_bits", {64, 128}}});
  REQUIRE(found.size() == 4);  // an entry holds the channels of a MAC cell
  CHECK(found[0] == nv_small::spec);
  CHECK(found[1].dram.width_bits == 128);
  CHECK(found[2].mac_atomic_c == 16);
  CHECK(found[2].cbuf_entry == 16);
  for (const auto& s : found) CHECK(hw::broken_rule(s) == nullptr);
}

TEST_CASE("what is not legal is counted by the rule that it breaks") {
  const ranges given{{"mac_atomic_c", {8, 16}}, {"cbuf_entry", {8, 16}}, {"cbuf_banks", {1, 32}}};
  const auto broken = explore::broken_rules(nv_small::spec, given);
  CHECK(broken.size() == 2);
  std::uint64_t illegal = 0, of_banks = 0;
  for (const auto& [rule, count] : broken) {
    illegal += count;
    if (rule.find("cbuf_banks must be at least 2") != rule.npos) of_banks += count;
  }
  CHECK(of_banks > 0);
  CHECK(illegal + explore::configurations(nv_small::spec, given).size() == 8);
}

TEST_CASE("ranges that are none") {
  const auto complaint = [](const ranges& given) {
    return complaints([&] { (void)explore::configurations(nv_small::spec, given); });
  };
  CHECK(mentions(complaint({{"banks", {2}}, {"cbuf_banks", {}}}),
                 "no member 'banks'"));
  CHECK(mentions(complaint({{"banks", {2}}, {"cbuf_banks", {}}}), 
                 "the range of cbuf_banks is empty"));
  CHECK(mentions(complaint({{"dram", {2}}}), "no member 'dram'"));
  CHECK(mentions(complaint({{"cbuf_banks", {8}}, {"cbuf_banks", {16}}}),
                 "two ranges of cbuf_banks"));
  CHECK(mentions(complaint({{"sdp_lut", {2}}}), "sdp_lut is 0 or 1"));
  CHECK(mentions(complaint({{"cbuf_banks", {1}}}), "cbuf_banks must be at least 2"));
  const std::vector<std::uint32_t> many(1001, 8);
  CHECK(mentions(complaint({{"cbuf_banks", many}, {"memory_atom", many}}), "more than a million"));
}

TEST_CASE("the front, by any number of threads") {
  const auto g = random_graph::make(3);
  const auto specs = explore::configurations(
      nv_small::spec, ranges{{"mac_atomic_k", {8, 16, 32}}, {"cbuf_banks", {2, 8, 32}},
                             {"dram.width_bits", {64, 128, 256}}});
  REQUIRE(specs.size() == 27);
  std::size_t told = 0;
  const auto alone = explore::predict(specs, g);
  const auto four = explore::predict(specs, g, {}, 4,
                                     [&](std::size_t n, std::size_t all) { told = n + all; });
  CHECK(told == 54);
  std::size_t on_front = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    CHECK(alone[i].spec == specs[i]);
    CHECK(alone[i].totals == four[i].totals);
    CHECK(alone[i].on_front == four[i].on_front);
    on_front += alone[i].on_front;
    for (const auto& other : alone) {  // nothing on the front is beaten
      const auto a = explore::objectives(other), b = explore::objectives(alone[i]);
      const bool beats = other.refused.empty() && a != b && a[0] <= b[0] && a[1] <= b[1] &&
                         a[2] <= b[2] && a[3] <= b[3] && a[4] <= b[4];
      CHECK_FALSE((alone[i].on_front && beats));
    }
  }
  CHECK(on_front > 0);
  CHECK(on_front < specs.size());
}

TEST_CASE("on the front of outlines stand programs") {
  const auto a = random_graph::make(3), b = random_graph::make(5);
  const compile_options options;
  const std::vector<explore::network> networks{{"a", &a, &options}, {"b", &b, &options}};
  const auto specs = explore::configurations(
      nv_small::spec, ranges{{"mac_atomic_k", {8, 16, 32}}, {"cbuf_banks", {2, 8, 32}},
                             {"dram.width_bits", {64, 128, 256}}});
  std::size_t told = 0;
  const auto each = explore::predict_front(
      specs, nv_small::spec, networks, cost::published_silicon(), explore::usual_objectives, 3,
      [&](std::size_t done, std::size_t all) { told = all - done; });
  CHECK(told == 0);
  REQUIRE(each.size() == 2);
  auto together = explore::combined(each, std::vector<std::string>{"a", "b"});
  explore::mark_front(together);
  std::size_t outlined = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    CAPTURE(i);
    CHECK(together[i].spec == specs[i]);
    CHECK(together[i].area > 0);
    CHECK_FALSE((together[i].outlined && together[i].on_front));
    CHECK_FALSE((together[i].outlined && specs[i] == nv_small::spec));
    outlined += together[i].outlined ? 1 : 0;
    for (std::size_t n = 0; n < 2; ++n) {
      const auto& p = each[n][i];
      CHECK(p.outlined == together[i].outlined);
      const auto program = explore::predict(specs[i], *networks[n].integers);
      // The schedule may take a 200th more cycles for the sake of bytes.
      if (p.outlined) CHECK(p.totals.cycles + p.totals.cycles / 200 >= program.totals.cycles);
      else CHECK(p.totals == program.totals);
    }
  }
  CHECK(outlined > 0);
  CHECK(outlined < specs.size());
}

TEST_CASE("a member of a configuration by its name, and a combination by its number") {
  CHECK(explore::value_of(nv_small::spec, "cbuf_banks") == 32);
  CHECK(explore::value_of(nv_small::spec, "dram.width_bits") == 64);
  CHECK(explore::value_of(nv_large::spec, "sdp_lut") == 1);
  CHECK(mentions(complaints([] { (void)explore::value_of(nv_small::spec, "dram"); }),
                 "no member 'dram'"));
  const ranges two{{"cbuf_banks", {4, 8, 16}}, {"dram.width_bits", {64, 128}}};
  CHECK(explore::combinations(nv_small::spec, two) == 6);
  const auto last = explore::combination(nv_small::spec, two, 5);
  CHECK(last.cbuf_banks == 16);
  CHECK(last.dram.width_bits == 128);
  const std::vector<std::uint32_t> many(1000, 8);
  CHECK(explore::combinations(nv_small::spec,
                              ranges{{"cbuf_banks", many}, {"memory_atom", many},
                                     {"cbuf_entry", many}, {"mac_atomic_c", many},
                                     {"mac_atomic_k", many}, {"pdp_throughput", many},
                                     {"cdp_throughput", many}}) == std::uint64_t{1} << 63);
}

TEST_CASE("area and energy are what the table says of NVIDIA's published configurations") {
  // Figures of nvdla.org/primer.html: MACs, KiB of CBUF, square millimetres at 16 nm, frames a
  // second of ResNet-50 at 1 GHz, milliwatts.
  struct published {
    std::uint32_t c, k, kib;
    double area, frames, power;
  };
  const auto table = cost::published_silicon();
  for (const auto& [c, k, kib, area, frames, power] :
       {published{8, 4, 128, 0.51, 3.6, 17}, {8, 8, 128, 0.55, 7.3, 21}, {16, 8, 256, 0.84, 20, 31},
        {16, 16, 256, 1.0, 46, 48}, {32, 16, 256, 1.4, 93, 80}, {32, 32, 256, 1.8, 153, 143},
        {64, 32, 512, 3.3, 269, 291}}) {
    CAPTURE(area);
    hw::spec s = nv_small::spec;
    s.mac_atomic_c = c;
    s.mac_atomic_k = k;
    s.cbuf_banks = 32;
    s.cbuf_entry = 8;
    s.cbuf_entries_per_bank = kib * 1024 / (32 * 8);
    CHECK(cost::square_millimetres(s, table) == doctest::Approx(area).epsilon(0.1));
    cost::totals run;
    run.cycles = static_cast<std::uint64_t>(1e9 / frames);
    run.mac_cycles = static_cast<std::uint64_t>(3.86e9 / (c * k));
    CHECK(cost::picojoules(run, s, table) ==
          doctest::Approx(1e9 * power / frames).epsilon(0.2));
  }
}

TEST_CASE("a front is of the objectives that are asked for") {
  const auto of = [](std::uint64_t cycles, std::uint32_t lanes, std::uint64_t energy) {
    explore::point p{.spec = nv_small::spec, .energy = energy};
    p.totals.cycles = cycles;
    p.spec.sdp_bs_bn_throughput = lanes;
    return p;
  };
  std::vector<explore::point> points{of(10, 1, 5), of(8, 2, 6), of(9, 2, 7), of(10, 2, 1)};
  const auto marked = [&] {
    std::vector<bool> all;
    for (const auto& p : points) all.push_back(p.on_front);
    return all;
  };
  explore::mark_front(points);
  CHECK(marked() == std::vector<bool>{true, true, false, false});
  const std::vector<explore::objective> cycles{explore::objective::cycles},
      both{explore::objective::cycles, explore::objective::energy};
  explore::mark_front(points, cycles);
  CHECK(marked() == std::vector<bool>{false, true, false, false});
  explore::mark_front(points, both);
  CHECK(marked() == std::vector<bool>{false, true, false, true});
}

TEST_CASE("several networks together") {
  const auto of = [](std::uint64_t cycles, std::uint64_t read, std::uint64_t features) {
    explore::point p{.spec = nv_small::spec, .features = features};
    p.totals.cycles = cycles;
    p.totals.read = read;
    p.area = 9;
    p.energy = read;
    return p;
  };
  const std::vector<std::string> names{"a", "b"};
  std::vector<std::vector<explore::point>> networks{{of(100, 7, 30), of(5, 1, 1)},
                                                    {of(400, 8, 20), of(6, 1, 1)}};
  const auto both = explore::combined(networks, names);
  REQUIRE(both.size() == 2);
  CHECK(both[0].totals.cycles == 200);
  CHECK(both[0].totals.read == 15);
  CHECK(both[0].area == 9);
  CHECK(both[0].energy == 15);
  CHECK(both[0].features == 30);
  CHECK(both[0].spec == nv_small::spec);
  networks[1][0].refused = "no room";
  CHECK(explore::combined(networks, names)[0].refused == "b: no room");
  CHECK(explore::combined(networks, names)[0].totals.cycles == 0);
  networks.pop_back();
  CHECK(explore::combined(networks, names)[1].totals.cycles == 5);
}
