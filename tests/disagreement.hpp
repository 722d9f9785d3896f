// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the loadable on the simulator, its register trace and the exact integer reference of a
// network agree in every bit.
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "shrink.hpp"

// The fault of the network's program; empty if there is none. An nvdlac::error, that of a network
// that the hardware does not run, is thrown.
template <class Feeds>
std::string disagreement_or_refusal(const nvdlac::cli::target& hardware,
                                    const nvdlac::quantised::graph& g, const Feeds& feeds_of,
                                    const nvdlac::compile_options& options = {}) {
  using namespace nvdlac;
  try {
    compiled network(hardware, g, options);
    std::vector<quantised::feed> feeds;
    for (std::uint64_t input = 0; input < 3; ++input) {
      feeds = feeds_of(g, input);
      const auto exact = quantised::evaluate_any(
          g, std::span<const quantised::feed>(feeds), quantised::order_of(hardware.spec()));
      if (network.infer_any(feeds) != exact) return "the loadable differs from the reference";
    }
    return network.trace_differences(feeds) == 0 ? "" : "the trace differs from the loadable";
  } catch (const error&) {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  }
}

// The fault of the network's program, where a refusal is one as well; empty if there is none.
template <class Feeds>
std::string disagreement(const nvdlac::cli::target& hardware, const nvdlac::quantised::graph& g,
                         const Feeds& feeds_of, const nvdlac::compile_options& options = {}) {
  try {
    return disagreement_or_refusal(hardware, g, feeds_of, options);
  } catch (const nvdlac::error& e) {
    return e.what();
  }
}

// The smallest piece of a network that fails for this reason as the network does, as C++.
template <class Feeds>
std::string smallest_failure(const nvdlac::cli::target& hardware,
                             const nvdlac::quantised::graph& g, const Feeds& feeds_of,
                             const std::string& why) {
  return nvdlac::emit::write_cpp(
      shrinking::shrink(g, [&](const auto& smaller) {
        return disagreement(hardware, smaller, feeds_of) == why;
      }),
      {.constants = true});
}
