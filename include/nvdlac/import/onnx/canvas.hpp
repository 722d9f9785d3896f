// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::onnx_format {

// The integers that stand for real numbers in a file: real = scale * (integer - zero).
struct grid {
  float scale = 0;            // 0: not told yet, for the integers of an input
  std::int64_t zero = 0;
  std::int64_t least = 0, most = 0;  // of the integers' type

  bool operator==(const grid&) const = default;
  double low() const { return double{scale} * static_cast<double>(least - zero); }
  double high() const { return double{scale} * static_cast<double>(most - zero); }
  // The smallest symmetric scale whose int8 values reach both ends.
  double symmetric() const { return std::max(low() / -128, high() / 127); }
};

// Numbers of a type of integers that stand for themselves, such as bytes of a picture or places of
// maxima: NVDLA computes with them as with real numbers.
struct whole_numbers {
  std::int64_t type = 0;             // of the file's tensor, as TensorProto numbers it
  std::int64_t least = 0, most = 0;  // between which they lie

  bool operator==(const whole_numbers&) const = default;
};

// A tensor that the network computes: a node of the graph, seen under a shape of the file and,
// when `from` is set, with its elements moved. NVDLA moves no elements by itself, so movements are
// kept back until a layer needs the tensor: most of them cancel out, and a fully connected layer
// takes any of them into its weights.
struct computed {
  assembly::id node;
  dims shape;                                 // as the file counts dimensions, the batch being 1
  std::shared_ptr<const element_map> from{};  // empty: the dense c-h-w order of the node's cube
  std::string moved_by{};                     // the node of the file that moved the elements
  std::shared_ptr<const grid> integers{};     // set where the file holds integers
  std::optional<whole_numbers> whole{};       // set where those stand for themselves
  // Set where the file holds integers in steps of a scale that depends on the picture, until they
  // are multiplied by it: the name of that scale.
  std::shared_ptr<const std::string> awaits{};
};

// A value of the file. `broken` comes out of a node with a problem, which is reported already.
struct broken {};
using value = std::variant<broken, std::shared_ptr<const array>, computed>;

// The shape behind a movement, for a tensor that the network computes.
inline computed moved(const computed& x, const movement& m, const std::string& by,
                      const net::shape& cube) {
  computed y{x.node, m.shape, x.from, x.moved_by};
  if (!m.from) return y;
  element_map from(m.from->size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto source = (*m.from)[i];
    from[i] = source < 0 || !x.from ? source : (*x.from)[static_cast<std::size_t>(source)];
  }
  bool dense = from.size() == cube.size();
  for (std::size_t i = 0; dense && i < from.size(); ++i) dense = std::cmp_equal(from[i], i);
  y.from = dense ? nullptr : std::make_shared<const element_map>(std::move(from));
  y.moved_by = by;
  return y;
}

