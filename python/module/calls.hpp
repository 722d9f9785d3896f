// SPDX-License-Identifier: Apache-2.0
#pragma once
// Long work for Python: by a thread of its own, so that the caller's interpreter goes on, hears of
// progress and can stop it.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <pybind11/pybind11.h>

#include "progress.hpp"

namespace nvdlac::python {

// Thrown within the work where the caller has stopped it.
struct stopped {};

// Calls work(watch) without the interpreter's lock. Meanwhile the calling thread tells `progress`,
// which is None or a function of (what, done, all), what is done, and asks for signals; where one
// of them raises, as Ctrl-C does, the work ends at its next step, and that is raised.
template <class Work>
void call(const pybind11::object& progress, const Work& work) {
  using namespace std::chrono_literals;
  struct {
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false, stop = false, told = true;
    std::string what{};
    std::size_t done = 0, all = 0;
    std::exception_ptr thrown;
  } shared;
  std::optional<pybind11::error_already_set> raised;
  {
    const pybind11::gil_scoped_release released;
    std::jthread worker([&] {
      try {
        work([&](const std::string& what, std::size_t done, std::size_t all) {
          const std::scoped_lock lock(shared.mutex);
          if (shared.stop) throw stopped();
          shared.what = what;
          shared.done = done;
          shared.all = all;
          shared.told = false;
        });
      } catch (...) {
        shared.thrown = std::current_exception();
      }
      const std::scoped_lock lock(shared.mutex);
      shared.ended = true;
      shared.changed.notify_all();
    });
    std::unique_lock lock(shared.mutex);
    while (!shared.changed.wait_for(lock, 100ms, [&] { return shared.ended; })) {
      if (shared.stop) continue;
      const bool news = !shared.told;
      shared.told = true;
      const auto what = shared.what;
      const auto done = shared.done, all = shared.all;
      lock.unlock();
      {
        const pybind11::gil_scoped_acquire acquired;
        try {
          if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
          if (news && !progress.is_none()) progress(what, done, all);
        } catch (pybind11::error_already_set& e) {
          raised.emplace(std::move(e));
        }
      }
      lock.lock();
      shared.stop = raised.has_value();
    }
  }
  if (raised) throw std::move(*raised);
  if (shared.thrown) std::rethrow_exception(shared.thrown);
  if (!progress.is_none() && !shared.told) progress(shared.what, shared.done, shared.all);
}

}  // namespace nvdlac::python
