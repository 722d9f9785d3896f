// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// Every engine works through its two register groups in turn, and only a reset brings it back to
// the first. A list of register writes cannot ask where an engine stands: it begins with group 0,
// so it has to leave every engine there if it shall run again. Where a program uses an engine an
// odd number of times, a layer of a single atom makes the number even.
namespace detail {

// What the small layers are made of: a layer of their kind, which the program has.
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

// A cube of one atom, in memory or on the fly between two engines.
constexpr layer::surface atom_at(bytes atom, layer::location at,
                                 hw::precision p = hw::precision::int8) {
  return layer::packed({1, 1, 1}, atom, at, p);
}
constexpr layer::surface atom_on_the_fly(bytes atom) { return atom_at(atom, {}); }

// One pixel times one weight: both are bytes of the first weights.
template <hw::hardware Hw>
constexpr layer::convolution small_convolution(const layer::convolution& first) {
  constexpr auto& s = Hw::spec;
  layer::convolution c;
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

// The layers that make the turns of `p` even, to be started before it; none if they are even.
template <hw::hardware Hw>
constexpr plan::task even_turns(const plan::program_data& p) {
  group_turns turns;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) turns.next(op.layer.what);
  // CDMA takes as many turns, but for an even number of operations that it does alone.
  const auto conv = turns.of<layer::convolution>().core;
  auto [sdp, sdp_rdma] = turns.of<layer::sdp>();
  const auto [pdp, pdp_rdma] = turns.of<layer::pdp>();

  constexpr bytes atom = Hw::spec.atom();
  const auto written = detail::last_written(p);
  plan::task result;
  const auto add = [&](const layer::any& what) {  // behind the one before: all write the same atom
    auto& ops = result.operations;
    if (!ops.empty())
      ops.back().consumers[layer::index(layer::engine_of(what))] = {
          static_cast<std::int16_t>(ops.size()), plan::event::completed};
    ops.push_back({.layer = {label("(even turns)"), what}});
  };
  if (!written) return result;
  const auto flying = detail::atom_on_the_fly(atom), cube = detail::atom_at(atom, *written);

  // From memory PDP and its reader run together, and PDP alone behind SDP.
  if (pdp_rdma != 0) add(layer::pdp{.input = cube, .output = cube});
  if (pdp != pdp_rdma) {
    add(layer::sdp{.input = cube, .output = flying});
    add(layer::pdp{.input = flying, .output = cube});
    sdp ^= 1u, sdp_rdma ^= 1u;
  }
  // SDP runs with its reader from memory, and behind a convolution with it or alone.
  const auto convolve = [&](const layer::sdp& l) {
    add(detail::small_convolution<Hw>(detail::first_of<layer::convolution>(p)));
    add(l);
  };
  const layer::sdp behind{.input = flying, .output = cube};
  if (sdp != sdp_rdma) convolve(behind);
  if ((sdp ^ sdp_rdma ^ conv) != 0) convolve(detail::with_operands(behind, *written));
  if (sdp != conv) add(layer::sdp{.input = cube, .output = cube});

  if (turns.of<layer::cdp>().core != 0) {
    auto l = detail::first_of<layer::cdp>(p);
    l.input = l.output = detail::atom_at(atom, *written, l.input.precision);
    add(l);
  }
  if (turns.of<layer::rubik>().core != 0) add(layer::rubik{.input = cube, .output = cube});
  return result;
}

// How a host without an operating system drives a program: a trace, and the program that exists
// while compiling.

// A bus that also hears what happens between the writes: `begin(layer)` before the registers of a
// hardware layer, `wait_done(bits)` until all these bits of GLB.S_INTR_STATUS have been seen, and
// `host(layer)` where the host has to compute a layer itself. Bits that nobody waits for yet stay.
template <class T>
concept schedule_bus = bus<T> && requires(T& b, const layer::layer& l, std::uint32_t bits) {
  b.begin(l);
  b.wait_done(bits);
  b.host(l);
};

namespace detail {

// Passes on the writes that change a register. What is written to a group of a unit's registers
// stays there, also while the unit computes, and most of it is the same in the next layer.
template <class Bus>
class register_changes {
 public:
  explicit constexpr register_changes(Bus& b)
      : bus_(b), known_(units * groups_of_a_unit * words, unknown), producers_(units, 0) {}

  constexpr void write(std::uint32_t address, std::uint32_t value) {
    const auto unit = address / unit_bytes, word = address % unit_bytes / 4;
    if (unit >= units || word >= words) return bus_.write(address, value);
    const bool is_pointer = word == pointer;
    const auto group = is_pointer ? 0 : producers_[unit];
    auto& known = known_[(unit * groups_of_a_unit + group) * words + word];
    if (known == value) return;
    known = value;
    if (is_pointer) producers_[unit] = value & 1u;
    bus_.write(address, value);
  }

