// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/cvsram.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/estimate.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::schedule {

NVDLAC_IMPL choices standard::operator()(const draft& d) const {
  const auto& by_number = d.numbers();
  const auto plain = by_number.plain();
  auto best = placed(by_number, scheduled(by_number, plain));
  if (by_number.memory().cvsram.bytes == 0) return d.named(best.what);
  for (int round = 0; round < most_rounds; ++round) {
    auto near = plain;
    near.cvsram = best.what.cvsram;
    if (!has_room(by_number, price_of(by_number, near))) break;
    auto next = placed(by_number, scheduled(by_number, near));
    if (next.price.cycles >= best.price.cycles) break;
    best = std::move(next);
  }
  return d.named(best.what);
}

NVDLAC_IMPL schedule::price standard::price_of(const detail::arranger& by_number,
                                               const detail::decisions& what) {
  return by_number.estimate(by_number.arranged(what), what.beside).price;
}

NVDLAC_IMPL standard::candidate standard::placed(const detail::arranger& by_number,
                                                 const detail::decisions& schedule) {
  auto what = detail::cvsram_chooser(by_number, schedule).run();
  const auto price = price_of(by_number, what);
  return {std::move(what), price};
}

NVDLAC_IMPL detail::decisions standard::scheduled(const detail::arranger& by_number,
                                                  const detail::decisions& plain) {
  std::vector<candidate> all{{plain, price_of(by_number, plain)}};
  const auto consider = [&](detail::decisions now, bool is_new) {
    now.kept = true;
    const auto a = by_number.arranged(now);
    now.kept = a.keeps;
    now.beside = true;
    if (!a.keeps && !is_new) return;
    auto price = by_number.estimate(a, true).price;
    if (!price.fits(all[0].price) || !has_room(by_number, price)) {
      price = by_number.estimate(a, false).price;
      now.beside = false;
    }
    if (has_room(by_number, price)) all.push_back({std::move(now), price});
  };
  const auto consider_early = [&](const detail::decisions& now, bool is_new) {
    consider(now, is_new);
    if (const auto other = by_number.early(now); !other.order.empty()) consider(other, true);
  };
  consider_early(plain, false);
  std::vector<detail::decisions> seen{plain};
  const auto consider_tiles = [&](detail::tile_rule how) {
    for (const bool winograd : {true, false}) {
      how.winograd = winograd;
      auto tiles = by_number.tiled(plain, how);
      if (std::ranges::find(seen, tiles) != seen.end()) continue;
      consider_early(tiles, true);
      seen.push_back(std::move(tiles));
    }
  };
  consider_tiles({});
  if (by_number.stages().size() <= few_stages)
    for (const std::int32_t share : {9, 7, 5}) consider_tiles({.share = share});
  const auto width = by_number.memory().width;
  const auto usual = all[best_of(all, width)].price;
  const auto tried = all.size();
  for (const std::int32_t share : {8, 4}) consider_tiles({.streams = true, .share = share});
  all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(tried), all.end(),
                           [&](const candidate& c) { return !is_worth(c.price, usual); }),
            all.end());
  const auto found = all[best_of(all, width)].what;
  if (const auto other = by_number.by_need(found); other != found) consider(other, true);
  auto& best = all[best_of(all, width)];
  if (best.what.beside) {
    const auto dense = by_number.estimate(by_number.arranged(best.what), false).price;
    const auto worth = dense.memory < best.price.memory ? best.price.cycles / 1000 : 0;
    best.what.beside = dense.cycles > best.price.cycles + worth;
  }
  return best.what;
}

NVDLAC_IMPL bool standard::is_worth(const price& now, const price& usual) {
  return now.cycles <= usual.cycles - usual.cycles / 256 &&
         now.moved <= usual.moved + usual.moved / 34;
}

NVDLAC_IMPL std::size_t standard::best_of(const std::vector<candidate>& all, std::uint64_t width) {
  const auto& first = all[0].price;
  auto fewest = first.cycles;
  for (const auto& c : all)
    if (c.price.fits(first)) fewest = std::min(fewest, c.price.cycles);
  std::size_t best = all.size();
  const auto worth = [&](std::size_t n) {
    return all[n].price.cycles * width + all[n].price.moved;
  };
  for (std::size_t n = 0; n < all.size(); ++n)
    if (all[n].price.fits(first) && all[n].price.cycles <= fewest + fewest / 200 &&
        (best == all.size() || worth(n) < worth(best)))
      best = n;
  return best;
}

NVDLAC_IMPL void order::apply(const draft& d, const choices& c, plan::lowered& l,
                              const std::string& file) {
  auto layers = d.numbers().arranged(d.numbered(c, file)).layers;
  l.layers = std::move(layers);
  l.overlap = c.beside ? 1 : 0;
  l.cvsram_limit = d.numbers().memory().cvsram.bytes;
}

}  // namespace nvdlac::schedule
