// SPDX-License-Identifier: Apache-2.0
// The layers that a hardware layer waits for, and those that it need not wait for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/plan/checker/order.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom = nv_small::spec.atom();

layer::surface cube(std::int32_t buffer) { return layer::packed({8, 4, 4}, atom, {buffer, 0}); }

// SDP copies buffer to buffer, one layer behind the other.
plan::program<nv_small> copies(const std::vector<std::pair<std::int32_t, std::int32_t>>& steps) {
  plan::lowered l;
  for (int b = 0; b < 6; ++b)
    l.buffers.push_back({.name = "cube",
                         .memory = b == 0 ? plan::memory::input : plan::memory::features,
                         .size = cube(0).size});
  for (const auto& [from, to] : steps)
    l.layers.push_back({"copy", layer::sdp{.input = cube(from), .output = cube(to)}});
  return plan::make_program<nv_small>(std::move(l));
}
plan::event event_behind(const plan::program<nv_small>& p, std::size_t operation) {
  return p.tasks[0].operations[operation].consumers[plan::index(plan::engine::sdp)].event;
}

}  // namespace

TEST_CASE("a layer waits for the last one of its engine only if it needs that one") {
  const auto p = copies({{0, 1}, {0, 2}, {1, 3}, {3, 4}, {2, 5}});
  CHECK(event_behind(p, 0) == plan::event::programmed);
  CHECK(event_behind(p, 1) == plan::event::programmed);  // 1 is written: the registers were free
  CHECK(event_behind(p, 2) == plan::event::completed);
  CHECK(plan::validate(p).empty());
}

TEST_CASE("the check of a plan knows that two layers back is done, and no less") {
  auto p = copies({{0, 1}, {0, 2}, {1, 3}, {3, 4}, {2, 5}});
  p.tasks[0].operations[2].consumers[plan::index(plan::engine::sdp)].event =
      plan::event::programmed;
  CHECK_FALSE(plan::validate(p).empty());
}

namespace {

// The bytes of a cube of int8 whose channels stand in surfaces of atoms, or of an image.
std::set<std::uint64_t> bytes_of(const layer::surface& s) {
  std::set<std::uint64_t> all;
  if (s.surface_stride == 0) {
    const auto line = static_cast<std::uint64_t>(s.shape.w * s.shape.c);
    for (std::int32_t y = 0; y < s.shape.h; ++y)
      for (std::uint64_t x = 0; x < line; ++x)
        all.insert(s.at.offset + static_cast<std::uint64_t>(y) * s.line_stride + x);
    return all;
  }
  for (std::int32_t first = 0; first < s.shape.c; first += 8)
    for (std::int32_t y = 0; y < s.shape.h; ++y)
      for (std::int32_t x = 0; x < s.shape.w * 8; ++x)
        all.insert(s.at.offset + static_cast<std::uint64_t>(first / 8) * s.surface_stride +
                   static_cast<std::uint64_t>(y) * s.line_stride + static_cast<std::uint64_t>(x));
  return all;
}

}  // namespace

TEST_CASE("parts of a cube meet where they have bytes in common") {
  const auto whole = layer::packed({32, 6, 5}, atom, {0, 0});
  const std::vector<plan::buffer> buffers{
      {.name = "cube", .memory = plan::memory::features, .size = whole.size, .offset = 0},
      {.name = "behind", .memory = plan::memory::features, .size = whole.size,
       .offset = whole.size},
      {.name = "half", .memory = plan::memory::features, .size = whole.size,
       .offset = whole.size / 2}};
  std::mt19937 random(1);
  const auto below = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
  };
  const auto any_part = [&] {
    const std::int32_t c = below(4), y = below(6), x = below(5);
    return layer::part(whole, atom, c * 8, y, x,
                       {(1 + below(4 - c)) * 8, 1 + below(6 - y), 1 + below(5 - x)});
  };
  using plan::detail::region;
  int apart = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto a = any_part(), b = any_part();
    const auto in_a = bytes_of(a), in_b = bytes_of(b);
    const bool share = std::ranges::any_of(in_a, [&](auto n) { return in_b.contains(n); });
    const region one(buffers, a), other(buffers, b);
    if (share) CHECK(one.meets(other));
    CHECK(one.meets(other) == other.meets(one));
    apart += !one.meets(other);
  }
  CHECK(apart > 500);  // lines and columns are told apart, not only surfaces
  auto elsewhere = whole;
  elsewhere.at.buffer = 1;
  CHECK_FALSE(region(buffers, whole).meets(region(buffers, elsewhere)));
  elsewhere.at.buffer = 2;
  CHECK(region(buffers, whole).meets(region(buffers, elsewhere)));
}

TEST_CASE("an image of some columns of a cube meets the parts of these columns alone") {
  auto whole = layer::packed({32, 6, 5}, atom, {0, 0});
  whole.surface_stride = 5 * 8;
  whole.line_stride = 4 * whole.surface_stride;
  const std::vector<plan::buffer> buffers{
      {.name = "cube", .memory = plan::memory::features, .size = whole.size, .offset = 0}};
  const auto view = lower::image_view::of(whole, atom);
  REQUIRE(view);
  std::mt19937 random(1);
  const auto below = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
  };
  const auto range = [&](std::int32_t of) {
    const auto first = below(of);
    return net::range{first, 1 + below(of - first), 0, 0};
  };
  using plan::detail::region;
  int apart = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto channel = range(4), line = range(6), column = range(5);
    const auto lines = range(6), columns = range(5);
    const auto part = layer::part(whole, atom, channel.first * 8, line.first, column.first,
                                  {channel.count * 8, line.count, column.count});
    const auto image = view->part(whole, atom, lines, columns);
    const auto in_part = bytes_of(part), in_image = bytes_of(image);
    const bool share = std::ranges::any_of(in_part, [&](auto n) { return in_image.contains(n); });
    const region one(buffers, part), other(buffers, image);
    if (share) CHECK(one.meets(other));
    CHECK(one.meets(other) == other.meets(one));
    apart += !one.meets(other);
  }
  CHECK(apart > 1000);
}

