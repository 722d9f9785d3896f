// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes FlatBuffers while compiling, too: byte for byte what flatbuffers::FlatBufferBuilder makes
// of the same calls, which cannot run there. A file is built from its end; an offset is the
// distance of a thing's start from the end.
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nvdlac/base/constexpr_vector.hpp>
#include <nvdlac/base/label.hpp>

namespace nvdlac::emit {

namespace detail {

// Bytes that grow towards the front; those that are not written are 0. Not a std::vector, which
// takes a compiler 20 times the steps for each byte.
class growing_front {
 public:
  constexpr explicit growing_front(std::size_t room)
      : memory_(room == 0 ? nullptr : new std::uint8_t[room]{}), room_(room) {}
  growing_front(const growing_front&) = delete;
  growing_front& operator=(const growing_front&) = delete;
  constexpr ~growing_front() { delete[] memory_; }

  // The first of n bytes in front of all others.
  constexpr std::uint8_t* extend(std::size_t n) {
    if (n > room_ - size_) grow(n);
    size_ += n;
    return begin();
  }
  constexpr std::uint8_t* begin() { return memory_ + (room_ - size_); }
  constexpr std::size_t size() const { return size_; }

 private:
  constexpr void grow(std::size_t n) {
    const auto room = std::max(2 * room_, size_ + n + 1024);
    auto* const memory = new std::uint8_t[room]{};
    auto* to = memory + (room - size_);
    for (const std::uint8_t* from = begin(); from != memory_ + room_;) *to++ = *from++;
    delete[] memory_;
    memory_ = memory;
    room_ = room;
  }

  std::uint8_t* memory_ = nullptr;
  std::size_t room_ = 0, size_ = 0;
};

}  // namespace detail

class flat_builder {
 public:
  using offset = std::uint32_t;

 private:
  // Before what calls them, so that clang knows them when a constant needs them.
  constexpr offset size() const { return behind_ + static_cast<offset>(bytes_.size()); }

  // Zeros, so that what follows after `bytes` more is aligned.
  constexpr void pad(std::size_t bytes, std::size_t alignment) {
    largest_ = std::max(largest_, alignment);
    bytes_.extend((alignment - (size() + bytes) % alignment) % alignment);
  }
  constexpr void pad_vector(std::size_t values, std::size_t size_of_one) {
    if (values == 0) return;
    pad(values * size_of_one, sizeof(offset));
    pad(values * size_of_one, size_of_one);
  }
  template <class T>
  constexpr offset push(T value) {
    pad(0, sizeof(T));
    if constexpr (std::same_as<T, double>) {
      return push(std::bit_cast<std::uint64_t>(value));
    } else {
      write(bytes_.extend(sizeof(T)), value);
      return size();
    }
  }
  template <class T>
  static constexpr void write(std::uint8_t* to, T value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) *to++ = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  constexpr offset refer(offset to) {
    pad(0, sizeof(offset));
    return push(static_cast<offset>(size() - to + sizeof(offset)));
  }

 public:
  constexpr flat_builder() = default;
  // A file that ends with a vector of so many bytes, which are not here: only the bytes in front of
  // them are built. `end()` is the vector's offset.
  constexpr explicit flat_builder(std::uint64_t bytes_at_end, std::size_t room = 0)
      : bytes_(room), behind_(static_cast<offset>((bytes_at_end + 3) / 4 * 4)) {
    if (bytes_at_end > 0) end_ = push(static_cast<std::uint32_t>(bytes_at_end));
  }
  constexpr offset end() const { return end_; }

  constexpr offset string(std::string_view s) {
    pad(s.size() + 1, 4);
    auto* to = bytes_.extend(s.size() + 1);
    for (const char c : s) *to++ = static_cast<std::uint8_t>(c);
    return push(static_cast<std::uint32_t>(s.size()));
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr offset vector(const std::vector<T>& values) {
    pad_vector(values.size(), sizeof(T));
    if constexpr (std::same_as<T, std::uint8_t>) {
      auto* to = bytes_.extend(values.size());
      for (const auto* from = values.data(); from != values.data() + values.size();)
        *to++ = *from++;
    } else {
      for (std::size_t i = values.size(); i-- > 0;) push(values[i]);
    }
    return push(static_cast<std::uint32_t>(values.size()));
  }
  // A vector of tables or strings.
  constexpr offset offsets(const std::vector<offset>& to) {
    pad_vector(to.size(), sizeof(offset));
    for (std::size_t i = to.size(); i-- > 0;) refer(to[i]);
    return push(static_cast<std::uint32_t>(to.size()));
  }
  constexpr offset strings(const std::vector<label>& values) {
    std::vector<offset> to;
    for (const auto& s : values) to.push_back(string(s));
    return offsets(to);
  }
  // make(value, index) writes one and gives its offset.
  template <class T, class Make>
  constexpr offset tables(const std::vector<T>& values, const Make& make) {
    std::vector<offset> to;
    for (std::size_t i = 0; i < values.size(); ++i)
      to.push_back(make(values[i], static_cast<std::uint16_t>(i)));
    return offsets(to);
  }

  // A table: what it refers to is written before; then start, the fields, finish.
  constexpr void start_table() {
    fields_.clear();
    start_ = size();
  }
  // A number that is 0 takes no room.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr void add(std::uint16_t field, T value) {
    if (value != T{}) fields_.push_back({field, push(value)});
  }
  constexpr void add_offset(std::uint16_t field, offset to) {
    fields_.push_back({field, refer(to)});
  }
  // A struct of bytes inside of the table.
  template <std::size_t N>
  constexpr void add_bytes(std::uint16_t field, const std::array<std::uint8_t, N>& bytes) {
    std::copy(bytes.begin(), bytes.end(), bytes_.extend(N));
    fields_.push_back({field, size()});
  }
  constexpr offset finish_table() {
    const offset table = push(std::int32_t{0});
    std::vector<std::uint16_t> words(2, 0);
    for (const auto& f : fields_) {
      words.resize(std::max(words.size(), f.field / std::size_t{2} + 1), 0);
      words[f.field / 2] = static_cast<std::uint16_t>(table - f.at);
    }
    words[0] = static_cast<std::uint16_t>(2 * words.size());
    words[1] = static_cast<std::uint16_t>(table - start_);
    const auto same = std::find_if(vtables_.begin(), vtables_.end(),
                                   [&](const vtable& v) { return v.words == words; });
    offset at = 0;
    if (same != vtables_.end()) {
      at = same->at;
    } else {
      for (std::size_t i = words.size(); i-- > 0;) push(words[i]);
      at = size();
      vtables_.push_back({std::move(words), at});
    }
    // As an int32_t: to the front is positive.
    write(bytes_.begin() + (size() - table), at - table);
    return table;
  }

  // The bytes of the file whose root is that table, but for those at its end. They live as long as
  // the builder.
  constexpr std::span<const std::uint8_t> finish(offset root, std::string_view identifier) {
    pad(sizeof(offset) + identifier.size(), largest_);
    for (std::size_t i = identifier.size(); i-- > 0;)
      push(static_cast<std::uint8_t>(identifier[i]));
    refer(root);
    return {bytes_.begin(), bytes_.size()};
  }

 private:
  struct field_place {
    std::uint16_t field;
    offset at;
  };
  struct vtable {
    std::vector<std::uint16_t> words;
    offset at;
  };

  detail::growing_front bytes_{0};
  offset behind_ = 0, end_ = 0, start_ = 0;
  std::size_t largest_ = 1;
  std::vector<field_place> fields_{};
  std::vector<vtable> vtables_{};
};

}  // namespace nvdlac::emit
