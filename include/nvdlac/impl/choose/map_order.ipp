// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/choose/map_order.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/map_order.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

namespace detail {

using kernel_order = std::vector<std::int32_t>;  // the kernel that takes each place; -1: zeros

// The values of all kernels, as many of each, in another order.
template <class T>
void rearrange(net::constants<T>& values, std::size_t kernels, const kernel_order& from,
               T fill = {}) {
  if (values.size() < kernels) return;  // none, or one for all
  const std::size_t each = values.size() / kernels;
  std::vector<T> result(from.size() * each, fill);
  for (std::size_t k = 0; k < from.size(); ++k)
    if (from[k] >= 0)
      std::copy_n(values.begin() + static_cast<std::size_t>(from[k]) * each, each,
                  result.begin() + static_cast<std::ptrdiff_t>(k * each));
  values = std::move(result);
}

// The vector that a move reads, and what makes it: whether that can make it in the map's order.
class vector_of_map {
 public:
  using id = quantised::graph::id;

  vector_of_map(const hw::spec& hw, const quantised::graph& g, id move)
      : g_(g), move_(move), most_(hw::limits_of(hw.map).convolution.kernels), atom_(hw.atom()),
        lanes_(static_cast<std::int32_t>(layer::lanes_of(atom_, g.precision(move)))),
        made_(makers()) {
    if (!find_parts()) made_.clear();
  }

  bool is_possible() const { return !made_.empty(); }
  // Changes this network.
  void take(quantised::graph& g) const {
    for (std::size_t i = 0; i < made_.size(); ++i) take(g, made_[i], parts_[i]);
    for (auto n = g.inputs(move_)[0]; n != made_[0]; n = g.inputs(n)[0]) {
      g[n].name += "/rows";
      g[n].shape.c = static_cast<std::int32_t>(lower::elements_in_memory(g.shape(move_), lanes_));
    }
    std::get<quantised::move>(g[move_].op).boxes =
        lower::boxes_in_map_order(g.shape(move_), lanes_);
  }

 private:
  // The kernels of each convolution in the map's order; false if they cannot be had.
  bool find_parts() {
    if (made_.empty() || !is_read_alone_by_layers()) return false;
    const auto order = elements();
    if (order.empty()) return false;
    parts_.resize(made_.size());
    std::int32_t first = 0;
    std::size_t at = 0;
    for (const auto element : order) {
      while (element >= first + g_.shape(made_[at]).c) first += g_.shape(made_[at++]).c;
      if (element >= 0 && element < first) return false;  // not one after the other
      parts_[at].push_back(element < 0 ? element : element - first);
    }
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (!is_worth(made_[i], parts_[i]) ||
          parts_[i].size() % static_cast<std::size_t>(lanes_) != 0)
        return false;
    return true;
  }
  const quantised::move& op() const { return *g_.get_if<quantised::move>(move_); }

