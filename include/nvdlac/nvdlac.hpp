// SPDX-License-Identifier: Apache-2.0
// The face of nvdlac: a model is read from a file or written in C++, compiled for one
// configuration, saved, run and verified, and `runs_on` asserts that a network can. It declares
// what is no template of the user's types, so that it compiles in seconds and reaches no other
// library; one source of a program includes src.hpp, which defines it, or the program links a
// library of CMake's nvdlac_add_product. all.hpp has every room.
#pragma once
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/verify.hpp>
