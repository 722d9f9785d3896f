// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/data/picture.hpp>

#include <tests/shared.hpp>

#include "bytes.hpp"

using namespace nvdlac::data;

namespace {

// 2x1 pixels, red and (1, 2, 3), as Pillow writes it
const auto small_png = bytes(
    "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\2\0\0\0\1\x08\2\0\0\0\x7b\x40\xe8\xdd"
    "\0\0\0\x0fIDAT\x78\x9c\x63\xf8\xcf\xc0\xc0\xc8\xc4\x0c\0\x06\x0b\1\6\4\x0b\x99\x2d"
    "\0\0\0\0IEND\xae\x42\x60\x82");

// 2x1 grey pixels of about 200
const std::string_view small_jpeg_hex =
    "ffd8ffe000104a46494600010100000100010000ffdb004300a06e788c7864a08c828cb4aaa0bef0fffff0dcdc"
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "c0000b080001000201011100ffc40014000100000000000000000000000000000003ffc4001410010000000000"
    "0000000000000000000000ffda0008010100003f0047ffd9";

file_bytes from_hex(std::string_view hex) {
  file_bytes b;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    b.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return b;
}

std::string refusal(const file_bytes& b) {
  return said([&] { parse_picture(b, "f"); });
}

file_bytes cut(const file_bytes& b, std::size_t n) {
  return {b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n)};
}

}  // namespace

TEST_CASE("a picture is turned upright as its EXIF orientation says") {
  const picture seen{2, 3, 1, bytes("abcdef")};  // abc over def
  const char* const upright[] = {"abcdef", "cbafed", "fedcba", "defabc",
                                 "adbecf", "daebfc", "fcebda", "cfbead"};
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const auto p = detail::turned(seen, orientation);
    CAPTURE(orientation);
    CHECK(p.pixels == bytes(upright[orientation - 1]));
    CHECK(p.height == (orientation < 5 ? 2U : 3U));
    CHECK(p.turned);
  }
}

TEST_CASE("the orientation is found in EXIF data of either order, and nowhere else") {
  using namespace std::string_literals;
  const auto jpeg = [](const std::string& tiff, const std::string& before = {}) {
    const std::string exif = "Exif\0\0"s + tiff;
    const auto length = exif.size() + 2;
    return bytes("\xFF\xD8"s + before + "\xFF\xE1"s + static_cast<char>(length >> 8) +
                 static_cast<char>(length & 255) + exif + "\xFF\xDA\0\2"s);
  };
  const auto little = "II*\0\x08\0\0\0\2\0"s + std::string(12, '\0') +
                      "\x12\1\3\0\1\0\0\0\6\0\0\0"s;
  const auto big = "MM\0*\0\0\0\x08\0\1"s + "\1\x12\0\3\0\0\0\1\0\x08\0\0"s;
  CHECK(detail::orientation_of(jpeg(little)) == 6);
  CHECK(detail::orientation_of(jpeg(big)) == 8);
  CHECK(detail::orientation_of(jpeg(big, "\xFF\xE0\0\4ab"s)) == 8);
  CHECK(detail::orientation_of(bytes("\xFF\xD8\xFF\xDA")) == 1);
  for (std::size_t n = 0; n <= big.size(); ++n) {  // cut anywhere, and never read past
    const auto found = detail::orientation_of(jpeg(big.substr(0, n)));
    CHECK((found == 1 || found == 8));
    auto cut = jpeg(little);
    cut.resize(cut.size() - std::min(n, cut.size()));
    CHECK(detail::orientation_of(cut) <= 8);
  }
}

TEST_CASE("PGM and PPM") {
  CHECK(parse_picture(bytes("P5\n# drawn\n2 3\n255\nabcdef"), "f") ==
        picture{3, 2, 1, bytes("abcdef")});
  CHECK(parse_picture(bytes("P6 1 2 255 abcdef"), "f") == picture{2, 1, 3, bytes("abcdef")});
  CHECK(says(refusal(bytes("P5 2 3 255 abcde")), "ends too early"));
  CHECK(says(refusal(bytes("P5 0 3 255 ")), "damaged"));
  CHECK(!refusal(bytes("P5 99999999 99999999 255 a")).empty());
  CHECK(!refusal(bytes("P5 16000000 16000000 255 a")).empty());
  CHECK(!refusal(bytes("P5")).empty());
}

TEST_CASE("the maximum of a PGM or PPM becomes 255, whatever it is") {
  const auto scaled = [](const std::string& head, const std::string& samples) {
    return parse_picture(bytes(head + samples), "f").pixels;
  };
  using pixels = std::vector<std::uint8_t>;
  CHECK(scaled("P5 5 1 100 ", {0, 1, 50, 99, 100}) == pixels{0, 3, 128, 252, 255});
  CHECK(scaled("P6 1 1 1\n", {0, 1, 1}) == pixels{0, 255, 255});
  // Samples above 255 have two bytes, the upper one first.
  CHECK(scaled("P5 3 1 65535 ", {'\0', '\0', '\x80', '\0', '\xff', '\xff'}) ==
        pixels{0, 128, 255});
  CHECK(scaled("P6 1 1 1023 ", {'\0', '\4', '\2', '\0', '\3', '\xff'}) == pixels{1, 128, 255});
  // More than the maximum is the maximum, as other readers have it.
  CHECK(scaled("P5 2 1 100 ", {101, '\xff'}) == pixels{255, 255});
  CHECK(says(refusal(bytes("P5 2 3 65535 abcdefghijk")), "ends too early"));
  CHECK(!refusal(bytes("P5 1 1 0 a")).empty());
  CHECK(!refusal(bytes("P5 1 1 65536 abc")).empty());
}

