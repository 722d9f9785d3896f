// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration that is no type of C++: its numbers alone, which run time gives.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "target.hpp"

namespace nvdlac::python {

// Compiles for numbers that no type has, by the rules that all configurations share. The simulator
// is compiled for each configuration, and there is none of this one.
class own_configuration final : public cli::target {
 public:
  // Throws nvdlac::error for numbers that no NVDLA has.
  own_configuration(std::string name, const hw::spec&);

  std::vector<ability> operators() const override;
  std::vector<ability> precisions() const override;
  std::vector<ability_limit> limits() const override;
  std::vector<problem> check(const cli::float_graph&, const net::layer_precisions&,
                             std::uint64_t most_layers) const override;
  void keep_scales(cli::float_graph&, const net::layer_precisions&) const override;
  bool adds_behind(const cli::float_graph&, std::size_t convolution, std::size_t sum,
                   const net::layer_precisions&) const override;
  bool is_faster_in_winograd(const quantised::convolution&, const quantised::pool*,
                             std::span<const net::shape>, hw::precision,
                             const cost::memory&) const override;
  bool is_faster(const integers&, const integers&, const compile_options&) const override;
  quant::shifts_of_layers shifts_of_siblings(const integers&,
                                             const compile_options&) const override;
  plan::program_data build(const integers&, const compile_options&) const override;
  std::vector<cost::host_step> host_steps(const plan::program_data&) const override;
  std::vector<emit::file> trace(const plan::program_data&, const emit::run_record&,
                                std::string stem) const override;
  std::unique_ptr<runtime::any_session> simulate(runtime::loaded_program,
                                                 const sim::settings&) const override;
  std::unique_ptr<runtime::any_session> run_on(runtime::any_device, const emit::loadable_image&,
                                               std::chrono::milliseconds) const override;
  std::vector<runtime::difference> replay(const runtime::trace&,
                                          const runtime::replay_options&) const override;
  std::map<std::string, std::uint32_t> written_fields(const runtime::loaded_task&,
                                                      std::size_t layer) const override;

 private:
  struct numbers {
    std::string name{};
    hw::spec spec{};
  };
  explicit own_configuration(std::shared_ptr<const numbers>);

  std::shared_ptr<const numbers> numbers_;  // to which the base class refers
};

// The specification of `beside` with these members changed, by the names of hw::spec; throws
// nvdlac::error.
hw::spec changed(hw::spec, const std::vector<std::pair<std::string, std::uint32_t>>& members);
// The one in a file of NVIDIA's.
hw::spec read_spec_file(const std::string& file);

}  // namespace nvdlac::python
