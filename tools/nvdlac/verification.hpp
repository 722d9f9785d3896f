// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/report/program.hpp>
#include <nvdlac/verify/location.hpp>
#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verifier.hpp>

#include "device_options.hpp"
#include "measured_layers.hpp"
#include "network_report.hpp"
#include "prediction_options.hpp"
#include "preparation.hpp"
#include "queue/ranks.hpp"

namespace nvdlac::cli {

// The programs of a network for all targets, and what verifies them.
class verified_programs {
 public:
  // `report`: keeps what a page shows of each program.
  // `device`: what runs the program in the simulator's place, where one is given.
  explicit verified_programs(const preparation&, const sim::settings& = {},
                             const prediction_options& = {}, bool report = false,
                             const device_options& device = {});

  // The program for one target.
  struct built {
    report::prediction predicted{};
    std::size_t tasks = 0, layers = 0;
    std::uint64_t macs = 0;
    std::uint64_t weights = 0, features = 0, loadable = 0;  // bytes
    std::vector<report::layer_row> rows{};
  };
  const std::vector<built>& programs() const { return programs_; }  // by target
  // By target, where they are kept.
  const std::vector<network_report>& reports() const { return reports_; }

  // Inputs of the programs, which are the same for all of them.
  const std::vector<runtime::binding>& inputs() const { return machines_.front()->inputs(); }
  verification::report begin() const { return verifier_->begin(); }
  // Throws std::logic_error if a program is not the exact integer reference, bit for bit; on a
  // device an error that names the first layer which is not as the simulator has it.
  verification::input_report run(const input_set&, const verification::extent&);
  // The input with the program's states, if it carries some.
  input_set completed(const input_set&) const;
  // Compares what all layers write on a device, if there is one, likewise.
  void compare_layers(const input_set&) const;
  // Whether there is a device that is not behind a driver which runs whole tasks.
  bool times_layers() const { return times_layers_; }
  // The hardware layers of so many runs on it.
  std::vector<measured_layer> measure(const input_set&, std::size_t runs) const;
  // Checks the input of a trace as `run` does, on the simulator alone.
  void check_simulator() const;

 private:
  void require_equal(std::size_t which, const std::optional<verification::mismatch>&,
                     const std::string& input, const std::vector<quantised::feed>&) const;
  verification::location locate(std::size_t which, const std::vector<quantised::feed>&,
                                std::size_t most_runs) const;
  [[noreturn]] void refuse(const verification::location&, const std::string& input) const;

  const preparation& from_;
  std::vector<std::unique_ptr<runtime::any_session>> machines_{};
  std::vector<std::unique_ptr<runtime::any_session>> simulators_{};  // beside a device
  std::string device_{};
  bool times_layers_ = false;
  std::vector<built> programs_{};
  std::vector<network_report> reports_{};
  std::optional<verification::verifier> verifier_{};
  // The states of the float network and of the program, before the next input.
  std::optional<data::carried_states> float_states_{}, states_{};
};

// Verifies the programs on all inputs, which the ranks share out; the first rank has the report,
// whatever their number. Errors of layers are compared on the first inputs,
// those of a device with the simulator's on the first one.
verification::report verify_on(verified_programs&, const input_files&,
                               const std::optional<std::vector<std::size_t>>& labels,
                               const verification::extent&, ranks&, bool quiet = false);

}  // namespace nvdlac::cli