TEST_CASE("a whole PNG is read, a damaged one is refused") {
  CHECK(parse_picture(small_png, "f") == picture{1, 2, 3, bytes("\xff\0\0\1\2\3")});
  for (std::size_t n = 0; n < small_png.size(); ++n) CHECK(!refusal(cut(small_png, n)).empty());
  for (std::size_t n = 0; n < small_png.size(); ++n) {
    auto flipped = small_png;
    flipped[n] ^= 0x10;
    CAPTURE(n);
    CHECK(!refusal(flipped).empty());
  }
}

namespace {

std::string word(std::size_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}
std::string chunk(const std::string& type, const std::string& data) {
  boost::crc_32_type crc;
  crc.process_bytes((type + data).data(), 4 + data.size());
  return word(data.size()) + type + data + word(crc.checksum());
}
// A grey PNG whose data are unpacked to so many zeros, by Deflate's longest repetitions.
file_bytes png_of(std::size_t width, std::size_t height, std::size_t bytes, bool interlaced) {
  std::string packed = "\x78\x9c";
  std::uint32_t pending = 0;
  int bits = 0;
  const auto put = [&](std::uint32_t value, int count) {  // the lowest bit first
    for (int i = 0; i < count; ++i) {
      pending |= (value >> i & 1U) << bits++;
      if (bits < 8) continue;
      packed += static_cast<char>(std::exchange(pending, 0));
      bits = 0;
    }
  };
  const auto literal = [&] { put(0x0c, 8); };  // a zero: the code 00110000, its first bit first
  put(3, 3);  // the last block, of fixed codes
  literal();
  for (std::size_t left = bytes - 1; left > 0;) {
    if (left < 258) {
      literal();
      --left;
      continue;
    }
    put(0xa3, 8);  // the length 258: the code 11000101
    put(0, 5);     // from one byte before
    left -= 258;
  }
  put(0, 7);
  put(0, 7);
  packed += word((bytes % 65521 << 16) + 1);  // Adler's checksum of zeros
  const std::string header = word(width) + word(height) + std::string("\x08\0\0\0", 4) +
                             (interlaced ? '\1' : '\0');
  const auto all = "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) +
                   chunk("IEND", "");
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("a PNG unpacks to the bytes of its size, or is refused before it does") {
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{28, 28}, {1, 1}, {5, 3}}) {
    const auto bytes = height * (width + 1);
    CHECK(parse_picture(png_of(width, height, bytes, false), "f").pixels ==
          file_bytes(width * height, 0));
    for (const auto wrong : {bytes - 1, bytes + 1, bytes + 1000, std::size_t{1} << 28})
      CHECK(says(refusal(png_of(width, height, wrong, false)), "is a PNG whose data are not the "));
  }
  // 8 x 8 pixels in seven passes: 1, 1, 2 x 1, 2 x 2, 4 x 2, 4 x 4 and 8 x 4
  CHECK(parse_picture(png_of(8, 8, 64 + 15, true), "f").pixels == file_bytes(64, 0));
  CHECK(!refusal(png_of(8, 8, 64 + 16, true)).empty());
  CHECK(says(refusal(png_of(20000, 20000, 20000, false)), "--limit samples=400000000"));
}

TEST_CASE("a JPEG of very many scans is refused") {
  auto jpeg = from_hex(small_jpeg_hex);
  const auto scan = bytes("\xff\xda\0\x08\1\1\0\0\x3f\0\x47");
  for (int i = 0; i < 200; ++i)
    jpeg.insert(jpeg.end() - 2, scan.begin(), scan.end());
  CHECK(says(refusal(jpeg), "is a JPEG of 201 scans"));
}

TEST_CASE("a whole JPEG is read, one that is cut off is refused") {
  const auto jpeg = from_hex(small_jpeg_hex);
  const auto p = parse_picture(jpeg, "f");
  CHECK((p.width == 2 && p.height == 1 && p.channels == 1));
  CHECK(std::abs(int{p.pixels.at(0)} - 200) < 20);
  for (std::size_t n = 0; n < jpeg.size(); ++n) CHECK(!refusal(cut(jpeg, n)).empty());
}

TEST_CASE("random damage is survived") {
  std::mt19937 random(2);
  for (const auto& whole : {small_png, from_hex(small_jpeg_hex), bytes("P6 1 2 255 abcdef")})
    for (int i = 0; i < 2000; ++i) {
      auto b = whole;
      for (auto flips = random() % 4 + 1; flips > 0; --flips)
        b[random() % b.size()] = static_cast<std::uint8_t>(random());
      if (!refusal(b).empty()) continue;
      const auto p = parse_picture(b, "f");
      CHECK(p.pixels.size() == p.height * p.width * p.channels);
    }
}

TEST_CASE("what is no picture is refused") {
  CHECK(says(refusal({}), "not a picture"));
  CHECK(says(refusal(bytes("GIF89a")), "not a picture"));
  CHECK(says(refusal(bytes("\xff\xd8\xff\xe0 and so on")), "damaged"));
}

TEST_CASE("photos: PNG and BMP are read, every cut is refused") {
  for (const char* name : {"images/photos/cat_285.png", "images/photos/tflm_person.bmp"}) {
    const auto path = shared_path(name);
    if (!path) continue;
    const auto whole = read_file(*path);
    const auto p = parse_picture(whole, name);
    CHECK(p.pixels.size() == p.height * p.width * p.channels);
    CHECK((p.channels == 1 || p.channels == 3));
    std::mt19937 random(1);
    for (int i = 0; i < 20; ++i) CHECK(!refusal(cut(whole, random() % whole.size())).empty());
  }
}
