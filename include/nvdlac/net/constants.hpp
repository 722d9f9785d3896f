// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::net {

// So many constants that are somewhere else, such as in a file beside the program.
struct only_size {
  std::size_t n = 0;
};

// The constants of an operator. They are its own, as in a std::vector; or a constant array's, which
// must outlive them; or somewhere else, and nothing but their number is known here:
//   .weights = std::vector<std::int8_t>{..}  .weights = conv1_weights  .weights = only_size{500}
// A constexpr network can own single values, `.multiplier = {3}`, but no vectors.
template <class T>
class constants {
 public:
  using value_type = T;

  constexpr constants() = default;
  constexpr constants(std::vector<T> own) : own_(std::move(own)) {}
  constexpr constants(std::initializer_list<T> own) {
    if (own.size() == 1) {
      one_ = *own.begin();
      is_one_ = true;
      size_ = 1;
    } else {
      own_ = own;
    }
  }
  constexpr constants(std::span<const T> array)
      : constants_(array.data()), size_(array.size()) {}
  template <std::size_t N>
  constexpr constants(const std::array<T, N>& array)
      : constants_(array.data()), size_(array.size()) {}
  template <std::size_t N>
  constants(const std::array<T, N>&&) = delete;  // it would be gone
  constexpr constants(only_size there) : size_(there.n) {}

  constexpr std::size_t size() const { return own_.empty() ? size_ : own_.size(); }
  constexpr bool empty() const { return size() == 0; }
  // Whether the constants can be read here.
  constexpr bool known() const { return empty() || data() != nullptr; }
  constexpr const T* data() const {
    return !own_.empty() ? own_.data() : is_one_ ? &one_ : constants_;
  }
  constexpr const T* begin() const { return data(); }
  constexpr const T* end() const { return known() ? data() + size() : data(); }
  constexpr const T& operator[](std::size_t i) const { return data()[i]; }

  // To change them makes them its own.
  constexpr T* begin() { return own().data(); }
  constexpr T* end() { return own().data() + own().size(); }
  constexpr T& operator[](std::size_t i) { return own()[i]; }
  constexpr T& back() { return own().back(); }
  // All of them, its own: several threads may change different ones.
  constexpr std::span<T> changeable() { return own(); }
  constexpr void push_back(T v) { own().push_back(std::move(v)); }
  constexpr void assign(std::size_t n, const T& v) { own().assign(n, v); }
  constexpr void resize(std::size_t n, const T& v = T{}) { own().resize(n, v); }

  friend constexpr bool operator==(const constants& a, const constants& b) {
    return a.size() == b.size() && a.known() == b.known() &&
           std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  constexpr std::vector<T>& own() {
    if (own_.empty() && known()) own_ = std::vector<T>(data(), data() + size());
    is_one_ = false;
    constants_ = nullptr;
    size_ = 0;
    return own_;
  }

  std::vector<T> own_{};
  T one_{};
  bool is_one_ = false;
  const T* constants_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nvdlac::net
