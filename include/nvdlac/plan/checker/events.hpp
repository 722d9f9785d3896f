// SPDX-License-Identifier: Apache-2.0
#pragma once
// Do the links of a task make sense to the firmware, and do its operations all come to an end?
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/plan/checker/footprint.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// True if the layer takes its data from the engine before it, not from memory.
template <class Layer>
constexpr bool takes_from_engine(const Layer& l) {
  if constexpr (requires { layer::engine<Layer>::source; }) return l.input.at.on_the_fly();
  else return false;
}
constexpr bool is_fed_on_the_fly(const layer::any& what) {
  return nvdlac::visit([](const auto& l) { return takes_from_engine(l); }, what);
}

// True if an engine behind it takes its result.
constexpr bool gives_to_engine(const layer::convolution&) { return true; }
constexpr bool gives_to_engine(const layer::sdp& s) { return s.output.at.on_the_fly(); }
constexpr bool gives_to_engine(const auto&) { return false; }
constexpr bool feeds_on_the_fly(const layer::any& what) {
  return nvdlac::visit([](const auto& l) { return gives_to_engine(l); }, what);
}

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// The operations of one task as the firmware sees them.
struct schedule {
  // By engine, in their order of execution; g++ 12 cannot return an array of vectors as a constant.
  std::vector<std::vector<std::size_t>> chain{engines, std::vector<std::size_t>{}};
  std::vector<std::size_t> engine_of{}, place{};          // place in the chain; nobody: not in it
  std::vector<std::size_t> source{}, sink{};              // partners on the fly, or nobody
  std::vector<char> reads{};                              // whether it uses the engine's read DMA
  struct wait { std::size_t on, by; plan::event event; };
  std::vector<wait> waits{};
  bool sound = true;  // no link leads astray
};

// The chain of each engine's operations, each of which has to stand in it once.
constexpr void follow_chains(const task& t, schedule& s, const auto& report) {
  const std::size_t n = t.operations.size();
  for (std::size_t e = 0; e < engines; ++e) {
    std::size_t total = 0, at = nobody;
    for (std::size_t i = 0; i < n; ++i)
      if (s.engine_of[i] == e) {
        ++total;
        if (at == nobody) at = i;  // the firmware starts with the first of the engine
      }
    while (at < n && s.engine_of[at] == e && s.place[at] == nobody) {
      s.place[at] = s.chain[e].size();
      s.chain[e].push_back(at);
      const auto next = t.operations[at].consumers[e].operation;
      at = next < 0 ? nobody : static_cast<std::size_t>(next);
    }
    if (at < n && s.engine_of[at] == e)
      report(at, "it comes twice in the chain of its engine's operations");
    if (s.chain[e].size() == total) continue;
    for (std::size_t i = 0; i < n; ++i)
      if (s.engine_of[i] == e && s.place[i] == nobody)
        report(i, "it is not in the chain of its engine's operations and would never run");
  }
}

// Reads the links; reports those that the firmware would follow into the void.
constexpr schedule read_links(const task& t, diagnostics& found) {
  const std::size_t n = t.operations.size();
  schedule s;
  s.place.assign(n, nobody);
  s.source.assign(n, nobody);
  s.sink.assign(n, nobody);
  std::vector<std::size_t> waited(n, 0);
  const auto report = [&](std::size_t i, std::string reason) {
    found.add({.layer = t.operations[i].layer.name, .reason = std::move(reason)});
    s.sound = false;
  };
  for (const auto& op : t.operations) {
    s.engine_of.push_back(index(layer::engine_of(op.layer.what)));  // the host's is `engines`
    const auto all = uses(op.layer.what);
    s.reads.push_back(std::any_of(all.begin(), all.end(), [](const use& u) { return !u.write; }));
  }
  const auto follow = [&](std::size_t i, const link& l, std::size_t engine, const char* what) {
    if (l.operation < 0) return;
    const auto to = static_cast<std::size_t>(l.operation);
    if (to >= n || to == i) return report(i, text("its ", what, " is operation ", to, " of ", n));
    if (s.engine_of[to] != engine)
      return report(i, text("its ", what, " '", t.operations[to].layer.name,
                            "' belongs to another engine"));
    if (l.event != event::completed && l.event != event::programmed && l.event != event::enabled)
      return report(i, text("its ", what, " waits for event ", static_cast<int>(l.event)));
    s.waits.push_back({i, to, l.event});
    ++waited[to];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto& op = t.operations[i];
    for (std::size_t e = 0; e < engines; ++e) follow(i, op.consumers[e], e, "consumer");
    // The firmware looks for a fused parent in the engine before.
    follow(i, op.fused_parent, s.engine_of[i] - 1, "fused parent");
  }
  for (std::size_t i = 0; i < n; ++i)
    if (t.operations[i].dependency_count != waited[i])
      report(i, text("it waits for ", int{t.operations[i].dependency_count}, " events but ",
                     waited[i], " are sent"));
  follow_chains(t, s, report);
  return s;
}

