// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network in float beside its programs on the simulator, input by input.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/verify/detections.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

// The errors of layers and of rounding for one input, of which the tensors of the integer network
// are given by node.
using layer_comparison = std::function<std::vector<quant::layer_error>(
    std::span<const net::float_tensor>, const std::vector<net::any_tensor>&)>;

// The comparison of a graph behind its passes with its integers, which must outlive it.
template <class Graph>
layer_comparison compare_layers(const Graph& passed, const quantised::graph& integers) {
  return [&passed, &integers](std::span<const net::float_tensor> inputs,
                              const std::vector<net::any_tensor>& tensors) {
    quant::layer_errors<Graph> errors(passed, integers);
    errors.add(inputs, tensors, true);
    return errors.results_and_inputs();
  };
}

// A program on the simulator, or on a device of this name, which must outlive the verifier.
struct simulated {
  std::string configuration{};
  hw::spec spec{};
  runtime::any_session* on = nullptr;
  std::uint64_t cycles = 0;   // of one run, predicted
  std::string prediction{};   // in words
  std::string runs_on = "simulator";
};

// The work done for an input besides running the network in float and in exact integers.
struct extent {
  bool layers = true;     // compares the integers of every layer with its floats
  bool simulator = true;  // runs each program
};

// The outputs of one run of the float network and of a program, in the order of the model's file.
struct given_outputs {
  std::vector<data::array> reference{}, program{};
};

namespace detail {

// A tensor's numbers, fp16 as their values.
std::vector<double> numbers_of(const net::any_tensor& t);

// Whether the largest value stands more than once.
bool is_tied(const net::any_tensor& t);

first_class class_of(const data::array& output);

}  // namespace detail

// Runs a network in float, in exact integers and as programs on the simulator.
class verifier {
 public:
  using float_network =
      std::function<std::vector<data::array>(std::span<const net::float_tensor>)>;

  // `integers` must outlive the verifier. There is at least one program; `layers` may be empty.
  verifier(std::string network, float_network reference, layer_comparison layers,
           const quantised::graph& integers, std::vector<simulated> programs);

  // The report of no input yet.
  report begin() const;

  // Reports on one input: its float tensors, and what the programs take for them. `given` gets the
  // outputs of the float network and of the first program.
  input_report run(std::string name, std::span<const net::float_tensor> floats,
                   const std::vector<quantised::feed>& feeds, const extent& what = {},
                   given_outputs* given = nullptr) const;

  // Where program p differs from the exact integer network for what it takes.
  std::optional<mismatch> compare(std::size_t p, const std::vector<quantised::feed>& feeds) const;

  const std::vector<simulated>& programs() const { return programs_; }

 private:
  std::optional<mismatch> first_difference(const std::vector<net::any_tensor>& exact,
                                           const std::vector<net::any_tensor>& found) const;

  // The node that an output of the integer network reads if it is a softmax.
  std::optional<quantised::graph::id> read_by_softmax(const net::file_output& output) const;

  std::string network_;
  float_network reference_;
  layer_comparison layers_;
  const quantised::graph& integers_;
  std::vector<simulated> programs_;
  std::vector<net::file_output> outputs_;
  std::vector<detection_set> detections_;
  bool depends_on_order_ = false;  // sums of fp16 follow the order of the configuration's MACs
};

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/verifier.ipp>
#endif
