// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/pytorch.hpp>
#include <nvdlac/import/pytorch/exported_program.hpp>

namespace nvdlac::import {

NVDLAC_IMPL network pytorch_network_from(const std::string& content, const std::string& file,
                                         [[maybe_unused]] const part& wanted) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::pytorch_export)
    throw error(problem{.file = file,
                        .reason = "this is " + kind.name + ", not an archive of torch.export",
                        .remedy = kind.remedy});
#ifdef NVDLAC_PYTORCH
  return nvdlac::in_file(file, [&] {
    return pytorch_format::exported_program(content, file, wanted.limits).translated(wanted);
  });
#else
  throw error(problem{.file = file,
                      .reason = "this is " + kind.name + ", but this nvdlac was built without "
                                "libarchive, which reads it",
                      .remedy = "install it (on Debian: libarchive-dev) and build nvdlac anew"});
#endif
}

// Weak as further_readers.hpp declares it: a program of headers alone may have it in several
// sources.
network read_pytorch(const named_content& model, const weight_content&, const part& wanted) {
  return pytorch_network_from(model.content, model.file, wanted);
}

}  // namespace nvdlac::import
