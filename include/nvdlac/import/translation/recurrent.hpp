// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recurrent layers in ONNX's terms.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::translation {

// One direction of a recurrent layer over so many steps of one sequence; gates in ONNX's order.
struct recurrence {
  std::int64_t steps = 1, hidden = 1, gates = 1;
  bool backwards = false;
  std::vector<float> of_inputs{}, of_state{};  // [gates * hidden][features], [..][hidden]
  std::vector<float> biases{};                 // of the inputs, then of the state
  std::vector<float> peepholes{};              // of an LSTM's gates but the cell's; empty: none
};

// The states of all steps, [1][steps][1][hidden], of the type LSTM, GRU or RNN over a sequence
// [1][steps][features].
std::string all_steps(const conversion& c, const char* type, const recurrence& r,
                      const std::string& x, std::vector<attribute> more = {});
// The state of one step, [1][hidden].
std::string one_step(const conversion& c, const std::string& all, const recurrence& r,
                     std::int64_t step);
// [1][steps][hidden] with the last step first.
std::string reversed_steps(const conversion& c, const std::string& all, std::int64_t steps);

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/recurrent.ipp>
#endif
