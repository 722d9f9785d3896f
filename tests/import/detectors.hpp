// SPDX-License-Identifier: Apache-2.0
#pragma once
// The detectors YOLOv5, YOLOv8 and YOLOX with their heads and the decoding of boxes, as PyTorch
// exports them to ONNX (opset 12), of any size, with random weights: in protobuf's text form.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/tensor.hpp>

#include "onnx_model.hpp"
#include "smooth_picture.hpp"

namespace detectors {

using nvdlac::text;

struct form {
  int size = 640;    // of the picture
  float width = 1;   // factor of the published numbers of channels
  int classes = 80;
};

// The parts that all of them are made of. Tensors are known by names, with their channels and size.
class author {
 public:
  struct map {
    std::string name{};
    int c = 0, size = 0;
  };

  explicit author(const form& f) : f_(f) {}

 protected:
  int channels(int published) const {
    return std::max(4, static_cast<int>(static_cast<float>(published) * f_.width));
  }
  map picture() const { return {"images", 3, f_.size}; }

  std::string next(const std::string& kind) { return text(kind, "_", count_++); }
  std::string op(const std::string& type, const std::string& in,
                 const std::string& attributes = {}) {
    auto out = next(type);
    body_ += onnx_model::node(type, in, out, attributes);
    return out;
  }
  std::string numbers(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    auto name = next("constant");
    body_ += onnx_model::floats(name, shape, values);
    return name;
  }
  std::string integers(const std::vector<std::int64_t>& values) {
    auto name = next("integers");
    body_ += onnx_model::integers(name, values);
    return name;
  }

  // A convolution without its function; the bias stands for the batch normalisation.
  map plain(const map& x, int kernels, int window, int stride = 1, int groups = 1) {
    return filtered(x, kernels, window, stride, groups, 1.35F, 0);
  }
  // A head's results for each place, with values of a few ones.
  map told(const map& x, int kernels, float bias) {
    return filtered(x, kernels, 1, 1, 1, 0.5F, bias);
  }
  map filtered(const map& x, int kernels, int window, int stride, int groups, float gain,
               float bias) {
    const int pad = window == 6 ? 2 : window / 2, fan = x.c / groups * window * window;
    std::normal_distribution<float> weight(0, gain / std::sqrt(static_cast<float>(fan))),
        off(bias, 0.1F);
    std::vector<float> w(static_cast<std::size_t>(kernels * fan)),
        b(static_cast<std::size_t>(kernels));
    for (float& v : w) v = weight(random_);
    for (float& v : b) v = off(random_);
    const auto weights = numbers({kernels, x.c / groups, window, window}, w),
               biases = numbers({kernels}, b);
    return {op("Conv", x.name + " " + weights + " " + biases,
               onnx_model::ints("kernel_shape", {window, window}) +
                   onnx_model::ints("strides", {stride, stride}) +
                   onnx_model::ints("pads", {pad, pad, pad, pad}) +
                   onnx_model::integer("group", groups)),
            kernels, x.size / stride};
  }
  map silu(const map& x) {
    return {op("Mul", x.name + " " + op("Sigmoid", x.name)), x.c, x.size};
  }
  map conv(const map& x, int kernels, int window, int stride = 1) {
    return silu(plain(x, kernels, window, stride));
  }
  map sum(const map& a, const map& b) { return {op("Add", a.name + " " + b.name), a.c, a.size}; }
  map concat(const std::vector<map>& parts) {
    map all{"", 0, parts[0].size};
    for (const auto& p : parts) {
      all.name += (all.c == 0 ? "" : " ") + p.name;
      all.c += p.c;
    }
    all.name = op("Concat", all.name, onnx_model::integer("axis", 1));
    return all;
  }
  map maxima(const map& x, int window) {
    const int pad = window / 2;
    return {op("MaxPool", x.name, onnx_model::ints("kernel_shape", {window, window}) +
                                      onnx_model::ints("strides", {1, 1}) +
                                      onnx_model::ints("pads", {pad, pad, pad, pad})),
            x.c, x.size};
  }
  map twice(const map& x) {
    const auto by = numbers({4}, {1, 1, 2, 2});
    return {op("Resize", x.name + " " + numbers({0}, {}) + " " + by,
               onnx_model::word("coordinate_transformation_mode", "asymmetric") +
                   onnx_model::word("mode", "nearest") +
                   onnx_model::word("nearest_mode", "floor")),
            x.c, 2 * x.size};
  }
  std::string reshape(const std::string& x, const std::vector<std::int64_t>& to) {
    return op("Reshape", x + " " + integers(to));
  }
  std::string transpose(const std::string& x, const std::vector<std::int64_t>& order) {
    return op("Transpose", x, onnx_model::ints("perm", order));
  }
  std::string joined(const std::string& parts, int axis) {
    return op("Concat", parts, onnx_model::integer("axis", axis));
  }
  std::vector<std::string> split(const std::string& x, const std::vector<std::int64_t>& sizes,
                                 int axis) {
    std::vector<std::string> parts;
    std::string all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      parts.push_back(next("Split"));
      all += (i == 0 ? "" : " ") + parts.back();
    }
    body_ += onnx_model::node("Split", x, all, onnx_model::integer("axis", axis) +
                                                   onnx_model::ints("split", sizes));
    return parts;
  }
  std::string slice(const std::string& x, std::int64_t begin, std::int64_t end, std::int64_t axis,
                    std::int64_t step = 1) {
    return op("Slice", x + " " + integers({begin}) + " " + integers({end}) + " " +
                           integers({axis}) + " " + integers({step}));
  }
  // Column and row of each place of a map of n x n, `from` on.
  static std::vector<std::pair<float, float>> places(int n, float from) {
    std::vector<std::pair<float, float>> all;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        all.emplace_back(static_cast<float>(x) + from, static_cast<float>(y) + from);
    return all;
  }

