// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/tensorflow.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::filesystem::path model_file(const std::filesystem::path& given) {
  std::error_code failed;
  if (!std::filesystem::is_directory(given, failed)) return given;
  const auto manifest = given / "Manifest.json";
  return std::filesystem::exists(manifest, failed) ? manifest : saved_model_in(given);
}

namespace detail {

NVDLAC_IMPL network further_network(const recognised& kind, const named_content& model,
                                    const std::filesystem::path* beside,
                                    const random_weights* noise, const part& wanted) {
  const auto format = further_format_of(kind.kind);
  const auto fail = [&](std::string reason, std::string remedy) {
    return error(problem{.file = model.file, .reason = "this is " + kind.name + std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (format.read == nullptr)
    throw fail(", whose reader this program does not include",
               text("#include <nvdlac/import/", format.header, ".hpp>"));
  if (format.holds_weights && beside != nullptr)
    throw fail(", which holds its weights itself", "leave out '" + beside->string() + "'");
  if (format.holds_weights) return format.read(model, std::nullopt, wanted);
  if (noise != nullptr)
    throw fail(", of which only the weights tell the shapes", "give its weights");
  if (beside == nullptr) throw fail(", which holds no weights", "give its weights as second file");
  return format.read(model, named_content{beside->string(), read_file(*beside)}, wanted);
}

}  // namespace detail

}  // namespace nvdlac::import
