// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/caffe/window.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

// A blob: the node that produces it, and its dimensions as Caffe counts axes: {1, c, h, w}, or
// fewer. The batch is one picture.
struct blob {
  assembly::id node;
  dims shape;
};

// {1, c, ..} as a cube; missing axes have one element.
inline net::shape cube(const dims& d) {
  if (d.size() < 2 || d.size() > 4)
    throw error(text("a blob of ", d.size(), " dimensions cannot be expressed"));
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

// Turns one layer after the other into nodes. Each member function converts the layers of one type
// for its inputs; it throws `error` with the reason.
class converter {
 public:
  converter(assembly& net, const weights& trained, std::int64_t batch)
      : net_(net), weights_(trained), batch_(batch) {}

  // Problems of weights, which do not keep the layers behind from being read.
  const std::vector<problem>& weight_problems() const { return weight_problems_; }

  blob convolution(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("convolution_param");
    require_axis_1(p, in[0]);
    net::convolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                        .groups = small(p, "group", 1)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));  // before the sizes are used
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.weights = weights::values(
          blobs[0], {op.kernels, x.c / op.groups, op.window.kernel_h, op.window.kernel_w},
          "weights");
      if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
    });
    return add_cube(l, std::move(op), in);
  }

  blob inner_product(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("inner_product_param");
    require_axis_1(p, in[0]);
    net::fully_connected op{.outputs = small(p, "num_output", 0)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      const auto depth = static_cast<std::int64_t>(x.size());
      const bool turned = p.flag("transpose", false);
      op.weights = weights::values(
          blobs[0], turned ? dims{depth, op.outputs} : dims{op.outputs, depth}, "weights");
      if (turned) op.weights = transposed(op.weights, static_cast<std::size_t>(op.outputs));
      if (biased) op.bias = weights::values(blobs[1], {op.outputs}, "bias");
    });
    const std::int64_t outputs = op.outputs;
    return {add(l, std::move(op), in), {1, outputs}};
  }

  blob pooling(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("pooling_param");
    const auto method = p.enumerator("pool", "MAX");
    if (method == "STOCHASTIC")
      throw error(
          problem{.reason = "stochastic pooling is not supported", .remedy = "MAX and AVE are"});
    // Caffe divides by the window clipped to the padded picture.
    net::pool op{.kind = method == "MAX" ? net::pool_kind::maximum : net::pool_kind::average,
                 .ceil = p.enumerator("round_mode", "CEIL") == "CEIL", .count_include_pad = true,
                 .global = p.flag("global_pooling", false)};
    if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
    if (op.global) {
      require_no_window(p);
      op.ceil = op.count_include_pad = false;
    } else {
      op.window = pooling_window(p, net_.shape(in[0].node), op.ceil);
      if (op.kind == net::pool_kind::maximum) op.count_include_pad = false;
    }
    return add_cube(l, std::move(op), in);
  }

  blob relu(const layer& l, std::span<const blob> in) {
    if (l.fields.child("relu_param").number("negative_slope", 0) != 0.0F)
      throw error(problem{.reason = "negative_slope makes it a leaky ReLU, which is not supported",
                          .remedy = "ReLU with negative_slope 0 is"});
    return {add(l, net::relu{}, in), in[0].shape};
  }

  blob batch_norm(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("batch_norm_param");
    if (!p.flag("use_global_stats", true))
      throw error(problem{.reason = "use_global_stats: false normalises by the batch at hand",
                          .remedy = "only the trained statistics are supported"});
    net::batch_norm op{.epsilon = p.number("eps", 1e-5F)};
    load(l, [&] {
      const auto& blobs = weights_.of(l.name, 3);
      const std::int64_t channels = net_.shape(in[0].node).c;
      op.mean = weights::values(blobs[0], {channels}, "mean");
      op.variance = weights::values(blobs[1], {channels}, "variance");
      // The blobs hold sums; the third one says of how many (weighted) batches.
      const float count = weights::values(blobs[2], {1}, "moving-average factor")[0];
      const float factor = count == 0.0F ? 0.0F : 1.0F / count;
      for (auto& v : op.mean) v *= factor;
      for (auto& v : op.variance) v *= factor;
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob scale(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("scale_param");
    const dims size = per_channel(p, in[0]);
    net::scale op;
    load(l, [&] {
      const bool biased = p.flag("bias_term", false);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.factor = weights::values(blobs[0], size, "factor");
      if (biased) op.bias = weights::values(blobs[1], size, "bias");
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob bias(const layer& l, std::span<const blob> in) {
    const dims size = per_channel(l.fields.child("bias_param"), in[0]);
    net::scale op{.factor = {1.0F}};
    load(l, [&] { op.bias = weights::values(weights_.of(l.name, 1)[0], size, "bias"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob power(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("power_param");
    if (p.number("power", 1) != 1.0F)
      throw error(problem{.reason = text("power ", p.number("power", 1), " is not supported"),
                          .remedy = "power 1 with scale and shift is"});
    net::scale op{.factor = {p.number("scale", 1)}};
    if (p.number("shift", 0) != 0.0F) op.bias = {p.number("shift", 0)};
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob eltwise(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("eltwise_param");
    if (const auto operation = p.enumerator("operation", "SUM"); operation != "SUM")
      throw error(problem{.reason = "the operation " + operation + " is not supported",
                          .remedy = "SUM is"});
    const auto coefficients = p.values<float>("coeff");
    if (!coefficients.empty() && coefficients.size() != in.size())
      throw error(text("it has ", coefficients.size(), " coefficients for ", in.size(), " inputs"));
    std::vector<assembly::id> terms;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].shape != in[0].shape)
        throw error(text("its inputs have different shapes, ", to_text(in[0].shape), " and ",
                         to_text(in[i].shape)));
      terms.push_back(in[i].node);
      if (!coefficients.empty() && coefficients[i] != 1.0F)
        terms.back() = net_.add(text(l.name, "/coeff", i), net::scale{.factor = {coefficients[i]}},
                                {terms.back()}, l.line);
    }
    assembly::id sum = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i)
      sum = net_.add(i + 1 == terms.size() ? l.name : text(l.name, "/sum", i), net::add{},
                     {sum, terms[i]}, l.line);
    return {sum, in[0].shape};
  }

  blob concat(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("concat_param");
    if (p.has("axis") && p.has("concat_dim")) throw error("it gives both axis and concat_dim");
    const auto axis = p.has("concat_dim") ? p.integer("concat_dim") : p.integer("axis", 1);
    if (canonical(axis, in[0]) != 1)
      throw error(problem{.reason = text("it concatenates along axis ", axis),
                          .remedy = "only channels, axis 1, can be concatenated"});
    dims out = in[0].shape;
    for (const auto& b : in.subspan(1)) {
      if (b.shape.size() != out.size())
        throw error("its inputs have different numbers of dimensions");
      out[1] += b.shape[1];
    }
    return {add(l, net::concat{}, in), out};
  }

  blob flatten(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("flatten_param");
    const auto first = canonical(p.integer("axis", 1), in[0]);
    const auto last = canonical(p.integer("end_axis", -1), in[0]);
    if (first < 1 || last < first)
      throw error(
          text("it flattens the axes ", first, " to ", last, " (1 and above are supported)"));
    dims out(in[0].shape.begin(), in[0].shape.begin() + first);
    std::int64_t joined = 1;
    for (auto i = first; i <= last; ++i) joined *= in[0].shape[static_cast<std::size_t>(i)];
    out.push_back(joined);
    out.insert(out.end(), in[0].shape.begin() + last + 1, in[0].shape.end());
    if (out.size() == 2) return {add(l, net::flatten{}, in), out};
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob reshape(const layer& l, std::span<const blob> in) {
    const dims out = reshaped(l.fields.child("reshape_param"), in[0].shape);
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob softmax(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("softmax_param");
    require_axis_1(p, in[0]);
    return {add(l, net::softmax{}, in), in[0].shape};
  }

  blob lrn(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("lrn_param");
    if (p.enumerator("norm_region", "ACROSS_CHANNELS") != "ACROSS_CHANNELS")
      throw error(problem{.reason = "LRN within a channel is not supported",
                          .remedy = "NVDLA's CDP normalises ACROSS_CHANNELS only"});
    return {add(l, net::lrn{.local_size = small(p, "local_size", 5), .alpha = p.number("alpha", 1),
                            .beta = p.number("beta", 0.75F), .k = p.number("k", 1)}, in),
            in[0].shape};
  }

  blob same(const layer& l, std::span<const blob> in) {
    return {add(l, net::identity{}, in), in[0].shape};
  }

 private:
  template <class Op>
  assembly::id add(const layer& l, Op op, std::span<const blob> in) {
    std::vector<assembly::id> nodes;
    for (const auto& b : in) nodes.push_back(b.node);
    const bool sound = std::exchange(weights_sound_, true);
    return net_.add(l.name, std::move(op), nodes, l.line, sound);
  }
  template <class Read>
  void load(const layer& l, Read read) {
    try {
      read();
    } catch (const error& e) {
      weights_sound_ = false;
      for (problem p : e.problems()) {
        p.line = l.line;
        p.layer = l.name;
        weight_problems_.push_back(std::move(p));
      }
    }
  }
  // [inputs][outputs] -> [outputs][inputs]
  static std::vector<float> transposed(const std::vector<float>& from, std::size_t outputs) {
    std::vector<float> to(from.size());
    const std::size_t inputs = from.size() / outputs;
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t i = 0; i < inputs; ++i) to[k * inputs + i] = from[i * outputs + k];
    return to;
  }
  template <class Op>
  blob add_cube(const layer& l, Op op, std::span<const blob> in) {
    const auto n = add(l, std::move(op), in);
    const net::shape s = net_.shape(n);
    return {n, {1, s.c, s.h, s.w}};
  }

  static std::int64_t canonical(std::int64_t axis, const blob& b) {
    const auto rank = static_cast<std::int64_t>(b.shape.size());
    if (axis < -rank || axis >= rank)
      throw error(text("axis ", axis, " of a blob with ", rank, " dimensions"));
    return axis < 0 ? axis + rank : axis;
  }
  static void require_axis_1(const proto::view& p, const blob& b) {
    if (canonical(p.integer("axis", 1), b) != 1)
      throw error(problem{.reason = text("axis ", p.integer("axis"), " is not supported"),
                          .remedy = "axis 1 is"});
  }
  // The size of a blob with one value for each channel, or with a single one.
  static dims per_channel(const proto::view& p, const blob& b) {
    const auto axes = p.integer("num_axes", 1);
    if (axes == 0) return {1};
    const bool channels = axes == 1 || (axes == -1 && b.shape.size() == 2);
    if (canonical(p.integer("axis", 1), b) != 1 || !channels)
      throw error(problem{.reason = "its values are not one for each channel",
                          .remedy = "axis 1 and num_axes 1 are supported"});
    return {b.shape[1]};
  }
  dims reshaped(const proto::view& p, const dims& in) const {
    const auto wanted = p.child("shape").values<std::int64_t>("dim");
    const auto rank = static_cast<std::int64_t>(in.size());
    const auto axis = p.integer("axis", 0), first = axis < 0 ? axis + rank + 1 : axis;
    const auto axes = p.integer("num_axes", -1), end = axes == -1 ? rank : first + axes;
    if (axes < -1 || first < 0 || first > rank || end > rank)
      throw error(text("it reshapes ", axes, " axes from axis ", axis, " of ", rank));
    dims out(in.begin(), in.begin() + first);
    std::size_t open = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::int64_t n = wanted[i];
      if (n == 0) {
        if (first + static_cast<std::int64_t>(i) >= end)
          throw error("it copies an axis that is not there");
        n = in[static_cast<std::size_t>(first) + i];
      } else if (out.empty() && n == batch_) {
        n = 1;  // the batch for which the file was written
      } else if (n == -1) {
        if (open++ != 0) throw error("its shape has more than one -1");
      } else if (n < 1) {
        throw error(text("its shape has the dimension ", n));
      }
      out.push_back(n);
    }
    out.insert(out.end(), in.begin() + end, in.end());
    std::int64_t total = 1, known = 1;
    for (const auto n : in) total = net::product({total, n});
    for (const auto n : out) known = net::product({known, n == -1 ? 1 : n});
    for (auto& n : out)
      if (n == -1) n = total / known;
    if (out.empty() || out[0] != 1)
      throw error(problem{.reason = text("it reshapes to ", to_text(out), ", which mixes pictures"),
                          .remedy = "the first dimension is the batch, which is 1"});
    return out;
  }

  assembly& net_;
  const weights& weights_;
  std::int64_t batch_;
  bool weights_sound_ = true;  // of the layer at hand
  std::vector<problem> weight_problems_;
};

}  // namespace nvdlac::import::caffe_format