  std::string model(const std::string& out, const std::vector<std::int64_t>& shape) const {
    return onnx_model::model("input " + onnx_model::value_info("images", {1, 3, f_.size, f_.size}) +
                             "output " + onnx_model::value_info(out, shape) + body_, 12);
  }

  const form f_;

 private:
  std::string body_{};
  std::mt19937 random_{7};
  int count_ = 0;
};

// YOLOv5n (release 6 and 7): anchors, decoded by products and sums, each output a scale.
class yolov5n : author {
 public:
  explicit yolov5n(const form& f) : author(f) {}

  std::string file() {
    auto x = conv(conv(picture(), channels(16), 6, 2), channels(32), 3, 2);
    x = conv(c3(x, channels(32), 1, true), channels(64), 3, 2);
    const auto p3 = c3(x, channels(64), 2, true);
    const auto p4 = c3(conv(p3, channels(128), 3, 2), channels(128), 3, true);
    x = c3(conv(p4, channels(256), 3, 2), channels(256), 1, true);
    const auto up5 = conv(pyramid(x), channels(128), 1);
    const auto up4 =
        conv(c3(concat({twice(up5), p4}), channels(128), 1, false), channels(64), 1);
    const auto n3 = c3(concat({twice(up4), p3}), channels(64), 1, false);
    const auto n4 = c3(concat({conv(n3, channels(64), 3, 2), up4}), channels(128), 1, false);
    const auto n5 = c3(concat({conv(n4, channels(128), 3, 2), up5}), channels(256), 1, false);
    const std::vector<std::vector<float>> anchors{
        {10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}};
    const std::vector<map> maps{n3, n4, n5};
    std::string rows;
    int all = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      rows += (i == 0 ? "" : " ") + head(maps[i], anchors[i]);
      all += 3 * maps[i].size * maps[i].size;
    }
    return model(joined(rows, 1), {1, all, 5 + f_.classes});
  }

 private:
  map c3(const map& x, int out, int depth, bool shortcut) {
    auto a = conv(x, out / 2, 1);
    const auto b = conv(x, out / 2, 1);
    for (int i = 0; i < depth; ++i) {
      const auto y = conv(conv(a, out / 2, 1), out / 2, 3);
      a = shortcut ? sum(a, y) : y;
    }
    return conv(concat({a, b}), out, 1);
  }
  map pyramid(const map& x) {
    const auto a = conv(x, x.c / 2, 1), b = maxima(a, 5), c = maxima(b, 5);
    return conv(concat({a, b, c, maxima(c, 5)}), x.c, 1);
  }
  std::string head(const map& m, const std::vector<float>& anchors) {
    const int each = 5 + f_.classes, n = m.size;
    auto y = reshape(told(m, 3 * each, -1).name, {1, 3, each, n, n});
    y = op("Sigmoid", transpose(y, {0, 1, 3, 4, 2}));
    const auto parts = split(y, {2, 2, f_.classes + 1}, 4);
    std::vector<float> grid, sizes;
    for (std::size_t a = 0; a < 3; ++a)
      for (const auto& [column, row] : places(n, -0.5F)) {
        grid.insert(grid.end(), {column, row});
        sizes.insert(sizes.end(), {anchors[2 * a], anchors[2 * a + 1]});
      }
    const auto stride = static_cast<float>(f_.size / n);
    const auto centre = op(
        "Mul", op("Add", op("Mul", parts[0] + " " + numbers({}, {2})) + " " +
                             numbers({1, 3, n, n, 2}, grid)) +
                   " " + numbers({}, {stride}));
    const auto extent =
        op("Mul", op("Pow", op("Mul", parts[1] + " " + numbers({}, {2})) + " " + numbers({}, {2})) +
                      " " + numbers({1, 3, n, n, 2}, sizes));
    y = joined(centre + " " + extent + " " + parts[2], 4);
    return reshape(y, {1, 3 * n * n, each});
  }
};

