// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/base/visit.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <variant>

#include <doctest/doctest.h>

namespace {

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw 3; }
  throws_when_copied& operator=(const throws_when_copied&) = default;
};

using some = std::variant<int, std::string, double>;
constexpr std::variant<int, double> half = 0.5;
static_assert(nvdlac::visit([](auto x) { return x + x == 1; }, half));

}  // namespace

TEST_CASE("the function is called once, with what the variant holds") {
  for (some held : {some(1), some(std::string("two")), some(3.0)}) {
    int calls = 0;
    const bool same = nvdlac::visit([&]<class T>(const T& value) {
      ++calls;
      return &value == std::get_if<T>(&held);
    }, held);
    CHECK(same);
    CHECK(calls == 1);
    nvdlac::visit([&]<class T>(T& value) { value = T{}; ++calls; }, held);
    CHECK(calls == 2);
    CHECK(nvdlac::visit([]<class T>(const T& value) { return value == T{}; }, held));
  }
}

TEST_CASE("the result has the type of the first alternative's, without a reference") {
  some held = std::string("two");
  const auto place = nvdlac::visit([](const auto& value) { return sizeof(value); }, held);
  static_assert(std::same_as<decltype(place), const std::size_t>);
  CHECK(place == sizeof(std::string));
  std::variant<std::string, const char*> name = "two";
  CHECK(nvdlac::visit([](const auto& n) -> decltype(auto) { return (n); }, name) == "two");
}

TEST_CASE("a variant that an exception left empty is not visited") {
  std::variant<int, throws_when_copied> held = 1;
  const throws_when_copied thrown;
  CHECK_THROWS_AS(held.emplace<throws_when_copied>(thrown), int);
  CHECK(held.valueless_by_exception());
  CHECK_THROWS_AS(nvdlac::visit([](const auto&) {}, held), std::bad_variant_access);
}
