// SPDX-License-Identifier: Apache-2.0
// nvdlac run: a loadable on the simulator or a device.
#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/carried_states.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

#include "carried_option.hpp"
#include "commands.hpp"
#include "dealt_pictures.hpp"
#include "device_options.hpp"
#include "find_target.hpp"
#include "inputs.hpp"
#include "layers.hpp"
#include "limit_options.hpp"
#include "outputs.hpp"
#include "preprocessing_options.hpp"
#include "program_input.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "tensor_files.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct run_arguments {
  std::string loadable{}, config{}, output{}, tensors{};
  std::vector<std::string> inputs{};
  std::string carry_states{};
  bool raw = false, json = false;
  output_layout layout = output_layout::file;
  preprocessing_options preprocessing{};
  layers_option layers{};
  device_options device{};
  budget limits{};
  sim::settings settings{};
};

constexpr auto save_tensors = "--save-tensors";

constexpr std::size_t most_best = 5;

void print_best(std::ostream& to, const std::string& name, const real_array& t) {
  to << name << ':';
  for (const auto c : best(t, most_best))
    to << "  " << c << " (" << std::setprecision(4) << t.values[c] << ')';
  to << '\n';
}

// The largest elements of the outputs for one input.
report::json to_json(const std::string& in, const std::vector<net::file_output>& wanted,
                     const runtime::any_session& m, const std::vector<net::any_tensor>& outputs) {
  using report::json;
  json all = json::array();
  for (const auto& o : wanted) {
    const auto values = runtime::array_of(o, m.outputs(), outputs);
    json largest = json::array();
    for (const auto c : best(values, most_best))
      largest.push_back({{"index", c}, {"value", values.values[c]}});
    all.push_back({{"name", o.form.name}, {"shape", o.form.shape}, {"largest", largest}});
  }
  return {{"name", in}, {"outputs", all}};
}

// The program of the file on the simulator or a device, and how many layers an observer is told of.
struct loaded_machine {
  std::unique_ptr<runtime::any_session> on{};
  std::size_t layers = 0;
};

loaded_machine load_machine(const run_arguments& a, const emit::loadable_image& image,
                            const target& t) {
  return in_file(a.loadable, [&] {
    if (a.device.given())
      return loaded_machine{a.device.run_on(t, image)};
    auto program = runtime::load(image, t.spec());
    std::size_t layers = 0;
    for (const auto& task : program.tasks)
      layers += static_cast<std::size_t>(std::ranges::count_if(task.layers, [](const auto& l) {
        return !layer::on_host(l.what) && !layer::takes_on_the_fly(l.what);
      }));
    return loaded_machine{t.simulate(std::move(program), a.settings), layers};
  });
}

// Results of the runs: printed at once, gathered as JSON, or written to files at the end.
class run_results {
 public:
  // `wanted`: the outputs, or those of one picture.
  run_results(run_arguments& a, const target& t, runtime::any_session& m, output_set& files,
              std::vector<net::file_output> wanted)
      : a_(a), t_(t), machine_(m), files_(files), wanted_(std::move(wanted)),
        arrays_(wanted_, m.outputs(), a.output, a.raw) {
    arrays_.plan(files_);
    printed_.update(report::json{{"network", m.network()}, {"configuration", t.name()},
                                 {"inputs", report::json::array()}});
  }

  // Returns the outputs. `after_layer` is called after each hardware layer, if it is given.
  std::vector<net::any_tensor> run(const std::vector<quantised::feed>& feeds,
                                   const std::function<void()>& after_layer = {}) {
    if (!a_.tensors.empty())
      add_tensors(files_, save_tensors, a_.tensors, t_,
                  verification::tensors_of_run(machine_, feeds));
    if (a_.layers.wanted() || after_layer)
      machine_.on_layer([this, after_layer](const sim::layer_record& r, const std::string& name) {
        if (a_.layers.wanted()) a_.layers.take(r, name);
        if (after_layer) after_layer();
      });
    return machine_.infer_any(feeds);
  }
  void take(const std::string& input, const std::vector<net::any_tensor>& outputs) {
    if (a_.json) printed_["inputs"].push_back(to_json(input, wanted_, machine_, outputs));
    else if (!a_.output.empty()) arrays_.take(outputs);
    else
      for (const auto& o : wanted_)
        print_best(files_.messages(), wanted_.size() == 1 ? input : text(input, ' ', o.form.name),
                   runtime::array_of(o, machine_.outputs(), outputs));
  }

