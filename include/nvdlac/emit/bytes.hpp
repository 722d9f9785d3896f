// SPDX-License-Identifier: Apache-2.0
#pragma once
// Little-endian records, described once: a record's static function `fields(record, io)` names its
// members in order, and the three visitors below measure, write and read it.
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac::emit {

template <class T>
concept scalar = std::integral<T> || std::same_as<T, float>;

namespace detail {

template <class T>
concept array = requires { std::tuple_size<T>::value; };

template <class Io, class T>
constexpr void visit(Io& io, T& member) {
  if constexpr (scalar<T>)
    io.value(member);
  else if constexpr (array<T>)
    for (auto& element : member) visit(io, element);
  else
    T::fields(member, io);
}

}  // namespace detail

// Adds up the bytes.
struct byte_counter {
  std::size_t n = 0;

  template <class... Ts>
  constexpr void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  constexpr void pad(std::size_t bytes) { n += bytes; }
  template <scalar T>
  constexpr void value(T&) { n += sizeof(T); }
};

template <class Record>
constexpr std::size_t byte_size() {
  Record r{};
  byte_counter io;
  Record::fields(r, io);
  return io.n;
}

// Writes to memory that is 0 and long enough.
class byte_writer {
 public:
  constexpr explicit byte_writer(std::uint8_t* to) : to_(to) {}

  template <class... Ts>
  constexpr void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  constexpr void pad(std::size_t bytes) { to_ += bytes; }
  template <scalar T>
  constexpr void value(const T& v) {
    if constexpr (std::same_as<T, float>) {
      const auto bits = std::bit_cast<std::uint32_t>(v);
      value(bits);
    } else {
      const auto bits = static_cast<std::uint64_t>(v);
      for (std::size_t i = 0; i < sizeof(T); ++i)
        *to_++ = static_cast<std::uint8_t>(bits >> (8 * i));
    }
  }

 private:
  std::uint8_t* to_;
};

// Reads from the front of a span; the caller has checked that it is long enough.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::uint8_t> in) : in_(in) {}

  template <class... Ts>
  void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  void pad(std::size_t bytes) { at_ += bytes; }
  template <scalar T>
  void value(T& v) {
    if constexpr (std::same_as<T, float>) {
      std::uint32_t bits = 0;
      value(bits);
      v = std::bit_cast<float>(bits);
    } else {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::uint64_t{in_[at_ + i]} << (8 * i);
      v = static_cast<T>(bits);
      at_ += sizeof(T);
    }
  }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
};

// Appends the record and zeros up to `size` bytes, which are as many as the record has, or more.
template <class Record>
constexpr void write_record(std::vector<std::uint8_t>& out, Record r, std::size_t size) {
  const auto start = out.size();
  out.resize(start + size, 0);
  byte_writer io(out.data() + start);
  Record::fields(r, io);
}

// The record number `index` of a list of records of `size` bytes each; an `error` if the list is
// shorter.
template <class Record>
Record read_record(std::span<const std::uint8_t> list, std::size_t index, std::size_t size) {
  if (size < byte_size<Record>() || index >= list.size() / size)
    throw error(text("record ", index, " of ", size, " bytes is outside of a list of ", list.size(),
                     " bytes"));
  Record r{};
  byte_reader io(list.subspan(index * size, size));
  Record::fields(r, io);
  return r;
}

}  // namespace nvdlac::emit