// The cube that a shape of the file stands for: [1, c, h, w], [c, h, w], [1, c, l], [1, n], [c, l]
// or [n]. Of more dimensions, such as those of a detector's anchors, all between the channels and
// the last one are its lines.
inline net::shape cube_of(const dims& d) {
  const auto fail = [&](const char* why) -> error {
    return error(problem{.reason = text("a tensor of shape ", to_text(d), " ", why),
                         .remedy = "tensors are [1, channels, height, width] or [1, features]"});
  };
  if (d.size() == 3 && d[0] != 1) return net::checked_shape(d[0], d[1], d[2]);
  if (d.size() == 2 && d[0] != 1) return net::checked_shape(d[0], d[1], 1);
  if (d.size() > 1 && d[0] != 1) throw fail("holds more than one picture");
  if (d.empty()) return net::checked_shape(1, 1, 1);
  if (d.size() == 1) return net::checked_shape(d[0], 1, 1);
  if (d.size() > 4)
    return net::checked_shape(d[1], count(dims(d.begin() + 2, d.end() - 1)), d.back());
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

// Throws where a tensor has dimensions that its cube does not tell apart.
inline void require_cube(const dims& d) {
  if (d.size() > 4)
    throw error(problem{.reason = text("a tensor of shape ", to_text(d),
                                       " has more than 4 dimensions"),
                        .remedy = "tensors are [1, channels, height, width] or [1, features]"});
}

inline std::int32_t as_int32(std::int64_t n, const char* what) {
  if (n < 0 || n > net::max_elements) throw error(text(what, " is ", n));
  return static_cast<std::int32_t>(n);
}

// The window of one element that steps over all of a cube, if that is what the map does: a single
// layer of PDP.
inline std::optional<net::window> find_steps(const element_map& from, net::shape to,
                                             net::shape source) {
  const auto step = [](std::int32_t size, std::int32_t n) { return (size + n - 1) / n; };
  const net::window w{.stride_h = step(source.h, to.h), .stride_w = step(source.w, to.w)};
  if (to.c != source.c || (w.stride_h == 1 && w.stride_w == 1) ||
      std::max(w.stride_h, w.stride_w) > 8 || step(source.h, w.stride_h) != to.h ||
      step(source.w, w.stride_w) != to.w)
    return std::nullopt;
  for (std::int32_t c = 0; c < to.c; ++c)
    for (std::int32_t y = 0; y < to.h; ++y)
      for (std::int32_t x = 0; x < to.w; ++x)
        if (std::cmp_not_equal(from[to.at(c, y, x)],
                               source.at(c, y * w.stride_h, x * w.stride_w)))
          return std::nullopt;
  return w;
}

// Lines and columns of zeros around a cube.
struct zeros {
  std::int32_t top = 0, left = 0, bottom = 0, right = 0;
};
struct padded {
  assembly::id node;  // the cube inside the zeros
  onnx_format::zeros zeros{};
};

// Turns computed tensors into nodes whose cubes have the order that a layer needs.
class canvas {
 public:
  explicit canvas(assembly& net) : net_(net) {}

  assembly& net() { return net_; }

  template <class Op>
  assembly::id add(const std::string& layer, Op op, const std::vector<assembly::id>& inputs) {
    return net_.add(layer, std::move(op), inputs);
  }

  // How many elements of constants of full size layers may be given from now on, such as factors of
  // an interpolation, and how many they were.
  void allow_constants(element_ceiling::most m) {
    left_ = m;
    taken_ = 0;
  }
  std::uint64_t taken_constants() const { return taken_; }
  // Throws before a constant is made that is too large for a model of this size.
  void take_constant(std::uint64_t elements) {
    if (taken_ + elements > left_.elements)
      throw error(problem{
          .reason = text("its constants have ", taken_ + elements, " elements: ", left_.elements,
                         " are left for a model of this size"),
          .remedy = text("if that is meant, raise it: --limit ", left_.limit, '=',
                         taken_ + elements)});
    taken_ += elements;
  }

  // What the integers of an input stand for, as its reader tells.
  void note_input(assembly::id n, const grid& g) { grids_of_inputs_.emplace(n, g); }
  const std::map<assembly::id, grid>& grids_of_inputs() const { return grids_of_inputs_; }

  assembly::id as_cube(const computed& x, net::shape cube) {
    if (!x.from) return reshaped(x.node, cube);
    if (x.from->size() != cube.size()) throw error("its input has another number of elements");
    return selected(x, *x.from, cube);
  }
  assembly::id as_cube(const computed& x) { return as_cube(x, cube_of(x.shape)); }

  // What a padding put around x. Not all of x is zeros, or it is an `error`.
  zeros zeros_around(const computed& x, net::shape cube) const {
    if (!x.from) return {};
    if (x.from->size() != cube.size()) throw error("its input has another number of elements");
    zeros b{cube.h, cube.w, cube.h, cube.w};
    for (std::int32_t c = 0; c < cube.c; ++c)
      for (std::int32_t row = 0; row < cube.h; ++row)
        for (std::int32_t i = 0; i < cube.w; ++i)
          if ((*x.from)[cube.at(c, row, i)] >= 0)
            b = {std::min(b.top, row), std::min(b.left, i), std::min(b.bottom, cube.h - row - 1),
                 std::min(b.right, cube.w - i - 1)};
    if (b.top == cube.h) throw error("its input holds nothing but padding");
    return b;
  }
  // The elements of x as a cube without the zeros around it.
  padded as_padded(const computed& x, net::shape cube) {
    if (!x.from) return {reshaped(x.node, cube)};
    const zeros b = zeros_around(x, cube);
    const net::shape inner{cube.c, cube.h - b.top - b.bottom, cube.w - b.left - b.right};
    element_map from;
    from.reserve(inner.size());
    for (std::int32_t c = 0; c < cube.c; ++c)
      for (std::int32_t row = b.top; row < b.top + inner.h; ++row)
        for (std::int32_t i = b.left; i < b.left + inner.w; ++i)
          from.push_back((*x.from)[cube.at(c, row, i)]);
    return {selected(x, from, inner), b};
  }

 private:
  assembly::id reshaped(assembly::id n, net::shape cube) {
    if (net_.shape(n) == cube) return n;
    if (cube.h == 1 && cube.w == 1) return net_.add(net_.name(n) + "/flatten", net::flatten{}, {n});
    return net_.add(net_.name(n) + "/reshape", net::reshape{cube}, {n});
  }

  assembly::id selected(const computed& x, const element_map& from, net::shape to) {
    const net::shape source = net_.shape(x.node);
    bool dense = from.size() == source.size();
    for (std::size_t i = 0; dense && i < from.size(); ++i) dense = std::cmp_equal(from[i], i);
    if (dense) return reshaped(x.node, to);
    if (const auto window = find_steps(from, to, source))
      return net_.add(x.moved_by, net::pool{.kind = net::pool_kind::maximum, .window = *window},
                      {x.node});
    return net_.add(x.moved_by,
                    net::move{.target = to, .boxes = net::find_boxes(from, to, source)}, {x.node});
  }

  assembly& net_;
  element_ceiling::most left_{};
  std::uint64_t taken_ = 0;
  std::map<assembly::id, grid> grids_of_inputs_{};
};

}  // namespace nvdlac::import::onnx_format
