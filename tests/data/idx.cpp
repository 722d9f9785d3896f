// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/data/file.hpp>

#include "bytes.hpp"

using nvdlac::data::parse_idx;

TEST_CASE("an IDX file is read") {
  const auto file = parse_idx(bytes("\0\0\x08\x02\0\0\0\x02\0\0\0\x03" "abcdef"), "f");
  CHECK(file.dims == std::vector<std::size_t>{2, 3});
  CHECK(file.values == bytes("abcdef"));
}

TEST_CASE("a damaged IDX file is refused") {
  const auto refusal = [](const nvdlac::data::file_bytes& b) {
    return said([&] { parse_idx(b, "f.idx"); });
  };
  CHECK(refusal({}) == "f.idx: is not an IDX file");
  CHECK(refusal(bytes("\1\0\x08\x01\0\0\0\0")) == "f.idx: is not an IDX file");
  CHECK(says(refusal(bytes("\0\0\x0d\x01\0\0\0\0")), "element type 13"));
  CHECK(says(refusal(bytes("\0\0\x08\x00")), "0 dimensions"));
  CHECK(says(refusal(bytes("\0\0\x08\x05\0\0\0\0")), "5 dimensions"));
  CHECK(says(refusal(bytes("\0\0\x08\x02\0\0\0\0")), "inside its IDX header"));
  CHECK(says(refusal(bytes("\0\0\x08\x01\0\0\0\x03" "ab")), "holds 2 values"));
  CHECK(says(refusal(bytes("\0\0\x08\x01\0\0\0\x03" "abcd")), "holds 4 values"));
  // 2^32 - 1 cubed overflows; nothing may be allocated for it
  CHECK(says(refusal(bytes("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")),
             "promises 4294967295x"));
}
