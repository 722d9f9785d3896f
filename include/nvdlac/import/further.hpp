// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats whose readers stand in headers of their own, so that programs that do not want them need
// not compile them. Where such a header is included anywhere in a program, all of it reads them.
#include <map>
#include <optional>
#include <string>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

struct further_format {
  network (*read)(const named_content& model, const std::optional<named_content>& weights,
                  const part& wanted);
};

inline std::map<file_kind, further_format>& further_formats() {
  static std::map<file_kind, further_format> all;
  return all;
}
// Called by the headers of the readers, before main.
inline bool add_further_format(file_kind kind, further_format f) {
  return further_formats().emplace(kind, f).second;
}

}  // namespace nvdlac::import
