// SPDX-License-Identifier: Apache-2.0
#pragma once
// Do operations that touch the same bytes keep their order, however fast the engines are?
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/checker/delivery.hpp>
#include <nvdlac/plan/checker/events.hpp>
#include <nvdlac/plan/checker/footprint.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// The moments of an operation between which something is certain: it is programmed; it is enabled;
// it may begin to read memory; it may begin to write; it has completed.
enum class step : std::uint8_t { programmed, enabled, reads, writes, completed };
inline constexpr std::size_t steps = 5;

// The steps that have certainly completed before each step of each operation. The operations of
// an engine complete in the order of their chain, so that one number for each engine tells it
// all.
class happens_before {
 public:
  // nullopt: the operations of the task wait for each other in a circle.
  static constexpr std::optional<happens_before> of(const schedule& s) {
    happens_before result(s);
    result.add_edges();
    if (!result.propagate()) return std::nullopt;
    return result;
  }
  // So many operations of the engine, the first ones of its chain, have completed before
  // `operation` reaches this step.
  constexpr std::size_t completed(std::size_t engine, std::size_t operation, step at) const {
    return clock_[node(operation, at)][engine];
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

// Accesses of one kind, by operations of one engine, to one space, in the order that the program
// means.
class touches {
 public:
  // Adds an access of the operation at this place of its engine's chain.
  constexpr void add(const access& a, std::size_t place) {
    if (all_.size() % span == 0) hulls_.push_back({});
    auto& hull = hulls_.back();
    hull.begin = std::min(hull.begin, a.in_space.begin);
    hull.end = std::max(hull.end, a.in_space.end());
    const auto until = all_.empty() ? 0 : all_.back().until;
    all_.push_back({&a, place, std::max(until, place + 1)});
  }
  // The last one with a byte of `now` whose operation is not among the first `completed` ones of
  // the chain; nullptr: none.
  constexpr const access* last_open(const access& now, std::size_t completed) const {
    const auto begin = now.in_space.begin, end = now.in_space.end();
    auto i = all_.size();
    while (i != 0 && all_[i - 1].until > completed) {
      const auto& hull = hulls_[(i - 1) / span];
      const auto first = (i - 1) / span * span;
      if (end <= hull.begin || hull.end <= begin) {
        i = first;
        continue;
      }
      for (; i != first; --i)
        if (const auto& t = all_[i - 1];
            t.place >= completed && overlap(t.by->in_space, now.in_space))
          return t.by;
    }
    return nullptr;
  }

 private:
  struct touch {
    const access* by = nullptr;
    std::size_t place = 0;
    std::size_t until = 0;  // behind the places of this one and all before it
  };
  // The bytes from the first to the last one of `span` accesses.
  struct bounds {
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  };
  static constexpr std::size_t span = 32;

  std::vector<touch> all_{};
  std::vector<bounds> hulls_{};
};

// The bytes that the operations of a task touched so far, by space.
class touched_memory {
 public:
  constexpr touched_memory(const schedule& s, const happens_before& before)
      : s_(s), before_(before) {}

  // Calls visit(earlier access) for those that operation `now` of the task need not wait for though
  // they touch the same bytes, one of them to write: of each engine and kind the last one.
  template <class Visit>
  constexpr void touch(const access& a, std::size_t now, Visit visit) {
    if (space_.size() <= a.space) space_.resize(a.space + 1, nobody);
    if (space_[a.space] == nobody) {
      space_[a.space] = touched_.size();
      touched_.emplace_back(2 * engines, touches{});
    }
    auto& touched = touched_[space_[a.space]];
    const auto at = a.write ? step::writes : step::reads;
    for (std::size_t e = 0; e < engines; ++e)
      for (const bool write : {true, false})
        if (write || a.write)
          if (const auto* earlier = touched[index(e, write)].last_open(
                  a, before_.completed(e, now, at)))
            visit(*earlier);
    touched[index(s_.engine_of[now], a.write)].add(a, s_.place[now]);
  }

 private:
  static constexpr std::size_t index(std::size_t engine, bool write) {
    return 2 * engine + (write ? 1 : 0);
  }

  const schedule& s_;
  const happens_before& before_;
  std::vector<std::size_t> space_{};               // where in touched_, or nobody
  std::vector<std::vector<touches>> touched_{};  // by engine and kind
};

// The order that the program means is that of its operations; what is tested is that the events
// enforce it wherever it matters. Completion is transitive, so that all would be well if each
// access waited for the last one before it that touched the same bytes; but which one that is would
// have to be known of each byte. So an access is compared with all before it that have not
// certainly completed: those that run beside it, which are few, as whole cubes.
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
    return s.place[a] < before->completed(s.engine_of[a], b, step::enabled);
  }, found);
  touched_memory touched(s, *before);
  std::vector<std::size_t> reported;  // of this operation
  std::size_t last = nobody;
  for (auto a = std::ranges::lower_bound(all, first, {}, &access::operation);
       a != all.end() && a->operation - first < t.operations.size(); ++a) {
    const std::size_t now = a->operation - first;
    if (std::exchange(last, now) != now) reported.clear();
    touched.touch(*a, now, [&](const access& earlier) {
      if (std::ranges::find(reported, earlier.operation) != reported.end()) return;
      reported.push_back(earlier.operation);
      const bool own = earlier.operation == a->operation;
      found.add({.layer = t.operations[now].layer.name,
                 .reason = own ? "it reads memory that it writes itself"
                               : text("it ", a->write ? "writes" : "reads", " memory that '",
                                      t.operations[earlier.operation - first].layer.name, "' ",
                                      earlier.write ? "writes" : "reads",
                                      ", but need not wait for it")});
    });
  }
}

}  // namespace nvdlac::plan::checker
