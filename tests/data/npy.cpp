// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include <nvdlac/data/npy.hpp>

#include "bytes.hpp"
#include "scratch.hpp"
#include "special_files.hpp"

using namespace nvdlac::data;

namespace {

std::string header(const std::string& dictionary, char version = 1) {
  std::string s = "\x93NUMPY";
  s += {version, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (version == 2) s += {'\0', '\0'};
  return s + dictionary;
}

std::string simple(const std::string& type, const std::string& shape) {
  return header("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n");
}

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

std::string refusal(const std::string& content) {
  return said([&] { parse_npy(bytes(content), "f.npy"); });
}

template <class T>
void check_type(const std::string& name, T value) {
  CAPTURE(name);
  const auto file = parse_npy(bytes(simple(name, "(2,)") + raw(value) + raw(T{7})), "f");
  CHECK(file.content == array{{2}, {static_cast<float>(value), 7.0F}});
  CHECK(file.from_bytes == (name == "|u1"));
}

}  // namespace

TEST_CASE("every supported element type is read") {
  check_type<std::uint8_t>("|u1", 200);
  check_type<std::int8_t>("|i1", -100);
  check_type<std::uint16_t>("<u2", 60000);
  check_type<std::int16_t>("<i2", -30000);
  check_type<std::uint32_t>("<u4", 1 << 20);
  check_type<std::uint64_t>("<u8", 1 << 20);
  check_type<std::int32_t>("<i4", -70000);
  check_type<std::int64_t>("<i8", 1 << 24);
  check_type<float>("<f4", 1.5F);
  check_type<double>("<f8", -0.25);
}

TEST_CASE("truths, halves, and elements whose bytes have the other order are read") {
  const auto read = [](const std::string& type, const std::string& elements) {
    return parse_npy(bytes(simple(type, "(2,)") + elements), "f");
  };
  const auto truths = read("|b1", {'\1', '\0'});
  CHECK(truths.content == array{{2}, {1, 0}});
  CHECK_FALSE(truths.from_bytes);
  CHECK(read("<f2", {'\0', '\x3e', '\1', '\0'}).content == array{{2}, {1.5F, 0x1p-24F}});
  CHECK(read(">f2", {'\xbe', '\0', '\0', '\1'}).content == array{{2}, {-1.5F, 0x1p-24F}});
  CHECK(read(">f4", {'\x3f', '\xc0', '\0', '\0', '\xc0', '\0', '\0', '\0'}).content ==
        array{{2}, {1.5F, -2}});
  CHECK(read(">u2", {'\1', '\2', '\xff', '\0'}).content == array{{2}, {258, 65280}});
  CHECK(says(refusal(simple("<f2", "(1,)") + std::string{'\0', '\x7c'}), "element 0 is inf"));
}

TEST_CASE("an array in Fortran order is the one that it was saved of") {
  const auto read = [](const std::string& shape, const std::string& elements) {
    return parse_npy(bytes(header("{'descr': '|u1', 'fortran_order': True, 'shape': " + shape +
                                  ", }") + elements), "f").content;
  };
  // [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]], the first index running fastest.
  const std::string elements{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11};
  CHECK(read("(2, 3, 2)", elements) == array{{2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  CHECK(read("(2,)", "ab") == array{{2}, {97, 98}});
  CHECK(read("(0, 3)", "") == array{{0, 3}, {}});
}

TEST_CASE("both versions, any order of keys, any shape") {
  const std::string turned = "{'shape': (1, 2), 'descr': '|u1', 'fortran_order': False}";
  for (const char version : {'\1', '\2'})
    CHECK(parse_npy(bytes(header(turned, version) + "ab"), "f").content ==
          array{{1, 2}, {97, 98}});
  CHECK(parse_npy(bytes(simple("|u1", "()") + "a"), "f").content == array{{}, {97}});
  CHECK(parse_npy(bytes(simple("|u1", "(0, 3)")), "f").content == array{{0, 3}, {}});
}

TEST_CASE("what is written is read back, and is what NumPy writes") {
  const array a{{2, 1, 3}, {0, -1.5F, 2, 1e-30F, 1e30F, 5}};
  const auto written = to_npy(a);
  CHECK(parse_npy(bytes(written), "f").content == a);
  CHECK((written.size() - 24) % 64 == 0);
  CHECK(written.substr(10, 59) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3)");
  CHECK(to_npy({{4}, {1, 2, 3, 4}}).find("'shape': (4,), }") != std::string::npos);
  CHECK(to_npy({{}, {1}}).find("'shape': (), }") != std::string::npos);
}

TEST_CASE("an array that cannot be written leaves the one of before") {
  const scratch dir;
  const auto path = dir.write("a.npy", "of before");
  const file_size_limit small(100);
  CHECK_THROWS_WITH_AS(write_npy(path, {{100}, std::vector<float>(100)}),
                       doctest::Contains("a.npy: cannot be written: File too large"),
                       nvdlac::error);
  CHECK(std::filesystem::file_size(path) == 9);
  CHECK(dir.files() == 1);
}

TEST_CASE("what is not supported is refused with its reason") {
  CHECK(refusal("PK\3\4") == "f.npy: is not a NumPy file");
  CHECK(says(refusal(header("{}", 3)), "version 3"));
  CHECK(says(refusal(simple("f4", "(1,)") + "abcd"), "type 'f4'"));
  CHECK(says(refusal(simple("", "(1,)") + "abcd"), "type ''"));
  CHECK(says(refusal(simple("<c8", "(1,)") + "abcdefgh"), "type '<c8'"));
  CHECK(says(refusal(simple("<U4", "(1,)") + "abcdefgh"), "convert it"));
  CHECK(says(refusal(header("{'descr': '|u1', 'fortran_order': Yes, 'shape': (1,), }") + "a"),
             "damaged"));
}

TEST_CASE("values that no float holds are refused") {
  CHECK(says(refusal(simple("<f4", "(2,)") + raw(1.0F) +
                     raw(std::numeric_limits<float>::quiet_NaN())),
             "element 1 is nan"));
  CHECK(says(refusal(simple("<f4", "(1,)") + raw(std::numeric_limits<float>::infinity())), "inf"));
  CHECK(says(refusal(simple("<f8", "(1,)") + raw(1e300)), "1e+300"));
  CHECK(says(refusal(simple("<i4", "(1,)") + raw((1 << 24) + 1)), "element 0"));
}

TEST_CASE("damaged headers and sizes are refused") {
  const auto good = simple("<f4", "(1, 2)") + raw(1.0F) + raw(2.0F);
  REQUIRE(refusal(good).empty());
  for (std::size_t n = 0; n < good.size(); ++n) CHECK(!refusal(good.substr(0, n)).empty());
  CHECK(!refusal(good + "x").empty());
  CHECK(says(refusal(simple("<f4", "(18446744073709551615, 18446744073709551615)") + "abcd"),
             "promises"));
  CHECK(says(refusal(simple("<f4", "(99999999999999999999,)")), "damaged"));
  CHECK(says(refusal(simple("<f4", "(-1,)")), "damaged"));
  CHECK(says(refusal(simple("<f4", "[1]")), "damaged"));
  CHECK(says(refusal(header("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}")), "damaged"));
  CHECK(says(refusal(header("{'descr': '<f4', 'shape': (1,)}")), "damaged"));
}
