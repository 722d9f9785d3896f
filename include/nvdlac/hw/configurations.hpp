// SPDX-License-Identifier: Apache-2.0
#pragma once
// The published configurations, from the smallest to the largest.
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>

namespace nvdlac::hw {

using published = type_list<nv_small, nv_small_256, nv_small_256_full, nv_medium_512,
                            nv_medium_1024_full, nv_large, nv_full>;

}  // namespace nvdlac::hw
