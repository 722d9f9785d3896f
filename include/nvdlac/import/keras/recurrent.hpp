// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers with a state, over sequences of fixed length, as ONNX's LSTM, GRU and RNN.
#include <nvdlac/import/keras/activation.hpp>

namespace nvdlac::import::keras_format {

// Weights [features][gates * units] and [units][gates * units].
void on_lstm(const conversion& c);
void on_gru(const conversion& c);
void on_simple_rnn(const conversion& c);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/recurrent.ipp>
#endif
