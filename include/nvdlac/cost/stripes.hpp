// SPDX-License-Identifier: Apache-2.0
#pragma once
// How weights come, and how a convolution computes and hands over: CSC takes the output of a
// kernel group in stripes of pixels, every step of a stripe costs a cycle for each pixel, and the
// last step of a stripe needs a credit of CACC's delivery buffer for each of its atoms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/streams.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::cost {

// CDMA's fetch of the weights: atom behind atom, as long as the CBUF's banks have room. CSC frees
// the room of a kernel group when it has computed with it.
class weight_stream {
 public:
  // The first `done` atoms are requested at `time`; the banks take `room` atoms.
  constexpr weight_stream(const cost::bus& b, std::uint64_t done, std::int64_t time,
                          std::uint64_t room)
      : bus_(b), done_(done), time_(time), room_(room + measured.weights_ahead) {}

  // When the first `atoms` are requested.
  constexpr std::int64_t requested(std::uint64_t atoms) {
    while (done_ < atoms) {
      const auto freed = next_ == 0 ? 0 : freed_[next_ - 1].atoms;
      const auto target = std::min(atoms, freed + room_);
      if (target > done_) {
        fetch(target - done_, next_ == 0 ? time_ : requested_behind(freed_[next_ - 1].time));
      } else if (next_ < freed_.size()) {
        ++next_;
      } else {
        throw error("a kernel group does not fit the banks for weights");
      }
    }
    return time_;
  }

  // When CDMA requests what takes the room of weights whose last MAC is then.
  static constexpr std::int64_t requested_behind(std::int64_t last_mac) {
    return last_mac - static_cast<std::int64_t>(measured.before_last_mac);
  }
  // The first `atoms` are not needed any more.
  constexpr void release(std::uint64_t atoms, std::int64_t time) {
    freed_.push_back({atoms, time});
  }
  // When the last one so far is requested.
  constexpr std::int64_t time() const { return time_; }
  // The next ones are requested from then on.
  constexpr void restart(std::int64_t time) { time_ = time; }
  // Atoms from now on come by this bus.
  constexpr void come_by(const cost::bus& b) { bus_ = b; }
  // Nothing is requested before.
  constexpr void not_before(std::int64_t time) { time_ = std::max(time_, time); }
  // Atoms of the banks that other users occupy.
  constexpr void hold(std::uint64_t atoms) { room_ -= std::min(room_, atoms); }
  // Others take the bus for so many cycles.
  constexpr void delay(std::uint64_t cycles) { time_ += static_cast<std::int64_t>(cycles); }

 private:
  struct release_of {
    std::uint64_t atoms = 0;
    std::int64_t time = 0;
  };
  constexpr void fetch(std::uint64_t atoms, std::int64_t room_since) {
    time_ = std::max(time_, room_since) + static_cast<std::int64_t>(bus_.cycles(atoms));
    done_ += atoms;
  }

  cost::bus bus_;
  std::uint64_t done_;
  std::int64_t time_;
  std::uint64_t room_;
  std::size_t next_ = 0;  // releases that are used
  std::vector<release_of> freed_{};
};

// When what happens, in cycles: SDP's reader is enabled first, CDMA last.
struct convolution_times {
  std::int64_t reader_start = 0, start = 0, first_mac = 0, last_mac = 0;
  std::int64_t issued = 0;                      // CSC is free for the next layer
  std::int64_t data_fetched = 0, weights_fetched = 0;
  std::int64_t cacc_done = 0, sdp_done = 0;
  std::uint64_t data_banks = 0, weight_banks = 0, entries = 0, last_group = 0;
  std::int64_t began = 0;                       // CDMA's first request
  std::uint64_t data = 0, weights = 0, kept_weights = 0;  // atoms
  std::optional<weight_stream> stream{};        // of the weights, behind the last one

  // When CDMA has all of it, with weights of that latency.
  constexpr std::int64_t fetched(std::int64_t latency) const {
    return std::max(stream->time() + latency, data_fetched);
  }
};

// Kernels that CDMA brings for later layers: beside the data of a layer or behind.
class later_fetches {
 public:
  // `held` atoms for later layers are there already, of so many that have room. Weights come that
  // long after they were requested.
  constexpr later_fetches(const convolution_times& t, const cost::bus& b, std::uint64_t held,
                          std::uint64_t room, std::int64_t latency, bool beside)
      : stream_(*t.stream), time_(beside ? t.data_fetched : t.fetched(latency)),
        issued_(t.issued), latency_(latency), atoms_(t.weights),
        fits_(room - std::min(room, t.kept_weights + held) + t.weights), kept_(t.kept_weights != 0),
        beside_(beside) {
    stream_.hold(held);
    stream_.come_by(b);
    if (beside) stream_.restart(t.began + static_cast<std::int64_t>(b.cycles(t.data)));
  }

