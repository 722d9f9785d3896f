// SPDX-License-Identifier: Apache-2.0
#pragma once
// SSD-MobileNet v1 as TensorFlow's converter writes it, of any size, with random weights: in real
// numbers, or in integers whose scales are those of a few pictures.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <flatbuffers/flexbuffers.h>

#include "smooth_picture.hpp"
#include "tflite_model.hpp"

namespace ssd_mobilenet {

using namespace tflite_model;

struct form {
  int size = 300;         // of the picture
  float width = 1;        // factor of the numbers of channels
  int classes = 90;
  type numbers = float32; // or uint8, whose weights have one scale, or int8, one for each kernel
  bool by_class = false;  // the regular form of the suppression
  int most = 10;          // detections
};

// The least and the largest value of each tensor by its name.
using ranges = std::map<std::string, std::pair<float, float>>;

class author {
 public:
  author(const form& f, const ranges& known) : f_(f), known_(known) {}

  std::string file() {
    const auto picture = tensor("picture", {1, f_.size, f_.size, 3});
    auto x = conv("c0", picture, channels(32), 3, 2);
    constexpr std::array<std::pair<int, int>, 13> blocks{
        {{64, 1}, {128, 2}, {128, 1}, {256, 2}, {256, 1}, {512, 2}, {512, 1}, {512, 1}, {512, 1},
         {512, 1}, {512, 1}, {1024, 2}, {1024, 1}}};
    ints maps;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto n = std::to_string(i + 1);
      x = depthwise("d" + n, x, blocks[i].second);
      x = conv("c" + n, x, channels(blocks[i].first), 1, 1);
      if (i == 10) maps.push_back(x);
    }
    maps.push_back(x);
    constexpr std::pair<int, int> further[]{{256, 512}, {128, 256}, {128, 256}, {64, 128}};
    for (const auto& [squeezed, kernels] : further) {
      const auto n = std::to_string(maps.size());
      x = conv("squeezed" + n, x, channels(squeezed), 1, 1);
      x = conv("smaller" + n, x, channels(kernels), 3, 2);
      maps.push_back(x);
    }
    ints boxes, classes;
    int count = 0;
    for (std::size_t m = 0; m < maps.size(); ++m) {
      const auto n = std::to_string(m);
      const int places = shape(maps[m])[1], each = m == 0 ? 3 : 6, all = places * places * each;
      boxes.push_back(reshaped(conv("box" + n, maps[m], 4 * each, 1, 1, 0), {1, all, 4}));
      classes.push_back(reshaped(conv("class" + n, maps[m], (f_.classes + 1) * each, 1, 1, 0),
                                 {1, all, f_.classes + 1}));
      anchors(places, m);
      count += all;
    }
    const auto told = concat("boxes", boxes, {1, count, 4}),
               logits = concat("logits", classes, {1, count, f_.classes + 1}),
               scores = tensor("scores", {1, count, f_.classes + 1});
    b_.op(14, {logits}, {scores});
    detect(real(told), real(scores), count);
    return b_.file({picture}, outputs_);
  }

 private:
  int channels(int n) const {
    return std::max(8, static_cast<int>(static_cast<float>(n) * f_.width));
  }
  const ints& shape(std::int32_t t) const { return shapes_.at(t); }

  // The parts of a concat share its scale.
  static std::string group(const std::string& name) {
    return name.starts_with("box") ? "boxes" : name.starts_with("class") ? "logits" : name;
  }
  grid grid_of(const std::string& name) const {
    if (f_.numbers == float32) return {};
    const std::int64_t least = f_.numbers == uint8 ? 0 : -128;
    if (name == "scores") return {{1.0F / 256}, {least}};
    if (name == "picture") return {{1.0F / 127.5F}, {least + 128}};
    const auto [low, high] = known_.at(group(name));
    const float scale = (std::max(high, 0.0F) - std::min(low, 0.0F)) / 255;
    return {{scale}, {least + std::lround(-std::min(low, 0.0F) / scale)}};
  }
  std::int32_t tensor(const std::string& name, const ints& of) {
    const auto t = b_.tensor(name, of, f_.numbers, grid_of(name));
    shapes_[t] = of;
    names_[t] = name;
    return t;
  }