// Finds who feeds whom on the fly: the producer links to its consumer when it is programmed and
// waits itself until the consumer is enabled.
constexpr void pair_on_the_fly(const task& t, schedule& s, diagnostics& found) {
  const auto report = [&](std::size_t i, std::string reason) {
    found.add({.layer = t.operations[i].layer.name, .reason = std::move(reason)});
    s.sound = false;
  };
  const std::size_t n = t.operations.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto& op = t.operations[i];
    const auto parent = op.fused_parent.operation;
    if (!is_fed_on_the_fly(op.layer.what)) {
      if (parent >= 0) report(i, "it has a fused parent but reads from memory");
      continue;
    }
    if (parent < 0 || static_cast<std::size_t>(parent) >= n) {
      report(i, "it is fed on the fly but has no fused parent");
      continue;
    }
    const auto from = static_cast<std::size_t>(parent);
    const auto& back = t.operations[from].consumers[s.engine_of[i]];
    if (op.fused_parent.event != event::enabled)
      report(i, "its fused parent does not wait until it is enabled");
    if (!feeds_on_the_fly(t.operations[from].layer.what))
      report(i, text("its fused parent '", t.operations[from].layer.name, "' writes to memory"));
    if (back.operation < 0 || static_cast<std::size_t>(back.operation) != i)
      report(i, text("it is not the consumer of its fused parent '",
                     t.operations[from].layer.name, "'"));
    else if (back.event == event::completed)  // each would wait for the other
      report(i, "it waits for the completion of what feeds it on the fly");
    if (s.sink[from] != nobody)
      report(i, text("it is fed by '", t.operations[from].layer.name, "', which feeds another"));
    s.source[i] = from;
    s.sink[from] = i;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (feeds_on_the_fly(t.operations[i].layer.what) && s.sink[i] == nobody)
      report(i, "nothing takes its result");
}

// Plays the firmware's rules until nothing moves: two register groups for each engine, engines work
// in the order of their chains, connected engines end together.
constexpr void check_progress(const task& t, const schedule& s, diagnostics& found) {
  const std::size_t n = t.operations.size();
  std::vector<std::size_t> open(n, 0);
  for (const auto& w : s.waits) ++open[w.by];
  std::vector<std::vector<schedule::wait>> waits(n);
  for (const auto& w : s.waits) waits[w.on].push_back(w);
  std::vector<char> programmed(n, false), enabled(n, false), completed(n, false);
  const auto send = [&](std::size_t i, event e) {
    for (const auto& w : waits[i])
      if (w.event == e) --open[w.by];
  };
  std::array<std::size_t, engines> next{}, head{};  // places in the chains
  const auto is_head = [&](std::size_t i) {
    return head[s.engine_of[i]] == s.place[i] && enabled[i];
  };
  const auto may_complete = [&](std::size_t i) {
    if (!is_head(i)) return false;
    for (auto j = s.sink[i]; j != nobody; j = s.sink[j])
      if (!is_head(j)) return false;
    for (auto j = i; s.source[j] != nobody; j = s.source[j])
      if (!completed[s.source[j]]) return false;
    return true;
  };
  std::size_t done = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t e = 0; e < engines; ++e) {
      const auto& chain = s.chain[e];
      for (; next[e] < chain.size() && next[e] < head[e] + 2; ++next[e]) {
        programmed[chain[next[e]]] = moved = true;
        send(chain[next[e]], event::programmed);
      }
      for (auto at = head[e]; at < next[e]; ++at)
        if (const auto i = chain[at]; programmed[i] && !enabled[i] && open[i] == 0) {
          enabled[i] = moved = true;
          send(i, event::enabled);
        }
      if (head[e] < next[e] && may_complete(chain[head[e]])) {
        const auto i = chain[head[e]++];
        completed[i] = moved = true;
        ++done;
        send(i, event::completed);
      }
    }
  }
  for (std::size_t i = 0; i < n && done < n; ++i)
    if (!completed[i] && s.engine_of[i] < engines)
      found.add({.layer = t.operations[i].layer.name,
                 .reason = text("it never ", !programmed[i]  ? "gets a register group"
                                             : !enabled[i] ? "receives the events it waits for"
                                                           : "comes to its end")});
}

}  // namespace nvdlac::plan::checker
