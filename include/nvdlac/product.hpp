// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/pictures.hpp>
#include <nvdlac/emit/fwd.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/import/fwd.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/network_nodes.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/fwd.hpp>
#include <nvdlac/runtime/fwd.hpp>

namespace nvdlac {

// The results of a network for one input: its outputs, with the names, shapes and order of
// elements of the model's file.
struct result {
  struct output {
    std::string name{};
    data::array values{};
    bool operator==(const output&) const = default;
  };

  std::string name{};  // of the input: "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<output> outputs{};
  bool operator==(const result&) const = default;

  const data::array& operator[](std::string_view wanted) const& {
    std::string names;
    for (const auto& o : outputs) {
      if (o.name == wanted) return o.values;
      names += (names.empty() ? "" : ", ") + o.name;
    }
    throw error({.layer = std::string(wanted), .reason = "is no output of the network",
                 .remedy = "its outputs are " + names});
  }
  // The output of a network that has one.
  const data::array& only() const& {
    if (outputs.size() != 1)
      throw error({.reason = text("the network has ", count_of(outputs.size(), "output"),
                                  ", not one"),
                   .remedy = "name an output: result[\"NAME\"]"});
    return outputs[0].values;
  }
  // The outputs of a result that nobody keeps are values: a loop over them outlives it.
  data::array operator[](std::string_view wanted) && { return std::as_const(*this)[wanted]; }
  data::array only() && { return std::as_const(*this).only(); }
  // The class with the greatest value, of equal ones the first; `top(n)` the n greatest.
  std::size_t top1() const {
    const auto first = data::best(only(), 1);
    if (first.empty()) throw error("the output has no value");
    return first[0];
  }
  std::vector<std::size_t> top(std::size_t n) const { return data::best(only(), n); }
};

// A network on one NVDLA in few words: read, compile, save, run. This header only declares, so that
// it costs little; what it declares is defined by src.hpp, which one source of a program includes,
// or in the library that CMake's nvdlac_add_product makes of it.
//
// A model is never changed: several threads may compile it at once. A product and a chip are one
// thread's at a time, each product or chip another's. One that is moved from can only be assigned
// to or destroyed.

struct prepared_network;

// The contents of a file: the graph and, if it is quantised, its own scales; its batch, the
// preprocessing of its inputs, notes. Copies share it. Another graph or other scales make another
// model: `auto n = *model; n.scales = {}; compile<Hw>(nvdlac::model(n), ..)` calibrates anew.
template <class Network>
class basic_model {
 public:
  // `read_from`: its files, for the notes of loadables.
  explicit basic_model(Network n, std::shared_ptr<const emit::provenance> read_from = {})
      : held_(std::make_shared<const Network>(std::move(n))), read_from_(std::move(read_from)) {}
  // A network written in C++, with its trained values.
  template <class... Nodes>
  explicit basic_model(const net::network<Nodes...>& network, const net::parameters& values = {})
      : basic_model(net::nodes_of<net::standard_operators>(network, values)) {}
  const Network& operator*() const { return *held_; }
  const Network* operator->() const { return held_.get(); }
  const std::shared_ptr<const Network>& shared() const { return held_; }
  // The files that it was read from, and the options of the command line that read it so; nullptr
  // for a graph that is from no file.
  const emit::provenance* read_from() const { return read_from_.get(); }

 private:
  explicit basic_model(std::vector<net::network_node> nodes);

  std::shared_ptr<const Network> held_;
  std::shared_ptr<const emit::provenance> read_from_;
};
using model = basic_model<import::network>;

// Reads an ONNX or TensorFlow Lite file, a TensorFlow graph or SavedModel, a Keras model, or a
// Caffe prototxt or a Darknet cfg with its weights, and what further readers that the program
// includes read (<nvdlac/import/pytorch.hpp>); the kind is found by the content. With operators of
// the user's own in an ONNX file, Network is import::network_with<tint, ..>. `limits` is what the
// file may cost. Throws nvdlac::error with all problems.
template <class Network = import::network>
basic_model<Network> read(const std::filesystem::path& file,
                          const import::weight_source& weights = {}, const budget& limits = {});

// An NVDLA with a loadable in it: a simulated one, or a board's.
template <hw::hardware Hw>
class chip {
 public:
  // `file` is for messages; `limits`: what a run on the simulator and a picture may cost.
  explicit chip(std::span<const std::uint8_t> loadable, const std::string& file = {},
                const budget& limits = {});
  explicit chip(std::unique_ptr<runtime::any_session> on, const budget& limits = {});
  chip(chip&&) noexcept;
  chip& operator=(chip&&) noexcept;
  ~chip();

