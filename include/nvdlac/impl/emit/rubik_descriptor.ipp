// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/rubik_descriptor.hpp>
#include <nvdlac/layer/rubik.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL layer::rubik decode(const descriptor_of<layer::rubik>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.precision, "rubik.precision");
  expect(op.mode == 0, "rubik.mode", op.mode, "only mode 0 (contract) is supported");
  expect(op.stride_x >= 1 && op.stride_x <= 32, "rubik.stride_x", op.stride_x, "must be 1 to 32");
  expect(op.stride_y >= 1 && op.stride_y <= 32, "rubik.stride_y", op.stride_y, "must be 1 to 32");
  layer::rubik l{.input = decode(d.surface.src, "rubik.src_data", p),
                 .output = decode(d.surface.dst, "rubik.dst_data", p),
                 .stride_y = op.stride_y,
                 .stride_x = op.stride_x};
  expect(!l.input.at.on_the_fly(), "rubik.src_data.type", 2, "the input must come from memory");
  expect(!l.output.at.on_the_fly(), "rubik.dst_data.type", 2, "the result must go to memory");
  return l;
}

}  // namespace nvdlac::emit
