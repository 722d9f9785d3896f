// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fully connected layers of a batch. NVDLA computes up to eight pixels in the time of one where it
// takes eight kernels at once, and reads the weights once for all: so such a layer is one
// convolution over the pictures' cubes, which stand below each other in memory.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

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

// The convolution of all pictures that a fully connected layer is.
constexpr net::window over_pictures(net::window w) {
  w.stride_h = w.kernel_h;
  return w;
}

template <class Hw, class Graph>
class batch_finder {
 public:
  constexpr batch_finder(const Graph& g, std::span<const convolution_and_pooling> poolings,
                         int pictures)
      : g_(g), poolings_(poolings), pictures_(pictures) {}

  constexpr together_in_batch find() const {
    if (pictures_ < 2) return {};
    together_in_batch all{std::vector<char>(g_.size(), false),
                          std::vector<layer::surface>(g_.size())};
    for (std::size_t n = 0; n < g_.size(); ++n) {
      if (!is_worth_it(n)) continue;
      all.layers[n] = true;
      for (const std::size_t t : {std::size_t{g_.inputs(n)[0]}, n})
        all.cubes[t] = stacked<Hw>(g_.shape(t), g_.precision(t), pictures_);
    }
    return all;
  }

 private:
  constexpr bool is_worth_it(std::size_t n) const {
    const auto* op = g_.template get_if<quantised::convolution>(n);
    if (op == nullptr || op->groups != 1 || g_.inputs(n).size() != 1) return false;
    const std::size_t from = g_.inputs(n)[0];
    const auto in = g_.shape(from), out = g_.shape(n);
    const auto& w = op->window;
    using limits = typename hw::limits<Hw::spec.map>::convolution;
    net::window fitting;
    fitting.kernel_h = in.h, fitting.kernel_w = in.w;
    fitting.stride_h = w.stride_h, fitting.stride_w = w.stride_w;
    if (out.h != 1 || out.w != 1 || w != fitting || std::cmp_greater(in.h, limits::stride) ||
        !can_be_stacked(from, true) || !can_be_stacked(n, false))
      return false;
    return split_of_batch(Hw::spec, {in.c, in.h * pictures_, in.w}, {out.c, pictures_, 1}, w,
                          g_.precision(n))
        .has_value();
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
};

}  // namespace nvdlac::lower