  void finish() {
    if (a_.json) {
      if (a_.layers.wanted() && !a_.layers.to_file()) printed_["layers"] = a_.layers.to_json();
      std::cout << report::json_text(printed_);
    }
    if (!a_.json || a_.layers.to_file()) a_.layers.finish(files_);
    arrays_.finish(files_);
    const auto written = files_.names();
    if (!a_.json && !a_.output.empty() && !written.empty())
      files_.tell_when_written("written: " + joined(written));
    files_.write();
  }

 private:
  run_arguments& a_;
  const target& t_;
  runtime::any_session& machine_;
  output_set& files_;
  std::vector<net::file_output> wanted_;
  result_arrays arrays_;
  report::json printed_ = report::headed("run");
};

// Runs each of the inputs, of which there has to be one where tensors are saved.
void run_inputs(run_arguments& a, const loaded_machine& m,
                const std::optional<dealt_pictures>& dealt, run_results& results) {
  const auto all = wanted_by(*m.on, a.preprocessing, a.limits.samples);
  std::optional<data::carried_states> states;
  if (!a.carry_states.empty())
    states.emplace(all, net::outputs_of_file(m.on->outputs()), names_of_states(a.carry_states));
  const auto how = dealt ? dealt->inputs() : states ? states->given(all) : all;
  const input_files inputs(paths_for(a.inputs, how), how);
  if (!a.preprocessing.given())
    runtime::check_preprocessing(inputs, dealt    ? dealt->bindings(m.on->inputs())
                                         : states ? states->given(m.on->inputs())
                                                  : m.on->inputs());
  tell(std::cerr, "note", inputs.notes());
  std::vector<runtime::excess> beyond;
  const auto in_run = dealt ? dealt->size() : 1;
  const auto runs = (inputs.size() + in_run - 1) / in_run;
  if (!a.tensors.empty() && runs != 1)
    throw usage_error(text(save_tensors, " takes one run, but there are ",
                           count_of(inputs.size(), "input")));
  if (const auto rest = inputs.size() % in_run; rest != 0)
    tell(std::cerr, "note",
         {{.reason = text("the last run has ", count_of(rest, "input"), " for its batch of ",
                          in_run, ": the last one stands for those that are missing, whose "
                          "results are left out")}});
  progress_line line(a.device.given() ? "running" : "simulating");
  // Progress on a single picture is counted in its layers.
  std::size_t done = 0;
  const bool single = runs == 1 && !a.device.given();
  const std::function<void()> count_layer = [&] { line(std::min(++done, m.layers), m.layers); };
  const auto run = [&](const input_set& set) {
    runtime::count_excess(beyond, set, m.on->inputs());
    return results.run(runtime::feeds_of(set, m.on->inputs()),
                       single && line.is_on_terminal() ? count_layer : nullptr);
  };
  std::size_t read = 0;
  std::vector<input_set> batch;
  inputs.each([&](input_set&& set) {
    ++read;
    if (dealt) {
      batch.push_back(std::move(set));
      if (batch.size() < in_run && read < inputs.size()) return;
      const auto outputs = run(dealt->run_of(batch));
      for (std::size_t p = 0; p < batch.size(); ++p)
        results.take(batch[p].name, dealt->of_picture(p, outputs));
      batch.clear();
    } else {
      if (states) set = states->completed(std::move(set));
      const auto outputs = run(set);
      results.take(set.name, outputs);
      if (states) states->take(runtime::arrays_of(m.on->outputs(), outputs));
    }
    if (!single) line(++done, runs);
  });
  tell(std::cerr, "warning", runtime::problems_of(beyond));
}