  // The next operation is not enabled earlier.
  constexpr void not_before(std::int64_t time) { stream_.not_before(time); }
  // When an operation is done that brings so many.
  constexpr std::int64_t take(std::uint64_t atoms) {
    if (!beside_) stream_.not_before(time_ + static_cast<std::int64_t>(measured.between_fetches));
    beside_ = false;
    atoms_ += atoms;
    if (kept_ && atoms_ > fits_) stream_.not_before(weight_stream::requested_behind(issued_));
    time_ = std::max(time_, stream_.requested(atoms_) + latency_);
    return time_;
  }
  constexpr std::int64_t done_with(std::uint64_t atoms) const {
    auto other = *this;
    return other.take(atoms);
  }

 private:
  weight_stream stream_;
  std::int64_t time_, issued_, latency_;
  std::uint64_t atoms_, fits_;
  bool kept_, beside_;
};

// The choice of weights that come ahead of their layer: all that CDMA can bring until the next one
// may start, and `slack` cycles longer, in the order of the layers.
class filling {
 public:
  struct rule {
    std::int64_t slack = 0;
  };

  constexpr filling(const hw::spec& s, const memory& m, rule r) : s_(s), m_(m), rule_(r) {}

  // Until which convolution, and which of its kernels, CDMA brings weights behind the operation of
  // the one before `n`, which has those times, if that of `n` starts then. They are not enabled
  // before that one's CSC.
  constexpr plan::weights_ahead::kernels operator()(const plan::weights_ahead& way, std::size_t n,
                                                    const convolution_times& before,
                                                    std::int64_t enabled,
                                                    std::int64_t start) const {
    plan::weights_ahead::kernels last{};
    const auto& all = way.all();
    const auto& c = all[n - 1];
    const bus by(s_, m_, c.weights.at.cvsram);
    const auto room = c.weight_banks * s_.cbuf_bank().n;
    // Room that others have until the layer before is done.
    auto taken = way.bytes_there(n) + (c.skip_weight_release ? c.weights.size : std::uint64_t{0});
    const auto end = start + rule_.slack - static_cast<std::int64_t>(measured.between_fetches);
    later_fetches later(before, by, ceil_div(way.bytes_there(n), by.atom()), room / by.atom(),
                        static_cast<std::int64_t>(m_.read_latency_of(c.weights.at.cvsram)),
                        plan::brings_others(c, way.there(n - 1), s_));
    later.not_before(enabled);
    for (auto l = n; l < all.size() && can_follow(all[l], c) && taken < room; ++l) {
      const auto first = way.there(l);
      if (all[l].weight_reuse || first == all[l].output.c) continue;
      const auto atoms = [&](std::int32_t count) {
        return ceil_div(way.bytes_of({l, first, count}), by.atom());
      };
      const auto count = most(all[l], first, [&](std::int32_t some) {
        return way.bytes_of({l, first, some}) + taken <= room &&
               later.done_with(atoms(some)) <= end;
      });
      if (count == 0) break;
      later.take(atoms(count));
      last = {l, first, count};
      taken += way.bytes_of(last);
      if (first + count < all[l].output.c) break;
    }
    return last;
  }

 private:
  static constexpr std::uint64_t short_group = 128;  // cycles of a kernel group that is not cut

  static constexpr bool can_follow(const layer::convolution& c, const layer::convolution& before) {
    return !c.winograd && !before.winograd && !c.is_compressed() && !before.is_compressed() &&
           c.precision == before.precision && c.data_banks == before.data_banks &&
           c.weight_banks == before.weight_banks &&
           c.weights.at.cvsram == before.weights.at.cvsram;
  }
  // The most kernels behind the first ones for which `is_possible` holds; weights are cut behind
  // whole entries of the CBUF, and behind a whole group, unless that is long.
  template <class IsPossible>
  constexpr std::int32_t most(const layer::convolution& c, std::int32_t first,
                              const IsPossible& is_possible) const {
    if (is_possible(c.output.c - first)) return c.output.c - first;
    const auto kernel = c.bytes_per_kernel(), entry = hw::weight_unit(s_).n;
    const auto group = static_cast<std::int32_t>(s_.kernel_group(c.precision));
    auto step = static_cast<std::int32_t>(entry / std::gcd(kernel, entry));
    if (kernel * static_cast<std::uint64_t>(group) <= short_group * m_.width)
      step = std::lcm(step, group);
    // In steps: what is possible, and what is not.
    std::int32_t low = first / step, high = (c.output.c - 1) / step + 1;
    while (high - low > 1) {
      const auto middle = low + (high - low) / 2;
      (is_possible(middle * step - first) ? low : high) = middle;
    }
    return std::max<std::int32_t>(0, low * step - first);
  }

  hw::spec s_;
  memory m_;
  rule rule_;
};

// Where CSC, and where CACC stand. All in cycles.
struct pipeline {
  std::int64_t time = 0;       // CSC has issued all steps so far
  std::int64_t last_mac = 0;   // the last MAC so far
  std::int64_t delivered = 0;  // the last atom so far has left for SDP
  std::int64_t operands = 0;   // SDP has the operands of all atoms so far
};

