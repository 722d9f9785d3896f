// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of one element that a network spells out in several layers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// A function that the operators know, times a factor.
struct scaled_function {
  net::activation function{};
  double factor = 1;
};

// The places at which functions are compared: 1, -1 and 8, from -8 to 8 in steps that are no power
// of 2, and some of up to 80.
net::float_tensor compared_places();

// Whether this function is one of those of which others are spelled, without steps and bounds of
// its own, which could stand between the places or beyond.
bool is_smooth(net::function f);

// The function that has these values at the places, to 1e-4 of a value, or of its factor where that
// is larger. Files write its constants in few digits.
std::optional<scaled_function> function_of(const net::float_tensor& values);

// The places at which a function with bounds is compared: those above, and some of up to 1e5.
net::float_tensor places_of_bounds();
// The function with bounds that has these values there: h-swish, or nothing.
std::optional<scaled_function> bounded_function_of(const net::float_tensor& values);

// The parts of a composed function that this operator adds, whose inputs are the values `first` and
// `second`, where so many parts are before it; nothing: it has none.
template <class Op>
std::vector<net::function_part> parts_of(const Op& op, std::uint8_t first, std::uint8_t second,
                                         std::size_t before) {
  using enum net::function_part::part_kind;
  std::vector<net::function_part> parts;
  [[maybe_unused]] const auto add = [&](net::function_part p) {
    p.first = parts.empty() ? first : static_cast<std::uint8_t>(before + parts.size());
    p.second = parts.empty() ? second : p.first;
    parts.push_back(p);
  };
  [[maybe_unused]] constexpr float most = std::numeric_limits<float>::max();
  [[maybe_unused]] const auto at_least_0 = [&] {
    add({.kind = bounded, .alpha = 0, .beta = most});
  };
  if constexpr (std::is_same_v<Op, net::activation>) {
    if (op.function == net::function::composed) return {};
    add({.kind = function, .function = op.function, .alpha = op.alpha, .beta = op.beta,
         .gamma = op.gamma});
  } else if constexpr (std::is_same_v<Op, net::scale>) {
    add({.kind = line, .alpha = op.factor.empty() ? 1 : op.factor[0],
         .beta = op.bias.empty() ? 0 : op.bias[0]});
  } else if constexpr (std::is_same_v<Op, net::prelu>) {
    add({.kind = bent, .alpha = op.slope.at(0)});
  } else if constexpr (std::is_same_v<Op, net::clip>) {
    add({.kind = bounded, .alpha = std::max(op.low, -most), .beta = std::min(op.high, most)});
  } else if constexpr (std::is_same_v<Op, net::relu>) {
    at_least_0();
  } else if constexpr (std::is_same_v<Op, net::add>) {
    add({.kind = sum, .alpha = op.coefficients[0], .beta = op.coefficients[1]});
  } else if constexpr (std::is_same_v<Op, net::multiply>) {
    add({.kind = product});
  } else if constexpr (std::is_same_v<Op, net::extremum>) {
    add({.kind = op.kind == net::extremum_kind::maximum ? maximum : minimum});
  }
  if constexpr (requires { op.relu; })
    if (op.relu && !parts.empty()) at_least_0();
  return parts;
}

// Whether a table can hold the function: it has a value at all places that functions are compared
// at, not one throughout.
bool is_held(const net::activation& f);

// Layers that compute one element of their result from one of a single tensor become one
// activation under the name of the last, where all of them `may`: x * sigmoid(x) is SiLU,
// x * tanh(softplus(x)) mish, and x * (1 + erf(x / sqrt(2))) / 2, as PyTorch writes it to ONNX,
// GELU. Values tell which function they compute, so that it does not matter how a file writes it.
// Others of two functions or products and more, such as log(x * x + c), become a composed one; what
// bounds its source or its result stays, as the tensors then have the range within the bounds, and
// the function needs a value within them alone. So do products alone, such as x * x * x - x, where
// one look-up takes no longer. A square or another product that others read as well is computed
// for these, and in the function once more.
// It is for hardware that has tables, and for int8, of which a table has all values, rounded once;
// one of 16 bits would interpolate. H-swish, x * min(max(x + 3, 0), 6) / 6, which SDP computes
// without a table, becomes one behind convolutions whose MACs hide its look-up.
struct join_gates {
  static constexpr std::string_view name = "join_gates";
  static constexpr std::string_view description =
      "look SiLU, GELU, mish and the like up in one table where a file writes them as products of "
      "x and a function of x (int8), and h-swish where that costs a convolution no time";

