// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/keep.hpp>
#include <nvdlac/schedule/order.hpp>
#include <nvdlac/schedule/tiles.hpp>

namespace nvdlac::schedule::detail {

NVDLAC_IMPL arranger::arranger(const hw::spec& hw, const plan::lowered& l,
                               const cost::memory& memory)
    : hw_(hw), memory_(memory), layers_(l.layers),
      buffers_(schedule::apart(l.buffers)) {
  find_movable(l);
  std::map<std::string, int> seen;
  for (const auto& t : plan::detail::task_ranges(layers_)) {
    const auto end = t.first + t.count;
    for (auto first = t.first, last = first; first < end; first = last) {
      while (last + 1 < end && layer::gives_on_the_fly(layers_[last].what)) ++last;
      ++last;
      stage s{.name = layers_[first].name, .host = t.host, .first = first, .count = last - first};
      if (const int n = ++seen[s.name]; n > 1) s.name += text('#', n);
      const auto own = layers_of(s);
      if (is_convolution(own) && convolution_stage(own).has_parts()) {
        s.rows = convolution_stage(own).rows();
        s.step = convolution_stage(own).step();
      }
      stages_.push_back(std::move(s));
      ends_.push_back(end);
    }
  }
}

NVDLAC_IMPL decisions arranger::plain() const {
  decisions d;
  d.cuts.resize(stages_.size());
  return d;
}

NVDLAC_IMPL const char* arranger::why_no_tiles(std::size_t stage,
                                               std::span<const std::int32_t> rows) const {
  const auto own = layers_of(stages_[stage]);
  if (!is_convolution(own)) return "cannot be cut: it is no convolution";
  return convolution_stage(own).why_not(hw_, rows);
}

NVDLAC_IMPL arrangement arranger::cut(const decisions& d) const {
  arrangement a;
  a.layers.reserve(layers_.size());
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    const auto& s = stages_[n];
    const auto own = layers_of(s);
    const std::span<const std::int32_t> cuts(d.cuts[n]);
    auto at = a.layers.size();
    const auto add_piece = [&](std::int32_t row) {
      a.pieces.push_back({{n, row}, at, s.count, s.host});
      at += s.count;
    };
    add_piece(0);
    for (const auto row : cuts) add_piece(row);
    const auto room = cuts.empty() ? std::nullopt : convolution_stage(own).room_for(hw_, cuts);
    if (room) convolution_stage(own).tiles(hw_, cuts, *room, a.layers);
    else a.layers.insert(a.layers.end(), own.begin(), own.end());
  }
  return a;
}

NVDLAC_IMPL arrangement arranger::arranged(const decisions& d) const {
  auto a = cut(d);
  if (!d.order.empty()) a = permuted(a, positions(a, d));
  if (!d.cvsram.empty())
    for (auto& l : a.layers)
      layer::for_each_cube(l.what, [&](layer::surface& s, layer::access) {
        s.at.cvsram = d.cvsram.contains(s.at.buffer);
      });
  if (!d.kept) return a;
  std::vector<char> apart(a.layers.size(), char{0});
  for (const auto& p : a.pieces) apart[p.first] = d.apart.contains(p.key) ? 1 : 0;
  for (const auto& t : plan::detail::task_ranges(a.layers))
    if (!t.host)
      a.keeps = schedule::keep(hw_, std::span(a.layers).subspan(t.first, t.count),
                               [&](std::size_t i) { return apart[t.first + i] != 0; }) ||
                a.keeps;
  return a;
}

NVDLAC_IMPL decisions arranger::resolved(decisions d) const {
  if (d.order.empty()) return d;
  const auto a = cut(d);
  d.order = keys_of(a, positions(a, d));
  return d;
}

NVDLAC_IMPL decisions arranger::early(decisions d) const {
  const auto a = cut(d);
  const auto order = order_by(a, [&](std::size_t, const stage_list& stages) {
    return early_order(hw_, stages).run();
  });
  d.order.clear();
  if (!std::ranges::is_sorted(order)) d.order = keys_of(a, order);
  return d;
}

