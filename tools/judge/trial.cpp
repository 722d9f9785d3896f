// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

#include "find_target.hpp"
#include "floor.hpp"
#include "loadable_of.hpp"
#include "prediction_options.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "scheduling.hpp"
#include "usage.hpp"
#include "verification.hpp"

namespace nvdlac::judge {
namespace {

namespace fs = std::filesystem;

// A fault that was found, with its reason: the end of a trial.
struct found {
  finding what;
  std::string why;
};

cli::model_options options_for(const exhibit& e, const trial& t) {
  cli::model_options m;
  m.model = e.file(".onnx").string();
  m.configs = {t.configuration};
  if (t.calibrated) m.calibration = e.arguments();
  m.observer = t.observer;
  m.precision = t.precision;
  m.prefer = t.prefer;
  m.host = "allow";
  m.winograd = t.winograd;
  m.without = t.without;
  m.approximate = t.approximate;
  m.keep_scales = t.keep_scales;
  m.effort = t.effort;
  m.scheduling.trials = t.optimize;
  m.threads = 1;
  if (t.pixels) {
    m.preprocessing.mean = {127.5};
    m.preprocessing.scale = {0.0078125};
  }
  return m;
}

// A network on its way: prepared, built, and on the simulator.
class course {
 public:
  course(const exhibit& e, const trial& t, cli::target_list all)
      : trial_(t), target_(cli::find_target(all, t.configuration)), options_(options_for(e, t)),
        from_(options_, all, notes_) {
    from_.choose_batch(t.batch);
    const auto wanted = from_.wanted();
    files_.emplace(cli::paths_for(e.arguments(), wanted), wanted);
    from_.quantise({}, &*files_);
    files_->each([&](cli::input_set&& set) { sets_.push_back(std::move(set)); });
    for (const auto& set : sets_) floats_.push_back(data::tensors_of(cli::input_set(set), wanted));
  }

  void build() {
    cli::progress_line line("building", true);
    cli::prediction_options conditions;
    std::istringstream words(trial_.cvsram);
    for (std::string word; std::getline(words, word, ',');) conditions.cvsram.push_back(word);
    program_ = cli::build_scheduled(target_, from_, conditions.on(target_), false, line)
                   .program;
    loadable_ = cli::loadable_of(target_, program_);
    compiled_ = true;
    machine_ = machine();
  }
  std::unique_ptr<runtime::any_session> machine() const {
    return target_.simulate(
        runtime::load(emit::read_loadable(loadable_, "program"), target_.spec()),
        {.unwritten = 0xff});
  }

  // The values of a run: sample `first`, and the ones behind it for the other pictures of a batch.
  std::vector<quantised::feed> feeds(std::size_t first) const {
    std::vector<quantised::feed> all;
    const auto& bindings = machine_->inputs();
    const auto one = bindings.size() / static_cast<std::size_t>(trial_.batch);
    for (std::size_t i = 0; i < bindings.size(); ++i) {
      const auto& set = sets_[(first + i / one) % sets_.size()];
      all.push_back(runtime::feed_of(set.values.at(i % one), bindings[i]));
    }
    return all;
  }

  const trial& trial_;
  const cli::target& target_;
  cli::model_options options_;
  std::ostringstream notes_{};
  cli::preparation from_;
  std::optional<cli::input_files> files_{};
  std::vector<cli::input_set> sets_{};
  std::vector<std::vector<net::float_tensor>> floats_{};
  plan::program_data program_{};
  std::vector<std::uint8_t> loadable_{};
  bool compiled_ = false;
  std::unique_ptr<runtime::any_session> machine_{};
};

// The outputs of a float graph as its file has them.
std::vector<output> outputs_of(const cli::graph& g, std::span<const net::float_tensor> inputs) {
  const auto nodes = g.outputs();
  const auto values = net::evaluate(g, inputs);
  std::vector<output> all;
  for (const auto& o : net::outputs_of_file(
           nodes.size(), [&](std::size_t i) -> const auto& { return g[nodes[i]]; }))
    all.push_back({.name = std::string(o.form.name),
                   .shape = {o.form.shape.begin(), o.form.shape.end()},
                   .real = o.gathered<float>(
                       [&](std::size_t i) -> const auto& { return values.at(i).values; })});
  return all;
}

// The largest difference of two arrays beside the largest value, or beside `least`.
double distance(const std::vector<float>& a, const std::vector<float>& b, double least) {
  if (a.size() != b.size()) return INFINITY;
  double most = least, far = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) return INFINITY;
    most = std::max(most, std::fabs(double{a[i]}));
    far = std::max(far, std::fabs(double{a[i]} - double{b[i]}));
  }
  return far / most;
}

