// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/import/weight_source.hpp>
#ifndef NVDLAC_COMPILED  // or else the library has what it was built with
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/darknet.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/tensorflow.hpp>
#include <nvdlac/import/tflite.hpp>
#endif

namespace nvdlac::import {

NVDLAC_IMPL std::filesystem::path model_file(const std::filesystem::path& given) {
  std::error_code failed;
  if (!std::filesystem::is_directory(given, failed)) return given;
  const auto manifest = given / "Manifest.json";
  return std::filesystem::exists(manifest, failed) ? manifest : saved_model_in(given);
}

NVDLAC_IMPL further_format further_format_of(file_kind kind) {
  using enum weights_place;
  switch (kind) {
    case file_kind::caffe_text:
      return {"caffe", read_caffe, there_or_noise, "its caffemodel, or random weights"};
    case file_kind::caffe2_net:
      return {"caffe2", read_caffe2, in_a_second_file, "its weights as second file"};
    case file_kind::darknet_text:
      return {"darknet", read_darknet, there_or_noise, "its weights, or random weights"};
    case file_kind::keras_hdf5:
    case file_kind::keras_archive: return {"keras", read_keras};
    case file_kind::keras_json:
      return {"keras", read_keras, in_a_second_file,
              "its weights (.weights.h5) as the second file"};
    case file_kind::mxnet_symbol:
      return {"mxnet", read_mxnet, in_a_second_file, "its weights as second file"};
    case file_kind::pytorch_export: return {"pytorch", read_pytorch};
    case file_kind::tensorflow:
    case file_kind::tensorflow_text:
    case file_kind::saved_model:
    case file_kind::saved_model_text: return {"tensorflow", read_tensorflow};
    case file_kind::tflite: return {"tflite", read_tflite};
    case file_kind::coreml:
    case file_kind::coreml_manifest: return {"coreml", read_coreml};
    default: throw std::logic_error("check_kind lets through what no further reader reads");
  }
}

namespace detail {

NVDLAC_IMPL void check_kind(const recognised& kind, const std::string& file,
                            const weight_source& weights, const part& wanted) {
  const auto fail = [&](std::string reason, std::string remedy) {
    return error(problem{.file = file, .reason = "this is " + kind.name + std::move(reason),
                         .remedy = std::move(remedy)});
  };
  const bool sized = kind.kind == file_kind::tflite || kind.kind == file_kind::darknet_text;
  if (wanted.epsilon && kind.kind != file_kind::darknet_text)
    throw fail(", which tells the epsilon of batch normalisations itself", "leave out the epsilon");
  if (sized && !wanted.shapes.empty())
    throw fail(", which tells the shapes of all its tensors itself", "leave out --shape");
  static constexpr std::array stateful{file_kind::onnx, file_kind::onnx_text, file_kind::tflite,
                                       file_kind::keras_hdf5, file_kind::keras_archive,
                                       file_kind::keras_json};
  if (wanted.states && std::ranges::find(stateful, kind.kind) == stateful.end())
    throw fail(", of whose layers no state is taken",
               "leave out --state step, which is for ONNX, TFLite and Keras");
  switch (kind.kind) {
    case file_kind::onnx:
    case file_kind::onnx_text:
      if (const auto* beside = std::get_if<std::filesystem::path>(&weights))
        throw error(problem{.file = file, .reason = kind.name + " holds its weights itself",
                            .remedy = "leave out '" + beside->string() + "'"});
      break;
    case file_kind::caffe_binary: throw fail("", "give the prototxt first, then the caffemodel");
    case file_kind::darknet_weights: throw fail("", "give the cfg first, then the weights");
    case file_kind::mxnet_params:
      throw fail("", "give the symbol (JSON) first, then the parameters");
    case file_kind::other: throw fail("", kind.remedy);
    default: break;
  }
}

NVDLAC_IMPL network read_further(const further_format& format, const recognised& kind,
                                 const named_content& model, const weight_source& weights,
                                 const part& wanted) {
  const auto fail = [&](std::string reason, std::string remedy) {
    return error(problem{.file = model.file, .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  const std::string name = format.name;
  if (format.read == nullptr) {
#ifdef NVDLAC_COMPILED
    throw fail("this is " + kind.name + ", whose reader this program was built without",
               "build it with CMake's NVDLAC_FORMATS empty, or with '" + name + "' in it");
#else
    throw fail("this is " + kind.name + ", whose reader this program does not include",
               "#include <nvdlac/import/" + name + ".hpp>");
#endif
  }
  const auto* beside = std::get_if<std::filesystem::path>(&weights);
  const auto* noise = std::get_if<random_weights>(&weights);
  if (format.weights == weights_place::in_the_model) {
    if (beside != nullptr)
      throw fail(kind.name + " holds its weights itself", "leave out '" + beside->string() + "'");
    auto result = format.read(model, {}, wanted);
    if (noise != nullptr) make_random(result, *noise);
    return result;
  }
  if (beside != nullptr)
    return format.read(model, named_content{beside->string(), read_file(*beside)}, wanted);
  if (noise == nullptr)
    throw fail("this is " + kind.name + ", which holds no weights",
               "give " + std::string(format.second_file));
  if (format.weights != weights_place::there_or_noise)
    throw fail("this is " + kind.name + ", of which only the weights tell the shapes",
               "give its weights");
  return format.read(model, *noise, wanted);
}

}  // namespace detail

}  // namespace nvdlac::import
