// SPDX-License-Identifier: Apache-2.0
#pragma once
// LSTM, GRU and RNN over sequences of fixed length, each step written as layers of its own.
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// Recurrent layers as steps: one product of a matrix gives what all steps take from the inputs; a
// step is a product with the state before it, functions, products and sums. The first step takes no
// product with a state that is 0.
std::vector<value> on_lstm(const context& c);
std::vector<value> on_gru(const context& c);
std::vector<value> on_rnn(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/recurrent.ipp>
#endif