  using choice = std::function<bool(const std::string& layer)>;
  // Whether a look-up behind a convolution, from its input's shape to its output's, costs no time.
  using hiding = std::function<bool(const net::convolution&, net::shape, net::shape)>;
  // Whether a look-up of all elements takes no longer than so many products and sums of tensors.
  using saving = std::function<bool(net::shape, std::size_t joints)>;

  template <class Graph>
  static void run(Graph& g, const choice& may, const hiding& hides = {},
                  const saving& saves = {}) {
    const auto order = g.order();
    std::vector<std::size_t> place(g.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    rewriter<Graph> r(g);
    // The last layers first, so that a factor behind a product belongs to its function.
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (r.removed(*n)) continue;
      const auto found = spelled_out(g, *n, place, may, hides, saves);
      if (found && (found->of.factor == 1 || may(factorless(g[*n].name))))
        replace(g, r, *n, *found);
    }
    r.finish();
    net::infer_shapes(g, net::check_constants::no);
  }

 private:
  // Layers of one function: GELU by tanh, the longest in use, has eight or nine.
  static constexpr std::size_t most_layers = 12;
  // The name of a function whose factor is the layer of this name.
  static std::string factorless(const std::string& layer) { return layer + "/function"; }

  template <class Graph>
  struct function_at {
    typename Graph::id source;
    scaled_function of;
  };

  // Whether node n computes each element of one or two tensors of its own shape, in the same way
  // for all channels.
  template <class Graph>
  static bool is_pointwise(const Graph& g, typename Graph::id n) {
    for (const auto i : g.inputs(n))
      if (g[i].shape != g[n].shape) return false;
    const auto all_alike = [](const std::vector<float>& values) {
      return std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
    };
    if (const auto* s = as<net::scale>(g, n)) return all_alike(s->factor) && all_alike(s->bias);
    if (const auto* p = as<net::prelu>(g, n)) return all_alike(p->slope);
    return as<net::activation>(g, n) || as<net::relu>(g, n) || as<net::clip>(g, n) ||
           as<net::add>(g, n) || as<net::multiply>(g, n) || as<net::extremum>(g, n);
  }
  // Whether it has steps or bounds between which functions are not compared.
  template <class Graph>
  static bool is_rough(const Graph& g, typename Graph::id n) {
    const auto* a = as<net::activation>(g, n);
    return as<net::clip>(g, n) || as<net::extremum>(g, n) || (a && !is_smooth(a->function));
  }
  // Whether it only cuts off or bends what it reads, as SDP does behind the layer before it, whose
  // tensor then has the range of the result.
  template <class Graph>
  static bool only_bounds(const Graph& g, typename Graph::id n) {
    return as<net::relu>(g, n) || as<net::clip>(g, n) || as<net::prelu>(g, n);
  }

