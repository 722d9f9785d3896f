// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"

using namespace nvdlac;

namespace {

// Every case of the folder must pass: so many.
template <hw::hardware Hw>
void check_folder(std::string_view folder, std::size_t cases) {
  const auto all = golden::traces(folder);
  if (all.empty()) return;
  for (const auto& path : all) {
    CAPTURE(path.string());
    std::vector<sim::difference> differences;
    REQUIRE_NOTHROW(differences = sim::replay<Hw>(path));
    CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
  }
  CHECK(all.size() == cases);
}

}  // namespace

TEST_CASE("golden: nv_small") { check_folder<nv_small>("nv_small", 37); }
TEST_CASE("golden: public traces of nv_small") { check_folder<nv_small>("public/nv_small", 35); }
TEST_CASE("golden: nv_small_256") { check_folder<nv_small_256>("nv_small_256", 37); }
TEST_CASE("golden: nv_small_256_full") {
  check_folder<nv_small_256_full>("nv_small_256_full", 48);
}
TEST_CASE("golden: nv_medium_512") { check_folder<nv_medium_512>("nv_medium_512", 37); }
TEST_CASE("golden: nv_medium_1024_full") {
  check_folder<nv_medium_1024_full>("nv_medium_1024_full", 44);
}
TEST_CASE("golden: nv_large") { check_folder<nv_large>("nv_large", 43); }
TEST_CASE("golden: public traces of nv_large") { check_folder<nv_large>("public/nv_large", 6); }
TEST_CASE("golden: nv_full") { check_folder<nv_full>("nv_full", 95); }
TEST_CASE("golden: public traces of nv_full") {
  check_folder<nv_full>("public/nv_full", 5);
}

TEST_CASE("golden: a trace runs only on its own configuration") {
  const auto path = shared_path("golden/nv_small/conv_1x1_int8/trace.txt");
  if (!path) return;
  CHECK_THROWS_WITH_AS(sim::replay<nv_small_256>(*path), doctest::Contains("nv_small_256"), error);
}
