// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <signal.h>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/forwarding_session.hpp>
#include <nvdlac/runtime/whole_runs.hpp>

namespace nvdlac::runtime {

namespace detail {

// The signals of a process belong to the process.
struct deferral {
  static constexpr std::array ending{SIGINT, SIGTERM, SIGHUP};

  std::mutex mutex{};
  int lives = 0;
  std::array<struct sigaction, ending.size()> before{};
  std::atomic<int> came{0};
  static_assert(std::atomic<int>::is_always_lock_free);

  static deferral& of_process() {
    static deferral d;
    return d;
  }
};

}  // namespace detail

NVDLAC_IMPL signals_deferred::signals_deferred() {
  auto& d = detail::deferral::of_process();
  const std::lock_guard lock(d.mutex);
  if (d.lives++ > 0) return;
  d.came = 0;
  for (std::size_t i = 0; i < d.ending.size(); ++i) {
    ::sigaction(d.ending[i], nullptr, &d.before[i]);
    if (d.before[i].sa_handler == SIG_IGN) continue;  // as under nohup
    struct sigaction wait {};
    wait.sa_handler = [](int number) { detail::deferral::of_process().came = number; };
    wait.sa_flags = SA_RESTART;
    ::sigaction(d.ending[i], &wait, nullptr);
  }
}

NVDLAC_IMPL signals_deferred::~signals_deferred() {
  auto& d = detail::deferral::of_process();
  int came = 0;
  {
    const std::lock_guard lock(d.mutex);
    if (--d.lives > 0) return;
    for (std::size_t i = 0; i < d.ending.size(); ++i)
      ::sigaction(d.ending[i], &d.before[i], nullptr);
    came = d.came.exchange(0);
  }
  if (came != 0) ::raise(came);
}

NVDLAC_IMPL bool signals_deferred::is_awaited() { return detail::deferral::of_process().came != 0; }

namespace detail {

class session_of_whole_runs final : public forwarding_session {
 public:
  explicit session_of_whole_runs(std::unique_ptr<any_session> s)
      : forwarding_session(*s), owned_(std::move(s)) {}

  std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>& in) override {
    const signals_deferred whole;
    return session().infer_any(in);
  }
  memories run(const memories& in) override {
    const signals_deferred whole;
    return session().run(in);
  }
  buffer_sets double_buffers() override { return session().double_buffers(); }
  memories run_in_set(std::size_t set, std::mutex& device, const memories& in) override {
    const signals_deferred whole;
    return session().run_in_set(set, device, in);
  }
  void run_in_place() override {
    const signals_deferred whole;
    session().run_in_place();
  }
  std::vector<measured_operation> measure(const std::vector<quantised::feed>& in) override {
    const signals_deferred whole;
    return session().measure(in);
  }
  emit::run_record record(const std::vector<quantised::feed>& in) override {
    const signals_deferred whole;
    return session().record(in);
  }
  emit::run_record record_layers(const std::vector<quantised::feed>& in) override {
    const signals_deferred whole;
    return session().record_layers(in);
  }

 private:
  std::unique_ptr<any_session> owned_;
};

}  // namespace detail

NVDLAC_IMPL std::unique_ptr<any_session> whole_runs(std::unique_ptr<any_session> session) {
  return std::make_unique<detail::session_of_whole_runs>(std::move(session));
}

}  // namespace nvdlac::runtime
