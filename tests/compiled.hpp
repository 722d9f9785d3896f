// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network as the command line's compiler makes it, on the command line's simulator.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/any_session.hpp>

#include "hardware.hpp"

class compiled {
 public:
  compiled(const nvdlac::cli::target&, const nvdlac::quantised::graph&,
           const nvdlac::compile_options& = {});

  const nvdlac::plan::program_data& program() const { return program_; }
  const std::vector<std::uint8_t>& loadable() const { return loadable_; }
  // The outputs that the loadable computes.
  std::vector<nvdlac::net::int8_tensor> infer(const std::vector<nvdlac::quantised::feed>&);
  std::vector<nvdlac::net::any_tensor> infer_any(const std::vector<nvdlac::quantised::feed>&);
  // The differences that a replay of the register trace finds to a run of the loadable.
  std::size_t trace_differences(const std::vector<nvdlac::quantised::feed>&) const;

 private:
  // With a memory of such bytes, as 0xff are NaN of fp16.
  std::unique_ptr<nvdlac::runtime::any_session> machine(std::uint8_t unwritten) const;
  std::unique_ptr<nvdlac::runtime::any_session> on_board() const;  // or that, where there is none

  const nvdlac::cli::target& target_;
  nvdlac::plan::program_data program_;
  std::vector<std::uint8_t> loadable_;
  std::unique_ptr<nvdlac::runtime::any_session> machine_;
};
