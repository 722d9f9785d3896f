// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts as template parameters, and compile errors that name what they are about.
#include <nvdlac/base/version.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nvdlac {

// A string literal as a template argument: `address<map, "CDMA.D_BANK">`.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// The name of a layer or buffer, made of parts: label("conv1", "/k", 16). Unlike std::string it
// exists while compiling with every compiler. It owns its characters itself, since clang's
// evaluation of constants takes some 25 steps for each character of a vector, and a network has
// thousands.
class label {
 public:
  constexpr label() = default;
  template <class... Parts>
    requires(sizeof...(Parts) > 0 &&
             ((std::convertible_to<Parts, std::string_view> || std::integral<Parts>) && ...))
  constexpr label(const Parts&... parts)
      : size_((length_of(parts) + ...)), chars_(allocated(size_)) {
    char* to = chars_;
    ((to = write(parts, to)), ...);
  }
  constexpr label(const label& other) : size_(other.size_), chars_(allocated(size_)) {
    write(other.view(), chars_);
  }
  constexpr label(label&& other) noexcept
      : size_(std::exchange(other.size_, 0)), chars_(std::exchange(other.chars_, nullptr)) {}
  constexpr label& operator=(label other) noexcept {
    std::swap(size_, other.size_);
    std::swap(chars_, other.chars_);
    return *this;
  }
  constexpr ~label() { delete[] chars_; }

  constexpr std::string_view view() const { return {chars_, size_}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr operator std::string() const { return std::string(view()); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr std::size_t size() const { return size_; }

  // A template, because test frameworks wrap what they compare into types that convert to anything.
  template <std::same_as<label> Label, std::convertible_to<std::string_view> Name>
  friend constexpr bool operator==(const Label& a, const Name& b) {
    return a.view() == std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const label& l) { return out << l.view(); }

 private:
  static constexpr char* allocated(std::size_t size) {
    return size == 0 ? nullptr : new char[size];
  }
  static constexpr std::size_t length_of(std::string_view s) { return s.size(); }
  static constexpr std::size_t length_of(std::integral auto number) {
    std::size_t digits = std::cmp_less(number, 0) ? 2 : 1;
    while ((number = static_cast<decltype(number)>(number / 10)) != 0) ++digits;
    return digits;
  }
  // Writes as many characters as length_of tells; returns where the next ones go.
  static constexpr char* write(std::string_view s, char* to) {
    if (!std::is_constant_evaluated()) return std::copy(s.begin(), s.end(), to);
    const char* from = s.data();
    for (auto left = s.size(); left != 0; --left) *to++ = *from++;
    return to;
  }
  static constexpr char* write(std::integral auto number, char* to) {
    if (std::cmp_less(number, 0)) *to = '-';
    char* const end = to + length_of(number);
    char* at = end;
    do {
      const int digit = static_cast<int>(number % 10);
      *--at = static_cast<char>('0' + (digit < 0 ? -digit : digit));
      number = static_cast<decltype(number)>(number / 10);
    } while (number != 0);
    return end;
  }

  std::size_t size_ = 0;
  char* chars_ = nullptr;
};

template <class...>
inline constexpr bool never = false;

// Labels that make a failed assertion say what it is about.
namespace failed {
template <class>
struct operator_;
template <class>
struct on_hardware;
}  // namespace failed

}  // namespace nvdlac

namespace nvdlac {

// The number in the network, from 0 on, that a compile error shows of a layer without a name.
struct layer_number {
  std::size_t number;
  char name = 0;
};

namespace detail {

template <auto Value>
inline constexpr const auto* address_of = &Value;

}  // namespace detail

// Where the characters of each layer's name are, which is what a compiler prints of it.
template <std::size_t N>
constexpr std::array<const char*, N> shown_names(const std::array<std::string_view, N>& names) {
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    return std::array<const char*, N>{
        (names[Is].empty() ? &detail::address_of<layer_number{Is}>->name : names[Is].data())...};
  }(std::make_index_sequence<N>{});
}

// Ends the compiler's evaluation with an error that shows what `layer` points to and the type
// Label, the only two things of a constant expression that both compilers print in their first
// lines. To do so it computes what no constant expression may: g++ prints the object that it
// cannot modify at the place of the user's line, clang the addresses that it cannot compare. At
// run time it does nothing.
template <class Label>
constexpr bool refuse(const char* layer) {
  if (!std::is_constant_evaluated()) return false;
#ifdef __clang__
  const void* const name = layer;
  return name < detail::address_of<Label{}>;  // nvdlac: see docs/troubleshooting.md
#else
  return (const_cast<char&>(*layer) = 0) != 0;
#endif
}

}  // namespace nvdlac
