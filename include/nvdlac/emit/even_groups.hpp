// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that bring every engine back to its first register group. Every engine works through its
// two register groups in turn, and only a reset brings it back to the first. A list of register
// writes cannot ask where an engine stands: it begins with group 0, so it has to leave every engine
// there if it shall run again. Where a program uses an engine an odd number of times, a layer of a
// single atom makes the number even: behind all others, where memory has an atom for it that nobody
// needs then, or before them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

namespace detail {

// The program's first layer of a kind, of which a small layer of that kind is made.
template <class Layer>
constexpr const Layer& first_of(const plan::program_data& p) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* found = std::get_if<Layer>(&op.layer.what)) return *found;
  throw error("the program has no layer of this kind");
}

// The first atom of what the program writes last, so that it holds nothing yet, and few layers need
// to wait for who writes there as well.
constexpr std::optional<layer::location> last_written(const plan::program_data& p) {
  std::optional<layer::location> last;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (!t.host)
        layer::for_each_write(op.layer.what, [&](const layer::surface& s) { last = s.at; });
  return last;
}

// A task's layers that may run when all of them are programmed: an engine has registers for two.
template <class Visit>
constexpr void each_last(const plan::task& t, const Visit& visit) {
  std::array<int, layer::engines + 1> later{};
  for (auto op = t.operations.rbegin(); op != t.operations.rend(); ++op)
    if (++later[layer::index(layer::engine_of(op->layer.what))] <= 2) visit(op->layer.what);
}

// The first atom of a feature that neither these layers of the last task touch nor the host.
constexpr std::optional<layer::location> idle_atom(const plan::program_data& p,
                                                   const plan::task& last, bytes atom) {
  std::vector<plan::detail::region> touched;
  const auto touch = [&](const layer::any& what) {
    layer::for_each_cube(what, [&](const layer::surface& s, layer::access) {
      if (!s.at.on_the_fly()) touched.emplace_back(p.buffers, s);
    });
  };
  each_last(last, touch);
  for (const auto& t : p.tasks)
    if (t.host)
      for (const auto& op : t.operations) touch(op.layer.what);
  const auto is_idle = [&](layer::location at) {
    const plan::detail::region one(p.buffers, layer::packed({1, 1, 1}, atom, at));
    return std::ranges::none_of(touched, [&](const auto& r) { return r.meets(one); });
  };
  std::optional<layer::location> found;
  for (const auto& t : p.tasks)
    for (auto op = t.operations.begin(); !t.host && op != t.operations.end(); ++op) {
      layer::for_each_write(op->layer.what, [&](const layer::surface& s) {
        const auto memory = p.buffers[static_cast<std::size_t>(s.at.buffer)].memory;
        if (memory == plan::memory::features && is_idle(s.at)) found = s.at;
      });
      if (found) return found;
    }
  return found;
}

// A cube of one atom, in memory or on the fly between two engines.
constexpr layer::surface atom_at(bytes atom, layer::location at,
                                 hw::precision p = hw::precision::int8) {
  return layer::packed({1, 1, 1}, atom, at, p);
}
constexpr layer::surface atom_on_the_fly(bytes atom) { return atom_at(atom, {}); }

// One pixel times one weight: both are bytes of the first weights. The CBUF is divided as it is.
constexpr layer::convolution small_convolution(const hw::spec& s, const layer::convolution& first,
                                               const layer::convolution& before) {
  layer::convolution c;
  c.data_banks = before.data_banks;
  c.weight_banks = before.weight_banks;
  c.input = atom_at(s.atom(), first.weights.at);
  c.weights = {.at = first.weights.at, .size = hw::weight_bytes(s, c.precision, 1, 1).n};
  return c;
}

// Adds the channels of `at` to CACC's atom, so that the read DMA takes part.
constexpr layer::sdp with_operands(layer::sdp l, layer::location at) {
  l.x1 = {.alu = true, .mode = layer::sdp_mode::per_kernel, .operand_bytes = 1};
  l.x1.operands.at = at;
  return l;
}

}  // namespace detail

// The layers that bring every engine of `p` back to its first register group. They stand before the
// task of that number, or behind the last one; none if the engines are there.
struct even_groups_of {
  plan::task task{};
  std::size_t before = 0;
};
constexpr even_groups_of even_groups(const plan::program_data& p, const hw::spec& s) {
  ping_pong_groups groups;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) groups.next(op.layer.what);
  // CDMA uses its groups as often, but for an even number of operations that it does alone.
  const auto conv = groups.of<layer::convolution>().core;
  auto [sdp, sdp_rdma] = groups.of<layer::sdp>();
  const auto [pdp, pdp_rdma] = groups.of<layer::pdp>();

  const bytes atom = s.atom();
  auto written = detail::last_written(p);
  even_groups_of found;
  if (!written) return found;
  auto last = p.tasks.size();
  while (p.tasks[last - 1].host) --last;
  layer::convolution before;  // that divides the CBUF
  if (const auto idle = detail::idle_atom(p, p.tasks[last - 1], atom)) {
    written = idle;
    found.before = last;
    plan::each_convolution(p, [&](const auto& c) { before = c.in_registers(); });
  }
  auto& ops = found.task.operations;
  const auto add = [&](const layer::any& what) {  // behind the one before: all write the same atom
    if (!ops.empty())
      ops.back().consumers[layer::index(layer::engine_of(what))] = {
          static_cast<std::int16_t>(ops.size()), plan::event::completed};
    ops.push_back({.layer = {label("(even turns)"), what}});
  };
  const auto flying = detail::atom_on_the_fly(atom), cube = detail::atom_at(atom, *written);

  // From memory PDP and its reader run together, and PDP alone behind SDP.
  if (pdp_rdma != 0) add(layer::pdp{.input = cube, .output = cube});
  if (pdp != pdp_rdma) {
    add(layer::sdp{.input = cube, .output = flying});
    add(layer::pdp{.input = flying, .output = cube});
    sdp ^= 1u;
    sdp_rdma ^= 1u;
  }
  // SDP runs with its reader from memory, and behind a convolution with it or alone.
  const auto convolve = [&](const layer::sdp& l) {
    add(detail::small_convolution(s, detail::first_of<layer::convolution>(p), before));
    add(l);
  };
  const layer::sdp behind{.input = flying, .output = cube};
  if (sdp != sdp_rdma) convolve(behind);
  if ((sdp ^ sdp_rdma ^ conv) != 0) convolve(detail::with_operands(behind, *written));
  if (sdp != conv) add(layer::sdp{.input = cube, .output = cube});

  if (groups.of<layer::cdp>().core != 0) {
    auto l = detail::first_of<layer::cdp>(p);
    l.input = l.output = detail::atom_at(atom, *written, l.input.precision);
    add(l);
  }
  if (groups.of<layer::rubik>().core != 0) add(layer::rubik{.input = cube, .output = cube});
  return found;
}

}  // namespace nvdlac::emit
