// SPDX-License-Identifier: Apache-2.0
// The readers of models that the command line's library has, so that no room compiles them again.
#pragma once
#include <nvdlac/import/model.hpp>

namespace nvdlac::import {

extern template network detail::network_in<type_list<>>(const std::filesystem::path&,
                                                        const weight_source&, const part&);
extern template network onnx_network_from<type_list<>>(const std::string&, const std::string&,
                                                       const std::filesystem::path&, const part&);

}  // namespace nvdlac::import
