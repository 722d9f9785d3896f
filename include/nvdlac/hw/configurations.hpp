// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/types.hpp>
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/hw/nv_large.hpp>
#include <nvdlac/hw/nv_medium_1024_full.hpp>
#include <nvdlac/hw/nv_medium_512.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/hw/nv_small_256.hpp>
#include <nvdlac/hw/nv_small_256_full.hpp>

namespace nvdlac::hw {

// The published configurations, from the smallest to the largest.
using published = type_list<nv_small, nv_small_256, nv_small_256_full, nv_medium_512,
                            nv_medium_1024_full, nv_large, nv_full>;

}  // namespace nvdlac::hw
