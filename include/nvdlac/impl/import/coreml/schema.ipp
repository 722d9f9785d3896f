// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL const proto::schema& schema() {
  static const proto::schema built("coreml", schema_rows);
  return built;
}

NVDLAC_IMPL proto::document parsed(const named_content& model, std::uint64_t most_fields) {
  return proto::parse_binary(schema(), "Model", model.file, model.content, most_fields);
}

NVDLAC_IMPL void require_understood(const proto::view& v) {
  std::vector<proto::unknown_field> unknown;
  proto::collect_unknown(v.message(), unknown);
  std::vector<problem> wrong;
  for (const auto& u : unknown)
    if (wrong.size() < 8)
      wrong.push_back({.reason = text("the field ", u.name, " of its ", u.message,
                                      " is not understood"),
                       .remedy = "the file is corrupt, or its version is not known yet"});
  if (!wrong.empty()) throw error(wrong);
}

}  // namespace nvdlac::import::coreml_format
