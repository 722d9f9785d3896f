// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/packing.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/selection_cube.hpp>

namespace nvdlac::import {

namespace detail {

NVDLAC_IMPL bool only_features(const net::graph& g, const std::vector<bool>& needed,
                               net::graph::id n) {
  return std::ranges::all_of(g.consumers(n), [&](net::graph::id reader) {
    return !needed[reader] || std::holds_alternative<net::fully_connected>(g[reader].op) ||
           (std::holds_alternative<net::identity>(g[reader].op) && !g[reader].output &&
            only_features(g, needed, reader));
  });
}

NVDLAC_IMPL bool is_movement(const net::graph::any_operator& op) {
  return std::holds_alternative<net::move>(op) || std::holds_alternative<net::reshape>(op) ||
         std::holds_alternative<net::flatten>(op);
}

NVDLAC_IMPL bool is_alike_anywhere(const net::graph::any_operator& op) {
  if (const auto* s = std::get_if<net::scale>(&op))
    return s->factor.size() == 1 && s->bias.size() <= 1;
  if (const auto* p = std::get_if<net::prelu>(&op)) return p->slope.size() == 1;
  return std::holds_alternative<net::identity>(op) || std::holds_alternative<net::relu>(op) ||
         std::holds_alternative<net::clip>(op) || std::holds_alternative<net::activation>(op);
}

NVDLAC_IMPL std::optional<input_readers> readers_of(const net::graph& g,
                                                    const std::vector<bool>& needed,
                                                    net::graph::id input,
                                                    const std::vector<net::graph::id>& passed) {
  input_readers found;
  std::vector<net::graph::id> open{input};
  while (!open.empty()) {
    const auto n = open.back();
    open.pop_back();
    for (const auto reader : g.consumers(n)) {
      if (!needed[reader]) continue;
      if (g[reader].output) return std::nullopt;
      if (std::ranges::find(passed, reader) != passed.end()) {
        open.push_back(reader);
      } else if (is_alike_anywhere(g[reader].op)) {
        open.push_back(reader);
        found.between.push_back(reader);
      } else {
        found.others.push_back(reader);
      }
    }
  }
  return found;
}

// The nodes that the host alone reads, which moves their elements itself. Nodes of a graph under
// construction come behind what they read.
NVDLAC_IMPL std::vector<bool> read_by_host(const net::graph& g, const std::vector<bool>& needed) {
  std::vector<bool> by_host(g.size());
  for (net::graph::id n = g.size(); n-- > 0;)
    by_host[n] = !g[n].output && std::ranges::all_of(g.consumers(n), [&](net::graph::id reader) {
      return !needed[reader] || std::holds_alternative<net::on_host>(g[reader].op) ||
             (is_movement(g[reader].op) && by_host[reader]);
    });
  return by_host;
}

// Follows the readers of an input as long as all of them agree.
class input_packer {
 public:
  using id = net::graph::id;

  input_packer(const net::graph& g, const std::vector<bool>& needed, id input)
      : g_(g), needed_(needed), input_(input), cube_(g[input].shape), places_(cube_.size()) {
    std::iota(places_.begin(), places_.end(), 0);
    const auto& forms = g[input].in_file;
    form_ = forms.empty() ? net::in_own_order(g[input].name, cube_) : forms.front();
    if (!form_.walk.empty()) places_ = form_.from_cube<std::int32_t>(places_);
  }

  bool follow() {
    while (advance()) {}
    return !passed_.empty();
  }

  // The movements on the way, the first ones first, and what computes between them.
  const std::vector<id>& passed() const { return passed_; }
  const std::vector<id>& between() const { return between_; }
  const net::shape& cube() const { return cube_; }
  const net::file_tensor& form() const { return form_; }

 private:
  // A movement: a cube, and the element of the cube before for each of its elements.
  struct step {
    net::shape cube;
    std::vector<std::int32_t> from;

    bool operator==(const step&) const = default;
  };

  bool advance() {
    auto readers = readers_of(g_, needed_, input_, passed_);
    if (!readers || readers->others.empty()) return false;
    const auto& movements = readers->others;
    const auto first = step_of(movements[0]);
    if (!first || !std::ranges::all_of(movements, [&](id n) { return step_of(n) == first; }))
      return false;
    if (std::ranges::all_of(movements, [&](id n) { return only_features(g_, needed_, n); }))
      return false;
    if (!take(*first)) return false;
    passed_.insert(passed_.end(), movements.begin(), movements.end());
    between_ = std::move(readers->between);
    return true;
  }

