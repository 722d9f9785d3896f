// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/net/file_tensor.hpp>

namespace nvdlac::data {

// An input of a network that takes what an output of the run before gave, by their names.
struct state_names {
  std::string input{}, output{};

  bool operator==(const state_names&) const = default;
};

// The pairs of a text such as "h=h_out,c=c_out". Throws nvdlac::error for what is none.
std::vector<state_names> state_names_in(const std::string& text);

// The states of a network, from run to run of one sequence. The first run begins with zeros.
class carried_states {
 public:
  // `inputs` and `outputs` are all of the network, those in the order of its file. Without `names`
  // a state is an input NAME beside an output NAME/next. Throws nvdlac::error where there is none,
  // for names that the network has not, for tensors of different sizes, and where every input is
  // a state.
  carried_states(std::vector<wanted_input> inputs, const std::vector<net::file_output>& outputs,
                 const std::vector<state_names>& names = {});

  bool is_state(std::size_t input) const;
  // Returns what stands for the inputs that are no states, of which the user gives the steps.
  template <class OfInput>
  std::vector<OfInput> given(const std::vector<OfInput>& all) const {
    std::vector<OfInput> left;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_state(i)) left.push_back(all[i]);
    return left;
  }
  // A step with the states that it begins with.
  input_set completed(input_set step) const;
  // Keeps the states that a run has left.
  void take(const std::vector<array>& outputs);
  // Begins another sequence.
  void begin();

 private:
  struct state {
    std::size_t input = 0, output = 0;
    std::vector<float> values{};  // in the order of the input's cube
  };

  std::vector<wanted_input> inputs_;
  std::vector<state> states_{};  // by input
};

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/carried_states.ipp>
#endif