void run_loadable(run_arguments& a, target_list targets) {
  if (!a.config.empty()) (void)find_target(targets, a.config);  // before the file is read
  if (a.device.given() && a.layers.wanted())
    throw usage_error("--layers tells what the simulator counts: leave --device out");
  const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
  const auto& t = find_target_of(image, a.loadable, a.config, targets);
  a.settings.limit_by(a.limits);
  std::vector<std::filesystem::path> read(a.inputs.begin(), a.inputs.end());
  read.emplace_back(a.loadable);
  output_set files(read);
  a.layers.plan(files);
  if (!a.tensors.empty()) plan_tensors(files, save_tensors, a.tensors);
  const auto m = load_machine(a, image, t);
  const auto outputs = outputs_in(a.layout, m.on->outputs());
  const auto dealt = a.carry_states.empty()
                         ? dealt_pictures::of(a.inputs, runtime::wanted_by(m.on->inputs()), outputs)
                         : std::nullopt;
  run_results results(a, t, *m.on, files, dealt ? dealt->outputs() : outputs);
  if (m.on->inputs().empty() != a.inputs.empty())
    throw usage_error(a.inputs.empty() ? "--input is required"
                                       : "the program has no inputs, as its data are constants");
  if (a.inputs.empty()) results.take(a.loadable, results.run({}));
  else run_inputs(a, m, dealt, results);
  results.finish();
}

}  // namespace

void add_run(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("run", "Run a loadable on the simulator or a board's NVDLA");
  const auto a = std::make_shared<run_arguments>();
  sub->add_option("LOADABLE", a->loadable, "A file of `nvdlac compile`")->required()
      ->type_name("FILE");
  sub->add_option("-c,--config", a->config,
                  "The configuration that runs it: " + names_of(targets) +
                      "; default: that of the loadable, which names it if nvdlac has written it")
      ->type_name("NAME");
  sub->add_option("-i,--input", a->inputs,
                  "Pictures (PGM, PPM, PNG, JPEG, BMP, WebP), npy, IDX or raw files, or "
                  "directories of them; NAME=FILE for one of several inputs. The pictures of a "
                  "program of --batch N are dealt to its runs in order, unless a NAME says which "
                  "of them it is, x@2")
      ->type_name("FILE");
  add_carry_states(*sub, a->carry_states,
                   "The inputs are the steps of a sequence: states begin with zeros, and are then "
                   "what the step before has left; --input gives the other inputs alone");
  auto* const output = sub->add_option("-o,--output", a->output,
                  "Write the outputs as an npy array of floats instead of printing the 5 largest: "
                  "of one input in the shape of the network's file, of several behind each other; "
                  "with several outputs, the name gets theirs; of one, - is the standard output");
  output->check(check_output_name)->type_name("FILE");
  sub->add_flag("--json", a->json,
                "Print the 5 largest elements of each output, and what --layers tells, as JSON")
      ->excludes(output);
  sub->add_flag("--raw", a->raw,
                "With --output: the numbers of NVDLA (int8, int16 or fp16) as they are")
      ->needs(output);
  sub->add_option(save_tensors, a->tensors,
                  "Write what every layer of the run leaves in memory into this directory: as it "
                  "is there (.bin), as numbers (.npy) and as real numbers (.real.npy), with "
                  "index.json")
      ->type_name("DIR");
  sub->add_option("--output-layout", a->layout,
                  "file (default): names, shapes and order of elements as in the network's file; "
                  "hardware: the tensors of NVDLA as they are, channels first")
      ->transform(CLI::CheckedTransformer(std::map<std::string, output_layout>{
          {"file", output_layout::file}, {"hardware", output_layout::hardware}})
                      .description("{file,hardware}"))
      ->type_name("LAYOUT");
  a->layers.add(*sub);
  a->device.add(*sub);
  add_threads(*sub, a->settings.threads);
  add_limits(*sub, a->limits);
  add_preprocessing(*sub, a->preprocessing);
  sub->footer(
      "Pictures are preprocessed as it was said to `nvdlac compile`; the loadable remembers it.\n"
      "Examples:\n"
      "  nvdlac run digits.nvdla --config nv_small --input seven.png four.pgm\n"
      "  nvdlac run digits.nvdla --config nv_small --input t10k-images.idx --output scores.npy\n"
      "  nvdlac run digits.nvdla --config nv_small --input seven.png --save-tensors tensors\n"
      "  nvdlac run digits.nvdla --device uio0 --input seven.png");
  sub->callback([=] { run_loadable(*a, targets); });
}

}  // namespace nvdlac::cli
