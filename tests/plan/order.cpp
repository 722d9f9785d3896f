// SPDX-License-Identifier: Apache-2.0
// The check of order against its definition, byte by byte, on random tasks.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/plan/checker/order.hpp>
#include <nvdlac/plan/validate.hpp>

using namespace nvdlac;
using plan::checker::footprint, plan::checker::happens_before, plan::checker::nobody,
    plan::checker::schedule, plan::checker::step;
using cube_access = plan::checker::access;
using plan::event;

namespace {

struct random_task {
  plan::task task{};
  schedule links{};
  std::vector<cube_access> all{};
};

// Operations of three engines that touch cubes of two small buffers, and wait for some of those
// before them.
random_task make(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return low + random() % (high - low + 1);
  };
  random_task r;
  auto& s = r.links;
  const std::size_t n = pick(2, 8);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t engine = pick(0, 2);
    r.task.operations.push_back({.layer = {text(i), layer::pdp{}}});
    s.engine_of.push_back(engine);
    s.place.push_back(s.chain[engine].size());
    s.chain[engine].push_back(i);
    const auto reads = pick(0, 2);
    s.reads.push_back(reads != 0);
    for (std::uint64_t use = 0; use <= reads; ++use) {
      footprint f{.begin = pick(0, 40), .length = pick(1, 4), .lines = pick(1, 3),
                  .planes = pick(1, 3)};
      f.line_stride = pick(1, 12);
      f.plane_stride = pick(1, 30);
      r.all.push_back({i, use == reads, 0, pick(0, 9) == 0 ? 1U : 0U, merged(f), merged(f)});
    }
    for (std::size_t from = 0; from < i; ++from)
      if (pick(0, 1) == 0 && s.engine_of[from] != engine)
        s.waits.push_back({from, i, pick(0, 5) == 0 ? event::enabled : event::completed});
  }
  s.source.assign(n, nobody);
  s.sink.assign(n, nobody);
  return r;
}

std::set<std::uint64_t> bytes_of(const cube_access& a) {
  std::set<std::uint64_t> all;
  a.in_space.each_run([&](std::uint64_t at, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) all.insert(1000 * a.space + at + i);
  });
  return all;
}

bool must_wait(const happens_before& before, const schedule& s, const cube_access& earlier,
               const cube_access& now) {
  return before.completed(s.engine_of[earlier.operation], now.operation,
                          now.write ? step::writes : step::reads) <= s.place[earlier.operation];
}

// The operations that touch a byte which one before them touches, one of both to write, and need
// not wait for it.
std::set<std::string> too_early(const random_task& r, const happens_before& before) {
  std::set<std::string> found;
  for (const auto& now : r.all)
    for (const auto& earlier : r.all) {
      if (&earlier == &now) break;
      if (!now.write && !earlier.write) continue;
      const auto mine = bytes_of(now), its = bytes_of(earlier);
      if (std::ranges::none_of(mine, [&](auto byte) { return its.contains(byte); })) continue;
      if (must_wait(before, r.links, earlier, now)) found.insert(text(now.operation));
    }
  return found;
}

// Whether every access waits for what touched each of its bytes last: for the last write, and to
// write for all reads behind it.
bool waits_for_last(const random_task& r, const happens_before& before) {
  struct last { const cube_access* write = nullptr; std::vector<const cube_access*> reads{}; };
  std::map<std::uint64_t, last> of;
  bool well = true;
  for (const auto& now : r.all)
    for (const auto byte : bytes_of(now)) {
      auto& l = of[byte];
      const auto check = [&](const cube_access* earlier) {
        well = well && !(earlier != nullptr && must_wait(before, r.links, *earlier, now));
      };
      check(l.write);
      if (now.write) {
        for (const auto* read : l.reads) check(read);
        l = {&now, {}};
      } else {
        l.reads.push_back(&now);
      }
    }
  return well;
}

}  // namespace

TEST_CASE("the check of order finds what its definition finds, and enough") {
  std::mt19937_64 random(7);
  int well = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const auto r = make(random);
    const auto before = happens_before::of(r.links);
    REQUIRE(before);
    diagnostics found;
    plan::checker::check_order(r.task, 0, r.links, nv_full::spec, r.all, found);
    std::set<std::string> reported;
    for (const auto& p : found.problems()) reported.insert(p.layer);
    CHECK(reported == too_early(r, *before));
    CHECK(found.empty() == waits_for_last(r, *before));
    well += found.empty();
  }
  CHECK(well > 200);
  CHECK(well < 3800);
}

TEST_CASE("cubes that are written atom by atom are followed in whole") {
  // Poolings write every second atom of a cube each, and one reads all of it; then others write it
  // again. Each takes 400,000 runs of bytes, so that a step for every two of them would not end.
  constexpr std::int32_t surfaces = 32, atoms = 25600;
  constexpr bytes atom{8};
  plan::program_data p;
  const auto cube = [&](std::int32_t buffer) {
    return layer::packed({8 * surfaces, atoms, 1}, atom, {buffer, 0});
  };
  const auto every_second = [&](std::int32_t buffer, std::uint64_t first) {
    auto half = cube(buffer);
    half.at.offset = first * atom.n;
    half.shape.h = atoms / 2;
    half.line_stride = 2 * 8;
    half.size -= atom.n;
    return half;
  };
  for (const auto m : {plan::memory::input, plan::memory::features, plan::memory::output})
    p.buffers.push_back({.name = "cube", .memory = m, .size = cube(0).size});
  p.features_size = cube(0).size;
  p.outputs.push_back({.name = "out", .surface = cube(2)});
  auto& all = p.tasks.emplace_back().operations;
  const auto pool = [&](const layer::surface& from, const layer::surface& to) {
    all.push_back({.layer = {text("pool", all.size()), layer::pdp{.input = from, .output = to}},
                   .dependency_count = static_cast<std::uint8_t>(all.empty() ? 0 : 1)});
    if (all.size() > 1)
      all[all.size() - 2].consumers[plan::index(plan::engine::pdp)] = {
          static_cast<std::int16_t>(all.size() - 1), event::completed};
  };
  for (const std::uint64_t first : {0u, 1u}) pool(every_second(0, first), every_second(1, first));
  pool(cube(1), cube(2));
  for (const std::uint64_t first : {0u, 1u}) pool(every_second(0, first), every_second(1, first));
  CHECK(plan::validate(p, nv_small::spec).empty());

  const auto says = [&](const char* part) {
    for (const auto& one : plan::validate(p, nv_small::spec))
      if (to_string(one).find(part) != std::string::npos) return true;
    return false;
  };
  auto& link = all[1].consumers[plan::index(plan::engine::pdp)];
  link.event = event::programmed;
  CHECK(says("layer 'pool2': it reads memory that 'pool1' writes, but need not wait for it"));
  link.event = event::completed;
  std::get<layer::pdp>(all[1].layer.what).output.shape.h -= 1;
  CHECK(says("layer 'pool2': it reads bytes of 'cube' that nothing before it writes"));
}
