// SPDX-License-Identifier: Apache-2.0
#pragma once
// std::vector, which nvdlac has in constant expressions: runs_on and program lower networks there.
// The debug mode of libstdc++ has no such vector before GCC 14, and is refused in one sentence, as
// an older C++ is by base/version.hpp.
#include <vector>

#include <nvdlac/base/version.hpp>

#if defined(_GLIBCXX_DEBUG) && _GLIBCXX_RELEASE < 14
#error nvdlac needs constexpr vectors: use GCC 14, or -D_GLIBCXX_ASSERTIONS for _GLIBCXX_DEBUG
#include <constexpr vectors, which nvdlac needs>
#endif
