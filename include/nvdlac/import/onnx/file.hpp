// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include <nvdlac/import/hub/model.hpp>

namespace nvdlac::import::onnx_format {

// The model in a file of ONNX, binary or text; `file` is for messages, external data is read below
// `directory`; `most_fields` is budget::fields. Throws `error` with all fields that are not
// understood.
hub::model model_in(const std::string& content, const std::string& file,
                    const std::filesystem::path& directory, std::uint64_t most_fields);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/file.ipp>
#endif