  // For the start of a layer: its D_OP_ENABLE are written each time, as the hardware clears them.
  // Polls are of what no write changes.
  class start {
   public:
    explicit constexpr start(register_changes& to) : to_(to) {}
    constexpr void write(std::uint32_t address, std::uint32_t value) {
      if (address % unit_bytes / 4 == pointer) to_.write(address, value);
      else to_.bus_.write(address, value);
    }
    constexpr void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value)
      requires requires(Bus& b) { b.poll(address, mask, value); }
    {
      to_.bus_.poll(address, mask, value);
    }

   private:
    register_changes& to_;
  };

 private:
  static constexpr std::uint32_t unit_bytes = 0x1000, units = 32, words = 64, groups_of_a_unit = 2,
                                 pointer = 1;  // S_POINTER, as a word of the unit
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};  // no value of a register

  Bus& bus_;
  std::vector<std::uint64_t> known_;      // by unit, group and word
  std::vector<std::uint32_t> producers_;  // by unit: the group that is written
};

// Programs stages, layers that hand their results on without memory, ahead: the registers of a
// stage are written while earlier ones run, as soon as every engine has a register group for it,
// and it is enabled when those are done that it depends on; what takes from CDMA, before.
template <hw::hardware Hw, addresses Where, schedule_bus Bus>
class stage_runner {
 public:
  constexpr stage_runner(const plan::program_data& p, const Where& where, Bus& b)
      : p_(p), where_(where), bus_(b), registers_(b) {
    for (const auto& t : p.tasks)
      for (const auto& op : t.operations)
        if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
          ahead_ += c->kernels_ahead != 0 ? 1u : 0u;
    if (ahead_ % 2 != 0) turn_behind_ = plan::fetch_turn(p, Hw::spec);
  }

  // Those of a hardware task, which stays where it is, beside what runs of the tasks before it.
  constexpr void start(const plan::task& t) {
    const auto& ops = t.operations;
    for (stage next{.of = &ops}; next.first < ops.size();
         next = {.of = &ops, .first = next.last}) {
      next.last = next.first + 1;
      while (next.last < ops.size() && layer::takes_on_the_fly(ops[next.last].layer.what))
        ++next.last;
      std::vector<groups> turns;
      const bool convolves = layer::engine_of(ops[next.first].layer.what) ==
                             layer::engine<layer::convolution>::number;
      for (std::size_t i = next.first; i < next.last; ++i) {
        turns.push_back(program_layer(ops, i));
        next.done |= done_bits(ops[i].layer.what, turns.back());
      }
      typename register_changes<Bus>::start starts(registers_);
      if (convolves) enable_takers<Hw>(turns[0], starts);
      wait_where([&](const stage& s) { return depends(next, s); });
      for (std::size_t i = next.last; i-- > next.first;)  // who hands on is enabled last
        if (convolves && i == next.first) enable_fetch<Hw>(turns[0].rdma, starts);
        else enable<Hw>(ops[i].layer.what, turns[i - next.first], starts);
      running_.push_back(next);
      if (convolves) fetch_behind(ops, next.first);
    }
  }
  // All stages are done in the end.
  constexpr void finish() {
    wait_where([](const stage&) { return true; });
  }

 private:
  // Operations from `first` to before `last`, and the bits that say that they are done.
  struct stage {
    const std::vector<plan::operation>* of = nullptr;
    std::size_t first = 0, last = 0;
    std::uint32_t done = 0;

    constexpr const layer::any& at(std::size_t i) const { return (*of)[i].layer.what; }
  };

  // A stage's bits also tell which register groups it uses; a unit's table is one for both groups.
  constexpr groups program_layer(const std::vector<plan::operation>& ops, std::size_t i) {
    const auto& l = ops[i].layer;
    const groups turn = turns_.next(l.what);
    const bool needs_lut = loaded_.changes_for(l.what);
    const auto in_use = done_bits(l.what, turn) |
                        (needs_lut ? done_bits(l.what, {.core = turn.core ^ 1u}) : 0);
    wait_where([&](const stage& s) { return (s.done & in_use) != 0; });
    bus_.begin(l);
    if (needs_lut)
      program_lut<Hw>(l.what, p_.luts[static_cast<std::size_t>(lut_of(l.what))], bus_);
    if (const auto* c = std::get_if<layer::convolution>(&l.what)) {
      take_fetcher(turn.rdma, ops[i]);
      const auto brings = fetch_of(c->in_registers(), between_next(ops, i));
      program<Hw>({l.name, c->in_registers()}, where_, turn, registers_, &brings);
    } else {
      program<Hw>(l, where_, turn, registers_);
    }
    return turn;
  }

