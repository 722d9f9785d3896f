// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of a batch that are computed for all pictures at once, so that weights are read once. Some
// are one convolution over the pictures' cubes, which stand below each other in memory: fully
// connected layers, because NVDLA computes up to eight pixels in the time of one where it takes
// eight kernels at once; and convolutions of 1x1, whose windows never reach into the next picture,
// where the whole takes fewer predicted cycles with them. Others are one hardware layer in batch
// mode, where the configuration has it and the whole takes fewer predicted cycles by it: those
// whose pictures have room beside each other in the CBUF. Their cubes stand one behind the other,
// and convolutions of 1x1 beside them take each picture for a line.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/host.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The cubes of all pictures below each other. Of single pixels the surfaces of one picture stand
// beside each other, as SDP writes and reads them.
constexpr layer::surface stacked(const hw::spec& hw, net::shape s, hw::precision p, int pictures) {
  const bytes atom = hw.atom();
  auto cube = layer::packed({s.c, s.h * pictures, s.w}, atom, {}, p);
  if (s.h == 1 && s.w == 1) {
    const auto of_one = layer::packed(s, atom, {}, p);
    cube.surface_stride = of_one.surface_stride;
    cube.line_stride = static_cast<std::uint32_t>(of_one.size);
  }
  return cube;
}
// The cubes of all pictures one behind the other, as batch mode takes them; those that it gives
// have lines of whole pairs of atoms.
constexpr layer::surface in_a_row(const hw::spec& hw, net::shape s, hw::precision p, int pictures,
                                  bool in_pairs) {
  const bytes atom = hw.atom();
  const std::uint64_t pair = hw::pair_of_atoms;
  auto cube = layer::packed(s, atom, {}, p);
  if (in_pairs && (s.h != 1 || s.w != 1)) {
    cube.line_stride = static_cast<std::uint32_t>(align_up(cube.line_stride, pair));
    cube.surface_stride = cube.line_stride * static_cast<std::uint32_t>(s.h);
  }
  cube.pictures = pictures;
  cube.picture_stride = static_cast<std::uint32_t>(
      align_up(layer::surfaces(s, atom, p) * cube.surface_stride, pair));
  cube.size = layer::extent(cube, atom);
  return cube;
}
constexpr layer::surface of_picture(const hw::spec& hw, const layer::surface& all, net::shape s,
                                    int picture) {
  if (all.pictures > 1) return layer::pictures_of(all, hw.atom(), picture);
  auto one = layer::part(all, hw.atom(), 0, picture * s.h, 0, s);
  if (s.h == 1 && s.w == 1) one.line_stride = one.surface_stride;
  return one;
}

// A cube in a row as one of a line for each picture, if there is nothing between a picture's lines.
constexpr bool has_gaps(const layer::surface& in_a_row, bytes atom) {
  return in_a_row.line_stride != static_cast<std::uint64_t>(in_a_row.shape.w) * atom.n;
}
constexpr layer::surface with_lines_of_pictures(const layer::surface& in_a_row) {
  auto cube = in_a_row;
  cube.shape.w *= cube.shape.h;
  cube.shape.h = cube.pictures;
  cube.line_stride = cube.picture_stride;
  cube.pictures = 1;
  cube.picture_stride = 0;
  return cube;
}

// Cubes in a row as such lines for the layer `name`; those with gaps are copied, picture by
// picture.
constexpr layer::surface lines_of_pictures(const hw::spec& hw, const layer::surface& cubes,
                                           const label& name, int& copies, assembly& to) {
  if (!has_gaps(cubes, hw.atom())) return with_lines_of_pictures(cubes);
  auto packed = in_a_row(hw, cubes.shape, cubes.precision, cubes.pictures, false);
  packed.at = to.reserve(label(name, "/packed"), plan::memory::features, packed.size);
  for (int i = 0; i < cubes.pictures; ++i)
    copy(to, label(name, "/packed", copies++), of_picture(hw, cubes, cubes.shape, i),
         of_picture(hw, packed, cubes.shape, i));
  return with_lines_of_pictures(packed);
}

