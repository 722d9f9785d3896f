// SPDX-License-Identifier: Apache-2.0
#include "preparation.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/choose_precisions.hpp>
#include <nvdlac/compile_steps.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/doubts.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/named_scales.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/verify/reference.hpp>

#include "carried_option.hpp"
#include "find_target.hpp"
#include "options_of.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "usage.hpp"

// For the tests, which do not compile the readers again: tests/readers.hpp.
namespace nvdlac::import {

template basic_network<cli::own_operators> detail::network_in<cli::own_operators>(
    const std::filesystem::path&, const weight_source&, const part&);
template basic_network<cli::own_operators> onnx_network_from<cli::own_operators>(
    const std::string&, const std::string&, const std::filesystem::path&, const part&);

}  // namespace nvdlac::import

namespace nvdlac::cli {
namespace {

std::string scale_advice(const model_options& given) {
  return "no scales: " + given.precision +
         (given.precision == "fp16" ? " needs the range of what functions and normalisations read"
                                    : " needs the range of every tensor") +
         ". Give --calibration DIR|FILE with some "
         "dozens of typical inputs" +
         std::string(given.preprocessing.given() ? "" : " (and --mean, --scale as in training)") +
         ", or --scales JSON with a table";
}

bool computes_int16(const target& t) { return t.spec().data_types.has(hw::precision::int16); }

scale_source no_samples() { return std::span<const sample>(); }

// The steps for the hardware behind which there is a graph to see.
constexpr std::span steps_of_graph = std::span(steps_for_hardware).first(2);
static_assert(steps_of_graph[0].name == pass::fuse_sum::name &&
              steps_of_graph[1].name == pass::join_gates::name);

// Refuses names of --dump-after that are none, or of steps that change no graph of the network.
void check_dumps(const std::set<std::string>& names) {
  for (const auto& step : std::span(steps_for_hardware).subspan(steps_of_graph.size()))
    if (names.contains(std::string(step.name)))
      throw usage_error(text("--dump-after ", step.name,
                             ": this step chooses integers or layers of NVDLA, and leaves the "
                             "network as it is after ", pass::fuse_sum::name,
                             ": dump that, or see what it changes with --without ", step.name,
                             " and `nvdlac diff`"));
  check_passes(names, steps_of_graph);
}

// NAME=1,224,224,3
std::pair<std::string, std::vector<std::int64_t>> shape_of(const std::string& given) {
  const auto equals = given.rfind('=');
  const auto wrong = [&] {
    return usage_error("--shape '" + given + "' is not of the form INPUT=N,N,..");
  };
  if (equals == 0 || equals == given.npos) throw wrong();
  std::vector<std::int64_t> shape;
  const auto* at = given.data() + equals;
  const auto* const end = given.data() + given.size();
  while (at != end) {
    std::int64_t n = 0;
    const auto [next, failed] = std::from_chars(at + 1, end, n);
    if (failed != std::errc() || n < 1 || (next != end && *next != ',')) throw wrong();
    shape.push_back(n);
    at = next;
  }
  return {given.substr(0, equals), shape};
}
import::part part_of(const model_options& given) {
  import::part p{.from = given.from, .to = given.to, .epsilon = given.epsilon,
                 .states = given.state == "step", .limits = given.limits};
  for (const auto& s : given.shapes)
    if (!p.shapes.insert(shape_of(s)).second)
      throw usage_error("--shape gives the shape of '" + shape_of(s).first + "' twice");
  return p;
}

import::weight_source weights_of(const model_options& given) {
  if (given.random_weights) return import::random_weights{*given.random_weights};
  if (!given.weights.empty()) return std::filesystem::path(given.weights);
  return {};
}

// Returns the names of operators and layers that the host may compute, but computes none of.
std::vector<std::string> idle_names(const graph& g, const host::choice& allowed) {
  std::set<std::string_view> moved;
  for (graph::id n = 0; n < g.size(); ++n)
    if (const auto* call = std::get_if<net::on_host>(&g[n].op)) {
      moved.insert(g[n].name);
      moved.insert(call->call.layer);
      const bool is_function = std::ranges::any_of(
          std::views::iota(std::size_t{0}, net::functions.size()), [&](std::size_t f) {
            return call->call.layer == net::name_of(static_cast<net::function>(f));
          });
      if (is_function) moved.insert("activation");
    } else if (std::holds_alternative<net::softmax>(g[n].op)) {
      moved.insert(g[n].name);
      moved.insert("softmax");
    }
  std::vector<std::string> idle;
  for (const auto& name : allowed.names)
    if (!moved.contains(name)) idle.push_back(name);
  return idle;
}

}  // namespace

imported_network read_network(const model_options& given) {
  return import::any_network<own_operators>(given.model, weights_of(given), part_of(given));
}
imported_network read_network(const model_options& given, const std::string& content) {
  return import::any_network_in<own_operators>({given.model, content}, weights_of(given),
                                               part_of(given));
}

preparation::preparation(const model_options& given, target_list targets, std::ostream& notes)
    : preparation(given, targets, notes, {},
                  [](const model_options& named) { return read_network(named); }) {}

preparation::preparation(const model_options& given, target_list targets, imported_network network,
                         std::ostream& notes, progress_watcher watch)
    : preparation(given, targets, notes, std::move(watch),
                  [&](const model_options&) { return std::move(network); }) {}

preparation::preparation(const model_options& given, target_list targets, std::ostream& notes,
                         progress_watcher watch,
                         const std::function<imported_network(const model_options&)>& read)
    : given_(given), notes_(notes), watch_(std::move(watch)),
      targets_(find_targets(targets, given.configs)) {
  if (given.model.empty())
    throw usage_error(
        "name the MODEL: an ONNX or TFLite file, a TensorFlow graph or SavedModel, a Keras model, "
        "an archive of torch.export (.pt2), a Caffe prototxt and its caffemodel, a Darknet cfg and "
        "its weights, an MXNet symbol and its params, Caffe2's predict_net and init_net, or a "
        "Core ML model");
  if (std::ranges::find(targets, given.weights, &target::name) != targets.end() &&
      !std::filesystem::exists(given.weights))
    throw usage_error(text(given.weights, " is a configuration: give it as --config ",
                           given.weights));
  for (const auto* t : targets)
    if (computes_int16(*t)) wide_.emplace_back(t->name());
  options_ = options_of(given);
  const progress_line line("importing", is_silent(), 0, watch_);
  auto network = in_file(given.model, [&] { return read(given); });
  graph_ = std::move(network.graph);
  own_scales_ = std::move(network.scales);
  quantised_ = std::move(network.quantised);
  tensors_ = std::move(network.tensors);
  const auto nodes =
      std::make_shared<const std::vector<import::cut_node>>(std::move(network.nodes));
  options_.proposing = [nodes](const error& e) {
    return import::with_cut(e, import::cut_around(*nodes, e));
  };
  batch_of_file_ = network.batch;
  external_ = std::move(network.external);
  own_preprocessing_ = std::move(network.preprocessing);
  for (const auto& note : network.notes) notes_ << "nvdlac: note: " << to_string(note) << '\n';
  in_file(given.model, [&] { nvdlac::detail::throw_if_any(net::verify(graph_)); });
}

void preparation::warn(problem p) const {
  // Advice for all products is none for one without 16 bits.
  constexpr std::string_view in_16_bits = "compute it in 16 bits: ";
  const bool has_16_bits =
      std::ranges::all_of(targets_, [](const auto* on) { return computes_int16(*on); });
  if (p.remedy.starts_with(in_16_bits) && !has_16_bits) {
    const auto rest = p.remedy.find(", or ");
    p.remedy = rest == p.remedy.npos ? "a configuration that computes in 16 bits would keep them"
                                     : p.remedy.substr(rest + 5);
  }
  if (p.file.empty()) p.file = given_.model;
  notes_ << "nvdlac: warning: " << to_string(p) << '\n';
}

bool preparation::is_silent() const { return &notes_ != &std::cerr; }

std::vector<std::filesystem::path> preparation::files() const {
  auto all = external_;
  all.push_back(import::model_file(given_.model));
  for (const auto& path : {given_.weights, given_.scales, given_.scheduling.given})
    if (!path.empty()) all.emplace_back(path);
  all.insert(all.end(), given_.calibration.begin(), given_.calibration.end());
  return all;
}

std::vector<emit::provenance::source> preparation::sources() const {
  std::vector<emit::provenance::source> all;
  if (given_.content) all.push_back({.role = "model", .sha256 = *given_.content, .count = 1});
  else all.push_back(data::source_of_model(import::model_file(given_.model), external_));
  if (!given_.weights.empty()) all.push_back(data::source_of("weights", {given_.weights}));
  if (const auto seen = calibration_seen_.seen()) all.push_back(*seen);
  if (!given_.scales.empty()) all.push_back(data::source_of("scales", {given_.scales}));
  if (const auto& schedule = given_.scheduling.given; !schedule.empty())
    all.push_back(data::source_of("schedule", {schedule}));
  return all;
}

void preparation::run_passes(const dumping& dump) {
  check_dumps(dump.passes);
  in_file(given_.model, [&] {
    divide(graph_, dump);
    dump.template after<pass::fuse_sum>(graph_);
  });
}

void preparation::divide(graph& of, const dumping& dump) const {
  nvdlac::detail::on_own_layers(nvdlac::detail::names_of_layers(of), options_, [&] {
    network_passes::run(of, without_steps(options_.without), dump);
    divide_on<float_graph>(targets_, of, options_, {}, dump);
  });
}

void preparation::quantise(const dumping& dump, const input_files* inputs) {
  check_dumps(dump.passes);
  const bool scaled = quant::needs_scales(graph_, options_.precision);
  if (!scaled && !given_.scales.empty())
    throw usage_error("--scales say nothing to --precision fp16: this network has no functions of "
                      "tables and no normalisation");
  if (given_.keep_scales && own_scales_.entries.empty())
    throw usage_error("--keep-scales: the model has no scales of its own");
  const bool lacks_scales = scaled && !given_.calibrates() && given_.scales.empty() &&
                            own_scales_.entries.empty();
  in_file(given_.model, [&] {  // before any picture is read
    auto passed = lacks_scales ? std::move(graph_) : graph_;  // which is only looked at then
    divide(passed, {});
    for (const auto& name : idle_names(passed, options_.host))
      notes_ << "nvdlac: note: --host " << name << " changes nothing: NVDLA computes all that is "
                "called so (the host takes what NVDLA refuses, and what lies between)\n";
  });
  if (lacks_scales) throw usage_error(scale_advice(given_));
  const auto scales = scaled || given_.calibrates() ? source() : no_samples();
  const auto wide = options_.precision.all;
  if (!given_.prefer.empty()) options_.precision = hw::precision::int8;
  choose_input_format(inputs);
  if (!given_.prefer.empty()) choose_precisions(scales, wide);
  progress_line line(calibration_ ? "calibrating" : "quantising", is_silent(), 0, watch_);
  options_.progress = [&](std::size_t done, std::size_t all) {
    if (done == all) return line.begin("quantising");
    if (done == 1) line.begin("calibrating", done);  // for the second time, in several precisions
    line(done, all);
  };
  options_.choosing_scales = [&](std::size_t done, std::size_t all) {
    if (done == 1) line.begin("choosing scales");
    line(done, all);
  };
  options_.reconstructing = [&](std::size_t done, std::size_t all) {
    if (done == 1) line.begin("choosing weights");
    line(done, all);
  };
  options_.histogram = [&](const auto& layer, const auto& seen) { activations_[layer] = seen; };
  options_.warn = [&](const problem& p) { warn(p); };
  in_file(given_.model, [&] {
    auto watched = dump;
    lineage_.begin(report::form_of(graph_));
    watched.lineage = &lineage_;
    prepared_ = prepare_with(scales, options_, watched);
    lineage_.follow(report::form_of(prepared_.integers));
    if (given_.input_format != "pixels") return;
    for (const auto n : net::input_nodes(prepared_.integers))
      if (!std::get<quantised::input>(prepared_.integers[n].op).pixels)
        throw error({.layer = prepared_.integers[n].name,
                     .reason = "cannot be read as pixels: it has neither 1, 3 nor 4 channels, or "
                               "not only convolutions of one group read it",
                     .remedy = "--input-format int8"});
  });
  doubt_pixels(inputs);
  tell_of_narrowed_tensors();
  options_.progress = {};
  options_.choosing_scales = {};
  options_.reconstructing = {};
  options_.histogram = {};
  options_.warn = {};
}

void preparation::choose_batch(std::optional<int> batch) {
  options_.batch = batch.value_or(1);
  if (!batch && batch_of_file_ > 1)
    notes_ << "nvdlac: note: the model is for batches of " << batch_of_file_
              << "; the program computes one picture at a time, with --batch " << batch_of_file_
              << " so many\n";
}

void preparation::require_targets() const {
  if (targets_.empty()) throw usage_error("name at least one --config, see `nvdlac configs`");
}

std::vector<wanted_input> preparation::all_inputs() const {
  return data::inputs_of(graph_, {how_pixels_count(), given_.preprocessing.array_layout(), {},
                                  given_.limits.samples});
}

std::vector<wanted_input> preparation::wanted() const {
  const auto states = carried();
  return states ? states->given(all_inputs()) : all_inputs();
}

std::optional<data::carried_states> preparation::carried() const {
  if (given_.carry_states.empty()) return std::nullopt;
  const auto nodes = graph_.outputs();
  return in_file(given_.model, [&] {
    return data::carried_states(
        all_inputs(),
        net::outputs_of_file(nodes.size(),
                             [&](std::size_t i) -> const auto& { return graph_[nodes[i]]; }),
        names_of_states(given_.carry_states));
  });
}

scale_source preparation::source() {
  auto table = own_scales_;
  if (!given_.scales.empty()) {
    const auto bytes = data::read_file(given_.scales);
    table = quant::read_scales({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                               given_.scales);
    table = quant::named_by_tensor(std::move(table), tensors_);
  }
  tell_of_replaced_scales();
  if (!given_.calibrates()) return table;
  if (given_.keep_scales || !given_.scales.empty()) options_.known = std::move(table);
  const auto inputs = wanted();
  if (given_.calibration_arrays.empty())
    calibration_.emplace(paths_for(given_.calibration, inputs), inputs);
  else
    calibration_.emplace(arrays_for(given_.calibration_arrays, inputs), inputs);
  tell(notes_, "note", calibration_->notes());
  return quant::sample_stream{calibration_->size(), [this, inputs](const auto& visit) {
    calibration_seen_.begin();
    auto states = carried();
    const auto all = states ? all_inputs() : inputs;
    calibration_->each([&](input_set&& set) {
      if (states) set = states->completed(std::move(set));
      auto tensors = data::tensors_of(std::move(set), all);
      if (states) states->take(verification::outputs_in_file(graph_, tensors));
      calibration_seen_.add(tensors);
      visit(std::move(tensors));
    });
  }};
}

// Tells of pictures that --resize and --crop make for none of the network's inputs, whatever they
// are of, and of an order of channels that there are not.
void preparation::check_preprocessing() const {
  std::vector<net::shape> inputs;
  for (const auto n : net::input_nodes(graph_)) inputs.push_back(graph_[n].shape);
  const auto& size = given_.preprocessing.size;
  const auto can_be = [&](const net::shape& want) {
    if (size.crop != 0) return size.crop == want.h && size.crop == want.w;
    const auto least = size.resize == net::resizing::shorter ? std::min(want.h, want.w)
                                                             : std::max(want.h, want.w);
    return size.side == 0 || size.side >= least;
  };
  if (!inputs.empty() && std::ranges::none_of(inputs, can_be)) {
    const bool crop = size.crop != 0;
    const auto side = crop ? size.crop : size.side;
    notes_ << text("nvdlac: warning: ", crop ? "--crop " : "--resize ",
                   crop ? text(side) : net::resize_text(size), " makes pictures of ", side, 'x',
                   side, " pixels, and the network takes ", inputs[0].w, 'x', inputs[0].h,
                   ": `run` will need one of its own for each picture\n");
  }
  const auto has_colours = [](const net::shape& s) { return s.c >= 3; };
  if (given_.preprocessing.order == "bgr" && std::ranges::none_of(inputs, has_colours))
    notes_ << "nvdlac: warning: --order bgr says nothing where no input has colours\n";
}

// Floats that are taken as they are say nothing about pixels.
void preparation::choose_input_format(const input_files* inputs) {
  const bool pictures = !calibration_ || calibration_->all_pictures();
  if (pictures) check_preprocessing();
  if (pictures || given_.preprocessing.given() || takes_own_preprocessing())
    options_.preprocessing = how_pixels_count();
  options_.pixels = given_.input_format == "auto" || given_.input_format == "pixels";
  if (options_.precision == hw::precision::fp16) options_.pixels = false;
  else if (given_.input_format == "auto")
    options_.pixels = pictures && (inputs == nullptr || inputs->all_pictures());
  if (given_.input_format == "pixels") options_.preprocessing = how_pixels_count();
  if (given_.preprocessing.size.given() && !options_.preprocessing)
    notes_ << "nvdlac: warning: --resize and --crop say nothing where all inputs are arrays\n";
  if (takes_own_preprocessing())
    notes_ << text("nvdlac: note: ", given_.model, ": pixels become values by ",
                      own_preprocessing(), ", as with --mean ", own_preprocessing_->mean[0],
                      " --scale ", std::setprecision(9), own_preprocessing_->scale[0], '\n');
}

void preparation::note_of_model(std::vector<problem> all) const {
  for (auto& p : all) p.file = given_.model;
  tell(notes_, "note", all);
}

void preparation::tell_of_replaced_scales() const {
  const bool gives_table = !given_.scales.empty();
  if (given_.keep_scales || !(gives_table || given_.calibrates())) return;
  note_of_model(quant::replaced_scales(
      quantised_, gives_table ? given_.scales : "--calibration",
      gives_table ? "leave out --scales to keep them"
                  : "--keep-scales keeps them, and the calibration gives what they lack"));
}

void preparation::tell_of_narrowed_tensors() const {
  std::string lacking, having;
  for (const auto* t : targets_)
    if (!computes_int16(*t)) lacking += text(lacking.empty() ? "" : ", ", t->name());
  for (const auto& name : wide_) having += text(having.empty() ? "" : ", ", name);
  note_of_model(quant::narrowed_tensors(
      quantised_, options_.precision,
      lacking.empty()  ? "--precision int16 computes all of them"
      : having.empty() ? lacking + " has no int16"
                       : text(lacking, " has no int16: --precision int16 is for ", having)));
}

void preparation::doubt_pixels(const input_files* inputs) const {
  const auto& all = prepared_.integers;
  const bool floats = calibration_ && !calibration_->all_pictures();
  const auto how = how_pixels_count();
  const quant::pixel_range pixels(how);
  for (const auto n : net::input_nodes(all)) {
    const auto& input = std::get<quantised::input>(all[n].op);
    // Tells what nobody says, since `compile` and `verify` may choose otherwise.
    if (!calibration_ && given_.input_format == "auto" && !given_.preprocessing.given() &&
        !takes_own_preprocessing() && options_.precision != hw::precision::fp16) {
      if (input.pixels && inputs == nullptr)
        tell(notes_, "note",
             {{.layer = all[n].name,
               .reason = "it is read as pixels, since no calibration says otherwise",
               .remedy = "for a program that reads numbers: --input-format int8"}});
      else if (inputs != nullptr && !inputs->all_pictures() &&
               (input.shape.c == 1 || input.shape.c == 3 || input.shape.c == 4))
        tell(notes_, "note",
             {{.layer = all[n].name,
               .reason = "it is read as numbers, as the inputs are; `compile` reads pixels where "
                         "nothing says otherwise",
               .remedy = "for the program that is proved here: compile --input-format int8"}});
    }
    if (!floats || !input.pixels) continue;
    const double most = std::max(-pixels.low, pixels.high);
    const double gain = all[n].gain.empty() ? 1 : std::ranges::max(all[n].gain);
    const double reach = quantised::top_of(all[n].precision) * all[n].scale * gain;
    if (most > 2 * reach)
      warn({.layer = all[n].name,
            .reason = text("pixels become values up to ", most, " (", net::describe(how),
                           "), but the arrays of the calibration reach ", reach,
                           ": what is above it becomes the largest number"),
            .remedy = "give the preprocessing that the arrays have had: --mean and --scale"});
  }
}

const char* preparation::own_preprocessing() const {
  return own_scales_.entries.empty() ? "the rule of the model's format"
                                     : "the scale and the zero point of the model's input";
}

bool preparation::takes_own_preprocessing() const {
  const auto& p = given_.preprocessing;
  return own_preprocessing_ && p.mean.empty() && p.scale.empty();
}
net::preprocessing preparation::how_pixels_count() const {
  auto how = given_.preprocessing.how();
  if (takes_own_preprocessing()) {
    how.mean = own_preprocessing_->mean;
    how.scale = own_preprocessing_->scale;
    if (given_.preprocessing.order.empty()) how.order = own_preprocessing_->order;
  }
  return how;
}

prepared_graph preparation::prepare_with(const scale_source& scales,
                                         const compile_options& options,
                                         const dumping& dump) const {
  return prepare_on<float_graph, network_passes>(targets_, graph_, scales, options, memory_, dump);
}

void preparation::compare_for(memory_of_each<float_graph> memory) {
  memory_ = std::move(memory);
}

void preparation::choose_precisions(const scale_source& scales, hw::precision wide) {
  const auto found = in_file(given_.model, [&] {
    progress_line line("choosing precisions", is_silent(), 0, watch_);
    auto options = options_;
    options.progress = [&](std::size_t done, std::size_t all) { line(done, all); };
    return nvdlac::choose_precisions(
        graph_, std::get<quant::sample_stream>(scales), wide, most_changed(given_.prefer), options,
        [&](const scale_source& source, const compile_options& how) {
          return prepare_with(source, how, {});
        },
        [&](const quantised::graph& a, const quantised::graph& b) {
          return !targets_.empty() && std::ranges::all_of(targets_, [&](const auto* t) {
            return t->is_faster(a, b, comparing_on<float_graph>(*t, options_, memory_));
          });
        });
  });
  options_.precision = found.precisions;
  if (!options_.precision.uses(hw::precision::int8)) options_.effort = 0;
  auto words = text(hw::name_of(found.precisions.all));
  for (const auto& [layer, precision] : found.precisions.of)
    words += text(',', layer, '=', hw::name_of(precision));
  notes_ << text("nvdlac: note: ", found.wide_layers, " of ", count_of(found.layers, "layer"),
                 " in ", hw::name_of(wide), ": the first class changes for ", std::setprecision(3),
                 found.changed, " % of the calibration inputs (all in int8: ", found.narrow,
                 " %); again: --precision ", words, '\n');
}

}  // namespace nvdlac::cli
