// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::detail {

NVDLAC_IMPL void refuse_shape(shape s) { throw error(text("no tensor is ", s)); }

}  // namespace nvdlac::net::detail
