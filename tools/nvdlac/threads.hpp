// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <CLI/CLI.hpp>

namespace nvdlac::cli {

// --threads N: how many threads compute a convolution.
inline void add_threads(CLI::App& app, std::uint32_t& threads) {
  app.add_option("--threads", threads, "Compute with so many threads; the results are the same")
      ->check(CLI::Range(1u, 256u))->type_name("N");
}

}  // namespace nvdlac::cli
