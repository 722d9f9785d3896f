// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/sha256.hpp>
#include <nvdlac/data/carried_states.hpp>
#include <nvdlac/data/sources.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/prepare_on.hpp>
#include <nvdlac/report/lineage.hpp>

#include "dumping.hpp"
#include "float_graph.hpp"
#include "inputs.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "target.hpp"

namespace nvdlac::cli {

using prepared_graph = nvdlac::detail::prepared_of<graph>;

using imported_network = import::basic_network<own_operators>;

// Reads the network that the options name, or `content` in place of the file that they name. Throws
// nvdlac::error.
imported_network read_network(const model_options&);
imported_network read_network(const model_options&, const std::string& content);

// A network on its way through the steps that all configurations share.
class preparation {
 public:
  // Reads the network. Wrong names of configurations, passes or observers are usage_errors. Notes
  // and warnings are printed where the user wants them, a line each.
  preparation(const model_options&, target_list, std::ostream& notes = std::cerr);
  // Takes a network that is read already. `watch` is told of progress.
  preparation(const model_options&, target_list, imported_network, std::ostream& notes,
              progress_watcher watch = {});

  // The passes alone, for their dumps.
  void run_passes(const dumping&);
  // Passes, calibration and quantisation, for these inputs as well, if there are any.
  void quantise(const dumping&, const input_files* inputs = nullptr);

  // How many pictures the program is for; without a number one, which is said if the file is for
  // more.
  void choose_batch(std::optional<int> batch);

  // For which memory of each target forms of the network are compared, where that is not the one of
  // its specification.
  void compare_for(memory_of_each<float_graph> memory);

  // A usage_error when no configuration is named.
  void require_targets() const;

  // How files become the network's inputs: all of them, and those that the user gives, without
  // states that the network carries from step to step.
  std::vector<wanted_input> all_inputs() const;
  std::vector<wanted_input> wanted() const;
  // The states of the float network before its first step, if it carries them.
  std::optional<data::carried_states> carried() const;

  // Files that were and will be read, which no output may replace.
  std::vector<std::filesystem::path> files() const;

  // The sources of the network, as the notes of a loadable tell them; of the calibration what was
  // seen of it until now.
  std::vector<emit::provenance::source> sources() const;
  const model_options& given() const { return given_; }
  // The lineage of the layers of the file up to the integers.
  const report::lineage& lineage() const { return lineage_; }

  const std::vector<const target*>& targets() const { return targets_; }
  const compile_options& options() const { return options_; }
  const graph& original() const { return graph_; }
  const prepared_graph& network() const { return prepared_; }
  const std::optional<input_files>& calibration() const { return calibration_; }
  // Magnitudes that the calibration counted, by layer.
  const std::map<std::string, quant::magnitudes>& activations() const { return activations_; }

  void warn(problem) const;  // prints what casts doubt on the results
  bool is_silent() const;  // whether there is no progress to see
  const progress_watcher& watch() const { return watch_; }
  // Whether pixels become values as the model says, and not the user.
  bool takes_own_preprocessing() const;
  const char* own_preprocessing() const;  // where it comes from, for messages

 private:
  preparation(const model_options&, target_list, std::ostream& notes, progress_watcher watch,
              const std::function<imported_network(const model_options&)>& read);
  scale_source source();
  void note_of_model(std::vector<problem> all) const;
  // The passes, and the division between all targets and the host.
  void divide(graph& of, const dumping& dump) const;
  // Tells of the model's own scales in whose place others stand.
  void tell_of_replaced_scales() const;
  // Tells of tensors to which the model gives more bits than the program.
  void tell_of_narrowed_tensors() const;
  // Tells what of the inputs' form nobody has said, and of pixels that leave the calibrated range.
  void doubt_pixels(const input_files* inputs) const;
  prepared_graph prepare_with(const scale_source&, const compile_options&, const dumping&) const;
  void choose_precisions(const scale_source&, hw::precision wide);  // --prefer
  net::preprocessing how_pixels_count() const;
  void check_preprocessing() const;
  void choose_input_format(const input_files* inputs);

  const model_options& given_;
  std::ostream& notes_;
  progress_watcher watch_{};
  std::vector<const target*> targets_;
  std::vector<std::string> wide_;  // the configurations that compute in int16
  compile_options options_{};
  memory_of_each<float_graph> memory_{};
  graph graph_{};
  std::int64_t batch_of_file_ = 1;
  std::vector<std::filesystem::path> external_{};  // files of the model's data
  // Scales of a model that is quantised already.
  quant::scale_table own_scales_{};
  std::vector<quant::quantised_tensor> quantised_{};  // by the model
  std::vector<quant::named_tensor> tensors_{};  // names in the model that tables may have
  std::optional<net::preprocessing> own_preprocessing_{};
  prepared_graph prepared_{};
  report::lineage lineage_{};
  std::optional<input_files> calibration_{};
  data::calibration_source calibration_seen_{};
  std::map<std::string, quant::magnitudes> activations_{};
};

}  // namespace nvdlac::cli
