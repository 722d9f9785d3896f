// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration that is chosen while the program runs, as by an option --hw: the compiler and the
// simulator of each are compiled in a source of its own (hardware_of.hpp), and what works with all
// of them is compiled once.
//   const nvdlac::any_hardware& chip = name == "nv_large" ? nv_large_hardware() : ..;
//   const auto network = nvdlac::prepare_on(std::array{&chip}, graph, source, options);
//   const auto program = chip.build(network.integers, options);
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/host.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/emit/fwd.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/fwd.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/fwd.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/operators.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/fwd.hpp>
#include <nvdlac/sim/fwd.hpp>

namespace nvdlac {

struct compile_options;

// Whether something runs; `reason` is empty if it does.
struct ability {
  std::string what{}, reason{};
};
// The greatest number of an operator that runs, if there is one, and why the next one does not;
// where several hardware layers are made of larger ones, the greatest of one.
struct ability_limit {
  std::string operator_name{}, what{};
  std::optional<std::int32_t> most{}, in_one_layer{};
  std::string beyond{};
};

// `Graph` holds the float networks that it judges: a net::basic_graph, or what an application wraps
// around one, so that it can be named without its operators; hardware_of then asks
// graph_in(const Graph&) for it.
template <class Graph>
class basic_any_hardware {
 public:
  using integers = net::basic_graph<quantised::operators>;

  virtual ~basic_any_hardware() = default;
  std::string_view name() const { return name_; }
  const hw::spec& spec() const { return spec_; }

  // Its abilities: operators of `Graph`, precisions, and the limits of operators in int8.
  virtual std::vector<ability> operators() const = 0;
  virtual std::vector<ability> precisions() const = 0;
  virtual std::vector<ability_limit> limits() const = 0;

  // Questions of prepare_on about a network in float (lower/runs_on.hpp, lower/keep_scales.hpp) ..
  virtual std::vector<problem> check(const Graph&, const net::layer_precisions&,
                                     std::uint64_t most_layers) const = 0;
  virtual void keep_scales(Graph&, const net::layer_precisions&) const = 0;
  virtual bool adds_behind(const Graph&, std::size_t convolution, std::size_t sum,
                           const net::layer_precisions&) const = 0;
  // .. and in integers (lower/winograd_choice.hpp, compile.hpp).
  virtual bool is_faster_in_winograd(const quantised::convolution& direct,
                                     const quantised::pool* behind, std::span<const net::shape> in,
                                     hw::precision, const cost::memory&) const = 0;
  virtual bool is_faster(const integers&, const integers&, const compile_options&) const = 0;
  virtual quant::shifts_of_layers shifts_of_siblings(const integers&,
                                                     const compile_options&) const = 0;

  // nvdlac::build, what its host does (emit/host_steps.hpp), and the register trace of a run
  // (emit/trace.hpp).
  virtual plan::program_data build(const integers&, const compile_options&) const = 0;
  virtual std::vector<cost::host_step> host_steps(const plan::program_data&) const = 0;
  virtual std::vector<emit::file> trace(const plan::program_data&, const emit::run_record&,
                                        std::string stem) const = 0;

  // A session on the simulator or on another device, a replay of a trace, and what a loaded layer
  // writes to registers.
  virtual std::unique_ptr<runtime::any_session> simulate(runtime::loaded_program,
                                                         const sim::settings&) const = 0;
  virtual std::unique_ptr<runtime::any_session> run_on(
      runtime::any_device, const emit::loadable_image&,
      std::chrono::milliseconds patience) const = 0;
  virtual std::vector<runtime::difference> replay(const runtime::trace&,
                                                  const runtime::replay_options&) const = 0;
  virtual std::map<std::string, std::uint32_t> written_fields(const runtime::loaded_task&,
                                                              std::size_t layer) const = 0;

 protected:
  basic_any_hardware(std::string_view name, const hw::spec& spec) : name_(name), spec_(spec) {}

 private:
  std::string_view name_;
  const hw::spec& spec_;
};

// The configurations of networks without operators of the user's own.
using any_hardware = basic_any_hardware<net::basic_graph<net::standard_operators>>;

// The graph in what a basic_any_hardware takes.
template <class Operators>
net::basic_graph<Operators>& graph_in(net::basic_graph<Operators>& g) {
  return g;
}
template <class Operators>
const net::basic_graph<Operators>& graph_in(const net::basic_graph<Operators>& g) {
  return g;
}

}  // namespace nvdlac
