// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/runtime/pool.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL pool::pool(std::vector<std::unique_ptr<any_session>> sessions)
    : sessions_(std::move(sessions)) {
  if (sessions_.empty()) throw error("a pool has at least one device");
  for (const auto& s : sessions_)
    if (s->network() != sessions_.front()->network())
      throw error(text("a pool runs one program, not '", sessions_.front()->network(), "' and '",
                       s->network(), "'"));
  for (const auto& s : sessions_) threads_.emplace_back([this, on = s.get()] { work(*on); });
}

NVDLAC_IMPL pool::~pool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  waits_.notify_all();
  for (auto& t : threads_) t.join();
}

NVDLAC_IMPL std::future<pool::outputs> pool::run(std::vector<quantised::feed> inputs) {
  std::promise<outputs> result;
  auto future = result.get_future();
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(inputs), std::move(result));
  }
  waits_.notify_one();
  return future;
}

NVDLAC_IMPL void pool::work(any_session& on) {
  while (true) {
    std::unique_lock lock(mutex_);
    waits_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto [inputs, result] = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    try {
      result.set_value(on.infer_any(inputs));
    } catch (...) {
      result.set_exception(std::current_exception());
    }
  }
}

}  // namespace nvdlac::runtime
