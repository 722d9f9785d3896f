// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/coreml/model.hpp>
#include <nvdlac/import/coreml/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace coreml_format {

NVDLAC_IMPL network translated(const named_content& file, const part& wanted) {
  const auto model = parsed(file, wanted.limits.fields);
  const auto root = model.root();
  const auto fail = [](const char* what) {
    return error(problem{.reason = text("this Core ML model is ", what),
                         .remedy = "neural networks and ML programs are read"});
  };
  if (root.has("neuralNetwork"))
    return translated_network(file, root, root.child("neuralNetwork"), false, wanted);
  for (const char* kind : {"neuralNetworkClassifier", "neuralNetworkRegressor"})
    if (root.has(kind)) return translated_network(file, root, root.child(kind), true, wanted);
  if (root.has("mlProgram")) return program::translated(file, root, wanted);
  if (root.has("serializedModel")) throw fail("encrypted or wrapped");
  for (const char* kind : {"pipeline", "pipelineClassifier", "pipelineRegressor"})
    if (root.has(kind)) throw fail("a pipeline of several models");
  throw fail("no neural network");
}

NVDLAC_IMPL std::filesystem::path model_in_package(const named_content& manifest,
                                                   std::uint64_t most_fields) {
  const auto all = json_text::parsed(manifest.content, "the manifest", most_fields);
  const auto* items = json_text::member(all, "itemInfoEntries");
  const auto root = json_text::word(all, "rootModelIdentifier");
  const auto* item = items == nullptr ? nullptr : json_text::member(*items, root.c_str());
  const auto path = item == nullptr ? "" : json_text::word(*item, "path");
  if (path.empty()) throw error("this manifest does not tell where its model is");
  const auto directory = std::filesystem::path(manifest.file).parent_path() / "Data";
  return data::file_below(directory, path, manifest.file);
}

}  // namespace coreml_format

NVDLAC_IMPL network coreml_network_from(const named_content& model, const part& wanted) {
  if (recognise(model.content).kind == file_kind::coreml_manifest) {
    const auto path = nvdlac::in_file(model.file, [&] {
      return coreml_format::model_in_package(model, wanted.limits.fields);
    });
    const named_content inner{path.string(), read_file(path)};
    if (recognise(inner.content).kind == file_kind::coreml_manifest)
      throw error(problem{.file = inner.file, .reason = "this manifest names a manifest"});
    auto result = coreml_network_from(inner, wanted);
    result.external.push_back(path);
    return result;
  }
  if (const auto kind = recognise(model.content); kind.kind != file_kind::coreml)
    throw error(problem{.file = model.file,
                        .reason = "this is " + kind.name + ", not a Core ML model",
                        .remedy = kind.remedy});
  return nvdlac::in_file(model.file, [&] { return coreml_format::translated(model, wanted); });
}

// Weak as further_readers.hpp declares it: a program of headers alone may have it in several
// sources.
network read_coreml(const named_content& model, const weight_content&, const part& wanted) {
  return coreml_network_from(model, wanted);
}

}  // namespace nvdlac::import
