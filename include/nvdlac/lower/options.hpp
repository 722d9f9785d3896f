// SPDX-License-Identifier: Apache-2.0
#pragma once
// Choices of the lowering.
#include <cstdint>
#include <string_view>

#include <nvdlac/lower/batch_mode_use.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

// The step of the compiler that `compile_options::without` may name.
struct batch_mode {
  static constexpr std::string_view name = "batch_mode";
  static constexpr std::string_view description =
      "convolutions of a batch run for several pictures at once, where that is faster";
};

// Another one that `compile_options::without` may name.
struct join_siblings {
  static constexpr std::string_view name = "siblings";
  static constexpr std::string_view description =
      "convolutions that read one tensor through the same window become one, where that is faster";
};

// The step that transposes maps, which `compile_options::without` may name.
struct transpose_maps {
  static constexpr std::string_view name = "transpose_maps";
  static constexpr std::string_view description =
      "networks of tall or wide inputs have the maps of all tensors transposed in memory, where "
      "that is faster";
};

// The step that folds lines into channels, which `compile_options::without` may name.
struct fold_lines {
  static constexpr std::string_view name = "fold_lines";
  static constexpr std::string_view description =
      "convolutions of few channels read neighbouring lines as channels, where that is faster";
};

// The step that gives vectors the order of the maps that they become.
struct map_order {
  static constexpr std::string_view name = "map_order";
  static constexpr std::string_view description =
      "vectors that become maps are made in the order in which these lie in memory";
};

// The step that gives convolutions the passes for which they wait less for the memory.
struct pace_passes {
  static constexpr std::string_view name = "pace_passes";
  static constexpr std::string_view description =
      "convolutions that wait for the memory have other passes, where that is faster";
};

// How many pictures a program computes, and whether small maps of theirs are computed together.
struct batch_of {
  int pictures = 1;
  bool maps = false;
  batch_mode_use mode = batch_mode_use::off;

  constexpr bool operator==(const batch_of&) const = default;
};

// The destination of the bytes of trained values: the buffers own them; or nobody; or they are
// written to their places in an image of all weights, which is 0 before.
struct contents {
  bool owned = true;
  std::uint8_t* image = nullptr;

  static constexpr contents none() { return {false, nullptr}; }
  static constexpr contents into(std::uint8_t* image) { return {false, image}; }
  constexpr bool operator==(const contents&) const = default;
};

}  // namespace nvdlac::lower
