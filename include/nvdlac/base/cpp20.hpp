// SPDX-License-Identifier: Apache-2.0
#pragma once
// Headers that a user includes first include this one first, so that a compiler of an older C++
// says one thing and stops: no compiler ends at an #error, but at a file that does not exist.
#if __cplusplus < 202002L
#error nvdlac needs C++20: compile with -std=c++20
#include <C++20, which nvdlac needs>
#endif
