// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/space.hpp>

// nv_small and what half its convolution buffer or a wider MAC cell would make of it.
using my_space = nvdlac::hw::space<nvdlac::nv_small,
                                   nvdlac::hw::axis<&nvdlac::hw::spec::mac_atomic_c, 8u, 16u>,
                                   nvdlac::hw::axis<&nvdlac::hw::spec::cbuf_entry, 8u, 16u>,
                                   nvdlac::hw::axis<&nvdlac::hw::spec::cbuf_banks, 16u, 32u>>;
