// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX models as values that can be drawn, made smaller, and written.
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace nvdlac::judge {

using dims = std::vector<std::int64_t>;

inline std::int64_t count_of(const dims& d) {
  std::int64_t n = 1;
  for (const auto size : d) n *= size;
  return n;
}

// The numbers of TensorProto.DataType.
enum class element : std::uint8_t {
  real = 1,
  uint8 = 2,
  int8 = 3,
  int32 = 6,
  int64 = 7,
  boolean = 9
};

struct attribute {
  std::string name{};
  std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>>
      value{};
};
struct node {
  std::string type{};
  std::vector<std::string> inputs{}, outputs{};  // an empty name: left out
  std::vector<attribute> attributes{};
  std::string domain{};
};
struct value {
  std::string name{};
  dims shape{};  // empty: not told
  element type = element::real;
};
struct constant {
  std::string name{};
  dims shape{};
  std::vector<double> values{};
  element type = element::real;
};

struct model {
  int opset = 13;
  std::string producer = "nvdlac";
  std::vector<value> inputs{}, outputs{};
  std::vector<constant> constants{};
  std::vector<node> nodes{};
  // Shapes of all tensors as they were drawn, for who makes one an input.
  std::map<std::string, dims> shapes{};
  // Some element may be another one, far away, by the least error of what it is computed from:
  // there are roundings, comparisons or places of extrema.
  bool has_jumps = false;
  bool is_quantised = false;  // it has scales of its own
};

// The file: ModelProto in its binary form.
std::string encode(const model&);

}  // namespace nvdlac::judge
