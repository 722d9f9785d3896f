// SPDX-License-Identifier: Apache-2.0
// Everything. A translation unit that needs one room includes that room's headers instead.
#pragma once
#include <nvdlac/error.hpp>
#include <nvdlac/fixed.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/type_name.hpp>
#include <nvdlac/units.hpp>
