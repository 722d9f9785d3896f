// SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/emit/destination.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/quant/named_scales.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/verification_json.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/verify/labels.hpp>
#include <nvdlac/verify/reference.hpp>
#include <nvdlac/verify/verifier.hpp>

#include "loadable_of.hpp"
#include "network_report.hpp"
#include "node_data.hpp"
#include "page.hpp"
#include "provenance.hpp"
#include "trace_formats.hpp"

namespace nvdlac::python {
namespace {

// The options of the compilation with what the model was read by.
cli::compilation_options joined_with(const cli::model_options& source,
                                     cli::compilation_options given, const cli::target& on) {
  auto& m = given.model;
  m.model = source.model;
  m.weights = source.weights;
  m.random_weights = source.random_weights;
  m.from = source.from;
  m.to = source.to;
  m.shapes = source.shapes;
  m.epsilon = source.epsilon;
  m.state = source.state;
  m.limits = source.limits;
  m.configs = {std::string(on.name())};
  m.words.insert(m.words.end(), source.words.begin(), source.words.end());
  m.content = source.content;
  return given;
}

data::input_files open_inputs(const given_inputs& given,
                              const std::vector<data::wanted_input>& wanted) {
  return given.files.empty()
             ? data::input_files(cli::arrays_for(given.arrays, wanted), wanted)
             : data::input_files(cli::paths_for(given.files, wanted), wanted);
}

}  // namespace

model read_model(cli::model_options source, const std::string* content) {
  if (content != nullptr) source.content = sha256().update(*content).finish();
  auto network = in_file(source.model, [&] {
    return content == nullptr ? cli::read_network(source) : cli::read_network(source, *content);
  });
  return {std::move(source), std::make_shared<const cli::imported_network>(std::move(network))};
}

model with_scales(const model& m, const std::string& table) {
  auto network = *m.network;
  network.scales = quant::named_by_tensor(quant::read_scales(table, "the scale table"),
                                          network.tensors);
  return {m.source, std::make_shared<const cli::imported_network>(std::move(network))};
}

std::vector<tensor_form> inputs_of(const model& m) {
  std::vector<tensor_form> forms;
  for (const auto& w : data::inputs_of(m.network->graph, {})) {
    const auto form = w.how.in_file.value_or(net::in_own_order(label(w.name), w.shape));
    forms.push_back({w.name, form.shape});
  }
  return forms;
}

prepared_model::prepared_model(const model& m, cli::compilation_options given,
                               const cli::target& on, const cli::progress_watcher& watch)
    : on_(&on), given_(joined_with(m.source, std::move(given), on)),
      conditions_(given_.prediction.on(on)),
      from_(given_.model, std::span(&on_, 1), *m.network, notes_, watch) {
  from_.choose_batch(given_.batch);
  from_.compare_for([this](const cli::target&) { return conditions_.memory; });
  from_.quantise({});
}

std::vector<std::string> prepared_model::notes() const {
  std::vector<std::string> all;
  std::istringstream lines(notes_.str());
  const std::string tool = "nvdlac: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(tool)) line.erase(0, tool.size());
    if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
  }
  return all;
}

product::product(const model& m, cli::compilation_options given, const cli::target& on,
                 const cli::progress_watcher& watch)
    : prepared_(m, std::move(given), on, watch) {
  const auto& from = prepared_.from();
  cli::progress_line line(text("compiling for ", on.name()), true, 0, watch);
  scheduled_ = in_file(m.source.model, [&] {
    return cli::build_scheduled(on, from, prepared_.conditions(), false, line);
  });
  predicted_ = report::predict(data().tasks, on.spec(), prepared_.conditions());
  made_from_ = cli::provenance_of(from);
  loadable_ = cli::loadable_of(on, data(), made_from_);
}

std::string product::report() const {
  return report::json_text(
      cli::report_on(prepared_.from(), prepared_.on(), data(), predicted_, made_from_).json);
}

std::string product::page() const {
  auto r = cli::report_on(prepared_.from(), prepared_.on(), data(), predicted_, made_from_);
  return cli::page_of(std::move(r.json), r.data_flows);
}

std::string product::scales() const {
  return quant::write_scales(prepared_.from().network().scales);
}

std::string product::schedule() const { return schedule::write_choices(scheduled_.schedule); }

std::vector<std::pair<std::string, std::string>> product::overlay() const {
  const auto r =
      cli::report_on(prepared_.from(), prepared_.on(), data(), predicted_, made_from_);
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [what, data] : cli::node_data_of(r.json))
    all.emplace_back(what, report::json_text(data));
  return all;
}

