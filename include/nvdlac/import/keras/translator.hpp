// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/keras/graph.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::keras_format {

// One weight of a layer. A small file can describe a large one, so that its size is asked first.
struct weight {
  dims shape{};
  std::function<array()> read{};
};
using weights_of = std::function<std::vector<weight>(const layer&)>;

// Writes a model in ONNX's terms, so that all formats mean the same by the same operator. Layers
// have the names that the file gives them.
class translator {
 public:
  translator(const std::string& file, const flat_graph& graph, origin from, weights_of weights,
             const part& wanted, std::size_t bytes);

  network translate();

 private:
  // Whether the action threw no error.
  template <class Action>
  bool attempt(std::size_t n, Action action) {
    const auto index = static_cast<std::int32_t>(n);
    bool is_right = true;
    try {
      action();
    } catch (const error& e) {
      auto all = e.problems();
      const auto& l = *calls_[n].of;
      if (!calls_[n].is_input)
        for (auto& p : all)
          if (p.reason.find(l.class_name) == p.reason.npos)
            p.reason = l.class_name + ": " + p.reason;
      problems_.add(calls_[n].name, error(std::move(all)));
      is_right = false;
    }
    if (!values_.is_known(index)) values_.set_broken(index);
    return is_right;
  }
  void report(const std::string& kind, const std::vector<std::string>& layers);
  // The part without the layers that are refused.
  std::vector<cut_node> nodes() const;
  std::vector<std::size_t> named(const flat_graph& graph, const std::vector<std::string>& names);

  // Chooses what the outputs need. Pictures have channels second while they are computed: inputs
  // come as the network takes them, which the first layer with windows tells.
  void choose();

  void input(std::size_t n, const std::optional<dims>& declared);
  void require_picture(const layer& l) const;

  void convert(std::size_t n);
  static std::string origin_of(const layer& l);

  template <class Entry>
  void apply(std::size_t n, const Entry& entry) {
    const auto& c = calls_[n];
    const auto& l = *c.of;
    std::vector<std::int32_t> inputs;
    for (const auto& i : c.inputs) {
      if (const auto* number = std::get_if<float>(&i)) {
        inputs.push_back(held(array::of_reals({}, {*number}), c.name));
        continue;
      }
      const auto index = static_cast<std::int32_t>(std::get<std::size_t>(i));
      if (values_.is_broken(index)) return;
      inputs.push_back(index);
    }
    const auto data = inputs.size();
    if (data == 0) throw error("it has no inputs");
    l.require_real();
    for (const auto index : weights_held(l, n)) inputs.push_back(index);
    const tensors::indices outputs{static_cast<std::int32_t>(n)};
    const conversion how(l, from_, data, inputs, outputs, values_, tensors_, c.result);
    try {
      entry.second.convert(how);
    } catch (const error& e) {
      if (e.problems().front().reason != conversion::not_supported()) throw;
      unsupported_[l.class_name].push_back(c.name);
      refused_.insert(n);
      return;
    }
    l.require_understood();
  }
  std::int32_t held(array a, const std::string& name);
  // The weights of a layer; those of one that is called several times are read once.
  std::vector<std::int32_t> weights_held(const layer& l, std::size_t n);

  void output(std::size_t n);
  // Inputs are the file's; outputs were written as the file has them.
  void name_as_in_file(net::graph::node& n) const;

  std::string file_;
  const std::vector<call>& calls_;
  origin from_;
  weights_of weights_;
  translation::layer_problems problems_;
  translation::input_shapes shapes_;
  bool states_;  // are inputs and outputs
  std::size_t bytes_;
  bool channels_first_ = false;
  std::vector<std::size_t> outputs_;
  std::set<std::size_t> starts_, refused_;
  std::vector<bool> needed_;
  // An input of the network, in the file's shape.
  struct input_form {
    std::string name;
    order in = order::of_file;
    dims shape{};
  };
  std::vector<input_form> inputs_;
  std::map<std::string, std::vector<std::string>> unsupported_;
  std::map<const layer*, std::vector<std::int32_t>> held_;
  budget limits_;
  onnx_format::constant_elements constants_;
  hub::writer to_{translation::opset};
  tensors tensors_;
  values values_{tensors_, to_, limits_};
};

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/translator.ipp>
#endif
