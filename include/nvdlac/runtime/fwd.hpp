// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares sessions, their devices and the replay of a trace, for headers that only name them.
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::runtime {

template <hw::hardware Hw>
class simulated;
class any_session;
class any_device;
struct written_cube;

struct difference;
struct replay_options;
struct trace;

}  // namespace nvdlac::runtime
