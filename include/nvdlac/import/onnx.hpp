// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/cutter.hpp>
#include <nvdlac/import/onnx/file.hpp>
#include <nvdlac/import/onnx/functions.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/own_graph.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::onnx_format {

// Operators of the user's own in ONNX files: a struct that names its domain and type there,
//   static constexpr std::string_view onnx = "my.company:Tint";
// and is read as it says, from an `own_node`:
//   static tint from_onnx(const auto& node);
// or, without that, member by member: its `fields` are the attributes of the same names, and those
// that a file does not give keep the values of a fresh struct.

// The node that from_onnx reads: attributes, and inputs that are constants, such as trained
// weights. All other inputs are the tensors that the operator takes.
class own_node {
 public:
  explicit own_node(const context& c) : c_(c) {}

  const node& attributes() const { return c_.n; }
  const std::vector<float>& reals(std::size_t input, const char* what) const;
  const dims& integers(std::size_t input, const char* what) const;

  // The inputs that nobody asked for as constants.
  std::vector<std::size_t> tensors() const;

 private:
  const context& c_;
  mutable std::set<std::size_t> constants_{};
};

template <class Op>
concept in_onnx_files = requires { { Op::onnx } -> std::convertible_to<std::string_view>; };

namespace detail {

// The attribute for a member, as a file writes its type.
template <class T>
void read_member(const node& n, const char* name, T& member) {
  if constexpr (std::is_same_v<T, bool>) {
    member = n.flag(name, member);
  } else if constexpr (std::integral<T>) {
    const auto v = n.integer(name, static_cast<std::int64_t>(member));
    if (!std::in_range<T>(v)) throw error(text("attribute '", name, "' is ", v));
    member = static_cast<T>(v);
  } else if constexpr (std::floating_point<T>) {
    if (n.has(name)) member = static_cast<T>(n.number(name, 0));
  } else if constexpr (requires { typename T::value_type; }) {
    const auto take = [&](const auto& given) {
      if (!given) return;
      if constexpr (requires { member.resize(0); }) member.resize(given->size());
      if (given->size() != member.size())
        throw error(text("attribute '", name, "' has ", count_of(given->size(), "value"),
                         " instead of ",
                         member.size()));
      std::ranges::transform(*given, member.begin(), [&](auto v) {
        if constexpr (std::integral<decltype(v)>)
          if (!std::in_range<typename T::value_type>(v))
            throw error(text("attribute '", name, "' holds ", v));
        return static_cast<typename T::value_type>(v);
      });
    };
    if constexpr (std::integral<typename T::value_type>) take(n.integers(name));
    else take(n.numbers(name));
  } else {
    static_assert(std::is_void_v<T>,
                  "nvdlac: a field of this type is no ONNX attribute: give the operator a "
                  "from_onnx");
  }
}

template <class Op>
Op read_own(const own_node& from) {
  if constexpr (requires { Op::from_onnx(from); }) {
    return Op::from_onnx(from);
  } else {
    Op op{};
    if constexpr (has_fields<Op>)
      Op::fields([&](const char* name, auto member, auto...) {
        read_member(from.attributes(), name, op.*member);
      });
    return op;
  }
}

template <class Op>
assembly::id add_own(const context& c, Op op, const std::vector<assembly::id>& inputs) {
  if constexpr (net::is_expandable<Op>) {
    std::vector<net::shape> shapes;
    for (const auto i : inputs) shapes.push_back(c.net.net().shape(i));
    if (!Op::inputs.contains(shapes.size()))
      throw error(text("it has ", count_of(shapes.size(), "input"), " instead of ",
                       Op::inputs.least));
    (void)op.infer(std::span<const net::shape>(shapes));
    return add_own(c, net::expansion<Op>::run(op, shapes), inputs);
  } else {
    return c.net.add(c.n.name(), std::move(op), inputs);
  }
}

}  // namespace detail

// The tensor has as many dimensions in the file as the first that the operator reads, where its
// cube is not larger.
template <class Op>
std::vector<value> on_own(const context& c) {
  const own_node from(c);
  Op op = detail::read_own<Op>(from);
  std::vector<assembly::id> inputs;
  std::size_t rank = 4;
  for (const auto i : from.tensors()) {
    const computed& x = c.tensor(i);
    require_cube(x.shape);
    if (inputs.empty()) rank = std::clamp<std::size_t>(x.shape.size(), 2, 4);
    inputs.push_back(c.net.as_cube(x));
  }
  const auto n = detail::add_own(c, std::move(op), inputs);
  const net::shape s = c.net.net().shape(n);
  if (rank < 4 && s.w != 1) rank = 4;
  if (rank < 3 && s.h != 1) rank = 3;
  return as_picture(c, n, rank);
}

// nvdlac's operators, and the user's own that are in files.
template <class... Own>
operator_table operators_with(type_list<Own...> own) {
  operator_table all = operators();
  for_each(own, [&]<class Op>(std::type_identity<Op>) {
    if constexpr (in_onnx_files<Op>) {
      constexpr std::string_view name = Op::onnx;
      static_assert(name.find(':') != name.npos && name.front() != ':' && name.back() != ':',
                    "nvdlac: `onnx` names domain and type of the operator: \"my.company:Tint\"");
      if (!all.insert({name, {.convert = on_own<Op>, .since = 1}}).second)
        throw error(text("two operators are called ", name));
    }
  });
  return all;
}

}  // namespace nvdlac::import::onnx_format

namespace nvdlac::import {

// Reads an ONNX model (opset 6 to 27, binary or text form) as a network for one picture: a batch
// counts as one, and pictures with channels last that the model itself turns around come in with
// channels first. `file` is for messages; external data is read below `directory`. `Own` lists the
// operators of the user's own that the model may have (onnx/own.hpp). `wanted` names a part of the
// model, and shapes that it leaves open. Throws `error` with all problems.
template <class Own = type_list<>>
basic_network<Own> onnx_network_from(const std::string& content, const std::string& file,
                                     const std::filesystem::path& directory = {},
                                     const part& wanted = {}) {
  auto model = onnx_format::model_in(content, file, directory, wanted.limits.fields);
  const auto known = onnx_format::operators_with(Own{});
  onnx_format::function_expander(file, model, known, wanted.limits).expand();
  if (!wanted.empty()) onnx_format::cutter(file, model, wanted).cut();
  onnx_format::reader reader(file, model, content.size(), wanted.limits, known);
  reader.propose_parts();
  if (wanted.states) reader.open_states();
  auto result = reader.template read<Own>();
  result.external = std::move(model.external);
  return result;
}

template <class Own = type_list<>>
basic_network<Own> onnx_network(const std::filesystem::path& path, const part& wanted = {}) {
  return onnx_network_from<Own>(read_file(path), path.string(), path.parent_path(), wanted);
}

// The graph of a model that is not quantised; see real_graph.
template <class Own = type_list<>>
graph_of<Own> onnx_from(const std::string& content, const std::string& file,
                        const std::filesystem::path& directory = {}, const part& wanted = {}) {
  return real_graph(onnx_network_from<Own>(content, file, directory, wanted), file);
}
template <class Own = type_list<>>
graph_of<Own> onnx(const std::filesystem::path& path) {
  return onnx_from<Own>(read_file(path), path.string(), path.parent_path());
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx.ipp>
#endif
