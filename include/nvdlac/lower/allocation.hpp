// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/batch.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/map_order.hpp>
#include <nvdlac/lower/move.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/repetition.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/strided_part.hpp>
#include <nvdlac/lower/two_bytes.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The networks that can be lowered: quantised::graph at run time, and net::network of integer
// operators while compiling. `order()` gives producers first; `visit(n, f)` calls f(operator of n).
template <class T>
concept integer_network = requires(const T& g, std::size_t n) {
  { g.size() } -> std::convertible_to<std::size_t>;
  { g.order()[n] } -> std::convertible_to<std::size_t>;
  { g.inputs(n)[0] } -> std::convertible_to<std::size_t>;
  { g.consumers(n)[0] } -> std::convertible_to<std::size_t>;
  { g.uses(n) } -> std::same_as<std::size_t>;
  { g.label_of(n) } -> std::convertible_to<std::string_view>;
  { g.shape(n) } -> std::same_as<net::shape>;
  { g.scale(n) } -> std::same_as<double>;
  { g.zero(n) } -> std::same_as<std::int32_t>;
  { g.precision(n) } -> std::same_as<hw::precision>;
  { g.is_output(n) } -> std::same_as<bool>;
  { g.template get_if<quantised::input>(n) } -> std::same_as<const quantised::input*>;
  g.visit(n, [](const auto&) {});
};

// The meaning of the numbers of n's tensor; unknown where a scale for each channel tells it.
template <integer_network Graph>
constexpr plan::numbering numbering_of(const Graph& g, std::size_t n) {
  if constexpr (requires { g.gain(n); })
    if (!g.gain(n).empty()) return {};
  return {g.scale(n), g.zero(n)};
}

// Where each tensor of a network stands in memory.
struct allocation {
  using id = std::size_t;

  std::vector<layer::surface> of;             // by node
  std::vector<layer::surface> staging;        // of concats, and of moves that Rubik makes
  std::vector<std::vector<char>> in_place;    // flags of these, and of moves, by input or turn
  std::vector<char> is_view;                  // flags: moves whose tensor is a part of its source
  // Outputs whose tensor cannot stand in the user's memory directly: copy from `of[node]` to `to`.
  struct extra_copy { id node; layer::surface to; };
  std::vector<extra_copy> copies;
  // By node: of a convolution, the pooling or table that is computed with it, and the other way
  // round; of any other node, itself. Such a convolution's tensor is nowhere.
  std::vector<id> together;
  std::span<const sibling> siblings{};  // which stand as their groups say
};

// Gives every tensor its cube: inputs and outputs their own buffers; inputs of a concat, and of a
// move, a part of its cube where that is possible; reshapes the cube of their input, and moves that
// take surfaces or lines of it these; convolutions that are joined parts of one buffer, behind each
// other. A convolution that is computed together with the pooling behind it has none.
template <integer_network Graph>
class allocation_finder {
  using id = allocation::id;

 public:
  // `siblings`: which convolutions are joined; `batch`: which cubes a picture shares with the
  // others; `images`: whether inputs of integers may stand as pixels.
  constexpr allocation_finder(const hw::spec& hw, const Graph& g, assembly& to,
                              std::span<const convolution_and_reader> together,
                              std::span<const sibling> siblings, const together_in_batch& batch,
                              int picture, bool images)
      : hw_(hw), g_(g), to_(to), tensors_(hw, g), batch_(batch), picture_(picture),
        images_(images) {
    result_.siblings = siblings;
    for (id n = 0; n < g.size(); ++n) result_.together.push_back(n);
    for (const auto& p : together)
      if (p.why == apart::none) {
        result_.together[p.convolution] = p.reader;
        result_.together[p.reader] = p.convolution;
      }
  }