// How a layer is computed for all pictures at once.
enum class at_once : std::uint8_t { no, below_each_other, in_batch_mode, as_lines };

// The layers of a network that are computed for all pictures at once, and the cubes of all pictures
// of the tensors that these read and write, below each other or in a row.
struct together_in_batch {
  std::vector<at_once> layers{};        // by node; none: all are computed picture by picture
  std::vector<layer::surface> cubes{};  // by node; of size 0: each picture has its own

  constexpr bool has(std::size_t n) const { return !layers.empty() && layers[n] != at_once::no; }
  constexpr bool is_in_a_row(std::size_t n) const { return cubes[n].pictures > 1; }
  constexpr bool has_cube(std::size_t n) const { return !cubes.empty() && cubes[n].size != 0; }
};

// Whether a convolution sees all of its input at once.
constexpr bool is_fully_connected(const net::window& w, net::shape in) {
  net::window fitting;
  fitting.kernel_h = in.h;
  fitting.kernel_w = in.w;
  fitting.stride_h = w.stride_h;
  fitting.stride_w = w.stride_w;
  return w == fitting;
}

// The convolution of all pictures that one of each is.
constexpr net::window over_pictures(net::window w) {
  w.stride_h = w.kernel_h;
  return w;
}

namespace detail {

// The predicted cycles, with a host, of a convolution of so many pictures that is a whole program:
// fully connected below each other, or in batch mode, or picture by picture. Results below each
// other become outputs by copies.
constexpr std::uint64_t cycles_of_pictures(const target& hw, quantised::convolution op,
                                           net::shape in, hw::precision p, int pictures,
                                           at_once how) {
  assembly to(contents::none());
  const auto placed = [&](layer::surface cube, plan::memory where) {
    cube.at = to.reserve("tensor", where, cube.size);
    return cube;
  };
  const auto cube = [&](net::shape s, bool is_given) {
    if (how == at_once::below_each_other) return stacked(hw, s, p, pictures);
    if (how == at_once::in_batch_mode) return in_a_row(hw, s, p, pictures, is_given);
    return layer::packed(s, hw.atom(), {}, p);
  };
  const auto out = op.infer(std::array{in});
  site<quantised::convolution> s{.op = op, .name = "convolution"};
  s.of_batch = how == at_once::below_each_other;
  if (s.of_batch) op.window = over_pictures(op.window);
  for (int picture = 0; picture < (how == at_once::no ? pictures : 1); ++picture) {
    to.begin_picture(picture, pictures);
    if (how != at_once::no) to.begin_all();
    s.in = {placed(cube(in, false), plan::memory::input)};
    s.out = placed(cube(out, true), s.of_batch ? plan::memory::features : plan::memory::output);
    lower_operator(hw, to, s);
  }
  for (int picture = 0; picture < (s.of_batch ? pictures : 0); ++picture)
    copy(to, "output", of_picture(hw, s.out, out, picture),
         placed(layer::packed(out, hw.atom(), {}, p), plan::memory::output));
  const auto program = plan::make_program(hw, std::move(to.result));
  return cost::cycles(program.tasks, hw, cost::memory_of(hw), cost::test_bench).totals.cycles;
}

}  // namespace detail

template <class Graph>
class batch_finder {
 public:
  constexpr batch_finder(const target& hw, const Graph& g,
                         std::span<const convolution_and_reader> together, batch_of batch)
      : hw_(hw), g_(g), together_(together), pictures_(batch.pictures), maps_(batch.maps),
        mode_(hw_.batch ? batch.mode : batch_mode_use::off) {}

