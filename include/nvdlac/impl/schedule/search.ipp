// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/estimate.hpp>
#include <nvdlac/schedule/search.hpp>

namespace nvdlac::schedule {

namespace detail {

NVDLAC_IMPL decisions changed(const arranger& by_number, decisions d, const change& c) {
  using kind = change::kind;
  switch (c.what) {
    case kind::tiles: d.cuts[c.stage] = c.rows; break;
    case kind::chain:
      d = by_number.tiled(std::move(d), {.streams = true, .heavy = true}, c.stage, c.last,
                          &c.rows);
      break;
    case kind::move: return by_number.moved(std::move(d), c.piece, c.before);
    case kind::apart:
      if (!d.apart.insert(c.piece).second) d.apart.erase(c.piece);
      break;
    case kind::early: return by_number.early(std::move(d));
    case kind::by_need: d.order.clear(); return by_number.by_need(std::move(d));
    case kind::in_order: d.order.clear(); break;
    case kind::kept: d.kept = !d.kept; break;
    case kind::beside: d.beside = !d.beside; break;
    case kind::cvsram:
      for (const auto b : {c.buffer, c.other})
        if (b >= 0 && d.cvsram.erase(b) == 0) d.cvsram.insert(b);
      break;
    case kind::layers: break;
  }
  return by_number.resolved(std::move(d));
}

NVDLAC_IMPL std::optional<draft> remade(const draft& d, const change& c) {
  try {
    if (!c.passes.layer.empty()) return d.tile(c.passes.layer.view(), c.passes);
    auto given = d.given();
    if (std::erase(given.unfused, c.pooling) == 0) given.unfused.push_back(c.pooling);
    return d.with(std::move(given));
  } catch (const error&) {
    return std::nullopt;
  }
}

NVDLAC_IMPL bool rated::is_better_than(const rated& o) const {
  return price.cycles != o.price.cycles ? price.cycles < o.price.cycles
                                        : price.moved < o.price.moved;
}

NVDLAC_IMPL rated rate(std::shared_ptr<const draft> of, decisions d) {
  rated r;
  const auto& by_number = of->numbers();
  r.of = std::move(of);
  const auto a = by_number.arranged(d);
  const auto e = by_number.estimate(a, d.beside);
  r.what = std::move(d);
  r.price = e.price;
  r.lost_until.resize(by_number.stages().size());
  for (const auto& p : a.pieces) {
    if (p.host) continue;
    r.pieces.push_back(p.key);
    if (by_number.stages()[p.key.stage].rows > 1)
      r.lost_until[p.key.stage] += 1 + e.layers[p.first].beyond_bound();
  }
  for (std::size_t n = 1; n < r.lost_until.size(); ++n) r.lost_until[n] += r.lost_until[n - 1];
  return r;
}

NVDLAC_IMPL rated with_change(const rated& r, const change& c) {
  if (c.what != change::kind::layers) return rate(r.of, changed(r.of->numbers(), r.what, c));
  auto other = remade(*r.of, c);
  if (!other) return {};
  auto what = other->adopted(r.of->named(r.what));
  return rate(std::make_shared<const draft>(*std::move(other)), std::move(what));
}

NVDLAC_IMPL change draw::operator()() {
  change c;
  if (layers_ && below(8) == 0)
    if (const auto ways = convolution_ways() + pooling_ways(); ways != 0)
      return of_layers(below(ways));
  if (const auto& movable = by_number_.movable(); !movable.empty() && below(4) == 0) {
    c.what = change::kind::cvsram;
    c.buffer = movable[below(movable.size())];
    if (below(2) == 0) c.other = movable[below(movable.size())];
    return c;
  }
  const auto dice = below(20);
  if (dice < 12 && of_.lost_until.back() != 0) {
    c.stage = a_stage();
    c.rows = tiles_of(c.stage);
    c.last = std::min(c.stage + 1 + below(5), by_number_.stages().size());
    c.what = dice < 6 ? change::kind::tiles : change::kind::chain;
    if (!c.rows.empty() && by_number_.why_no_tiles(c.stage, c.rows) != nullptr) c.rows.clear();
    return c;
  }
  const auto& pieces = of_.pieces;
  const auto at = below(pieces.size());
  c.piece = pieces[at];
  if (dice < 17) {
    const auto reach = 1 + below(8);
    c.what = change::kind::move;
    c.before = pieces[below(2) == 0 ? at - std::min(at, reach)
                                    : std::min(at + reach, pieces.size() - 1)];
  } else {
    c.what = dice < 19 ? change::kind::apart : change::kind::early;
  }
  return c;
}

NVDLAC_IMPL change draw::of_layers(std::size_t n) {
  change c{.what = change::kind::layers};
  if (n < convolution_ways()) {
    c.passes = passes_of(of_.of->convolutions()[n / 8]);
  } else {
    const auto& fused = of_.of->fused();
    const auto p = n - convolution_ways();
    c.pooling = p < fused.size() ? fused[p] : of_.of->given().unfused[p - fused.size()];
  }
  return c;
}

NVDLAC_IMPL plan::passes draw::passes_of(const plan::split_convolution& c) {
  plan::passes p{.layer = c.now.layer};
  for (const auto& given : of_.of->given().passes)
    if (given.layer == c.now.layer) p = given;
  const auto part = [&](std::int32_t of, std::int32_t unit) {
    const auto parts = static_cast<std::int32_t>(1 + below(4));
    const auto units = (of + unit - 1) / unit;
    return (units + parts - 1) / parts * unit;
  };
  const auto other = [&](std::int32_t n) {
    const auto step = static_cast<std::int32_t>(1 + below(4));
    return std::max<std::int32_t>(1, below(2) == 0 ? n - step : n + step);
  };
  switch (below(8)) {
    case 0: return {.layer = c.now.layer};
    case 1: p.image = c.now.image ? std::optional(!*c.now.image) : std::nullopt; break;
    case 2: p.columns = other(c.now.columns); break;
    case 3: p.columns = part(c.results.w, 1); break;
    case 4:
    case 5: p.rows = part(c.results.h, 1); break;
    case 6: p.data_banks = other(c.now.data_banks); break;
    default: p.weight_banks = other(c.now.weight_banks);
  }
  return p;
}

NVDLAC_IMPL std::size_t draw::a_stage() {
  const auto& lost = of_.lost_until;
  const auto at = std::ranges::upper_bound(lost, std::uint64_t{numbers_() % lost.back()});
  return static_cast<std::size_t>(at - lost.begin());
}

NVDLAC_IMPL std::vector<std::int32_t> draw::tiles_of(std::size_t n) {
  const auto& stage = by_number_.stages()[n];
  const auto rows = static_cast<std::size_t>(stage.rows / stage.step);
  auto cuts = of_.what.cuts[n];
  const auto a_row = [&] { return stage.step * static_cast<std::int32_t>(1 + below(rows - 1)); };
  const auto way = below(8);
  if (cuts.empty() || way == 0) return {a_row()};
  if (way == 1) return {};
  auto& one = cuts[below(cuts.size())];
  if (way < 4) {
    cuts.push_back(a_row());
  } else if (way == 4) {
    cuts.erase(cuts.begin() + (&one - cuts.data()));
  } else {
    const auto step = stage.step * static_cast<std::int32_t>(1 + below(1 + rows / 8));
    one += way < 6 ? step : -step;
  }
  std::ranges::sort(cuts);
  return cuts;
}

NVDLAC_IMPL climb::climb(const draft& d, const choices& from, const search_settings& s)
    : settings_(s), best_(rate(std::make_shared<const draft>(d), d.numbered(from))) {
  const auto& by_number = d.numbers();
  first_ = by_number.estimate(by_number.arranged(by_number.plain()), false).price;
  most_moved_ = best_.price.moved + best_.price.moved / 16;
  for (const auto what : {change::kind::beside, change::kind::kept, change::kind::early,
                          change::kind::by_need, change::kind::in_order})
    again_.push_back({.what = what});
}

NVDLAC_IMPL search_result climb::run() {
  search_result r{.before = best_.price};
  while (done_ < settings_.trials && !best_.pieces.empty()) {
    round();
    if (settings_.progress) settings_.progress(done_, settings_.trials);
  }
  r.after = best_.price;
  r.choices = best_.of->named(best_.what);
  return r;
}

NVDLAC_IMPL bool climb::is_allowed(const rated& r) const {
  return r.of && r.price.moved <= most_moved_ &&
         r.price.cvsram <= best_.of->numbers().memory().cvsram.bytes &&
         (r.price.fits(first_) || r.price.memory <= best_.price.memory);
}

NVDLAC_IMPL void climb::round() {
  auto changes = std::exchange(again_, {});
  changes.resize(std::min({changes.size(), at_once, settings_.trials - done_}));
  while (changes.size() < std::min(at_once, settings_.trials - done_))
    changes.push_back(draw(best_, settings_.layers, done_ + changes.size())());
  std::vector<rated> found(changes.size());
  for_all(changes.size(), settings_.threads, [&](std::size_t n) {
    found[n] = with_change(best_, changes[n]);
  });
  done_ += changes.size();
  std::optional<std::size_t> best;
  for (std::size_t n = 0; n < found.size(); ++n) {
    if (!is_allowed(found[n]) || !found[n].is_better_than(best_)) continue;
    if (!best || found[n].is_better_than(found[*best])) best = n;
  }
  if (!best) return;
  const bool same_layers = found[*best].of == best_.of;
  for (std::size_t n = 0; n < found.size(); ++n)
    if (n != *best && is_allowed(found[n]) && found[n].is_better_than(best_) &&
        (same_layers || !changes[n].is_by_number()))
      again_.push_back(changes[n]);
  best_ = std::move(found[*best]);
}

}  // namespace detail

NVDLAC_IMPL search_result search(const draft& d, const choices& from, const search_settings& s) {
  return detail::climb(d, from, s).run();
}

}  // namespace nvdlac::schedule
