// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/batch.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// What lowering asks of a network: quantised::graph at run time, and net::network of integer
// operators while compiling. `order()` gives producers first; `visit(n, f)` calls f(operator of n).
template <class T>
concept integer_network = requires(const T& g, std::size_t n) {
  { g.size() } -> std::convertible_to<std::size_t>;
  { g.order()[n] } -> std::convertible_to<std::size_t>;
  { g.inputs(n)[0] } -> std::convertible_to<std::size_t>;
  { g.consumers(n)[0] } -> std::convertible_to<std::size_t>;
  { g.label_of(n) } -> std::convertible_to<std::string_view>;
  { g.shape(n) } -> std::same_as<net::shape>;
  { g.scale(n) } -> std::same_as<double>;
  { g.zero(n) } -> std::same_as<std::int32_t>;
  { g.precision(n) } -> std::same_as<hw::precision>;
  { g.is_output(n) } -> std::same_as<bool>;
  { g.template get_if<quantised::input>(n) } -> std::same_as<const quantised::input*>;
  g.visit(n, [](const auto&) {});
};

// Where each tensor of a network stands in memory.
struct homes {
  using id = std::size_t;

  std::vector<layer::surface> of;             // by node
  std::vector<layer::surface> staging;        // of concats, and of moves that Rubik makes
  std::vector<std::vector<char>> in_place;    // flags of these, by input or turn
  // Outputs whose tensor cannot stand in the user's memory directly: copy from `of[node]` to `to`.
  struct extra_copy { id node; layer::surface to; };
  std::vector<extra_copy> copies;
  // By node: of a convolution, the pooling that is computed with it, and the other way round; of
  // any other node, itself. Such a convolution's tensor is nowhere.
  std::vector<id> together;
};

// Gives every tensor its cube: inputs and outputs their own buffers; inputs of a concat, and of a
// move that Rubik makes, a part of its cube where that is possible; reshapes the cube of their
// input. A convolution that is computed together with the pooling behind it has none.
template <class Hw, integer_network Graph>
class home_finder {
  using id = homes::id;

 public:
  // `batch`: which cubes a picture shares with the others; `images`: whether inputs of int8 values
  // may stand as pixels.
  constexpr home_finder(const Graph& g, assembly& to,
                        std::span<const convolution_and_pooling> poolings,
                        const together_in_batch& batch, int picture, bool images)
      : g_(g), to_(to), batch_(batch), picture_(picture), images_(images) {
    for (id n = 0; n < g.size(); ++n) result_.together.push_back(n);
    for (const auto& p : poolings)
      if (p.why == apart::none) {
        result_.together[p.convolution] = p.pooling;
        result_.together[p.pooling] = p.convolution;
      }
  }

