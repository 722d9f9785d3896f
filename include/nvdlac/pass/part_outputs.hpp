// SPDX-License-Identifier: Apache-2.0
#pragma once
// Outputs that only bring tensors together, such as the boxes and scores of a detector.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

namespace detail {

// Where an element of a tensor that only moves elements comes from: which input, and its number
// there in dense c-h-w order.
struct element_origin {
  std::size_t input = 0;
  std::int32_t element = 0;
};

// The origins of all elements of m, whose inputs have these shapes; none where some are filled in.
std::vector<element_origin> origins_of(const net::move& m, std::span<const net::shape> in);
// The origins where elements of inputs stand one behind the other, as in a concat or a reshape.
std::vector<element_origin> origins_of(std::span<const net::shape> in);

// The form of each input in the user's file, where a cube of these origins is `form`; nothing where
// nested steps do not meet each element of each input once.
std::optional<std::vector<net::file_tensor>> parts_of(const net::file_tensor& form,
                                                      std::span<const element_origin> from,
                                                      std::span<const net::shape> in);

}  // namespace detail

// A concatenation of channels, lines or columns that ends in an output of the user's file, and
// which no layer reads, is left to whoever reads the output. The tensors that it brings together
// are outputs, each with a scale of its own; reshapes behind it and moves before it vanish with it.
struct part_outputs {
  static constexpr std::string_view name = "part_outputs";
  static constexpr std::string_view description =
      "leave a concatenation that ends in an output to whoever reads it";
  static constexpr std::size_t most_outputs = 64;  // of the network, then

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    auto open = g.outputs();
    while (!open.empty()) {
      const auto n = open.back();
      open.pop_back();
      if (!g[n].output || g[n].in_file.empty() || !g.consumers(n).empty() || !is_left(g, n))
        continue;
      const std::vector<typename Graph::id> parts(g.inputs(n).begin(), g.inputs(n).end());
      if (!leave(g, n)) continue;
      r.remove(n);
      open.insert(open.end(), parts.begin(), parts.end());
    }
    r.finish();
  }

 private:
  template <class Graph>
  static bool is_reshape(const Graph& g, typename Graph::id n) {
    return as<net::reshape>(g, n) || as<net::flatten>(g, n) || as<net::identity>(g, n);
  }
  // Whether a node brings tensors together, or stands between such a one and the output.
  template <class Graph>
  static bool is_left(const Graph& g, typename Graph::id n) {
    const bool moves = as<net::move>(g, n) != nullptr;
    if (as<net::concat>(g, n) || (moves && g.inputs(n).size() > 1)) return g.inputs(n).size() > 1;
    if (moves && is_part(g, n)) return true;
    if (!moves && !is_reshape(g, n)) return false;
    const auto above = g.inputs(n)[0];
    return g.consumers(above).size() == 1 && !g[above].output &&
           (is_part(g, n) ? as<net::move>(g, above) != nullptr || is_left(g, above)
                          : is_left(g, above));
  }
  template <class Graph>
  static bool is_part(const Graph& g, typename Graph::id n) {
    return std::ranges::any_of(g[n].in_file, [](const auto& form) { return form.is_part(); });
  }
  // Makes outputs of what n reads, which it is part by part.
  template <class Graph>
  static bool leave(Graph& g, typename Graph::id n) {
    const std::vector<typename Graph::id> inputs(g.inputs(n).begin(), g.inputs(n).end());
    std::vector<net::shape> shapes;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto i = inputs[k];
      if (g.inputs(i).empty() || std::count(inputs.begin(), inputs.end(), i) > 1 ||
          (g[i].output && g[i].in_file.empty()))
        return false;
      shapes.push_back(g[i].shape);
    }
    if (g.outputs().size() + inputs.size() > most_outputs + 1) return false;
    const auto* m = as<net::move>(g, n);
    const auto origins = m ? detail::origins_of(*m, shapes) : detail::origins_of(shapes);
    std::vector<std::vector<net::file_tensor>> forms;  // by tensor of the file, then by input
    for (const auto& form : g[n].in_file) {
      auto parts = detail::parts_of(form, origins, shapes);
      if (!parts) return false;
      forms.push_back(std::move(*parts));
    }
    g[n].output = false;
    g[n].in_file.clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      g[inputs[k]].output = true;
      for (auto& of_inputs : forms) g[inputs[k]].in_file.push_back(std::move(of_inputs[k]));
    }
    return true;
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/part_outputs.ipp>
#endif