  // The one input in a file, preprocessed as the network was compiled for.
  result run(const std::filesystem::path& file);
  // Real values, preprocessed, of the inputs in the order of the network's. Where the program reads
  // the bytes of a picture, they are the nearest ones.
  result run(const net::float_tensor& input);
  result run(std::span<const net::float_tensor> inputs);
  // All inputs in the files, one after the other.
  void run(const pictures& inputs, const std::function<void(const result&)>& visit);

  // Inputs and outputs in the program's own numbers: <nvdlac/runtime/any_session.hpp>.
  runtime::any_session& session();
  const budget& limits() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The chip with the loadable in a file.
template <hw::hardware Hw>
chip<Hw> load(const std::filesystem::path& file, const budget& limits = {});
// On a board: `load<nv_small>("digits.nvdla", runtime::uio("uio0"))`, with
// <nvdlac/runtime/uio.hpp>, drm.hpp or a device of the user's own (runtime/device.hpp).
template <hw::hardware Hw>
chip<Hw> load(const std::filesystem::path& file, runtime::any_device device,
              const budget& limits = {});

// A float network as its model has it: outputs for inputs, in the order and the shapes of the file.
using float_network = std::function<std::vector<data::array>(std::span<const net::float_tensor>)>;

// A network that is compiled for one NVDLA. `Prepared` is another only where the network has
// operators of the user's own.
template <hw::hardware Hw, class Prepared = prepared_network>
class product {
 public:
  // `notes`: see below; `read`: the files that it was made from; `reference`: see below;
  // `made_from`: what the notes of its loadable tell; `limits`: those of its chip.
  product(Prepared, plan::program<Hw>, std::vector<problem> notes = {},
          std::vector<std::filesystem::path> read = {}, float_network reference = {},
          std::shared_ptr<const emit::provenance> made_from = {}, const budget& limits = {});
  product(product&&) noexcept;
  product& operator=(product&&) noexcept;
  ~product();

  // Layers, memory, dependencies: what emit, report and runtime take.
  const plan::program<Hw>& program() const;
  // The graph after the passes, the scales, the integers.
  const Prepared& network() const;
  // The network in front of all passes, which verify.hpp compares with; empty if it is not known.
  const float_network& reference() const;
  // Remarks that are no errors, but should be known: what is not as the model's file has it,
  // and what casts doubt on the results.
  const std::vector<problem>& notes() const;
  // Predicted cycles of NVDLA's clock for one run, with the memory that the configuration was
  // made for; cost/cycles.hpp takes other memories, and tells it of each layer.
  std::uint64_t cycles() const;

  // Its provenance (emit/provenance.hpp), as `nvdlac inspect --provenance` shows it of its
  // loadable. What begins with "own" in its options is the user's, which `nvdlac reproduce` has
  // not.
  const emit::provenance& made_from() const;

  std::vector<std::uint8_t> loadable() const;
  // Writes the loadable, whole or not at all, and not over a file that the product was made from.
  void save(const std::filesystem::path& file) const;

  // On the simulated chip, which is made when it is first needed. The host computes the layers that
  // the network was compiled with, those of the user's own among them.
  result run(const std::filesystem::path& file) const { return on_chip().run(file); }
  result run(const net::float_tensor& input) const { return on_chip().run(input); }
  result run(std::span<const net::float_tensor> inputs) const { return on_chip().run(inputs); }
  void run(const pictures& inputs, const std::function<void(const result&)>& visit) const {
    on_chip().run(inputs, visit);
  }
  chip<Hw>& on_chip() const;
  // On another device, such as a board: `product.on(runtime::uio("uio0"))`.
  chip<Hw> on(runtime::any_device device) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

namespace detail {

// With options as they are by default.
template <hw::hardware Hw>
product<Hw> compile_as_usual(const model&, const pictures& calibration);

}  // namespace detail

// A model for one NVDLA. A model that is not quantised is calibrated with typical inputs; of one
// that is, its own scales count. Throws nvdlac::error for what is wrong with the files, and for
// what cannot run on Hw. compile<Hw, Passes, Policy>(..), with passes of the user's own and what
// chooses the schedule, and compile<Hw>(..) of a model with operators of his own are in
// product_definitions.hpp.
template <hw::hardware Hw>
product<Hw> compile(const model&, const compile_options& = {});
template <hw::hardware Hw>
product<Hw> compile(const model&, const pictures& calibration, const compile_options&);
template <hw::hardware Hw, std::same_as<pictures> Pictures>
product<Hw> compile(const model& m, const Pictures& calibration) {
  return detail::compile_as_usual<Hw>(m, calibration);
}
// Calibrated with inputs that are there already, preprocessed.
template <hw::hardware Hw>
product<Hw> compile(const model&, sample_list calibration, const compile_options& = {});

}  // namespace nvdlac
