// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of a verification: a network in float beside its programs on the simulator.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/verify/comparison.hpp>

namespace nvdlac::verification {

// The inputs on which the errors of layers are compared, unless more are asked for.
inline constexpr std::size_t few = 32;

// The class with the greatest value of a network's first output, of equal ones the first.
struct first_class {
  std::size_t number = 0;
  float value = 0;  // a real number; NaN of an output that has one, and so no first class
  bool tied = false;  // whether another class has the same value, of a program in its own numbers

  bool is(std::size_t n) const { return number == n && !std::isnan(value); }
};

// The first value at which a simulated program is not the exact integer network.
struct mismatch {
  std::string output{};     // its name
  std::size_t element = 0;  // in c-h-w order
  double expected = 0, found = 0;  // in the program's own numbers
};

// One program's answer to one input, beside the float network's.
struct answer {
  first_class first{};
  bool tied_before_softmax = false;  // whether the greatest value that the softmax reads is tied
  std::vector<comparison> outputs{};  // in the order of the model's file
  std::optional<mismatch> differs{};  // from the exact integer network, where it was simulated
};

// The results of one input.
struct input_report {
  std::size_t number = 0;  // from 0
  std::string name{};      // "3_a.pgm", or "digits.idx[17]" out of many
  first_class expected{};  // of the float network
  std::optional<std::size_t> label{};  // the right class, where it is known
  std::vector<answer> programs{};
  // The errors of layers and of the network's inputs in the first program, if they were compared.
  std::vector<quant::layer_error> layers{};

  // Beside the float network, of all outputs and programs; NaN where one is not known.
  double largest_error() const;
};

// An output of the network, as the model's file has it.
struct output_form {
  std::string name{};
  std::vector<std::int64_t> shape{};
  // The layers in front of its softmax, the nearest first; none where it is no softmax.
  std::vector<std::string> before_softmax{};
  // The layers whose tensors hold it, if they are several; in the order of its comparison's parts.
  std::vector<std::string> parts{};
};

// The results of all inputs for one program; counts are inputs.
struct program_report {
  std::string configuration{};
  std::vector<comparison> outputs{};  // beside the float network
  std::size_t agreed = 0;             // both found the same first class
  std::size_t right = 0;              // the first class is the label
  std::size_t tied = 0, tied_before_softmax = 0;
  std::size_t inexact = 0;            // the simulator is not the exact integer network
  std::uint64_t cycles = 0;           // of NVDLA's clock for one run, predicted
  std::string prediction{};           // in words: cycles, runs a second, what limits them, traffic
  std::string runs_on = "simulator";  // or a device

  bool bit_exact() const { return inexact == 0; }
};

struct report {
  std::string network{};
  std::vector<output_form> outputs{};
  std::vector<program_report> programs{};  // one of a product
  std::vector<input_report> inputs{};      // without their layers, which are added up
  bool labelled = false;
  std::size_t float_right = 0, float_tied = 0;  // inputs
  // The errors of the layers that have integers of their own, in the network's order.
  std::vector<quant::layer_error> layers{};
  // The errors of its inputs, which come of rounding them.
  std::vector<quant::layer_error> rounded_inputs{};
  std::size_t inputs_of_layers = 0;
  std::string keeps_more{};  // the remedy where little is left of an output

  // Whether every simulated program gave what the exact integer network gives, bit for bit.
  bool bit_exact() const;
  // The report of the program, where there is one. Throws std::logic_error for several.
  const program_report& program() const;
  bool ends_with_softmax() const {
    return !outputs.empty() && !outputs.front().before_softmax.empty();
  }
  // The layer, or the rounded input, whose own error costs an output most, or where that is not
  // known, the layer where it is largest beside its signal, of those whose error is known; of those
  // with `calibrated` scales no input and no layer whose function gives its scale.
  const quant::layer_error* worst_layer(bool calibrated = false) const;
  // The error of what the softmax of an output reads, if that was compared.
  const quant::layer_error* before_softmax(std::size_t output) const;

  // Counts one input. Sums follow the order of the calls.
  void add(input_report one);
};

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/report.ipp>
#endif
