// SPDX-License-Identifier: Apache-2.0
#include "random_model.hpp"

#include "shrink_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace nvdlac::judge {
namespace {

using list = std::vector<std::int64_t>;

// A tensor with what is known of it while a model is drawn.
struct tensor {
  std::string name{};
  dims shape{};
  bool positive = false;   // none of its values is below 0
  double step = 0;         // of the scale that it has, in a quantised model

  std::int64_t size() const { return count_of(shape); }
  std::size_t rank() const { return shape.size(); }
  std::int64_t c() const { return shape[1]; }
  std::int64_t h() const { return shape[2]; }
  std::int64_t w() const { return shape[3]; }
};

class drawer {
 public:
  drawer(std::uint64_t seed, const model_limits& limits) : random_(seed), limits_(limits) {}

  model draw() {
    m_.opset = of({11, 12, 13, 13, 13, 15, 17, 18, 21});
    quantised_ = limits_.quantised && one_in(6);
    if (quantised_) m_.opset = 13;
    m_.is_quantised = quantised_;
    if (one_in(2)) m_.producer = "pytorch";
    const int inputs = one_in(4) ? pick(2, 3) : 1;
    for (int i = 0; i < inputs; ++i) add_input(i);
    const auto given = known_;
    for (std::size_t i = 1; i < given.size(); ++i) join(given[0], given[i]);
    for (int made = pick(1, limits_.blocks); made > 0; --made) {
      if (known_.size() > 60) break;
      add_block(any());
    }
    if (one_in(4)) add_head();
    choose_outputs();
    // Parts that no output needs are left out where an input would be among them, and else stay.
    auto needed = pruned(m_);
    return needed.inputs.size() < m_.inputs.size() ? needed : std::move(m_);
  }

