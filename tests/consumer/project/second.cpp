// SPDX-License-Identifier: Apache-2.0
#include "headers.hpp"

std::string second() { return nvdlac::text("sec", "ond"); }
