// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile files of Keras: an error that names the file, or a network, and no crash.
#include "keras_model.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/model.hpp>

#include "files.hpp"
#include "nightly.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;

namespace {

const std::string config = keras_model::sequence(
    "[null, 4, 4, 2]", "Conv2D", R"("filters": 3, "kernel_size": [3, 3], "activation": "relu")");

std::string small_hdf5() {
  return keras_model::hdf5(
      config, {{"it", {{"it/kernel:0", {3, 3, 2, 3}}, {"it/bias:0", {3}}}}});
}
std::string small_weights(bool zipped = false) {
  return keras_model::groups_of_3({{"layers/conv2d", {{"", {3, 3, 2, 3}}, {"", {3}}}}}, zipped);
}
std::string small_archive(bool deflated = false) {
  return keras_model::archive_of_3(config, small_weights(), deflated);
}
void read(const std::string& content) {
  try {
    (void)import::keras_from(content, "damaged");
  } catch (const error& e) {
    for (const auto& p : e.problems()) CHECK(p.file == "damaged");
  }
}
std::string complaint(const std::string& content, const budget& limits = {}) {
  return complaints([&] { (void)import::keras_from(content, "hostile", {.limits = limits}); });
}

}  // namespace

TEST_CASE("damaged Keras files") {
  for (const auto& sound : {small_hdf5(), small_archive(), small_archive(true)}) {
    CHECK(import::keras_from(sound, "sound").size() >= 2);
    std::mt19937 random(7);
    for (std::size_t n = 0; n < sound.size(); n += 1 + n / 64) read(sound.substr(0, n));
    for (int i = 0; i < (is_night() ? 1000 : 120); ++i) {  // each is a process of its own
      auto damaged = sound;
      for (unsigned k = 0; k <= random() % 3; ++k)
        damaged[random() % damaged.size()] = static_cast<char>(random() % 4 == 0 ? 255 : random());
      read(damaged);
    }
  }
}

// HDF5's own library searches the first for ever, and reads beyond the end of the second.
TEST_CASE("texts of Keras files whose collection is damaged") {
  const auto sound = small_hdf5();
  const auto texts = sound.find("GCOL");
  REQUIRE(texts != sound.npos);
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t n = 0;
    for (std::size_t i = bytes; i-- > 0;) n = n << 8 | static_cast<std::uint8_t>(sound[at + i]);
    return n;
  };
  // Objects have 16 bytes before their own; number 0 is the room left.
  const auto first = texts + 16;
  auto room = first;
  while (number(room, 2) != 0) room += 16 + align_up(number(room + 8, 8), 8);
  auto content = sound;
  content.replace(room + 8, 8, 8, '\0');
  read(content);
  content = sound;
  content.replace(first + 8, 8, 8, '\x7f');
  CHECK(mentions(complaint(content), "hostile: it"));
  content = sound;
  content[first] = '\x70';  // another number than the attribute asks for
  CHECK(mentions(complaint(content), "hostile: it"));
}

TEST_CASE("Keras archives that are hostile or none") {
  const keras_model::member json{"config.json", config}, weights{"model.weights.h5",
                                                                small_weights()};
  CHECK(mentions(complaint(archived::archive_of({json, weights, {"../evil", "x"}})),
                 "outside of itself"));
  CHECK(mentions(complaint(archived::archive_of({json, weights, {"/evil", "x"}})),
                 "outside of itself"));
  CHECK(mentions(complaint(archived::archive_of({json, weights, json})), "two members"));
  CHECK(mentions(complaint(archived::archive_of(
                     {{"config.json", "no json"}, weights, {"metadata.json", "{}"}})),
                 "is no JSON"));
  CHECK(mentions(complaint(archived::archive_of({{"config.json", std::string(1000, '[')},
                                                  weights})),
                 "brackets"));
  const budget few{.weights = 20};  // fewer than the kernel has
  CHECK(mentions(complaint(small_archive(), few), "--limit weights="));
  CHECK(mentions(complaint(small_hdf5(), few), "--limit weights="));
  CHECK(import::keras_from(keras_model::archive_of_3(config, small_weights(true)), "gzip").size() >=
        2);
}

TEST_CASE("data of Keras files outside of them is not read") {
  keras_model::writer w;
  w.text("", "model_config", {config}, true);
  w.text("", "keras_version", {"2.4.0"}, true);
  w.group("/model_weights/it");
  w.text("/model_weights", "layer_names", {"it"});
  w.text("/model_weights/it", "weight_names", {"outside", "bias"});
  w.dataset("/model_weights/it/bias", {"", {3}});
  H5Lcreate_external("/etc/other.h5", "/kernel", w.file(), "/model_weights/it/outside",
                     H5P_DEFAULT, H5P_DEFAULT);
  CHECK(mentions(complaint(w.content()), "the file has no dataset"));
  H5Ldelete(w.file(), "/model_weights/it/outside", H5P_DEFAULT);
  const hsize_t shape[] = {3, 3, 2, 3};
  const hid_t space = H5Screate_simple(4, shape, nullptr), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(how, "/etc/hostname", 0, 54 * 4);
  H5Dclose(H5Dcreate2(w.file(), "/model_weights/it/outside", H5T_IEEE_F32LE, space, H5P_DEFAULT,
                      how, H5P_DEFAULT));
  H5Pclose(how);
  H5Sclose(space);
  CHECK(mentions(complaint(w.content()), "in other files"));
}

