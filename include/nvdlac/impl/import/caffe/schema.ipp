// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("caffe", rows);
  return built;
}

}  // namespace nvdlac::import::caffe_format