// The rounding of a sum of all elements of the largest tensor, of values as large as the inputs:
// what is left where they cancel.
double rounding_of_sums(const net::graph& g, const std::vector<net::float_tensor>& inputs) {
  double largest = 0;
  for (const auto& t : inputs)
    for (const float v : t.values) largest = std::max(largest, std::fabs(double{v}));
  std::size_t elements = 1;
  for (net::graph::id n = 0; n < g.size(); ++n) elements = std::max(elements, g.shape(n).size());
  return largest * static_cast<double>(elements) * 0x1p-24;
}

// The passes change no float result.
void judge_passes(const course& c, const std::vector<output>& before) {
  constexpr double most = 1e-4;
  const auto& g = c.from_.network().graph;
  const auto after = outputs_of(g, c.floats_[0]);
  const double least = std::max(0.01, rounding_of_sums(g, c.floats_[0]) / most);
  if (after.size() != before.size())
    throw found{finding::passes,
                text(after.size(), " outputs behind the passes, not ", before.size())};
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].name != before[i].name)
      throw found{finding::passes, text("the passes change the order of the outputs")};
    if (distance(before[i].real, after[i].real, least) > most)
      throw found{finding::passes,
                  text("output '", after[i].name, "' is another one behind the passes")};
  }
}

// Whether the numbers of two outputs are the same, part by part.
bool same_parts(const net::file_output& a, const std::vector<net::any_tensor>& of_a,
                const net::file_output& b, const std::vector<net::any_tensor>& of_b) {
  return std::ranges::equal(a.parts, b.parts, [&](const auto& x, const auto& y) {
    return of_a.at(x.tensor) == of_b.at(y.tensor);
  });
}

// The simulator gives the integers of the exact reference, bit for bit, in several runs of one
// device, and each output under its name. The integers of the first run as real numbers.
std::vector<std::vector<float>> judge_simulator(const course& c) {
  const auto& integers = c.from_.network().integers;
  const auto nodes = integers.outputs();
  const auto order = quantised::order_of(c.target_.spec());
  const auto batch = static_cast<std::size_t>(c.trial_.batch);
  const auto exact_forms = net::outputs_of_file(
      nodes.size(), [&](std::size_t i) -> const auto& { return integers[nodes[i]]; });
  const auto forms = net::outputs_of_file(c.machine_->outputs());
  std::vector<std::vector<float>> reals;
  for (std::size_t run = 0; run < 3; ++run) {
    const auto feeds = c.feeds(run);
    const auto given = c.machine_->infer_any(feeds);
    const auto inputs = feeds.size() / batch;
    for (std::size_t picture = 0; picture < batch; ++picture) {
      const auto exact = quantised::evaluate_any(
          integers, std::span(feeds).subspan(picture * inputs, inputs), order);
      if (given.size() != batch * exact.size())
        throw found{finding::simulator, text("the program has ", given.size(), " outputs")};
      if (batch == 1) {
        for (std::size_t o = 0; o < exact_forms.size(); ++o) {
          if (std::string(forms[o].form.name) != std::string(exact_forms[o].form.name))
            throw found{finding::simulator, "the outputs of the program have another order"};
          if (!same_parts(forms[o], given, exact_forms[o], exact))
            throw found{finding::simulator, text("output '", std::string(forms[o].form.name),
                                                 "' of run ", run + 1,
                                                 " differs from the integer network")};
        }
      } else {
        for (const auto& of : exact_forms) {
          const auto name = text(std::string(of.form.name), '@', picture + 1);
          const auto form = std::ranges::find_if(
              forms, [&](const auto& f) { return std::string(f.form.name) == name; });
          if (form == forms.end() || !same_parts(*form, given, of, exact))
            throw found{finding::simulator,
                        text("output '", name, "' differs from the integer network")};
        }
      }
    }
    if (run == 0 && batch == 1)
      for (const auto& f : forms)
        reals.push_back(runtime::array_of(f, c.machine_->outputs(), given).values);
  }
  return reals;
}

// Does what `verify` does, which throws where it finds a difference.
void judge_by_verify(const course& c) {
  cli::prediction_options conditions;
  cli::verified_programs work(c.from_, {}, conditions);
  (void)work.run(c.sets_[0], {.layers = true});
}

