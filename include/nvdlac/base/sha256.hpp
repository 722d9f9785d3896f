// SPDX-License-Identifier: Apache-2.0
#pragma once
// SHA-256 as FIPS 180-4 defines it, while compiling as well.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// The SHA-256 digest of a sequence of bytes.
struct digest {
  std::array<std::uint8_t, 32> bytes{};

  // In 64 lower-case hexadecimal digits, as `sha256sum` prints it.
  std::string hex() const {
    std::string digits;
    for (const auto b : bytes) {
      digits += "0123456789abcdef"[b >> 4];
      digits += "0123456789abcdef"[b & 15];
    }
    return digits;
  }
  constexpr auto operator<=>(const digest&) const = default;
};

// Takes bytes in pieces of any size.
class sha256 {
 public:
  constexpr sha256& update(std::span<const std::uint8_t> data) {
    for (std::size_t at = 0; at < data.size();) {
      const auto n = std::min(data.size() - at, block_.size() - filled_);
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), n,
                  block_.begin() + static_cast<std::ptrdiff_t>(filled_));
      at += n;
      filled_ += n;
      if (filled_ == block_.size()) compress();
    }
    length_ += data.size();
    return *this;
  }
  constexpr sha256& update(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      update(std::span(&byte, 1));
    }
    return *this;
  }

  // Returns the digest of all bytes until now.
  constexpr digest finish() const {
    auto last = *this;
    constexpr std::array<std::uint8_t, 72> padding{0x80};
    const auto zeros = (119 - filled_) % 64;  // to 8 bytes before a block's end (section 5.1.1)
    last.update(std::span(padding).first(1 + zeros));
    std::array<std::uint8_t, 8> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits[i] = static_cast<std::uint8_t>((8 * length_) >> (56 - 8 * i));
    last.update(bits);
    digest d;
    for (std::size_t i = 0; i < d.bytes.size(); ++i)
      d.bytes[i] = static_cast<std::uint8_t>(last.state_[i / 4] >> (24 - 8 * (i % 4)));
    return d;
  }

 private:
  // Section 4.2.2.
  static constexpr std::array<std::uint32_t, 64> constants{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};

  // Section 6.2.2, of the block.
  constexpr void compress() {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < block_.size(); ++i)
      w[i / 4] |= std::uint32_t{block_[i]} << (24 - 8 * (i % 4));
    for (std::size_t t = 16; t < w.size(); ++t) {
      const auto a = w[t - 15], b = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[t - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t < w.size(); ++t) {
      const auto t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                      ((e & f) ^ (~e & g)) + constants[t] + w[t];
      const auto t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                      ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
    filled_ = 0;
  }

  // Section 5.3.3.
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;     // of the block
  std::uint64_t length_ = 0;  // bytes until now
};

}  // namespace nvdlac
