// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/product_definitions.hpp>

namespace nvdlac {

template model read(const std::filesystem::path&, const import::weight_source&);

}  // namespace nvdlac
