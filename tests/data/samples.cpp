// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/data/inputs.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/data/samples.hpp>

#include "bytes.hpp"
#include "scratch.hpp"

using namespace nvdlac::data;

namespace {

constexpr nvdlac::net::shape colour{3, 1, 2};
const std::vector<float> planes{97, 100, 98, 101, 99, 102};  // of "abcdef"

}  // namespace

TEST_CASE("one picture gives the same values in every kind of file") {
  const scratch dir;
  const auto one = [](const std::filesystem::path& path) {
    const auto list = read_samples({path}, colour);
    REQUIRE(list.size() == 1);
    return list[0].values;
  };
  using namespace std::string_literals;
  CHECK(one(dir.write("a.ppm", "P6 2 1 255 abcdef")) == planes);
  CHECK(one(dir.write("a.raw", "abcdef")) == planes);
  CHECK(one(dir.write("a.idx", "\0\0\x08\3\0\0\0\1\0\0\0\2\0\0\0\3abcdef"s)) == planes);
  CHECK(one(dir.write("b.idx", "\0\0\x08\3\0\0\0\3\0\0\0\1\0\0\0\2adbecf"s)) == planes);
  CHECK(one(dir.write("a.npy", to_npy({{3, 1, 2}, planes}))) == planes);
  CHECK(one(dir.write("b.npy", to_npy({{1, 2, 3}, {97, 98, 99, 100, 101, 102}}))) == planes);
  std::string floats(24, '\0');
  std::memcpy(floats.data(), planes.data(), 24);
  CHECK(one(dir.write("b.raw", floats)) == planes);
}

TEST_CASE("bytes are preprocessed, floats are not") {
  const scratch dir;
  const sample_options half{.how = {.scale = {0.5F}}};
  const auto pixels = read_samples({dir.write("a.pgm", "P5 1 2 255 bd")}, {1, 2, 1}, half);
  CHECK(pixels.at(0).values == std::vector<float>{49, 50});
  CHECK(pixels.at(0).pixels == std::vector<std::uint8_t>{98, 100});
  const auto floats = read_samples({dir.write("a.npy", to_npy({{2}, {98, 100}}))}, {1, 2, 1}, half);
  CHECK(floats.at(0).values == std::vector<float>{98, 100});
  CHECK(floats.at(0).pixels.empty());
}

TEST_CASE("directories are read in the order of names, collections element by element") {
  const scratch dir;
  dir.write("c.pgm", "P5 1 1 255 c");
  dir.write("a.pgm", "P5 1 1 255 a");
  dir.write("b.npy", to_npy({{2, 1, 1}, {5, 6}}));
  dir.write("labels.txt", "not an input");
  std::string names;
  for (const auto& s : read_samples({dir.path, dir.path / "a.pgm"}, {1, 1, 1}))
    names += s.name + '=' + nvdlac::text(s.values.at(0)) + ' ';
  CHECK(names == "a.pgm=97 b.npy[0]=5 b.npy[1]=6 c.pgm=99 a.pgm=97 ");
}

TEST_CASE("a grey picture with one row per input is a collection") {
  const scratch dir;
  const auto list = read_samples({dir.write("all.pgm", "P5 6 3 255 abcdefABCDEF123456")},
                                 {3, 2, 1});
  REQUIRE(list.size() == 3);
  CHECK(list[0].values == planes);
  CHECK(list[2].name == "all.pgm[2]");
}

TEST_CASE("every wrong file is named") {
  const scratch dir;
  const auto small = dir.write("a.pgm", "P5 1 1 255 c");
  const auto absent = dir.path / "absent.png";
  const auto text_file = dir.write("b.png", "hello");
  const auto message =
      said([&] { read_samples({small, absent, text_file}, {1, 2, 2}); });
  CHECK(says(message, "a.pgm: is 1x1 pixels, the network takes 2x2"));
  CHECK(says(message, "absent.png: there is no such file"));
  CHECK(says(message, "b.png: is not a picture"));
  std::filesystem::create_directory(dir.path / "empty");
  CHECK(says(said([&] { read_samples({dir.path / "empty"}, {1, 1, 1}); }), "no input is found"));
  CHECK(says(said([&] { read_samples({dir.write("x.raw", "123")}, {1, 1, 1}); }), "has 3 bytes"));
}

TEST_CASE("what many files share is told once") {
  const scratch dir;
  for (int i = 0; i < 30; ++i)
    dir.write(nvdlac::text("small", 10 + i, ".pgm"), "P5 1 1 255 c");
  dir.write("wide.pgm", "P5 3 1 255 abc");
  dir.write("z.png", "hello");
  const auto message = said([&] { read_samples({dir.path}, {1, 2, 2}); });
  CHECK(says(message, "small10.pgm: is 1x1 pixels, the network takes 2x2 (so it is with 30 more "
                      "files)"));
  CHECK_FALSE(says(message, "small11.pgm"));
  CHECK(says(message, "z.png: is not a picture"));
}