TEST_CASE("of thousands of layers that share memory each waits for the last that it needs") {
  // SDP copies within eight buffers, of which two always share memory.
  std::mt19937 random(2);
  plan::task t;
  std::vector<plan::buffer> buffers;
  for (std::uint64_t b = 0; b < 8; ++b)
    buffers.push_back({.name = "cube", .memory = plan::memory::features, .size = cube(0).size,
                       .offset = b / 2 * cube(0).size});
  for (int i = 0; i < 400; ++i) {
    const auto from = cube(static_cast<std::int32_t>(random() % 8));
    const auto to = cube(static_cast<std::int32_t>(random() % 8));
    layer::layer one{"copy", layer::sdp{.input = from, .output = to}};
    if (random() % 3 == 0) one = {"pool", layer::pdp{.input = from, .output = to}};
    t.operations.push_back({.layer = std::move(one)});
  }
  plan::link_operations(t, buffers, nv_small::spec);
  const auto memory_of = [&](const layer::surface& s) { return s.at.buffer / 2; };
  const auto cubes = [&](std::size_t i) {
    std::pair<std::int32_t, std::int32_t> both;
    layer::for_each_read(t.operations[i].layer.what,
                         [&](const layer::surface& s) { both.first = memory_of(s); });
    layer::for_each_write(t.operations[i].layer.what,
                          [&](const layer::surface& s) { both.second = memory_of(s); });
    return both;
  };
  int waits = 0;
  for (std::size_t n = 0; n < t.operations.size(); ++n) {
    const auto own = layer::engine_of(t.operations[n].layer.what);
    for (const auto e : {plan::engine::sdp, plan::engine::pdp}) {
      if (e == own) continue;
      const auto [reads, writes] = cubes(n);
      for (std::size_t i = n; i-- > 0;) {
        if (layer::engine_of(t.operations[i].layer.what) != e) continue;
        const auto [read, written] = cubes(i);
        if (written != reads && written != writes && read != writes) continue;
        // It tells this one, or told one of its engine that stands before it.
        const auto& link = t.operations[i].consumers[plan::index(own)];
        CHECK(link.operation >= 0);
        CHECK(static_cast<std::size_t>(link.operation) <= n);
        CHECK(link.event == plan::event::completed);
        waits += static_cast<std::size_t>(link.operation) == n;
        break;
      }
    }
  }
  CHECK(waits > 50);
}

TEST_CASE("of many cubes all those are found that meet one") {
  // Parts of cubes whose lines stand in surfaces, whose surfaces stand in lines, and plain bytes.
  const bytes eight{8};
  const std::vector<plan::buffer> buffers(2, plan::buffer{.name = {}, .size = 65536});
  auto in_lines = layer::packed({64, 24, 16}, eight, {0, 0});
  in_lines.surface_stride = 16 * 8;
  in_lines.line_stride = 8 * in_lines.surface_stride;
  std::mt19937_64 random(1);
  const auto below = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (const bool mixed : {false, true})
    for (const auto& whole : {layer::packed({64, 24, 16}, eight, {0, 0}), in_lines}) {
      const auto part = [&] {
        const net::shape first{8 * below(8), below(24), below(16)};
        auto s = layer::part(whole, eight, first.c, first.h, first.w,
                             {8 * (1 + below(8 - first.c / 8)), 1 + below(24 - first.h),
                              1 + below(16 - first.w)});
        if (mixed && below(4) == 0) s.line_stride = s.surface_stride = 0;
        if (mixed && below(4) == 0) s.at.buffer = 1;
        return plan::detail::region(buffers, s);
      };
      std::vector<plan::detail::region> all;
      for (int i = 0; i < 150; ++i) all.push_back(part());
      plan::detail::cube_list list;
      std::size_t met = 0, apart = 0;
      for (std::size_t n = 0; n < all.size(); ++n) {
        const auto asked = part();
        std::set<std::size_t> found, expected;
        list.each_that_meets(asked, n / 2, [&](std::size_t stage) {
          return found.insert(stage).second;  // each once
        });
        for (std::size_t i = n / 2; i < n; ++i)
          if (all[i].meets(asked)) expected.insert(i);
        CHECK(found == expected);
        met += expected.size();
        apart += n - n / 2 - expected.size();
        std::size_t last = n;
        list.each_that_meets(asked, 0, [&](std::size_t stage) {
          last = stage;
          return false;
        });
        std::size_t wanted = n;
        for (std::size_t i = n; i-- > 0 && wanted == n;)
          if (all[i].meets(asked)) wanted = i;
        CHECK(last == wanted);
        list.add(n, all[n]);
      }
      CHECK(met > 100);
      CHECK(apart > 100);
    }
}
