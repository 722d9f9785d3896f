// SPDX-License-Identifier: Apache-2.0
#pragma once
// The definitions of the products, the chips and `compile`, which product.hpp declares.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/data/sources.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/option_words.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/quant/doubts.hpp>
#include <nvdlac/quant/named_scales.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/host_layers.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/sim/rule.hpp>
#include <nvdlac/standard_steps.hpp>
#include <nvdlac/verify/reference.hpp>
#include <nvdlac/verify_definitions.hpp>

namespace nvdlac {

namespace detail {

// On the simulator, whose memory is full of NaN.
template <hw::hardware Hw>
chip<Hw> simulated_chip(std::span<const std::uint8_t> loadable, const std::string& file,
                        const budget& limits, const host::registry& host = host::standard()) {
  auto settings = sim::settings::limited_by(limits);
  settings.unwritten = 0xff;
  return chip<Hw>(std::make_unique<runtime::session<Hw>>(loadable, file, settings, host), limits);
}
template <hw::hardware Hw>
chip<Hw> chip_on(const emit::loadable_image& image, runtime::any_device device,
                 const budget& limits, const host::registry& host = host::standard()) {
  using session = runtime::session<Hw, runtime::any_device>;
  return chip<Hw>(std::make_unique<session>(image, std::move(device), host), limits);
}

}  // namespace detail

template <hw::hardware Hw>
struct chip<Hw>::state {
  state(std::unique_ptr<runtime::any_session> on, const budget& given)
      : session(std::move(on)), limits(given) {}

  std::unique_ptr<runtime::any_session> session;
  budget limits;

