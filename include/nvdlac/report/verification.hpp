// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of a verification as text and as CSV.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::report {

// The parts of a verification that are printed before and behind its summary.
struct verification_text {
  bool inputs = false;  // a row for each input
  bool layers = false;  // the error of every layer, the worst first
  std::size_t width = 0;  // the letters of a line; 0: any number
};

namespace detail {

std::string printed(double x, int digits = 3);

// The layers in the order of their own errors; those of which no error is known come first.
std::vector<quant::layer_error> worst_first(std::vector<quant::layer_error> layers);

// "19 (95.00 %)"
std::string share(std::size_t part, std::size_t all);

// "3 (0.9981)"
std::string describe(const verification::first_class& c);

// "9 of 10 detections matched, 1 missed (score 0.31 at most), 0 extra, boxes .."
std::string describe(const verification::detection_counts& d);

std::string input_table(const verification::report& r, std::size_t width);

std::string layer_error_table(const verification::report& r, std::size_t width);

// Whether the simulator is the integer network.
std::string describe_exactness(const verification::report& r, std::size_t program);

std::string summary(const verification::report& r, std::size_t program);

// The losses of a layer, or of an input, alone and with those before it.
std::string losses(const quant::layer_error& e);

}  // namespace detail

// Lines about each program and the layer that loses most, such as
//   lenet on nv_small, 20 inputs
//     output 'prob': error at most 0.0432, mean 0.000786, SNR 38.7 dB, cosine 0.999932
//     same class as float: 20 (100.00 %)
std::string to_text(const verification::report& r, const verification_text& with = {});

// The error of every layer, the worst first, as comma-separated values.
std::string to_csv(const verification::report& r);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/verification.ipp>
#endif