  // What CDMA does between the convolution and the next one.
  constexpr between between_next(const std::vector<plan::operation>& ops, std::size_t i) const {
    const auto* next = plan::next_convolution(ops, i);
    if (next != nullptr && convolution_of(*next).kernels_ahead != 0) return between::kernels;
    return &ops[i] == turn_behind_ ? between::turn : between::nothing;
  }
  static constexpr layer::convolution convolution_of(const plan::operation& op) {
    return std::get<layer::convolution>(op.layer.what).in_registers();
  }
  constexpr void fetch_behind(const std::vector<plan::operation>& ops, std::size_t i) {
    const auto next = between_next(ops, i);
    if (next == between::nothing) return;
    const auto c = convolution_of(ops[i]);
    const auto& by = next == between::turn ? ops[i] : *plan::next_convolution(ops, i);
    const auto turn = turns_.next_fetch();
    take_fetcher(turn, by);
    point_fetch<Hw>(turn, registers_);
    program_fetch<Hw>(next == between::turn ? fetch_of_nothing(c)
                                            : fetch_ahead_of(convolution_of(by), c),
                      where_, registers_);
    typename register_changes<Bus>::start starts(registers_);
    enable_fetch<Hw>(turn, starts);
  }
  // The group of CDMA is for an operation that is done when that convolution is; the one that had
  // it is, too, unless its convolution runs.
  constexpr void take_fetcher(unsigned group, const plan::operation& by) {
    const auto* before = std::exchange(fetches_[group], &by);
    const bool runs = std::ranges::any_of(running_, [&](const stage& s) {
      return &(*s.of)[s.first] == before;
    });
    if (runs) wait_for_fetch<Hw>(group, bus_);
  }

  // Whether the stage has to wait until `before` has written or read all of its memory.
  constexpr bool depends(const stage& s, const stage& before) const {
    if (s.of != before.of) return meets(s, before);
    for (std::size_t i = before.first; i < before.last; ++i)
      for (const auto& c : (*before.of)[i].consumers)
        if (c.event == plan::event::completed && c.operation >= 0 &&
            static_cast<std::size_t>(c.operation) >= s.first &&
            static_cast<std::size_t>(c.operation) < s.last)
          return true;
    return false;
  }

  // The same of different tasks: whether it touches what `before` writes.
  constexpr bool meets(const stage& s, const stage& before) const {
    bool found = false;
    const auto region = [&](const layer::surface& cube) {
      return plan::detail::region(p_.buffers, cube);
    };
    layer::for_each_write(before.at(before.last - 1), [&](const layer::surface& written) {
      const auto visit = [&](const layer::surface& cube) {
        found = found || region(cube).meets(region(written));
      };
      for (std::size_t i = s.first; i < s.last; ++i)
        layer::for_each_read(s.at(i), visit), layer::for_each_write(s.at(i), visit);
    });
    return found;
  }

  constexpr void wait_where(auto&& concerns) {
    std::erase_if(running_, [&](const stage& s) {
      const bool wait = concerns(s);
      if (wait) bus_.wait_done(s.done);
      return wait;
    });
  }

  const plan::program_data& p_;
  const Where& where_;
  Bus& bus_;
  register_changes<Bus> registers_;
  std::vector<stage> running_{};  // enabled and not waited for, in that order
  group_turns turns_{};
  loaded_luts loaded_{};
  std::size_t ahead_ = 0;  // convolutions of which kernels come ahead
  const plan::operation* turn_behind_ = nullptr;  // where CDMA takes a turn of its own
  std::array<const plan::operation*, 2> fetches_{};  // by group of CDMA: whose operation has it
};

}  // namespace detail

// All of it, from the registers that are written once on; weights and inputs are in memory by then.
// It takes every engine at its register group 0 and leaves it there, so it can run any number of
// times.
template <hw::hardware Hw, schedule_bus Bus>
constexpr void schedule(const plan::program_data& p, const addresses auto& where, Bus& b) {
  initialize<Hw>(b);
  detail::stage_runner<Hw, std::remove_cvref_t<decltype(where)>, Bus> hardware(p, where, b);
  const auto even = even_turns<Hw>(p);
  hardware.start(even);
  for (const auto& t : p.tasks) {
    if (!t.host) hardware.start(t);
    hardware.finish();
    if (t.host)
      for (const auto& op : t.operations) b.host(op.layer);
  }
}

}  // namespace nvdlac::emit
