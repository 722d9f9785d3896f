// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/hub/asked_attributes.hpp>

#include "problem_of.hpp"

using namespace nvdlac;
namespace hub = import::hub;

namespace {

struct plain_values {
  using value = hub::plain_value;

  static const value& plain(const value& v) { return v; }
  static std::string call(std::string_view name) { return text("its ", name); }
  static bool is_ignored(std::string_view name) { return name == "note"; }
};
using attributes = hub::asked_attributes<plain_values>;

attributes with(const std::string& name, const hub::plain_value& v) {
  attributes a;
  a.add(name, v);
  return a;
}

// The values of all types that a value is read as; nothing: none of that type.
template <class T>
std::optional<T> as(const hub::plain_value& v) {
  return hub::read_as<T>(v);
}

using floats = std::vector<float>;
using words = std::vector<std::string>;
using hub::dims;

}  // namespace

TEST_CASE("attributes that nobody asked for are reported") {
  attributes given;
  given.add("kernel", std::int64_t{3});
  given.add("group", std::int64_t{2});
  given.add("alpha", 1.5F);
  given.add("note", std::string("by hand"));
  CHECK(problem_of([&] { given.add("kernel", std::int64_t{5}); }).reason ==
        "its kernel is given twice");

  CHECK(given.integer("kernel") == 3);
  CHECK(given.find("stride") == nullptr);
  CHECK(given.has("group"));
  CHECK_FALSE(given.has("pad"));

  const auto left = given.not_understood();
  REQUIRE(left.size() == 1);
  CHECK(left[0].reason == "its alpha (1.5) is not understood");
  CHECK(left[0].remedy == "understood are group, kernel, pad, stride");
  CHECK(problem_of([&] { given.require_understood(); }).reason == left[0].reason);
  given.ignore({"alpha", "beta"});
  CHECK(given.unasked().empty());
  given.require_understood();
  CHECK(with("odd", true).not_understood().at(0).remedy == "it has none that are");
}

TEST_CASE("attributes that are not there have their defaults, or are missing") {
  const attributes none;
  CHECK(none.integer("axis", -1) == -1);
  CHECK(none.number("alpha", 0.5F) == 0.5F);
  CHECK(none.flag("keepdims", true));
  CHECK_FALSE(none.flag("keepdims"));
  CHECK(none.string("mode", "constant") == "constant");
  CHECK_FALSE(none.integers("pads"));
  CHECK_FALSE(none.numbers("scales"));
  CHECK_FALSE(none.strings("activations"));
  CHECK(problem_of([&] { (void)none.integer("axis"); }).reason == "its axis is missing");
  CHECK(problem_of([&] { (void)none.number("alpha"); }).reason == "its alpha is missing");
}

TEST_CASE("an attribute of another kind is refused by what it should be") {
  const auto refused = [](const hub::plain_value& v, auto ask) {
    const auto a = with("x", v);
    return problem_of([&] { ask(a); }).reason;
  };
  const auto integer = [](const attributes& a) { (void)a.integer("x"); };
  CHECK(refused(std::string("last"), integer) == "its x is \"last\", not a whole number");
  CHECK(refused(hub::number_of(2.5), integer) == "its x is 2.5, not a whole number");
  CHECK(refused(2.0F, integer) == "its x is 2, not a whole number");
  CHECK(refused(hub::own_value{}, integer) == "its x is not a whole number");
  CHECK(refused(true, integer) == "its x is true, not a whole number");
  CHECK(refused(dims(20, 1), integer) ==
        "its x is [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..], not a whole number");
  CHECK(refused(std::int64_t{1}, [](const attributes& a) { (void)a.number("x"); }) ==
        "its x is 1, not a number");
  CHECK(refused(std::int64_t{2}, [](const attributes& a) { (void)a.flag("x"); }) ==
        "its x is 2, not 0 or 1 (false or true)");
  CHECK(refused(hub::characters{"1,,2"}, [](const attributes& a) { (void)a.integers("x"); }) ==
        "its x is 1,,2, not a list of whole numbers");
  CHECK(refused(std::int64_t{1}, [](const attributes& a) { (void)a.numbers("x"); }) ==
        "its x is 1, not a list of numbers");
  CHECK(refused(std::int64_t{1}, [](const attributes& a) { (void)a.string("x", ""); }) ==
        "its x is 1, not a text");
  CHECK(refused(std::int64_t{1}, [](const attributes& a) { (void)a.strings("x"); }) ==
        "its x is 1, not a list of texts");
}

