// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/pytorch/operators.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::pytorch_format {

// Tensors that share their memory. An operator in place changes all of them, but the graph gives
// the result a new name alone: what is read by an older name is no longer what that name computed.

// Operators whose result is, or may be, the memory of their input.
bool is_view(std::string_view type);

// Follows the operators in their order.
class aliases {
 public:
  // Whether an operator in place has changed what this tensor was.
  bool is_outdated(const std::string& tensor) const;
  // The results are the memory of a tensor, with other places of the elements.
  void share(const std::string& tensor, const std::vector<std::string>& names);
  // The results are a tensor that is changed in place.
  void change(const std::string& tensor, const std::vector<std::string>& names);

 private:
  struct state {
    std::size_t memory = 0, change = 0;
  };
  state state_of(const std::string& tensor);

  std::map<std::string, state> tensors_{};
  std::vector<std::size_t> changes_{};  // how often each memory was changed
};

}  // namespace nvdlac::import::pytorch_format

namespace nvdlac::import {

// PyTorch's archives of torch.export (.pt2). libarchive reads them: without it (NVDLAC_PYTORCH is
// not defined) a file is refused with the words what to install. A program that includes this
// header reads them by nvdlac::read, too.

#ifdef NVDLAC_PYTORCH
namespace pytorch_format {

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

}  // namespace pytorch_format
#endif

// Reads an archive of torch.export as a network for one picture. `wanted` names a part of it and
// shapes that it leaves open; `file` is for messages. Throws `error` with all problems.
network pytorch_network_from(const std::string& content, const std::string& file,
                             [[maybe_unused]] const part& wanted = {});

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch.ipp>
#endif
