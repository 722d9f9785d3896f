// SPDX-License-Identifier: Apache-2.0
#pragma once
// The smallest model that still fails: parts are left out as long as it does.
#include <cstddef>
#include <functional>

#include "onnx.hpp"

namespace nvdlac::judge {

// Without what no output needs; an input stays where none would be left.
model pruned(model);

// `fails` holds for m; of the models that leave out one more part, it holds for none when this ends
// before it was asked `most` times.
model shrunk(model m, const std::function<bool(const model&)>& fails, std::size_t most = 200);

}  // namespace nvdlac::judge
