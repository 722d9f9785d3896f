// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace nvdlac::cli {

// While it lives, a signal that ends the command removes its temporary files first, or waits until
// the outputs have their names. A broken pipe and a file that is too large become errors of the
// call. There is one at a time.
class signal_guard {
 public:
  signal_guard() = default;
  ~signal_guard();
  signal_guard(const signal_guard&) = delete;
  signal_guard& operator=(const signal_guard&) = delete;

  // From now on, a signal removes these files and empty directories, in this order, and ends the
  // command.
  void remove_on_signal(std::vector<std::string> temporaries);
  // From now on, a signal ends the command after the guard's life.
  void defer();
};

}  // namespace nvdlac::cli
