// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/import/turned_inputs.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/selection_cube.hpp>

namespace nvdlac::import {

namespace detail {

// Finds the cube of an input in which its dimensions are what they become.
class input_turner {
 public:
  using id = net::graph::id;

  input_turner(const net::graph& g, const std::vector<bool>& needed, id input)
      : g_(g), needed_(needed), old_(g[input].shape), in_file_(old_.size()) {
    if (auto found = readers_of(g, needed, input)) readers_ = *std::move(found);
    const auto& forms = g[input].in_file;
    form_ = forms.empty() ? net::in_own_order(g[input].name, old_) : forms.front();
    form_.visit(old_.size(), [&](std::size_t in_cube, std::size_t in_file) {
      in_file_[in_cube] = static_cast<std::int32_t>(in_file);
    });
  }

  bool find() {
    const auto& all = readers_.others;
    if (all.empty() || !std::ranges::all_of(all, [&](id n) {
          return is_movement(g_[n].op) && g_.inputs(n).size() == 1;
        }))
      return false;
    std::uint64_t before = 0, most = 0;
    id worst = all[0];
    for (const id n : all) {
      const auto turned = turned_by(n);
      before += turned;
      if (turned > most) {
        most = turned;
        worst = n;
      }
    }
    if (before == 0 || !lay(axes_behind(worst))) return false;
    std::uint64_t after = 0;
    for (const id n : all) {
      auto from = sources(n);
      for (auto& element : from)
        if (element >= 0) element = place_[static_cast<std::size_t>(element)];
      const auto* m = std::get_if<net::move>(&g_[n].op);
      net::move op{.target = g_[n].shape, .fill = m != nullptr ? m->fill : 0};
      try {
        op.boxes = net::find_boxes(from, op.target, cube_);
      } catch (const error&) {
        return false;  // no pattern
      }
      after += net::turned_elements({op.boxes.data(), op.boxes.size()});
      std::vector<std::int32_t> all_of_cube(cube_.size());
      std::iota(all_of_cube.begin(), all_of_cube.end(), 0);
      idle_.push_back(op.target == cube_ && from == all_of_cube);
      moves_.push_back(std::move(op));
    }
    return after < before;
  }

  const input_readers& readers() const { return readers_; }
  const net::shape& cube() const { return cube_; }
  const net::file_tensor& form() const { return form_; }
  // The move of each reader that is no part of the way, and whether it does nothing.
  const std::vector<net::move>& moves() const { return moves_; }
  const std::vector<bool>& idle() const { return idle_; }

 private:
  enum axis : std::size_t { channels, lines, columns };

