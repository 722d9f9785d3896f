// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors in the secondary memory where no schedule decides it: in programs that the C++
// compiler makes, the features that are moved most for their bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/placement.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

namespace detail {

// A buffer of features as the layers use it.
struct feature_use {
  std::int32_t buffer = 0;
  tenant needs{};
  std::uint64_t moved = 0;  // bytes
  bool used = false, host = false;
};

// By buffer.
constexpr std::vector<feature_use> feature_uses(const lowered& l) {
  std::vector<feature_use> uses(l.buffers.size(), feature_use{});
  std::size_t step = 0;
  for (const auto& each : l.layers) {
    const auto touch = [&](const layer::surface& s) {
      auto& u = uses[static_cast<std::size_t>(s.at.buffer)];
      if (!u.used) u.needs.first = step;
      u.used = true;
      u.needs.last = step;
      u.moved += s.size;
      u.host = u.host || layer::on_host(each.what);
    };
    layer::for_each_read(each.what, touch);
    layer::for_each_write(each.what, touch);
    if (!layer::gives_on_the_fly(each.what)) ++step;
  }
  for (std::size_t b = 0; b < uses.size(); ++b) {
    uses[b].buffer = static_cast<std::int32_t>(b);
    uses[b].needs.size = align_up(l.buffers[b].size, alignment);
  }
  return uses;
}

}  // namespace detail

// Puts features into CVSRAM, of which the program may use `limit` bytes.
constexpr void place_in_cvsram(lowered& l, std::uint64_t limit) {
  l.cvsram_limit = limit;
  if (limit == 0) return;
  auto uses = detail::feature_uses(l);
  std::erase_if(uses, [&](const detail::feature_use& u) {
    return !u.used || u.host ||
           l.buffers[static_cast<std::size_t>(u.buffer)].memory != memory::features;
  });
  std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
    const auto of_a = a.moved * b.needs.size, of_b = b.moved * a.needs.size;
    return of_a != of_b ? of_a > of_b : a.buffer < b.buffer;
  });
  std::vector<tenant> inside;
  std::vector<char> chosen(l.buffers.size(), char{0});
  for (const auto& u : uses) {
    inside.push_back(u.needs);
    if (place(inside).peak <= limit) chosen[static_cast<std::size_t>(u.buffer)] = 1;
    else inside.pop_back();
  }
  for (auto& each : l.layers)
    layer::for_each_cube(each.what, [&](layer::surface& s, layer::access) {
      s.at.cvsram = !s.at.on_the_fly() && chosen[static_cast<std::size_t>(s.at.buffer)] != 0;
    });
}

// Bytes of CVSRAM that programs of a configuration may use: its member `cvsram`, or else none.
template <hw::hardware Hw>
constexpr std::uint64_t cvsram_bytes() {
  if constexpr (requires { Hw::cvsram; }) {
    static_assert(Hw::spec.has_sram(), "nvdlac: the configuration has a member `cvsram`, but no "
                                       "secondary memory");
    return Hw::cvsram;
  } else {
    return 0;
  }
}

}  // namespace nvdlac::plan
