// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the command line needs of one configuration. Each configuration's side is compiled in a
// translation unit of its own (target_of.hpp); the subcommands know only these interfaces.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac {
struct compile_options;
}  // namespace nvdlac
namespace nvdlac::cost {
struct memory;
}  // namespace nvdlac::cost
namespace nvdlac::plan {
struct program_data;
}  // namespace nvdlac::plan
namespace nvdlac::emit {
struct file;
struct run_record;
}  // namespace nvdlac::emit
namespace nvdlac::sim {
struct settings;
}  // namespace nvdlac::sim
namespace nvdlac::quantised {
struct convolution;
struct pool;
}  // namespace nvdlac::quantised
namespace nvdlac::runtime {
struct difference;
struct replay_options;
struct trace;
}  // namespace nvdlac::runtime

namespace nvdlac::cli {

// A network in float and one in the hardware's numbers, named without their operators' headers.
struct float_graph;
struct quantised_graph;

// A loadable on the simulated hardware.
using machine = runtime::any_session;

// Whether something runs; `reason` is empty if it does.
struct answer {
  std::string what, reason;
};
// The greatest number that runs, if there is one, and why the next one does not; where several
// hardware layers are made of larger ones, the greatest of one.
struct bound {
  std::string operator_name, what;
  std::optional<std::int32_t> most{}, in_one_layer{};
  std::string beyond{};
};

class target {
 public:
  virtual ~target() = default;
  virtual std::string_view name() const = 0;
  virtual const hw::spec& spec() const = 0;
  virtual std::vector<answer> operators() const = 0;
  virtual std::vector<answer> precisions() const = 0;
  virtual std::vector<bound> limits() const = 0;
  virtual std::vector<problem> check(const float_graph&, const net::layer_precisions&) const = 0;
  virtual void keep_scales(const float_graph&) const = 0;
  virtual bool adds_behind(const float_graph&, std::size_t convolution, std::size_t sum,
                           const net::layer_precisions&) const = 0;
  virtual bool is_faster_in_winograd(const quantised::convolution& direct,
                                     const quantised::pool* behind, std::span<const net::shape> in,
                                     hw::precision, const cost::memory&) const = 0;
  // Whether the first takes fewer predicted cycles.
  virtual bool is_faster(const quantised_graph&, const quantised_graph&,
                         const compile_options&) const = 0;
  virtual quant::shifts_of_layers shifts_of_siblings(const quantised_graph&,
                                                     const compile_options&) const = 0;
  virtual plan::program_data build(const quantised_graph&, const compile_options&) const = 0;
  virtual std::vector<emit::file> trace(const plan::program_data&, const emit::run_record&,
                                        std::string stem) const = 0;
  virtual std::unique_ptr<machine> simulate(runtime::loaded_program, const sim::settings&) const = 0;
  virtual std::vector<runtime::difference> replay(const runtime::trace&,
                                              const runtime::replay_options&) const = 0;
  // What a layer of the task writes to the fields of registers, by their names, but for addresses
  // and the entries of tables; of a layer of the host nothing.
  virtual std::map<std::string, std::uint32_t> registers(const runtime::loaded_task&,
                                                         std::size_t layer) const = 0;
};

using target_list = std::span<const target* const>;

// The configurations of this tool.
target_list targets();

}  // namespace nvdlac::cli
