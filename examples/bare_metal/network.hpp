// SPDX-License-Identifier: Apache-2.0
#pragma once
// The digit classifier for nv_small, as constants.
#include <cstdint>
#include <span>

#include <nvdlac/register_program.hpp>

extern const nvdlac::relocatable_program digits_program;
extern const std::span<const std::uint8_t> digits_weights;
