// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/detection.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layout.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/weights.hpp>

namespace nvdlac::import::caffe_format {

// Turns one layer after the other into nodes.
class converter : public detection_layers {
 public:
  using detection_layers::detection_layers;

  blob convolution(const layer& l, std::span<const blob> in) {
    return convolution(l, in, small(l.fields.child("convolution_param"), "group", 1));
  }
  // A layer of some extensions, with one kernel for each channel, whether the file says so or not.
  blob depthwise_convolution(const layer& l, std::span<const blob> in);

  blob inner_product(const layer& l, std::span<const blob> in);

  blob pooling(const layer& l, std::span<const blob> in);

  // The picture in 1, 2 x 2, 4 x 4, .. parts, one pooling for each; all results in one row.
  blob spatial_pyramid(const layer& l, std::span<const blob> in);

  blob batch_norm(const layer& l, std::span<const blob> in);

  blob flatten(const layer& l, std::span<const blob> in);

  blob reshape(const layer& l, std::span<const blob> in);

  blob same(const layer& l, std::span<const blob> in) {
    return {add(l, net::identity{}, in), in[0].shape};
  }

 private:
  blob convolution(const layer& l, std::span<const blob> in, std::int32_t groups);

  // Caffe divides by the window clipped to the padded picture.
  blob pooled(const layer& l, const std::string& method, net::pool op, std::span<const blob> in,
              const std::string& name);
  static net::on_host stochastic(const net::pool& like);
  // [inputs][outputs] -> [outputs][inputs]
  static std::vector<float> transposed(const std::vector<float>& from, std::size_t outputs);
  template <class Op>
  blob add_cube(const layer& l, Op op, std::span<const blob> in) {
    const auto n = add(l, std::move(op), in);
    const net::shape s = net_.shape(n);
    return {n, {1, s.c, s.h, s.w}};
  }

  dims reshaped(const proto::view& p, const dims& in) const;

};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/converter.ipp>
#endif
