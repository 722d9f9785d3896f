// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work by several threads.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// Threads that wait for work; the caller is one of them.
class workers {
 public:
  explicit workers(std::size_t threads);

  std::size_t size() const { return threads_.size() + 1; }

  // work(i) for each i < size(), at the same time; it must not throw.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t i, std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t busy_ = 0, round_ = 0;
  std::vector<std::jthread> threads_;  // the last member: they stop before the others go
};

// As many threads as set last, at first the caller alone, that share a range.
class team {
 public:
  void resize(std::size_t n);

  std::size_t size() const { return workers_ ? workers_->size() : 1; }

  // f(begin, end) of parts that make up [0, count); it must not throw.
  template <class F>
  void share(std::size_t count, const F& f) {
    if (!workers_) return f(std::size_t{0}, count);
    const auto n = workers_->size();
    workers_->run([&](std::size_t i) { f(count * i / n, count * (i + 1) / n); });
  }

 private:
  std::unique_ptr<workers> workers_;
};

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/threads.ipp>
#endif
