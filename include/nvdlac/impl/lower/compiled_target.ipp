// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/rules.hpp>
#include <nvdlac/lower/target.hpp>

namespace nvdlac::lower {

NVDLAC_IMPL const rules& compiled_rules() { return standard_rules; }

}  // namespace nvdlac::lower
