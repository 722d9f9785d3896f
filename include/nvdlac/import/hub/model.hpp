// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common form of trained models: graphs of named tensors in the terms of ONNX's operators.
// Files of ONNX are parsed into it (onnx/file.hpp), other formats are translated into it
// (hub/writer.hpp), and onnx_format::reader makes networks of it. It knows nothing of how a format
// stores its models.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::hub {

using onnx_format::array;
using onnx_format::dims;

// Numbers that a file holds. Those of a file are read when somebody asks: what no output depends on
// need not be sound.
class constant {
 public:
  // Numbers that are known already, shared with who made them. The type of integers that their
  // array tells must hold them.
  explicit constant(std::shared_ptr<const array> known)
      : shape_(known->shape), known_(std::move(known)) {}
  constant(dims shape, std::function<array()> read)
      : shape_(std::move(shape)), read_(std::move(read)) {}

  // As the file tells it: nobody has looked whether a tensor can have it.
  const dims& shape() const { return shape_; }

  // Throws `error` where they are not sound.
  std::shared_ptr<const array> numbers() const;

 private:
  dims shape_;
  std::shared_ptr<const array> known_{};
  std::function<array()> read_{};
};

// The graphs in an attribute, which is all that is known of them: the tensors that their nodes
// read, of their own and of the graph around them.
struct subgraphs {
  std::vector<std::string> reads;
};
// An attribute of a type that no operator takes, by ONNX's name of the type.
struct foreign_value {
  std::string type;
};

// std::monostate: nothing is given, not even the type.
using attribute_value =
    std::variant<std::monostate, std::int64_t, float, std::string, dims, std::vector<float>,
                 std::vector<std::string>, constant, subgraphs, foreign_value>;

// ONNX's name of a value's type, such as INTS.
std::string type_of(const attribute_value& v);

struct attribute {
  attribute(std::string named, attribute_value v)
      : name(std::move(named)), value(std::make_shared<const attribute_value>(std::move(v))) {}

  std::string name;
  std::shared_ptr<const attribute_value> value;  // which all calls of a function share
  std::string refers_to{};  // in a function's body: the attribute of the function that is meant
};

// The versions of operators, by their domain; ONNX's own is "".
using versions = std::map<std::string, std::int64_t>;

struct node {
  std::string type{}, domain{}, overload{}, name{};
  std::vector<std::string> inputs{}, outputs{};  // "": left out
  std::vector<attribute> attributes{};
  std::shared_ptr<const versions> imports{};     // null: the model's

  // Its name or, where it has none, its first output that has one.
  const std::string& label() const;
};

struct tensor_type {
  std::int64_t element = 0;              // as TensorProto numbers types; 0: not told
  std::optional<dims> shape{};           // -1: a dimension that is not fixed
  std::optional<bool> counts_pictures{};  // whether the first dimension does, if the model says so
};
struct tensor {
  std::string name;
  std::optional<tensor_type> type{};  // nothing: it is no tensor, or none is told
};

struct graph {
  std::vector<node> nodes{};
  std::vector<std::pair<std::string, constant>> constants{};
  std::vector<tensor> inputs{}, outputs{};
  std::vector<tensor> between{};  // what is told of other tensors
  bool has_sparse_constants = false;
};

// Nodes that stand in place of each one that calls them.
struct function {
  std::string name{}, domain{}, overload{};
  std::vector<std::string> inputs{}, outputs{};
  std::vector<std::string> attributes{};  // without a default
  std::vector<attribute> defaults{};
  std::vector<node> nodes{};
  versions imports{};
};

struct model {
  versions imports{};
  std::optional<hub::graph> graph{};
  std::vector<function> functions{};
  std::vector<std::filesystem::path> external{};  // files beside the model that hold its numbers
};

}  // namespace nvdlac::import::hub

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/hub/model.ipp>
#endif