  // Nothing for what moves no elements, or not each of them to one place.
  std::optional<step> step_of(id n) const {
    const auto& op = g_[n].op;
    step s{g_[n].shape, std::vector<std::int32_t>(g_[n].shape.size(), -1)};
    if (s.cube.size() != cube_.size()) return std::nullopt;
    if (std::holds_alternative<net::reshape>(op) || std::holds_alternative<net::flatten>(op)) {
      std::iota(s.from.begin(), s.from.end(), 0);
      return s;
    }
    const auto* m = std::get_if<net::move>(&op);
    if (m == nullptr || g_.inputs(n).size() != 1) return std::nullopt;
    std::vector<bool> seen(cube_.size(), false);
    s.from = net::sources_of(*m, cube_);
    for (const auto source : s.from) {
      if (source < 0) return std::nullopt;
      seen[static_cast<std::size_t>(source)] = true;
    }
    if (std::ranges::find(seen, false) != seen.end()) return std::nullopt;
    return s;
  }

  bool take(const step& s) {
    std::vector<std::int32_t> to(s.from.size());
    for (std::size_t i = 0; i < s.from.size(); ++i)
      to[static_cast<std::size_t>(s.from[i])] = static_cast<std::int32_t>(i);
    auto places = places_;
    for (auto& p : places) p = to[static_cast<std::size_t>(p)];
    auto walk = net::find_walk(places, s.cube);
    if (!walk) return false;
    places_ = std::move(places);
    cube_ = s.cube;
    form_.walk = std::move(*walk);
    return true;
  }

  const net::graph& g_;
  const std::vector<bool>& needed_;
  id input_;
  std::vector<id> passed_{}, between_{};
  net::shape cube_;
  std::vector<std::int32_t> places_;  // in the cube, of each element of the file
  net::file_tensor form_{};
};

}  // namespace detail

NVDLAC_IMPL bool may_be_picture(const net::shape& s) {
  return (s.c == 1 || s.c == 3 || s.c == 4) && s.h > 1 && s.w > 1;
}

NVDLAC_IMPL std::uint64_t turned_elements(const net::graph& g, const std::vector<bool>& needed) {
  const auto by_host = detail::read_by_host(g, needed);
  std::uint64_t turned = 0;
  for (net::graph::id n = 0; n < g.size(); ++n) {
    if (!needed[n] || by_host[n] || !detail::is_movement(g[n].op)) continue;
    if (const auto* m = std::get_if<net::move>(&g[n].op)) {
      turned += net::turned_elements({m->boxes.data(), m->boxes.size()});
    } else if (g[n].shape.c != g[g.inputs(n)[0]].shape.c &&
               (g[n].output || !detail::only_features(g, needed, n))) {
      turned += g[n].shape.size();
    }
  }
  return turned;
}

NVDLAC_IMPL void lay_out_features(net::graph& g, const std::vector<bool>& needed) {
  constexpr std::int32_t most = 8192;
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const net::shape flat = g[n].shape;
    if (!std::holds_alternative<net::input>(g[n].op) || !needed[n] || flat.c <= most ||
        flat.h != 1 || flat.w != 1 || g[n].output)
      continue;
    std::int32_t places = (flat.c + most - 1) / most;
    while (places <= most && flat.c % places != 0) ++places;
    if (places > most) continue;
    std::vector<net::graph::id> between{n};  // it, and what computes each element for itself
    bool any_shape = true;
    for (std::size_t i = 0; i < between.size(); ++i)
      for (const auto reader : g.consumers(between[i])) {
        if (!needed[reader] || std::holds_alternative<net::fully_connected>(g[reader].op)) continue;
        any_shape = any_shape && detail::is_alike_anywhere(g[reader].op) && !g[reader].output;
        if (any_shape) between.push_back(reader);
      }
    if (!any_shape) continue;
    if (g[n].in_file.empty()) g[n].in_file = {net::in_own_order(g[n].name, flat)};
    const net::shape cube{flat.c / places, places, 1};
    g[n].op = net::input{cube};
    for (const auto m : between) g[m].shape = cube;
  }
}

NVDLAC_IMPL std::vector<packed_movement> pack_inputs(net::graph& g,
                                                     const std::vector<bool>& needed) {
  std::vector<packed_movement> packed;
  for (net::graph::id n = 0; n < g.size(); ++n) {
    if (!std::holds_alternative<net::input>(g[n].op) || may_be_picture(g[n].shape)) continue;
    detail::input_packer p(g, needed, n);
    if (!p.follow()) continue;
    // Elements of [1, c, h, w] in another order, but of the same shape, would be mistaken for those
    // of a picture.
    const bool same_shape = p.cube() == g[n].shape && !p.form().walk.empty();
    if (same_shape && p.form().shape.size() == 4) continue;
    for (const auto m : p.passed()) packed.push_back({m, n});
    const auto cube = p.cube();
    const auto form = p.form();
    for (const auto m : p.passed()) g.replace_uses(m, g.inputs(m).front());
    for (const auto m : p.between()) g[m].shape = cube;
    g[n].op = net::input{cube};
    g[n].shape = cube;
    g[n].in_file = {form};
  }
  return packed;
}

}  // namespace nvdlac::import
