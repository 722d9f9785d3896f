// SPDX-License-Identifier: Apache-2.0
#include <digits.hpp>

#include <nvdlac/program.hpp>

#include "../../../examples/custom_configuration/my_soc.hpp"

using on_my_soc = nvdlac::program<my_soc, digits::model>;
static_assert(nvdlac::runs_on<my_soc>(digits::model));
static_assert(sizeof digits::digits_my_soc_weights == on_my_soc::weights.size);
