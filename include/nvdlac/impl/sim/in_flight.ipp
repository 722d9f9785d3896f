// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/in_flight.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL std::string_view in_flight::name_of(std::size_t engine) {
  return engine == bdma ? "BDMA" : unit_names[engine];
}

NVDLAC_IMPL void in_flight::join(numbers& a, const numbers& b) {
  for (std::size_t i = 0; i < engines; ++i) a[i] = std::max(a[i], b[i]);
}

NVDLAC_IMPL in_flight::number in_flight::as_seen_by(std::size_t engine, const layer& l) {
  return engine == index(unit::cdma) ? l.fetch : l.at;
}

NVDLAC_IMPL in_flight::layer* in_flight::find(number at) {
  const auto found = std::ranges::find(layers_, at, &layer::at);
  return found == layers_.end() ? nullptr : &*found;
}

NVDLAC_IMPL void in_flight::require_free(std::size_t engine, int group, number user,
                                         std::string_view where, tolerance& rules) const {
  const auto idle = idle_[engine][static_cast<std::size_t>(group)];
  rules.holds(std::max(done_[engine], idle) >= user, where, "written while ", name_of(engine),
              " may still work with it: the program has not waited for its layer");
}

// The CBUF is flushed for some hundred cycles after a reset; a convolution that begins before loses
// data (seen on nv_full's RTL).
NVDLAC_IMPL void in_flight::enable(unit u, int group, std::string_view where, tolerance& rules) {
  rules.holds(u != unit::cdma || flushed_, where,
              "enabled before CDMA.S_CBUF_FLUSH_STATUS was seen to be 1");
  enabled_[index(u)][static_cast<std::size_t>(group)] = {true, done_};
}

NVDLAC_IMPL const in_flight::numbers& in_flight::begin(std::size_t u, int group) {
  auto& e = enabled_[u][static_cast<std::size_t>(group)];
  e.waits = false;
  join(begun_[u], e.done);
  return begun_[u];
}

// Whether what may still begin cannot rely on the end of the layer, or nobody knows of it.
NVDLAC_IMPL bool in_flight::may_matter(const layer& l) const {
  const auto open = [&](const numbers& done) {
    for (std::size_t e = 0; e < engines; ++e)
      if (l.units[e] && done[e] < as_seen_by(e, l)) return true;
    return false;
  };
  if (open(done_)) return true;
  for (const auto& groups : enabled_)
    for (const auto& e : groups)
      if (e.waits && open(e.done)) return true;
  return false;
}

NVDLAC_IMPL void in_flight::configure(unit u, int group, std::string_view where,
                                      tolerance& rules) const {
  require_free(index(u), group, users_[index(u)][static_cast<std::size_t>(group)], where, rules);
}

NVDLAC_IMPL void in_flight::write_table(unit u, std::string_view where, tolerance& rules) const {
  for (const int group : {0, 1}) {
    const auto g = static_cast<std::size_t>(group);
    require_free(index(u), group, users_[index(u)][g], where, rules);
    rules.holds(!enabled_[index(u)][g].waits, where, "written while group ", group, " of ",
                name_of(index(u)), " is enabled, which may keep the table from being written");
  }
}

// A unit that is idle has read all that it reads. What it writes may be on its way.
NVDLAC_IMPL void in_flight::observe_idle(unit u, int group) {
  const auto g = static_cast<std::size_t>(group);
  idle_[index(u)][g] = last_;
  using enum unit;
  if (u != sdp && u != pdp && u != cdp && u != rubik) complete(index(u), users_[index(u)][g]);
}

// Units do their layers in order. An operation of CDMA that brings nothing ends with the one before
// it.
NVDLAC_IMPL void in_flight::complete(std::size_t engine, number at) {
  done_[engine] = std::max(done_[engine], at);
  if (engine != index(unit::cdma)) return;
  for (const auto& f : fetches_)
    if (f.at > done_[engine]) {
      if (!f.idle) break;
      done_[engine] = f.at;
    }
}

