// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nvdlac::cli {

// Called with what is done, as a line on the terminal is told of it: with 0 of 0 where nothing is
// counted. It may throw, and be called by any thread.
using progress_watcher =
    std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

// One line on the terminal that tells what a phase of more than a second does: "quantising, 2 s",
// or where it counts, with the rate and the time left: "calibrating 12/100, 4.1/s, 22 s left".
// Nothing appears when the standard error is not a terminal. There is one at a time; any thread may
// call it.
class progress_line {
 public:
  // `before` are done already when it begins, and say nothing about the rate; `watch` is told as
  // well, also where there is no line.
  explicit progress_line(std::string what, bool quiet = false, std::size_t before = 0,
                         progress_watcher watch = {});
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void operator()(std::size_t done, std::size_t all);
  void begin(std::string what, std::size_t before = 0);  // the next phase
  bool is_on_terminal() const { return terminal_; }

 private:
  using clock = std::chrono::steady_clock;

  void show_until(const std::stop_token&);

  bool terminal_;
  progress_watcher watch_;
  std::string what_;
  std::size_t before_, done_ = 0, all_ = 0;  // all: 0 where it does not count
  clock::time_point begun_ = clock::now();
  std::jthread shown_by_{};
};

// "12/100, 4.1/s, 22 s left" of what was done in so many seconds beside what was before; "3 s"
// where nothing is counted.
std::string progress_text(double seconds, std::size_t done, std::size_t all,
                          std::size_t before = 0);

// Takes the line from the terminal; it comes back some time after the result is gone. To be held
// while something else is written there.
[[nodiscard]] std::unique_lock<std::recursive_mutex> without_progress();

}  // namespace nvdlac::cli
