// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <utility>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::python {

program::program(const cli::target& on, std::vector<std::uint8_t> loadable, const std::string& file,
                 const budget& limits)
    : on_(&on), loadable_(std::move(loadable)), file_(file), limits_(limits) {
  auto first = make();
  network_ = first->network();
  inputs_ = first->inputs();
  outputs_ = first->outputs();
  results_ = net::outputs_of_file(outputs_);
  idle_.push_back(std::move(first));
}

program::session_pointer program::make() const {
  return in_file(file_, [&] {
    return on_->simulate(runtime::load(emit::read_loadable(loadable_, file_), on_->spec()),
                         sim::settings::limited_by(limits_));
  });
}

program::session_pointer program::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
  }
  return make();
}

void program::give_back(session_pointer session) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(session));
}

program::run_of program::open(const given_inputs& given) const {
  run_of opened;
  const auto wanted = runtime::wanted_by(inputs_, limits_.samples);
  if (given.files.empty()) {
    opened.arrays_.emplace(cli::arrays_for(given.arrays, wanted), wanted);
    opened.size_ = opened.arrays_->size();
  } else {
    opened.files_.emplace(cli::paths_for(given.files, wanted), wanted);
    runtime::check_preprocessing(*opened.files_, inputs_);
    opened.size_ = opened.files_->size();
  }
  return opened;
}

std::vector<problem> program::run(const run_of& opened, const std::vector<output_rows>& rows,
                                  std::size_t threads, const cli::progress_watcher& watch) {
  std::mutex one_at_a_time;
  std::vector<runtime::excess> beyond;
  std::size_t done = 0;
  const auto run_one = [&](std::size_t i, const data::input_set& set) {
    with_session([&](runtime::any_session& on) {
      if (watch && opened.size_ == 1)  // of one input its layers are counted
        on.on_layer([&watch, layer = std::size_t{0}](const auto&, const auto&) mutable {
          watch("simulating", ++layer, 0);
        });
      const auto tensors = on.infer_any(runtime::feeds_of(set, inputs_));
      if (watch && opened.size_ == 1) on.on_layer([](const auto&, const auto&) {});
      for (std::size_t o = 0; o < results_.size(); ++o) {
        const auto real = runtime::array_of(results_[o], outputs_, tensors);
        std::ranges::copy(real.values, rows[o].values + i * rows[o].size);
      }
    });
    const std::scoped_lock lock(one_at_a_time);
    runtime::count_excess(beyond, set, inputs_);
    ++done;
    if (watch) watch("simulating", done, opened.size_);
  };
  if (opened.arrays_)
    for_all(opened.size_, threads, [&](std::size_t i) { run_one(i, opened.arrays_->at(i)); });
  else
    opened.files_->each(
        [&, i = std::size_t{0}](data::input_set&& set) mutable { run_one(i++, set); });
  return runtime::problems_of(beyond);
}

}  // namespace nvdlac::python
