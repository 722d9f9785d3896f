// SPDX-License-Identifier: Apache-2.0
// The one file that needs the compiler's headers. It is compiled as any C++20, and all that is left
// of it are constants. A network that does not fit the product does not compile.
#include "network.hpp"

#include <digits.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

using product = nvdlac::nv_small;
using program = nvdlac::program<product, digits::model, nvdlac::relocatable>;

static_assert(nvdlac::runs_on<product>(digits::model));
static_assert(sizeof digits::digits_nv_small_weights == program::weights.size);
static_assert(program::inputs[0].size == nvdlac::cube_size{1, 28, 28});
static_assert(program::outputs[0].size == nvdlac::cube_size{10, 1, 1});
static_assert(program::outputs[0].at.precision == nvdlac::hw::precision::int8);

constinit const nvdlac::relocatable_program digits_program = program::view();
constinit const std::span<const std::uint8_t> digits_weights{digits::digits_nv_small_weights};
