// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of a batch that are computed for all pictures at once, so that their weights are read once:
// each is one convolution over the pictures' cubes, which stand below each other in memory. Fully
// connected layers, because NVDLA computes up to eight pixels in the time of one where it takes
// eight kernels at once; and convolutions of 1x1, whose windows never reach into the next picture,
// where the whole takes fewer predicted cycles with them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// How many pictures a program computes, and whether small maps of theirs are computed together.
struct batch_of {
  int pictures = 1;
  bool maps = false;
};

// The cubes of all pictures below each other. Of single pixels the surfaces of one picture stand
// beside each other, as SDP writes and reads them.
template <class Hw>
constexpr layer::surface stacked(net::shape s, hw::precision p, int pictures) {
  const bytes atom = Hw::spec.atom();
  auto cube = layer::packed({s.c, s.h * pictures, s.w}, atom, {}, p);
  if (s.h == 1 && s.w == 1) {
    const auto of_one = layer::packed(s, atom, {}, p);
    cube.surface_stride = of_one.surface_stride;
    cube.line_stride = static_cast<std::uint32_t>(of_one.size);
  }
  return cube;
}
template <class Hw>
constexpr layer::surface of_picture(const layer::surface& all, net::shape s, int picture) {
  auto one = layer::part(all, Hw::spec.atom(), 0, picture * s.h, 0, s);
  if (s.h == 1 && s.w == 1) one.line_stride = one.surface_stride;
  return one;
}

// The layers of a network that are computed for all pictures at once, and the cubes of all pictures
// of the tensors that these read and write.
struct together_in_batch {
  std::vector<char> layers{};           // flags, by node; none: all are computed picture by picture
  std::vector<layer::surface> cubes{};  // by node; of size 0: each picture has its own

  constexpr bool has(std::size_t n) const { return !layers.empty() && layers[n]; }
  constexpr bool has_cube(std::size_t n) const { return !cubes.empty() && cubes[n].size != 0; }
};

// Whether a convolution sees all of its input at once.
constexpr bool is_fully_connected(const net::window& w, net::shape in) {
  net::window fitting;
  fitting.kernel_h = in.h, fitting.kernel_w = in.w;
  fitting.stride_h = w.stride_h, fitting.stride_w = w.stride_w;
  return w == fitting;
}

// The convolution of all pictures that one of each is.
constexpr net::window over_pictures(net::window w) {
  w.stride_h = w.kernel_h;
  return w;
}

template <class Hw, class Graph>
class batch_finder {
 public:
  constexpr batch_finder(const Graph& g, std::span<const convolution_and_pooling> poolings,
                         batch_of batch)
      : g_(g), poolings_(poolings), pictures_(batch.pictures), maps_(batch.maps) {}

  constexpr together_in_batch find() const {
    if (pictures_ < 2) return {};
    together_in_batch all{std::vector<char>(g_.size(), false),
                          std::vector<layer::surface>(g_.size())};
    for (std::size_t n = 0; n < g_.size(); ++n) {
      if (!is_computed_together(n)) continue;
      all.layers[n] = true;
      all.cubes[n] = stacked<Hw>(g_.shape(n), g_.precision(n), pictures_);
      for (const std::size_t from : g_.inputs(n))
        all.cubes[from] = stacked<Hw>(g_.shape(from), g_.precision(from), pictures_);
    }
    return all;
  }

 private:
  constexpr bool is_computed_together(std::size_t n) const {
    const auto* op = g_.template get_if<quantised::convolution>(n);
    if (op == nullptr || op->groups != 1 || op->winograd) return false;
    const auto in = g_.shape(g_.inputs(n)[0]);
    if (!is_fully_connected(op->window, in)) return maps_ && takes_maps_of_several(n, *op);
    using limits = typename hw::limits<Hw::spec.map>::convolution;
    if (g_.inputs(n).size() != 1 || std::cmp_greater(in.h, limits::stride) ||
        !can_be_stacked(g_.inputs(n)[0], true) || !can_be_stacked(n, false))
      return false;
    return split_of_batch(Hw::spec, {in.c, in.h * pictures_, in.w},
                          {g_.shape(n).c, pictures_, 1}, op->window, g_.precision(n))
        .has_value();
  }
  // Whether it is a convolution of 1x1, with or without a sum behind it, whose passes take the maps
  // of more than one picture.
  constexpr bool takes_maps_of_several(std::size_t n, const quantised::convolution& op) const {
    if (op.window != net::window{}) return false;
    for (const std::size_t from : g_.inputs(n))
      if (!can_be_stacked(from, false)) return false;
    if (!can_be_stacked(n, false)) return false;
    const hw::precision p = g_.precision(n);
    auto in = g_.shape(g_.inputs(n)[0]), out = g_.shape(n);
    in.h *= pictures_, out.h *= pictures_;
    const bool adds = g_.inputs(n).size() > 1;
    if (check_convolution<Hw>(in, out, op.window, false, p, adds) != reason::none) return false;
    const auto passes = split_convolution(Hw::spec, in, out, op.window, false, p);
    return passes && passes->columns >= out.w && passes->rows > out.h / pictures_;
  }
  // Whether a tensor's place is free; that of an input can be left.
  constexpr bool can_be_stacked(std::size_t n, bool can_be_copied) const {
    if (g_.template get_if<quantised::constant>(n) || g_.template get_if<quantised::reshape>(n) ||
        g_.is_output(n))
      return false;
    if (const auto* in = g_.template get_if<quantised::input>(n))
      return can_be_copied && !in->pixels;
    for (const auto& p : poolings_)
      if (p.why == apart::none && p.convolution == n) return false;
    if (g_.template get_if<quantised::convert>(n)) return false;
    for (const std::size_t c : g_.consumers(n))
      if (g_.template get_if<quantised::reshape>(c) || g_.template get_if<quantised::convert>(c) ||
          g_.template get_if<quantised::concat>(c) || g_.template get_if<quantised::move>(c))
        return false;
    return true;
  }

  const Graph& g_;
  std::span<const convolution_and_pooling> poolings_;
  int pictures_;
  bool maps_;
};

}  // namespace nvdlac::lower
