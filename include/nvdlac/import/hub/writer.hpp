// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/hub/model.hpp>

namespace nvdlac::import::hub {

// Writes a model of another format in ONNX's terms, of one version of its operators.
class writer {
 public:
  explicit writer(std::int64_t opset) : model_{.imports = {{"", opset}}, .graph = hub::graph{}} {}

  const hub::model& model() const { return model_; }

  // An input of real numbers, or of another type by its number in TensorProto, and whether its
  // first dimension counts pictures, if the file says so.
  void input(const std::string& name, const dims& shape, std::int64_t type = 1,
             std::optional<bool> counts_pictures = std::nullopt);
  void output(const std::string& name) { graph().outputs.push_back({name}); }
  void node(const std::string& type, const std::string& name, std::vector<std::string> inputs,
            std::vector<std::string> outputs, std::vector<attribute> attributes = {});
  // A constant; integers may be of another type than int64, by its number in TensorProto.
  void constant(const std::string& name, array a, std::int64_t integer_type = 7);
  // One whose real numbers are shared with who has them.
  void constant(const std::string& name, const std::shared_ptr<const array>& a);

 private:
  hub::graph& graph() { return *model_.graph; }

  hub::model model_;
};

}  // namespace nvdlac::import::hub

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/hub/writer.ipp>
#endif