// YOLOv8n: no anchors; distances are expectations of 16 bins (DFL).
class yolov8n : author {
 public:
  explicit yolov8n(const form& f) : author(f) {}

  std::string file() {
    auto x = conv(conv(picture(), channels(16), 3, 2), channels(32), 3, 2);
    x = conv(c2f(x, channels(32), 1, true), channels(64), 3, 2);
    const auto p3 = c2f(x, channels(64), 2, true);
    const auto p4 = c2f(conv(p3, channels(128), 3, 2), channels(128), 2, true);
    x = c2f(conv(p4, channels(256), 3, 2), channels(256), 1, true);
    const auto p5 = pyramid(x);
    const auto n4 = c2f(concat({twice(p5), p4}), channels(128), 1, false);
    const auto n3 = c2f(concat({twice(n4), p3}), channels(64), 1, false);
    const auto m4 = c2f(concat({conv(n3, channels(64), 3, 2), n4}), channels(128), 1, false);
    const auto m5 = c2f(concat({conv(m4, channels(128), 3, 2), p5}), channels(256), 1, false);
    const int each = 64 + f_.classes;
    std::string rows;
    std::vector<float> xs, ys, strides;
    for (const auto& m : {n3, m4, m5}) {
      const int narrow = channels(64), wide = std::max(channels(64), std::min(f_.classes, 100));
      const auto box = told(conv(conv(m, narrow, 3), narrow, 3), 64, 0),
                 kind = told(conv(conv(m, wide, 3), wide, 3), f_.classes, -1);
      const auto row = reshape(concat({box, kind}).name, {1, each, -1});
      rows += (rows.empty() ? "" : " ") + row;
      for (const auto& [column, line] : places(m.size, 0.5F)) {
        xs.push_back(column);
        ys.push_back(line);
        strides.push_back(static_cast<float>(f_.size / m.size));
      }
    }
    const auto all = static_cast<std::int64_t>(xs.size());
    const auto parts = split(joined(rows, 2), {64, f_.classes}, 1);
    // The softmax of this opset is that of the last axis.
    auto y = op("Softmax", transpose(reshape(parts[0], {1, 4, 16, all}), {0, 3, 1, 2}),
                onnx_model::integer("axis", 3));
    y = transpose(y, {0, 3, 2, 1});
    std::vector<float> bins(16);
    for (std::size_t i = 0; i < 16; ++i) bins[i] = static_cast<float>(i);
    y = reshape(op("Conv", y + " " + numbers({1, 16, 1, 1}, bins),
                   onnx_model::ints("kernel_shape", {1, 1})), {1, 4, all});
    auto points = xs;
    points.insert(points.end(), ys.begin(), ys.end());
    const auto anchors = numbers({1, 2, all}, points);
    const auto low = op("Sub", anchors + " " + slice(y, 0, 2, 1)),
               high = op("Add", anchors + " " + slice(y, 2, 4, 1));
    const auto centre = op("Div", op("Add", low + " " + high) + " " + numbers({}, {2}));
    const auto extent = op("Sub", high + " " + low);
    const auto boxes = op("Mul", joined(centre + " " + extent, 1) + " " +
                                     numbers({1, all}, strides));
    return model(joined(boxes + " " + op("Sigmoid", parts[1]), 1),
                 {1, 4 + f_.classes, all});
  }

