// SPDX-License-Identifier: Apache-2.0
// Small models of Keras 1 and 2 give the stored outputs, or are refused with the layer and its
// class.
#include "keras_files.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>

#include "files.hpp"

using namespace keras_files;

#ifdef NVDLAC_KERAS

TEST_CASE("results for small models of Keras 1 and 2") {
  const auto all = cases("accept");
  if (all.empty()) return;
  std::size_t right = 0;
  for (const auto& directory : all) {
    const auto name = directory.filename().string();
    INFO(name);
    import::network n;
    try {
      n = import::keras_network(directory / "model.h5");
    } catch (const error& refused) {
      CHECK(refused.problems().front().layer != "");
      MESSAGE(name << " is refused: " << std::string(refused.what()));
      continue;
    }
    const auto error = error_for(n, (directory / "input_0.npy").string(),
                                 (directory / "output_0.npy").string());
    CHECK(error <= 1e-4);
    right += error <= 1e-4 ? 1 : 0;
  }
  MESSAGE(right << " of " << all.size() << " models give the stored results");
  CHECK(right * 10 >= all.size() * 9);
}

TEST_CASE("Keras models that are to be refused are, by layer and class") {
  for (const auto& directory : cases("refuse")) {
    INFO(directory.filename().string());
    const auto what = complaints([&] { (void)import::keras(directory / "model.h5"); });
    if (directory.filename() == "rnn_14") {  // whose functions are read by now
      CHECK(what == "");
      continue;
    }
    CHECK(mentions(what, "layer '"));
    CHECK((mentions(what, "is not supported (") || mentions(what, " is supported)")));
    bool named = false;
    for (const auto& c : classes_of(directory))
      named = named || mentions(what, "the class " + c + " ") || mentions(what, c + ": ");
    CHECK(named);
    if (std::getenv("NVDLAC_SHOW") != nullptr) MESSAGE(what);
  }
}

#endif
