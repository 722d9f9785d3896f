// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_layout.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL std::vector<std::uint8_t> loadable_bytes(const plan::program_data& p,
                                                     std::string_view configuration,
                                                     const hw::spec& hw,
                                                     const provenance& made_from) {
  auto image = loadable_lists(p, configuration, hw);
  image.notes.made_from = made_from;
  return write_loadable(image);
}

}  // namespace nvdlac::emit
