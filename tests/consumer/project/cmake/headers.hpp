// SPDX-License-Identifier: Apache-2.0
#pragma once
// A header over each library that nvdlac stands on.
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/report/json.hpp>
