// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>

namespace nvdlac {

NVDLAC_IMPL workers::workers(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i)
    threads_.emplace_back([this, i](std::stop_token stop) { serve(i, stop); });
}

NVDLAC_IMPL void workers::run(const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
}

NVDLAC_IMPL void workers::serve(std::size_t i, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  for (std::size_t seen = 0; changed_.wait(lock, stop, [&] { return round_ != seen; });) {
    seen = round_;
    const auto& work = *work_;
    lock.unlock();
    work(i);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

NVDLAC_IMPL void team::resize(std::size_t n) {
  if (n <= 1) workers_ = nullptr;
  else if (!workers_ || workers_->size() != n) workers_ = std::make_unique<workers>(n);
}

namespace detail {

NVDLAC_IMPL void for_all(std::size_t count, std::size_t threads,
                         void (*call)(const void* f, std::size_t n), const void* f) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex one_at_a_time;
  const auto work = [&] {
    for (std::size_t n; (n = next++) < count;) try {
        call(f, n);
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

}  // namespace detail

}  // namespace nvdlac