  floats random(std::size_t n, float deviation) {
    std::normal_distribution<float> d(0, deviation);
    floats v(n);
    for (float& x : v) x = d(random_);
    return v;
  }
  // Weights and biases of kernels, which lie along the first axis or along the last one.
  std::pair<std::int32_t, std::int32_t> weights(const std::string& name, std::int32_t in,
                                                const ints& of, int kernels, bool last) {
    std::size_t size = 1;
    for (const auto d : of) size *= static_cast<std::size_t>(d);
    const auto n = static_cast<std::size_t>(kernels), fan = size / n;
    const bool is_class = name.starts_with("class"), is_head = is_class || name.starts_with("box");
    const auto w = random(size, std::sqrt((is_head ? 1.0F : 2.0F) / static_cast<float>(fan)));
    auto bias = random(n, 0.1F);
    if (is_class)
      for (float& v : bias) v -= 2;
    if (f_.numbers == float32)
      return {b_.real(name + "/w", of, w), b_.real(name + "/b", {kernels}, bias)};
    const auto kernel = [&](std::size_t i) { return last ? i % n : i / fan; };
    const float in_scale = grid_of(names_.at(in)).scales[0];
    floats scales;
    std::vector<std::int64_t> zeros;
    std::vector<std::uint8_t> integers(size);
    if (f_.numbers == uint8) {
      const auto [low, high] = std::ranges::minmax(w);
      scales = {(high - low) / 255};
      zeros = {std::lround(-low / scales[0])};
    } else {
      scales.assign(n, 0.0F);
      for (std::size_t i = 0; i < size; ++i)
        scales[kernel(i)] = std::max(scales[kernel(i)], std::abs(w[i]) / 127);
      zeros.assign(n, 0);
    }
    const auto scale_of = [&](std::size_t k) { return scales[scales.size() == 1 ? 0 : k]; };
    for (std::size_t i = 0; i < size; ++i)
      integers[i] = static_cast<std::uint8_t>(std::lround(w[i] / scale_of(kernel(i))) + zeros[0]);
    ints of_bias(n);
    floats bias_scales;
    for (std::size_t k = 0; k < n; ++k)
      of_bias[k] = static_cast<std::int32_t>(std::lround(bias[k] / (in_scale * scale_of(k))));
    for (const float s : scales) bias_scales.push_back(in_scale * s);
    return {b_.constant(name + "/w", of, integers, f_.numbers, {scales, zeros, last ? 3 : 0}),
            b_.constant(name + "/b", {kernels}, of_bias, int32,
                        {bias_scales, std::vector<std::int64_t>(scales.size(), 0), 0})};
  }

  // Padding SAME; the function is ReLU6 (3) or none (0).
  std::int32_t conv(const std::string& name, std::int32_t x, int kernels, int window, int stride,
                    int function = 3) {
    const auto& in = shape(x);
    const int to = (in[1] + stride - 1) / stride;
    const auto [w, bias] = weights(name, x, {kernels, window, window, in[3]}, kernels, false);
    const auto y = tensor(name, {1, to, to, kernels});
    b_.op(3, {x, w, bias}, {y}, 1,
          {byte(0, 0), integer(1, stride), integer(2, stride), byte(3, function)});
    return y;
  }
  std::int32_t depthwise(const std::string& name, std::int32_t x, int stride) {
    const auto& in = shape(x);
    const int to = (in[1] + stride - 1) / stride, c = in[3];
    const auto [w, bias] = weights(name, x, {1, 3, 3, c}, c, true);
    const auto y = tensor(name, {1, to, to, c});
    b_.op(4, {x, w, bias}, {y}, 2,
          {byte(0, 0), integer(1, stride), integer(2, stride), integer(3, 1), byte(4, 3)});
    return y;
  }
  std::int32_t reshaped(std::int32_t x, const ints& to) {
    const auto name = names_.at(x) + "/rows";
    const auto y = tensor(name, to), dims = b_.integers(name + "/shape", to);
    b_.op(22, {x, dims}, {y}, 17, {list(0, to)});
    return y;
  }
  std::int32_t concat(const std::string& name, const ints& parts, const ints& to) {
    const auto y = tensor(name, to);
    b_.op(2, parts, {y}, 10, {integer(0, 1), byte(1, 0)});
    return y;
  }
  // The kernel of the operator knows no int8.
  std::int32_t real(std::int32_t x) {
    if (f_.numbers != int8) return x;
    const auto y = b_.tensor(names_.at(x) + "/real", shape(x));
    b_.op(6, {x}, {y}, 38);
    return y;
  }