 private:
  // ---- chance

  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t pick64(std::int64_t low, std::int64_t high) {
    return pick(static_cast<int>(low), static_cast<int>(high));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  int of(const std::vector<int>& all) {
    return all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))];
  }
  std::string word_of(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))];
  }
  double between(double low, double high) { return low + (high - low) * pick(0, 1000) / 1000; }
  std::vector<double> numbers(std::int64_t count, double low, double high) {
    std::vector<double> v(static_cast<std::size_t>(count));
    for (double& x : v) x = between(low, high);
    return v;
  }

  // ---- the parts of a model

  std::string fresh(const char* kind) { return kind + std::to_string(names_++); }

  std::string floats(const dims& shape, std::vector<double> values) {
    m_.constants.push_back({fresh("c"), shape, std::move(values)});
    return m_.constants.back().name;
  }
  std::string scalar(double v) {
    if (m_.opset < 12 || !one_in(4)) return floats({}, {v});
    return add_node("Constant", {}, {{"value_float", static_cast<float>(v)}});
  }
  std::string integers(const list& values) {
    m_.constants.push_back({fresh("i"), {static_cast<std::int64_t>(values.size())},
                            {values.begin(), values.end()}, element::int64});
    return m_.constants.back().name;
  }
  std::string whole(std::int64_t v) {
    m_.constants.push_back({fresh("i"), {}, {static_cast<double>(v)}, element::int64});
    return m_.constants.back().name;
  }

  std::string add_node(const std::string& type, std::vector<std::string> in,
                       std::vector<attribute> attributes = {}, const std::string& domain = {}) {
    const auto out = fresh("t");
    m_.nodes.push_back({type, std::move(in), {out}, std::move(attributes), domain});
    return out;
  }
  tensor keep(tensor t) {
    m_.shapes[t.name] = t.shape;
    known_.push_back(t);
    return t;
  }
  tensor append(const std::string& type, std::vector<std::string> in, const dims& out,
                std::vector<attribute> attributes = {}, bool positive = false) {
    for (const auto& name : in) read_.insert(name);
    tensor t{add_node(type, std::move(in), std::move(attributes)), out, positive, 0};
    m_.shapes[t.name] = out;
    // The scale of a result that is only moved is that of what it is moved from.
    return keep(quantised_ ? with_scale(std::move(t), 0) : std::move(t));
  }
  // A pair of QuantizeLinear and DequantizeLinear behind a tensor.
  tensor with_scale(tensor t, double step) {
    const bool is_signed = !t.positive || one_in(2);
    t.step = step != 0 ? step : between(2, 4) / (t.positive ? 255 : 127);
    const double zero = t.positive ? (is_signed ? -128 : 0)
                        : is_signed ? (one_in(3) ? pick(-100, 60) : 0)
                                    : pick(110, 140);
    const auto scale = scalar(static_cast<float>(t.step));
    m_.constants.push_back({fresh("z"), {}, {zero}, is_signed ? element::int8 : element::uint8});
    const auto z = m_.constants.back().name;
    const auto q = add_node("QuantizeLinear", {t.name, scale, z});
    t.name = add_node("DequantizeLinear", {q, scale, z});
    return t;
  }
  // Weights of [kernels, ..]; in a quantised model in 8 bits, with a scale for each kernel or one.
  struct weights {
    std::string name{};
    std::vector<double> steps{};  // by kernel
  };
  weights add_weights(const dims& shape, double most, std::int64_t kernel_axis = 0) {
    auto v = numbers(count_of(shape), -most, most);
    if (one_in(8))  // pruned
      for (std::size_t i = 0; i < v.size(); ++i)
        if (i % 3 != 0) v[i] = 0;
    if (!quantised_) return {floats(shape, std::move(v)), {}};
    const auto kernels = shape[static_cast<std::size_t>(kernel_axis)];
    const bool each = one_in(2);
    weights w;
    for (std::int64_t k = 0; k < kernels; ++k)
      w.steps.push_back(static_cast<float>(most / 127 * (each ? between(0.7, 1.3) : 1.0)));
    std::int64_t inner = 1;
    for (std::size_t d = static_cast<std::size_t>(kernel_axis) + 1; d < shape.size(); ++d)
      inner *= shape[d];
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto k = static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner % kernels);
      v[i] = std::clamp(std::round(v[i] / w.steps[k]), -127.0, 127.0);
    }
    m_.constants.push_back({fresh("w"), shape, std::move(v), element::int8});
    const auto q = m_.constants.back().name;
    const auto scale = each ? floats({kernels}, w.steps) : scalar(w.steps[0]);
    m_.constants.push_back({fresh("z"), each ? dims{kernels} : dims{},
                            std::vector<double>(each ? static_cast<std::size_t>(kernels) : 1, 0),
                            element::int8});
    std::vector<attribute> axis;
    if (each) axis.push_back({"axis", kernel_axis});
    w.name = add_node("DequantizeLinear", {q, scale, m_.constants.back().name}, axis);
    return w;
  }
  std::string add_bias(const tensor& in, const weights& w, std::int64_t kernels) {
    auto v = numbers(kernels, -0.5, 0.5);
    if (!quantised_) return floats({kernels}, std::move(v));
    std::vector<double> steps;
    for (std::size_t k = 0; k < v.size(); ++k) {
      steps.push_back(static_cast<float>(in.step * w.steps[k]));
      v[k] = std::round(v[k] / steps[k]);
    }
    m_.constants.push_back({fresh("b"), {kernels}, std::move(v), element::int32});
    const auto q = m_.constants.back().name;
    return add_node("DequantizeLinear", {q, floats({kernels}, steps)}, {{"axis", std::int64_t{0}}});
  }
  // The axes of a reduction or of Squeeze: an attribute, or from `since` on an input.
  void give_axes(int since, const list& axes, std::vector<std::string>& in,
                 std::vector<attribute>& attributes) {
    if (m_.opset >= since) in.push_back(integers(axes));
    else attributes.push_back({"axes", axes});
  }

  tensor any() {
    const auto last = static_cast<int>(known_.size()) - 1;
    const int back = std::min({pick(0, last), pick(0, last), pick(0, last), pick(0, 4)});
    return known_[static_cast<std::size_t>(last - back)];
  }
  tensor last() const { return known_.back(); }

  void add_input(int number) {
    dims shape;
    const int form = pick(0, 44) == 44 ? 11 : pick(0, 10);
    const int most = limits_.side;
    if (number > 0 && one_in(2)) shape = known_.front().shape;
    else if (form <= 7)
      shape = {1, of({1, 3, 3, 4, 8, 16, 5, 2}), pick(3, most), pick(3, most)};
    else if (form == 8) shape = {1, pick(2, 60)};
    else if (form == 9) shape = {1, pick(1, 16), pick(2, 30)};
    else if (form == 10) shape = {pick(2, 40)};
    else shape = {1, pick(1, 4), pick(1, 4), pick(2, 6), pick(2, 6)};
    tensor t{number == 0 ? "x" : "x" + std::to_string(number), shape, false, 0};
    m_.inputs.push_back({t.name, shape});
    m_.shapes[t.name] = shape;
    // Some files saturate their inputs.
    if (quantised_) t = with_scale(std::move(t), (one_in(3) ? 0.6 : 1.0) / 127);
    known_.push_back(std::move(t));
  }

  // ---- blocks

  // Adds what reads an input that is not the only one, together with the first one if it can.
  void join(const tensor& first, const tensor& next) {
    if (first.shape != next.shape || first.rank() < 2) return add_block(next);
    if (one_in(2)) joined({first, next}, 1);
    else append(word_of({"Add", "Mul", "Sub", "Max"}), {first.name, next.name}, first.shape);
  }

  void add_block(const tensor& x) {
    if (x.size() > 20000) return;
    if (x.rank() == 4 && limits_.orders && !one_in(3)) add_block_of_orders(x);
    else if (x.rank() == 4) add_block_of_features(x);
    else add_block_of_rows(x);
  }

  // Blocks whose elements change their order, or whose channels meet again.
  void add_block_of_orders(const tensor& x) {
    switch (pick(0, 11)) {
      case 0: case 1: case 2: tokens(x); break;
      case 3: case 4: attention_of_places(x); break;
      case 5: cut_and_joined(x); break;
      case 6: {
        const auto wide = convolution(x, 2 * x.c(), 1);
        function(convolution(wide, pick(1, limits_.channels), 1));
        break;
      }
      case 7: {
        const auto doubled = twice(x);
        function(convolution(doubled, pick64(1, x.c()), 1));
        break;
      }
      case 8: gate(x); break;
      case 9: case 10: move(x); break;
      default: reduce(x); break;
    }
  }

  void add_block_of_features(const tensor& x) {
    switch (pick(0, 31)) {
      case 0: case 1: case 2: case 3: case 4: function(norm(convolution(x))); break;
      case 5: case 6: case 7: residual(x); break;
      case 8: inverted_residual(x); break;
      case 9: case 10: branches(x); break;
      case 11: split(x); break;
      case 12: squeeze_and_excite(x); break;
      case 13: deconvolution(x); break;
      case 14: resize(x); break;
      case 15: case 16: case 17: pool(x); break;
      case 18: norm(x, true); break;
      case 19: case 20: function(x, true); break;
      case 21: case 22: with_constant(x); break;
      case 23: pair(x); break;
      case 24: pad(x); break;
      case 25: slice(x); break;
      case 26: case 27: move(x); break;
      case 28: reduce(x); break;
      case 29: by_pieces(x); break;
      case 30: decoder(x); break;
      default: several(x); break;
    }
  }
  // Tensors of 1, 2, 3 and 5 dimensions.
  void add_block_of_rows(const tensor& x) {
    switch (pick(0, 11)) {
      case 0: case 1: case 2: product_with_matrix(x); break;
      case 3: function(x, true); break;
      case 4: with_constant(x); break;
      case 5: pair(x); break;
      case 6: reshape(x); break;
      case 7: transpose(x); break;
      case 8: reduce(x); break;
      case 9: branches_of_rows(x); break;
      case 10: row_normalisation(x); break;
      default: as_features(x); break;
    }
  }

  // ---- layers of features [1, C, H, W]

  struct side {
    std::int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
    std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
    std::int64_t positions(std::int64_t size, bool ceil = false) const {
      const auto room = size + before + after - extent();
      return (ceil ? (room + stride - 1) / stride : room / stride) + 1;
    }
  };
  side window_side(std::int64_t size, bool dilated, std::int64_t most = 5) {
    side s{pick64(1, most), one_in(2) ? 1 : pick(1, 3), dilated && one_in(4) ? pick(2, 3) : 1, 0,
           0};
    if (one_in(3)) s.kernel = std::min<std::int64_t>(3, most);
    while (s.extent() > size && s.dilation > 1) --s.dilation;
    while (s.extent() > size) --s.kernel;
    const auto reach = s.kernel - 1;
    if (!one_in(3)) s.before = s.after = one_in(2) ? s.extent() / 2 : pick64(0, reach);
    if (one_in(5)) s.after = pick64(0, reach);
    s.before = std::min(s.before, reach);
    s.after = std::min(s.after, reach);
    return s;
  }
  static std::vector<attribute> window(const side& h, const side& w, bool dilated) {
    std::vector<attribute> a{{"kernel_shape", list{h.kernel, w.kernel}},
                             {"strides", list{h.stride, w.stride}},
                             {"pads", list{h.before, w.before, h.after, w.after}}};
    if (dilated) a.push_back({"dilations", list{h.dilation, w.dilation}});
    return a;
  }
  // SAME_UPPER, SAME_LOWER or VALID in place of pads.
  // Perhaps in place of pads. ONNX Runtime counts those of dilated poolings as if they were not
  // dilated, and gives poolings that leave elements out negative ones.
  void auto_pad(std::vector<attribute>& a, side& h, side& w, const tensor& x, bool pooling) {
    if (!one_in(6)) return;
    const auto how = word_of({"SAME_UPPER", "SAME_LOWER", "VALID"});
    const auto differs = [](const side& s) { return s.dilation != 1 || s.stride > s.kernel; };
    if (pooling && how != "VALID" && (differs(h) || differs(w))) return;
    a.erase(a.begin() + 2);
    a.push_back({"auto_pad", how});
    for (auto [s, size] : {std::pair<side*, std::int64_t>{&h, x.h()}, {&w, x.w()}}) {
      s->before = s->after = 0;
      if (how == "VALID") continue;
      const auto out = (size + s->stride - 1) / s->stride;
      s->after = std::max<std::int64_t>(0, (out - 1) * s->stride + s->extent() - size);
    }
  }

  tensor convolution(const tensor& x, std::int64_t kernels = 0, std::int64_t same = 0) {
    std::int64_t groups = 1;
    if (kernels == 0) kernels = pick(1, limits_.channels);
    side h = window_side(x.h(), true), w = one_in(2) ? window_side(x.w(), true) : h;
    if (w.extent() > x.w()) w = window_side(x.w(), true);
    if (same != 0) {
      h = w = {same, 1, 1, same / 2, same / 2};
      if (one_in(6) && same == 3 && x.h() > 4 && x.w() > 4) h = w = {3, 1, 2, 2, 2};
    }
    if (one_in(4)) {
      if (same == 0 && one_in(2)) groups = kernels = x.c();
      else if (const auto g = of({2, 3, 4}); x.c() % g == 0 && kernels % g == 0) groups = g;
      if (groups == x.c() && one_in(4)) kernels *= 2;
      if (same != 0 && groups == x.c()) {
        groups = 1;
        kernels = std::min(kernels, x.c());
      }
    }
    const auto taps = x.c() / groups * h.kernel * w.kernel;
    const dims form{kernels, x.c() / groups, h.kernel, w.kernel};
    const auto weight = shared_form_ == form && one_in(3)  // layers that share their weights
                            ? shared_
                            : add_weights(form, std::sqrt(3.0 / static_cast<double>(taps)));
    shared_ = weight;
    shared_form_ = form;
    std::vector<std::string> in{x.name, weight.name};
    if (one_in(2)) in.push_back(add_bias(x, weight, kernels));
    auto a = window(h, w, h.dilation * w.dilation != 1 || one_in(2));
    if (same == 0) auto_pad(a, h, w, x, false);
    if (groups != 1 || one_in(2)) a.push_back({"group", groups});
    return append("Conv", std::move(in), {1, kernels, h.positions(x.h()), w.positions(x.w())}, a);
  }
  tensor deconvolution(const tensor& x) {
    if (x.h() > 20 || x.w() > 20) return x;
    std::int64_t kernels = pick(1, 12), groups = 1;
    if (one_in(4)) groups = kernels = x.c();
    const std::int64_t stride = pick(1, 3),
                       kernel = std::max<std::int64_t>(1, stride + pick(-1, 2));
    const side s{kernel, stride, 1, pick64(0, (kernel - 1) / 2), 0};
    const std::int64_t more = one_in(3) && stride > 1 ? pick64(0, stride - 1) : 0;
    const auto weight = add_weights({x.c(), kernels / groups, kernel, kernel},
                                    std::sqrt(3.0 / static_cast<double>(x.c() / groups)), 1);
    std::vector<std::string> in{x.name, weight.name};
    if (one_in(2) && !quantised_) in.push_back(add_bias(x, weight, kernels));
    std::vector<attribute> a{{"kernel_shape", list{kernel, kernel}},
                             {"strides", list{stride, stride}},
                             {"pads", list{s.before, s.before, s.before, s.before}}};
    if (groups != 1) a.push_back({"group", groups});
    if (more != 0) a.push_back({"output_padding", list{more, more}});
    const auto grown = [&](std::int64_t n) {
      return (n - 1) * stride + kernel - 2 * s.before + more;
    };
    if (grown(x.h()) < 1 || grown(x.w()) < 1) return x;
    return append("ConvTranspose", in, {1, kernels, grown(x.h()), grown(x.w())}, a);
  }
  tensor pool(const tensor& x) {
    if (one_in(6)) {
      const auto type = word_of({"GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool",
                                 "GlobalLpPool"});
      return append(type, {x.name}, {1, x.c(), 1, 1}, {}, x.positive || type == "GlobalLpPool");
    }
    const auto type = word_of({"MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"});
    const bool dilated = type == "MaxPool" && one_in(6);
    side h = window_side(x.h(), dilated), w = one_in(2) ? window_side(x.w(), dilated) : h;
    if (w.extent() > x.w()) w = window_side(x.w(), dilated);
    auto a = window(h, w, dilated);
    bool ceil = false;
    if (type != "LpPool" && one_in(3)) {
      const auto fits = [](const side& s, std::int64_t size) {  // no window begins in the padding
        return (s.positions(size, true) - 1) * s.stride < size + s.before;
      };
      ceil = fits(h, x.h()) && fits(w, x.w());
      if (ceil) a.push_back({"ceil_mode", std::int64_t{1}});
    }
    if (type == "AveragePool" && one_in(2)) a.push_back({"count_include_pad", std::int64_t{1}});
    if (type == "LpPool") a.push_back({"p", std::int64_t{pick(1, 2)}});
    if (!ceil) auto_pad(a, h, w, x, true);
    return append(type, {x.name}, {1, x.c(), h.positions(x.h(), ceil), w.positions(x.w(), ceil)}, a,
                  x.positive || type == "LpPool");
  }
  // Perhaps a normalisation behind a convolution; `always` any of them.
  tensor norm(const tensor& x, bool always = false) {
    if (!always && !one_in(3)) return x;
    const auto c = x.c();
    if (quantised_) return x;
    if (!always || one_in(2)) {
      const float epsilon = one_in(2) ? 1e-3F : 1e-5F;
      return append("BatchNormalization",
                    {x.name, floats({c}, numbers(c, 0.5, 1.5)), floats({c}, numbers(c, -0.5, 0.5)),
                     floats({c}, numbers(c, -0.5, 0.5)), floats({c}, numbers(c, 0.3, 2))},
                    x.shape, {{"epsilon", epsilon}});
    }
    const bool alone = x.h() * x.w() == 1;  // whose deviation is rounding divided by rounding
    switch (pick(0, 4)) {
      case 0:
        m_.has_jumps = m_.has_jumps || alone;
        return append(
            "InstanceNormalization",
            {x.name, floats({c}, numbers(c, 0.5, 1.5)), floats({c}, numbers(c, -0.5, 0.5))},
            x.shape);
      case 1:
        return append("LRN", {x.name}, x.shape,
                      {{"size", std::int64_t{of({3, 5})}},
                       {"alpha", static_cast<float>(between(0.0001, 1))},
                       {"beta", 0.75F},
                       {"bias", 1.0F}});
      case 2:
        if (c == 1) return x;  // every number would be 1 or -1
        m_.has_jumps = true;   // where all numbers of a norm are near 0
        return append("LpNormalization", {x.name}, x.shape,
                      {{"axis", std::int64_t{1}}, {"p", std::int64_t{2}}});
      case 3:
        if (m_.opset >= 21 && c % 2 == 0) {
          m_.has_jumps = m_.has_jumps || (alone && c == 2);
          return append(
              "GroupNormalization",
              {x.name, floats({c}, numbers(c, 0.5, 1.5)), floats({c}, numbers(c, -0.5, 0.5))},
              x.shape, {{"num_groups", std::int64_t{2}}});
        }
        [[fallthrough]];
      default:
        m_.has_jumps = true;  // where a channel is constant: rounding divided by rounding
        return append("MeanVarianceNormalization", {x.name}, x.shape);
    }
  }
  // Perhaps a function behind a layer; `always` any of all.
  tensor function(const tensor& x, bool always = false) {
    if (!always && one_in(3)) return x;
    const auto plain = [&](const char* type, bool positive = false,
                           std::vector<attribute> a = {}) {
      return append(type, {x.name}, x.shape, std::move(a), positive);
    };
    switch (pick(0, always ? 31 : 9)) {
      case 0: case 1: case 2: return plain("Relu", true);
      case 3:
      case 4:
        return append("Clip", {x.name, scalar(0), scalar(of({1, 6}))}, x.shape, {}, true);
      case 5: return plain("LeakyRelu", false, {{"alpha", static_cast<float>(between(0.01, 0.4))}});
      case 6: {
        dims slopes{x.rank() == 4 ? x.c() : 1};
        if (x.rank() == 4) slopes = {x.c(), 1, 1};
        return append("PRelu", {x.name, floats(slopes, numbers(slopes[0], -0.2, 0.5))}, x.shape);
      }
      case 7: return swish(x);
      case 8: return plain("Sigmoid", true);
      case 9: return m_.opset >= 14 ? plain("HardSwish") : hard_swish(x);
      case 10:
        return append("Clip", {x.name, scalar(between(-1, 0)), scalar(between(0.1, 1))}, x.shape);
      case 11: return plain("Tanh");
      case 12: return plain("Elu", false, {{"alpha", static_cast<float>(between(0.5, 1.2))}});
      case 13:
        return plain("HardSigmoid", true, {{"alpha", static_cast<float>(between(0.1, 0.3))}});
      case 14: return plain("Softplus", true);
      case 15: return plain("Abs", true);
      case 16: return plain("Neg");
      case 17: return plain("Exp", true);
      case 18: return plain(word_of({"Sin", "Cos", "Atan", "Erf", "Softsign", "Sinh"}).c_str());
      case 19: return plain("Selu");
      case 20: return plain("Celu", false, {{"alpha", 1.0F}});
      case 21: return plain("ThresholdedRelu", true, {{"alpha", 0.0F}});
      case 22: return plain("Identity", x.positive);
      case 23: return append("Sqrt", {plain("Abs", true).name}, x.shape, {}, true);
      case 24: return append("Clip", {x.name, "", scalar(between(0.2, 1))}, x.shape);
      case 25: return append("Max", {x.name, scalar(between(-0.5, 0.3))}, x.shape);
      case 26: return append("Min", {x.name, scalar(between(0, 0.8))}, x.shape);
      case 27: return plain("Dropout", x.positive);
      case 28: return plain("Cast", x.positive, {{"to", std::int64_t{1}}});
      case 29: {
        const bool is_soft = one_in(2);
        m_.has_jumps = m_.has_jumps || !is_soft;
        return plain("Shrink", false, {{"lambd", 0.2F}, {"bias", is_soft ? 0.2F : 0.0F}});
      }
      case 30: return m_.opset >= 20 ? plain("Gelu") : plain("Softsign");
      default: return jump(x);
    }
  }
  tensor jump(const tensor& x) {
    m_.has_jumps = true;
    const auto type = word_of({"Round", "Floor", "Ceil", "Sign"});
    const auto larger = append("Mul", {x.name, scalar(between(2, 8))}, x.shape, {}, x.positive);
    return append(type, {larger.name}, x.shape, {}, x.positive);
  }
  // Functions as exporters write them.
  tensor swish(const tensor& x) {
    const auto s = append("Sigmoid", {x.name}, x.shape, {}, true);
    return append("Mul", one_in(2) ? std::vector{x.name, s.name} : std::vector{s.name, x.name},
                  x.shape);
  }
  tensor hard_swish(const tensor& x) {
    const auto up = append("Add", {x.name, scalar(3)}, x.shape);
    const auto clipped = append("Clip", {up.name, scalar(0), scalar(6)}, x.shape, {}, true);
    if (one_in(2)) {
      const auto part = append("Div", {clipped.name, scalar(6)}, x.shape, {}, true);
      return append("Mul", {x.name, part.name}, x.shape);
    }
    const auto product = append("Mul", {x.name, clipped.name}, x.shape);
    return append("Div", {product.name, scalar(6)}, x.shape);
  }
  tensor by_pieces(const tensor& x) {
    switch (pick(0, 4)) {
      case 0: {  // GELU
        const auto root = append("Div", {x.name, scalar(1.41421356)}, x.shape);
        const auto erf = append("Erf", {root.name}, x.shape);
        const auto one = append("Add", {erf.name, scalar(1)}, x.shape, {}, true);
        const auto product = append("Mul", {x.name, one.name}, x.shape);
        return append("Mul", {product.name, scalar(0.5)}, x.shape);
      }
      case 1: {  // mish
        const auto s = append("Softplus", {x.name}, x.shape, {}, true);
        const auto t = append("Tanh", {s.name}, x.shape, {}, true);
        return append("Mul", {x.name, t.name}, x.shape);
      }
      case 2: {  // by the length of the vector of channels
        const auto square = append("Mul", {x.name, x.name}, x.shape, {}, true);
        std::vector<std::string> in{square.name};
        std::vector<attribute> a{{"keepdims", std::int64_t{1}}};
        give_axes(13, {1}, in, a);
        dims one = x.shape;
        one[1] = 1;
        const auto sum = append("ReduceSum", in, one, a, true);
        const auto moved = append("Add", {sum.name, scalar(0.1)}, one, {}, true);
        const auto root = append("Sqrt", {moved.name}, one, {}, true);
        return append("Div", {x.name, root.name}, x.shape);
      }
      case 3: return hard_swish(x);
      default: {  // 1 / (1 + exp(-x))
        const auto minus = append("Neg", {x.name}, x.shape);
        const auto e = append("Exp", {minus.name}, x.shape, {}, true);
        const auto one = append("Add", {e.name, scalar(1)}, x.shape, {}, true);
        return one_in(2) ? append("Reciprocal", {one.name}, x.shape, {}, true)
                         : append("Div", {scalar(1), one.name}, x.shape, {}, true);
      }
    }
  }

  // A tensor of the same shape, there already or made of x.
  tensor partner(const tensor& x) {
    std::vector<tensor> fitting;
    for (const auto& t : known_)
      if (t.shape == x.shape) fitting.push_back(t);
    if (fitting.size() > 1 && one_in(2))
      return fitting[static_cast<std::size_t>(pick(0, static_cast<int>(fitting.size()) - 1))];
    if (x.rank() == 4) return function(convolution(x, x.c(), 3));
    return function(x, true);
  }
  tensor residual(const tensor& x) {
    const auto first = function(norm(convolution(x, x.c(), of({1, 3}))));
    const auto second = norm(convolution(first, x.c(), of({1, 3})));
    const auto& short_cut = one_in(4) ? function(convolution(x, x.c(), 1)) : x;
    if (short_cut.shape != second.shape) return second;
    const auto a = one_in(4) ? function(second) : second;
    const auto sum = append("Add", one_in(2) ? std::vector{a.name, short_cut.name}
                                             : std::vector{short_cut.name, a.name},
                            a.shape, {}, a.positive && short_cut.positive);
    return function(sum);
  }
  tensor inverted_residual(const tensor& x) {
    const auto wide = function(norm(convolution(x, 2 * x.c(), 1)));
    std::vector<attribute> a{{"kernel_shape", list{3, 3}}, {"pads", list{1, 1, 1, 1}},
                             {"group", wide.c()}};
    const auto w = add_weights({wide.c(), 1, 3, 3}, 0.57);
    const auto deep = function(norm(append("Conv", {wide.name, w.name}, wide.shape, a)));
    const auto narrow = norm(convolution(deep, x.c(), 1));
    if (narrow.shape != x.shape) return narrow;
    return append("Add", {x.name, narrow.name}, x.shape);
  }
  tensor pair(const tensor& x) {
    const auto other = one_in(6) && x.rank() == 4 && x.size() > x.c() ? row_of_channels(x)
                                                                      : partner(x);
    const auto type = word_of({"Add", "Add", "Mul", "Sub", "Max", "Min"});
    const bool turned = other.shape == x.shape && one_in(2);
    const auto result =
        append(type, turned ? std::vector{other.name, x.name} : std::vector{x.name, other.name},
               x.shape, {}, type != "Sub" && x.positive && other.positive);
    return function(result);
  }
  tensor row_of_channels(const tensor& x) {
    const auto mean = append("GlobalAveragePool", {x.name}, {1, x.c(), 1, 1}, {}, x.positive);
    return one_in(2) ? mean : function(convolution(mean, x.c(), 1));
  }
  tensor several(const tensor& x) {
    const auto b = partner(x), c = partner(x);
    if (b.shape != x.shape || c.shape != x.shape) return x;
    const auto type = word_of({"Sum", "Mean", "Max", "Min"});
    return function(append(type, {x.name, b.name, c.name}, x.shape, {},
                           x.positive && b.positive && c.positive));
  }
  tensor squeeze_and_excite(const tensor& x) {
    tensor mean;
    if (one_in(2)) mean = append("GlobalAveragePool", {x.name}, {1, x.c(), 1, 1}, {}, x.positive);
    else {
      std::vector<std::string> in{x.name};
      std::vector<attribute> a{{"keepdims", std::int64_t{1}}};
      give_axes(18, {2, 3}, in, a);
      mean = append("ReduceMean", in, {1, x.c(), 1, 1}, a, x.positive);
    }
    const auto few = function(convolution(mean, std::max<std::int64_t>(1, x.c() / 2), 1));
    const auto all = convolution(few, x.c(), 1);
    const auto gate = one_in(2) ? append("Sigmoid", {all.name}, all.shape, {}, true)
                                : append("HardSigmoid", {all.name}, all.shape, {}, true);
    if (gate.shape[1] != x.c()) return gate;
    return append("Mul",
                  one_in(2) ? std::vector{gate.name, x.name} : std::vector{x.name, gate.name},
                  x.shape, {}, x.positive);
  }
  // Places as tokens, a matrix for each, and perhaps back.
  tensor tokens(const tensor& x) {
    const dims rows{1, x.c(), x.h() * x.w()};
    const auto t = transposed(reshaped(x, rows), {0, 2, 1});
    auto y = one_in(4) ? row_normalisation(t) : t;
    y = product_with_matrix(y);
    if (y.shape == t.shape && one_in(2)) y = append("Add", {y.name, t.name}, y.shape);
    if (one_in(5)) return reduce(y);
    if (one_in(3)) return y;
    const auto back = transposed(y, {0, 2, 1});
    return reshaped(back, {1, y.shape[2], x.h(), x.w()});
  }
  // Mean and maximum over channels, a window over both, and a factor for each place.
  tensor attention_of_places(const tensor& x) {
    const dims one{1, 1, x.h(), x.w()};
    std::vector<tensor> parts;
    for (const char* type : {"ReduceMean", "ReduceMax"}) {
      std::vector<std::string> in{x.name};
      std::vector<attribute> a{{"keepdims", std::int64_t{1}}};
      give_axes(18, {1}, in, a);
      parts.push_back(append(type, in, one, a, x.positive));
    }
    const auto both = joined(parts, 1);
    const auto w = add_weights({1, 2, 3, 3}, 0.4);
    const auto seen = append("Conv", {both.name, w.name}, one,
                             {{"kernel_shape", list{3, 3}}, {"pads", list{1, 1, 1, 1}}});
    const auto factor = append("HardSigmoid", {seen.name}, one, {}, true);
    return append("Mul", {x.name, factor.name}, x.shape, {}, x.positive);
  }
  // Slices of channels that a concat brings together again, all or some, in their order or another.
  tensor cut_and_joined(const tensor& x) {
    if (x.c() < 3) return slice(x);
    const auto cut = [&](std::int64_t first, std::int64_t end) {
      return append("Slice", {x.name, integers({first}), integers({end}), integers({1})},
                    {1, end - first, x.h(), x.w()}, {}, x.positive);
    };
    const auto a = pick64(1, x.c() - 2), b = pick64(a + 1, x.c() - 1);
    const auto first = cut(0, a), middle = cut(a, b), last = cut(b, x.c());
    switch (pick(0, 3)) {
      case 0: return joined({joined({first, middle}, 1), last}, 1);
      case 1: return joined({first, middle, function(middle)}, 1);
      case 2: return joined({middle, last, first}, 1);
      default: return joined({first, function(middle), last}, 1);
    }
  }
  tensor gate(const tensor& x) {
    const auto a = convolution(x, x.c(), 1), b = function(convolution(x, x.c(), 3));
    if (a.shape != b.shape) return a;
    return function(append(word_of({"Mul", "Max", "Min", "Add"}), {a.name, b.name}, a.shape));
  }
  tensor joined(const std::vector<tensor>& parts, std::size_t axis) {
    dims shape = parts[0].shape;
    std::vector<std::string> in;
    shape[axis] = 0;
    bool positive = true;
    for (const auto& p : parts) {
      in.push_back(p.name);
      shape[axis] += p.shape[axis];
      positive = positive && p.positive;
    }
    const auto named = static_cast<std::int64_t>(axis) -
                       (one_in(4) ? static_cast<std::int64_t>(shape.size()) : 0);
    return append("Concat", in, shape, {{"axis", named}}, positive);
  }
  tensor branches(const tensor& x) {
    std::vector<tensor> parts;
    for (int n = pick(2, 4); n > 0; --n) {
      if (one_in(5)) parts.push_back(x);
      else if (one_in(5)) {
        parts.push_back(append(one_in(2) ? "MaxPool" : "AveragePool", {x.name}, x.shape,
                               {{"kernel_shape", list{3, 3}}, {"pads", list{1, 1, 1, 1}},
                                {"strides", list{1, 1}}},
                               x.positive));
      } else {
        const int kernels = pick(1, 12);
        parts.push_back(function(convolution(x, kernels, of({1, 3}))));
      }
    }
    std::erase_if(parts, [&](const tensor& p) { return p.h() != x.h() || p.w() != x.w(); });
    if (parts.size() < 2) return x;
    if (one_in(6)) return joined({x, x}, static_cast<std::size_t>(pick(2, 3)));
    return joined(parts, 1);
  }
  tensor decoder(const tensor& x) {
    if (x.h() < 4 || x.w() < 4 || x.h() % 2 != 0 || x.w() % 2 != 0) return resize(x);
    const auto down = append("MaxPool", {x.name}, {1, x.c(), x.h() / 2, x.w() / 2},
                             {{"kernel_shape", list{2, 2}}, {"strides", list{2, 2}}}, x.positive);
    const auto deep = function(norm(convolution(down, pick(2, limits_.channels), 3)));
    const auto up = twice(deep);
    if (up.h() != x.h() || up.w() != x.w()) return up;
    const auto both = joined(one_in(2) ? std::vector{up, x} : std::vector{x, up}, 1);
    return function(convolution(both, pick(1, limits_.channels), 3));
  }
  tensor twice(const tensor& x) {
    const dims shape{1, x.c(), 2 * x.h(), 2 * x.w()};
    if (!quantised_ && one_in(3)) {
      const auto w =
          add_weights({x.c(), x.c(), 2, 2}, std::sqrt(3.0 / static_cast<double>(x.c())), 1);
      return append("ConvTranspose", {x.name, w.name}, shape,
                    {{"kernel_shape", list{2, 2}}, {"strides", list{2, 2}}});
    }
    const auto mode = resize_mode(one_in(2));
    return append("Resize", {x.name, no_region(), floats({4}, {1, 1, 2, 2})}, shape, mode,
                  x.positive);
  }
  std::vector<attribute> resize_mode(bool linear) {
    if (linear)
      return {{"mode", std::string("linear")},
              {"coordinate_transformation_mode",
               word_of({"half_pixel", "align_corners", "pytorch_half_pixel", "asymmetric"})}};
    return {{"mode", std::string("nearest")}, {"nearest_mode", std::string("floor")},
            {"coordinate_transformation_mode", std::string("asymmetric")}};
  }
  // The region that opsets before 13 want as an input, although it says nothing.
  std::string no_region() { return m_.opset < 13 ? floats({0}, {}) : std::string(); }
  tensor resize(const tensor& x) {
    if (x.h() > 16 || x.w() > 16) return x;
    const auto times_h = pick(1, 3), times_w = pick(1, 3);
    const dims shape{1, x.c(), x.h() * times_h, x.w() * times_w};
    const auto mode = resize_mode(one_in(2));
    if (one_in(2))
      return append("Resize",
                    {x.name, no_region(), floats({4}, {1, 1, 1.0 * times_h, 1.0 * times_w})}, shape,
                    mode, x.positive);
    return append("Resize", {x.name, no_region(), no_region(), integers(shape)}, shape, mode,
                  x.positive);
  }

  // ---- arithmetic with constants

  tensor with_constant(const tensor& x) {
    const auto type = word_of({"Add", "Sub", "Mul", "Div", "Mul", "Add", "Pow"});
    if (type == "Pow")
      return append("Pow", {x.name, scalar(of({2, 2, 3}))}, x.shape);
    dims shape;
    if (x.rank() == 4) {
      const int form = pick(0, 4);
      if (form == 1) shape = {1, x.c(), 1, 1};
      if (form == 2) shape = {x.c(), 1, 1};
      if (form == 3) shape = {1};
      if (form == 4 && x.size() < 3000) shape = x.shape;
    } else if (one_in(2)) {
      shape = {x.shape.back()};
    }
    auto v = numbers(count_of(shape), 0.4, 1.6);
    if (type != "Div")
      for (double& e : v) e -= one_in(3) ? 1.2 : 0;
    const auto c = floats(shape, std::move(v));
    const bool turned = (type == "Sub" || type == "Mul" || type == "Add") && one_in(3);
    return append(type, turned ? std::vector{c, x.name} : std::vector{x.name, c}, x.shape);
  }

  // ---- moves

  tensor pad(const tensor& x) {
    const auto mode = word_of({"constant", "constant", "reflect", "edge"});
    const auto most = mode == "reflect" ? std::min<std::int64_t>({3, x.h() - 1, x.w() - 1}) : 3;
    const std::int64_t top = pick64(0, most), left = pick64(0, most), bottom = pick64(0, most),
                       right = pick64(0, most);
    std::vector<std::string> in{x.name, integers({0, 0, top, left, 0, 0, bottom, right})};
    bool positive = x.positive;
    if (mode == "constant" && one_in(3)) {
      in.push_back(scalar(between(-1, 1)));
      positive = false;
    }
    return append("Pad", in, {1, x.c(), x.h() + top + bottom, x.w() + left + right},
                  {{"mode", mode}}, positive);
  }
  tensor slice(const tensor& x) {
    const auto axis = static_cast<std::size_t>(pick(1, static_cast<int>(x.rank()) - 1));
    const auto size = x.shape[axis];
    if (size < 2) return x;
    const std::int64_t first = pick64(0, size / 2), step = one_in(3) ? 2 : 1;
    const std::int64_t end = pick64(first + 1, size);
    dims shape = x.shape;
    shape[axis] = (end - first + step - 1) / step;
    const auto last = one_in(3) ? (end == size ? std::int64_t{1} << 40 : end - size) : end;
    const auto named = static_cast<std::int64_t>(axis) -
                       (one_in(4) ? static_cast<std::int64_t>(x.rank()) : 0);
    return append("Slice", {x.name, integers({first}), integers({last}), integers({named}),
                            integers({step})},
                  shape, {}, x.positive);
  }
  tensor split(const tensor& x) {
    const std::int64_t n = of({2, 2, 3, 4});
    if (x.c() % n != 0) return slice(x);
    dims part = x.shape;
    part[1] = x.c() / n;
    std::vector<std::string> in{x.name};
    std::vector<attribute> a{{"axis", std::int64_t{1}}};
    const list sizes(static_cast<std::size_t>(n), part[1]);
    if (m_.opset >= 13) in.push_back(integers(sizes));
    else a.push_back({"split", sizes});
    read_.insert(x.name);
    node made{"Split", in, {}, a, {}};
    std::vector<tensor> parts;
    for (std::int64_t i = 0; i < n; ++i) {
      parts.push_back({fresh("t"), part, x.positive, 0});
      made.outputs.push_back(parts.back().name);
    }
    m_.nodes.push_back(std::move(made));
    for (auto& p : parts) {
      m_.shapes[p.name] = part;
      if (quantised_) p = with_scale(p, x.step);
      p = keep(p);
    }
    const auto made_of_first = function(convolution(parts[0], part[1], 3));
    std::vector<tensor> all{made_of_first};
    all.insert(all.end(), parts.begin() + (one_in(2) ? 0 : 1), parts.end());
    std::erase_if(all, [&](const tensor& p) { return p.h() != x.h() || p.w() != x.w(); });
    return all.size() > 1 ? joined(all, 1) : all[0];
  }
  tensor reshaped(const tensor& x, const dims& shape) {
    list told = shape;
    if (one_in(3)) told[static_cast<std::size_t>(pick(0, static_cast<int>(told.size()) - 1))] = -1;
    else if (one_in(4) && shape[0] == x.shape[0]) told[0] = 0;
    return append("Reshape", {x.name, integers(told)}, shape, {}, x.positive);
  }
  tensor transposed(const tensor& x, const list& order) {
    dims shape;
    for (const auto axis : order) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
    return append("Transpose", {x.name}, shape, {{"perm", order}}, x.positive);
  }
  tensor move(const tensor& x) {
    switch (pick(0, 12)) {
      case 0: {  // a shuffle of channels
        const std::int64_t g = of({2, 3, 4});
        if (x.c() % g != 0) return transposed(x, {0, 1, 3, 2});
        const auto apart = reshaped(x, {1, g, x.c() / g, x.h(), x.w()});
        return reshaped(transposed(apart, {0, 2, 1, 3, 4}), x.shape);
      }
      case 1: return transposed(x, {0, 2, 3, 1});
      case 2: return transposed(x, {0, 1, 3, 2});
      case 3: {
        if (x.c() % 4 != 0) return slice(x);
        return append("DepthToSpace", {x.name}, {1, x.c() / 4, 2 * x.h(), 2 * x.w()},
                      {{"blocksize", std::int64_t{2}}, {"mode", word_of({"DCR", "CRD"})}},
                      x.positive);
      }
      case 4: {
        if (x.h() % 2 != 0 || x.w() % 2 != 0) return slice(x);
        return append("SpaceToDepth", {x.name}, {1, 4 * x.c(), x.h() / 2, x.w() / 2},
                      {{"blocksize", std::int64_t{2}}}, x.positive);
      }
      case 5: {  // rows of features, as detectors leave them
        const auto rows = reshaped(x, {1, x.c(), x.h() * x.w()});
        return one_in(2) ? rows : transposed(rows, {0, 2, 1});
      }
      case 6: {
        const auto axis = std::int64_t{of({1, 1, 2, 3})};
        const auto left = std::accumulate(x.shape.begin(), x.shape.begin() + axis, std::int64_t{1},
                                          std::multiplies<>());
        return append("Flatten", {x.name}, {left, x.size() / left}, {{"axis", axis}}, x.positive);
      }
      case 7: return view(x);
      case 8: {
        const dims shape{1, x.c(), x.h() * 2, x.w()};
        return append("Tile", {x.name, integers({1, 1, 2, 1})}, shape, {}, x.positive);
      }
      case 9: {
        list which;
        for (int n = pick(1, 4); n > 0; --n) which.push_back(pick64(0, x.c() - 1));
        return append("Gather", {x.name, integers(which)},
                      {1, static_cast<std::int64_t>(which.size()), x.h(), x.w()},
                      {{"axis", std::int64_t{1}}}, x.positive);
      }
      case 10: {
        if (x.w() != 1) return reshaped(x, {1, x.c(), x.h() * x.w(), 1});
        std::vector<std::string> in{x.name};
        std::vector<attribute> a;
        give_axes(13, {3}, in, a);
        return append("Squeeze", in, {1, x.c(), x.h()}, a, x.positive);
      }
      case 11: {
        const auto mean = append("GlobalMaxPool", {x.name}, {1, x.c(), 1, 1}, {}, x.positive);
        const dims shape{1, x.c(), pick(1, 6), pick(1, 6)};
        return append("Expand", {mean.name, integers(shape)}, shape, {}, x.positive);
      }
      default: {  // focus
        if (x.h() % 2 != 0 || x.w() % 2 != 0 || x.h() < 4 || x.w() < 4) return slice(x);
        std::vector<tensor> parts;
        const dims shape{1, x.c(), x.h() / 2, x.w() / 2};
        for (std::int64_t i = 0; i < 4; ++i)
          parts.push_back(append("Slice", {x.name, integers({i % 2, i / 2}),
                                           integers({x.h(), x.w()}), integers({2, 3}),
                                           integers({2, 2})},
                                 shape, {}, x.positive));
        return joined(parts, 1);
      }
    }
  }
  // x.view(x.size(0), -1) as it is exported.
  tensor view(const tensor& x) {
    if (x.shape[0] != 1) return reshaped(x, {1, x.size()});
    const auto shape = add_node("Shape", {x.name});
    const auto first = add_node("Gather", {shape, whole(0)}, {{"axis", std::int64_t{0}}});
    std::vector<std::string> in{first};
    std::vector<attribute> a;
    give_axes(13, {0}, in, a);
    const auto row = add_node("Unsqueeze", in, a);
    const auto sizes = add_node("Concat", {row, integers({-1})}, {{"axis", std::int64_t{0}}});
    return append("Reshape", {x.name, sizes}, {1, x.size()}, {}, x.positive);
  }
  tensor reduce(const tensor& x) {
    if (x.rank() < 2) return function(x, true);
    const auto type = word_of({"ReduceMean", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin",
                               "ReduceL2", "ReduceL1", "ReduceSumSquare"});
    list axes =
        x.rank() == 4
            ? std::vector<list>{{2, 3}, {1}, {2}, {3}, {-1}}[static_cast<std::size_t>(pick(0, 4))]
            : list{static_cast<std::int64_t>(x.rank()) - 1};
    const bool kept = one_in(2);
    dims shape;
    double terms = 1;
    for (std::size_t d = 0; d < x.rank(); ++d) {
      const bool reduced = std::ranges::any_of(axes, [&](std::int64_t a) {
        return a == static_cast<std::int64_t>(d) ||
               a + static_cast<std::int64_t>(x.rank()) == static_cast<std::int64_t>(d);
      });
      if (reduced) terms *= static_cast<double>(x.shape[d]);
      if (!reduced || kept) shape.push_back(reduced ? 1 : x.shape[d]);
    }
    std::vector<std::string> in{x.name};
    std::vector<attribute> a{{"keepdims", std::int64_t{kept}}};
    give_axes(type == "ReduceSum" ? 13 : 18, axes, in, a);
    const auto result = append(type, in, shape, a, x.positive || type.find('L') != type.npos);
    const bool grows = type == "ReduceSum" || type == "ReduceL1" || type == "ReduceSumSquare";
    return grows && terms > 4 ? append("Mul", {result.name, scalar(1 / terms)}, shape) : result;
  }

  // ---- rows

  tensor product_with_matrix(const tensor& x) {
    if (x.rank() == 1) return reshaped(x, {1, x.size()});
    const auto n = x.shape.back(), outputs = pick64(1, 30);
    const double most = std::sqrt(3.0 / static_cast<double>(n));
    dims shape = x.shape;
    shape.back() = outputs;
    if (x.rank() == 2 && one_in(2)) {
      const bool turned = one_in(2);
      const auto w =
          add_weights(turned ? dims{outputs, n} : dims{n, outputs}, most, turned ? 0 : 1);
      std::vector<std::string> in{x.name, w.name};
      if (one_in(2)) in.push_back(add_bias(x, w, outputs));
      std::vector<attribute> a;
      if (turned) a.push_back({"transB", std::int64_t{1}});
      if (!quantised_ && one_in(4)) a.push_back({"alpha", static_cast<float>(between(0.5, 1.5))});
      if (!quantised_ && one_in(4)) a.push_back({"beta", static_cast<float>(between(0.5, 1.5))});
      return function(append("Gemm", in, shape, a));
    }
    const auto w = add_weights({n, outputs}, most, 1);
    auto y = append("MatMul", {x.name, w.name}, shape);
    if (one_in(2))
      y = append("Add", {y.name, floats({outputs}, numbers(outputs, -0.5, 0.5))}, shape);
    return function(y);
  }
  tensor reshape(const tensor& x) {
    const auto n = x.size();
    for (const std::int64_t d : {pick(2, 8), 2, 3, 5})
      if (n % d == 0) return reshaped(x, one_in(2) ? dims{1, d, n / d} : dims{1, d, n / d, 1});
    return reshaped(x, {1, n});
  }
  tensor transpose(const tensor& x) {
    if (x.rank() < 3) return function(x, true);
    list order(x.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[x.rank() - 1],
              order[static_cast<std::size_t>(pick(1, static_cast<int>(x.rank()) - 2))]);
    return transposed(x, order);
  }
  tensor branches_of_rows(const tensor& x) {
    const auto other = function(x, true);
    if (other.shape != x.shape) return x;
    return joined({x, other}, x.rank() - 1);
  }
  tensor row_normalisation(const tensor& x) {
    const auto n = x.shape.back();
    const auto last_axis = static_cast<std::int64_t>(x.rank()) - 1;
    if (!quantised_ && m_.opset >= 17 && one_in(2) && x.rank() > 1)
      return append("LayerNormalization",
                    {x.name, floats({n}, numbers(n, 0.5, 1.5)), floats({n}, numbers(n, -0.5, 0.5))},
                    x.shape, {{"axis", std::int64_t{-1}}});
    return append("Softmax", {x.name}, x.shape, {{"axis", last_axis}}, true);
  }
  tensor as_features(const tensor& x) {
    if (x.rank() == 3) {
      const std::int64_t axis = one_in(2) ? 2 : 3;
      std::vector<std::string> in{x.name};
      std::vector<attribute> a;
      give_axes(13, {axis}, in, a);
      dims shape = x.shape;
      shape.insert(shape.begin() + axis, 1);
      return append("Unsqueeze", in, shape, a, x.positive);
    }
    if (x.rank() == 5) return reshaped(x, {1, x.shape[1] * x.shape[2], x.shape[3], x.shape[4]});
    return reshaped(x, {1, x.size(), 1, 1});
  }

  // ---- ends

  void add_head() {
    auto x = known_.back();
    if (x.rank() == 4 && x.size() > 2000)
      x = append("GlobalAveragePool", {x.name}, {1, x.c(), 1, 1}, {}, x.positive);
    if (x.rank() != 2 || x.shape[0] != 1) x = one_in(3) ? view(x) : reshaped(x, {1, x.size()});
    x = product_with_matrix(x);
    const std::int64_t axis = one_in(2) ? 1 : -1;
    if (one_in(3)) x = append("Softmax", {x.name}, x.shape, {{"axis", axis}}, true);
    else if (one_in(6)) x = append("LogSoftmax", {x.name}, x.shape, {{"axis", axis}});
  }
  void choose_outputs() {
    std::vector<value> outputs;
    std::set<std::string> inputs;
    for (const auto& i : m_.inputs) inputs.insert(i.name);
    std::map<std::string, bool> is_read;
    for (const auto& n : m_.nodes)
      for (const auto& i : n.inputs) is_read[i] = true;
    for (const auto& t : known_) {
      if (inputs.contains(t.name)) continue;
      const bool end = !is_read[t.name];
      const bool last_one = &t == &known_.back();
      const bool made = std::ranges::any_of(m_.nodes, [&](const node& n) {
        return std::ranges::find(n.outputs, t.name) != n.outputs.end();
      });
      if (!made) continue;
      if (last_one || (end && !one_in(4)) || (outputs.size() < 4 && one_in(12)))
        outputs.push_back({t.name, {}});
    }
    if (outputs.empty()) {  // all blocks left their input as it is
      const auto y = append("Relu", {known_.back().name}, known_.back().shape, {}, true);
      outputs.push_back({y.name, {}});
    }
    if (outputs.size() > 4) outputs.erase(outputs.begin(), outputs.end() - 4);
    for (std::size_t i = outputs.size(); i > 1; --i)  // any order
      std::swap(outputs[i - 1],
                outputs[static_cast<std::size_t>(pick(0, static_cast<int>(i) - 1))]);
    m_.outputs = std::move(outputs);
  }

  std::mt19937_64 random_;
  model_limits limits_;
  model m_{};
  std::vector<tensor> known_{};
  std::set<std::string> read_{};
  int names_ = 0;
  bool quantised_ = false;
  weights shared_{};  // of the last convolution
  dims shared_form_{};
};

}  // namespace

model random_model(std::uint64_t seed, const model_limits& limits) {
  return drawer(seed * 0x9e3779b97f4a7c15U + 1, limits).draw();
}

std::vector<float> random_values(const dims& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15U + 2);
  std::vector<float> values(static_cast<std::size_t>(count_of(shape)));
  const auto form = random() % 6;
  for (float& v : values) {
    v = static_cast<float>(random() % 2001) / 1000 - 1;
    if (form == 0 && random() % 4 != 0) v = 0;
    if (form == 1) v = std::fabs(v);
  }
  return values;
}

}  // namespace nvdlac::judge
