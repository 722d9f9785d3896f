// SPDX-License-Identifier: Apache-2.0
#pragma once
// Caffe2's messages.
#include <cstdint>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe2_format {

using proto::rule;

inline constexpr proto::row schema_rows[] = {
    {"NetDef", "name", 1, "string"},
    {"NetDef", "op", 2, "OperatorDef", rule::many},
    {"NetDef", "type", 3, "string"},
    {"NetDef", "num_workers", 4, "int32"},
    {"NetDef", "device_option", 5, "DeviceOption"},
    {"NetDef", "arg", 6, "Argument", rule::many},
    {"NetDef", "external_input", 7, "string", rule::many},
    {"NetDef", "external_output", 8, "string", rule::many},

    {"OperatorDef", "input", 1, "string", rule::many},
    {"OperatorDef", "output", 2, "string", rule::many},
    {"OperatorDef", "name", 3, "string"},
    {"OperatorDef", "type", 4, "string"},
    {"OperatorDef", "arg", 5, "Argument", rule::many},
    {"OperatorDef", "device_option", 6, "DeviceOption"},
    {"OperatorDef", "engine", 7, "string"},
    {"OperatorDef", "control_input", 8, "string", rule::many},
    {"OperatorDef", "is_gradient_op", 9, "bool"},
    {"OperatorDef", "debug_info", 10, "string"},
    {"OperatorDef", "domain", 11, "string"},
    {"OperatorDef", "op_version", 12, "int64"},

    {"Argument", "name", 1, "string"},
    {"Argument", "f", 2, "float"},
    {"Argument", "i", 3, "int64"},
    {"Argument", "s", 4, "bytes"},
    {"Argument", "floats", 5, "float", rule::many},
    {"Argument", "ints", 6, "int64", rule::many},
    {"Argument", "strings", 7, "bytes", rule::many},
    {"Argument", "n", 8, "NetDef"},

    {"DeviceOption", "device_type", 1, "int32"},
    {"DeviceOption", "device_id", 2, "int32"},
};
const proto::schema& schema();

proto::document parsed(const named_content& net, std::uint64_t most_fields);

}  // namespace nvdlac::import::caffe2_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2/schema.ipp>
#endif
