// SPDX-License-Identifier: Apache-2.0
// doctest is already in the precompiled header, without its implementation: both are asked for.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