TEST_CASE("directories of a directory are classes, in the order of their names") {
  const scratch dir;
  for (const char* of_class : {"dogs", "cats", "empty"})
    std::filesystem::create_directory(dir.path / of_class);
  dir.write("dogs/b.pgm", "P5 1 1 255 b");
  dir.write("cats/z.pgm", "P5 1 1 255 z");
  dir.write("dogs/a.pgm", "P5 1 1 255 a");
  std::string found;
  for (const auto& s : read_samples({dir.path}, {1, 1, 1}))
    found += nvdlac::text(s.name, '=', s.label.value(), ' ');
  CHECK(found == "z.pgm=0 a.pgm=1 b.pgm=1 ");
  dir.write("one.pgm", "P5 1 1 255 c");  // then it is a directory of inputs
  CHECK_FALSE(read_samples({dir.path}, {1, 1, 1}).at(0).label);
}

TEST_CASE("a class without inputs has its number, and a note; hidden directories are no classes") {
  const scratch dir;
  for (const char* of_class : {".ipynb_checkpoints", "cats", "dogs", "eels"})
    std::filesystem::create_directory(dir.path / of_class);
  dir.write(".ipynb_checkpoints/a.pgm", "P5 1 1 255 a");
  dir.write("dogs/b.pgm", "P5 1 1 255 b");
  dir.write("eels/c.pgm", "P5 1 1 255 c");
  const auto notes = [&] {
    const std::vector paths{dir.path};
    return sample_files(paths, {1, 1, 1}).passed_over().at(0).reason;
  };
  const auto all = read_samples({dir.path}, {1, 1, 1});
  REQUIRE(all.size() == 2);
  CHECK(all[0].label == 1);
  CHECK(all[1].label == 2);
  CHECK(notes() == "the folder 'cats', class 0, has no inputs");
  std::filesystem::create_directory(dir.path / "bees");
  CHECK(notes() == "2 folders of classes have no inputs ('bees', class 0, is the first)");
}

TEST_CASE("what was done to a picture is noted") {
  const scratch dir;
  const auto grey = dir.write("g.pgm", "P5 2 1 255 ab");
  CHECK(read_samples({grey}, {3, 1, 2}).at(0).notes ==
        std::vector<std::string>{"grey and taken as colour"});
  const auto colours = dir.write("c.ppm", "P6 2 1 255 abcdef");
  CHECK(read_samples({colours}, {1, 1, 2}).at(0).notes ==
        std::vector<std::string>{"in colour and made grey"});
  CHECK(read_samples({colours}, {1, 1, 2}, {.how = {.order = channel_order::grey}})
            .at(0).notes.empty());
  CHECK(read_samples({colours}, colour).at(0).notes.empty());
}

TEST_CASE("the digits of the example are read") {
  const std::filesystem::path digits(NVDLAC_SOURCE_DIR "/examples/digits");
  const auto drawn = read_samples({digits / "images"}, {1, 28, 28});
  REQUIRE(drawn.size() == 20);
  CHECK(drawn[0].name == "0_a.pgm");
  CHECK(drawn[19].name == "9_b.pgm");
  CHECK(read_samples({digits / "calibration.idx"}, {1, 28, 28}).size() == 100);
}

TEST_CASE("the extension of a file may have letters of any case") {
  const scratch dir;
  dir.write("a.PGM", "P5 1 1 255 a");
  dir.write("b.JPEG", "P5 1 1 255 b");  // what it holds is told by its first bytes
  dir.write("c.Raw", "c");
  dir.write("d.TXT", "not an input");
  std::string found;
  for (const auto& s : read_samples({dir.path}, {1, 1, 1}))
    found += s.name + '=' + nvdlac::text(s.values.at(0)) + ' ';
  CHECK(found == "a.PGM=97 b.JPEG=98 c.Raw=99 ");
}

TEST_CASE("pictures of any size become those of the network where that is wanted") {
  const scratch dir;
  const auto file = dir.write("wide.ppm", "P6 4 1 255 abcdefghijkl");
  const sample_options fill{.how = {.size = {.resize = nvdlac::net::resizing::fill}}};
  const auto one = read_samples({file}, {3, 1, 1}, fill);
  CHECK(one.at(0).pixels == std::vector<std::uint8_t>{'d', 'e', 'f'});
  // One row of as many numbers as the network takes is a picture then, and no collection.
  const auto row = dir.write("row.pgm", "P5 4 1 255 abcd");
  CHECK(read_samples({row}, {1, 2, 2}).at(0).values == std::vector<float>{97, 98, 99, 100});
  CHECK(read_samples({row}, {1, 2, 2}, fill).at(0).values != std::vector<float>{97, 98, 99, 100});
  CHECK(says(said([&] { read_samples({dir.write("a.npy", to_npy({{3}, {1, 2, 3}}))}, {1, 2, 2},
                                     fill); }),
             "has dimensions 3, the network takes 1x2x2"));
}