// How CSC cuts the output of a kernel group (upper_limit, wt_cycles and credit_cnt in
// NV_NVDLA_CSC_sg.v), a line of an image by as many pixels as CACC's delivery buffer holds. In
// nv_full's RTL, which is nvdlav1, half as many cells compute two kernels of int8 each.
struct stripe_limits {
  std::uint64_t step = 1;      // cycles in which the cells take a step's kernels
  std::uint64_t shortest = 1;  // cycles of a step of the fewest kernels
  std::uint64_t longest = 2;   // pixels of a stripe
  std::uint64_t buffered = 2;  // pixels whose results have room in CACC's delivery buffer
};
constexpr stripe_limits stripes_of(const hw::spec& s, hw::precision p, bool by_line) {
  const std::uint64_t kernels = s.mac_atomic_k;
  if (!is_nvdlav1(s)) {
    const auto buffered = hw::delivery_buffer(s);
    return {.step = kernels, .shortest = kernels, .longest = by_line ? buffered : 2 * kernels,
            .buffered = buffered};
  }
  return {.step = kernels / 2, .shortest = 10, .longest = by_line ? 2 * kernels : kernels,
          .buffered = (p == hw::precision::int8 ? 4 : 8) * kernels};
}

// The numbers that all stripes of a convolution have in common.
class stripe_rules {
 public:
  // An atom takes `atom` cycles to SDP. SDP reads so many atoms of operands for each, `depth` at
  // once, of which each takes `round_trip` cycles.
  constexpr stripe_rules(const stripe_limits& limits, bool by_line, std::uint64_t steps,
                         std::uint64_t atom, std::uint64_t operands, std::uint64_t round_trip,
                         std::uint64_t depth)
      : limits_(limits), steps_(steps), atom_(atom), operands_(operands),
        round_trip_(round_trip), depth_(depth), by_line_(by_line) {}

 private:

  // f n times. Once all of the pipeline advances alike, every further time is the same.
  template <class F>
  static constexpr void repeat(pipeline& p, std::uint64_t n, F f) {
    while (n > 0) {
      const auto before = p;
      f(p);
      --n;
      const auto step = p.time - before.time;
      if (step != p.delivered - before.delivered || step != p.operands - before.operands) continue;
      const auto rest = step * static_cast<std::int64_t>(n);
      p.time += rest;
      p.last_mac += rest;
      p.delivered += rest;
      p.operands += rest;
      return;
    }
  }

  // Pixels in a row: stripes of the longest while at least two are left. The rest is one
  // stripe, but a line of an image has no other length than the longest, and a feature cube begins
  // the rest with stripes of half the length.
  constexpr void pixels(pipeline& p, std::uint64_t n) const {
    const auto most = limits_.longest;
    if (n >= 2 * most) {
      const auto whole = n / most - 1;
      repeat(p, whole, [&](pipeline& q) { stripe(q, most); });
      n -= whole * most;
    }
    while (n > 0) {
      const auto next = n <= most ? n : by_line_ ? most : most / 2;
      stripe(p, next);
      n -= next;
    }
  }

  constexpr void stripe(pipeline& p, std::uint64_t atoms) const {
    const auto of = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    const auto step = of(std::max(atoms, limits_.step));
    const auto leave = [&](std::uint64_t n) {
      return of(std::max(n * atom_, ceil_div(n * operands_ * round_trip_, depth_)));
    };
    const auto credits = p.delivered - leave(limits_.buffered - atoms) + of(measured.to_credit);
    const auto last_step = std::max(p.time + of(steps_ - 1) * step, credits);
    const auto first_atom = std::max(last_step + of(measured.to_delivery), p.delivered);
    p.time = last_step + step;
    p.last_mac = last_step + of(atoms);
    // The reader goes on while no atom comes, as far as it can hold operands.
    p.operands = std::max(p.operands, first_atom - of(round_trip_)) +
                 of(ceil_div(atoms * operands_ * round_trip_, depth_));
    p.delivered = std::max(first_atom + of(atoms * atom_), p.operands);
  }

 public:
  // All stripes of a kernel group with `columns` * `lines` pixels. It stands behind what it calls,
  // as clang evaluates no template that a class defines later.
  constexpr void group(pipeline& p, std::uint64_t columns, std::uint64_t lines) const {
    if (by_line_) repeat(p, lines, [&](pipeline& q) { pixels(q, columns); });
    else pixels(p, columns * lines);
  }
  // So many kernel groups, one behind the other.
  constexpr void groups(pipeline& p, std::uint64_t count, std::uint64_t columns,
                        std::uint64_t lines) const {
    repeat(p, count, [&](pipeline& q) { group(q, columns, lines); });
  }

 private:
  stripe_limits limits_;
  std::uint64_t steps_, atom_, operands_, round_trip_, depth_;
  bool by_line_;
};

}  // namespace nvdlac::cost
