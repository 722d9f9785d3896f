// SPDX-License-Identifier: Apache-2.0
#pragma once
// How weights come, and how a convolution computes and hands over: CSC takes the output of a
// kernel group in stripes of pixels, every step of a stripe costs a cycle for each pixel, and the
// last step of a stripe needs a credit of CACC's delivery buffer for each of its atoms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/cost/memory.hpp>

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
        fetch(target - done_, next_ == 0 ? time_ : freed_[next_ - 1].time);
      } else if (next_ < freed_.size()) {
        ++next_;
      } else {
        throw error("a kernel group does not fit the banks for weights");
      }
    }
    return time_;
  }

  // The first `atoms` are not needed any more.
  constexpr void release(std::uint64_t atoms, std::int64_t time) {
    freed_.push_back({atoms, time});
  }
  // When the last one so far is requested.
  constexpr std::int64_t time() const { return time_; }
  // Those from now on come by this bus.
  constexpr void come_by(const cost::bus& b) { bus_ = b; }
  // Nothing is requested before.
  constexpr void not_before(std::int64_t time) { time_ = std::max(time_, time); }
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

// Where CSC, and where CACC stand. All in cycles.
struct pipeline {
  std::int64_t time = 0;       // CSC has issued all steps so far
  std::int64_t last_mac = 0;   // the last MAC so far
  std::int64_t delivered = 0;  // the last atom so far has left for SDP
  std::int64_t operands = 0;   // SDP has the operands of all atoms so far
};

// What the stripes of a convolution have in common.
class stripe_rules {
 public:
  // kernels: MAC_ATOMIC_K. An atom takes `atom` cycles to SDP. SDP reads so many atoms of operands
  // for each, `depth` at once, of which each takes `round_trip` cycles.
  constexpr stripe_rules(std::uint64_t kernels, bool by_line, std::uint64_t steps,
                         std::uint64_t atom, std::uint64_t operands, std::uint64_t round_trip,
                         std::uint64_t depth)
      : kernels_(kernels), steps_(steps), atom_(atom), operands_(operands),
        round_trip_(round_trip), depth_(depth), by_line_(by_line) {}

 private:
  constexpr std::uint64_t longest() const { return 2 * kernels_; }

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
      p.time += rest, p.last_mac += rest, p.delivered += rest, p.operands += rest;
      return;
    }
  }

  // Pixels in a row: stripes of twice the kernels while at least two are left. The rest is one
  // stripe, but a line of an image has no other length than the longest, and a feature cube begins
  // the rest with stripes of half the length.
  constexpr void pixels(pipeline& p, std::uint64_t n) const {
    const auto most = longest();
    if (n >= 2 * most) {
      const auto whole = n / most - 1;
      repeat(p, whole, [&](pipeline& q) { stripe(q, most); });
      n -= whole * most;
    }
    while (n > 0) {
      const auto next = n <= most ? n : by_line_ ? most : kernels_;
      stripe(p, next);
      n -= next;
    }
  }

  constexpr void stripe(pipeline& p, std::uint64_t atoms) const {
    const auto of = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    const auto step = of(std::max(atoms, kernels_));
    const auto leave = [&](std::uint64_t n) {
      return of(std::max(n * atom_, ceil_div(n * operands_ * round_trip_, depth_)));
    };
    const auto credits = p.delivered - leave(longest() - atoms) + of(measured.to_credit);
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

 private:
  std::uint64_t kernels_, steps_, atom_, operands_, round_trip_, depth_;
  bool by_line_;
};

}  // namespace nvdlac::cost
