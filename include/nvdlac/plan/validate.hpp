// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/checker/delivery.hpp>
#include <nvdlac/plan/checker/events.hpp>
#include <nvdlac/plan/checker/footprint.hpp>
#include <nvdlac/plan/checker/memory.hpp>
#include <nvdlac/plan/program.hpp>

// Do operations that touch the same bytes keep their order, however fast the engines are?

namespace nvdlac::plan::checker {

// The moments of an operation between which something is certain: it is programmed; it is enabled;
// it may begin to read memory; it may begin to write; it has completed.
enum class step : std::uint8_t { programmed, enabled, reads, writes, completed };
inline constexpr std::size_t steps = 5;

// What has certainly completed before each step of each operation. The operations of an engine
// complete in the order of their chain, so that one number for each engine tells it all.
class happens_before {
 public:
  // nullopt: the operations of the task wait for each other in a circle.
  static constexpr std::optional<happens_before> of(const schedule& s) {
    happens_before result(s);
    result.add_edges();
    if (!result.propagate()) return std::nullopt;
    return result;
  }
  // Has `a` completed before `b` reaches this step?
  constexpr bool completed_before(std::size_t a, std::size_t b, step at) const {
    return clock_[node(b, at)][s_.engine_of[a]] > s_.place[a];
  }

 private:
  using clock = std::array<std::size_t, engines>;  // completed operations of each engine

  explicit constexpr happens_before(const schedule& s)
      : s_(s), next_(s.engine_of.size() * steps), clock_(s.engine_of.size() * steps, clock{}) {}

  static constexpr std::size_t node(std::size_t operation, step at) {
    return operation * steps + static_cast<std::size_t>(at);
  }
  constexpr void edge(std::size_t a, step from, std::size_t b, step to) {
    next_[node(a, from)].push_back(node(b, to));
  }

  constexpr void add_edges() {
    using enum step;
    for (std::size_t i = 0; i < s_.engine_of.size(); ++i) {
      edge(i, programmed, i, enabled);
      edge(i, enabled, i, reads);
      edge(i, reads, i, writes);
      edge(i, writes, i, completed);
      if (const auto from = s_.source[i]; from != nobody) {
        edge(from, writes, i, writes);  // its data come from there
        edge(from, completed, i, completed);
      }
    }
    for (const auto& w : s_.waits)
      edge(w.on, w.event == event::completed    ? completed
                 : w.event == event::programmed ? programmed
                                                : enabled, w.by, enabled);
    for (const auto& chain : s_.chain) {
      // The engine writes one after the other, but its read DMA runs ahead by one operation: as
      // soon as it has done the previous one that uses it.
      std::size_t reader = nobody;
      for (const auto i : chain) {
        if (!s_.reads[i]) continue;
        if (reader != nobody) edge(reader, reads, i, reads);
        reader = i;
      }
      for (std::size_t i = 1; i < chain.size(); ++i) {
        edge(chain[i - 1], programmed, chain[i], programmed);
        edge(chain[i - 1], completed, chain[i], writes);
        // Two register groups: the third operation waits for the first.
        if (i > 1) edge(chain[i - 2], completed, chain[i], programmed);
      }
    }
  }

  constexpr bool propagate() {
    std::vector<std::size_t> open(next_.size(), 0), ready;
    for (const auto& targets : next_)
      for (const auto t : targets) ++open[t];
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i] == 0) ready.push_back(i);
    std::size_t visited = 0;
    for (; !ready.empty(); ++visited) {
      const auto at = ready.back();
      ready.pop_back();
      auto known = clock_[at];
      const auto operation = at / steps;
      if (at == node(operation, step::completed))
        known[s_.engine_of[operation]] =
            std::max(known[s_.engine_of[operation]], s_.place[operation] + 1);
      for (const auto t : next_[at]) {
        for (std::size_t e = 0; e < engines; ++e)
          clock_[t][e] = std::max(clock_[t][e], known[e]);
        if (--open[t] == 0) ready.push_back(t);
      }
    }
    return visited == next_.size();
  }

  const schedule& s_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<clock> clock_;
};

// What touched the bytes of one space last. Completion is transitive, so an access need only be
// compared with the last write and with the reads behind it, of each engine the last in its chain:
// that is linear in the accesses, however often memory is used again.
class last_touches {
 public:
  explicit constexpr last_touches(const schedule& s) : s_(s) {}

  // Calls visit(earlier operation, whether it wrote) for all that operation `now` must wait for.
  template <class Visit>
  constexpr void touch(const footprint& f, std::size_t now, bool write, Visit visit) {
    f.each_run([&](std::uint64_t at, std::uint64_t size) {
      if (size == 0) return;
      const auto begin = cut(at), end = cut(at + size);
      for (auto i = begin; i != end; ++i) {
        auto& t = since_[i].last;
        if (t.writer != nobody) visit(t.writer, true);
        if (write)
          for (const auto r : t.readers)
            if (r != nobody) visit(r, false);
        if (!write) later(t.readers[s_.engine_of[now]], now);
      }
      if (!write) return;
      since_[begin].last = {.writer = now};
      since_.erase(since_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                   since_.begin() + static_cast<std::ptrdiff_t>(end));
    });
  }

