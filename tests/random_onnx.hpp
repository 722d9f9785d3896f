// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random ONNX models, of operators whose meaning other engines share, with weights that keep the
// values near 1. The same seed gives the same model on every machine.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/net/tensor.hpp>

#include "import/onnx_model.hpp"

class random_onnx {
 public:
  // In text form; input "x". With `tables` there are functions that need a lookup table.
  static std::string make(std::uint64_t seed, bool tables) {
    random_onnx r(seed, tables);
    return r.build();
  }

  // From -1 to 1.
  static nvdlac::net::float_tensor input(nvdlac::net::shape s, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    nvdlac::net::float_tensor t{s};
    for (float& v : t.values) v = static_cast<float>(random() % 2001) / 1000 - 1;
    return t;
  }

 private:
  struct tensor {
    std::string name{};
    nvdlac::net::shape shape{};
  };

  random_onnx(std::uint64_t seed, bool tables)
      : random_(seed), tables_(tables), padding_counts_(one_in(2)) {}

  // low .. high, both included.
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(pick(0, 1000)) / 1000;
  }
  std::vector<float> numbers(int count, float low, float high) {
    std::vector<float> v(static_cast<std::size_t>(count));
    for (float& x : v) x = between(low, high);
    return v;
  }

  std::string build() {
    const nvdlac::net::shape s{pick(1, 12), pick(5, 20), pick(5, 20)};
    known_.push_back({"x", s});
    for (int made = pick(3, 9); made > 0; --made) add_layer(any());
    if (one_in(3)) add_classifier(known_.back());
    const auto dims = [](const nvdlac::net::shape& d) {
      return std::vector<std::int64_t>{1, d.c, d.h, d.w};
    };
    // OpenCV counts padding in the averages of all models of this producer, and of no others.
    const std::string producer = padding_counts_ ? " producer_name: 'pytorch'" : "";
    return producer +
           onnx_model::model("input " + onnx_model::value_info("x", dims(s)) + "output " +
                             onnx_model::value_info(known_.back().name, {1}) + body_);
  }

  tensor any() {
    const auto one = pick(0, 3), other = pick(0, 3);
    const auto back = static_cast<std::size_t>(std::min(one, other));
    return known_[known_.size() - 1 - std::min(back, known_.size() - 1)];
  }
  const tensor& append(const std::string& type, const std::string& in, nvdlac::net::shape out,
                       const std::string& attributes = {}) {
    const auto name = "t" + std::to_string(known_.size());
    body_ += onnx_model::node(type, in, name, attributes);
    known_.push_back({name, out});
    return known_.back();
  }
  // The name of a constant.
  std::string constant(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    const auto name = "c" + std::to_string(constants_++);
    body_ += onnx_model::floats(name, shape, values);
    return name;
  }

  void add_layer(const tensor& from) {
    switch (pick(0, 13)) {
      case 0: case 1: case 2: add_convolution(from, pick(1, 24)); break;
      case 3: add_deconvolution(from); break;
      case 4: case 5: add_pool(from); break;
      case 6: add_norm(from); break;
      case 7: case 8: add_function(from); break;
      case 9: add_pair(from); break;
      case 10: add_concat(from); break;
      case 11: add_pad(from); break;
      case 12: add_slice(from); break;
      default: add_resize(from); break;
    }
  }

  struct side {
    int kernel = 1, stride = 1, dilation = 1, pad = 0;
    int positions(int size) const {
      return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    }
  };
  // One dimension of a window that fits `size`.
  side draw(int size, bool dilated) {
    side s{pick(1, 5), one_in(2) ? 1 : pick(1, 3), dilated && one_in(4) ? 2 : 1, 0};
    while ((s.kernel - 1) * s.dilation + 1 > size) --s.kernel;
    if (one_in(2)) s.pad = pick(0, s.kernel - 1);
    return s;
  }
  static std::string window(side h, side w) {
    using onnx_model::ints;
    return ints("kernel_shape", {h.kernel, w.kernel}) + ints("strides", {h.stride, w.stride}) +
           ints("pads", {h.pad, w.pad, h.pad, w.pad});
  }

  tensor add_convolution(const tensor& from, int kernels, bool same_plane = false) {
    auto [c, height, width] = from.shape;
    int groups = 1;
    if (one_in(3)) groups = kernels = c;  // depthwise
    side h = draw(height, true), w = draw(width, true);
    if (same_plane) h = w = {3, 1, 1, 1};
    const int taps = c / groups * h.kernel * w.kernel;
    const float most = std::sqrt(3.0F / static_cast<float>(taps));
    const auto weights = constant({kernels, c / groups, h.kernel, w.kernel},
                                  numbers(kernels * taps, -most, most));
    std::string in = from.name + " " + weights;
    if (one_in(2)) in += " " + constant({kernels}, numbers(kernels, -0.5F, 0.5F));
    return append("Conv", in, {kernels, h.positions(height), w.positions(width)},
                  window(h, w) + onnx_model::ints("dilations", {h.dilation, w.dilation}) +
                      onnx_model::integer("group", groups));
  }
  void add_deconvolution(const tensor& from) {
    const auto [c, height, width] = from.shape;
    if (height > 20 || width > 20) return;
    const int kernels = pick(1, 12), stride = pick(1, 2), kernel = stride + pick(0, 2);
    const side s{kernel, stride, 1, pick(0, (kernel - 1) / 2)};
    const float most = std::sqrt(3.0F / static_cast<float>(c));
    const auto weights = constant({c, kernels, kernel, kernel},
                                  numbers(c * kernels * kernel * kernel, -most, most));
    const auto grown = [&](int n) { return (n - 1) * stride + kernel - 2 * s.pad; };
    append("ConvTranspose", from.name + " " + weights, {kernels, grown(height), grown(width)},
           window(s, s));
  }
  void add_pool(const tensor& from) {
    const auto [c, height, width] = from.shape;
    if (one_in(6)) {
      append("GlobalAveragePool", from.name, {c, 1, 1});
      return;
    }
    const side h = draw(height, false), w = draw(width, false);
    const nvdlac::net::shape out{c, h.positions(height), w.positions(width)};
    if (one_in(2)) append("MaxPool", from.name, out, window(h, w));
    else
      append("AveragePool", from.name, out,
             window(h, w) + onnx_model::integer("count_include_pad", padding_counts_ ? 1 : 0));
  }
  void add_norm(const tensor& from) {
    const int c = from.shape.c;
    std::string in = from.name;
    in += " " + constant({c}, numbers(c, 0.5F, 1.5F));   // gamma
    in += " " + constant({c}, numbers(c, -0.5F, 0.5F));  // beta
    in += " " + constant({c}, numbers(c, -0.5F, 0.5F));  // mean
    in += " " + constant({c}, numbers(c, 0.3F, 2));      // variance
    append("BatchNormalization", in, from.shape, onnx_model::number("epsilon", 1e-3F));
  }
  void add_function(const tensor& from) {
    using onnx_model::number;
    const auto f = [&](const char* type, const std::string& attributes = {}) {
      append(type, from.name, from.shape, attributes);
    };
    switch (pick(0, tables_ ? 5 : 2)) {
      case 0: f("Relu"); break;
      case 1: f("LeakyRelu", number("alpha", between(0.05F, 0.4F))); break;
      case 2: {
        const auto slopes = constant({from.shape.c, 1, 1}, numbers(from.shape.c, -0.2F, 0.5F));
        append("PRelu", from.name + " " + slopes, from.shape);
        break;
      }
      case 3: f("Sigmoid"); break;
      case 4: f("Tanh"); break;
      default: f("Elu", number("alpha", 1)); break;
    }
  }
  void add_pair(const tensor& from) {
    const auto other = add_convolution(from, from.shape.c, true);
    append(one_in(2) ? "Add" : "Mul", from.name + " " + other.name, from.shape);
  }
  void add_concat(const tensor& from) {
    const auto other = add_convolution(from, pick(1, 16), true);
    const auto channels = from.shape.c + other.shape.c;
    append("Concat", from.name + " " + other.name, {channels, from.shape.h, from.shape.w},
           onnx_model::integer("axis", 1));
  }
  void add_pad(const tensor& from) {
    auto s = from.shape;
    const int top = pick(0, 3), left = pick(0, 3), bottom = pick(0, 3), right = pick(0, 3);
    const auto name = "p" + std::to_string(constants_++);
    body_ += onnx_model::integers(name, {0, 0, top, left, 0, 0, bottom, right});
    s.h += top + bottom;
    s.w += left + right;
    append("Pad", from.name + " " + name, s);
  }
  void add_slice(const tensor& from) {
    auto s = from.shape;
    if (s.h < 3 || s.c < 2) return;
    const int first = pick(0, 1), last = s.h - pick(0, 1), channels = pick(1, s.c);
    const auto list = [&](const std::vector<std::int64_t>& v) {
      const auto name = "s" + std::to_string(constants_++);
      body_ += onnx_model::integers(name, v);
      return name;
    };
    const auto in = from.name + " " + list({0, first}) + " " + list({channels, last}) + " " +
                    list({1, 2});
    append("Slice", in, {channels, last - first, s.w});
  }
  void add_resize(const tensor& from) {
    auto s = from.shape;
    if (s.h > 16 || s.w > 16) return;
    const auto scales = constant({4}, {1, 1, 2, 2});
    s.h *= 2;
    s.w *= 2;
    append("Resize", from.name + " - " + scales, s,
           onnx_model::word("mode", "nearest") + onnx_model::word("nearest_mode", "floor") +
               onnx_model::word("coordinate_transformation_mode", "asymmetric"));
  }
  void add_classifier(const tensor& from) {
    const int n = static_cast<int>(from.shape.size()), classes = pick(2, 20);
    const auto flat = append("Flatten", from.name, {n, 1, 1});
    const float most = std::sqrt(3.0F / static_cast<float>(n));
    const auto w = constant({classes, n}, numbers(classes * n, -most, most));
    append("Gemm", flat.name + " " + w + " " + constant({classes}, numbers(classes, -1, 1)),
           {classes, 1, 1}, onnx_model::integer("transB", 1));
  }

  std::mt19937_64 random_;
  bool tables_, padding_counts_;
  int constants_ = 0;
  std::vector<tensor> known_{};
  std::string body_{};
};
