// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/quant/layer_errors.hpp>

#include "comparison.hpp"
#include "network_report.hpp"
#include "prediction_options.hpp"
#include "preparation.hpp"
#include "results.hpp"

namespace nvdlac::cli {

// A network in float beside its programs on the simulator, input by input.
class verification {
 public:
  explicit verification(const preparation&, const sim::settings& = {},
                        const prediction_options& = {}, bool report = false);

  // The program for one target.
  struct built {
    report::prediction predicted{};
    std::size_t tasks = 0, layers = 0;
    std::uint64_t macs = 0;
    std::uint64_t weights = 0, features = 0, loadable = 0;  // bytes
  };
  const std::vector<built>& programs() const { return programs_; }  // by target

  // What one input gave: outputs of the float network and of each program.
  struct result {
    std::vector<real_array> reference{};
    std::vector<std::vector<real_array>> programs{};  // by target
    // Whether the first class of the first output has another one beside it, as it is and, if it
    // is a softmax, in what that reads.
    std::vector<bool> tied{}, tied_before{};  // by target
    // What each layer's integers are beside its floats, of this input alone; of the first target.
    std::vector<quant::layer_error> layers{};
  };
  // What else is done than running the network in float and in exact integers.
  struct extent {
    bool layers = true;     // compares the integers of every layer with its floats
    bool simulator = true;  // runs each program
    bool report = false;    // keeps what a page shows of each program
  };
  // Throws std::logic_error if a program is not the exact integer reference, bit for bit.
  result run(const input_set&, const extent&) const;
  // The same for the input of a trace, on the simulator alone.
  void check_simulator() const;

  // Counts what was compared of layers: the sums follow the order of the calls.
  void count(const std::vector<quant::layer_error>&);
  // The compared layers, and that which adds the most error of its own beside its signal.
  const std::vector<quant::layer_error>& layers() const { return errors_; }
  quant::layer_error worst_layer() const;
  // Of an output that is a softmax: what it reads, if that was compared.
  std::optional<quant::layer_error> before_softmax(const net::file_output&) const;

  // Whether that is what the first output of the file is.
  bool ends_with_softmax() const;

  // By target, where they are kept.
  const std::vector<network_report>& reports() const { return reports_; }

  // As the network's file has them.
  const std::vector<net::file_output>& outputs() const { return outputs_; }

 private:
  std::vector<net::float_tensor> floats_of(const input_set&) const;
  // The node that an output reads if it is a softmax.
  std::optional<quantised::graph::id> read_by_softmax(const net::file_output&) const;
  void require_equal(std::size_t target, const std::vector<net::any_tensor>& simulated,
                     const std::vector<net::any_tensor>& exact, const std::string& input) const;

  const preparation& from_;
  std::vector<std::unique_ptr<machine>> machines_{};
  std::vector<built> programs_{};
  std::vector<network_report> reports_{};
  std::vector<net::file_output> outputs_{};
  std::vector<quant::layer_error> errors_{};
};

}  // namespace nvdlac::cli
