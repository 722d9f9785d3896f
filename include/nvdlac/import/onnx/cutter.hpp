// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import::onnx_format {

// Takes a part of a model, and gives it the sizes that it leaves open, before it is read.
class cutter {
 public:
  // The model has a graph, or nothing is cut.
  cutter(const std::string& file, hub::model& model, const part& wanted)
      : file_(file), wanted_(wanted), graph_(model.graph ? *model.graph : model.graph.emplace()) {}

  // All problems are in one error.
  void cut();

 private:
  void complain(const std::string& layer, std::string reason, std::string remedy = {});

  // The tensors that a layer of this name or number gives, or the tensor of that name.
  std::vector<std::string> tensors_of(const std::string& name);

  // The tensor becomes an input, of the shape that the file or the user tells.
  void begin_at(const std::string& tensor);

  // Inputs on which no output depends any longer.
  void drop_inputs();

  void set_shape(const std::string& name, const dims& shape);

  std::string file_;
  const part& wanted_;
  hub::graph& graph_;
  diagnostics problems_;
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/cutter.ipp>
#endif
