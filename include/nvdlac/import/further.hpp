// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats whose readers stand in headers of their own, so that programs that do not want them need
// not compile them. Where such a header is included anywhere in a program, all of it reads them:
// the readers are weak symbols, which the linker makes null where nothing defines them.
#include <optional>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

using further_reader = network(const named_content& model,
                               const std::optional<named_content>& weights, const part& wanted);
[[gnu::weak]] further_reader read_caffe2, read_coreml, read_mxnet, read_pytorch;

struct further_format {
  const char* header;
  further_reader* read;  // null: the program does not include the header
  bool holds_weights;    // or a second file does
};

inline further_format further_format_of(file_kind kind) {
  switch (kind) {
    case file_kind::pytorch_export: return {"pytorch", read_pytorch, true};
    case file_kind::mxnet_symbol: return {"mxnet", read_mxnet, false};
    case file_kind::caffe2_net: return {"caffe2", read_caffe2, false};
    default: return {"coreml", read_coreml, true};
  }
}

}  // namespace nvdlac::import
