// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

// Copies the weights to where NVDLA reads them; once.
void load_weights();

// 28 lines of 28 pixels, white on black; ten probabilities of 127ths.
void classify(const std::uint8_t* picture, std::int8_t* probabilities);
