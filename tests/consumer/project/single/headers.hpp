// SPDX-License-Identifier: Apache-2.0
#pragma once
#define NVDLAC_ROOMS
#include <nvdlac/nvdlac.hpp>
