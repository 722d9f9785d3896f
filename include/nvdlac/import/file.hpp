// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import {

// The content of a file. Throws `error` when it is absent, a directory, unreadable or empty.
std::string read_file(const std::filesystem::path& path);

// The graph in the directory of a SavedModel of TensorFlow.
std::filesystem::path saved_model_in(const std::filesystem::path& directory);

// A file's content and its name, for messages.
struct named_content {
  std::string file, content;
};

enum class file_kind : std::uint8_t {
  onnx, onnx_text, caffe_text, caffe_binary, tflite,  // what the importers read
  tensorflow, tensorflow_text, saved_model, saved_model_text, darknet_text, darknet_weights,
  keras_hdf5, keras_archive, keras_json,
  pytorch_export, mxnet_symbol, mxnet_params, caffe2_net, coreml, coreml_manifest,
  other
};

struct recognised {
  file_kind kind = file_kind::other;
  std::string name{};    // "a JPEG picture"
  std::string remedy{};  // what the user can do about a wrong kind
};

// No control characters but white space in the first 64 KB.
bool looks_like_text(std::string_view content);

// The fields of a protobuf message, without knowing its schema: the numbers of its length-delimited
// and of its varint fields, as bit sets of the numbers up to 127; stops at the first broken field.
struct wire_fields {
  std::uint64_t delimited[2] = {}, varint[2] = {};
  bool has_delimited(unsigned n) const { return (delimited[n / 64] >> n % 64 & 1) != 0; }
  bool has_varint(unsigned n) const { return (varint[n / 64] >> n % 64 & 1) != 0; }
  bool empty() const { return (delimited[0] | delimited[1] | varint[0] | varint[1]) == 0; }
};

wire_fields scan_wire(std::string_view content);

// The first field of this number in a protobuf message, if it is length-delimited.
std::string_view first_field(std::string_view content, unsigned number);

// The name of an operator.
bool is_word(std::string_view s);

// TensorFlow's graphs start with a node or a library of functions; no other message has a name and
// an operator there.
bool looks_like_graph_def(std::string_view content);

// Caffe2's networks are operators with a type and with tensors. Layers of old caffemodels have
// their name there, and a number as their type.
bool looks_like_net_def(std::string_view content);

// Core ML's models have a version, a description, whose first fields are features, and a model of
// some kind, whose number no other format reaches.
bool looks_like_core_ml(std::string_view content);

// A text from its first word on, behind comments.
std::string_view without_comments(std::string_view content, std::string_view signs);

bool is_graph_text(std::string_view content);

bool is_darknet_text(std::string_view content);
// Version 0.1 or 0.2, and a small revision: of these weights nothing else tells what they are.
bool looks_like_darknet_weights(std::string_view content);

// How a module of PyTorch gets into a file with its graph.
inline constexpr auto export_from_python =
    "in Python, with the module: model.eval(); torch.onnx.export(model, torch.randn(1, 3, 224, "
    "224), 'model.onnx') or, as model.pt2: torch.export.save(torch.export.export(model, "
    "(torch.randn(1, 3, 224, 224),)), 'model.pt2')";

// The names of some tensors in a pickle, which is not run: texts that look like such names.
std::string tensors_in_pickle(std::string_view content);
// Recognises pickles of PyTorch. None has a graph, at most Python code that would make one.
recognised recognise_pickle(std::string_view content);

// Recognises a ZIP archive by the names of its members: they stand in its directory, at the end.
recognised recognise_archive(std::string_view content);

inline constexpr const char* give_model =
    "give the network: an ONNX, TFLite, TensorFlow, Keras or PyTorch (.pt2) file, a prototxt and "
    "its caffemodel, a Darknet cfg and its weights, an MXNet symbol and its params, Caffe2's "
    "predict_net and init_net, or a Core ML model";

// By what stands in a text.
recognised recognise_text(std::string_view content);

// Recognises a file by its content.
recognised recognise(std::string_view content);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/file.ipp>
#endif
