// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/evaluate_samples.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL ordered_pipeline::ordered_pipeline(std::size_t threads, work what)
    : work_(std::move(what)) {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;
  }
}

NVDLAC_IMPL ordered_pipeline::~ordered_pipeline() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

NVDLAC_IMPL std::size_t ordered_pipeline::add(sample_stream::sample s) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < threads_.size() || failure_; });
  if (failure_) throw abandoned();
  waiting_.push_back(std::move(s));
  steps_.push_back(0);
  changed_.notify_all();
  return done_;
}

NVDLAC_IMPL std::size_t ordered_pipeline::await_more(std::size_t known) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ > known || ended_ == steps_.size(); });
  return done_;
}

NVDLAC_IMPL void ordered_pipeline::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ == steps_.size(); });
  if (failure_) std::rethrow_exception(failure_);
}

NVDLAC_IMPL void ordered_pipeline::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty() || closed_) return;
    const auto number = next_++;
    const auto sample = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr problem;
    try {
      work_(sample, {*this, number});
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    if (!problem) ++done_;
    else if (number < failed_) {
      failed_ = number;
      failure_ = problem;
    }
    ++ended_;
    changed_.notify_all();
  }
}

NVDLAC_IMPL void ordered_pipeline::await(std::size_t number, std::size_t step) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return number > failed_ || closed_ || number == 0 || steps_[number - 1] > step;
  });
  if (number > failed_ || closed_) throw abandoned();
}

NVDLAC_IMPL void ordered_pipeline::pass(std::size_t number) {
  {
    const std::lock_guard lock(mutex_);
    ++steps_[number];
  }
  changed_.notify_all();
}

}  // namespace nvdlac::quant::detail
