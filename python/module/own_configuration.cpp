// SPDX-License-Identifier: Apache-2.0
#include "own_configuration.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/hw/read_spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/standard_steps.hpp>

#include "float_graph.hpp"

namespace nvdlac::python {
namespace {

lower::target value_of(const cli::target& t) {
  return {t.spec(), t.name(), lower::compiled_rules()};
}

[[noreturn]] void refuse_lists(const cli::target& t) {
  throw error({.reason = "what '" + std::string(t.name()) + "' runs is not listed",
               .remedy = "compile for it: what it does not run is told"});
}

[[noreturn]] void refuse_simulation(const cli::target& t) {
  throw error({.reason = text("'", t.name(), "' has no simulator, which is compiled for each "
                              "configuration"),
               .remedy = "save the loadable; nvdlac_add_cli of CMake makes a command line that "
                         "simulates a configuration of your own"});
}

}  // namespace

own_configuration::own_configuration(std::string name, const hw::spec& spec)
    : own_configuration(std::make_shared<const numbers>(numbers{std::move(name), spec})) {}

own_configuration::own_configuration(std::shared_ptr<const numbers> n)
    : cli::target(n->name, n->spec), numbers_(std::move(n)) {
  hw::validate(numbers_->spec);
}

std::vector<ability> own_configuration::operators() const { refuse_lists(*this); }
std::vector<ability> own_configuration::precisions() const { refuse_lists(*this); }
std::vector<ability_limit> own_configuration::limits() const { refuse_lists(*this); }

static_assert(std::is_same_v<cli::graph, net::graph>,
              "the shared rules are of networks without operators of one's own");
std::vector<problem> own_configuration::check(const cli::float_graph& g,
                                              const net::layer_precisions& p,
                                              std::uint64_t most_layers) const {
  return lower::standard_float_rules().check(value_of(*this), g.graph, p, most_layers);
}
void own_configuration::keep_scales(cli::float_graph& g, const net::layer_precisions& p) const {
  lower::standard_float_rules().keep_scales(value_of(*this), g.graph, p);
}
bool own_configuration::adds_behind(const cli::float_graph& g, std::size_t convolution,
                                    std::size_t sum, const net::layer_precisions& p) const {
  return lower::standard_float_rules().adds_behind(value_of(*this), g.graph, convolution, sum, p);
}
bool own_configuration::is_faster_in_winograd(const quantised::convolution& direct,
                                              const quantised::pool* behind,
                                              std::span<const net::shape> in, hw::precision p,
                                              const cost::memory& m) const {
  return spec().winograd && lower::is_faster_in_winograd(value_of(*this), direct, behind, in, p, m);
}
bool own_configuration::is_faster(const integers& a, const integers& b,
                                  const compile_options& options) const {
  return choose::is_faster(value_of(*this), a, b, options);
}
quant::shifts_of_layers own_configuration::shifts_of_siblings(
    const integers& g, const compile_options& options) const {
  return choose::shared_shifts(value_of(*this), g, options);
}

plan::program_data own_configuration::build(const integers& g,
                                            const compile_options& options) const {
  return nvdlac::detail::build_standard(value_of(*this), g, options);
}

std::vector<cost::host_step> own_configuration::host_steps(const plan::program_data&) const {
  refuse_simulation(*this);
}
std::vector<emit::file> own_configuration::trace(const plan::program_data&,
                                                 const emit::run_record&, std::string) const {
  refuse_simulation(*this);
}
std::unique_ptr<runtime::any_session> own_configuration::simulate(runtime::loaded_program,
                                                                  const sim::settings&) const {
  refuse_simulation(*this);
}
std::unique_ptr<runtime::any_session> own_configuration::run_on(runtime::any_device,
                                                                const emit::loadable_image&,
                                                                std::chrono::milliseconds) const {
  refuse_simulation(*this);
}
std::vector<runtime::difference> own_configuration::replay(const runtime::trace&,
                                                           const runtime::replay_options&) const {
  refuse_simulation(*this);
}
std::map<std::string, std::uint32_t> own_configuration::written_fields(const runtime::loaded_task&,
                                                                       std::size_t) const {
  refuse_simulation(*this);
}

hw::spec changed(hw::spec s, const std::vector<std::pair<std::string, std::uint32_t>>& members) {
  std::vector<explore::range> ranges;
  for (const auto& [member, value] : members) ranges.push_back({member, {value}});
  (void)explore::combinations(s, ranges);  // which looks at the names
  return explore::combination(s, ranges, 0);
}

hw::spec read_spec_file(const std::string& file) {
  data::file_stream in(file);
  return hw::read_spec(in, file).spec;
}

}  // namespace nvdlac::python
