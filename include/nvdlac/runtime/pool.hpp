// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::runtime {

// One program on several NVDLAs, or on one: whoever has inputs does not wait for them, and the next
// device that is free runs the oldest. While a device runs, the inputs of its next run are packed
// and the outputs of its last one unpacked, by two threads a device. Where the device allows it and
// has the memory, each thread has inputs and outputs of its own there (`sets`), so that they are
// loaded and fetched meanwhile, too.
//   runtime::pool all(std::move(sessions));
//   auto first = all.run({picture}), second = all.run({other});
//   show(first.get());
class pool {
 public:
  using outputs = std::vector<net::any_tensor>;
  // A function called behind a run, by a thread of the pool: its get() gives the outputs or throws.
  using receiver = std::function<void(std::future<outputs>)>;

  // No session at all is an `error`, and so are two of different programs.
  explicit pool(std::vector<std::unique_ptr<any_session>> sessions);
  // Runs that were begun are ended before.
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Gives what any_session::infer_any gives; what it throws is thrown by the future's get().
  std::future<outputs> run(std::vector<quantised::feed> inputs);
  // Hands the future to a function instead, which must not throw.
  void run(std::vector<quantised::feed> inputs, receiver then);

  std::size_t size() const { return devices_.size(); }
  const any_session& session(std::size_t i) const { return *devices_.at(i).session; }
  const buffer_sets& sets(std::size_t i) const { return devices_.at(i).sets; }

 private:
  struct device {
    std::unique_ptr<any_session> session;
    buffer_sets sets{};
    std::mutex runs{};    // held while it runs
    int has_to_run = 0;   // requests that its threads have taken
  };
  struct pending_run {
    std::vector<quantised::feed> inputs;
    std::promise<outputs> result{};
    receiver then{};
  };
  void add(pending_run);
  bool takes_next(const device& d) const;
  void work(device& on, std::size_t set);
  outputs run_on(device& on, std::size_t set, const std::vector<quantised::feed>& inputs);

  std::deque<device> devices_{};
  std::mutex mutex_{};
  std::condition_variable waits_{};
  std::deque<pending_run> queue_{};
  bool ends_ = false;
  std::vector<std::thread> threads_{};  // behind what they use
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/pool.ipp>
#endif
