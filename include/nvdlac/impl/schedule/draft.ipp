// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/estimate.hpp>

namespace nvdlac::schedule {

NVDLAC_IMPL draft::draft(const hw::spec& hw, const plan::lowered& l, const cost::memory& memory,
                         relowering anew)
    : numbers_(hw, l, memory), layers_(&l), anew_(std::move(anew)) {
  std::map<std::string_view, int> seen;
  for (const auto& b : l.buffers) {
    const int n = ++seen[b.name.view()];
    buffers_.push_back(n == 1 ? std::string(b.name.view()) : text(b.name, '#', n));
  }
}

NVDLAC_IMPL schedule::price draft::price(const choices& c) const {
  const auto d = numbered(c);
  return numbers_.estimate(numbers_.arranged(d), d.beside).price;
}

NVDLAC_IMPL choices draft::tile(const choices& c, std::string_view stage,
                                std::vector<std::int32_t> rows) const {
  auto d = numbered(c);
  const auto n = number_of(stage);
  if (!n) throw error(unknown({}, std::string(stage)));
  if (!rows.empty())
    if (const auto* why = numbers_.why_no_tiles(*n, rows))
      throw error({.layer = std::string(stage), .reason = why});
  d.cuts[*n] = std::move(rows);
  return named(numbers_.resolved(std::move(d)));
}

NVDLAC_IMPL choices draft::order(const choices& c, std::string_view stage,
                                 std::string_view before) const {
  const auto d = numbered(c);
  const auto keys = keys_of(d);
  const auto key = [&](std::string_view name) {
    const auto found = keys.find(name);
    if (found == keys.end()) throw error(unknown({}, std::string(name)));
    return found->second;
  };
  return named(numbers_.moved(d, key(stage), key(before)));
}

NVDLAC_IMPL choices draft::keep(choices c, std::vector<std::string> apart) const {
  c.kept = true;
  c.apart = std::move(apart);
  return named(numbered(c));
}

NVDLAC_IMPL draft draft::tile(std::string_view layer, plan::passes passes) const {
  auto given = layers_->given;
  std::erase_if(given.passes, [&](const auto& p) { return p.layer == layer; });
  passes.layer = layer;
  if (passes != plan::passes{.layer = layer}) given.passes.push_back(std::move(passes));
  return with(std::move(given));
}

NVDLAC_IMPL draft draft::fuse(const std::vector<std::string>& unfused) const {
  auto given = layers_->given;
  given.unfused.assign(unfused.begin(), unfused.end());
  return with(std::move(given));
}

NVDLAC_IMPL draft draft::with(plan::lowering_choices given) const {
  if (!anew_) throw error("the layers of this draft cannot be made anew");
  const auto own = std::make_shared<const plan::lowered>(anew_(given));
  draft other(hw(), *own, numbers_.memory(), anew_);
  other.own_ = own;
  return other;
}

NVDLAC_IMPL choices draft::place(choices c, std::vector<std::string> cvsram) const {
  c.cvsram = std::move(cvsram);
  return named(numbered(c));
}

NVDLAC_IMPL std::vector<std::string> draft::movable() const {
  std::vector<std::string> names;
  for (const auto b : numbers_.movable()) names.push_back(buffers_[static_cast<std::size_t>(b)]);
  return names;
}

NVDLAC_IMPL detail::decisions draft::numbered(const choices& c, const std::string& file) const {
  auto d = numbers_.plain();
  d.compressed = c.compressed;
  d.beside = c.beside;
  d.kept = c.kept;
  diagnostics found;
  std::set<std::string> seen;
  for (const auto& t : c.tiles) {
    const auto n = number_of(t.stage);
    if (!n) found.add(unknown(file, t.stage));
    else if (!seen.insert(t.stage).second)
      found.add({.file = file, .layer = t.stage, .reason = "is cut twice", .remedy = remedy});
    else if (const auto* why = numbers_.why_no_tiles(*n, t.rows))
      found.add({.file = file, .layer = t.stage, .reason = why, .remedy = remedy});
    else d.cuts[*n] = t.rows;
  }
  found.check();
  const auto keys = keys_of(d);
  const auto each = [&](const std::vector<std::string>& names, const auto& take) {
    for (const auto& name : names)
      if (const auto at = keys.find(name); at == keys.end()) found.add(unknown(file, name));
      else if (!take(at->second))
        found.add({.file = file, .layer = name, .reason = "is listed twice", .remedy = remedy});
  };
  each(c.apart, [&](const auto& key) { return d.apart.insert(key).second; });
  std::set<detail::piece_key> placed;
  each(c.order, [&](const auto& key) {
    d.order.push_back(key);
    return placed.insert(key).second;
  });
  for (const auto& [name, key] : keys)
    if (!placed.empty() && !placed.contains(key))
      found.add({.file = file, .layer = name, .reason = "has no place in the order",
                 .remedy = remedy});
  for (const auto& name : c.cvsram)
    if (const auto b = movable(name); b < 0) found.add(not_movable(file, name));
    else if (!d.cvsram.insert(b).second)
      found.add({.file = file, .layer = name, .reason = "is listed twice", .remedy = remedy});
  found.check();
  check_order(d, file);
  check_room(d, file);
  return d;
}

NVDLAC_IMPL detail::decisions draft::adopted(const choices& c) const {
  auto d = numbers_.plain();
  d.compressed = c.compressed;
  d.beside = c.beside;
  d.kept = c.kept;
  for (const auto& t : c.tiles)
    if (const auto n = number_of(t.stage);
        n && numbers_.why_no_tiles(*n, t.rows) == nullptr)
      d.cuts[*n] = t.rows;
  const auto keys = keys_of(d);
  for (const auto& name : c.apart)
    if (const auto at = keys.find(name); at != keys.end()) d.apart.insert(at->second);
  for (const auto& name : c.cvsram)
    if (const auto b = movable(name); b >= 0) d.cvsram.insert(b);
  if (c.order.empty()) return d;
  std::map<detail::piece_key, std::size_t> ranks;
  for (std::size_t i = 0; i < c.order.size(); ++i)
    if (const auto at = keys.find(c.order[i]); at != keys.end()) ranks.emplace(at->second, i);
  std::vector<std::pair<std::size_t, detail::piece_key>> all;
  for (std::size_t rank = 0; const auto& p : numbers_.cut(d).pieces) {
    if (p.host) continue;
    if (const auto at = ranks.find(p.key); at != ranks.end()) rank = at->second;
    all.emplace_back(rank, p.key);
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  for (const auto& one : all) d.order.push_back(one.second);
  return numbers_.resolved(std::move(d));
}

NVDLAC_IMPL choices draft::named(const detail::decisions& d) const {
  choices c{.compressed = d.compressed, .lowering = layers_->given, .beside = d.beside,
            .kept = d.kept};
  for (std::size_t n = 0; n < stages().size(); ++n)
    if (!d.cuts[n].empty()) c.tiles.push_back({stages()[n].name, d.cuts[n]});
  for (const auto& p : numbers_.cut(d).pieces)
    if (d.apart.contains(p.key)) c.apart.push_back(name_of(p.key, d));
  for (const auto& key : d.order) c.order.push_back(name_of(key, d));
  for (const auto b : d.cvsram) c.cvsram.push_back(buffers_[static_cast<std::size_t>(b)]);
  return c;
}

NVDLAC_IMPL problem draft::unknown(const std::string& file, std::string name) {
  return {.file = file, .layer = std::move(name),
          .reason = "is no stage of the program that a schedule could name",
          .remedy = "stages are named as the first hardware layers of each in `inspect`, their "
                    "tiles with /y and the first row; a schedule holds for one network, "
                    "configuration and set of options"};
}

NVDLAC_IMPL problem draft::not_movable(const std::string& file, std::string name) const {
  const bool none = numbers_.memory().cvsram.bytes == 0;
  return {.file = file, .layer = std::move(name),
          .reason = none ? "would stand in CVSRAM, of which the program may use none"
                         : "is no buffer that may stand in CVSRAM",
          .remedy = none ? "give --cvsram as when the schedule was made"
                         : "buffers are named as in the report; inputs, outputs, what the host "
                           "reads or writes, and weights without weights=1 stay in DRAM"};
}

NVDLAC_IMPL std::int32_t draft::movable(std::string_view name) const {
  for (const auto b : numbers_.movable())
    if (buffers_[static_cast<std::size_t>(b)] == name) return b;
  return -1;
}

NVDLAC_IMPL void draft::check_room(const detail::decisions& d, const std::string& file) const {
  if (d.cvsram.empty()) return;
  const auto takes = numbers_.estimate(numbers_.arranged(d), d.beside).price.cvsram;
  const auto has = numbers_.memory().cvsram.bytes;
  if (takes > has)
    throw error({.file = file,
                 .reason = text("takes ", takes, " bytes of CVSRAM, of which there are ", has),
                 .remedy = remedy});
}

NVDLAC_IMPL std::optional<std::size_t> draft::number_of(std::string_view name) const {
  for (std::size_t n = 0; n < stages().size(); ++n)
    if (stages()[n].name == name && !stages()[n].host) return n;
  return std::nullopt;
}

NVDLAC_IMPL std::string draft::name_of(const detail::piece_key& key,
                                       const detail::decisions& d) const {
  const auto& name = stages()[key.stage].name;
  return d.cuts[key.stage].empty() ? name : text(name, "/y", key.row);
}

NVDLAC_IMPL std::map<std::string, detail::piece_key, std::less<>> draft::keys_of(
    const detail::decisions& d) const {
  std::map<std::string, detail::piece_key, std::less<>> keys;
  for (const auto& p : numbers_.cut(d).pieces)
    if (!p.host) keys.emplace(name_of(p.key, d), p.key);
  return keys;
}

NVDLAC_IMPL void draft::check_order(const detail::decisions& d, const std::string& file) const {
  const auto possible = numbers_.resolved(d).order;
  const auto wrong = std::ranges::mismatch(possible, d.order).in2;
  if (wrong != d.order.end())
    throw error({.file = file, .layer = name_of(*wrong, d),
                 .reason = "stands in the order before what it needs", .remedy = remedy});
}

}  // namespace nvdlac::schedule
