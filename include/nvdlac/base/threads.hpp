// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work by several threads.
#include <condition_variable>
#include <cstddef>
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

namespace detail {

// call(f, n) for each n below `count`, as for_all does it. Compiled once: threads of a function of
// the caller's own type cost the compiler some fifty functions of the standard library each time.
void for_all(std::size_t count, std::size_t threads, void (*call)(const void* f, std::size_t n),
             const void* f);

}  // namespace detail

// f(n) for each n below `count` by so many threads. Where one throws, no further ones begin, and it
// is thrown on.
template <class F>
void for_all(std::size_t count, std::size_t threads, const F& f) {
  detail::for_all(
      count, threads, [](const void* g, std::size_t n) { (*static_cast<const F*>(g))(n); }, &f);
}

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/threads.ipp>
#endif
