// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/report/json_text.hpp>

namespace nvdlac::report {

// A tensor of the user's file: its elements in row-major order are met in the dense c-h-w order of
// the cube by nested steps, [count, stride], the outermost first; without any in the same order.
inline json to_json(const net::file_tensor& t) {
  json j{{"name", t.name}, {"shape", t.shape}, {"place", t.place}, {"walk", json::array()}};
  for (const auto& s : t.walk) j["walk"].push_back({s.count, s.stride});
  return j;
}

}  // namespace nvdlac::report
