// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe2/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe2_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("caffe2", schema_rows);
  return built;
}

NVDLAC_IMPL proto::document parsed(const named_content& net, std::uint64_t most_fields) {
  auto d = proto::parse_binary(schema(), "NetDef", net.file, net.content, most_fields);
  proto::require_understood(d, net.file, "Caffe2", [](const auto& m) {
    return m == "OperatorDef" || m == "Argument";
  });
  return d;
}

}  // namespace nvdlac::import::caffe2_format
