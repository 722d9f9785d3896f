// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/tensor.hpp>

namespace py = pybind11;

namespace nvdlac::python {
namespace {

py::str name_in_python(std::string_view name) { return {name.data(), name.size()}; }

py::tuple tuple_of(const net::shape& s) { return py::make_tuple(s.c, s.h, s.w); }

// A member of an operator: a number, the name of an enumerator, a dict of members, or many of one
// of these.
template <class T>
py::object value_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return py::bool_(value);
  else if constexpr (std::is_enum_v<T>) return name_in_python(name_of(value));
  else if constexpr (std::is_integral_v<T>) return py::int_(value);
  else if constexpr (std::is_floating_point_v<T>) return py::float_(value);
  else if constexpr (std::is_same_v<T, net::shape>) return tuple_of(value);
  else if constexpr (std::is_same_v<T, net::float_tensor>) {
    const auto& s = value.shape;
    return py::array_t<float>({s.c, s.h, s.w}, value.values.data());
  } else if constexpr (std::is_same_v<T, net::host_call>) {
    return name_in_python(std::string_view(value.layer));
  } else if constexpr (requires { value.has_value(); }) {
    return value ? value_of(*value) : py::object(py::none());
  } else if constexpr (has_fields<T>) {
    py::dict members;
    visit_fields(value, [&](const auto& field, const auto& member) {
      members[name_in_python(field.name)] = value_of(member);
    });
    return members;
  } else if constexpr (std::is_arithmetic_v<typename T::value_type>) {
    return py::array_t<typename T::value_type>(static_cast<py::ssize_t>(value.size()),
                                               value.data());
  } else {
    py::list all;
    for (const auto& each : value) all.append(value_of(each));
    return all;
  }
}

// The record of node n, what is told of all graphs.
template <class Graph>
py::dict record_of(const Graph& g, typename Graph::id n) {
  const auto& node = g[n];
  py::dict record;
  py::list inputs;
  for (const auto i : g.inputs(n)) inputs.append(name_in_python(g[i].name));
  record["name"] = name_in_python(node.name);
  record["inputs"] = inputs;
  record["shape"] = tuple_of(node.shape);
  record["output"] = node.output;
  nvdlac::visit(
      [&]<class Op>(const Op& op) {
        py::dict fields;
        visit_fields(op, [&](const auto& field, const auto& member) {
          fields[name_in_python(field.name)] = value_of(member);
        });
        record["operator"] = name_in_python(type_name<Op>());
        record["fields"] = fields;
      },
      node.op);
  return record;
}

}  // namespace

py::list records_of(const cli::graph& g) {
  py::list records;
  for (const auto n : g.order()) records.append(record_of(g, n));
  return records;
}

py::list records_of(const quantised::graph& g) {
  py::list records;
  for (const auto n : g.order()) {
    auto record = record_of(g, n);
    record["scale"] = g[n].scale;
    record["zero"] = g[n].zero;
    record["gain"] = py::cast(g[n].gain);
    record["precision"] = name_in_python(name_of(g[n].precision));
    records.append(record);
  }
  return records;
}

}  // namespace nvdlac::python
