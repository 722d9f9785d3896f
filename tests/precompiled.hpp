// SPDX-License-Identifier: Apache-2.0
#pragma once
// Headers of nvdlac that the tests of most rooms include, for compilers that are faster so
// (CMakeLists.txt).
#include <nlohmann/json.hpp>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/prepare_on.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/sim/device.hpp>
