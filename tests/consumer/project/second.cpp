// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/nvdlac.hpp>

std::string second() { return nvdlac::text("sec", "ond"); }
