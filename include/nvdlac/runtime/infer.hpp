// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

namespace nvdlac::runtime {

// An output as the user's file has it, from what the runtime gives.
data::array array_of(const net::file_output& output, const std::vector<binding>& bindings,
                     const std::vector<net::any_tensor>& tensors);

// All of them, in the order of the file.
std::vector<data::array> arrays_of(const std::vector<binding>& bindings,
                                   const std::vector<net::any_tensor>& tensors);

// The numbers that a program takes for real inputs in the order and the shapes of its bindings. An
// input may have the shape of the user's file too, [1, n] as n x 1 x 1 and [1, t, n] as t x n x 1,
// and is then in its order; of what has four dimensions there and here the same shape, it is in
// that of the binding. An input that is a picture of bytes gets those nearest to the values before
// their preprocessing. Throws nvdlac::error for other shapes.
std::vector<quantised::feed> feeds_of(std::span<const net::float_tensor> inputs,
                                      const std::vector<binding>& to);

// The network's real outputs for real inputs: outputs with the shapes and in the order of the
// user's file, inputs in the order of the session's bindings and in their shapes. Values are
// rounded to the input's numbers, and those of the output count as many times the output's.
std::vector<data::array> infer(any_session& on, std::span<const net::float_tensor> inputs);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/infer.ipp>
#endif
