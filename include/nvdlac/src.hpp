// SPDX-License-Identifier: Apache-2.0
// The definitions of all that nvdlac.hpp declares: one source of a program includes it and names the
// configurations of its products. A program of one source includes it in place of nvdlac.hpp and
// needs to name none.
//
//   #include <nvdlac/src.hpp>
//   NVDLAC_PRODUCT(nvdlac::nv_small)
#pragma once
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/product_definitions.hpp>

namespace nvdlac {

template class basic_model<import::network>;
template model read(const std::filesystem::path&, const import::weight_source&);

}  // namespace nvdlac