void judge_trace(const course& c, const exhibit& e) {
  const auto folder = e.folder / "trace";
  fs::create_directory(folder);
  const auto files = c.target_.trace(c.program_, c.machine()->record(c.feeds(0)), "program");
  for (const auto& f : files) {
    std::ofstream(folder / f.name, std::ios::binary)
        .write(reinterpret_cast<const char*>(f.bytes.data()),
               static_cast<std::streamsize>(f.bytes.size()));
  }
  const auto differences = c.target_.replay(runtime::read_trace(folder / "program.nvtrace"), {});
  fs::remove_all(folder);
  if (!differences.empty())
    throw found{finding::trace, text("line ", differences[0].line, ": ", differences[0].what)};
}

// Integers are as near to the float network as the steps of their scales allow.
void judge_numbers(const course& c, std::vector<output>& outputs, const traits& of) {
  // These give up the largest values on purpose.
  if (c.trial_.observer == "percentile" || c.trial_.observer == "entropy") return;
  const auto& network = c.from_.network();
  const bool given = of.own_scales && (!c.trial_.calibrated || c.trial_.keep_scales);
  const auto expected = expected_error_of(network.graph, network.scales,
                                          c.from_.options().precision, c.floats_, 0, given, 1);
  const auto nodes = network.graph.outputs();
  const auto forms = net::outputs_of_file(
      nodes.size(), [&](std::size_t i) -> const auto& { return network.graph[nodes[i]]; });
  std::string worst;
  double most = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto exact = forms[o].gathered<float>(
        [&](std::size_t i) -> const auto& { return expected.exact[i].values; });
    const auto& program = outputs[o].program;
    if (program.size() != exact.size())
      throw found{finding::numbers, text("output '", outputs[o].name, "' has ", program.size(),
                                         " elements, not ", exact.size())};
    double sum = 0, signal = 0;
    std::vector<double> errors;
    for (std::size_t i = 0; i < program.size(); ++i) {
      errors.push_back(std::fabs(double{program[i]} - double{exact[i]}));
      signal += double{exact[i]} * double{exact[i]};
    }
    // Where there are jumps, some elements may be anything.
    if (of.has_jumps) {
      std::ranges::sort(errors);
      errors.resize(errors.size() - errors.size() / 10 - (errors.size() > 1 ? 1 : 0));
    }
    for (const double x : errors) sum += x * x;
    const double count = std::max<double>(1, static_cast<double>(errors.size()));
    const double rms = std::sqrt(sum / count);
    double squares = 0;
    for (const auto& p : forms[o].parts)
      squares += expected.rms[p.tensor] * expected.rms[p.tensor] *
                 static_cast<double>(expected.exact[p.tensor].values.size());
    const double floor =
        std::max(std::sqrt(squares / std::max<double>(1, static_cast<double>(exact.size()))), 1e-7);
    // Few values are farther from what is expected of many.
    const double chance = 1 + 1 / std::sqrt(count);
    outputs[o].ratio = rms / (floor * chance);
    outputs[o].expected = floor;
    if (outputs[o].ratio > most) {
      most = outputs[o].ratio;
      worst = text("output '", outputs[o].name, "': error ", std::setprecision(3), rms,
                   " where its scales explain ", floor * chance, ", ", most, " times as much; SNR ",
                   10 * std::log10(signal / std::max(1e-30, sum)), " dB");
    }
  }
  if (most > explained) throw found{finding::numbers, worst};
}

