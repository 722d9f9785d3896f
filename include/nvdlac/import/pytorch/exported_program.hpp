// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/pytorch/aliases.hpp>
#include <nvdlac/import/pytorch/sizes.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

#ifdef NVDLAC_PYTORCH

namespace nvdlac::import::pytorch_format {

// An exported program and its weights, whose names are those of the members below the archive's
// only folder.
class exported_program {
 public:
  exported_program(const std::string& content, std::string file, const budget& limits);

  network translated(const part& wanted);

 private:
  // Requires the layout that PyTorch 2.8 and later write; a later layout has another version.
  void require_layout() const;
  static const json& child(const json& object, const char* key);
  const std::string* ending(const std::string& end) const;
  // The only one, or that which torch.export.save writes.
  std::string name_of_model() const;
  json configuration(const std::string& path, const std::vector<std::string>& endings) const;

  struct stored_tensor {
    const json* list;
    std::string folder, name;
  };
  // PyTorch 2.8 has one pickle of all tensors where later ones have a list and raw bytes.
  void require_raw(const stored_tensor& t) const;
  array read(const stored_tensor& t);

  // The names of tensors and sizes that an argument has.
  static void names_in(const json& v, std::vector<std::string>& to, int depth = 0);
  static std::vector<std::string> names_in(const json& v);
  struct operator_name {
    std::string type{};
    bool in_place = false;
  };
  // torch.ops.aten.conv2d.default is conv2d. An operator in place gives what the other gives.
  static operator_name name_of_operator(const std::string& target);
  static error changed_in_place(const std::string& tensor);
  // The tensor on which an operator works, which it returns if it is in place.
  static std::string own_tensor(const json& node);
  // Notes what the layer reads by a name that an operator in place has left behind.
  void follow(const translation::file_layer& l, bool in_place, const json& node, std::size_t k);

  translation::file_graph flat_graph(const json& graph, const json& signature, const sizes& known);
  void input(const json& spec, translation::file_graph& to, const sizes& known);

  std::string file_;
  std::size_t bytes_;
  budget limits_;
  std::map<std::string, std::string> members_;
  json model_{}, weights_{}, constants_{};
  std::vector<const json*> nodes_{};
  aliases shared_{};
  std::map<std::size_t, std::string> outdated_inputs_{};  // by layers
  std::set<std::string> outdated_outputs_{};
  std::map<std::string, stored_tensor> stored_{};
  onnx_format::constant_elements constants_left_{bytes_, limits_};
};

}  // namespace nvdlac::import::pytorch_format

#endif

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/exported_program.ipp>
#endif
