// SPDX-License-Identifier: Apache-2.0
// Everything. A translation unit that needs one room includes that room's headers instead.
#pragma once
#include <nvdlac/compile.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/loadable.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/integer/evaluate.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/to_graph.hpp>
#include <nvdlac/pass/observers.hpp>
#include <nvdlac/pass/standard.hpp>
#include <nvdlac/program.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/report/support.hpp>
#include <nvdlac/sim/infer.hpp>
#include <nvdlac/sim/replay.hpp>
