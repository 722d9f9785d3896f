// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configurations of this tool, each compiled in a translation unit of its own (product.cpp.in).
#include <chrono>
#include <memory>
#include <span>
#include <string_view>

#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::run_tool {

// Functions that run a loadable made for one configuration.
struct product {
  using session = std::unique_ptr<runtime::any_session>;

  std::string_view name;
  const hw::spec* spec;
  session (*simulate)(runtime::loaded_program, const sim::settings&);
  session (*run_on)(runtime::any_device, const emit::loadable_image&, std::chrono::milliseconds);
};

std::span<const product> products();

}  // namespace nvdlac::run_tool
