// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network as the command line reads and compiles it, without its files.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/report/prediction.hpp>
#include <nvdlac/verify/report.hpp>

#include "compilation_options.hpp"
#include "preparation.hpp"
#include "program.hpp"
#include "scheduling.hpp"

namespace nvdlac::python {

// A model that was read: the network, and the options that led to it.
struct model {
  cli::model_options source{};
  std::shared_ptr<const cli::imported_network> network{};
};

// The model in the file that the options name, or in `content`, for which that is a name.
model read_model(cli::model_options source, const std::string* content = nullptr);

// Returns the model with the scales of a table, which may be of any form that `compile --scales`
// reads, as if its file had them.
model with_scales(const model&, const std::string& table);

// The form of an input or an output of a network, as the model's file has it.
struct tensor_form {
  std::string name{};
  std::vector<std::int32_t> shape{};
};
std::vector<tensor_form> inputs_of(const model&);

// A model on its way to the integers for one configuration.
class prepared_model {
 public:
  // Ignores what the options say of the model's source and of configurations.
  prepared_model(const model&, cli::compilation_options, const cli::target&,
                 const cli::progress_watcher&);
  prepared_model(const prepared_model&) = delete;
  prepared_model& operator=(const prepared_model&) = delete;

  const cli::preparation& from() const { return from_; }
  const cli::target& on() const { return *on_; }
  const report::conditions& conditions() const { return conditions_; }
  // Returns what the command line would have said, a line each and once: "note: ..", "warning: ..".
  std::vector<std::string> notes() const;

 private:
  const cli::target* on_;
  cli::compilation_options given_;
  std::ostringstream notes_{};
  report::conditions conditions_{};
  cli::preparation from_;
};

// The program of a network for one configuration.
class product {
 public:
  product(const model&, cli::compilation_options, const cli::target&,
          const cli::progress_watcher&);

  const prepared_model& prepared() const { return prepared_; }
  const plan::program_data& data() const { return scheduled_.program; }
  const report::prediction& predicted() const { return predicted_; }  // of the loadable
  const std::vector<std::uint8_t>& loadable() const { return loadable_; }
  std::string report() const;  // JSON, as --report writes it
  std::string page() const;    // HTML, as --html writes it
  std::string scales() const;  // JSON, as --scales-out writes it
  std::string schedule() const;  // JSON, as --save-schedule writes it
  // JSON, as --overlay writes it, by what it tells: "cycles", "unit" and so on.
  std::vector<std::pair<std::string, std::string>> overlay() const;
  // Writes the loadable, whole or not at all, and not over a file that was read.
  void save(const std::string& file) const;

  // Writes the trace of one run as --trace does, in a format of --trace-format, with what each
  // layer has written where that is asked for. Its schedule is that of traces.
  void save_trace(const std::string& file, const given_inputs& input, const std::string& format,
                  bool layers, const cli::progress_watcher& watch);
  std::vector<std::string> notes() const;  // of the preparation, and of traces

  // The program on the simulator; made when it is first asked for.
  python::program& on_simulator();

  // JSON, as `verify --json` prints it: of these inputs, with the errors of layers on so many.
  // Throws std::logic_error where the simulator is not the exact integer network.
  std::string verify(const given_inputs& inputs, const std::vector<std::size_t>& labels,
                     std::size_t inputs_of_layers, const cli::progress_watcher& watch);

 private:
  // Not over a file that was read, now or before.
  void check_output(const std::string& file, const std::vector<std::string>& inputs) const;

  prepared_model prepared_;
  cli::scheduled_program scheduled_{};
  report::prediction predicted_{};
  emit::provenance made_from_{};
  std::vector<std::uint8_t> loadable_{};
  mutable std::mutex mutex_{};
  std::unique_ptr<python::program> program_{};
};

}  // namespace nvdlac::python
