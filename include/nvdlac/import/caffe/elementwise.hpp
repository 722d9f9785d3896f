// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>

namespace nvdlac::import::caffe_format {

// A blob: the node that produces it, and its dimensions as Caffe counts axes: {1, c, h, w}, or
// fewer. The batch is one picture.
struct blob {
  assembly::id node;
  dims shape;
};

// {1, c, ..} as a cube; missing axes have one element.
net::shape cube(const dims& d);

// Each member function of the classes derived from it converts the layers of one type for its
// inputs; it throws `error` with the reason.
class conversion {
 public:
  conversion(assembly& net, const weights& trained, std::int64_t batch)
      : net_(net), weights_(trained), batch_(batch) {}

  // Problems of weights, which do not keep the layers behind from being read.
  const std::vector<problem>& weight_problems() const { return weight_problems_; }

 protected:
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
  static std::int64_t canonical(std::int64_t axis, const blob& b);
  static void require_axis_1(const proto::view& p, const blob& b);
  // The size of a blob with one value for each channel, or with a single one.
  static dims per_channel(const proto::view& p, const blob& b);

  assembly& net_;
  const weights& weights_;
  std::int64_t batch_;
  bool weights_sound_ = true;  // of the layer at hand
  std::vector<problem> weight_problems_;
};

// Layers that combine blobs element by element, and those that scale and shift.
class elementwise_layers : public conversion {
 public:
  using conversion::conversion;

  blob eltwise(const layer& l, std::span<const blob> in);

  blob scale(const layer& l, std::span<const blob> in);

  blob bias(const layer& l, std::span<const blob> in);

  // SENet's Axpy: the first input is a factor for each channel of the second; the third is added.
  blob axpy(const layer& l, std::span<const blob> in);

 private:
  // The second input has the first axes of the first one: the batch and the channels, or all.
  static void require_leading(const proto::view& p, std::span<const blob> in);
};

// Layers that compute a function of each element.
class activation_layers : public elementwise_layers {
 public:
  using elementwise_layers::elementwise_layers;

  blob relu(const layer& l, std::span<const blob> in);
  blob relu6(const layer& l, std::span<const blob> in) {
    return {add(l, net::clip{0.0F, 6.0F}, in), in[0].shape};
  }
  blob clip(const layer& l, std::span<const blob> in);
  blob absval(const layer& l, std::span<const blob> in) {
    return {add(l, net::prelu{{-1.0F}}, in), in[0].shape};
  }
  blob prelu(const layer& l, std::span<const blob> in);

  blob elu(const layer& l, std::span<const blob> in);
  blob sigmoid(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::sigmoid}, in);
  }
  blob tanh(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::tanh}, in);
  }
  blob bnll(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::softplus}, in);
  }
  blob swish(const layer& l, std::span<const blob> in);
  blob threshold(const layer& l, std::span<const blob> in);
  // base ^ (scale * x + shift)
  blob exp(const layer& l, std::span<const blob> in);
  // log(scale * x + shift) to the base
  blob log(const layer& l, std::span<const blob> in);
  // (scale * x + shift) ^ power
  blob power(const layer& l, std::span<const blob> in);

 private:
  blob function(const layer& l, const net::activation& op, std::span<const blob> in) {
    return {add(l, op, in), in[0].shape};
  }
  static float log_of_base(const proto::view& p);
};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/elementwise.ipp>
#endif
