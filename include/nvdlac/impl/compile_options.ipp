// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/compile_options.hpp>

namespace nvdlac {

NVDLAC_IMPL compile_options callable(compile_options o) {
  const auto give = [](auto& f) {
    if (!f) f = [](const auto&...) {};
  };
  give(o.choosing_scales);
  give(o.reconstructing);
  give(o.progress);
  give(o.histogram);
  return o;
}

}  // namespace nvdlac
