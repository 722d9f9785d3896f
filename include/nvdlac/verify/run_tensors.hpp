// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors of one run as memory holds them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::verification {

// An input of a run, or the cube that a layer wrote.
struct run_tensor {
  std::string file{};   // the name of its dump without an extension
  std::string layer{};  // or the name of the input
  std::size_t task = 0, operation = 0;  // of a cube
  bool input = false, picture = false;  // pixels are bytes [height][line stride], no feature cube
  layer::surface surface{};  // of `bytes`, from the first on
  std::uint64_t address = 0;
  std::optional<plan::numbering> numbers{};  // scale 1 of fp16; nothing where it is unknown
  std::vector<std::uint8_t> bytes{};
};

namespace detail {

// The number makes it unique, so that a long name can be cut.
std::string file_of(std::string_view number, std::string_view name);

}  // namespace detail

// Runs the program: its inputs, then what each layer wrote, in the order in which they ended.
std::vector<run_tensor> tensors_of_run(runtime::any_session& on,
                                       const std::vector<quantised::feed>& feeds);

// The elements of a tensor in c-h-w order; not of a picture. Throws nvdlac::error if there are too
// few bytes.
net::any_tensor numbers_of(const run_tensor& t, std::span<const std::uint8_t> bytes,
                           nvdlac::bytes atom);

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/run_tensors.ipp>
#endif
