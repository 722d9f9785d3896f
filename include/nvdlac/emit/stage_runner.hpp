// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/fetch.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/emit/register_changes.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// A bus that also hears what happens between the writes: `begin(layer)` before the registers of a
// hardware layer, `wait_done(bits)` until all these bits of GLB.S_INTR_STATUS have been seen, and
// `host(layer)` where the host has to compute a layer itself. Bits that nobody waits for yet stay.
template <class T>
concept schedule_bus = bus<T> && requires(T& b, const layer::layer& l, std::uint32_t bits) {
  b.begin(l);
  b.wait_done(bits);
  b.host(l);
};

// A bus that looks at memory between stages: where it `watches()`, each stage is waited for before
// the next one is programmed, though weights may come ahead, and `written(task, first, last)`
// follows it with the numbers of its first and its last operation.
template <class T>
concept watching_bus = schedule_bus<T> && requires(T& b, std::size_t n) {
  { b.watches() } -> std::same_as<bool>;
  b.written(n, n, n);
};

namespace detail {

// Programs stages, layers that hand their results on without memory, ahead: the registers of a
// stage are written while earlier ones run, as soon as every engine has a register group for it,
// and it is enabled when those are done that it depends on; what takes from CDMA, before. Of a
// convolution that CACC would mix up with the one before it CSC is held back until that is done.
template <hw::hardware Hw, addresses Where, schedule_bus Bus>
class stage_runner {
 public:
  constexpr stage_runner(const plan::program_data& p, const Where& where, Bus& b)
      : p_(p), where_(where), bus_(b), registers_(b) {
    plans_fetches_ = plan::differs_in_registers(p);
    if (!plans_fetches_) return;
    const auto own = plan::own_fetches_of(p, Hw::spec);
    if (own.count % 2 != 0) turn_behind_ = own.turn;
  }