void product::check_output(const std::string& file, const std::vector<std::string>& inputs) const {
  auto read = prepared_.from().files();
  read.insert(read.end(), inputs.begin(), inputs.end());
  emit::file_identity there{}, other{};
  for (const auto& path : read)
    if (emit::find_file(path, other) && emit::find_file(file, there) && other == there)
      throw error({.file = file,
                   .reason = "is '" + path.string() + "', which was read",
                   .remedy = "name another file"});
}

void product::save(const std::string& file) const {
  check_output(file, {});
  emit::write_file(file, loadable_);
}

void product::save_trace(const std::string& file, const given_inputs& input,
                         const std::string& format, bool layers,
                         const cli::progress_watcher& watch) {
  const std::filesystem::path path = file;
  cli::check_trace_name(format, path);
  const auto& from = prepared_.from();
  const auto& on = prepared_.on();
  const auto inputs = open_inputs(input, from.wanted());
  if (inputs.size() != 1)
    throw error(text("a trace is of one run, but there are ", count_of(inputs.size(), "input")));
  cli::progress_line line(text("compiling for ", on.name()), true, 0, watch);
  const auto made = in_file(from.given().model, [&] {
    const std::scoped_lock lock(mutex_);  // what it warns of is the product's
    return cli::build_scheduled(on, from, prepared_.conditions(), true, line);
  });
  line.begin("simulating");
  const auto image = emit::read_loadable(cli::loadable_of(on, made.program));
  const auto session = on.simulate(runtime::load(image, on.spec()),
                                   sim::settings::limited_by(from.options().limits));
  inputs.each([&](data::input_set&& set) {
    const auto feeds = runtime::feeds_of(set, session->inputs());
    const auto record = layers ? session->record_layers(feeds) : session->record(feeds);
    auto files = cli::in_format(format, on,
                                on.trace(made.program, record, path.stem().string()), path);
    for (const auto& f : files) check_output((path.parent_path() / f.name).string(), input.files);
    emit::write_files(path.parent_path(), std::move(files));
  });
}

std::vector<std::string> product::notes() const {
  const std::scoped_lock lock(mutex_);
  return prepared_.notes();
}

program& product::on_simulator() {
  const std::scoped_lock lock(mutex_);
  if (!program_)
    program_ = std::make_unique<python::program>(prepared_.on(), loadable_, data().network,
                                                 prepared_.from().options().limits);
  return *program_;
}

std::string product::verify(const given_inputs& given, const std::vector<std::size_t>& labels,
                            std::size_t inputs_of_layers, const cli::progress_watcher& watch) {
  const auto& from = prepared_.from();
  const auto wanted = from.wanted();
  const auto inputs = open_inputs(given, wanted);
  if (!labels.empty() && labels.size() != inputs.size())
    throw error(text(count_of(labels.size(), "label"), " for ",
                     count_of(inputs.size(), "input")));
  const auto known = labels.empty() ? inputs.labels() : std::optional(labels);
  std::string found;
  on_simulator().with_session([&](runtime::any_session& on) {
    const auto& network = from.network();
    const verification::verifier verifier(
        from.options().network,
        [&](std::span<const net::float_tensor> in) {
          return verification::outputs_in_file(from.original(), in);
        },
        verification::compare_layers(network.graph, network.integers), network.integers,
        {{std::string(prepared_.on().name()), prepared_.on().spec(), &on,
          predicted_.estimate.totals.cycles, report::summary(predicted_)}});
    auto report = verifier.begin();
    report.labelled = known.has_value();
    if (known) verification::check_labels(*known, report);
    inputs.each([&](data::input_set&& set) {
      const auto n = report.inputs.size();
      const auto feeds = runtime::feeds_of(set, on.inputs());
      const auto name = set.name;
      auto one = verifier.run(name, data::tensors_of(std::move(set), wanted), feeds,
                              {.layers = n < inputs_of_layers});
      if (one.programs.front().differs)
        throw std::logic_error(text("the simulated ", prepared_.on().name(),
                                    " differs from the exact integer network for ", name));
      one.number = n;
      if (known) one.label = (*known)[n];
      report.add(std::move(one));
      if (watch) watch("verifying", n + 1, inputs.size());
    });
    found = report::json_text(report::to_json(report, std::span(&predicted_, 1)));
  });
  return found;
}

}  // namespace nvdlac::python
