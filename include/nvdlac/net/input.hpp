// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// The picture (or other cube) that the user gives, after preprocessing.
struct input {
  net::shape shape{};
};

}  // namespace nvdlac::net