TEST_CASE("a typed value is of its own type alone") {
  const hub::plain_value integer = std::int64_t{1}, number = 1.0F, word = std::string("1");
  CHECK(as<std::int64_t>(integer) == 1);
  CHECK(as<bool>(integer) == true);  // formats without flags have 0 and 1
  CHECK_FALSE(as<float>(integer));
  CHECK_FALSE(as<dims>(integer));
  CHECK(as<float>(number) == 1);
  CHECK_FALSE(as<std::int64_t>(number));
  CHECK(as<std::string>(word) == "1");
  CHECK_FALSE(as<std::int64_t>(word));
  CHECK(as<dims>(dims{1, 2}) == dims{1, 2});
  CHECK_FALSE(as<floats>(dims{1, 2}));
  CHECK(as<floats>(floats{1, 2}) == floats{1, 2});
  CHECK_FALSE(as<dims>(floats{1, 2}));
  CHECK(as<words>(words{"a"}) == words{"a"});
  CHECK(as<bool>(false) == false);
  CHECK_FALSE(as<float>(true));
}

TEST_CASE("an untyped number is whole where it has no fraction") {
  const hub::plain_value two = hub::number_of(2.0), half = hub::number_of(0.5);
  CHECK(as<std::int64_t>(two) == 2);
  CHECK(as<float>(two) == 2);
  CHECK(as<dims>(two) == dims{2});
  CHECK(as<floats>(two) == floats{2});
  CHECK_FALSE(as<bool>(two));
  CHECK(as<bool>(hub::number_of(1.0)) == true);
  CHECK_FALSE(as<std::int64_t>(half));
  CHECK_FALSE(as<dims>(half));
  CHECK(as<float>(half) == 0.5F);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(as<std::int64_t>(hub::number_of(most)) == most);
  CHECK_FALSE(as<std::int64_t>(hub::number_of(1e19)));
  CHECK_FALSE(as<float>(hub::number_of(1e300)));
  const std::vector<hub::untyped_number> list{hub::number_of(1.0), hub::number_of(2.5)};
  CHECK_FALSE(as<dims>(list));
  CHECK(as<floats>(list) == floats{1, 2.5F});
  const std::vector<hub::untyped_number> none;  // a list of any type
  CHECK(as<dims>(none) == dims{});
  CHECK(as<floats>(none) == floats{});
  CHECK(as<words>(none) == words{});
}

TEST_CASE("characters are what is asked for") {
  const auto of = [](const char* s) { return hub::plain_value(hub::characters{s}); };
  CHECK(as<std::int64_t>(of("+3")) == 3);
  CHECK_FALSE(as<std::int64_t>(of("3.0")));
  CHECK_FALSE(as<std::int64_t>(of("99999999999999999999")));
  CHECK(as<float>(of("-2.5e-1")) == -0.25F);
  CHECK(as<std::string>(of("3")) == "3");
  for (const char* yes : {"1", "true", "True"}) CHECK(as<bool>(of(yes)) == true);
  for (const char* no : {"0", "false", "False"}) CHECK(as<bool>(of(no)) == false);
  CHECK_FALSE(as<bool>(of("2")));
  CHECK(as<dims>(of("1,-2,")) == dims{1, -2});
  CHECK(as<dims>(of("")) == dims{});
  CHECK_FALSE(as<dims>(of(",1")));
  CHECK_FALSE(as<dims>(of("1,a")));
  CHECK(as<floats>(of("0.5,1")) == floats{0.5F, 1});
}

TEST_CASE("an array of one element is a number, and any is a list") {
  const auto of = [](import::onnx_format::array a) {
    return hub::plain_value(std::make_shared<const import::onnx_format::array>(std::move(a)));
  };
  const auto one = of({.shape = {}, .real = false, .integers = {3}});
  CHECK(as<std::int64_t>(one) == 3);
  CHECK(as<dims>(one) == dims{3});
  CHECK_FALSE(as<floats>(one));
  const auto two = of({.shape = {2}, .reals = {1, 0.5F}});
  CHECK_FALSE(as<float>(two));
  CHECK(as<floats>(two) == floats{1, 0.5F});
  CHECK_FALSE(as<dims>(two));
  CHECK(with("x", two).not_understood().at(0).reason == "its x ([1, 0.5]) is not understood");
}