// The done of a unit tells that the units before it in its layer have done as well.
NVDLAC_IMPL void in_flight::complete(const layer& l, std::uint32_t bit) {
  const auto is = [&](std::uint32_t group0) { return (bit & (group0 | group0 << 1)) != 0; };
  const auto all = [&](std::initializer_list<unit> units) {
    for (const auto u : units)
      if (l.units[index(u)]) complete(index(u), as_seen_by(index(u), l));
  };
  using enum unit;
  if (is(bits_.cacc) || is(bits_.sdp) || is(bits_.pdp)) all({cdma, csc, cmac_a, cmac_b, cacc});
  if ((is(bits_.sdp) || is(bits_.pdp)) && l.units[index(sdp)]) {
    complete(index(sdp), l.at);
    complete(index(sdp_rdma), l.at);  // of a layer, or with nothing to read
  }
  if (is(bits_.pdp)) all({pdp_rdma, pdp});
  if (is(bits_.cdp)) all({cdp_rdma, cdp});
  if (is(bits_.rubik)) all({rubik});
  if (is(bits_.bdma)) complete(bdma, l.at);
}

// CDMA has done when both its data and its weights are there.
NVDLAC_IMPL void in_flight::complete_fetch(number at) {
  for (const auto group0 : {bits_.cdma_data, bits_.cdma_weights})
    for (const auto bit : {group0, group0 << 1}) {
      const auto& unseen = raised_[static_cast<std::size_t>(std::countr_zero(bit))];
      if (std::ranges::binary_search(unseen, at)) return;
    }
  complete(index(unit::cdma), at);
}

NVDLAC_IMPL void in_flight::observe(std::uint32_t interrupts) {
  for (; interrupts != 0; interrupts &= interrupts - 1) {
    auto& unseen = raised_[static_cast<std::size_t>(std::countr_zero(interrupts))];
    if (unseen.empty()) continue;
    const auto at = unseen.front();
    unseen.pop_front();
    const auto* const l = find(at);
    if (l == nullptr) continue;
    if (l->fetch == at) complete_fetch(at);
    else complete(*l, interrupts & (~interrupts + 1));
  }
  std::erase_if(layers_, [&](const layer& l) { return !may_matter(l); });
}

NVDLAC_IMPL std::uint32_t in_flight::oldest_of(std::uint32_t interrupts) const {
  std::uint32_t oldest = 0;
  auto first = last_ + 1;
  // The higher bits are those of the units in front: CACC's come before SDP's of the same layer.
  for (auto bit = std::uint32_t{1} << 31; bit != 0; bit >>= 1) {
    const auto& unseen = raised_[static_cast<std::size_t>(std::countr_zero(bit))];
    if ((interrupts & bit) != 0 && !unseen.empty() && unseen.front() < first) {
      first = unseen.front();
      oldest = bit;
    }
  }
  return oldest == 0 ? interrupts : oldest;
}

NVDLAC_IMPL void in_flight::raise(std::uint32_t interrupt, number at) {
  raised_[static_cast<std::size_t>(std::countr_zero(interrupt))].push_back(at);
}

// Whether the engine may still work on the layer where only that much is certainly done.
NVDLAC_IMPL bool in_flight::may_use(const layer& l, std::size_t engine, const numbers& done) const {
  return engine != none && done[engine] < as_seen_by(engine, l);
}

// `reading`, `writing`: what is certainly done when the layer begins to read, and to write.
NVDLAC_IMPL void in_flight::check(const layer& l, const numbers& reading, const numbers& writing,
                                  tolerance& rules) const {
  const auto clash = [&](const auto& mine, const auto& theirs, std::size_t engine,
                         std::string_view does, std::size_t other, std::string_view may) {
    for (std::size_t m = 0; m < mine.size(); ++m)
      if (const auto both = mine[m].common_with(theirs[m]))
        rules.holds(false, text(name_of(engine), ".D_OP_ENABLE"), does, " 0x", std::hex,
                    both->begin, " to 0x", both->end - 1, m == 1 ? " of CVSRAM" : "", ", which ",
                    name_of(other), may,
                    ": the program has not waited for that layer before it enabled this one");
  };
  for (const auto& k : layers_) {
    if (l.reader != none && may_use(k, k.writer, reading))
      clash(l.memory.reads, k.memory.writes, l.reader, "reads", k.writer,
            " may not have written yet");
    if (l.writer == none || k.units[l.writer]) continue;
    if (may_use(k, k.writer, writing))
      clash(l.memory.writes, k.memory.writes, l.writer, "writes", k.writer, " may write later");
    if (may_use(k, k.reader, writing))
      clash(l.memory.writes, k.memory.reads, l.writer, "writes", k.reader, " may still read");
  }
}