TEST_CASE("a small HDF5 file that describes large data is refused before it is read") {
  keras_model::writer w;
  w.text("", "model_config", {config}, true);
  w.group("/model_weights/it");
  w.text("/model_weights", "layer_names", {"it"});
  w.text("/model_weights/it", "weight_names", {"kernel", "bias"});
  w.dataset("/model_weights/it/bias", {"", {3}});
  const hsize_t shape[] = {3, 3, 1 << 14, 1 << 10};
  const hid_t space = H5Screate_simple(4, shape, nullptr);
  H5Dclose(H5Dcreate2(w.file(), "/model_weights/it/kernel", H5T_IEEE_F32LE, space, H5P_DEFAULT,
                      H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  CHECK(mentions(complaint(w.content()), "bytes for"));
}

TEST_CASE("groups that links show in themselves, or at a great many places, are refused at once") {
  const auto complaint_of = [](const keras_model::writer& w) {
    return complaints([&] {
      (void)import::keras_network_from(keras_model::archive_of_3(config, w.content()), "net.keras");
    });
  };
  {
    keras_model::writer round;
    round.group("/layers");
    for (const char* link : {"/layers/a", "/layers/b"})
      H5Lcreate_hard(round.file(), "/layers", round.file(), link, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(mentions(complaint_of(round), "its group '/layers/a' has several names"));
  }
  {
    keras_model::writer tree;
    std::string path = "/layers";
    for (int depth = 0; depth < 25; ++depth) {
      tree.group(path + "/a");
      H5Lcreate_hard(tree.file(), (path + "/a").c_str(), tree.file(), (path + "/b").c_str(),
                     H5P_DEFAULT, H5P_DEFAULT);
      path += "/a";
    }
    CHECK(mentions(complaint_of(tree), "has several names"));
  }
  keras_model::writer deep;
  std::string path;
  for (int depth = 0; depth < 50; ++depth) path += "/a";
  deep.group(path);
  CHECK(mentions(complaint_of(deep), "more than 40 deep"));
}

TEST_CASE("all questions to HDF5's library together have one limit of time") {
  keras_model::writer w;
  w.dataset("/values", {"", {2, 3}});
  const auto content = w.content();
  const import::hdf5_file f(content, {});
  const auto complaint = complaints([&] {
    for (;;) (void)f.children("");
  });
  CHECK(mentions(complaint, "reads it without end"));
}

TEST_CASE("small archives and texts that unpack to large ones are refused before they are") {
  const auto complaint_of = [](const std::string& archive) {
    return complaints([&] { (void)import::keras_network_from(archive, "net.keras"); });
  };
  const auto weights = keras_model::groups_of_3({});
  // Each comma stands for 255 brackets within one another.
  std::string nested, brackets = std::string(200, '[') + std::string(200, ']');
  for (int i = 0; i < 40'000; ++i) nested += (i == 0 ? "[" : ",") + brackets;
  const auto json = keras_model::archive_of_3(nested + ']', weights, true);
  CHECK(json.size() < 100'000);
  CHECK(mentions(complaint_of(json), "--limit fields="));
  const auto zeros = keras_model::archive_of_3(config, std::string(80'000'000, '\0'), true);
  CHECK(zeros.size() < 100'000);
  CHECK(mentions(complaint_of(zeros), "--limit constants="));
}

TEST_CASE("compressed values of an HDF5 file are limited together") {
  keras_model::writer w;
  const hsize_t shape[] = {1 << 22};
  const hid_t space = H5Screate_simple(1, shape, nullptr), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(how, 1, shape);
  H5Pset_deflate(how, 6);
  const hid_t zeros = H5Dcreate2(w.file(), "/zeros", H5T_STD_I8LE, space, H5P_DEFAULT, how,
                                 H5P_DEFAULT);
  const std::vector<signed char> all(shape[0]);
  H5Dwrite(zeros, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  H5Dclose(zeros);
  H5Pclose(how);
  H5Sclose(space);
  const auto content = w.content();
  REQUIRE(content.size() < 100'000);
  const import::hdf5_file f(content, {});
  const auto complaint = complaints([&] {
    for (int i = 0; i < 10; ++i) (void)f.read("/zeros");
  });
  CHECK(mentions(complaint, "--limit constants="));
}

#endif
