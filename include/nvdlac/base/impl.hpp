// SPDX-License-Identifier: Apache-2.0
// How the functions in impl/*.ipp are defined, which are neither templates nor constexpr: by their
// headers, as inline functions; or, where NVDLAC_COMPILED is defined for a whole program, once, by
// nvdlac::compiled or by the source that includes src.hpp.
#pragma once
#include <nvdlac/base/version.hpp>

#ifdef NVDLAC_COMPILED
#define NVDLAC_IMPL
#else
#define NVDLAC_IMPL inline
#endif
