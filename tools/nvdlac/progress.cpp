// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <iostream>
#include <string>
#include <utility>

#include <unistd.h>

#include <nvdlac/base/error.hpp>

#include "manner.hpp"

namespace nvdlac::cli {
namespace {

// Commands to the terminal, which std::cerr does not pass on (printable_output).
void show(const std::string& s) {
  std::cerr.flush();
  (void)!::write(STDERR_FILENO, s.data(), s.size());
}

}  // namespace

progress_line::progress_line(std::string what, bool quiet)
    : what_(std::move(what)),
      terminal_(!quiet && !manner::in_force().quiet && isatty(STDERR_FILENO) != 0) {}

progress_line::~progress_line() { clear(); }

void progress_line::clear() {
  if (shown_) show("\r\x1b[K");  // back to the start and clear the line
  shown_ = false;
}

void progress_line::operator()(std::size_t done, std::size_t all) {
  if (!terminal_ || all == 0) return;
  const auto percent = 100 * done / all;
  if (percent == percent_) return;
  percent_ = percent;
  shown_ = true;
  show(text('\r', what_, ' ', done, '/', all, "\x1b[K"));
}

}  // namespace nvdlac::cli