std::vector<std::string> lines_of(const std::string& all) {
  std::vector<std::string> lines;
  std::istringstream in(all);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void write_bytes(const fs::path& to, std::span<const std::uint8_t> bytes) {
  std::ofstream(to, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// The loadable beside the trace, with what stands in the memory of its inputs and outputs.
void write_loadable(std::span<const std::uint8_t> loadable, const emit::run_record& record,
                    fs::path to) {
  write_bytes(to.replace_extension(".nvdla"), loadable);
  for (std::size_t i = 0; i < record.inputs.size(); ++i)
    write_bytes(to.replace_extension(text("in", i)), record.inputs[i]);
  for (std::size_t i = 0; i < record.outputs.size(); ++i)
    write_bytes(to.replace_extension(text("out", i)), record.outputs[i]);
}

}  // namespace

const char* name_of(finding f) {
  constexpr const char* names[] = {"none",   "refused", "crash",   "time",     "defect", "passes",
                                   "simulator", "trace", "numbers", "variants", "engine"};
  return names[static_cast<std::size_t>(f)];
}

bool trial::keeps_values() const {
  std::set<std::string> steps{"order", "compress", "batch_mode", "remove_dead", "transpose_maps",
                              "pace_passes", "fold_lines", "map_order"};
  // Sums of fp16 are added in another order.
  if (precision.find("fp16") == precision.npos) steps.insert("image_input");
  return effort == 0 && winograd == "off" && prefer.empty() && observer.empty() && !approximate &&
         calibrated && std::ranges::includes(steps, without);
}

std::vector<std::string> trial::words(const std::vector<std::string>& calibration) const {
  std::vector<std::string> w{"--config", configuration, "--host", "allow"};
  const auto add = [&](const char* option, const std::string& v) {
    w.emplace_back(option);
    w.push_back(v);
  };
  if (calibrated)
    for (const auto& c : calibration) add("--calibration", c);
  if (precision != "int8") add("--precision", precision);
  for (const auto& s : without) add("--without", s);
  if (optimize != 0) add("--optimize", std::to_string(optimize));
  if (effort != 0) add("--effort", std::to_string(effort));
  if (batch != 1) add("--batch", std::to_string(batch));
  if (winograd != "off") add("--winograd", winograd);
  if (!prefer.empty()) add("--prefer", prefer);
  if (!cvsram.empty()) add("--cvsram", cvsram);
  if (!observer.empty()) add("--observer", observer);
  if (approximate) w.emplace_back("--approximate");
  if (keep_scales) w.emplace_back("--keep-scales");
  if (pixels) {
    add("--mean", "127.5");
    add("--scale", "0.0078125");
  }
  return w;
}

std::vector<std::string> exhibit::arguments() const {
  std::vector<std::string> all;
  for (const auto& input : inputs)
    all.push_back((inputs.size() == 1 ? "" : input.name + '=') +
                  file('.' + input.name + ".npy").string());
  return all;
}

outcome run_here(const exhibit& e, const trial& t, cli::target_list targets, const traits& of) {
  outcome result;
  std::optional<course> c;
  try {
    c.emplace(e, t, targets);
    result.outputs = outputs_of(c->from_.original(), c->floats_[0]);
    if (!t.approximate) judge_passes(*c, result.outputs);
    c->build();
    const auto reals = judge_simulator(*c);
    for (std::size_t o = 0; o < reals.size(); ++o) result.outputs.at(o).program = reals[o];
    judge_trace(*c, e);
    if (t.verified && t.batch == 1) judge_by_verify(*c);
    if (t.batch == 1) judge_numbers(*c, result.outputs, of);
  } catch (const found& f) {
    result.what = f.what;
    result.why = f.why;
  } catch (const cli::usage_error& u) {
    result.what = finding::refused;
    result.why = u.what();
  } catch (const error& x) {  // what is compiled has to run
    result.what = c && c->compiled_ ? finding::defect : finding::refused;
    result.why = x.problems().front().reason;
  } catch (const std::exception& x) {
    result.what = finding::defect;
    result.why = x.what();
  }
  if (c) result.warnings = lines_of(c->notes_.str());
  return result;
}

std::optional<std::uint64_t> write_trace(const exhibit& e, const trial& t, cli::target_list targets,
                                         const fs::path& to, std::size_t runs,
                                         std::uint64_t latency) {
  course c(e, t, targets);
  c.build();
  const auto on_nvdla = [](const auto& l) { return !layer::on_host(l.layer.what); };
  if (std::ranges::none_of(c.program_.tasks, [&](const auto& task) {
        return std::ranges::any_of(task.operations, on_nvdla);
      }))
    return std::nullopt;
  const auto stem = to.stem().string();
  std::string all;
  for (std::size_t run = 0; run < runs; ++run) {
    const auto record = c.machine()->record(c.feeds(run));
    if (run == 0) write_loadable(c.loadable_, record, to);
    const auto files = c.target_.trace(c.program_, record,
                                       run == 0 ? stem : text(stem, ".run", run + 1));
    for (const auto& f : files) {
      if (f.name.ends_with(".nvtrace")) {
        std::string words(f.bytes.begin(), f.bytes.end());
        // Weights stay where they are; what follows them begins with the first input.
        all += run == 0 ? words : words.substr(words.find("# input '"));
        continue;
      }
      if (run != 0 && f.name.find(".weights") != f.name.npos) continue;
      write_bytes(to.parent_path() / f.name, f.bytes);
    }
  }
  std::ofstream(to, std::ios::binary) << all;
  runtime::replay_options strict;
  strict.settings.timing = sim::timing::refuse;
  const auto differences = c.target_.replay(runtime::read_trace(to), strict);
  if (!differences.empty())
    throw std::logic_error(text(to.string(), ':', differences[0].line, ": ", differences[0].what));
  auto given = cli::prediction_options{}.on(c.target_);
  given.memory.read_latency = latency;
  return report::predict_registers(c.program_, c.target_.spec(), given,
                                   c.target_.host_steps(c.program_))
      .estimate.totals.cycles;
}

}  // namespace nvdlac::judge
