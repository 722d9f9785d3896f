// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <condition_variable>
#include <cstdint>
#include <iomanip>
#include <string>
#include <utility>

#include <unistd.h>

#include <nvdlac/base/error.hpp>

#include "manner.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::chrono::seconds least_age{1};  // of a phase, before it is worth a line
constexpr std::chrono::milliseconds redrawn_after{250};

std::recursive_mutex terminal_lock;
std::string line_on_terminal;  // empty: there is none

// Commands to the terminal, which std::cerr does not pass on (printable_output).
void replace_line(std::string line) {
  if (line == line_on_terminal) return;
  const auto bytes = "\r" + line + "\x1b[K";
  (void)!::write(STDERR_FILENO, bytes.data(), bytes.size());
  line_on_terminal = std::move(line);
}

// "3 min 20 s"
std::string in_words(double seconds) {
  constexpr double longest = 360000;  // what a first item seems to promise may be anything
  if (!(seconds < longest)) return "days";
  const auto s = static_cast<std::uint64_t>(seconds + 0.5);
  if (s < 60) return text(s, " s");
  if (s < 3600) return text(s / 60, " min ", s % 60, " s");
  return text(s / 3600, " h ", s / 60 % 60, " min");
}

}  // namespace

std::string progress_text(double seconds, std::size_t done, std::size_t all, std::size_t before) {
  if (all == 0) return in_words(seconds);
  const auto count = text(done, '/', all);
  if (done <= before || seconds <= 0) return text(count, ", ", in_words(seconds));
  const double rate = static_cast<double>(done - before) / seconds;
  const auto shown = rate < 100 ? text(std::setprecision(2), rate)
                                : text(static_cast<std::uint64_t>(rate));
  return text(count, ", ", shown, "/s, ",
              in_words(static_cast<double>(all - done) / rate), " left");
}

std::unique_lock<std::recursive_mutex> without_progress() {
  std::unique_lock lock(terminal_lock);
  replace_line("");
  return lock;
}

progress_line::progress_line(std::string what, bool quiet, std::size_t before,
                             progress_watcher watch)
    : terminal_(!quiet && !manner::in_force().quiet && isatty(STDERR_FILENO) != 0),
      watch_(std::move(watch)), what_(std::move(what)), before_(before) {
  if (watch_) watch_(what_, 0, 0);
  if (terminal_) shown_by_ = std::jthread([this](std::stop_token end) { show_until(end); });
}

progress_line::~progress_line() {
  if (!terminal_) return;
  shown_by_.request_stop();
  shown_by_.join();
  (void)without_progress();
}

void progress_line::show_until(const std::stop_token& end) {
  std::condition_variable_any never;
  for (std::unique_lock lock(terminal_lock); !end.stop_requested();
       never.wait_for(lock, end, redrawn_after, [] { return false; })) {
    const auto passed = clock::now() - begun_;
    if (passed < least_age) continue;
    const auto count = progress_text(std::chrono::duration<double>(passed).count(), done_, all_,
                                     before_);
    replace_line(text(what_, all_ == 0 ? ", " : " ", count));
  }
}

void progress_line::operator()(std::size_t done, std::size_t all) {
  if (watch_) watch_(what_, done, all);
  if (!terminal_) return;
  const std::scoped_lock lock(terminal_lock);
  done_ = done;
  all_ = all;
}

void progress_line::begin(std::string what, std::size_t before) {
  if (watch_) watch_(what, before, 0);
  const auto lock = terminal_ ? without_progress() : std::unique_lock<std::recursive_mutex>();
  what_ = std::move(what);
  done_ = all_ = 0;
  before_ = before;
  begun_ = clock::now();
}

}  // namespace nvdlac::cli
