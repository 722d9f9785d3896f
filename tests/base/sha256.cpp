// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/base/sha256.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace nvdlac;

namespace {

constexpr digest of(std::string_view text) { return sha256().update(text).finish(); }

constexpr digest from(std::string_view hex) {
  digest d;
  const auto digit = [&](std::size_t i) {
    return static_cast<std::uint8_t>(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
  };
  for (std::size_t i = 0; i < d.bytes.size(); ++i)
    d.bytes[i] = static_cast<std::uint8_t>(digit(2 * i) << 4 | digit(2 * i + 1));
  return d;
}

// The examples of FIPS 180-4, which NIST publishes with all intermediate values.
static_assert(of("abc") ==
              from("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
static_assert(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
              from("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
static_assert(of("") == from("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));

}  // namespace

TEST_CASE("SHA-256 of a million letters is NIST's") {
  const std::string a(1'000'000, 'a');
  CHECK(of(a).hex() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on the pieces in which bytes come") {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < 300; ++i) {
    const auto whole = sha256().update(bytes).finish();
    for (const std::size_t piece : {1u, 7u, 63u, 64u, 65u}) {
      sha256 all;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        all.update(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
      REQUIRE(all.finish() == whole);
    }
    bytes.push_back(static_cast<std::uint8_t>(i * 37));
  }
}