  // Starts the stages of a hardware task, which stays where it is, beside what runs of the tasks
  // before it; `number` is its number in the program.
  constexpr void start(const plan::task& t, std::size_t number) {
    const auto& ops = t.operations;
    plan_fetches(t, number);
    for (stage next{.of = &ops}; next.first < ops.size();
         next = {.of = &ops, .first = next.last}) {
      next.last = next.first + 1;
      while (next.last < ops.size() && layer::takes_on_the_fly(ops[next.last].layer.what))
        ++next.last;
      std::vector<groups> programmed;
      const bool convolves = is_convolution(next);
      for (std::size_t i = next.first; i < next.last; ++i) {
        programmed.push_back(program_layer(ops, i));
        next.done |= done_bits(ops[i].layer.what, programmed.back());
      }
      typename register_changes<Bus>::start starts(registers_);
      const bool held = convolves && is_mixed_up(next);
      if (convolves) enable_takers<Hw>(programmed[0], starts, held);
      wait_where([&](const stage& s) { return depends(next, s); });
      for (std::size_t i = next.last; i-- > next.first;)  // who hands on is enabled last
        if (convolves && i == next.first) enable_fetch<Hw>(programmed[0].rdma, starts);
        else enable<Hw>(ops[i].layer.what, programmed[i - next.first], starts);
      if (held) {
        wait_for_delivery();
        enable_sequencer<Hw>(starts);
      }
      running_.push_back(next);
      if (convolves) fetch_behind();
      if constexpr (watching_bus<Bus>)
        if (bus_.watches()) {
          finish();
          bus_.written(number, next.first, next.last - 1);
        }
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

  // A stage's bits also tell which register groups it uses. A unit's table is one for both groups:
  // it is written when no layer runs in that unit. One that does not look up would take the clock
  // from Y, which then loses the entries (NV_NVDLA_SDP_reg.v, reg2dp_lut_slcg_en). Hardware without
  // clock gates does not show that.
  constexpr groups program_layer(const std::vector<plan::operation>& ops, std::size_t i) {
    const auto& l = ops[i].layer;
    const groups group = groups_.next(l.what);
    const bool needs_lut = loaded_.changes_for(l.what);
    const auto in_use = done_bits(l.what, group);
    wait_where([&](const stage& s) {
      return (s.done & in_use) != 0 || (needs_lut && runs_in(s, layer::engine_of(l.what)));
    });
    bus_.begin(l);
    if (needs_lut)
      program_lut<Hw>(l.what, p_.luts[static_cast<std::size_t>(layer::lut_of(l.what))], bus_);
    if (const auto* c = std::get_if<layer::convolution>(&l.what)) {
      const auto own = plans_fetches_ ? fetches_[next_fetch_++]
                                      : step_of_cdma{fetch_of(*c), &ops[i]};
      take_fetcher(group.rdma, own.by);
      program<Hw>({l.name, c->in_registers()}, where_, group, registers_, &own.what);
    } else {
      program<Hw>(l, where_, group, registers_);
    }
    return group;
  }

  // The operations of CDMA for a task, and those that stand behind the ones of its layers.
  constexpr void plan_fetches(const plan::task& t, std::size_t number) {
    fetches_.clear();
    next_fetch_ = 0;
    if (!plans_fetches_) return;
    plan::weights_ahead now(t);
    std::vector<const plan::operation*> ops;
    for (const auto& op : t.operations)
      if (std::holds_alternative<layer::convolution>(op.layer.what)) ops.push_back(&op);
    for (std::size_t n = 0; n < ops.size(); ++n) {
      const auto& c = now.all()[n];
      bool others = plan::brings_others(c, now.there(n), Hw::spec);
      fetches_.push_back({fetch_of(c, now.there(n)), ops[n], true});
      for (const auto& k : now.bring(n)) {
        const auto kernels = some_kernels(now.all()[k.of], k.first, k.count);
        if (std::exchange(others, false)) fetches_.back().what.bring(kernels);
        else fetches_.push_back({fetch_ahead_of(kernels, c), nullptr, false});
        fetches_.back().by = ops[k.of];
      }
      if (turn_behind_ == plan::convolution_place{number, n})
        fetches_.push_back({fetch_of_nothing(c), &nobody_, false});
    }
    for (std::size_t i = 0; i + 1 < fetches_.size(); ++i)
      fetches_[i].what.go_before(fetches_[i + 1].what);
  }
  constexpr void fetch_behind() {
    for (; next_fetch_ < fetches_.size() && !fetches_[next_fetch_].of_a_layer; ++next_fetch_) {
      const auto group = groups_.next_fetch();
      take_fetcher(group, fetches_[next_fetch_].by);
      point_fetch<Hw>(group, registers_);
      program_fetch<Hw>(fetches_[next_fetch_].what, where_, registers_);
      typename register_changes<Bus>::start starts(registers_);
      enable_fetch<Hw>(group, starts);
    }
  }
  // The group of CDMA is for an operation that is done when that convolution is. Of the one that
  // had it CDMA has to be asked, unless that is known to be done.
  constexpr void take_fetcher(unsigned group, const plan::operation* by) {
    if (std::exchange(fetchers_[group], by) != nullptr) wait_for_fetch<Hw>(group, bus_);
  }

  static constexpr bool runs_in(const stage& s, layer::engine_number unit) {
    for (std::size_t i = s.first; i < s.last; ++i)
      if (layer::engine_of(s.at(i)) == unit) return true;
    return false;
  }
  static constexpr bool is_convolution(const stage& s) {
    return std::holds_alternative<layer::convolution>(s.at(s.first));
  }
  // Whether a convolution, whose data and weights CDMA may have brought, need not wait for all of
  // the one before it, but for CACC.
  constexpr bool is_mixed_up(const stage& s) const {
    const auto& c = std::get<layer::convolution>(s.at(s.first));
    const auto before = std::find_if(running_.rbegin(), running_.rend(), is_convolution);
    return before != running_.rend() && layer::confuses_delivery(c, Hw::spec) &&
           (c.data_reuse || !depends(s, *before));
  }
  // Until the last convolution has left CACC.
  constexpr void wait_for_delivery() {
    const auto before = std::find_if(running_.rbegin(), running_.rend(), is_convolution);
    if (before == running_.rend()) return;
    const layer::any any = layer::convolution{};
    const auto bits = before->done & (done_bits(any, {}) | done_bits(any, {.core = 1, .rdma = 0}));
    if (bits != 0) bus_.wait_done(bits);
    before->done &= ~bits;
    free_fetchers(*before);
  }
  // CDMA has done what it did for a convolution that is done.
  constexpr void free_fetchers(const stage& s) {
    for (auto& by : fetchers_)
      if (by == &(*s.of)[s.first]) by = nullptr;
  }

  // Whether the stage has to wait until `before` has written or read all of its memory. That a
  // convolution waits for CACC is another matter.
  constexpr bool depends(const stage& s, const stage& before) const {
    if (s.of != before.of) return meets(s, before);
    for (std::size_t i = before.first + (is_convolution(before) ? 1 : 0); i < before.last; ++i)
      for (const auto& c : (*before.of)[i].consumers)
        if (c.event == plan::event::completed && c.operation >= 0 &&
            static_cast<std::size_t>(c.operation) >= s.first &&
            static_cast<std::size_t>(c.operation) < s.last)
          return true;
    return false;
  }

  // Whether a layer touches what `before`, of another task, writes.
  constexpr bool meets(const stage& s, const stage& before) const {
    bool found = false;
    const auto region = [&](const layer::surface& cube) {
      return plan::detail::region(p_.buffers, cube);
    };
    layer::for_each_write(before.at(before.last - 1), [&](const layer::surface& written) {
      const auto visit = [&](const layer::surface& cube) {
        found = found || region(cube).meets(region(written));
      };
      for (std::size_t i = s.first; i < s.last; ++i) {
        layer::for_each_read(s.at(i), visit);
        layer::for_each_write(s.at(i), visit);
      }
    });
    return found;
  }

  constexpr void wait_where(auto&& concerns) {
    std::erase_if(running_, [&](const stage& s) {
      const bool wait = concerns(s);
      if (!wait) return false;
      bus_.wait_done(s.done);
      free_fetchers(s);
      return true;
    });
  }

  const plan::program_data& p_;
  const Where& where_;
  Bus& bus_;
  register_changes<Bus> registers_;
  std::vector<stage> running_{};  // enabled and not waited for, in that order
  ping_pong_groups groups_{};
  loaded_luts loaded_{};
  // CDMA's operations for the task, of which some are those of its layers.
  struct step_of_cdma {
    fetch what{};
    const plan::operation* by = nullptr;  // the convolution whose weights it brings
    bool of_a_layer = true;
  };
  std::vector<step_of_cdma> fetches_{};
  bool plans_fetches_ = false;  // else the layers' own, as they are
  std::size_t next_fetch_ = 0;
  std::optional<plan::convolution_place> turn_behind_{};  // where CDMA takes a turn of its own
  plan::operation nobody_{};  // the turn's, which no convolution tells to be done
  // By group of CDMA: whose operation has it, and may not be done.
  std::array<const plan::operation*, 2> fetchers_{};
};

}  // namespace detail

}  // namespace nvdlac::emit
