// SPDX-License-Identifier: Apache-2.0
#include "compiled.hpp"
#include "planned.hpp"

#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

#include "float_graph.hpp"
#include "loadable_of.hpp"
#include "scratch.hpp"

using namespace nvdlac;

plan::program_data planned(const cli::target& t, const quantised::graph& g,
                           const compile_options& options) {
  return t.build(g, options);
}

compiled::compiled(const cli::target& t, const quantised::graph& g,
                   const compile_options& options)
    : target_(t), program_(t.build(g, options)),
      loadable_(cli::loadable_of(t, program_)), machine_(machine()) {}

std::vector<net::int8_tensor> compiled::infer(const std::vector<quantised::feed>& in) {
  std::vector<net::int8_tensor> result;
  for (const auto& t : infer_any(in)) result.push_back(std::get<net::int8_tensor>(t));
  return result;
}
std::vector<net::any_tensor> compiled::infer_any(const std::vector<quantised::feed>& in) {
  return machine_->infer_any(in);
}

std::size_t compiled::trace_differences(const std::vector<quantised::feed>& in) const {
  const scratch directory;
  emit::write_files(directory.path, target_.trace(program_, machine()->record(in), "network"));
  return target_.replay(runtime::read_trace(directory.path / "network.nvtrace"), {}).size();
}

std::unique_ptr<runtime::any_session> compiled::machine() const {
  return target_.simulate(runtime::load(emit::read_loadable(loadable_, {}), target_.spec(), {}), {});
}
