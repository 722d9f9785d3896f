// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models with inputs and expected outputs of Debian's package libonnx-testdata, which
// `tools/setup ci` installs.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/onnx/tensor.hpp>

namespace onnx_testdata {

namespace fs = std::filesystem;
namespace proto = nvdlac::import::proto;
using nvdlac::import::onnx_format::array;

inline const fs::path root = "/usr/share/libonnx-testdata/data";

// The directories below `part` that hold a model.onnx, sorted; none without the package.
inline std::vector<fs::path> tests(std::string_view part = "") {
  std::vector<fs::path> found;
  std::error_code absent;
  for (auto i = fs::recursive_directory_iterator(root / part, absent);
       i != fs::recursive_directory_iterator(); ++i)
    if (i->path().filename() == "model.onnx") found.push_back(i->path().parent_path());
  std::sort(found.begin(), found.end());
  return found;
}

inline proto::document parse(const char* message, const std::string& content) {
  return proto::parse_binary(nvdlac::import::onnx_format::schema(), message, "", content,
                             nvdlac::budget{}.fields);
}

// "input" or "output" number i of a test.
inline fs::path tensor_file(const fs::path& test, const std::string& kind, std::size_t i) {
  return test / "test_data_set_0" / (kind + "_" + std::to_string(i) + ".pb");
}
inline array read_tensor(const fs::path& file) {
  const auto tensor = parse("TensorProto", nvdlac::import::read_file(file));
  return nvdlac::import::onnx_format::to_array(tensor.root(), {});
}

// A field of bytes of a protobuf message, encoded.
inline std::string field(unsigned number, const std::string& bytes) {
  const auto varint = [](std::size_t v) {
    std::string s;
    for (; v >= 128; v >>= 7) s += static_cast<char>(v % 128 + 128);
    return s + static_cast<char>(v);
  };
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

// The model with the tensor of a file as the constant value of one of its inputs. What follows the
// encoding of a message is merged into it.
inline std::string with_constant(const std::string& model, const std::string& input,
                                 const fs::path& tensor) {
  constexpr unsigned name = 8, initializer = 5, graph = 7;
  return model + field(graph, field(initializer,
                                    nvdlac::import::read_file(tensor) + field(name, input)));
}

// The model of a test of one node as it is read: as the file has it, or else with the last of its
// inputs as constants, but for the first. Empty if it is not.
inline std::string readable(const fs::path& test) {
  auto model = nvdlac::import::read_file(test / "model.onnx");
  const auto inputs =
      parse("ModelProto", model).root().child("graph").children("node").at(0).strings("input");
  for (std::size_t i = inputs.size(); i-- > 0;) try {
      (void)nvdlac::import::onnx_network_from(model, "");
      return model;
    } catch (const nvdlac::error&) {
      if (i == 0 || !fs::exists(tensor_file(test, "input", i))) break;
      model = with_constant(model, inputs[i], tensor_file(test, "input", i));
    }
  return {};
}

}  // namespace onnx_testdata
