// SPDX-License-Identifier: Apache-2.0
#include <digits.hpp>

#include <nvdlac/program.hpp>

#include "my_wide_soc.hpp"

using on_my_soc = nvdlac::program<my_wide_soc, digits::model>;
static_assert(nvdlac::runs_on<my_wide_soc>(digits::model));
static_assert(sizeof digits::digits_my_wide_soc_weights == on_my_soc::weights.size);
