// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where each tensor of a network stands in memory.
#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/concat.hpp>
#include <nvdlac/net/integer/operators.hpp>

namespace nvdlac::lower {

struct homes {
  using id = net::integer::graph::id;

  std::vector<layer::surface> of;             // by node
  std::vector<layer::surface> staging;        // of concats
  std::vector<std::vector<bool>> in_place;    // of concats, by input
  // Outputs whose tensor cannot stand in the user's memory directly: copy from `of[node]` to `to`.
  struct extra_copy { id node; layer::surface to; };
  std::vector<extra_copy> copies;
};

// Gives every tensor its cube: inputs and outputs their own buffers; inputs of a concat a part of
// its cube where that is possible; reshapes the cube of their input.
template <class Hw>
class home_finder {
  using graph = net::integer::graph;
  using id = graph::id;

 public:
  home_finder(const graph& g, assembly& to) : g_(g), to_(to) {}

  homes find() {
    result_.of.resize(g_.size());
    result_.staging.resize(g_.size());
    result_.in_place.resize(g_.size());
    found_.assign(g_.size(), false);
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) settle(*n);
    for (const id n : order)
      if (is_alias(n)) {
        result_.of[n] = result_.of[origin(n)];
        if (g_[n].shape.h == 1 && g_[n].shape.w == 1 && result_.of[n].shape.h == 1 &&
            result_.of[n].shape.w == 1)
          result_.of[n].shape = g_[n].shape;
      }
    bind();
    return std::move(result_);
  }

 private:
  bool is_alias(id n) const { return std::holds_alternative<net::integer::reshape>(g_[n].op); }
  id origin(id n) const {
    while (is_alias(n)) n = g_.inputs(n).front();
    return n;
  }

  // The output whose memory the tensor can be computed into; the node itself or a reshape of it.
  bool is_output(id n) const {
    if (g_[n].output) return true;
    for (const id c : g_.consumers(n))
      if (is_alias(c) && is_output(c)) return true;
    return false;
  }

  void settle(id n) {
    const auto& node = g_[n];
    if (const auto* in = std::get_if<net::integer::input>(&node.op)) return settle_input(n, *in);
    if (const auto* c = std::get_if<net::integer::constant>(&node.op))
      return settle_constant(n, *c);
    if (is_alias(n)) return;
    const bytes atom = Hw::spec.atom();
    if (!found_[n]) {
      auto home = layer::packed(node.shape, atom);
      const auto where = is_output(n) ? plan::memory::output : plan::memory::features;
      home.at = to_.reserve(node.name, where, home.size);
      take(n, home);
    }
    if (const auto* op = std::get_if<net::integer::concat>(&node.op)) settle_concat(n, *op);
  }

  void settle_input(id n, const net::integer::input& in) {
    const auto& shape = in.shape;
    if (!in.pixels) {
      auto home = layer::packed(shape, Hw::spec.atom());
      home.at = to_.reserve(g_[n].name, plan::memory::input, home.size);
      return take(n, home);
    }
    // Three channels are stored as four, as in X8B8G8R8.
    const std::int32_t channels = shape.c == 1 ? 1 : 4;
    layer::surface home{.shape = {channels, shape.h, shape.w}};
    const auto line = static_cast<std::uint64_t>(shape.w) * static_cast<std::uint64_t>(channels);
    home.line_stride = static_cast<std::uint32_t>(align_up(line, 32));
    home.size = home.line_stride * static_cast<std::uint64_t>(shape.h);
    home.at = to_.reserve(g_[n].name, plan::memory::input, home.size);
    take(n, home);
  }

  void settle_constant(id n, const net::integer::constant& c) {
    const bytes atom = Hw::spec.atom();
    auto home = layer::packed(c.value.shape, atom);
    std::vector<std::uint8_t> content(home.size, std::uint8_t{0});
    for (std::int32_t k = 0; k < c.value.shape.c; ++k)
      for (std::int32_t y = 0; y < c.value.shape.h; ++y)
        for (std::int32_t x = 0; x < c.value.shape.w; ++x)
          content[layer::offset_of(home, atom, k, y, x)] =
              static_cast<std::uint8_t>(c.value.at(k, y, x));
    home.at = to_.keep(g_[n].name, std::move(content));
    take(n, home);
  }

  void settle_concat(id n, const net::integer::concat& op) {
    const bytes atom = Hw::spec.atom();
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_[i].shape);
    auto& staging = result_.staging[n];
    staging = result_.of[n];
    const auto offsets = aligned_offsets(shapes, atom);
    if (!concat_is_aligned(shapes, atom)) {
      staging = layer::packed({offsets.back(), g_[n].shape.h, g_[n].shape.w}, atom);
      staging.at = to_.reserve(g_[n].name + "/staging", plan::memory::features, staging.size);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const id from = origin(inputs[i]);
      const bool computed = !std::holds_alternative<net::integer::input>(g_[from].op) &&
                            !std::holds_alternative<net::integer::constant>(g_[from].op);
      const bool place = computed && !found_[from] && !is_output(from) && !op.multiplier[i] &&
                         g_[from].shape == shapes[i];
      result_.in_place[n].push_back(place);
      if (place) take(from, layer::part(staging, atom, offsets[i], 0, 0, shapes[i]));
    }
  }

  void take(id n, const layer::surface& home) {
    result_.of[n] = home;
    found_[n] = true;
  }

  // The bindings that the user sees, and copies for outputs that share one tensor.
  void bind() {
    std::vector<bool> bound(to_.result.buffers.size(), false);
    for (const id n : g_.order()) {
      const auto& node = g_[n];
      if (const auto* in = std::get_if<net::integer::input>(&node.op))
        to_.result.inputs.push_back({node.name, result_.of[n], node.shape, node.scale, in->pixels});
      if (!node.output) continue;
      auto home = result_.of[origin(n)];
      const auto buffer = static_cast<std::size_t>(home.at.buffer);
      const bool own = to_.result.buffers[buffer].memory == plan::memory::output;
      if (!own || bound[buffer]) {
        auto fresh = layer::packed(home.shape, Hw::spec.atom());
        fresh.at = to_.reserve(node.name, plan::memory::output, fresh.size);
        bound.resize(to_.result.buffers.size(), false);
        result_.copies.push_back({origin(n), fresh});
        home = fresh;
      }
      bound[static_cast<std::size_t>(home.at.buffer)] = true;
      to_.result.outputs.push_back({node.name, home, node.shape, node.scale, {}});
    }
  }

  const graph& g_;
  assembly& to_;
  homes result_{};
  std::vector<bool> found_{};
};

}  // namespace nvdlac::lower
