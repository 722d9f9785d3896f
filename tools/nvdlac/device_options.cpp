// SPDX-License-Identifier: Apache-2.0
#include "device_options.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <nvdlac/runtime/open_device.hpp>
#include <nvdlac/runtime/whole_runs.hpp>

#include "number_from.hpp"

namespace nvdlac::cli {

void device_options::add(CLI::App& sub) {
  auto* const device =
      sub.add_option(
             "--device", name,
             "Run on this NVDLA instead of the simulator: uioN or the name of a UIO device, "
             "with memory=.. and more behind commas; drm or renderDN for the public kernel "
             "driver (docs/board.md)")
          ->type_name("DEVICE");
  sub.add_option("--patience", patience,
                 "Seconds that a layer of the device may take before it counts as hung; default: "
                 "10")
      ->needs(device)->check(number_from(0.001, 86400))->type_name("SECONDS");
}

runtime::any_device device_options::open() const { return runtime::open_device(name); }

std::unique_ptr<runtime::any_session> device_options::run_on(
    const target& t, const emit::loadable_image& image, runtime::any_device on) const {
  const auto most = std::chrono::milliseconds(static_cast<std::int64_t>(patience * 1000));
  return runtime::whole_runs(t.run_on(std::move(on), image, most));
}

}  // namespace nvdlac::cli
