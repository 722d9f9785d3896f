// SPDX-License-Identifier: Apache-2.0
// Keras' normalisations by what they read, and pictures that change their size, beside their
// definitions.
#include "keras_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/import/keras.hpp>
#include <nvdlac/net/evaluate.hpp>

#include "in_file.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;

namespace {

// Pictures of 2 x 3 with 4 channels.
constexpr std::size_t places = 6, channels = 4;

struct one_layer {
  std::vector<float> x, y, gamma, beta;  // x and y as the file has them, channels last

  one_layer(const char* type, const std::string& config, bool learns = true) {
    keras_model::layer l{"it", {}};
    if (learns) {
      l.weights = {{"it/gamma:0", {channels}, 0.7F}, {"it/beta:0", {channels}, -0.2F}};
      gamma = keras_model::values_of(l.weights[0]);
      beta = keras_model::values_of(l.weights[1]);
    }
    const auto g = import::keras_from(
        keras_model::hdf5(keras_model::sequence("[null, 2, 3, 4]", type, config), {l}),
        "model.h5");
    for (std::size_t i = 0; i < places * channels; ++i)
      x.push_back(static_cast<float>(3 * std::sin(1.7 * static_cast<double>(i))));
    const auto n = net::input_nodes(g).at(0);
    net::float_tensor in{g[n].shape};  // channels first
    for (std::size_t i = 0; i < x.size(); ++i)
      in.values[i % channels * places + i / channels] = x[i];
    y = in_file::outputs(g, in).at(0).values;
  }

  // Checks y by the mean and the deviation of the elements that `together` names for each.
  template <class Together>
  void check_normalised(double epsilon, const Together& together) const {
    REQUIRE(y.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0, squares = 0, count = 0;
      for (std::size_t k = 0; k < x.size(); ++k)
        if (together(i, k)) {
          sum += double{x[k]};
          squares += double{x[k]} * double{x[k]};
          ++count;
        }
      const double mean = sum / count, variance = squares / count - mean * mean;
      const double even = (double{x[i]} - mean) / std::sqrt(variance + epsilon);
      CHECK(y[i] == doctest::Approx(even * double{gamma[i % channels]} +
                                    double{beta[i % channels]}).epsilon(1e-4));
    }
  }
};

bool share_a_place(std::size_t a, std::size_t b) { return a / channels == b / channels; }

}  // namespace

TEST_CASE("Keras normalises the channels of each place") {
  const one_layer l("LayerNormalization", R"("axis": [3], "epsilon": 0.01)");
  l.check_normalised(0.01, share_a_place);
}

TEST_CASE("Keras normalises groups of channels over all places") {
  const one_layer l("GroupNormalization", R"("groups": 2)");
  l.check_normalised(0.001, [](std::size_t a, std::size_t b) {
    return a % channels / 2 == b % channels / 2;
  });
}

TEST_CASE("Keras divides the channels of each place by their length") {
  const one_layer l("UnitNormalization", "", false);
  REQUIRE(l.y.size() == l.x.size());
  for (std::size_t i = 0; i < l.x.size(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < l.x.size(); ++k)
      if (share_a_place(i, k)) squares += double{l.x[k]} * double{l.x[k]};
    CHECK(l.y[i] == doctest::Approx(double{l.x[i]} / std::sqrt(squares)).epsilon(1e-5));
  }
}

TEST_CASE("Keras brings pictures to a size between the centres of their pixels") {
  const auto check = [](const char* how, const auto& expected) {
    const one_layer l("Resizing",
                      R"("height": 2, "width": 6, "interpolation": ")" + std::string(how) + '"',
                      false);
    REQUIRE(l.y.size() == 2 * l.x.size());
    for (std::size_t i = 0; i < l.y.size(); ++i) {
      const auto line = i / channels / 6, column = i / channels % 6, c = i % channels;
      const auto at = [&](std::size_t place) {
        return double{l.x[(line * 3 + place) * channels + c]};
      };
      CHECK(l.y[i] == doctest::Approx(expected(column, at)).epsilon(1e-5));
    }
  };
  check("nearest", [](std::size_t column, const auto& at) { return at(column / 2); });
  check("bilinear", [](std::size_t column, const auto& at) {
    if (column == 0) return at(0);
    if (column == 5) return at(2);
    const auto before = (column - 1) / 2;
    const double near = column % 2 == 1 ? 0.75 : 0.25;
    return near * at(before) + (1 - near) * at(before + 1);
  });
}

#endif
