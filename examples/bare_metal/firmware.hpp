// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

// Copies the weights to where NVDLA reads them; once.
void load_weights();

// 28 lines of 28 pixels, white on black; ten probabilities of 127ths. False if NVDLA did not end
// within the board's limit: it is reset, and the next picture may be tried.
bool classify(const std::uint8_t* picture, std::int8_t* probabilities);
