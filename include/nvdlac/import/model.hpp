// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include <nvdlac/error.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Reads a network of any kind that is known: an ONNX file, or a prototxt with its caffemodel. The
// kind is found by the content, not by the name. Throws `error` with all problems.
inline net::graph model(const std::filesystem::path& path,
                        const std::optional<std::filesystem::path>& weights = std::nullopt) {
  const auto fail = [&](std::string reason, std::string remedy) -> error {
    return error(
        problem{.file = path.string(), .reason = std::move(reason), .remedy = std::move(remedy)});
  };
  const auto kind = recognise(read_file(path));
  switch (kind.kind) {
    case file_kind::onnx:
    case file_kind::onnx_text:
      if (weights)
        throw fail("an ONNX file holds its weights itself",
                   "leave out '" + weights->string() + "'");
      return onnx(path);
    case file_kind::caffe_text:
      if (!weights)
        throw fail("this is a prototxt, which holds no weights", "give its caffemodel, too");
      return caffe(path, *weights);
    case file_kind::caffe_binary:
      throw fail("this is a caffemodel", "give the prototxt first, then the caffemodel");
    case file_kind::other: break;
  }
  throw fail("this is " + kind.name, kind.remedy);
}

}  // namespace nvdlac::import