NVDLAC_IMPL in_flight::number in_flight::fetched(int group, accesses touched, tolerance& rules) {
  constexpr auto cdma = index(unit::cdma);
  const auto at = ++last_;
  layer l{.at = at, .reader = cdma, .fetch = at, .memory = std::move(touched)};
  l.units[cdma] = true;
  raise(bits_.cdma_data << group, at);
  raise(bits_.cdma_weights << group, at);
  const auto& begun = begin(cdma, group);
  check(l, begun, begun, rules);
  users_[cdma][static_cast<std::size_t>(group)] = at;
  fetches_.push_back({at, l.memory.reads == accesses{}.reads, begun});
  layers_.push_back(std::move(l));
  complete(cdma, 0);
  return at;
}

NVDLAC_IMPL void in_flight::executed(const consumers& before, const consumers& now, number fetch,
                                     accesses touched, tolerance& rules) {
  using enum unit;
  layer l{.at = ++last_, .memory = std::move(touched)};
  numbers writing{};
  for (std::size_t u = 0; u < before.size(); ++u) {
    if (before[u] == now[u] || u == index(cdma)) continue;
    l.units[u] = true;
    users_[u][static_cast<std::size_t>(before[u])] = l.at;
    join(writing, begin(u, before[u]));
  }
  const auto first_of = [&](std::initializer_list<unit> units) {
    const auto u = std::ranges::find_if(units, [&](unit x) { return l.units[index(x)]; });
    return u == units.end() ? none : index(*u);
  };
  for (const auto& [u, bit] : {std::pair{cacc, bits_.cacc}, {sdp, bits_.sdp}, {pdp, bits_.pdp},
                               {cdp, bits_.cdp}, {rubik, bits_.rubik}})
    if (l.units[index(u)]) raise(bit << before[index(u)], l.at);
  l.reader = first_of({pdp_rdma, cdp_rdma, sdp_rdma, rubik});
  l.writer = first_of({pdp, cdp, sdp, rubik});
  if (l.units[index(cacc)]) {
    while (!fetches_.empty() && fetches_.front().at < std::min(fetch, done_[index(cdma)] + 1))
      fetches_.pop_front();
    l.units[index(cdma)] = true;
    l.fetch = fetch;
    for (const auto& f : fetches_)
      if (f.at == fetch) join(writing, f.begun);
    // All that CDMA has read for it is behind what its units write later.
    for (auto& k : layers_)
      if (k.fetch == k.at && k.at <= l.fetch)
        for (std::size_t e = 0; e < engines; ++e) k.units[e] = k.units[e] || l.units[e];
  }
  check(l, l.reader == none ? numbers{} : begun_[l.reader], writing, rules);
  layers_.push_back(std::move(l));
}

NVDLAC_IMPL void in_flight::copied(int group, accesses touched, tolerance& rules) {
  layer l{.at = ++last_, .reader = bdma, .writer = bdma, .memory = std::move(touched)};
  l.units[bdma] = true;
  raise(bits_.bdma << group, l.at);
  check(l, done_, done_, rules);
  layers_.push_back(std::move(l));
}

NVDLAC_IMPL void in_flight::host_reads(std::size_t memory, std::uint64_t address,
                                       std::uint64_t size, tolerance& rules) const {
  footprint mine;
  mine.add(address, size);
  for (const auto& k : layers_)
    if (may_use(k, k.writer, done_))
      rules.holds(!mine.common_with(k.memory.writes[memory]), "memory", "0x", std::hex, address,
                  " to 0x", address + size - 1, " is read, which ", name_of(k.writer),
                  " may not have written yet: the program has not waited for its layer");
}

NVDLAC_IMPL void in_flight::host_writes(std::size_t memory, std::uint64_t address,
                                        std::uint64_t size, tolerance& rules) const {
  footprint mine;
  mine.add(address, size);
  for (const auto& k : layers_)
    for (const auto& [engine, theirs] :
         {std::pair{k.reader, &k.memory.reads}, {k.writer, &k.memory.writes}})
      if (may_use(k, engine, done_))
        rules.holds(!mine.common_with((*theirs)[memory]), "memory", "0x", std::hex, address,
                    " to 0x", address + size - 1, " is written, which ", name_of(engine),
                    " may still use: the program has not waited for its layer");
}

}  // namespace nvdlac::sim
