// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/sha256.hpp>

#include "inputs.hpp"
#include "preprocessing_options.hpp"
#include "scheduling.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// Options of both `compile` and `verify`: the network, the configurations, how integers are chosen.
struct model_options {
  std::string model{}, weights{};
  std::optional<std::uint32_t> random_weights{};  // the seed
  std::vector<std::string> from{}, to{}, shapes{};  // a part of the file
  std::optional<float> epsilon{};
  std::string state = "zero";
  std::string carry_states{};  // see carried_option.hpp
  budget limits{};  // also of what is made of the model
  std::vector<std::string> configs{};
  std::vector<std::string> calibration{};
  named_arrays calibration_arrays{};  // in place of files; no option gives them
  std::string observer{}, scales{}, input_format = "auto", precision = "int8", prefer{},
              host{}, winograd = "off";
  std::set<std::string> without{};
  bool approximate = false;
  bool keep_scales = false;  // of the model, where others are calibrated
  int effort = 0;            // for the accuracy of int8
  scheduling_options scheduling{};
  std::uint32_t threads = 0;  // that calibrate and search; 0: as many as there are processors
  preprocessing_options preprocessing{};

  // Values that no option gives: the options that were given, as given_options lists them; the name
  // of the network, where it is not the file's; the SHA-256 of a model that is read from memory.
  std::vector<std::string> words{};
  std::string network{};
  std::optional<digest> content{};

  bool calibrates() const { return !calibration.empty() || !calibration_arrays.empty(); }
};

void add_model_options(CLI::App&, model_options&);
// The first of them: what is read.
void add_reading(CLI::App&, model_options&);

}  // namespace nvdlac::cli
