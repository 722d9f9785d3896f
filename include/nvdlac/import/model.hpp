// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/darknet.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/import/tensorflow.hpp>
#include <nvdlac/import/tflite.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

// The file that is read for a path: of a directory the manifest of a Core ML package or the graph
// of a SavedModel.
std::filesystem::path model_file(const std::filesystem::path& given);

namespace detail {

// A network by a reader whose header the program includes, or the words which one that is.
network further_network(const recognised& kind, const named_content& model,
                        const std::filesystem::path* beside, const random_weights* noise,
                        const part& wanted);

// The network in what stands in a file, or might stand there. Long because it has a case for each
// kind of file.
template <class Own>
basic_network<Own> network_in(const std::filesystem::path& path, const std::string& content,
                              const weight_source& weights, const part& wanted) {
  const auto fail = [&](std::string reason, std::string remedy) -> error {
    return error(
        problem{.file = path.string(), .reason = std::move(reason), .remedy = std::move(remedy)});
  };
  const auto* beside = std::get_if<std::filesystem::path>(&weights);
  const auto* noise = std::get_if<random_weights>(&weights);
  const auto kind = recognise(content);
  const bool sized = kind.kind == file_kind::tflite || kind.kind == file_kind::darknet_text;
  if (wanted.epsilon && kind.kind != file_kind::darknet_text)
    throw fail("this is " + kind.name + ", which tells the epsilon of batch normalisations itself",
               "leave out the epsilon");
  if (sized && !wanted.shapes.empty())
    throw fail("this is " + kind.name + ", which tells the shapes of all its tensors itself",
               "leave out --shape");
  switch (kind.kind) {
    case file_kind::onnx:
    case file_kind::onnx_text:
    case file_kind::tflite:
    case file_kind::tensorflow:
    case file_kind::tensorflow_text:
    case file_kind::saved_model:
    case file_kind::saved_model_text:
    case file_kind::keras_hdf5:
    case file_kind::keras_archive: {
      if (beside != nullptr)
        throw fail(kind.name + " holds its weights itself",
                   "leave out '" + beside->string() + "'");
      const auto file = path.string();
      const auto directory = path.parent_path();
      const auto is = [&](file_kind a, file_kind b) { return kind.kind == a || kind.kind == b; };
      auto result = is(file_kind::onnx, file_kind::onnx_text)
                        ? onnx_network_from<Own>(content, file, directory, wanted)
                    : is(file_kind::tflite, file_kind::tflite)
                        ? with_own<Own>(tflite_network_from(content, file, wanted))
                    : is(file_kind::keras_hdf5, file_kind::keras_archive)
                        ? with_own<Own>(keras_network_from(content, file, wanted))
                        : with_own<Own>(tensorflow_network_from(content, file, wanted, directory));
      if (noise != nullptr) {
        randomise(result.graph, *noise);
        result.scales = {};
        result.preprocessing.reset();
      }
      return result;
    }
    case file_kind::caffe_text:
      if (beside != nullptr) return with_own<Own>(caffe_network(path, *beside, wanted));
      if (noise != nullptr) return with_own<Own>(caffe_network(path, *noise, wanted));
      throw fail("this is a prototxt, which holds no weights",
                 "give its caffemodel, or random weights");
    case file_kind::caffe_binary:
      throw fail("this is a caffemodel", "give the prototxt first, then the caffemodel");
    case file_kind::darknet_text: {
      const darknet_options options{wanted.epsilon.value_or(darknet_options{}.epsilon)};
      if (beside != nullptr)
        return with_own<Own>(darknet_network(path, *beside, options, wanted));
      if (noise != nullptr) return with_own<Own>(darknet_network(path, *noise, options, wanted));
      throw fail("this is a Darknet cfg, which holds no weights",
                 "give its weights, or random weights");
    }
    case file_kind::darknet_weights:
      throw fail("this is a file of Darknet's weights", "give the cfg first, then the weights");
    case file_kind::keras_json:
      if (beside != nullptr)
        return with_own<Own>(keras_network_from(content, path.string(), read_file(*beside),
                                                beside->string(), wanted));
      throw fail("this is " + kind.name + ", which holds no weights",
                 "give its weights (.weights.h5) as the second file");
    case file_kind::mxnet_params:
      throw fail("this is " + kind.name, "give the symbol (JSON) first, then the parameters");
    case file_kind::pytorch_export:
    case file_kind::mxnet_symbol:
    case file_kind::caffe2_net:
    case file_kind::coreml:
    case file_kind::coreml_manifest: {
      auto result = with_own<Own>(further_network(kind, {path.string(), content}, beside, noise,
                                                  wanted));
      if (noise != nullptr) {
        randomise(result.graph, *noise);
        result.preprocessing.reset();
      }
      return result;
    }
    case file_kind::other: break;
  }
  throw fail("this is " + kind.name, kind.remedy);
}

template <class Own>
basic_network<Own> network_in(const std::filesystem::path& given, const weight_source& weights,
                              const part& wanted) {
  const auto path = model_file(given);
  return network_in<Own>(path, read_file(path), weights, wanted);
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
// prototxt, a Darknet cfg or the JSON of a Keras model with its weights; and what the headers
// of network.hpp read. The kind is found by the content, not by the name.
// `Own` lists the operators of the user's own, which ONNX files may have;
// `wanted` a part of the file. Throws `error` with all problems.
template <class Own = type_list<>>
basic_network<Own> any_network(const std::filesystem::path& path,
                               const weight_source& weights = {}, const part& wanted = {}) {
  return detail::named_as(path, weights, detail::network_in<Own>(path, weights, wanted));
}
// The same of a content in memory in place of a file of that name, beside which lie the files that it
// names.
template <class Own = type_list<>>
basic_network<Own> any_network_in(const named_content& content, const weight_source& weights = {},
                                  const part& wanted = {}) {
  const std::filesystem::path path(content.file);
  return detail::named_as(path, weights,
                          detail::network_in<Own>(path, content.content, weights, wanted));
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