  std::uint64_t turned_by(id n) const {
    if (const auto* m = std::get_if<net::move>(&g_[n].op))
      return net::turned_elements({m->boxes.data(), m->boxes.size()});
    const bool keeps = g_[n].shape.c == old_.c || only_features(g_, needed_, n);
    return keeps ? 0 : g_[n].shape.size();
  }
  std::vector<std::int32_t> sources(id n) const {
    if (const auto* m = std::get_if<net::move>(&g_[n].op)) return net::sources_of(*m, old_);
    std::vector<std::int32_t> all(old_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // The axis that each dimension of the file becomes behind a movement; what is not seen there of a
  // dimension is among the channels. Nothing where a dimension becomes several.
  std::optional<std::vector<axis>> axes_behind(id n) const {
    const auto from = sources(n);
    const net::shape to = g_[n].shape;
    const auto first = std::ranges::find_if(from, [](auto element) { return element >= 0; });
    if (first == from.end()) return std::nullopt;
    const auto at = net::position::of(static_cast<std::size_t>(first - from.begin()), to);
    std::vector<std::optional<axis>> found(form_.shape.size());
    const auto look = [&](axis a, net::position p) {
      const auto element = from[to.at(p.c, p.y, p.x)];
      if (element < 0) return true;
      const auto here = digits(*first), there = digits(element);
      for (std::size_t d = 0; d < found.size(); ++d) {
        if (here[d] == there[d]) continue;
        if (found[d].value_or(a) != a) return false;
        found[d] = a;
      }
      return true;
    };
    bool apart = true;
    for (std::int32_t c = 0; c < to.c; ++c) apart = apart && look(channels, {c, at.y, at.x});
    for (std::int32_t y = 0; y < to.h; ++y) apart = apart && look(lines, {at.c, y, at.x});
    for (std::int32_t x = 0; x < to.w; ++x) apart = apart && look(columns, {at.c, at.y, x});
    if (!apart) return std::nullopt;
    std::vector<axis> axes;
    for (const auto& a : found) axes.push_back(a.value_or(channels));
    return axes;
  }
  // The places of an element of the old cube along the dimensions of the file.
  std::vector<std::int32_t> digits(std::int32_t element) const {
    std::vector<std::int32_t> result(form_.shape.size());
    std::int32_t rest = in_file_[static_cast<std::size_t>(element)];
    for (std::size_t d = result.size(); d-- > 0; rest /= form_.shape[d])
      result[d] = rest % form_.shape[d];
    return result;
  }

  bool lay(const std::optional<std::vector<axis>>& axes) {
    if (!axes) return false;
    std::array<std::int64_t, 3> sides{1, 1, 1};
    for (std::size_t d = 0; d < axes->size(); ++d)
      sides[(*axes)[d]] = net::product({sides[(*axes)[d]], form_.shape[d]});
    if (std::ranges::max(sides) > hw::any_map.cube_side) return false;
    cube_ = net::checked_shape(sides[channels], sides[lines], sides[columns]);
    std::array<std::int32_t, 3> stride{cube_.h * cube_.w, cube_.w, 1};
    std::vector<std::int32_t> strides(axes->size());
    for (std::size_t d = axes->size(); d-- > 0;) {
      strides[d] = stride[(*axes)[d]];
      stride[(*axes)[d]] *= form_.shape[d];
    }
    std::vector<std::int32_t> in_order(old_.size());  // as the file has them
    place_.resize(old_.size());
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const auto at = digits(static_cast<std::int32_t>(i));
      place_[i] = std::inner_product(at.begin(), at.end(), strides.begin(), std::int32_t{0});
      in_order[static_cast<std::size_t>(in_file_[i])] = place_[i];
    }
    auto walk = net::find_walk(in_order, cube_);
    if (!walk) return false;
    // Elements of [1, c, h, w] in another order, but of the same shape, would be mistaken for those
    // of a picture.
    if (cube_ == old_ && !walk->empty() && form_.shape.size() == 4) return false;
    form_.walk = *std::move(walk);
    return true;
  }

  const net::graph& g_;
  const std::vector<bool>& needed_;
  net::shape old_, cube_{};
  std::vector<std::int32_t> in_file_;   // the element of the file for each of the old cube
  std::vector<std::int32_t> place_{};   // in the new cube, of each element of the old one
  net::file_tensor form_{};
  input_readers readers_{};
  std::vector<net::move> moves_{};
  std::vector<bool> idle_{};
};

}  // namespace detail

NVDLAC_IMPL std::vector<packed_movement> turn_inputs(net::graph& g,
                                                     const std::vector<bool>& needed) {
  std::vector<packed_movement> idle;
  for (net::graph::id n = 0; n < g.size(); ++n) {
    if (!std::holds_alternative<net::input>(g[n].op) || !needed[n] || g[n].output ||
        may_be_picture(g[n].shape))
      continue;
    detail::input_turner t(g, needed, n);
    if (!t.find()) continue;
    g[n].op = net::input{t.cube()};
    g[n].shape = t.cube();
    g[n].in_file = {t.form()};
    for (const auto m : t.readers().between) g[m].shape = t.cube();
    for (std::size_t i = 0; i < t.moves().size(); ++i) {
      const auto m = t.readers().others[i];
      g[m].op = t.moves()[i];
      if (!t.idle()[i]) continue;
      idle.push_back({m, n});
      g.replace_uses(m, g.inputs(m).front());
    }
  }
  return idle;
}

}  // namespace nvdlac::import
