// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// The loadable of a program for the configuration of this name: emit::loadable at run time, which
// is compiled once for all configurations. Its notes tell what it was made from, where that is
// given.
std::vector<std::uint8_t> loadable_bytes(const plan::program_data& p,
                                         std::string_view configuration, const hw::spec& hw,
                                         const provenance& made_from = {});

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/loadable_bytes.ipp>
#endif