  // The least and the largest value that node n can have, where its operator says so.
  template <class Graph>
  static std::optional<net::clip> bounds_of(const Graph& g, typename Graph::id n) {
    constexpr float most = std::numeric_limits<float>::max();
    if (as<net::softmax>(g, n) != nullptr) return net::clip{0, 1};
    if (const auto* c = as<net::clip>(g, n))
      return net::clip{std::max(c->low, -most), std::min(c->high, most)};
    if (const auto* a = as<net::activation>(g, n)) {
      if (a->function == net::function::sigmoid) return net::clip{0, 1};
      if (a->function == net::function::softplus || a->function == net::function::exponential)
        return net::clip{0, most};
    }
    const auto in = g.inputs(n);
    const bool is_square = as<net::multiply>(g, n) != nullptr && in[0] == in[1];
    if (is_square || as<net::relu>(g, n) != nullptr || has_relu(g, n)) return net::clip{0, most};
    if (as<net::pool>(g, n) == nullptr) return std::nullopt;
    auto inner = bounds_of(g, in[0]);
    if (inner) {  // zeros of the padding
      inner->low = std::min(inner->low, 0.0F);
      inner->high = std::max(inner->high, 0.0F);
    }
    return inner;
  }
  template <class Graph>
  static bool has_relu(const Graph& g, typename Graph::id n) {
    return nvdlac::visit([](const auto& op) {
      if constexpr (requires { op.relu; }) return static_cast<bool>(op.relu);
      else return false;
    }, g[n].op);
  }

  // The function that the layers, listed from the last one on, compute of the source, within what
  // bounds it where it has no value beyond; nothing: no table holds it.
  template <class Graph>
  static std::optional<net::activation> composed(const Graph& g, typename Graph::id source,
                                                 std::span<const typename Graph::id> layers) {
    if (auto f = composed_within(g, source, layers, std::nullopt)) return f;
    const auto bounds = bounds_of(g, source);
    return bounds ? composed_within(g, source, layers, bounds) : std::nullopt;
  }
  template <class Graph>
  static std::optional<net::activation> composed_within(const Graph& g, typename Graph::id source,
                                                        std::span<const typename Graph::id> layers,
                                                        const std::optional<net::clip>& bounds) {
    net::activation f{.function = net::function::composed};
    if (bounds) f.parts = parts_of(*bounds, 0, 0, 0);
    std::map<typename Graph::id, std::uint8_t> values{
        {source, static_cast<std::uint8_t>(f.parts.size())}};
    for (auto n = layers.rbegin(); n != layers.rend(); ++n) {
      const auto in = g.inputs(*n);
      const auto parts = nvdlac::visit([&](const auto& op) {
        return parts_of(op, values.at(in[0]), values.at(in.back()), f.parts.size());
      }, g[*n].op);
      if (parts.empty()) return std::nullopt;
      f.parts.insert(f.parts.end(), parts.begin(), parts.end());
      if (f.parts.size() > net::activation::most_parts) return std::nullopt;
      values[*n] = static_cast<std::uint8_t>(f.parts.size());
    }
    return is_held(f) ? std::optional(std::move(f)) : std::nullopt;
  }

  // The function whose last layer is n, and the tensor of which it is one.
  template <class Graph>
  static std::optional<function_at<Graph>> spelled_out(const Graph& g, typename Graph::id n,
                                                       const std::vector<std::size_t>& place,
                                                       const choice& may, const hiding& hides,
                                                       const saving& saves) {
    using id = typename Graph::id;
    const auto comes_later = [&](id a, id b) { return place[a] > place[b]; };
    std::set<id, decltype(comes_later)> open({n}, comes_later);
    std::vector<id> layers;
    std::size_t functions = 0, joints = 0, products = 0, rough = 0;
    bool shares = false;  // whether others read a layer before the last one
    std::optional<function_at<Graph>> whole;  // composed of as many layers as can be
    while (layers.size() < most_layers) {
      const id next = *open.begin();
      const auto is_inside = [&](id reader) {
        return std::ranges::find(layers, reader) != layers.end();
      };
      if (!is_pointwise(g, next) || !may(g[next].name)) break;
      const bool looks_up = as<net::activation>(g, next) != nullptr;
      if (next != n && (g[next].output || !std::ranges::all_of(g.consumers(next), is_inside))) {
        if (looks_up) break;
        shares = true;
      }
      layers.push_back(next);
      functions += looks_up;
      joints += g.inputs(next).size() > 1;
      products += as<net::multiply>(g, next) != nullptr;
      rough += is_rough(g, next);
      open.erase(open.begin());
      open.insert(g.inputs(next).begin(), g.inputs(next).end());
      if (open.size() > 1) continue;
      const id source = *open.begin();
      if (shares && !is_stored(g, source, std::span<const id>(layers))) continue;
      std::optional<scaled_function> f;
      const bool is_polynomial = functions == 0 && products != 0 && joints >= 2 && saves &&
                                 saves(g[n].shape, joints);
      const bool is_chain = is_polynomial || (functions != 0 && functions + joints >= 2);
      if (rough == 0 && functions != 0 && is_chain)
        f = function_of(values_of(g, source, layers, compared_places()));
      if (functions == 0 && joints != 0 && !shares && !g[source].output &&
          std::ranges::all_of(g.consumers(source), is_inside) && is_hidden(g, source, hides))
        f = bounded_function_of(values_of(g, source, layers, places_of_bounds()));
      if (f) return {{source, *f}};
      if (!is_chain || only_bounds(g, n) ||
          std::ranges::all_of(g.consumers(source), [&](id reader) {
            return !is_inside(reader) || only_bounds(g, reader);
          }))
        continue;
      if (auto all = composed(g, source, std::span<const id>(layers)))
        whole = {source, {.function = std::move(*all)}};
    }
    return whole;
  }

