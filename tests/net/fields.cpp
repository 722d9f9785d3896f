// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/emit/cpp_nodes.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

namespace {

// How many members an aggregate has: as many values initialise it, and not one more.
struct anything {
  template <class T>
  operator T() const { throw std::logic_error("is only asked for its type"); }
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), anything{})...}; };
}
template <class T, std::size_t N = 24>
constexpr std::size_t members() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>{})) return N;
  else return members<T, N - 1>();
}

struct three {
  int a = 0;
  std::vector<float> b{};
  std::array<float, 2> c{};
};
static_assert(members<three>() == 3);
static_assert(members<net::relu>() == 0);

template <class T>
constexpr std::size_t told() {
  std::size_t count = 0;
  const T of{};
  visit_fields(of, [&](const auto&, const auto&) { ++count; });
  return count;
}

// Makes another value of it.
template <class T>
void change(T& value) {
  if constexpr (std::is_same_v<T, bool>) value = !value;
  else if constexpr (std::is_enum_v<T>) value = static_cast<T>(value == T{} ? 1 : 0);
  else if constexpr (std::is_arithmetic_v<T>) value = static_cast<T>(value == T{7} ? 6 : 7);
  else if constexpr (std::is_same_v<T, net::host_call>) value.layer = "sine";
  else if constexpr (std::is_same_v<T, net::float_tensor>) change(value.shape);
  else if constexpr (requires { value.emplace(); }) value.emplace();
  else if constexpr (requires { std::tuple_size<T>::value; }) change(value[0]);
  else if constexpr (has_fields<T>) {
    bool first = true;
    visit_fields(value, [&](const auto&, auto& member) {
      if (std::exchange(first, false)) change(member);
    });
  }
  else value.push_back({});
}

// test(an operator with one field changed, the field's name) for each field.
template <class Op>
void for_each_change(auto test) {
  const Op usual{};
  visit_fields(usual, [&](const auto& field, const auto&) {
    Op op{};
    change(op.*field.member);
    test(op, field.name);
  });
}

template <class Op>
std::string described(const Op& op) {
  return net::describe(std::variant<Op>(op));
}

std::string source_of(const auto& op) {
  quantised::graph g;
  g.add("node", op);
  const emit::detail::cpp_nodes source(g, true);
  return source.arrays + source.nodes;
}

}  // namespace

TEST_CASE("an operator tells all its members") {
  const auto check = []<class Op>(std::type_identity<Op>) {
    // Who computes a call of the host is told by the call's name.
    constexpr bool is_computed_by = requires(Op op) { op.layer; };
    CHECK(members<Op>() == told<Op>() + is_computed_by);
  };
  for_each(net::standard_operators{}, check);
  for_each(quantised::operators{}, check);
  for_each(host::host_operators{}, check);
}

TEST_CASE("a description has every field") {
  const auto check = []<class Op>(std::type_identity<Op>) {
    for_each_change<Op>([](const Op& op, std::string_view field) {
      INFO(type_name<Op>(), '.', field);
      CHECK(described(op) != described(Op{}));
    });
  };
  for_each(net::standard_operators{}, check);
  for_each(quantised::operators{}, check);
  for_each(host::host_operators{}, check);
}

TEST_CASE("C++ source has every field") {
  for_each(quantised::operators{}, []<class Op>(std::type_identity<Op>) {
    if constexpr (!std::is_same_v<Op, quantised::on_host>)
      for_each_change<Op>([](const Op& op, std::string_view field) {
        INFO(type_name<Op>(), '.', field);
        CHECK(source_of(op) != source_of(Op{}));
      });
  });
}

TEST_CASE("a call of the host has every field") {
  const auto check = []<class Op>(std::type_identity<Op>) {
    for_each_change<Op>([](const Op& op, std::string_view field) {
      INFO(type_name<Op>(), '.', field);
      const auto call = host::call_of(op);
      CHECK(call.layer == type_name<Op>());
      CHECK(described(host::operator_of<Op>(call.parameters)) == described(op));
    });
  };
  for_each(host::net_operators{}, check);
  for_each(host::host_operators{}, check);
}
