// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/own_graph.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

// The file that is read for a path: of a directory the manifest of a Core ML package or the graph
// of a SavedModel.
std::filesystem::path model_file(const std::filesystem::path& given);

// Where the weights of a model are; the parts of a format may differ in it.
enum class weights_place : std::uint8_t { in_the_model, in_a_second_file, there_or_noise };

struct further_format {
  const char* name;      // of its header, and in NVDLAC_FORMATS
  further_reader* read;  // null: the program has no reader of it
  weights_place weights = weights_place::in_the_model;
  const char* second_file = "";  // which one it is
};

further_format further_format_of(file_kind kind);

namespace detail {

// Throws `error` where the user gives or wants what a file of this kind cannot have.
void check_kind(const recognised& kind, const std::string& file, const weight_source& weights,
                const part& wanted);

// A network by the reader of a format other than ONNX.
network read_further(const further_format& format, const recognised& kind,
                     const named_content& model, const weight_source& weights,
                     const part& wanted);

// Puts noise in place of all weights; what belonged to these is gone.
template <class Own>
void make_random(basic_network<Own>& n, const random_weights& by) {
  randomise(n.graph, by);
  n.scales = {};
  n.preprocessing.reset();
}

// The network in what stands in a file, or might stand there.
template <class Own>
basic_network<Own> network_in(const named_content& model, const weight_source& weights,
                              const part& wanted) {
  const auto kind = recognise(model.content);
  check_kind(kind, model.file, weights, wanted);
  if (kind.kind != file_kind::onnx && kind.kind != file_kind::onnx_text)
    return with_own<Own>(read_further(further_format_of(kind.kind), kind, model, weights, wanted));
  auto result = onnx_network_from<Own>(model.content, model.file,
                                       std::filesystem::path(model.file).parent_path(), wanted);
  if (const auto* noise = std::get_if<random_weights>(&weights)) make_random(result, *noise);
  return result;
}
template <class Own>
basic_network<Own> network_in(const std::filesystem::path& given, const weight_source& weights,
                              const part& wanted) {
  const auto path = model_file(given);
  return network_in<Own>(named_content{path.string(), read_file(path)}, weights, wanted);
}

template <class Own>
basic_network<Own> named_as(const std::filesystem::path& path, const weight_source& weights,
                            basic_network<Own> network) {
  if (const auto* beside = std::get_if<std::filesystem::path>(&weights))
    network.external.push_back(*beside);
  network.file = path;
  network.scales.file = path.string();
  return network;
}

}  // namespace detail

// Reads a network of any kind that is known, with the scales of its tensors if it is quantised: an
// ONNX or TFLite file, a TensorFlow graph or the directory of a SavedModel, a Keras model, or a
// prototxt, a Darknet cfg or the JSON of a Keras model with its weights; and what further readers
// that the program has read (further_readers.hpp). The kind is found by the content, not by the
// name. `Own` lists the operators of the user's own, which ONNX files may have; `wanted` a part of
// the file. Throws `error` with all problems.
template <class Own = type_list<>>
basic_network<Own> any_network(const std::filesystem::path& path,
                               const weight_source& weights = {}, const part& wanted = {}) {
  return detail::named_as(path, weights, detail::network_in<Own>(path, weights, wanted));
}
// Reads a content in memory in place of a file of that name, beside which lie the files that it
// names.
template <class Own = type_list<>>
basic_network<Own> any_network_in(const named_content& content, const weight_source& weights = {},
                                  const part& wanted = {}) {
  return detail::named_as(content.file, weights,
                          detail::network_in<Own>(content, weights, wanted));
}
// The graph of a model that is not quantised; see real_graph.
template <class Own = type_list<>>
graph_of<Own> model(const std::filesystem::path& path, const weight_source& weights = {}) {
  return real_graph(any_network<Own>(path, weights), path.string());
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/model.ipp>
#endif
