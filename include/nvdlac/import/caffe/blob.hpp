// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

// A blob: the node that produces it, and its dimensions as Caffe counts axes: {1, c, h, w}, or
// fewer. The batch is one picture.
struct blob {
  assembly::id node;
  dims shape;
};

// {1, c, ..} as a cube; missing axes have one element.
net::shape cube(const dims& d);

// An axis counted from the first one; negative ones count from the last.
std::int64_t canonical(std::int64_t axis, const blob& b);
void require_axis_1(const proto::view& p, const blob& b);
// The size of a blob with one value for each channel, or with a single one.
dims per_channel(const proto::view& p, const blob& b);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/blob.ipp>
#endif
