// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loadable on the simulated hardware.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

#include "inputs.hpp"
#include "progress.hpp"
#include "target.hpp"

namespace nvdlac::python {

// Where the results of an output stand: `size` floats for each input, one behind the other.
struct output_rows {
  float* values = nullptr;
  std::size_t size = 0;
};

// The inputs of a call: arrays, or files and directories as the command line takes them.
struct given_inputs {
  cli::named_arrays arrays{};
  std::vector<std::string> files{};

  bool empty() const { return arrays.empty() && files.empty(); }
};

class program {
 public:
  // `file` is for messages. Throws nvdlac::error.
  program(const cli::target& on, std::vector<std::uint8_t> loadable, const std::string& file,
          const budget& limits);

  const cli::target& on() const { return *on_; }
  const std::vector<std::uint8_t>& loadable() const { return loadable_; }
  const std::string& network() const { return network_; }
  const std::vector<runtime::binding>& inputs() const { return inputs_; }
  const std::vector<runtime::binding>& outputs() const { return outputs_; }
  // Outputs that run() gives.
  const std::vector<net::file_output>& results() const { return results_; }

  // Inputs that were looked at, before results have a place.
  class run_of {
   public:
    std::size_t size() const { return size_; }

   private:
    friend program;
    std::size_t size_ = 0;
    std::optional<data::array_inputs> arrays_{};
    std::optional<data::input_files> files_{};  // where there are no arrays
  };
  run_of open(const given_inputs&) const;
  // Runs all inputs, several at a time where there are several threads, and puts what each output
  // gives into its rows. Returns what is doubtful. Any number of threads may call it.
  std::vector<problem> run(const run_of&, const std::vector<output_rows>&, std::size_t threads,
                           const cli::progress_watcher& watch);

  // A session for one caller at a time, who gives it back unless something was thrown.
  template <class F>
  void with_session(const F& f) {
    auto session = take();
    f(*session);
    give_back(std::move(session));
  }

 private:
  using session_pointer = std::unique_ptr<runtime::any_session>;

  session_pointer make() const;
  session_pointer take();
  void give_back(session_pointer);

  const cli::target* on_;
  std::vector<std::uint8_t> loadable_;
  std::string file_, network_{};
  budget limits_;
  std::vector<runtime::binding> inputs_{}, outputs_{};
  std::vector<net::file_output> results_{};
  std::mutex mutex_{};
  std::vector<session_pointer> idle_{};
};

}  // namespace nvdlac::python
