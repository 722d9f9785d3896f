// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/caffe/elementwise.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::caffe_format {

// Layers that move elements, and transposed convolutions.
class layout_layers : public activation_layers {
 public:
  using activation_layers::activation_layers;

  blob deconvolution(const layer& l, std::span<const blob> in);

  std::vector<blob> slice(const layer& l, std::span<const blob> in);

  blob crop(const layer& l, std::span<const blob> in);

  blob permute(const layer& l, std::span<const blob> in);

  blob shuffle_channel(const layer& l, std::span<const blob> in);

  // Without a second input, the places of maxima: every element is repeated.
  blob upsample(const layer& l, std::span<const blob> in);

  blob tile(const layer& l, std::span<const blob> in);

  // Bilinear, the corners of input and output being the same.
  blob interp(const layer& l, std::span<const blob> in);

  blob concat(const layer& l, std::span<const blob> in);

  // Over the axes from one on: a sum, which is a convolution with equal weights, or a mean.
  blob reduction(const layer& l, std::span<const blob> in);

 private:
  blob moved(const layer& l, const blob& in, const onnx_format::movement& m,
             const std::string& name);
  onnx_format::element_ceiling ceiling() const {
    return onnx_format::element_ceiling(net_.limits());
  }
  // Null unless it is known when the file is read, as prior boxes are.
  const net::constant* constant_of(const blob& b) const;
  net::constant joined(std::span<const blob> in, net::shape to, std::size_t axis) const;
};

// Layers that no engine of NVDLA computes.
class host_layers : public layout_layers {
 public:
  using layout_layers::layout_layers;

  blob softmax(const layer& l, std::span<const blob> in);

  blob arg_max(const layer& l, std::span<const blob> in);

  // Across channels, as a row of CDP does, or within a channel.
  blob lrn(const layer& l, std::span<const blob> in);

  // SSD's Normalize: divides by the norm and multiplies by trained factors.
  blob normalize(const layer& l, std::span<const blob> in);

  blob mvn(const layer& l, std::span<const blob> in);

 protected:
  template <net::operation Op>
  assembly::id on_host(const layer& l, const Op& op, std::span<const blob> in) {
    return add(l, host::on_host(op), in);
  }

 private:
  static host::axes axis_of(std::int64_t axis);
};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/layout.ipp>
#endif
