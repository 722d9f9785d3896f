// SPDX-License-Identifier: Apache-2.0
#include "verification.hpp"

#include <algorithm>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/location.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/verify/locate.hpp>
#include <nvdlac/verify/reference.hpp>

#include "carried_option.hpp"
#include "loadable_of.hpp"
#include "packed_inputs.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "scheduling.hpp"
#include "traced_input.hpp"
#include "usage.hpp"

namespace nvdlac::cli {

namespace {

// "layer .. found; 16x6x6 (int8), tensor 5 of 8": an error is one line.
std::string in_one_line(const std::string& lines) {
  std::istringstream in(lines);
  std::string result;
  for (std::string line; std::getline(in >> std::ws, line);)
    result += (result.empty() ? "" : "; ") + line;
  return result;
}

}  // namespace

verified_programs::verified_programs(const preparation& from, const sim::settings& settings,
                                     const prediction_options& conditions, bool report,
                                     const device_options& device)
    : from_(from), device_(device.name) {
  if (device.given() && from.targets().size() != 1)
    throw usage_error("--device is one NVDLA: name its --config alone");
  std::vector<verification::simulated> simulated;
  for (const auto* t : from.targets()) {
    progress_line line(text("compiling for ", t->name()), from.is_silent());
    const auto given = conditions.on(*t);
    const auto program = build_scheduled(*t, from, given, false, line).program;
    built b{.predicted = report::predict(program.tasks, t->spec(), given),
            .tasks = program.tasks.size(),
            .weights = program.weights_size,
            .features = program.features_size};
    b.rows = report::rows_of(program.tasks, b.predicted.estimate.layers);
    for (const auto& r : b.rows) {
      ++b.layers;
      b.macs += r.macs;
    }
    if (report) reports_.push_back(report_on(from, *t, program, b.predicted, provenance_of(from)));
    const auto bytes = loadable_of(*t, program);
    b.loadable = bytes.size();
    const auto image = emit::read_loadable(bytes);
    auto hostile = settings;
    hostile.unwritten = 0xff;
    machines_.push_back(t->simulate(runtime::load(image, t->spec()), hostile));
    if (device.given()) {
      simulators_.push_back(std::move(machines_.back()));
      auto on = device.open();
      times_layers_ = !on.takes_tasks();
      machines_.back() = device.run_on(*t, image, std::move(on));
    }
    simulated.push_back({std::string(t->name()), t->spec(), machines_.back().get(),
                         b.predicted.estimate.totals.cycles, report::summary(b.predicted)});
    if (device.given()) simulated.back().runs_on = device.name;
    programs_.push_back(std::move(b));
  }
  const auto& network = from.network();
  verifier_.emplace(
      from.options().network,
      [&from](std::span<const net::float_tensor> inputs) {
        return verification::outputs_in_file(from.original(), inputs);
      },
      verification::compare_layers(network.graph, network.integers), network.integers,
      std::move(simulated));
  float_states_ = from.carried();
  if (float_states_)
    states_.emplace(runtime::wanted_by(inputs()),
                    net::outputs_of_file(machines_.front()->outputs()),
                    names_of_states(from.given().carry_states));
}

input_set verified_programs::completed(const input_set& set) const {
  return states_ ? states_->completed(set) : set;
}

verification::input_report verified_programs::run(const input_set& set,
                                                  const verification::extent& what) {
  const auto feeds = runtime::feeds_of(completed(set), machines_.front()->inputs());
  const auto floats = data::tensors_of(
      float_states_ ? float_states_->completed(set) : input_set(set), from_.all_inputs());
  verification::given_outputs given;
  auto one = verifier_->run(set.name, floats, feeds, what, &given);
  if (states_) {
    float_states_->take(given.reference);
    states_->take(given.program);
  }
  for (std::size_t t = 0; t < machines_.size(); ++t)
    require_equal(t, one.programs[t].differs, set.name, feeds);
  return one;
}

void verified_programs::compare_layers(const input_set& set) const {
  if (simulators_.empty()) return;
  const auto found =
      locate(0, runtime::feeds_of(completed(set), machines_.front()->inputs()), 1);
  if (found.first) refuse(found, set.name);
}

std::vector<measured_layer> verified_programs::measure(const input_set& set,
                                                       std::size_t runs) const {
  return measure_layers(*machines_.front(),
                        runtime::feeds_of(completed(set), machines_.front()->inputs()),
                        programs_.front().rows, runs);
}

void verified_programs::check_simulator() const {
  for (std::size_t t = 0; t < machines_.size(); ++t) {
    const auto feeds = traced_input(from_, *machines_[t]);
    require_equal(t, verifier_->compare(t, feeds), "the input of a trace", feeds);
  }
}

void verified_programs::require_equal(std::size_t which,
                                      const std::optional<verification::mismatch>& differs,
                                      const std::string& input,
                                      const std::vector<quantised::feed>& feeds) const {
  if (differs && !simulators_.empty()) refuse(locate(which, feeds, 10), input);
  if (differs)
    throw std::logic_error(text("the simulated ", from_.targets()[which]->name(),
                                " differs from the exact integer network for ", input));
}

verification::location verified_programs::locate(
    std::size_t which, const std::vector<quantised::feed>& feeds, std::size_t most_runs) const {
  return verification::locate(*simulators_[which], *machines_[which], feeds,
                              from_.targets()[which]->spec().atom(), most_runs);
}

// An output that is another in one run, and no layer in those behind it, is told so. The registers
// are many lines, and an error is one.
void verified_programs::refuse(const verification::location& found,
                               const std::string& input) const {
  std::cerr << report::registers_to_text(found);
  throw error(text(device_, " differs from the simulator for ", input,
                   found.first ? ": " : ", but then no more: ",
                   in_one_line(report::to_text(found, {}))));
}

verification::report verify_on(verified_programs& programs, const input_files& inputs,
                               const std::optional<std::vector<std::size_t>>& labels,
                               const verification::extent& extent, ranks& all, bool quiet) {
  progress_line line("verifying", quiet || !all.first());
  std::vector<verification::input_report> found;
  std::size_t at = 0;
  auto next = all.add(ranks::taken, 1);
  std::vector<runtime::excess> beyond;
  inputs.each([&](input_set&& set) {
    if (!quiet && all.first())
      runtime::count_excess(beyond, programs.completed(set), programs.inputs());
    if (at++ != next) return;
    if (found.empty()) programs.compare_layers(set);
    auto what = extent;
    what.layers = extent.layers && next < verification::few;
    found.push_back(programs.run(set, what));
    found.back().number = next;
    if (labels) found.back().label = (*labels)[next];
    line(all.add(ranks::finished, 1) + 1, inputs.size());
    next = all.add(ranks::taken, 1);
  });
  tell(std::cerr, "warning", runtime::problems_of(beyond));
  if (all.size() > 1) {
    const auto of_ranks = all.to_first(packed(found));
    found.clear();
    for (const auto& bytes : of_ranks)
      for (auto& one : unpacked(bytes)) found.push_back(std::move(one));
    std::ranges::sort(found, {}, &verification::input_report::number);
  }
  auto report = programs.begin();
  report.labelled = labels.has_value();
  for (auto& one : found) report.add(std::move(one));
  return report;
}

}  // namespace nvdlac::cli
