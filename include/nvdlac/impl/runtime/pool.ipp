// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
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

NVDLAC_IMPL pool::pool(std::vector<std::unique_ptr<any_session>> sessions) {
  if (sessions.empty()) throw error("a pool has at least one device");
  const auto& first = sessions.front()->program();
  for (const auto& s : sessions)
    if (!s->program().is_same(first))
      throw error(first.network == s->network()
                      ? text("a pool runs one program, not two that are called '", first.network,
                             '\'')
                      : text("a pool runs one program, not '", first.network, "' and '",
                             s->network(), '\''));
  for (auto& s : sessions) {
    auto& d = devices_.emplace_back(std::move(s));
    d.sets = d.session->double_buffers();
  }
  for (auto& d : devices_)
    for (std::size_t set = 0; set < 2; ++set)
      threads_.emplace_back([this, &d, set] { work(d, set); });
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
  pending_run r{.inputs = std::move(inputs)};
  auto future = r.result.get_future();
  add(std::move(r));
  return future;
}

NVDLAC_IMPL void pool::run(std::vector<quantised::feed> inputs, receiver then) {
  add({.inputs = std::move(inputs), .then = std::move(then)});
}

NVDLAC_IMPL void pool::add(pending_run r) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(r));
  }
  waits_.notify_all();
}

// A device takes inputs ahead only where no other is idle.
NVDLAC_IMPL bool pool::takes_next(const device& d) const {
  return !queue_.empty() &&
         (d.has_to_run == 0 ||
          std::ranges::none_of(devices_, [](const device& o) { return o.has_to_run == 0; }));
}

NVDLAC_IMPL void pool::work(device& on, std::size_t set) {
  while (true) {
    std::unique_lock lock(mutex_);
    waits_.wait(lock, [&] { return takes_next(on) || (ends_ && queue_.empty()); });
    if (queue_.empty()) return;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    ++on.has_to_run;
    lock.unlock();
    try {
      next.result.set_value(run_on(on, set, next.inputs));
    } catch (...) {
      next.result.set_exception(std::current_exception());
    }
    if (next.then) next.then(next.result.get_future());
  }
}

NVDLAC_IMPL pool::outputs pool::run_on(device& on, std::size_t set,
                                       const std::vector<quantised::feed>& inputs) {
  struct end_of_run {
    ~end_of_run() {
      {
        const std::lock_guard lock(of.mutex_);
        --on.has_to_run;
      }
      of.waits_.notify_all();
    }
    pool& of;
    device& on;
  };
  any_session::memories memories;
  {
    const end_of_run end{*this, on};
    memories = on.session->run_in_set(set, on.runs, on.session->pack(inputs));
  }
  return on.session->unpack(memories);
}

}  // namespace nvdlac::runtime
