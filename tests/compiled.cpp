// SPDX-License-Identifier: Apache-2.0
#include "compiled.hpp"
#include "planned.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/drm.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/uio.hpp>

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
      loadable_(cli::loadable_of(t, program_)), machine_(on_board()) {}

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
  emit::write_files(directory.path, target_.trace(program_, machine(0)->record(in), "network"));
  return target_.replay(runtime::read_trace(directory.path / "network.nvtrace"), {}).size();
}

namespace {

// Opens one of the simulated board's UIO devices that no other network has.
std::unique_ptr<runtime::any_session> on_free_device(const cli::target& t,
                                                     const emit::loadable_image& image) {
  for (int i = 0;; ++i) try {
      return t.run_on(runtime::uio(text("uio", i, ",memory=udmabuf", i)), image,
                      std::chrono::minutes(10));
    } catch (const error& e) {
      if (e.problems().front().reason.find("is in use") == std::string::npos) throw;
    }
}

}  // namespace

// NVDLAC_TEST_DEVICE names a device that takes the place of the simulator for what it has: behind
// the kernel driver of drm_shim, or "uio", those of the board of NVDLAC_SHIM, as
// "nv_small,devices=8".
std::unique_ptr<runtime::any_session> compiled::on_board() const {
  const char* const device = std::getenv("NVDLAC_TEST_DEVICE");
  const char* const board = std::getenv("NVDLAC_SHIM");
  const auto image = emit::read_loadable(loadable_, {});
  const auto in_sram = [](const auto& m) { return m.domain == emit::loadable_code::sram; };
  const bool has_driver = target_.name() == "nv_small" || target_.name() == "nv_large";
  if (device == nullptr || !has_driver || std::ranges::any_of(image.memories, in_sram))
    return machine(0xff);
  if (std::string_view(device) == "uio") {
    const std::string_view has = board == nullptr ? "nv_small" : board;
    return has.starts_with(target_.name()) ? on_free_device(target_, image) : machine(0xff);
  }
  ::setenv("NVDLAC_DRM_CONFIG", std::string(target_.name()).c_str(), 1);
  return target_.run_on(runtime::drm(device), image, std::chrono::minutes(10));
}

std::unique_ptr<runtime::any_session> compiled::machine(std::uint8_t unwritten) const {
  return target_.simulate(runtime::load(emit::read_loadable(loadable_, {}), target_.spec()),
                          {.unwritten = unwritten});
}
