// SPDX-License-Identifier: Apache-2.0
#pragma once
// The C++ that nvdlac needs. Headers that a user includes first include this one first, so that a
// compiler of an older C++ says one thing and stops: no compiler ends at an #error, but at a file
// that does not exist.
#if __cplusplus < 202002L
#error nvdlac needs C++20: compile with -std=c++20
#include <C++20, which nvdlac needs>
#endif

// The version of nvdlac, by the rules of semver.org; CMakeLists.txt reads it here.
#include <string_view>

#define NVDLAC_VERSION_MAJOR 0
#define NVDLAC_VERSION_MINOR 2
#define NVDLAC_VERSION_PATCH 0

// For #if: 200 for 0.2.0, 20304 for 2.3.4.
#define NVDLAC_VERSION \
  (NVDLAC_VERSION_MAJOR * 10000 + NVDLAC_VERSION_MINOR * 100 + NVDLAC_VERSION_PATCH)

namespace nvdlac {

// "0.2.0"
inline constexpr std::string_view version = [] {
#define NVDLAC_TEXT_OF(x) #x
#define NVDLAC_JOINED(x, y, z) NVDLAC_TEXT_OF(x) "." NVDLAC_TEXT_OF(y) "." NVDLAC_TEXT_OF(z)
  return NVDLAC_JOINED(NVDLAC_VERSION_MAJOR, NVDLAC_VERSION_MINOR, NVDLAC_VERSION_PATCH);
#undef NVDLAC_JOINED
#undef NVDLAC_TEXT_OF
}();

}  // namespace nvdlac
