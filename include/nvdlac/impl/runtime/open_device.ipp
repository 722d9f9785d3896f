// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/open_device.hpp>
#include <nvdlac/runtime/uio.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL any_device open_device(std::string_view name) {
  const auto file = name.substr(name.rfind('/') + 1);
  if (name == "drm" || file.starts_with("renderD")) return drm(std::string(name));
  return uio(name);
}

}  // namespace nvdlac::runtime
