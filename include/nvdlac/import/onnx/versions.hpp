// SPDX-License-Identifier: Apache-2.0
#pragma once
// The versions of operators that a model, or a function of it, is written for.
#include <cstdint>
#include <map>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// The opsets whose operators are understood.
inline constexpr std::int64_t first_opset = 6, last_opset = 27;
inline std::string supported_opsets() {
  return text("opsets ", first_opset, " to ", last_opset, " are supported");
}

// By the domain of the operators; ONNX's own is "".
using versions = std::map<std::string, std::int64_t>;

inline versions versions_of(const proto::view& importer) {
  versions all;
  for (const auto& o : importer.children("opset_import")) {
    const auto domain = o.string("domain");
    all.insert_or_assign(domain == "ai.onnx" ? "" : domain, o.integer("version", 0));
  }
  return all;
}

// com.microsoft's operators follow ONNX's, others the version of their own domain; 0: none is told.
inline std::int64_t version_for(const versions& all, const std::string& domain) {
  const bool onnx = domain == "ai.onnx" || domain == "com.microsoft";
  const auto found = all.find(onnx ? std::string() : domain);
  return found == all.end() ? 0 : found->second;
}

// Throws where ONNX's operators are of a version that is not understood. Those of opset 1 that
// were never defined anew are: who reads a node looks at these.
inline void check_version(const versions& all) {
  const auto opset = version_for(all, "");
  if (opset < 1 || opset > last_opset)
    throw error(problem{.reason = opset == 0 ? "it names no version of ONNX's operators (opset)"
                                             : text("it uses opset ", opset),
                        .remedy = supported_opsets()});
}

}  // namespace nvdlac::import::onnx_format
