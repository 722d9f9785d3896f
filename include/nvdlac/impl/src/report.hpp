// SPDX-License-Identifier: Apache-2.0
// The definitions of the reports, and of what proves a program.
#pragma once
#include <nvdlac/impl/report/compilation.ipp>
#include <nvdlac/impl/report/conversions.ipp>
#include <nvdlac/impl/report/data_flow.ipp>
#include <nvdlac/impl/report/explored.ipp>
#include <nvdlac/impl/report/layer_rows.ipp>
#include <nvdlac/impl/report/lineage.ipp>
#include <nvdlac/impl/report/loadable.ipp>
#include <nvdlac/impl/report/loadable_diff.ipp>
#include <nvdlac/impl/report/loadable_diff_text.ipp>
#include <nvdlac/impl/report/loaded_data_flow.ipp>
#include <nvdlac/impl/report/location.ipp>
#include <nvdlac/impl/report/operator_limits.ipp>
#include <nvdlac/impl/report/operators_page.ipp>
#include <nvdlac/impl/report/prediction.ipp>
#include <nvdlac/impl/report/program.ipp>
#include <nvdlac/impl/report/provenance.ipp>
#include <nvdlac/impl/report/table.ipp>
#include <nvdlac/impl/report/verification.ipp>
#include <nvdlac/impl/verify/comparison.ipp>
#include <nvdlac/impl/verify/locate.ipp>
#include <nvdlac/impl/verify/report.ipp>
#include <nvdlac/impl/verify/run_tensors.ipp>
#include <nvdlac/impl/verify/self_test.ipp>
#include <nvdlac/impl/verify/verdict.ipp>
#include <nvdlac/impl/verify/verifier.ipp>
