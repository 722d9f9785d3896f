// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nvdlac/sim/layer_record.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::runtime {

// An expectation of a trace that did not hold.
struct difference {
  std::size_t line = 0;
  std::string what;
};

struct replay_options {
  sim::settings settings{};
  // What mem_dump writes: the name of the file, and its bytes. Without it nothing is dumped.
  std::function<void(const std::string&, std::vector<std::uint8_t>)> on_dump{};
  // What a lenient device tolerates: the line of the trace, and the broken rule.
  std::function<void(std::size_t, const std::string&)> on_warning{};
  std::function<void(const sim::layer_record&)> on_layer{};  // after each executed layer
};

}  // namespace nvdlac::runtime