  constexpr allocation find() {
    result_.of.resize(g_.size());
    result_.staging.resize(g_.size());
    result_.in_place.resize(g_.size());
    result_.is_view.assign(g_.size(), false);
    found_.assign(g_.size(), false);
    for (id n = 0; n < batch_.cubes.size(); ++n)
      if (batch_.has_cube(n) && !g_.template get_if<quantised::input>(n))
        take(n, of_picture(hw_, batch_.cubes[n], g_.shape(n), picture_));
    if (!result_.siblings.empty()) place_groups();
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) settle(*n);
    if (!result_.siblings.empty()) note_parts();
    for (const id n : order)
      if (result_.is_view[n]) {
        result_.of[n] = view_of(n, result_.of[g_.inputs(n)[0]]);
      } else if (tensors_.is_alias(n)) {
        result_.of[n] = result_.of[tensors_.origin(n)];
        if (g_.shape(n).h == 1 && g_.shape(n).w == 1 && result_.of[n].shape.h == 1 &&
            result_.of[n].shape.w == 1)
          result_.of[n].shape = g_.shape(n);
      }
    bind();
    return std::move(result_);
  }

 private:
  constexpr label name_of(id n) const { return to_.named(g_.label_of(n)); }
  constexpr bool is_given_on_the_fly(id n) const {
    return result_.together[n] != n &&
           g_.template get_if<quantised::convolution>(n) != nullptr;
  }
  // Siblings that no cube of a concat holds stand in a buffer of their own.
  constexpr void place_groups() {
    for (const auto& s : result_.siblings) {
      if (s.why != lone::none || s.concat != sibling::nowhere || found_[s.convolution]) continue;
      const auto group = group_of(result_.siblings, s.convolution);
      const auto begin = channels_of(hw_, g_, group);
      const id n = s.convolution;
      const auto shape = g_.shape(n);
      auto all = layer::packed({begin.back(), shape.h, shape.w}, hw_.atom(), {},
                               g_.precision(n));
      to_.begin_tensor(numbering_of(g_, n));
      all.at = to_.reserve(to_.named(name_of_group(g_, group)), plan::memory::features, all.size);
      for (std::size_t i = 0; i < group.size(); ++i) {
        const id m = group[i].convolution;
        take(m, layer::part(all, hw_.atom(), begin[i], 0, 0, g_.shape(m)));
      }
    }
  }
  // The cube of a concat in memory where siblings of its inputs stand before and behind it.
  constexpr layer::surface reserved(id n, label name, layer::surface cube) {
    std::uint64_t before = 0, behind = 0;
    const auto each_beside = [&](const auto& visit) {
      for (const auto& s : result_.siblings)
        if (s.why == lone::none && s.concat == n && s.is_beside)
          visit(s, layer::packed(g_.shape(s.convolution), hw_.atom(), {}, g_.precision(n)));
    };
    each_beside([&](const sibling& s, const layer::surface& own) {
      (s.behind ? behind : before) += own.size;
    });
    const auto end_of_cube = before + cube.size;
    cube.at = to_.reserve(std::move(name), plan::memory::features, end_of_cube + behind);
    cube.at.offset = before;
    before = 0;
    behind = end_of_cube;
    each_beside([&](const sibling& s, layer::surface own) {
      auto& next = s.behind ? behind : before;
      own.at = {cube.at.buffer, next};
      next += own.size;
      take(s.convolution, own);
    });
    return cube;
  }
  // Whether siblings may stand beside the cube in which a concat is put together first.
  constexpr bool is_staged(id n) const {
    if (!g_.template get_if<quantised::concat>(n)) return false;
    std::vector<net::shape> shapes;
    for (const id i : g_.inputs(n)) shapes.push_back(g_.shape(i));
    return !concat_is_aligned(shapes, layer::lanes_of(hw_.atom(), g_.precision(n)));
  }
  // Places in buffers of several tensors.
  constexpr void note_parts() {
    for (const auto& s : result_.siblings) {
      const id n = s.convolution;
      const auto& cube = result_.of[n];
      if (s.why == lone::none)
        to_.result.parts.push_back(
            {name_of(n), to_.named(name_of_group(g_, group_of(result_.siblings, n))),
             cube.at.buffer, cube.at.offset, cube.size, cube.shape.c, numbering_of(g_, n)});
    }
  }

  constexpr void settle(id n) {
    to_.begin_tensor(numbering_of(g_, n));
    if (const auto* in = g_.template get_if<quantised::input>(n)) return settle_input(n, *in);
    if (const auto* c = g_.template get_if<quantised::constant>(n))
      return settle_constant(n, *c);
    if (tensors_.is_alias(n) || is_given_on_the_fly(n)) return;
    if (is_readable_in_place(n)) {
      result_.is_view[n] = true;
      return;
    }
    if (!found_[n]) {
      const bool is_output = tensors_.is_output(n);
      auto cube = is_output ? tensors_.packed(n, g_.shape(n)) : tensors_.arranged(n);
      if (is_output) cube.at = to_.reserve(name_of(n), plan::memory::output, cube.size);
      else if (result_.siblings.empty() || is_staged(n))
        cube.at = to_.reserve(name_of(n), plan::memory::features, cube.size);
      else cube = reserved(n, name_of(n), cube);
      take(n, cube);
    }
    if (const auto* op = g_.template get_if<quantised::concat>(n)) settle_concat(n, *op);
    if (const auto* op = g_.template get_if<quantised::move>(n)) settle_move(n, *op);
  }

  constexpr void settle_input(id n, const quantised::input& in) {
    const auto image = interleaved_input(hw_, g_, n, images_);
    auto cube = image ? *image : tensors_.packed(n, in.shape);
    cube.at = to_.reserve(name_of(n), plan::memory::input, cube.size);
    take(n, cube);
  }

  constexpr void settle_constant(id n, const quantised::constant& c) {
    const bytes atom = hw_.atom();
    auto cube = tensors_.packed(n, c.shape);
    const auto write = [&](std::uint8_t* memory) {
      for (std::int32_t k = 0; k < c.shape.c; ++k)
        for (std::int32_t y = 0; y < c.shape.h; ++y)
          for (std::int32_t x = 0; x < c.shape.w; ++x) {
            const auto to = layer::offset_of(cube, atom, k, y, x);
            const auto i = c.shape.at(k, y, x);
            if (c.values.empty()) put_two_bytes(c.wide_values[i], memory + to);
            else memory[to] = static_cast<std::uint8_t>(c.values[i]);
          }
    };
    const bool known = c.values.known() && c.wide_values.known();
    cube.at = to_.keep_trained(name_of(n), cube.size, known, write);
    take(n, cube);
  }

  constexpr void settle_concat(id n, const quantised::concat& op) {
    const bytes atom = hw_.atom();
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_.shape(i));
    auto& staging = result_.staging[n];
    staging = result_.of[n];
    const auto lanes = layer::lanes_of(atom, g_.precision(n));
    const auto offsets = aligned_offsets(shapes, lanes);
    if (!concat_is_aligned(shapes, lanes)) {
      staging = tensors_.packed(n, {offsets.back(), g_.shape(n).h, g_.shape(n).w});
      staging = reserved(n, label(name_of(n), "/staging"), staging);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const id from = tensors_.origin(inputs[i]);
      const bool place = !op.multiplier[i] && has_no_home(from) && g_.shape(from) == shapes[i];
      result_.in_place[n].push_back(place);
      if (place) take(from, layer::part(staging, atom, offsets[i], 0, 0, shapes[i]));
    }
  }

  constexpr void settle_move(id n, const quantised::move& op) {
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_.shape(i));
    const std::span<const net::box> boxes(op.boxes.data(), op.boxes.size());
    if (repetition_of(hw_, boxes, op.target, shapes)) return;
    const auto parts = parts_in_place(n, boxes, shapes);
    const auto copies = static_cast<std::size_t>(
        std::count_if(boxes.begin(), boxes.end(), [&](const net::box& b) {
          return b.input < 0 || !parts[static_cast<std::size_t>(b.input)];
        }));
    if ((!hw_.rubik || copies > 0) && settle_turns(n, boxes, op.target, shapes)) return;
    if (copies == boxes.size()) return;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      result_.in_place[n].push_back(parts[i].has_value());
      if (parts[i]) take(tensors_.origin(inputs[i]), parts[i]->of(result_.of[n], hw_.atom()));
    }
  }
  // The inputs of a move that stand in its result, by input.
  constexpr std::vector<std::optional<strided_part>> parts_in_place(
      id n, std::span<const net::box> boxes, std::span<const net::shape> shapes) const {
    const auto inputs = g_.inputs(n);
    const auto target = g_.shape(n);
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), g_.precision(n)));
    std::vector<std::optional<strided_part>> parts(inputs.size(), std::nullopt);
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const id from = tensors_.origin(inputs[i]);
      const auto is_its = [&](const net::box& b) { return std::cmp_equal(b.input, i); };
      const auto again = [&](id other) { return tensors_.origin(other) == from; };
      if (!has_no_home(from) || g_.shape(from) != shapes[i] ||
          std::count_if(boxes.begin(), boxes.end(), is_its) != 1 ||
          std::count_if(inputs.begin(), inputs.end(), again) != 1)
        continue;
      parts[i] = part_filled(*std::find_if(boxes.begin(), boxes.end(), is_its), shapes[i], target,
                             lanes);
      any = any || parts[i];
    }
    if (!any) return parts;
    const auto plan = plan_move(boxes, target, shapes, lanes);
    if (plan.single_elements || plan.only_channels || !plan.results_in_place)
      parts.assign(inputs.size(), std::nullopt);
    return parts;
  }
  // Whether Rubik makes the move's tensor of phases, each of which then stands in its group, or
  // stood so.
  constexpr bool settle_turns(id n, std::span<const net::box> boxes, net::shape target,
                              std::span<const net::shape> shapes) {
    if (!hw_.rubik) return false;
    const auto inputs = g_.inputs(n);
    const auto i = find_interleaving(hw_, boxes, target, shapes, g_.precision(n));
    if (!i || i.is_stacked()) return static_cast<bool>(i);
    std::vector<id> owner;  // of each turn; n: it is copied
    for (const auto& t : i.phases) {
      const id from = t.input < 0 ? n : tensors_.origin(inputs[static_cast<std::size_t>(t.input)]);
      const bool again = std::find(owner.begin(), owner.end(), from) != owner.end();
      const bool place = from != n && !again && has_no_home(from) && g_.shape(from) == i.group;
      owner.push_back(place ? from : n);
    }
    if (!i.saves_layers(static_cast<std::size_t>(std::count(owner.begin(), owner.end(), n))))
      return false;
    auto& staging = result_.staging[n];
    staging = tensors_.packed(n, i.stacked());
    staging.at =
        to_.reserve(label(name_of(n), "/turns"), plan::memory::features, staging.size);
    for (std::size_t t = 0; t < owner.size(); ++t) {
      result_.in_place[n].push_back(owner[t] != n);
      if (owner[t] != n)
        take(owner[t], layer::part(staging, hw_.atom(), i.channel_of(t), 0, 0, i.group));
    }
    return true;
  }

  // The part of its input's cube that is the tensor of a move.
  constexpr std::optional<strided_part> part_of_input(id n) const {
    const auto* op = g_.template get_if<quantised::move>(n);
    if (op == nullptr || op->boxes.size() != 1 || g_.inputs(n).size() != 1) return std::nullopt;
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), g_.precision(n)));
    return part_taken(op->boxes.data()[0], g_.shape(g_.inputs(n)[0]), op->target, lanes);
  }
  // Whether the tensor of a move is a map of the bytes of its input.
  constexpr bool is_map_of_vector(id n) const {
    const auto* op = g_.template get_if<quantised::move>(n);
    if (op == nullptr || g_.inputs(n).size() != 1) return false;
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), g_.precision(n)));
    return keeps_map_order({op->boxes.data(), op->boxes.size()}, op->target,
                           g_.shape(g_.inputs(n)[0]), lanes);
  }
  // The tensor of such a move, or of one that takes a part.
  constexpr layer::surface view_of(id n, const layer::surface& from) const {
    if (const auto part = part_of_input(n)) return part->of(from, hw_.atom());
    auto cube = tensors_.packed(n, g_.shape(n));
    cube.at = from.at;
    return cube;
  }
  // Whether whoever reads the tensor of such a move can read it where its input is. What is in the
  // last atom beside its channels may be not 0: CONV leaves it out, and SDP and PDP compute each
  // channel for itself.
  constexpr bool is_readable_in_place(id n) const {
    if (!has_no_home(n) || (!part_of_input(n) && !is_map_of_vector(n))) return false;
    const id from = g_.inputs(n)[0];
    const bool is_image = g_.template get_if<quantised::input>(from) != nullptr &&
                          interleaved_input(hw_, g_, from, images_).has_value();
    if (is_image || tensors_.is_alias(from) || is_given_on_the_fly(from)) return false;
    const auto readers = g_.consumers(n);
    return std::none_of(readers.begin(), readers.end(), [&](id r) {
      return tensors_.is_alias(r) || g_.template get_if<quantised::on_host>(r);
    });
  }

  // A computed tensor that can stand anywhere.
  constexpr bool has_no_home(id n) const {
    return !g_.template get_if<quantised::input>(n) &&
           !g_.template get_if<quantised::constant>(n) && !found_[n] && !tensors_.is_output(n) &&
           !tensors_.is_in_pairs(n);
  }

  constexpr void take(id n, const layer::surface& cube) {
    result_.of[n] = cube;
    found_[n] = true;
  }

  // The bindings that the user sees, and copies for outputs that share one tensor. Both inputs and
  // outputs are in the order of their ids, as Graph::outputs() is.
  constexpr void bind() {
    std::vector<char> bound(to_.result.buffers.size(), false);
    std::vector<std::pair<id, layer::surface>> outputs;
    for (const id n : g_.order()) {
      if (const auto* in = g_.template get_if<quantised::input>(n)) {
        to_.result.inputs.push_back(binding_of(n, result_.of[n]));
        to_.result.inputs.back().pixels = in->pixels;
      }
      if (!g_.is_output(n)) continue;
      auto cube = result_.of[tensors_.origin(n)];
      const auto buffer = static_cast<std::size_t>(cube.at.buffer);
      const bool own = to_.result.buffers[buffer].memory == plan::memory::output;
      if (!own || bound[buffer]) {
        auto fresh = tensors_.packed(n, cube.shape);
        to_.begin_tensor(numbering_of(g_, n));
        fresh.at = to_.reserve(name_of(n), plan::memory::output, fresh.size);
        bound.resize(to_.result.buffers.size(), false);
        result_.copies.push_back({tensors_.origin(n), fresh});
        cube = fresh;
      }
      bound[static_cast<std::size_t>(cube.at.buffer)] = true;
      outputs.emplace_back(n, cube);
    }
    std::ranges::sort(outputs, {}, &std::pair<id, layer::surface>::first);
    for (const auto& [n, cube] : outputs) to_.result.outputs.push_back(binding_of(n, cube));
  }

  // The tensor that the user binds: called as in his file, of several tensors there as the first.
  constexpr plan::binding binding_of(id n, const layer::surface& cube) const {
    plan::binding b{
        .name = name_of(n), .surface = cube, .shape = g_.shape(n), .scale = g_.scale(n)};
    if constexpr (requires { g_.in_file(n); }) {
      b.in_file = g_.in_file(n);
      for (auto& form : b.in_file) {
        form.name = to_.named(form.name);
        form.place = to_.placed(form.place);
      }
      // A part is called as its layer.
      if (!b.in_file.empty() && !b.in_file.front().is_part()) b.name = b.in_file.front().name;
    }
    if constexpr (requires { g_.gain(n); }) b.gain = g_.gain(n);
    return b;
  }

  const hw::spec& hw_;
  const Graph& g_;
  assembly& to_;
  tensors<Graph> tensors_;
  const together_in_batch& batch_;
  int picture_;
  bool images_;
  allocation result_{};
  std::vector<char> found_{};  // flags: clang++-16 has no vector<bool> while compiling
};

template <integer_network Graph>
constexpr allocation allocate(const hw::spec& hw, const Graph& g, assembly& to,
                              std::span<const convolution_and_reader> together = {},
                              std::span<const sibling> siblings = {},
                              const together_in_batch& batch = {}, int picture = 0,
                              bool images = true) {
  return allocation_finder<Graph>(hw, g, to, together, siblings, batch, picture, images).find();
}

}  // namespace nvdlac::lower
