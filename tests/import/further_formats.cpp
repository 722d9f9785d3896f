// SPDX-License-Identifier: Apache-2.0
// Readers that a program may leave out.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include <nvdlac/import/model.hpp>

#include "files.hpp"

using namespace nvdlac;
using import::file_kind;

namespace {

std::string refused(const import::further_format& format, const import::weight_source& weights) {
  const import::recognised kind{file_kind::other, "a model of another format"};
  return complaints([&] {
    (void)import::detail::read_further(format, kind, {"net.other", "content"}, weights, {});
  });
}

import::network one_layer(const import::named_content& model, const import::weight_content&,
                          const import::part&) {
  import::network n;
  n.graph.add(model.file, net::relu{});
  n.batch = 7;
  return n;
}

}  // namespace

TEST_CASE("a format without a reader is refused with the words how to have one") {
  const auto said = refused({"other", nullptr}, {});
  CHECK(mentions(said,
                 "net.other: this is a model of another format, whose reader this program was "
                 "built without (build it with CMake's NVDLAC_FORMATS empty, or with 'other' "
                 "in it)"));
}

TEST_CASE("the library of all formats has a reader of each") {
  std::set<std::string> names;
  for (const auto kind :
       {file_kind::caffe_text, file_kind::tflite, file_kind::tensorflow, file_kind::tensorflow_text,
        file_kind::saved_model, file_kind::saved_model_text, file_kind::darknet_text,
        file_kind::keras_hdf5, file_kind::keras_archive, file_kind::keras_json,
        file_kind::pytorch_export, file_kind::mxnet_symbol, file_kind::caffe2_net,
        file_kind::coreml}) {
    const auto format = import::further_format_of(kind);
    const bool is_read = format.read != nullptr;
    CHECK(is_read);
    names.insert(format.name);
  }
  CHECK(names == std::set<std::string>{"caffe", "caffe2", "coreml", "darknet", "keras", "mxnet",
                                       "pytorch", "tensorflow", "tflite"});
}

TEST_CASE("what a format needs besides the model is asked for") {
  using enum import::weights_place;
  const std::filesystem::path beside = "net.weights";
  CHECK(mentions(refused({"other", one_layer}, beside),
                 "a model of another format holds its weights itself (leave out 'net.weights')"));
  CHECK(mentions(refused({"other", one_layer, in_a_second_file, "its weights"}, {}),
                 "which holds no weights (give its weights)"));
  CHECK(mentions(refused({"other", one_layer, in_a_second_file, "its weights"},
                         import::random_weights{}),
                 "of which only the weights tell the shapes (give its weights)"));
  CHECK(refused({"other", one_layer}, {}).empty());
  CHECK(refused({"other", one_layer}, import::random_weights{}).empty());
  CHECK(refused({"other", one_layer, there_or_noise}, import::random_weights{}).empty());
}