  // Boxes of a map, as TensorFlow's multiple grid generator places them.
  void anchors(int places, std::size_t map) {
    const auto scale = [](std::size_t i) {
      return i == 6 ? 1.0F : 0.2F + 0.15F * static_cast<float>(i);
    };
    std::vector<std::pair<float, float>> of_place;  // scale and aspect
    if (map == 0) of_place = {{0.1F, 1.0F}, {scale(0), 2.0F}, {scale(0), 0.5F}};
    else
      of_place = {{scale(map), 1.0F}, {scale(map), 2.0F}, {scale(map), 0.5F}, {scale(map), 3.0F},
                  {scale(map), 1 / 3.0F}, {std::sqrt(scale(map) * scale(map + 1)), 1.0F}};
    for (int y = 0; y < places; ++y)
      for (int x = 0; x < places; ++x)
        for (const auto& [s, aspect] : of_place)
          for (const float v : {(static_cast<float>(y) + 0.5F) / static_cast<float>(places),
                                (static_cast<float>(x) + 0.5F) / static_cast<float>(places),
                                s / std::sqrt(aspect), s * std::sqrt(aspect)})
            anchors_.push_back(v);
  }

  void detect(std::int32_t boxes, std::int32_t scores, int count) {
    flexbuffers::Builder o;
    o.Map([&] {
      o.Int("max_detections", f_.most);
      o.Int("max_classes_per_detection", 1);
      o.Bool("use_regular_nms", f_.by_class);
      o.Int("detections_per_class", 100);
      o.Float("nms_score_threshold", 1e-8F);
      o.Float("nms_iou_threshold", 0.6F);
      o.Int("num_classes", f_.classes);
      o.Float("y_scale", 10);
      o.Float("x_scale", 10);
      o.Float("h_scale", 5);
      o.Float("w_scale", 5);
    });
    o.Finish();
    grid g;
    auto a = anchors_;
    std::int32_t told{};
    if (f_.numbers == uint8) {
      const auto [low, high] = std::ranges::minmax(a);
      g = {{(high - std::min(low, 0.0F)) / 255}, {0}};
      std::vector<std::uint8_t> integers;
      for (const float v : a)
        integers.push_back(static_cast<std::uint8_t>(std::lround(v / g.scales[0])));
      told = b_.constant("anchors", {count, 4}, integers, uint8, g);
    } else {
      told = b_.real("anchors", {count, 4}, a);
    }
    const std::string name = "TFLite_Detection_PostProcess";
    for (const auto& [behind, of] : {std::pair<const char*, ints>{"", {1, f_.most, 4}},
                                     {":1", {1, f_.most}}, {":2", {1, f_.most}}, {":3", {1}}})
      outputs_.push_back(b_.tensor(name + behind, of));
    b_.custom(name, {boxes, scores, told}, outputs_, o.GetBuffer());
  }

  form f_;
  const ranges& known_;
  builder b_;
  std::mt19937 random_{5};
  std::map<std::int32_t, ints> shapes_;
  std::map<std::int32_t, std::string> names_;
  floats anchors_;
  ints outputs_;
};

// A picture with values from -1 to 1.
inline net::float_tensor picture(int size, unsigned seed) { return smooth_picture(size, -1, seed); }

// The ranges of the network in real numbers for two pictures.
inline ranges ranges_of(const form& real) {
  ranges found;
  const auto g = read(author(real, found).file()).graph;
  for (const unsigned seed : {1U, 2U})
    net::evaluate_each(g, std::vector{picture(real.size, seed)}, [&](auto n, const auto& t) {
      const auto [low, high] = std::ranges::minmax(t.values);
      auto& r = found.try_emplace(g[n].name, low, high).first->second;
      r = {std::min(r.first, low), std::max(r.second, high)};
    });
  for (const auto& [name, r] : ranges(found))
    for (const auto& [begin, all] : {std::pair{"box", "boxes"}, {"class", "logits"}})
      if (name.starts_with(begin)) {
        auto& of_all = found.try_emplace(all, r).first->second;
        of_all = {std::min(of_all.first, r.first), std::max(of_all.second, r.second)};
      }
  return found;
}

inline std::string file(form f) {
  if (f.numbers == float32) return author(f, {}).file();
  auto real = f;
  real.numbers = float32;
  const auto known = ranges_of(real);
  return author(f, known).file();
}

}  // namespace ssd_mobilenet
