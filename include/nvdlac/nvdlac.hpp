// SPDX-License-Identifier: Apache-2.0
// Everything. A translation unit that needs one room includes that room's headers instead.
#pragma once
#include <nvdlac/data/samples.hpp>
#include <nvdlac/emit/descriptors.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/integer/evaluate.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/sim/replay.hpp>