NVDLAC_IMPL decisions arranger::by_need(decisions d) const {
  if (!d.order.empty()) return d;
  const auto a = cut(d);
  const auto order =
      order_by(a, [&](std::size_t, const stage_list& stages) { return order_of_need(stages); });
  if (!std::ranges::is_sorted(order)) d.order = keys_of(a, order);
  return d;
}

NVDLAC_IMPL decisions arranger::moved(decisions d, piece_key piece, piece_key before) const {
  if (d.order.empty())
    for (const auto& p : cut(d).pieces)
      if (!p.host) d.order.push_back(p.key);
  if (piece != before) {
    std::erase(d.order, piece);
    d.order.insert(std::ranges::find(d.order, before), piece);
  }
  return resolved(std::move(d));
}

NVDLAC_IMPL decisions arranger::tiled(decisions d, const tile_rule& how, std::size_t first,
                                      std::size_t last,
                                      const std::vector<std::int32_t>* given) const {
  tiling rule(hw_, buffers_, how);
  for (std::size_t n = 0; n < std::min(last, stages_.size()); ++n) {
    const auto& s = stages_[n];
    if (n == 0 || ends_[n] != ends_[n - 1]) rule.begin_task();
    const auto own = layers_of(s);
    if (n == first && given != nullptr) {
      d.cuts[n] = *given;
    } else if (n >= first && !s.host) {
      const auto end = s.first + s.count;
      const auto row = rule.decide(own, layers_.subspan(end, ends_[n] - end));
      d.cuts[n].clear();
      if (row) d.cuts[n].push_back(*row);
    }
    rule.take(own, d.cuts[n].empty() ? 0 : d.cuts[n].back());
  }
  return d;
}

NVDLAC_IMPL void arranger::find_movable(const plan::lowered& l) {
  moved_.resize(buffers_.size());
  if (memory_.cvsram.bytes == 0 || !hw_.has_sram()) return;
  std::set<std::int32_t> host;
  for (const auto& each : l.layers)
    layer::for_each_cube(each.what, [&](const layer::surface& s, layer::access) {
      if (s.at.on_the_fly()) return;
      if (layer::on_host(each.what)) host.insert(s.at.buffer);
      moved_[static_cast<std::size_t>(s.at.buffer)] += s.size;
    });
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    const auto memory = buffers_[b].memory;
    const bool may = memory == plan::memory::features ||
                     (memory == plan::memory::weights && memory_.cvsram.weights);
    const auto number = static_cast<std::int32_t>(b);
    if (may && moved_[b] != 0 && !host.contains(number)) movable_.push_back(number);
  }
}

NVDLAC_IMPL std::vector<std::size_t> arranger::positions(const arrangement& a,
                                                         const decisions& d) const {
  std::map<piece_key, std::size_t> ranks;
  std::vector<std::size_t> by_stage(stages_.size(), d.order.size());
  for (auto i = d.order.size(); i-- > 0;) {
    ranks[d.order[i]] = i;
    by_stage[d.order[i].stage] = i;
  }
  std::vector<std::size_t> rank_of;
  rank_of.reserve(a.pieces.size());
  for (const auto& p : a.pieces) {
    const auto found = ranks.find(p.key);
    rank_of.push_back(found != ranks.end() ? found->second : by_stage[p.key.stage]);
  }
  return order_by(a, [&](std::size_t first, const stage_list& stages) {
    return by_rank(stages, std::span(rank_of).subspan(first, stages.size()));
  });
}

NVDLAC_IMPL std::vector<piece_key> arranger::keys_of(const arrangement& a,
                                                     std::span<const std::size_t> order) {
  std::vector<piece_key> keys;
  for (const auto n : order)
    if (!a.pieces[n].host) keys.push_back(a.pieces[n].key);
  return keys;
}

NVDLAC_IMPL arrangement arranger::permuted(const arrangement& a,
                                           std::span<const std::size_t> order) {
  arrangement result;
  result.layers.reserve(a.layers.size());
  for (const auto n : order) {
    auto p = a.pieces[n];
    const auto own = std::span(a.layers).subspan(p.first, p.count);
    p.first = result.layers.size();
    result.layers.insert(result.layers.end(), own.begin(), own.end());
    result.pieces.push_back(p);
  }
  return result;
}

}  // namespace nvdlac::schedule::detail
