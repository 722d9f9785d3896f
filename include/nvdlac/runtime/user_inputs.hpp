// SPDX-License-Identifier: Apache-2.0
#pragma once
// The user's files as the inputs of a program.
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// How files become the inputs: as the loadable says.
std::vector<data::wanted_input> wanted_by(const std::vector<binding>& inputs);

// Pictures cannot become values when neither the loadable nor the user says how.
void check_preprocessing(const data::input_files& files, const std::vector<binding>& inputs);

// The feed of an input for this sample.
quantised::feed feed_of(const data::sample& s, const binding& to);
std::vector<quantised::feed> feeds_of(const data::input_set& set,
                                      const std::vector<binding>& inputs);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/user_inputs.ipp>
#endif
