// SPDX-License-Identifier: Apache-2.0
// Everything. A translation unit that needs one room includes that room's headers instead.
#pragma once
#include <nvdlac/error.hpp>
#include <nvdlac/fixed.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/type_name.hpp>
#include <nvdlac/units.hpp>
