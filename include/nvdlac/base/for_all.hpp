// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac {

// f(n) for each n below `count` by so many threads. Where one throws, no further ones begin, and it
// is thrown on.
template <class F>
void for_all(std::size_t count, std::size_t threads, const F& f) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex one_at_a_time;
  const auto work = [&] {
    for (std::size_t n; (n = next++) < count;) try {
        f(n);
      } catch (...) {
        const std::lock_guard lock(one_at_a_time);
        failed = std::current_exception();
        next = count;
      }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(work);
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace nvdlac
