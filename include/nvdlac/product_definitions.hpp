// SPDX-License-Identifier: Apache-2.0
// The definitions of what product.hpp declares.
#pragma once
#include <nvdlac/chip_definitions.hpp>
#include <nvdlac/model_definitions.hpp>
