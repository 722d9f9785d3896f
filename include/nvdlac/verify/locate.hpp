// SPDX-License-Identifier: Apache-2.0
#pragma once
// The search for the first layer at which a device and the simulator disagree.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/verify/location.hpp>
#include <nvdlac/verify/run_tensors.hpp>

namespace nvdlac::verification {
namespace detail {

void compare_pixels(const run_tensor& t, const std::vector<std::uint8_t>& found, disagreement& d);

// Elements alone: what is between lines and behind the last channel is nobody's.
void compare_cubes(const run_tensor& t, const std::vector<std::uint8_t>& found, bytes atom,
                   disagreement& d);

// The bytes of a cube's elements, and 0 between them, where memory is other tensors'.
std::vector<std::uint8_t> elements_of(const run_tensor& t, std::span<const std::uint8_t> memory,
                                      bytes atom);

// Tells what the elements that a device has of a tensor say of the cause; empty: nothing.
std::string cause_of(const run_tensor& t, std::span<const std::uint8_t> memory, bytes atom);

location with_registers(location l, const std::vector<run_tensor>& run,
                        const runtime::any_session& of);

}  // namespace detail

// The bytes that a device has of a tensor, at least as many as `run_tensor::bytes`; nothing where
// they are not known.
using device_memory = std::function<std::optional<std::vector<std::uint8_t>>(const run_tensor&)>;

// Compares the tensors of a run of the simulator, in their order, with what a device has of them,
// up to the first that differs. `atom` is that of the configuration.
location locate(const std::vector<run_tensor>& run, bytes atom, const device_memory& on_device);

// Runs a program on the simulator and on a device, and compares what their layers have written; on
// the device up to so many times until something differs, since a fault may come and go.
location locate(runtime::any_session& simulator, runtime::any_session& device,
                const std::vector<quantised::feed>& feeds, bytes atom, std::size_t most_runs = 1);

// Throws nvdlac::error where there is no such directory.
void check_directory(const std::filesystem::path& directory);

// Runs a program on the simulator, and compares with dumps in a directory, which are called as
// `nvdlac run --save-tensors` calls them (FILE.bin) and are as long as the tensor, or as the whole
// pages that hold it. Throws nvdlac::error where there is none of them, or where one is too short.
location locate(runtime::any_session& simulator, const std::vector<quantised::feed>& feeds,
                bytes atom, const std::filesystem::path& directory);

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/locate.ipp>
#endif
