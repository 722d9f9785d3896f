// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("onnx", schema_rows);
  return built;
}

}  // namespace nvdlac::import::onnx_format