 private:
  map c2f(const map& x, int out, int depth, bool shortcut) {
    const auto both = conv(x, out, 1);
    const auto halves = split(both.name, {out / 2, out / 2}, 1);
    std::vector<map> parts{{halves[0], out / 2, x.size}, {halves[1], out / 2, x.size}};
    for (int i = 0; i < depth; ++i) {
      const auto y = conv(conv(parts.back(), out / 2, 3), out / 2, 3);
      parts.push_back(shortcut ? sum(parts.back(), y) : y);
    }
    return conv(concat(parts), out, 1);
  }
  map pyramid(const map& x) {
    const auto a = conv(x, x.c / 2, 1), b = maxima(a, 5), c = maxima(b, 5);
    return conv(concat({a, b, c, maxima(c, 5)}), x.c, 1);
  }
};

// YOLOX-nano: a Focus of strided slices, separable convolutions, decoded in the network.
class yolox_nano : author {
 public:
  explicit yolox_nano(const form& f) : author(f) {}

  std::string file() {
    auto x = conv(focus(picture()), channels(16), 3);
    x = csp(separable(x, channels(32), 2), channels(32), 1, true);
    const auto p3 = csp(separable(x, channels(64), 2), channels(64), 3, true);
    const auto p4 = csp(separable(p3, channels(128), 2), channels(128), 3, true);
    x = separable(p4, channels(256), 2);
    const auto a = conv(x, x.c / 2, 1);
    x = conv(concat({a, maxima(a, 5), maxima(a, 9), maxima(a, 13)}), x.c, 1);
    const auto up5 = conv(csp(x, channels(256), 1, false), channels(128), 1);
    const auto up4 =
        conv(csp(concat({twice(up5), p4}), channels(128), 1, false), channels(64), 1);
    const auto n3 = csp(concat({twice(up4), p3}), channels(64), 1, false);
    const auto n4 = csp(concat({separable(n3, channels(64), 2), up4}), channels(128), 1, false);
    const auto n5 = csp(concat({separable(n4, channels(128), 2), up5}), channels(256), 1, false);
    std::string rows;
    std::vector<float> grid, strides;
    for (const auto& m : {n3, n4, n5}) {
      rows += (rows.empty() ? "" : " ") + head(m);
      for (const auto& [column, row] : places(m.size, 0)) {
        grid.insert(grid.end(), {column, row});
        strides.push_back(static_cast<float>(f_.size / m.size));
      }
    }
    const auto all = static_cast<std::int64_t>(strides.size());
    const auto y = transpose(joined(rows, 2), {0, 2, 1});
    const auto step = numbers({1, all, 1}, strides);
    const auto centre = op("Mul", op("Add", slice(y, 0, 2, 2) + " " + numbers({1, all, 2}, grid)) +
                                      " " + step);
    const auto extent = op("Mul", op("Exp", slice(y, 2, 4, 2)) + " " + step);
    return model(joined(centre + " " + extent + " " + slice(y, 4, 5 + f_.classes, 2), 2),
                 {1, all, 5 + f_.classes});
  }

 private:
  map separable(const map& x, int out, int stride = 1) {
    return conv(silu(plain(x, x.c, 3, stride, x.c)), out, 1);
  }
  map csp(const map& x, int out, int depth, bool shortcut) {
    auto a = conv(x, out / 2, 1);
    const auto b = conv(x, out / 2, 1);
    for (int i = 0; i < depth; ++i) {
      const auto y = separable(conv(a, out / 2, 1), out / 2);
      a = shortcut ? sum(a, y) : y;
    }
    return conv(concat({a, b}), out, 1);
  }
  map focus(const map& x) {
    constexpr std::int64_t end = 0x7fffffff;
    std::vector<map> parts;
    for (const auto& [row, column] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}})
      parts.push_back({slice(slice(x.name, row, end, 2, 2), column, end, 3, 2), x.c, x.size / 2});
    return concat(parts);
  }
  std::string head(const map& m) {
    const auto stem = conv(m, channels(64), 1);
    const auto kind = separable(separable(stem, channels(64)), channels(64)),
               place = separable(separable(stem, channels(64)), channels(64));
    const auto classes = told(kind, f_.classes, -1), box = told(place, 4, 0),
               object = told(place, 1, -1);
    const auto all = joined(box.name + " " + op("Sigmoid", object.name) + " " +
                                op("Sigmoid", classes.name), 1);
    return reshape(all, {1, 5 + f_.classes, -1});
  }
};

// A picture with values from 0 to 1.
inline nvdlac::net::float_tensor picture(int size, unsigned seed) {
  return smooth_picture(size, 0, seed);
}

}  // namespace detectors
