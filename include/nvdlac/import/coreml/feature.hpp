// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inputs of Core ML's models: pictures, or arrays.
#include <optional>
#include <string>

#include <nvdlac/import/coreml/weights.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::import::coreml_format {

struct feature {
  std::string name{};
  std::optional<dims> shape{};  // nothing: not told, or the user tells it
  std::optional<net::channel_order> picture{};  // of bytes; nothing: an array
  bool flexible = false;
};

// An input that the description tells. A flexible shape is the default one, if the user does not
// tell another.
feature feature_of(const proto::view& described, const part& wanted);

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/feature.ipp>
#endif