  result result_of(std::string name, std::vector<data::array> arrays) const {
    result r{.name = std::move(name)};
    const auto outputs = net::outputs_of_file(session->outputs());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      r.outputs.push_back({std::string(outputs[i].form.name), std::move(arrays.at(i))});
    return r;
  }
};

template <hw::hardware Hw>
chip<Hw>::chip(std::span<const std::uint8_t> loadable, const std::string& file,
               const budget& limits)
    : chip(detail::simulated_chip<Hw>(loadable, file, limits)) {}
template <hw::hardware Hw>
chip<Hw>::chip(std::unique_ptr<runtime::any_session> on, const budget& limits)
    : state_(new state(std::move(on), limits)) {
  if (!state_->session) throw error("a chip needs a session");
}
template <hw::hardware Hw>
chip<Hw>::chip(chip&&) noexcept = default;
template <hw::hardware Hw>
chip<Hw>& chip<Hw>::operator=(chip&&) noexcept = default;
template <hw::hardware Hw>
chip<Hw>::~chip() = default;

template <hw::hardware Hw>
runtime::any_session& chip<Hw>::session() {
  return *state_->session;
}
template <hw::hardware Hw>
const budget& chip<Hw>::limits() const {
  return state_->limits;
}

template <hw::hardware Hw>
void chip<Hw>::run(const pictures& inputs, const std::function<void(const result&)>& visit) {
  if (!visit) throw error("the results need a function that takes them");
  const auto& bindings = session().inputs();
  const auto wanted = runtime::wanted_by(bindings, inputs, limits().samples);
  const data::input_files files(data::paths_of(inputs, wanted), wanted);
  if (!inputs.how) runtime::check_preprocessing(files, bindings);
  files.each([&](data::input_set&& set) {
    const auto tensors = session().infer_any(runtime::feeds_of(set, bindings));
    visit(state_->result_of(set.name, runtime::arrays_of(session().outputs(), tensors)));
  });
}

template <hw::hardware Hw>
result chip<Hw>::run(const std::filesystem::path& file) {
  std::vector<result> all;
  run(pictures(file), [&](const result& r) {
    all.push_back(r);
    if (all.size() > 1)
      throw error({.file = file.string(), .reason = "holds more than one input",
                   .remedy = "run(pictures(FILE), visit) runs them all"});
  });
  return std::move(all.front());
}

template <hw::hardware Hw>
result chip<Hw>::run(std::span<const net::float_tensor> inputs) {
  return state_->result_of({}, runtime::infer(session(), inputs));
}
template <hw::hardware Hw>
result chip<Hw>::run(const net::float_tensor& input) {
  return run(std::span(&input, 1));
}

template <hw::hardware Hw>
chip<Hw> load(const std::filesystem::path& file, const budget& limits) {
  return in_file(file.string(),
                 [&] { return chip<Hw>(data::read_file(file), file.string(), limits); });
}

template <hw::hardware Hw>
chip<Hw> load(const std::filesystem::path& file, runtime::any_device device,
              const budget& limits) {
  return in_file(file.string(), [&] {
    return detail::chip_on<Hw>(emit::read_loadable(data::read_file(file), file.string()),
                               std::move(device), limits);
  });
}

template <hw::hardware Hw, class Prepared>
struct product<Hw, Prepared>::state {
  Prepared network;
  plan::program<Hw> program;
  std::vector<problem> notes{};
  std::vector<std::filesystem::path> read{};
  float_network reference{};
  std::shared_ptr<const emit::provenance> made_from{};
  budget limits{};
  std::optional<chip<Hw>> simulated{};
};

template <hw::hardware Hw, class Prepared>
product<Hw, Prepared>::product(Prepared network, plan::program<Hw> program,
                               std::vector<problem> notes, std::vector<std::filesystem::path> read,
                                float_network reference,
                                std::shared_ptr<const emit::provenance> made_from,
                                const budget& limits)
    : state_(new state{std::move(network), std::move(program), std::move(notes), std::move(read),
                       std::move(reference), std::move(made_from), limits}) {
  if (!state_->made_from) state_->made_from = std::make_shared<const emit::provenance>();
}
template <hw::hardware Hw, class Prepared>
product<Hw, Prepared>::product(product&&) noexcept = default;
template <hw::hardware Hw, class Prepared>
product<Hw, Prepared>& product<Hw, Prepared>::operator=(product&&) noexcept = default;
template <hw::hardware Hw, class Prepared>
product<Hw, Prepared>::~product() = default;

template <hw::hardware Hw, class Prepared>
const plan::program<Hw>& product<Hw, Prepared>::program() const {
  return state_->program;
}
template <hw::hardware Hw, class Prepared>
const Prepared& product<Hw, Prepared>::network() const {
  return state_->network;
}
template <hw::hardware Hw, class Prepared>
const std::vector<problem>& product<Hw, Prepared>::notes() const {
  return state_->notes;
}
template <hw::hardware Hw, class Prepared>
const float_network& product<Hw, Prepared>::reference() const {
  return state_->reference;
}
template <hw::hardware Hw, class Prepared>
const emit::provenance& product<Hw, Prepared>::made_from() const {
  return *state_->made_from;
}
template <hw::hardware Hw, class Prepared>
std::uint64_t product<Hw, Prepared>::cycles() const {
  return cost::cycles(program()).totals.cycles;
}
template <hw::hardware Hw, class Prepared>
std::vector<std::uint8_t> product<Hw, Prepared>::loadable() const {
  return emit::loadable_bytes(program(), hw::name<Hw>(), Hw::spec, made_from());
}

template <hw::hardware Hw, class Prepared>
void product<Hw, Prepared>::save(const std::filesystem::path& file) const {
  emit::file_identity there{}, other{};
  for (const auto& path : state_->read)
    if (emit::find_file(path, other) && emit::find_file(file, there) && other == there)
      throw error({.file = file.string(),
                   .reason = "is '" + path.string() + "', from which the product was made",
                   .remedy = "name another file"});
  emit::write_file(file, loadable());
}

template <hw::hardware Hw, class Prepared>
chip<Hw>& product<Hw, Prepared>::on_chip() const {
  if (!state_->simulated)
    state_->simulated = detail::simulated_chip<Hw>(
        loadable(), {}, state_->limits, runtime::host_layers_of(network().integers));
  return *state_->simulated;
}

template <hw::hardware Hw, class Prepared>
chip<Hw> product<Hw, Prepared>::on(runtime::any_device device) const {
  return detail::chip_on<Hw>(emit::read_loadable(loadable()), std::move(device), state_->limits,
                             runtime::host_layers_of(network().integers));
}

namespace detail {

// Where the scales of a model come from, and how its pixels become values.
template <class Own>
struct model_source {
  model_source(const model_source&) = delete;
  model_source& operator=(const model_source&) = delete;
  model_source(const import::basic_network<Own>& m, const pictures& from,
               std::span<const sample> ready, const compile_options& given, bool needs_scales)
      : model(m), samples(ready), options(given) {
    options.known = quant::named_by_tensor(std::move(options.known), m.tensors);
    if (from.how && given.preprocessing)
      throw error("the preprocessing is given twice: with the pictures and in compile_options");
    const bool from_files = !from.entries().empty(), calibrated = from_files || !ready.empty();
    if (calibrated && !m.scales.entries.empty())
      throw error({.reason = text("the model is quantised: pictures would put other scales in "
                                  "place of those of its ",
                                  count_of(m.scales.entries.size(), "tensor")),
                   .remedy = "leave out the pictures, empty the model's `scales`, or move them to "
                             "compile_options::known, which a calibration completes"});
    if (!calibrated && m.scales.entries.empty() && needs_scales)
      throw error(problem{.reason = "no scales: the range of its tensors is not known",
                          .remedy = "give pictures(\"DIRECTORY\") with some dozens of typical "
                                    "inputs, and their preprocessing as in training"});
    auto how = from.how ? from.how : given.preprocessing ? given.preprocessing : m.preprocessing;
    if (from_files) {
      wanted = data::inputs_of(m.graph, {how.value_or(net::preprocessing{}), from.layout, {},
                                       given.limits.samples});
      files.emplace(data::paths_of(from, wanted), wanted);
    }
    // Floats that are taken as they are say nothing about pixels.
    const bool all_pictures =
        files ? files->all_pictures() : ready.empty() || given.preprocessing.has_value();
    if (all_pictures && !how) how.emplace();
    options.preprocessing = how;
    options.pixels = given.pixels && all_pictures && !(given.precision == hw::precision::fp16);
    if (options.network == compile_options{}.network && !m.file.empty())
      options.network = m.file.stem().string();
  }