 private:
  struct touches {
    std::size_t writer = nobody;
    std::array<std::size_t, engines> readers{nobody, nobody, nobody, nobody, nobody, nobody};
  };
  static_assert(engines == 6);
  struct range {  // up to the first byte of the next one
    std::uint64_t first = 0;
    touches last{};
  };

  constexpr void later(std::size_t& reader, std::size_t now) const {
    if (reader == nobody || s_.place[reader] < s_.place[now]) reader = now;
  }
  // The index of the range that begins here, cut off from the one before if need be.
  constexpr std::size_t cut(std::uint64_t at) {
    const auto next = std::ranges::upper_bound(since_, at, {}, &range::first);
    const auto index = static_cast<std::size_t>(next - since_.begin());
    const range before = since_[index - 1];
    if (before.first == at) return index - 1;
    since_.insert(next, {at, before.last});
    return index;
  }

  const schedule& s_;
  std::vector<range> since_{range{}};  // sorted
};

// The order that the program means is that of its operations; what is tested is that the events
// enforce it wherever it matters.
constexpr void check_order(const task& t, std::size_t first, const schedule& s,
                           const hw::spec& hw, const std::vector<access>& all,
                           diagnostics& found) {
  const auto before = happens_before::of(s);
  if (!before) {
    found.add({.layer = t.operations.front().layer.name,
               .reason = "the operations of its task wait for each other in a circle"});
    return;
  }
  check_delivery(t, s, hw, [&](std::size_t a, std::size_t b) {
    return before->completed_before(a, b, step::enabled);
  }, found);
  std::vector<std::pair<std::size_t, std::size_t>> reported;
  std::vector<std::pair<std::size_t, last_touches>> spaces;
  for (const auto& a : all) {
    if (a.operation < first || a.operation - first >= t.operations.size()) continue;
    const std::size_t now = a.operation - first;
    auto space = std::ranges::find(spaces, a.space, [](const auto& known) { return known.first; });
    if (space == spaces.end()) {
      spaces.emplace_back(a.space, last_touches(s));
      space = spaces.end() - 1;
    }
    space->second.touch(
        a.in_space, now, a.write, [&](std::size_t earlier, bool wrote) {
          const bool own = earlier == now;
          if (!own && before->completed_before(earlier, now, a.write ? step::writes : step::reads))
            return;
          const std::pair both(earlier, now);
          if (std::ranges::find(reported, both) != reported.end()) return;
          reported.push_back(both);
          found.add({.layer = t.operations[now].layer.name,
                     .reason = own ? "it reads memory that it writes itself"
                                   : text("it ", a.write ? "writes" : "reads", " memory that '",
                                          t.operations[earlier].layer.name, "' ",
                                          wrote ? "writes" : "reads",
                                          ", but need not wait for it")});
        });
  }
}

}  // namespace nvdlac::plan::checker

// The independent check of a plan: it shares no code with placement and dependencies.

namespace nvdlac::plan {

// Everything that is wrong with a program's memory and order; empty if it computes the same on
// engines of any speed. Memory: cubes inside buffers inside pools, nothing overwritten while it is
// needed, nothing read before it is written. Order: the firmware's events lead every operation to
// its end, operations that touch the same bytes wait for each other, and so do convolutions that
// CACC would mix up.
constexpr std::vector<problem> validate(const program_data& p, const hw::spec& hw,
                                        contents weights = contents::here) {
  namespace check = checker;
  const auto atom = hw.atom();
  diagnostics found;
  check::check_buffers(p, weights, found);
  check::check_surfaces(p, atom, found);
  if (!found.empty()) return found.problems();  // the rest follows every cube byte by byte

  const auto all = check::accesses(p, atom);
  check::check_sharing(p, all, found);
  check::check_written(p, atom, all, found);
  std::size_t first = 0;
  for (const auto& t : p.tasks) {
    const auto count = t.operations.size();
    bool mixed = false;
    for (const auto& op : t.operations)
      mixed = mixed || layer::on_host(op.layer.what) != t.host || (t.host && count != 1);
    if (count == 0)
      found.add({.reason = "a task has no operations"});
    else if (mixed)
      found.add({.layer = t.operations.front().layer.name,
                 .reason = "its task is neither one layer of the host nor layers of the hardware"});
    else if (!t.host) {
      auto schedule = check::read_links(t, found);
      check::pair_on_the_fly(t, schedule, found);
      if (schedule.sound) {
        check::check_progress(t, schedule, found);
        check::check_order(t, first, schedule, hw, all, found);
      }
    }
    first += count;
  }
  return found.problems();
}

template <hw::hardware Hw>
constexpr std::vector<problem> validate(const program<Hw>& p) {
  return validate(p, Hw::spec);
}

}  // namespace nvdlac::plan
