// SPDX-License-Identifier: Apache-2.0
#pragma once
// The calls of a model's layers, with those of the models in it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

// A layer is computed with what others give, or numbers in their place.
struct call {
  std::string name{};
  const layer* of = nullptr;
  std::vector<std::variant<std::size_t, float>> inputs{};  // numbers of calls, which stand before
  std::size_t result = 0;                                   // which output of the layer it gives
  std::optional<dims> shape{};                              // of an input that the file tells of
  bool is_input = false;
  std::optional<problem> wrong{};
};

// A tensor as the file refers to it: what a call of a layer gives.
struct reference {
  std::string layer{};
  std::size_t node = 0, tensor = 0;
};
// An entry in the list of calls of a layer.
struct recorded_call {
  std::vector<std::variant<reference, float>> inputs{};
  std::optional<problem> wrong{};
};

std::optional<reference> reference_in(const json& j);

// Reads the arguments of a call, as Keras 1 and 2 or Keras 3 write them.
class call_reader {
 public:
  recorded_call read(const json& node);

 private:
  void fail(std::string reason, std::string remedy = {});
  void tensor(const json& j);
  void argument(const json& j, int depth);
  void named(const json& arguments);

  recorded_call result_;
};

// All calls, in an order in which they can be computed.
class flat_graph {
 public:
  flat_graph(const description& of, std::uint64_t most_nodes) : most_nodes_(most_nodes) {
    outputs_ = add_model(of.top(), {}, "");
  }

  const std::vector<call>& calls() const { return calls_; }
  const std::vector<std::size_t>& outputs() const { return outputs_; }
  std::optional<std::size_t> find(const std::string& name) const;

 private:
  using numbers = std::vector<std::size_t>;

  std::size_t add(call c);
  // The outputs of a call: one, or two of a layer that does not merge what its directions give.
  numbers add_results(call c);
  static std::optional<dims> told_shape(const layer& l);
  std::size_t add_input(const layer& of, const std::string& name) {
    return add({.name = name, .of = &of, .shape = told_shape(of), .is_input = true});
  }

  // Adds a model that is called with `bound` (nothing: its own inputs); returns what it gives.
  numbers add_model(const layer& m, const numbers& bound, const std::string& prefix);
  numbers add_sequence(const layer& m, numbers at, const std::string& prefix);
  numbers add_call(const layer& l, const numbers& inputs, const std::string& prefix);

  // One call of a layer of a functional model, and what waits for it.
  struct unit {
    const layer* of = nullptr;
    std::size_t number = 0;  // among the calls of its layer
    recorded_call how{};
    std::size_t awaited = 0;
    numbers readers{}, results{};
  };
  struct plan {
    std::vector<unit> units{};
    std::map<std::string, std::pair<std::size_t, std::size_t>> of_layer{};  // first unit, count
    std::map<std::string, std::size_t> first_node{};  // the number in the file of the first call
  };
  static std::vector<reference> listed(const json& model, const char* key);
  plan planned(const layer& m, const std::vector<reference>& results) const;
  static std::optional<std::size_t> unit_of(const plan& p, const reference& r);

  numbers add_functional(const layer& m, const numbers& bound, const std::string& prefix);
  void bind(unit& u, const std::vector<reference>& starts, const numbers& bound,
            const std::string& prefix);
  static std::size_t result(const plan& p, const reference& r);
  void compute(const plan& p, unit& u, const std::string& prefix);

  std::uint64_t most_nodes_;
  std::vector<call> calls_;
  numbers outputs_;
};

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/graph.ipp>
#endif
