// SPDX-License-Identifier: Apache-2.0
// The first program of the README: reads a model, compiles it, saves it and runs it.
#include <examples/first_program/main.cpp>
