// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::verification {

// A tensor of a run that a device has otherwise than the simulator.
struct disagreement {
  std::string layer{};     // or the name of the input
  std::string file{};      // of the dump: "3-0_conv1.bin"
  bool input = false;      // the device was given something else
  bool picture = false;    // it is compared by bytes, not by elements
  net::shape shape{};
  hw::precision precision{};
  std::size_t number = 0;  // of the tensor in the order of the run, from 1
  std::size_t count = 0, of = 0;  // elements, or bytes of a picture: different ones, all
  std::size_t element = 0;        // the first that differs, in c-h-w order, or a picture's byte
  std::string expected{}, found{};  // its values; of fp16 with the bits: "0.5 (0x3800)"
  std::string cause{};              // that the bytes speak for, if they do
  // Settings that the program writes to the layer's registers.
  std::vector<runtime::register_setting> registers{};
};

// The first tensor that differs where layers run one at a time, by its number from 1 and its layer;
// 0: none does.
struct single_layers {
  std::size_t number = 0;
  std::string layer{};
};

// The first layer at which a device and the simulator disagree, if there is one.
struct location {
  std::optional<disagreement> first{};
  std::size_t tensors = 0;   // of the run
  std::size_t compared = 0;  // up to the first disagreement
  std::size_t without = 0;   // those before it of which there is no dump
  std::size_t runs = 1;      // of the device, the last of which it is
  // Known where something differs and the driver lets layers run one by one.
  std::optional<single_layers> alone{};
};

}  // namespace nvdlac::verification
