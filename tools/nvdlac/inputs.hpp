// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/data/samples.hpp>
#include <nvdlac/net/integer/input.hpp>
#include <nvdlac/sim/loaded_program.hpp>

namespace nvdlac::cli {

// An input of a network, and how files become its values.
struct wanted_input {
  std::string name;
  net::shape shape{};
  data::sample_options how{};
};

// One value for every input of a network.
struct input_set {
  std::string name;  // of the picture
  std::vector<data::sample> values{};
};

// The sets in files and directories. A network of several inputs takes NAME=FILE, as many values
// for each input. Throws nvdlac::error with all that is wrong.
std::vector<input_set> read_inputs(const std::vector<std::string>& arguments,
                                   const std::vector<wanted_input>& wanted);

bool all_pictures(const std::vector<input_set>&);

// What the program takes for this set.
std::vector<net::integer::feed> feeds_of(const input_set&, const std::vector<sim::binding>&);

}  // namespace nvdlac::cli