  constexpr together_in_batch find() const {
    if (pictures_ < 2) return {};
    together_in_batch all{std::vector<at_once>(g_.size(), at_once::no),
                          std::vector<layer::surface>(g_.size())};
    const bool has_mode = mode_ != batch_mode_use::off;
    take(all, at_once::below_each_other, [&](auto n, auto& op) { return connects_all(n, op); });
    if (has_mode)
      take(all, at_once::in_batch_mode, [&](auto n, auto& op) { return is_in_batch_mode(n, op); });
    if (has_mode && maps_)
      take(all, at_once::as_lines, [&](auto n, auto& op) { return takes_lines(all, n, op); });
    if (maps_)
      take(all, at_once::below_each_other,
           [&](auto n, auto& op) { return takes_maps_of_several(n, op); });
    return all;
  }

 private:
  constexpr layer::surface cube_of(std::size_t n, at_once how, bool is_given) const {
    if (how == at_once::below_each_other)
      return stacked(hw_, g_.shape(n), g_.precision(n), pictures_);
    return in_a_row(hw_, g_.shape(n), g_.precision(n), pictures_,
                    is_given && how == at_once::in_batch_mode);
  }
  // Takes what is wanted of the convolutions of which no tensor has cubes of the other kind.
  template <class IsWanted>
  constexpr void take(together_in_batch& all, at_once how, const IsWanted& is_wanted) const {
    const auto is_free = [&](std::size_t t) {
      return !all.has_cube(t) || all.is_in_a_row(t) == (how != at_once::below_each_other);
    };
    for (std::size_t n = 0; n < g_.size(); ++n) {
      const auto* op = g_.template get_if<quantised::convolution>(n);
      if (op == nullptr || op->groups != 1 || op->winograd || all.has(n) || !is_free(n) ||
          !std::ranges::all_of(g_.inputs(n), is_free) || !is_wanted(n, *op))
        continue;
      all.layers[n] = how;
      all.cubes[n] = cube_of(n, how, true);
      for (const std::size_t from : g_.inputs(n))
        if (!all.has_cube(from)) all.cubes[from] = cube_of(from, how, false);
    }
  }
  // Whether it is a fully connected layer over the cubes of all pictures.
  constexpr bool connects_all(std::size_t n, const quantised::convolution& op) const {
    const auto in = g_.shape(g_.inputs(n)[0]);
    if (!is_fully_connected(op.window, in)) return false;
    const auto& limits = hw::limits_of(hw_.map).convolution;
    if (g_.inputs(n).size() != 1 || std::cmp_greater(in.h, limits.stride) ||
        !can_be_stacked(g_.inputs(n)[0], true) || !can_be_stacked(n, true))
      return false;
    const hw::precision p = g_.precision(n);
    return split_of_batch(hw_, {in.c, in.h * pictures_, in.w},
                          {g_.shape(n).c, pictures_, 1}, op.window, p) &&
           (!g_.is_output(n) ||
            predicted(op, in, p, at_once::below_each_other) < predicted(op, in, p, at_once::no));
  }
  // Whether it runs in batch mode. SDP would add the same operands to all pictures, has no place
  // for several on the way to PDP, and changes no data type of them. The host takes cubes whose
  // lines have nothing between them.
  constexpr bool is_in_batch_mode(std::size_t n, const quantised::convolution& op) const {
    if (g_.inputs(n).size() != 1) return false;
    const std::size_t from = g_.inputs(n)[0];
    const auto in = g_.shape(from), out = g_.shape(n);
    const hw::precision p = g_.precision(n);
    if (g_.precision(from) != p || !can_be_stacked(from, false) || !can_be_stacked(n, false) ||
        is_of_host(from) || is_of_host(n) ||
        !pass::convolution_core::of(op.window, in, out).whole ||
        check_convolution(hw_, in, out, op.window, false, p) != reason::none ||
        !split_of_pictures(hw_, in, out, op.window, p, pictures_))
      return false;
    return mode_ == batch_mode_use::forced ||
           predicted(op, in, p, at_once::in_batch_mode) < predicted(op, in, p, at_once::no);
  }
  constexpr std::uint64_t predicted(const quantised::convolution& op, net::shape in,
                                    hw::precision p, at_once how) const {
    return detail::cycles_of_pictures(hw_, op, in, p, pictures_, how);
  }
  constexpr bool is_of_host(std::size_t n) const {
    const auto on_host = [&](std::size_t t) {
      return g_.template get_if<quantised::softmax>(t) || g_.template get_if<quantised::on_host>(t);
    };
    return on_host(n) || std::ranges::any_of(g_.consumers(n), on_host);
  }
  // Whether it is a convolution of 1x1, with or without a sum behind it, beside one in batch mode,
  // whose passes take the maps of more than one picture as lines. Cubes with gaps are copied
  // before, which is worth it where they are less than the weights.
  constexpr bool takes_lines(const together_in_batch& all, std::size_t n,
                             const quantised::convolution& op) const {
    const auto& inputs = g_.inputs(n);
    const auto has_cube = [&](std::size_t t) { return all.has_cube(t); };
    if (op.window != net::window{} || is_of_host(n) ||
        !(has_cube(n) || std::ranges::any_of(inputs, has_cube)))
      return false;
    if (!can_be_stacked(n, false)) return false;
    for (const std::size_t from : inputs) {
      const bool is_copied = all.has_cube(from) && has_gaps(all.cubes[from], hw_.atom());
      if (!can_be_stacked(from, false) || is_of_host(from) ||
          (is_copied && g_.shape(from).size() >= op.weights_given()))
        return false;
    }
    const hw::precision p = g_.precision(n);
    const auto in = with_lines_of_pictures(cube_of(inputs[0], at_once::as_lines, false)).shape;
    const auto out = with_lines_of_pictures(cube_of(n, at_once::as_lines, true)).shape;
    if (check_convolution(hw_, in, out, op.window, false, p, inputs.size() > 1) != reason::none)
      return false;
    const auto passes = split_convolution(hw_, in, out, op.window, false, p);
    return passes && passes->columns >= out.w && passes->rows > 1;
  }
  // Whether it is a convolution of 1x1, with or without a sum behind it, whose passes take the maps
  // of more than one picture.
  constexpr bool takes_maps_of_several(std::size_t n, const quantised::convolution& op) const {
    const auto in_one = g_.shape(g_.inputs(n)[0]);
    if (op.window != net::window{} || is_fully_connected(op.window, in_one)) return false;
    for (const std::size_t from : g_.inputs(n))
      if (!can_be_stacked(from, false)) return false;
    if (!can_be_stacked(n, false)) return false;
    const hw::precision p = g_.precision(n);
    auto in = in_one, out = g_.shape(n);
    in.h *= pictures_;
    out.h *= pictures_;
    const bool adds = g_.inputs(n).size() > 1;
    if (check_convolution(hw_, in, out, op.window, false, p, adds) != reason::none) return false;
    const auto passes = split_convolution(hw_, in, out, op.window, false, p);
    return passes && passes->columns >= out.w && passes->rows > out.h / pictures_;
  }
  // Whether a tensor's place is free; that of an input or an output can be left.
  constexpr bool can_be_stacked(std::size_t n, bool can_be_copied) const {
    if (g_.template get_if<quantised::constant>(n) || g_.template get_if<quantised::reshape>(n) ||
        (g_.is_output(n) && !can_be_copied))
      return false;
    if (const auto* in = g_.template get_if<quantised::input>(n))
      return can_be_copied && !in->pixels;
    for (const auto& p : together_)
      if (p.why == apart::none && p.convolution == n) return false;
    if (g_.template get_if<quantised::convert>(n)) return false;
    for (const std::size_t c : g_.consumers(n))
      if (g_.template get_if<quantised::reshape>(c) || g_.template get_if<quantised::convert>(c) ||
          g_.template get_if<quantised::concat>(c) || g_.template get_if<quantised::move>(c))
        return false;
    return true;
  }

  const target& hw_;
  const Graph& g_;
  std::span<const convolution_and_reader> together_;
  int pictures_;
  bool maps_;
  batch_mode_use mode_;
};

}  // namespace nvdlac::lower
