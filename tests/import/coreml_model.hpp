// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models of Core ML as text, and what they give.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/coreml.hpp>

#include "files.hpp"
#include "tensorflow_files.hpp"

namespace coreml_model {

using floats = std::vector<float>;
using shape = std::vector<std::int64_t>;

inline std::string model_of(const std::string& content) {
  return encode(nvdlac::import::coreml_format::schema(), "Model", content);
}
template <class Numbers>
std::string listed(const char* field, const Numbers& all) {
  std::string s;
  for (const auto v : all) s += nvdlac::text(' ', field, ": ", v);
  return s;
}
inline std::string array_input(const shape& s) {
  return "input { name: 'x' type { multiArrayType {" + listed("shape", s) + " } } } ";
}
inline floats result_of(const std::string& model, std::size_t size) {
  const auto n = nvdlac::import::coreml_network_from({"m", model_of(model)});
  floats x(size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto found = tensorflow_files::run(n, {{"x", x}});
  return found.size() == 1 ? found.begin()->second : floats{};
}
inline bool near(const floats& found, const floats& expected) {
  CAPTURE(found.size());
  const double e = tensorflow_files::error_of(found, expected);
  if (e >= 1e-5)
    for (const auto v : found) MESSAGE(v);
  return e < 1e-5;
}

}  // namespace coreml_model
