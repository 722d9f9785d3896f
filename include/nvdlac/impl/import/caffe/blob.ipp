// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL net::shape cube(const dims& d) {
  if (d.size() < 2 || d.size() > 4)
    throw error(text("a blob of ", count_of(d.size(), "dimension"), " cannot be expressed"));
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

NVDLAC_IMPL std::int64_t canonical(std::int64_t axis, const blob& b) {
  const auto rank = static_cast<std::int64_t>(b.shape.size());
  if (axis < -rank || axis >= rank)
    throw error(text("axis ", axis, " of a blob with ", count_of(rank, "dimension")));
  return axis < 0 ? axis + rank : axis;
}

NVDLAC_IMPL void require_axis_1(const proto::view& p, const blob& b) {
  if (canonical(p.integer("axis", 1), b) != 1)
    throw error(problem{.reason = text("axis ", p.integer("axis"), " is not supported"),
                        .remedy = "axis 1 is"});
}

NVDLAC_IMPL dims per_channel(const proto::view& p, const blob& b) {
  const auto axes = p.integer("num_axes", 1);
  if (axes == 0) return {1};
  const bool channels = axes == 1 || (axes == -1 && b.shape.size() == 2);
  if (canonical(p.integer("axis", 1), b) != 1 || !channels)
    throw error(problem{.reason = "its values are not one for each channel",
                        .remedy = "axis 1 and num_axes 1 are supported"});
  return {b.shape[1]};
}

}  // namespace nvdlac::import::caffe_format