  scale_source scales() {
    if (!model.scales.entries.empty()) return model.scales;
    if (!files) {
      for (const auto& sample : samples) calibration.add(sample);
      return samples;
    }
    return quant::sample_stream{files->size(), [this](const auto& visit) {
      calibration.begin();
      files->each([&](data::input_set&& set) {
        auto tensors = data::tensors_of(std::move(set), wanted);
        calibration.add(tensors);
        visit(std::move(tensors));
      });
    }};
  }

  const import::basic_network<Own>& model;
  std::span<const sample> samples;
  compile_options options;
  std::vector<data::wanted_input> wanted{};
  std::optional<data::input_files> files{};
  data::calibration_source calibration{};  // what was seen of it
};

// Returns what the product of a model is made from, once it is quantised; `own` names what the user
// has of his own.
template <hw::hardware Hw, class Model, class Own>
emit::provenance made_from(const Model& from, const model_source<Own>& source,
                           const compile_options& given, std::vector<std::string> own) {
  const auto* const read_from = from.read_from();
  auto p = read_from != nullptr ? *read_from : emit::provenance{};
  p.version = version;
  if (const auto seen = source.calibration.seen()) p.sources.push_back(*seen);
  auto words = words_of(given);
  for (const auto& option : p.options) words.emplace_back(option.view());
  words.push_back("--config=" + std::string(hw::name<Hw>()));
  if (read_from == nullptr) words.emplace_back("own network");
  std::ranges::move(own, std::back_inserter(words));
  std::ranges::stable_sort(words, {},
                           [](const std::string& w) { return w.substr(0, w.find('=')); });
  p.options.assign(words.begin(), words.end());
  return p;
}

// The remarks of a model before it is compiled.
template <hw::hardware Hw, class Own>
std::vector<problem> notes_of(const import::basic_network<Own>& m, const compile_options& given) {
  auto notes = m.notes;
  constexpr bool is_wide = Hw::spec.data_types.has(hw::precision::int16);
  for (auto& p : quant::narrowed_tensors(m.quantised, given.precision,
                                         is_wide ? "compile_options::precision = int16"
                                                 : "this configuration has no int16")) {
    p.file = m.file.string();
    notes.push_back(std::move(p));
  }
  if (m.batch > 1 && given.batch == 1)
    notes.push_back({.file = m.file.string(),
                     .reason = text("the model is for batches of ", m.batch,
                                    "; the program computes one picture at a time"),
                     .remedy = text("compile_options::batch = ", m.batch)});
  return notes;
}

// The product of a model by the steps of `Steps`; `own` names what of them the user has made.
template <hw::hardware Hw, class Steps, class Own>
auto compile_by(const basic_model<import::basic_network<Own>>& from, const pictures& calibration,
                const compile_options& given, std::span<const sample> samples,
                std::vector<std::string> own = {}) {
  const auto& m = *from;
  return in_file(m.file.string(), [&] {
    model_source source(m, calibration, samples, given,
                        Steps::needs_scales(m.graph, given.precision));
    auto notes = notes_of<Hw>(m, given);
    source.options.warn = [&](const problem& p) {
      notes.push_back(p);
      if (given.warn) given.warn(p);
    };
    source.options.proposing = [&](const error& e) {
      return import::with_cut(e, import::cut_around(m.nodes, e));
    };
    auto network = Steps::prepare(m.graph, source.scales(), source.options);
    auto program = Steps::build(network.integers, source.options);
    auto read = m.external;
    if (!m.file.empty()) read.push_back(m.file);
    for (const auto& e : calibration.entries()) {
      const bool directory = std::filesystem::is_directory(e.path);
      if (!directory) read.push_back(e.path);
      else
        for (auto& file : data::inputs_in(e.path)) read.push_back(std::move(file.path));
    }
    for (auto& path : read) path = std::filesystem::absolute(path);  // from where it was read
    auto with = given;  // and the preprocessing of its pictures
    if (calibration.how) with.preprocessing = calibration.how;
    if (calibration.layout == data::array_layout::chw) own.emplace_back("--layout=chw");
    if (calibration.layout == data::array_layout::hwc) own.emplace_back("--layout=hwc");
    return product<Hw, decltype(network)>(
        std::move(network), std::move(program), std::move(notes), std::move(read),
        [held = from.shared()](std::span<const net::float_tensor> inputs) {
          return verification::outputs_in_file(held->graph, inputs);
        },
        std::make_shared<const emit::provenance>(
            made_from<Hw>(from, source, with, std::move(own))),
        given.limits);
  });
}

}  // namespace detail

template <hw::hardware Hw>
product<Hw> detail::compile_as_usual(const model& m, const pictures& calibration) {
  return compile<Hw>(m, calibration, {});
}
template <hw::hardware Hw>
product<Hw> compile(const model& m, const pictures& calibration, const compile_options& options) {
  return detail::compile_by<Hw, standard_steps<Hw>>(m, calibration, options, {});
}
template <hw::hardware Hw>
product<Hw> compile(const model& m, const compile_options& options) {
  return compile<Hw>(m, pictures(), options);
}
template <hw::hardware Hw>
product<Hw> compile(const model& m, sample_list samples, const compile_options& options) {
  return detail::compile_by<Hw, standard_steps<Hw>>(m, {}, options, samples);
}

}  // namespace nvdlac

