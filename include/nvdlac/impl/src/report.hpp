// SPDX-License-Identifier: Apache-2.0
// The definitions of the reports.
#pragma once
#include <nvdlac/impl/report/compilation.ipp>
#include <nvdlac/impl/report/data_flow.ipp>
#include <nvdlac/impl/report/layer_rows.ipp>
#include <nvdlac/impl/report/loadable.ipp>
#include <nvdlac/impl/report/loaded_data_flow.ipp>
#include <nvdlac/impl/report/prediction.ipp>
#include <nvdlac/impl/report/program.ipp>
#include <nvdlac/impl/report/table.ipp>
