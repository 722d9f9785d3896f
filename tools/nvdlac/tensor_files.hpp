// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors of one run as files of a directory: FILE.bin as memory holds them, FILE.npy as
// numbers, FILE.real.npy as real numbers where their scale is known, index.json about all of them.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/input.hpp>

#include "outputs.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// What a run has in memory: an input, or the cube that a layer wrote.
struct run_tensor {
  std::string file{};   // without an extension
  std::string layer{};  // or the name of the input
  bool input = false, picture = false;  // pixels are bytes [height][line stride], no feature cube
  layer::surface surface{};  // of `bytes`, from the first on
  std::uint64_t address = 0;
  std::optional<plan::numbering> numbers{};  // scale 1 of fp16; nothing where it is unknown
  std::vector<std::uint8_t> bytes{};
};

// Runs the program: its inputs, then what each layer wrote, in the order in which they ended.
std::vector<run_tensor> tensors_of_run(machine&, const std::vector<quantised::feed>&);

// The elements in c-h-w order; not of a picture. Throws `error` if there are too few bytes.
net::any_tensor numbers_of(const run_tensor&, std::span<const std::uint8_t> bytes,
                           std::uint32_t atom);

// The directory of the option `flag` is made if there is none.
void plan_tensors(output_set&, std::string_view flag, const std::filesystem::path& directory);
void add_tensors(output_set&, std::string_view flag, const std::filesystem::path& directory,
                 const target&, const std::vector<run_tensor>&);

}  // namespace nvdlac::cli
