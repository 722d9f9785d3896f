// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <iostream>
#include <utility>

#include <unistd.h>

namespace nvdlac::cli {

progress_line::progress_line(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0) {}

progress_line::~progress_line() { clear(); }

void progress_line::clear() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;  // back to the start and clear the line
  shown_ = false;
}

void progress_line::operator()(std::size_t done, std::size_t all) {
  if (!terminal_ || all == 0) return;
  const auto percent = 100 * done / all;
  if (percent == percent_) return;
  percent_ = percent;
  shown_ = true;
  std::cerr << '\r' << what_ << ' ' << done << '/' << all << "\x1b[K" << std::flush;
}

}  // namespace nvdlac::cli
