// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::runtime {

// The same program on several NVDLAs, or on one: whoever has inputs does not wait for them, and the
// next device that is free runs the oldest. Each device has a thread of its own, as it can be used by
// one only.
//   runtime::pool all(std::move(sessions));
//   auto first = all.run({picture}), second = all.run({other});
//   show(first.get());
class pool {
 public:
  using outputs = std::vector<net::any_tensor>;

  // No session at all is an `error`, and so are two of different programs.
  explicit pool(std::vector<std::unique_ptr<any_session>> sessions);
  // Runs that were begun are ended before.
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // What any_session::infer_any gives; what it throws is thrown by the future's get().
  std::future<outputs> run(std::vector<quantised::feed> inputs);

  std::size_t size() const { return sessions_.size(); }
  const any_session& session(std::size_t i) const { return *sessions_.at(i); }

 private:
  void work(any_session& on);

  std::vector<std::unique_ptr<any_session>> sessions_;
  std::mutex mutex_{};
  std::condition_variable waits_{};
  std::deque<std::pair<std::vector<quantised::feed>, std::promise<outputs>>> queue_{};
  bool ends_ = false;
  std::vector<std::thread> threads_{};  // behind what they use
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/pool.ipp>
#endif