TEST_CASE("WebP is read where nvdlac is built with its library, and refused otherwise") {
  using namespace std::string_literals;
  // "abcdef", and the same of which "abc" is half transparent; without loss.
  const auto webp =
      "RIFF0\000\000\000WEBPVP8L$\000\000\000/\001\000\000\000\017@\220m\033\332v\323"
      "\023d\333\206\266\235\364\004\331\266\241mG\375\374\307\377\333\240\002\021\375"
      "\017"s;
  const auto alpha =
      "RIFF2\000\000\000WEBPVP8L%\000\000\000/\001\000\000\020\017@\220m\033\332v\323"
      "\023d\333\206\266\235\364\004\331\266\241mG\375\377\000\343\277mQ\201\210\376"
      "\007\000"s;
  const scratch dir;
  const auto file = dir.write("a.webp", webp);
#ifdef NVDLAC_WEBP
  const auto one = read_samples({dir.path}, colour);
  REQUIRE(one.size() == 1);
  CHECK(one[0].values == planes);
  const auto cut = dir.write("b.webp", webp.substr(0, webp.size() - 8));
  CHECK(says(said([&] { read_samples({cut}, colour); }), "b.webp: is a damaged picture"));
  const auto half = dir.write("c.webp", alpha);
  CHECK(says(said([&] { read_samples({half}, colour); }), "c.webp: is partly transparent"));
#else
  CHECK(says(said([&] { read_samples({dir.path}, {3, 1, 1}); }),
             "a.webp: is a WebP picture, for which this nvdlac is built without libwebp"));
#endif
}

namespace {

template <class T>
std::shared_ptr<const T> kept(std::vector<T> values) {
  const auto all = std::make_shared<const std::vector<T>>(std::move(values));
  return {all, all->data()};
}

}  // namespace

TEST_CASE("arrays in memory are inputs as those in files are") {
  const scratch dir;
  const std::vector<float> floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  write_npy(dir.path / "f.npy", {{2, 1, 2, 3}, floats});
  const wanted_input wanted{"data", {1, 2, 3}, {}};
  const shared_array array{"array", {2, 1, 2, 3}, kept(floats)};
  const input_files files(input_paths{{dir.path / "f.npy"}}, {wanted});
  const input_files same(input_arrays{array}, {wanted});
  const array_inputs any(input_arrays{array}, {wanted});
  CHECK(same.size() == 2);
  CHECK(any.size() == 2);
  CHECK(!same.all_pictures());
  std::vector<std::vector<float>> of_files, of_arrays;
  files.each([&](auto&& set) { of_files.push_back(set.values[0].values); });
  same.each([&](auto&& set) { of_arrays.push_back(set.values[0].values); });
  CHECK(of_files == of_arrays);
  CHECK(any.at(1).values[0].values == of_files[1]);
  CHECK(any.at(1).name == "array[1]");
}

TEST_CASE("arrays of bytes are pixels, and are not copied") {
  const auto bytes = kept(std::vector<std::uint8_t>{10, 20, 30, 40});
  const wanted_input wanted{"data", {1, 2, 2}, {.how = {.mean = {10}, .scale = {0.5}}}};
  const array_inputs one({{"a", {2, 2}, bytes}}, {wanted});
  CHECK(bytes.use_count() == 2);
  CHECK(one.size() == 1);
  CHECK(one.at(0).values[0].values == std::vector<float>{0, 5, 10, 15});
  CHECK(one.at(0).values[0].pixels == std::vector<std::uint8_t>{10, 20, 30, 40});
}

TEST_CASE("arrays that do not fit are refused") {
  const wanted_input wanted{"data", {1, 2, 2}, {}};
  const auto four = kept(std::vector<float>{1, 2, 3, std::numeric_limits<float>::infinity()});
  CHECK_THROWS_AS(array_inputs({{"a", {3, 3}, four}}, {wanted}), const nvdlac::error&);
  const array_inputs infinite({{"a", {2, 2}, four}}, {wanted});
  CHECK_THROWS_WITH_AS((void)infinite.at(0), doctest::Contains("finite floats"),
                       const nvdlac::error&);
  const auto eight = kept(std::vector<float>(8, 1));
  CHECK_THROWS_WITH_AS(
      array_inputs({{"a", {2, 2, 2}, eight}, {"b", {2, 2}, eight}},
                         {wanted, {"more", {1, 2, 2}, {}}}),
      doctest::Contains("has 1 value, but 'data' has 2"), const nvdlac::error&);
}