// Instantiates compiler, emitter and simulator of one configuration, which is legal. It stands
// outside of all namespaces.
#define NVDLAC_PRODUCT(...)                                                                     \
  static_assert(nvdlac::hw::validated<__VA_ARGS__>);                                            \
  namespace nvdlac {                                                                            \
  template class chip<__VA_ARGS__>;                                                             \
  template class product<__VA_ARGS__>;                                                          \
  template chip<__VA_ARGS__> load(const std::filesystem::path&, const budget&);                 \
  template chip<__VA_ARGS__> load(const std::filesystem::path&, runtime::any_device,            \
                               const budget&);                                                  \
  template product<__VA_ARGS__> detail::compile_as_usual(const model&, const pictures&);        \
  template product<__VA_ARGS__> compile(const model&, const pictures&, const compile_options&); \
  template product<__VA_ARGS__> compile(const model&, const compile_options&);                  \
  template product<__VA_ARGS__> compile(const model&, sample_list, const compile_options&);     \
  template verification::report verify(const product<__VA_ARGS__>&, const pictures&,            \
                                       const verify_options&);                                  \
  template verification::report verify(const product<__VA_ARGS__>&, sample_list,                \
                                       const verify_options&);                                  \
  template verification::report verify(const product<__VA_ARGS__>&, chip<__VA_ARGS__>&,         \
                                       const pictures&, const verify_options&);                 \
  template verification::report verify(const product<__VA_ARGS__>&, chip<__VA_ARGS__>&,         \
                                       sample_list, const verify_options&);                     \
  }
