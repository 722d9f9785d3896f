// SPDX-License-Identifier: Apache-2.0
#pragma once
// Core ML's models: the neural networks of .mlmodel files. A program that includes this header
// reads them by nvdlac::read, too.
#include <filesystem>
#include <optional>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/network.hpp>
#include <nvdlac/import/coreml/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

namespace coreml_format {

inline network translated(const named_content& file, const part& wanted) {
  const auto model = parsed(file);
  const auto root = model.root();
  const auto fail = [](const char* what) {
    return error(problem{.reason = text("this Core ML model is ", what),
                         .remedy = "networks, classifiers and regressors of layers are read"});
  };
  if (root.has("neuralNetwork"))
    return translated_network(file, root, root.child("neuralNetwork"), false, wanted);
  for (const char* kind : {"neuralNetworkClassifier", "neuralNetworkRegressor"})
    if (root.has(kind)) return translated_network(file, root, root.child(kind), true, wanted);
  if (root.has("mlProgram")) throw fail("an ML program");
  if (root.has("serializedModel")) throw fail("encrypted or wrapped");
  for (const char* kind : {"pipeline", "pipelineClassifier", "pipelineRegressor"})
    if (root.has(kind)) throw fail("a pipeline of several models");
  throw fail("no neural network");
}

}  // namespace coreml_format

// Reads a Core ML model, for one picture. `wanted` may name a part of it, and tell the shape of an
// input that may have several. Throws `error` with all problems.
inline network coreml_network_from(const named_content& model, const part& wanted = {}) {
  if (const auto kind = recognise(model.content); kind.kind != file_kind::coreml)
    throw error(problem{.file = model.file,
                        .reason = "this is " + kind.name + ", not a Core ML model",
                        .remedy = kind.remedy});
  return nvdlac::in_file(model.file, [&] { return coreml_format::translated(model, wanted); });
}
inline network coreml_network(const std::filesystem::path& model, const part& wanted = {}) {
  return coreml_network_from({model.string(), read_file(model)}, wanted);
}

inline const bool coreml_is_read = add_further_format(
    file_kind::coreml,
    {[](const named_content& model, const std::optional<named_content>&, const part& wanted) {
      return coreml_network_from(model, wanted);
    }});

}  // namespace nvdlac::import
