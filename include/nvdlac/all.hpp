// SPDX-License-Identifier: Apache-2.0
// All rooms. A translation unit that needs one room includes that room's headers instead; one that
// needs the four words read, compile, save and run includes nvdlac.hpp.
#pragma once
#include <nvdlac/choose_precisions.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/host_stub.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/hw/drawn.hpp>
#include <nvdlac/hw/read_spec.hpp>
#include <nvdlac/hw/space.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/loadable.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/product_definitions.hpp>
#include <nvdlac/quant/doubts.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/runtime/board_trace.hpp>
#include <nvdlac/runtime/c_trace.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/public_trace.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/schedule/choices_json.hpp>
