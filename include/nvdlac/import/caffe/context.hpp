// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

// The context in which layers are converted, one after the other. The function of a type of layers
// takes a layer and its inputs; it throws `error` with the reason.
struct context {
  assembly& net;
  const caffe_format::weights& weights;
  std::int64_t batch;  // of the inputs in the file
  // Problems of weights, which do not keep the layers behind from being read.
  std::vector<problem> weight_problems{};

  const net::shape& shape(const blob& b) const { return net.shape(b.node); }

  // A node with the name of the layer. `sound`: its weights are there, as `load` tells.
  template <class Op>
  assembly::id add(const layer& l, Op op, std::span<const blob> in, bool sound = true) {
    std::vector<assembly::id> nodes;
    for (const auto& b : in) nodes.push_back(b.node);
    return net.add(l.name, std::move(op), nodes, l.line, sound);
  }
  // A node whose result has the shape of its first input.
  template <class Op>
  blob keep(const layer& l, Op op, std::span<const blob> in, bool sound = true) {
    return {add(l, std::move(op), in, sound), in[0].shape};
  }
  // The result of a node as a blob of four dimensions.
  blob picture(assembly::id n) const;

  // Calls `read`, which takes weights. What it throws is a problem of the layer; it is false then.
  template <class Read>
  bool load(const layer& l, Read read) {
    try {
      read();
      return true;
    } catch (const error& e) {
      note_weights(l, e);
      return false;
    }
  }
  void note_weights(const layer& l, const error& e);

  onnx_format::element_ceiling ceiling() const {
    return onnx_format::element_ceiling(net.limits());
  }
};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/context.ipp>
#endif
