// SPDX-License-Identifier: Apache-2.0
#pragma once
// The user's files as the inputs of a program.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// How files become the inputs: as the loadable says. Pictures have no more than `most_samples`
// (budget::samples).
std::vector<data::wanted_input> wanted_by(const std::vector<binding>& inputs,
                                          std::uint64_t most_samples = budget{}.samples);

// Takes the preprocessing of files from the user as well, but for pixels that the program reads:
// throws nvdlac::error where the program has another one.
inline std::vector<data::wanted_input> wanted_by(const std::vector<binding>& inputs,
                                                 const pictures& given,
                                                 std::uint64_t most_samples) {
  auto wanted = wanted_by(inputs, most_samples);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (given.how && inputs[i].pixels && *given.how != inputs[i].preprocessing)
      throw error({.layer = inputs[i].name,
                   .reason = "the preprocessing of its pixels is part of the program",
                   .remedy = "leave it out, or compile for another one"});
    if (given.how) wanted[i].how.how = *given.how;
    wanted[i].how.layout = given.layout;
  }
  return wanted;
}

// Pictures cannot become values when neither the loadable nor the user says how.
void check_preprocessing(const data::input_files& files, const std::vector<binding>& inputs);

// The values of inputs that lie beyond what their numbers reach, and become the largest of them.
struct excess {
  std::string input{};
  std::size_t values = 0, sets = 0;  // so many, and of how many sets of inputs
  double most = 0, reach = 0;        // the largest magnitude, and up to where its numbers reach
};
// Counts those of a set, by input.
void count_excess(std::vector<excess>& all, const data::input_set& set,
                  const std::vector<binding>& inputs);
// Returns the warnings about values beyond the calibration.
std::vector<problem> problems_of(const std::vector<excess>& all);

// The feed of an input for this sample.
quantised::feed feed_of(const data::sample& s, const binding& to);
std::vector<quantised::feed> feeds_of(const data::input_set& set,
                                      const std::vector<binding>& inputs);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/user_inputs.ipp>
#endif
