// SPDX-License-Identifier: Apache-2.0
// nvdlac run: a loadable on the simulator.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/json_text.hpp>
#include <nvdlac/runtime/infer.hpp>

#include "commands.hpp"
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
  bool raw = false, json = false;
  output_layout layout = output_layout::file;
  preprocessing_options preprocessing{};
  layers_option layers{};
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
                     const machine& m, const std::vector<net::any_tensor>& outputs) {
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

void run_loadable(run_arguments& a, target_list targets) {
  const auto& t = find_target(targets, a.config);
  a.settings.limit_by(budget::in_force());
  std::vector<std::filesystem::path> read(a.inputs.begin(), a.inputs.end());
  read.emplace_back(a.loadable);
  output_set files(read);
  a.layers.plan(files);
  if (!a.tensors.empty()) plan_tensors(files, save_tensors, a.tensors);
  const auto m = in_file(a.loadable, [&] {
    const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
    return t.simulate(runtime::load(image, t.spec()), a.settings);
  });
  const auto wanted = outputs_in(a.layout, m->outputs());
  result_arrays arrays(wanted, m->outputs(), a.output, a.raw);
  arrays.plan(files);
  auto printed = report::headed("run");
  printed.update(report::json{{"network", m->network()}, {"configuration", t.name()},
                              {"inputs", report::json::array()}});
  const auto run_with = [&](const std::string& input, const std::vector<quantised::feed>& feeds) {
    if (!a.tensors.empty())
      add_tensors(files, save_tensors, a.tensors, t, tensors_of_run(*m, feeds));
    if (a.layers.wanted())
      m->on_layer([&](const sim::layer_record& r, const std::string& name) {
        a.layers.take(r, name);
      });
    const auto outputs = m->infer(feeds);
    if (a.json) printed["inputs"].push_back(to_json(input, wanted, *m, outputs));
    else if (!a.output.empty()) arrays.take(outputs);
    else
      for (const auto& o : wanted)
        print_best(files.messages(), wanted.size() == 1 ? input : text(input, ' ', o.form.name),
                   runtime::array_of(o, m->outputs(), outputs));
  };
  const auto finish = [&] {
    if (a.json) {
      if (a.layers.wanted() && !a.layers.to_file()) printed["layers"] = a.layers.to_json();
      std::cout << report::json_text(printed);
    }
    if (!a.json || a.layers.to_file()) a.layers.finish(files);
    arrays.finish(files);
    files.write();
  };
  if (m->inputs().empty() != a.inputs.empty())
    throw usage_error(a.inputs.empty() ? "--input is required"
                                       : "the program has no inputs, as its data are constants");
  if (a.inputs.empty()) {
    run_with(a.loadable, {});
    return finish();
  }
  const auto how = wanted_by(*m, a.preprocessing);
  const input_files inputs(paths_for(a.inputs, how), how);
  if (!a.preprocessing.given()) runtime::check_preprocessing(inputs, m->inputs());

  if (!a.tensors.empty() && inputs.size() != 1)
    throw usage_error(text(save_tensors, " takes one run, but there are ", inputs.size(),
                           " inputs"));
  progress_line line("running");
  std::size_t done = 0;
  inputs.each([&](input_set&& set) {
    run_with(set.name, runtime::feeds_of(set, m->inputs()));
    line(++done, inputs.size());
  });
  finish();
}

}  // namespace

void add_run(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("run", "Run a loadable on the simulator");
  const auto a = std::make_shared<run_arguments>();
  sub->add_option("LOADABLE", a->loadable, "A file of `nvdlac compile`")->required()
      ->type_name("FILE");
  sub->add_option("-c,--config", a->config, "The configuration that runs it: " + names_of(targets))
      ->required()->type_name("NAME");
  sub->add_option("-i,--input", a->inputs,
                  "Pictures (PGM, PPM, PNG, JPEG, BMP, WebP), npy, IDX or raw files, or "
                  "directories of them; NAME=FILE for one of several inputs")
      ->type_name("FILE");
  auto* const output = sub->add_option("-o,--output", a->output,
                  "Write the outputs as an npy array of floats instead of printing the 5 largest; "
                  "with several outputs, the name gets theirs; of one, - is the standard output");
  output->check(check_output_name)->type_name("FILE");
  sub->add_flag("--json", a->json,
                "Print the 5 largest elements of each output, and what --layers tells, as JSON")
      ->excludes(output);
  sub->add_flag("--raw", a->raw, "Write the numbers of NVDLA (int8, int16 or fp16) as they are");
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
  add_threads(*sub, a->settings.threads);
  add_limits(*sub);
  add_preprocessing(*sub, a->preprocessing);
  sub->footer(
      "Pictures are preprocessed as it was said to `nvdlac compile`; the loadable remembers it.\n"
      "Examples:\n"
      "  nvdlac run digits.nvdla --config nv_small --input seven.png four.pgm\n"
      "  nvdlac run digits.nvdla --config nv_small --input t10k-images.idx --output scores.npy\n"
      "  nvdlac run digits.nvdla --config nv_small --input seven.png --save-tensors tensors");
  sub->callback([=] { run_loadable(*a, targets); });
}

}  // namespace nvdlac::cli
