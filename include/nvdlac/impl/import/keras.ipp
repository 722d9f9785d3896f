// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/archive.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/graph.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/keras/translator.hpp>
#include <nvdlac/import/keras/weights_file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

#ifdef NVDLAC_KERAS
namespace keras_format {

NVDLAC_IMPL network translated(const std::string& file, json configuration, int version,
                               const weights_file& weights, const part& wanted, std::size_t bytes) {
  const description model(std::move(configuration), version, wanted.limits.nodes);
  const auto backend = weights.text_of("backend");
  // Keras 1 does not tell it.
  const bool theano = backend ? *backend == "theano"
                              : model.version() == 1 && !weights.has_tensorflow_names();
  const auto values = [&weights](const layer& l) {
    std::vector<weight> all;
    for (const auto& path : weights.of(l))
      all.push_back({weights.file().shape(path),
                     [&weights, path] { return weights.file().read(path); }});
    return all;
  };
  const flat_graph graph(model, wanted.limits.nodes);
  return translator(file, graph, {model.version(), theano}, values, wanted, bytes).translate();
}

NVDLAC_IMPL network of_hdf5(const std::string& content, const std::string& file,
                            const part& wanted) {
  const weights_file weights(content, wanted.limits);
  const auto configuration = weights.text_of("model_config");
  if (!configuration)
    throw error(problem{.reason = "this HDF5 file holds no model, at most its weights",
                        .remedy = "give the model's JSON first, then its weights, or save it as a "
                                  "whole"});
  return translated(file, parsed(*configuration, "its model_config", wanted.limits.fields),
                    description::version_in(weights.text_of("keras_version").value_or("")),
                    weights, wanted, content.size());
}

NVDLAC_IMPL network of_archive(const std::string& content, const std::string& file,
                               const part& wanted) {
  auto members = unpacked(content, wanted.limits, [](std::string_view name) {
    return name == "config.json" || name == "metadata.json" || name == "model.weights.h5";
  });
  for (const char* name : {"config.json", "model.weights.h5"})
    if (!members.contains(name))
      throw error(std::string("the archive has no ") + name);
  const auto metadata = parsed(members.contains("metadata.json") ? members["metadata.json"] : "{}",
                               "its metadata.json", wanted.limits.fields);
  const weights_file weights(members["model.weights.h5"], wanted.limits);
  return translated(file, parsed(members["config.json"], "its config.json", wanted.limits.fields),
                    description::version_in(word(metadata, "keras_version")), weights, wanted,
                    content.size());
}

}  // namespace keras_format

#endif

namespace detail {

NVDLAC_IMPL void refuse_keras(const recognised& kind, const std::string& file) {
  throw error(problem{.file = file,
                      .reason = "this is " + kind.name + ", but this nvdlac was built without HDF5 "
                                "and libarchive, which read it",
                      .remedy = "install them (on Debian: libhdf5-dev libarchive-dev) and build "
                                "nvdlac anew"});
}

}  // namespace detail

NVDLAC_IMPL network keras_network_from(const std::string& content, const std::string& file,
                                       [[maybe_unused]] const part& wanted) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::keras_hdf5 && kind.kind != file_kind::keras_archive)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a Keras model",
                        .remedy = kind.remedy});
#ifdef NVDLAC_KERAS
  return nvdlac::in_file(file, [&] {
    return kind.kind == file_kind::keras_hdf5 ? keras_format::of_hdf5(content, file, wanted)
                                              : keras_format::of_archive(content, file, wanted);
  });
#else
  detail::refuse_keras(kind, file);
#endif
}

NVDLAC_IMPL network keras_network_from(const std::string& configuration, const std::string& file,
                                       const std::string& weights, const std::string& weights_name,
                                       [[maybe_unused]] const part& wanted) {
  const auto kind = recognise(configuration), of_weights = recognise(weights);
  if (kind.kind != file_kind::keras_json)
    throw error(problem{.file = file,
                        .reason = "this is " + kind.name + ", not the JSON of a Keras model",
                        .remedy = kind.remedy});
  if (of_weights.kind != file_kind::keras_hdf5)
    throw error(problem{.file = weights_name,
                        .reason = "this is " + of_weights.name + ", not the weights of a Keras "
                                  "model",
                        .remedy = "give the HDF5 file that save_weights wrote"});
#ifdef NVDLAC_KERAS
  return nvdlac::in_file(file, [&] {
    namespace k = keras_format;
    const auto opened = nvdlac::in_file(weights_name, [&] {
      return std::make_unique<k::weights_file>(weights, wanted.limits);
    });
    return k::translated(file, k::parsed(configuration, "the file", wanted.limits.fields), 0,
                         *opened, wanted,
                         configuration.size() + weights.size());
  });
#else
  detail::refuse_keras(kind, file);
#endif
}

NVDLAC_IMPL network keras_network(const std::filesystem::path& path, const part& wanted) {
  return keras_network_from(read_file(path), path.string(), wanted);
}

NVDLAC_IMPL network keras_network(const std::filesystem::path& configuration,
                                  const std::filesystem::path& weights, const part& wanted) {
  auto result = keras_network_from(read_file(configuration), configuration.string(),
                                   read_file(weights), weights.string(), wanted);
  result.external.push_back(weights);
  return result;
}

NVDLAC_IMPL net::graph keras_from(const std::string& content, const std::string& file,
                                  const part& wanted) {
  return real_graph(keras_network_from(content, file, wanted), file);
}

NVDLAC_IMPL net::graph keras(const std::filesystem::path& path, const part& wanted) {
  return real_graph(keras_network(path, wanted), path.string());
}

NVDLAC_IMPL network read_keras(const named_content& model, const weight_content& weights,
                               const part& wanted) {
  if (const auto* beside = std::get_if<named_content>(&weights))
    return keras_network_from(model.content, model.file, beside->content, beside->file, wanted);
  return keras_network_from(model.content, model.file, wanted);
}

}  // namespace nvdlac::import
