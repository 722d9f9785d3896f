// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::onnx_format {

// The cube that a shape of the file stands for: [1, c, h, w], [c, h, w], [1, c, l], [1, n] or [n].
inline net::shape cube_of(const dims& d) {
  const auto fail = [&](const char* why) -> error {
    return error(problem{.reason = text("a tensor of shape ", to_text(d), " ", why),
                         .remedy = "tensors are [1, channels, height, width] or [1, features]"});
  };
  if (d.size() > 4) throw fail("has more than 4 dimensions");
  if (d.size() == 3 && d[0] != 1) return net::checked_shape(d[0], d[1], d[2]);
  if (d.size() > 1 && d[0] != 1) throw fail("holds more than one picture");
  if (d.empty()) return net::checked_shape(1, 1, 1);
  if (d.size() == 1) return net::checked_shape(d[0], 1, 1);
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

inline std::int32_t as_int32(std::int64_t n, const char* what) {
  if (n < 0 || n > net::max_elements) throw error(text(what, " is ", n));
  return static_cast<std::int32_t>(n);
}

// How the elements of a moved cube come from its source: channel `channels[k]` (-1: zeros) of the
// lines and columns top + y * stride_h and left + x * stride_w.
struct selection {
  std::vector<std::int32_t> channels{};
  std::int32_t top = 0, left = 0, stride_h = 1, stride_w = 1;
};

// Empty if the elements move in any other way.
inline std::optional<selection> find_selection(const element_map& from, net::shape to,
                                               net::shape source) {
  selection s{.channels = std::vector<std::int32_t>(static_cast<std::size_t>(to.c), -1)};
  const auto area = source.h * source.w;
  bool placed = false;
  for (std::int32_t k = 0; k < to.c; ++k) {
    const auto first = from[to.at(k, 0, 0)];
    if (first < 0) continue;
    const std::int32_t c = first / area, top = first % area / source.w, left = first % source.w;
    const auto step = [&](std::int32_t second) { return second - first; };
    const std::int32_t down = to.h > 1 ? step(from[to.at(k, 1, 0)]) : source.w;
    const std::int32_t right = to.w > 1 ? step(from[to.at(k, 0, 1)]) : 1;
    if (down < source.w || down % source.w != 0 || right < 1) return std::nullopt;
    const selection now{{}, top, left, down / source.w, right};
    if (placed && (now.top != s.top || now.left != s.left || now.stride_h != s.stride_h ||
                   now.stride_w != s.stride_w))
      return std::nullopt;
    s.top = now.top, s.left = now.left, s.stride_h = now.stride_h, s.stride_w = now.stride_w;
    s.channels[static_cast<std::size_t>(k)] = c;
    placed = true;
  }
  if (!placed || std::int64_t{s.top} + std::int64_t{to.h - 1} * s.stride_h >= source.h ||
      std::int64_t{s.left} + std::int64_t{to.w - 1} * s.stride_w >= source.w)
    return std::nullopt;
  for (std::int32_t k = 0; k < to.c; ++k)
    for (std::int32_t y = 0; y < to.h; ++y)
      for (std::int32_t x = 0; x < to.w; ++x) {
        const auto c = s.channels[static_cast<std::size_t>(k)];
        const std::int64_t wanted = c < 0
                                        ? -1
                                        : static_cast<std::int64_t>(source.at(
                                              c, s.top + y * s.stride_h, s.left + x * s.stride_w));
        if (from[to.at(k, y, x)] != wanted) return std::nullopt;
      }
  return s;
}

// A cube inside zeros.
struct padded {
  assembly::id node;
  std::int32_t top = 0, left = 0, bottom = 0, right = 0;
  bool any() const { return (top | left | bottom | right) != 0; }
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

  assembly::id as_cube(const computed& x, net::shape cube) {
    const padded p = as_padded(x, cube);
    if (p.any())
      throw error(
          problem{.reason = "its input is padded by '" + x.moved_by + "'",
                  .remedy = "padding by zeros is supported before convolutions and average pools"});
    return p.node;
  }
  assembly::id as_cube(const computed& x) { return as_cube(x, cube_of(x.shape)); }

  // The elements of x as a cube without the zeros around it.
  padded as_padded(const computed& x, net::shape cube) {
    if (!x.from) return {reshaped(x.node, cube)};
    if (x.from->size() != cube.size()) throw error("its input has another number of elements");
    const box b = find_box(*x.from, cube);
    if (b.bottom <= b.top) throw error("its input holds nothing but padding");
    const net::shape inner{cube.c, b.bottom - b.top, b.right - b.left};
    element_map from;
    from.reserve(inner.size());
    for (std::int32_t c = 0; c < cube.c; ++c)
      for (std::int32_t y = b.top; y < b.bottom; ++y)
        for (std::int32_t i = b.left; i < b.right; ++i) from.push_back((*x.from)[cube.at(c, y, i)]);
    return {selected(x, from, inner), b.top, b.left, cube.h - b.bottom, cube.w - b.right};
  }

 private:
  struct box { std::int32_t top, left, bottom, right; };

  static box find_box(const element_map& from, net::shape s) {
    box b{s.h, s.w, 0, 0};
    for (std::int32_t c = 0; c < s.c; ++c)
      for (std::int32_t y = 0; y < s.h; ++y)
        for (std::int32_t x = 0; x < s.w; ++x)
          if (from[s.at(c, y, x)] >= 0)
            b = {std::min(b.top, y), std::min(b.left, x), std::max(b.bottom, y + 1),
                 std::max(b.right, x + 1)};
    return b;
  }

  assembly::id reshaped(assembly::id n, net::shape cube) {
    if (net_.shape(n) == cube) return n;
    if (cube.h == 1 && cube.w == 1) return net_.add(net_.name(n) + "/flatten", net::flatten{}, {n});
    return net_.add(net_.name(n) + "/reshape", net::reshape{cube}, {n});
  }

  // Choosing, ordering and striding over channels is a convolution with weights 0 and 1.
  assembly::id selected(const computed& x, const element_map& from, net::shape to) {
    const net::shape source = net_.shape(x.node);
    if (from.size() == source.size() &&
        [&] {
          for (std::size_t i = 0; i < from.size(); ++i)
            if (std::cmp_not_equal(from[i], i)) return false;
          return true;
        }())
      return reshaped(x.node, to);
    const auto s = find_selection(from, to, source);
    if (!s)
      throw error(problem{.reason = text("'", x.moved_by,
                                         "' moves the elements of its input in a way "
                                         "that no layer of NVDLA can"),
                          .remedy =
                              "supported are movements that cancel out, that a fully connected "
                              "layer reads, and choosing channels or every n-th pixel"});
    return select(x.moved_by, x.node, *s, to);
  }
  assembly::id select(const std::string& name, assembly::id from, const selection& s,
                      net::shape to) {
    const net::shape source = net_.shape(from);
    // The smallest window that holds the chosen element and slides exactly as often as needed.
    const auto window = [](std::int32_t before, std::int32_t stride, std::int32_t size,
                           std::int32_t n) {
      return static_cast<std::int32_t>(
          std::max<std::int64_t>(before + 1, size - std::int64_t{n} * stride + 1));
    };
    const net::window w{.kernel_h = window(s.top, s.stride_h, source.h, to.h),
                        .kernel_w = window(s.left, s.stride_w, source.w, to.w),
                        .stride_h = s.stride_h, .stride_w = s.stride_w};
    bool same_channels = source.c == to.c;
    for (std::size_t k = 0; k < s.channels.size(); ++k)
      same_channels = same_channels && std::cmp_equal(s.channels[k], k);
    if (same_channels && w.kernel_h == 1 && w.kernel_w == 1)
      return net_.add(name, net::pool{.kind = net::pool_kind::maximum, .window = w}, {from});
    const std::int64_t taps = std::int64_t{w.kernel_h} * w.kernel_w;
    if (net::product({to.c, source.c, taps}) > (std::int64_t{1} << 24))
      throw error(
          text("choosing elements of a ", source, " cube by a convolution takes too many weights"));
    net::convolution op{.kernels = to.c, .window = w};
    const auto depth = static_cast<std::size_t>(source.c * taps);
    op.weights.assign(static_cast<std::size_t>(to.c) * depth, 0.0F);
    for (std::size_t k = 0; k < s.channels.size(); ++k)
      if (s.channels[k] >= 0)
        op.weights[k * depth + static_cast<std::size_t>(s.channels[k] * taps + s.top * w.kernel_w +
                                                        s.left)] = 1.0F;
    return net_.add(name, std::move(op), {from});
  }

  assembly& net_;
};

}  // namespace nvdlac::import::onnx_format