  constexpr homes find() {
    result_.of.resize(g_.size());
    result_.staging.resize(g_.size());
    result_.in_place.resize(g_.size());
    found_.assign(g_.size(), false);
    for (id n = 0; n < batch_.cubes.size(); ++n)
      if (batch_.has_cube(n) && !g_.template get_if<quantised::input>(n))
        take(n, of_picture<Hw>(batch_.cubes[n], g_.shape(n), picture_));
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) settle(*n);
    for (const id n : order)
      if (is_alias(n)) {
        result_.of[n] = result_.of[origin(n)];
        if (g_.shape(n).h == 1 && g_.shape(n).w == 1 && result_.of[n].shape.h == 1 &&
            result_.of[n].shape.w == 1)
          result_.of[n].shape = g_.shape(n);
      }
    bind();
    return std::move(result_);
  }

 private:
  constexpr label name_of(id n) const { return to_.named(g_.label_of(n)); }
  constexpr bool is_alias(id n) const {
    return g_.template get_if<quantised::reshape>(n) != nullptr;
  }
  constexpr bool is_given_on_the_fly(id n) const {
    return result_.together[n] != n &&
           g_.template get_if<quantised::convolution>(n) != nullptr;
  }
  constexpr id origin(id n) const {
    while (is_alias(n)) n = g_.inputs(n).front();
    return n;
  }

  // The output whose memory the tensor can be computed into; the node itself or a reshape of it.
  constexpr bool is_output(id n) const {
    if (g_.is_output(n)) return true;
    for (const id c : g_.consumers(n))
      if (is_alias(c) && is_output(c)) return true;
    return false;
  }

  constexpr layer::surface packed(id n, net::shape shape) const {
    auto home = layer::packed(shape, Hw::spec.atom(), {}, g_.precision(n));
    if (is_in_pairs(n))
      home.size = align_up(home.size, 2 * std::uint64_t{home.surface_stride});
    return home;
  }

  // The surfaces of each line beside each other where only convolutions read the tensor, and one of
  // them then takes fewer cycles.
  constexpr layer::surface arranged(id n) const {
    const auto home = packed(n, g_.shape(n));
    auto in_lines = home;
    in_lines.surface_stride = home.line_stride;
    in_lines.line_stride *= static_cast<std::uint32_t>(
        layer::surfaces(home.shape, Hw::spec.atom(), home.precision));
    bool faster = false;
    for (const id c : g_.consumers(n)) {
      const auto* op = g_.template get_if<quantised::convolution>(c);
      if (op == nullptr) return home;
      faster = faster || (op->groups == 1 && !op->winograd && g_.inputs(c)[0] == n &&
                          split_as_image<Hw>(in_lines, g_.shape(c), op->window));
    }
    return faster ? in_lines : home;
  }

  // Whether SDP reads or writes surfaces of 16 bits in pairs, one pair for each surface of int8.
  constexpr bool is_in_pairs(id n) const {
    if (g_.precision(n) == hw::precision::int8) return false;
    if (g_.template get_if<quantised::convert>(n) != nullptr &&
        g_.precision(g_.inputs(n)[0]) == hw::precision::int8)
      return true;
    for (const id c : g_.consumers(n)) {
      const bool to_int8 = g_.template get_if<quantised::convert>(c) != nullptr &&
                           g_.precision(c) == hw::precision::int8;
      if (to_int8 || (is_alias(c) && is_in_pairs(c))) return true;
    }
    return false;
  }

  constexpr void settle(id n) {
    to_.begin_tensor({g_.scale(n), g_.zero(n)});
    if (const auto* in = g_.template get_if<quantised::input>(n)) return settle_input(n, *in);
    if (const auto* c = g_.template get_if<quantised::constant>(n))
      return settle_constant(n, *c);
    if (is_alias(n) || is_given_on_the_fly(n)) return;
    if (!found_[n]) {
      auto home = is_output(n) ? packed(n, g_.shape(n)) : arranged(n);
      const auto where = is_output(n) ? plan::memory::output : plan::memory::features;
      home.at = to_.reserve(name_of(n), where, home.size);
      take(n, home);
    }
    if (const auto* op = g_.template get_if<quantised::concat>(n)) settle_concat(n, *op);
    if (Hw::spec.rubik)
      if (const auto* op = g_.template get_if<quantised::move>(n)) settle_move(n, *op);
  }

  constexpr void settle_input(id n, const quantised::input& in) {
    const auto image = interleaved_input<Hw>(g_, n, images_);
    auto home = image ? *image : packed(n, in.shape);
    home.at = to_.reserve(name_of(n), plan::memory::input, home.size);
    take(n, home);
  }

  constexpr void settle_constant(id n, const quantised::constant& c) {
    const bytes atom = Hw::spec.atom();
    auto home = packed(n, c.shape);
    const auto write = [&](std::uint8_t* cube) {
      for (std::int32_t k = 0; k < c.shape.c; ++k)
        for (std::int32_t y = 0; y < c.shape.h; ++y)
          for (std::int32_t x = 0; x < c.shape.w; ++x) {
            const auto to = layer::offset_of(home, atom, k, y, x);
            const auto i = c.shape.at(k, y, x);
            if (c.values.empty()) put_two_bytes(c.wide_values[i], cube + to);
            else cube[to] = static_cast<std::uint8_t>(c.values[i]);
          }
    };
    const bool known = c.values.known() && c.wide_values.known();
    home.at = to_.keep_trained(name_of(n), home.size, known, write);
    take(n, home);
  }

  constexpr void settle_concat(id n, const quantised::concat& op) {
    const bytes atom = Hw::spec.atom();
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_.shape(i));
    auto& staging = result_.staging[n];
    staging = result_.of[n];
    const auto lanes = layer::lanes_of(atom, g_.precision(n));
    const auto offsets = aligned_offsets(shapes, lanes);
    if (!concat_is_aligned(shapes, lanes)) {
      staging = packed(n, {offsets.back(), g_.shape(n).h, g_.shape(n).w});
      staging.at = to_.reserve(label(name_of(n), "/staging"), plan::memory::features,
                               staging.size);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const id from = origin(inputs[i]);
      const bool place = !op.multiplier[i] && has_no_home(from) && g_.shape(from) == shapes[i];
      result_.in_place[n].push_back(place);
      if (place) take(from, layer::part(staging, atom, offsets[i], 0, 0, shapes[i]));
    }
  }

  constexpr void settle_move(id n, const quantised::move& op) {
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_.shape(i));
    const auto i = find_interleaving<Hw>({op.boxes.data(), op.boxes.size()}, op.target, shapes,
                                       g_.precision(n));
    if (!i || i.is_stacked()) return;
    std::vector<id> owner;  // of each turn; n: it is copied
    for (const auto& t : i.turns) {
      const id from = t.input < 0 ? n : origin(inputs[static_cast<std::size_t>(t.input)]);
      const bool again = std::find(owner.begin(), owner.end(), from) != owner.end();
      const bool place = from != n && !again && has_no_home(from) && g_.shape(from) == i.group;
      owner.push_back(place ? from : n);
    }
    if (!i.saves_layers(static_cast<std::size_t>(std::count(owner.begin(), owner.end(), n))))
      return;
    auto& staging = result_.staging[n];
    staging = packed(n, i.stacked());
    staging.at =
        to_.reserve(label(name_of(n), "/turns"), plan::memory::features, staging.size);
    for (std::size_t t = 0; t < owner.size(); ++t) {
      result_.in_place[n].push_back(owner[t] != n);
      if (owner[t] != n)
        take(owner[t], layer::part(staging, Hw::spec.atom(), i.channel_of(t), 0, 0, i.group));
    }
  }

  // A computed tensor that can stand anywhere.
  constexpr bool has_no_home(id n) const {
    return !g_.template get_if<quantised::input>(n) &&
           !g_.template get_if<quantised::constant>(n) && !found_[n] && !is_output(n) &&
           !is_in_pairs(n);
  }

  constexpr void take(id n, const layer::surface& home) {
    result_.of[n] = home;
    found_[n] = true;
  }

  // The bindings that the user sees, and copies for outputs that share one tensor.
  constexpr void bind() {
    std::vector<char> bound(to_.result.buffers.size(), false);
    for (const id n : g_.order()) {
      if (const auto* in = g_.template get_if<quantised::input>(n)) {
        to_.result.inputs.push_back(binding_of(n, result_.of[n]));
        to_.result.inputs.back().pixels = in->pixels;
      }
      if (!g_.is_output(n)) continue;
      auto home = result_.of[origin(n)];
      const auto buffer = static_cast<std::size_t>(home.at.buffer);
      const bool own = to_.result.buffers[buffer].memory == plan::memory::output;
      if (!own || bound[buffer]) {
        auto fresh = packed(n, home.shape);
        to_.begin_tensor({g_.scale(n), g_.zero(n)});
        fresh.at = to_.reserve(name_of(n), plan::memory::output, fresh.size);
        bound.resize(to_.result.buffers.size(), false);
        result_.copies.push_back({origin(n), fresh});
        home = fresh;
      }
      bound[static_cast<std::size_t>(home.at.buffer)] = true;
      to_.result.outputs.push_back(binding_of(n, home));
    }
  }

  // What the user binds: called as in his file, of several tensors there as the first.
  constexpr plan::binding binding_of(id n, const layer::surface& home) const {
    plan::binding b{
        .name = name_of(n), .surface = home, .shape = g_.shape(n), .scale = g_.scale(n)};
    if constexpr (requires { g_.in_file(n); }) {
      b.in_file = g_.in_file(n);
      for (auto& form : b.in_file) {
        form.name = to_.named(form.name);
        form.place = to_.placed(form.place);
      }
      if (!b.in_file.empty()) b.name = b.in_file.front().name;
    }
    return b;
  }

  const Graph& g_;
  assembly& to_;
  const together_in_batch& batch_;
  int picture_;
  bool images_;
  homes result_{};
  std::vector<char> found_{};  // flags: clang++-16 has no vector<bool> while compiling
};

template <class Hw, integer_network Graph>
constexpr homes find_homes(const Graph& g, assembly& to,
                           std::span<const convolution_and_pooling> poolings = {},
                           const together_in_batch& batch = {}, int picture = 0,
                           bool images = true) {
  return home_finder<Hw, Graph>(g, to, poolings, batch, picture, images).find();
}

}  // namespace nvdlac::lower