  // The convolutions that give the parts of the vector; none if it is made otherwise.
  std::vector<id> makers() const {
    if (g_.inputs(move_).size() != 1) return {};
    auto n = g_.inputs(move_)[0];
    while (g_.get_if<quantised::lookup>(n) != nullptr && is_read_once(n)) n = g_.inputs(n)[0];
    std::vector<id> all{n};
    if (const auto* op = g_.get_if<quantised::concat>(n)) {
      const auto rescales = [](const auto& m) { return m.has_value(); };
      if (std::ranges::any_of(op->multiplier, rescales) || !is_read_once(n)) return {};
      all.assign(g_.inputs(n).begin(), g_.inputs(n).end());
    }
    return std::ranges::all_of(all, [&](id m) { return is_maker(m); }) ? all : std::vector<id>();
  }
  bool is_read_once(id n) const { return g_.uses(n) == 1 && !g_.is_output(n); }
  bool is_maker(id n) const {
    const auto* op = g_.get_if<quantised::convolution>(n);
    const auto shape = g_.shape(n);
    return op != nullptr && is_read_once(n) && g_.inputs(n).size() == 1 && shape.h == 1 &&
           shape.w == 1 && op->groups == 1 && !op->winograd && g_[n].gain.empty() &&
           op->weights.known() && op->wide_weights.known() && op->bias.known() &&
           op->multiplier.known() && op->slope.known();
  }
  // Whether only layers read the map, which can read it where the vector is.
  bool is_read_alone_by_layers() const {
    return !g_.is_output(move_) && std::ranges::none_of(g_.consumers(move_), [&](id r) {
      return g_.get_if<quantised::reshape>(r) != nullptr ||
             g_.get_if<quantised::on_host>(r) != nullptr ||
             g_.get_if<quantised::concat>(r) != nullptr ||
             g_.get_if<quantised::move>(r) != nullptr ||
             g_.get_if<quantised::convert>(r) != nullptr;
    });
  }
  // The elements of the vector in the map's order, -1 between them; none if the move does more than
  // change their order, or if they are in order already.
  kernel_order elements() const {
    const std::span<const net::box> boxes(op().boxes.data(), op().boxes.size());
    const auto in = g_.shape(g_.inputs(move_)[0]), map = op().target;
    const auto size = lower::elements_in_memory(map, lanes_);
    if (in.h != 1 || in.w != 1 || (map.h == 1 && map.w == 1) ||
        std::cmp_not_equal(in.c, map.size()) ||
        lower::keeps_map_order(boxes, map, in, lanes_) ||
        std::ranges::any_of(boxes, [](const net::box& b) { return b.input != 0; }))
      return {};
    kernel_order order(static_cast<std::size_t>(size), -1);
    const auto p = g_.precision(move_);
    const auto cube = layer::packed(map, atom_, {}, p);
    for (const auto& b : boxes)
      net::for_each_element(b, [&](net::position to, net::position from) {
        order[layer::offset_of(cube, atom_, to.c, to.y, to.x) / hw::element_bytes(p)] = from.c;
      });
    return order;
  }
  // Whether the hardware has so many kernels, and those that are added take less than a gathering
  // of the elements, which would have a kernel of all of them for each.
  bool is_worth(id n, const kernel_order& part) const {
    const auto& c = *g_.get_if<quantised::convolution>(n);
    const std::size_t all = part.size(), before = static_cast<std::size_t>(c.kernels);
    return std::cmp_less_equal(all, most_) &&
           (all - before) * (c.weights_given() / before) <= before * before;
  }
  static void take(quantised::graph& to, id n, const kernel_order& part) {
    auto& op = std::get<quantised::convolution>(to[n].op);
    const auto kernels = static_cast<std::size_t>(op.kernels);
    rearrange(op.weights, kernels, part);
    rearrange(op.wide_weights, kernels, part);
    rearrange(op.bias, kernels, part);
    rearrange(op.multiplier, kernels, part, std::int16_t{1});
    if (op.slope.size() > 1) rearrange(op.slope, kernels, part);
    op.kernels = static_cast<std::int32_t>(part.size());
    to[n].name += "/rows";
    to[n].shape.c = op.kernels;
  }

  const quantised::graph& g_;
  id move_;
  std::uint64_t most_;
  bytes atom_;
  std::int32_t lanes_;
  std::vector<id> made_;
  std::vector<kernel_order> parts_{};
};

}  // namespace detail

NVDLAC_IMPL std::optional<quantised::graph> in_map_order(const hw::spec& hw,
                                                         const quantised::graph& g) {
  std::vector<detail::vector_of_map> found;
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (g.get_if<quantised::move>(n) != nullptr)
      if (detail::vector_of_map v(hw, g, n); v.is_possible()) found.push_back(std::move(v));
  if (found.empty()) return std::nullopt;
  auto result = g;
  for (const auto& v : found) v.take(result);
  return result;
}

}  // namespace nvdlac::choose
