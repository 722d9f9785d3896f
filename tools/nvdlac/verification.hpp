// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/quant/layer_errors.hpp>

#include "comparison.hpp"
#include "prediction_options.hpp"
#include "preparation.hpp"
#include "results.hpp"

namespace nvdlac::cli {

// A network in float beside its programs on the simulator, input by input.
class verification {
 public:
  explicit verification(const preparation&, const sim::settings& = {},
                        const prediction_options& = {});

  // What one input gave: outputs of the float network and of each program.
  struct result {
    std::vector<real_array> reference{};
    std::vector<std::vector<real_array>> programs{};  // by target
    // Whether the first class of the first output has another one beside it, as it is and, if it
    // is a softmax, in what that reads.
    std::vector<bool> tied{}, tied_before{};  // by target
  };
  // With `layers`, compares the integers of every layer with its floats as well. Throws
  // std::logic_error if a program is not the exact integer reference, bit for bit.
  result run(const input_set&, bool layers);

  // The layer that adds the most error of its own beside its signal, of `layers()` compared ones.
  quant::layer_error worst_layer() const;
  std::size_t layers() const { return errors_.results().size(); }
  // Of an output that is a softmax: what it reads, if that was compared.
  std::optional<quant::layer_error> before_softmax(const net::file_output&) const;

  // Whether that is what the first output of the file is.
  bool ends_with_softmax() const;

  // By target.
  const std::vector<report::prediction>& predicted() const { return predicted_; }

  // As the network's file has them.
  const std::vector<net::file_output>& outputs() const { return outputs_; }

 private:
  std::vector<net::float_tensor> floats_of(const input_set&) const;
  // The node that an output reads if it is a softmax.
  std::optional<quantised::graph::id> read_by_softmax(const net::file_output&) const;
  void compare_layers(std::span<const net::float_tensor> floats,
                      const std::vector<net::any_tensor>& tensors);

  const preparation& from_;
  std::vector<std::unique_ptr<machine>> machines_{};
  std::vector<report::prediction> predicted_{};
  std::vector<net::file_output> outputs_{};
  quant::layer_errors<graph> errors_;
};

}  // namespace nvdlac::cli