  // Whether node n is a tensor in memory, whatever becomes of these layers: an input, an output,
  // and what others read as well, or two of them, or one twice.
  template <class Graph>
  static bool is_stored(const Graph& g, typename Graph::id n,
                        std::span<const typename Graph::id> layers) {
    if (is_input(g, n) || g[n].output || g.uses(n) > 1) return true;
    return std::ranges::any_of(g.consumers(n), [&](auto reader) {
      return std::ranges::find(layers, reader) == layers.end();
    });
  }

  // Whether node n is a convolution behind which a look-up costs no time.
  template <class Graph>
  static bool is_hidden(const Graph& g, typename Graph::id n, const hiding& hides) {
    const auto* c = as<net::convolution>(g, n);
    return hides && c != nullptr && g.inputs(n).size() == 1 &&
           hides(*c, g[g.inputs(n)[0]].shape, g[n].shape);
  }

  // The values that the layers, listed from the last one on, make of the places.
  template <class Graph>
  static net::float_tensor values_of(const Graph& g, typename Graph::id source,
                                     std::span<const typename Graph::id> layers,
                                    net::float_tensor places) {
    std::map<typename Graph::id, net::float_tensor> values{{source, std::move(places)}};
    for (auto n = layers.rbegin(); n != layers.rend(); ++n) {
      std::vector<const net::float_tensor*> in;
      for (const auto i : g.inputs(*n)) in.push_back(&values.at(i));
      const auto evaluate = [&](const auto& op) -> net::float_tensor {
        if constexpr (requires { op.evaluate(in); }) return of_a_channel(op).evaluate(in);
        else return {};
      };
      values.insert_or_assign(*n, nvdlac::visit(evaluate, g[*n].op));
    }
    return values.at(layers.front());
  }

  // A pointwise operator as it computes a single channel.
  template <class Op>
  static Op of_a_channel(Op op) {
    if constexpr (std::is_same_v<Op, net::scale>) {
      op.factor.resize(1);
      op.bias.resize(std::min<std::size_t>(op.bias.size(), 1));
    }
    if constexpr (std::is_same_v<Op, net::prelu>) op.slope.resize(1);
    return op;
  }

  template <class Graph>
  static void replace(Graph& g, rewriter<Graph>& r, typename Graph::id n,
                      const function_at<Graph>& f) {
    auto from = f.source;
    if (f.of.factor == 1) {
      g[n].op = f.of.function;
    } else {
      from = r.add(factorless(g[n].name), f.of.function, {from});
      g[n].op = net::scale{.factor = {static_cast<float>(f.of.factor)}};
    }
    r.set_inputs(n, {from});
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/join_gates.ipp>
#endif
