// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/runtime/any_device.hpp>

namespace nvdlac::runtime {

// The device of a name: "drm" or "renderD128" of the public kernel driver (drm.hpp); any other is
// one of UIO, "uio0,memory=udmabuf1" (uio.hpp).
any_device open_device(std::string_view name);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/open_device.ipp>
#endif
