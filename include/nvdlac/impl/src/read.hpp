// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of models for nvdlac.hpp, and of its class for models.
#pragma once
#include <filesystem>

#include <nvdlac/import/model.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/model_definitions.hpp>
#include <nvdlac/product.hpp>

namespace nvdlac {

template class basic_model<import::network>;
template model read(const std::filesystem::path&, const import::weight_source&, const budget&);

}  // namespace nvdlac
