// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators as calls by name, and back: what a loadable can keep.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/fixed_string.hpp>
#include <nvdlac/host/call.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::host {

// How an operator is written as a call: `name`, and `fields(op, io)` that calls io("name", field)
// for each parameter. An operator has them as members; for others, it is specialised.
template <class Op>
struct description;
template <class Op>
  requires requires { Op::host_name; }
struct description<Op> {
  static constexpr std::string_view name = Op::host_name;
  static constexpr void fields(auto& op, auto&& io) { Op::fields(op, io); }
};

// A parameter: field{"axes", &softmax::axes}.
template <std::size_t N, class Op, class T>
struct field {
  fixed_string<N> name;
  T Op::*member;
};
template <std::size_t N, class Op, class T>
field(const char (&)[N], T Op::*) -> field<N, Op, T>;

// The description of an operator by its name and its fields.
template <fixed_string Name, auto... Fields>
struct description_by {
  static constexpr std::string_view name = Name.view();
  static constexpr void fields(auto& op, auto&& io) {
    (io(Fields.name.view(), op.*Fields.member), ...);
  }
};

template <class Op>
concept described = requires { description<Op>::name; };

namespace detail {

inline void put(const net::place& p, std::vector<double>& to) {
  for (const auto v : {p.c, p.y, p.x}) to.push_back(v);
}
template <class T>
void put(const T& v, std::vector<double>& to) {
  if constexpr (std::is_enum_v<T>) put(static_cast<std::underlying_type_t<T>>(v), to);
  else if constexpr (std::is_arithmetic_v<T>) to.push_back(static_cast<double>(v));
  else if constexpr (std::is_same_v<T, net::shape>)
    for (const auto n : {v.c, v.h, v.w}) to.push_back(n);
  else if constexpr (std::is_same_v<T, net::window>)
    for (const auto n : {v.kernel_h, v.kernel_w, v.stride_h, v.stride_w, v.pad_top, v.pad_left,
                         v.pad_bottom, v.pad_right, v.dilation_h, v.dilation_w})
      to.push_back(n);
  else if constexpr (std::is_same_v<T, net::box>) {
    to.push_back(v.input);
    put(v.to, to);
    put(v.from, to);
    for (const auto& l : v.loops) {
      to.push_back(l.count);
      put(l.to, to);
      put(l.from, to);
    }
  } else {
    for (const auto& each : v) put(each, to);
  }
}

// Takes the values of one parameter in their order; a number that the field cannot hold is an
// `error`.
class parameter_reader {
 public:
  explicit parameter_reader(const parameter& p) : name_(p.name), left_(p.values) {}

  bool done() const { return left_.empty(); }
  template <class T>
  void get(T& to) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      get(number);
      to = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      to = whole(0, 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      to = static_cast<T>(whole(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::is_floating_point_v<T>) {
      to = static_cast<T>(next());
    } else if constexpr (std::is_same_v<T, net::shape>) {
      for (auto* n : {&to.c, &to.h, &to.w}) get(*n);
    } else if constexpr (std::is_same_v<T, net::place>) {
      for (auto* n : {&to.c, &to.y, &to.x}) get(*n);
    } else if constexpr (std::is_same_v<T, net::window>) {
      for (auto* n : {&to.kernel_h, &to.kernel_w, &to.stride_h, &to.stride_w, &to.pad_top,
                      &to.pad_left, &to.pad_bottom, &to.pad_right, &to.dilation_h,
                      &to.dilation_w})
        get(*n);
    } else if constexpr (std::is_same_v<T, net::box>) {
      get(to.input);
      get(to.to);
      get(to.from);
      for (auto& l : to.loops) {
        get(l.count);
        get(l.to);
        get(l.from);
      }
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      for (auto& each : to) get(each);
    } else {
      to = {};
      while (!done()) {
        typename T::value_type each{};
        get(each);
        to.push_back(each);
      }
    }
  }

 private:
  double next() {
    if (left_.empty()) throw error(text("its parameter '", name_, "' has too few values"));
    const double v = left_.front();
    left_ = left_.subspan(1);
    return v;
  }
  double whole(auto least, auto most) {
    const double v = next();
    if (!(v >= static_cast<double>(least) && v <= static_cast<double>(most)) || v != std::floor(v))
      throw error(text("its parameter '", name_, "' has the value ", v));
    return v;
  }

  label name_;
  std::span<const double> left_;
};

}  // namespace detail

template <described Op>
call call_of(const Op& op) {
  call result{.layer = description<Op>::name};
  description<Op>::fields(op, [&](std::string_view name, const auto& field) {
    result.parameters.push_back({.name = name});
    detail::put(field, result.parameters.back().values);
  });
  return result;
}

// The operator of a call. Parameters that are missing keep the operator's default; one that it does
// not have, or a value that it cannot have, is an `error`.
template <described Op>
Op operator_of(const parameters& given) {
  Op op{};
  std::size_t known = 0;
  description<Op>::fields(op, [&](std::string_view name, auto& field) {
    for (const auto& p : given)
      if (p.name == name) {
        detail::parameter_reader in(p);
        in.get(field);
        if (!in.done()) throw error(text("its parameter '", name, "' has too many values"));
        ++known;
      }
  });
  if (known != given.size())
    throw error(text("the host's layer '", description<Op>::name, "' has not all of its ",
                     given.size(), " parameters, or has one twice"));
  return op;
}

}  // namespace nvdlac::host
