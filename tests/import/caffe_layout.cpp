// SPDX-License-Identifier: Apache-2.0
// Caffe's layers that move elements: changing a parameter changes the result, or is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"
#include "in_file.hpp"

using namespace nvdlac;

namespace {

const std::string picture = R"(layer { name: "data" type: "Input" top: "data"
  input_param { shape { dim: 1 dim: 2 dim: 2 dim: 3 } } }
)";

net::graph read(const std::string& layers, const std::string& weights = "layer { name: 'none' }") {
  const scratch directory;
  return import::caffe(directory.write("net.prototxt", picture + layers),
                       directory.write("net.caffemodel", weights));
}
// The outputs, one behind the other, for the input 0, 1, .. 11.
std::vector<float> run(const std::string& layers,
                       const std::string& weights = "layer { name: 'none' }") {
  const auto g = read(layers, weights);
  CHECK(net::verify(g).empty());
  net::float_tensor x{{2, 2, 3}};
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i);
  std::vector<float> all;
  for (const auto& o : in_file::outputs(g, x))
    all.insert(all.end(), o.values.begin(), o.values.end());
  return all;
}
std::string refused(const std::string& layers) {
  return complaints([&] { (void)read(layers); });
}
std::string layer(const std::string& type, const std::string& rest) {
  return "layer { name: 'l' type: '" + type + "' bottom: 'data' top: 'l' " + rest + " }\n";
}
using numbers = std::vector<float>;

}  // namespace

TEST_CASE("slices") {
  const auto slice = [](const std::string& p, const std::string& tops = "top: 'a' top: 'b'") {
    return "layer { name: 's' type: 'Slice' bottom: 'data' " + tops + " slice_param { " + p +
           " } }\n";
  };
  CHECK(run(slice("")) == numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(run(slice("axis: 2")) == numbers{0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11});
  CHECK(run(slice("slice_dim: 2")) == run(slice("axis: -2")));
  CHECK(run(slice("axis: 3 slice_point: 1")) ==
        numbers{0, 3, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11});
  CHECK(run(slice("axis: 3", "top: 'a' top: 'b' top: 'c'")) ==
        numbers{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
  CHECK(mentions(refused(slice("axis: 3")), "3 into 2 equal parts"));
  CHECK(mentions(refused(slice("axis: 3 slice_point: 1 slice_point: 2")), "slice_point"));
  CHECK(mentions(refused(slice("axis: 3 slice_point: 3")), "do not ascend"));
  CHECK(mentions(refused(slice("axis: 4")), "axis 4"));
  CHECK(mentions(refused(slice("axis: 2 slice_dim: 2")), "both"));
}

TEST_CASE("crops") {
  const auto crop = [](const std::string& p) {
    return "layer { name: 'p' type: 'Pooling' bottom: 'data' top: 'p' "
           "pooling_param { kernel_h: 2 kernel_w: 2 } }\n"
           "layer { name: 'c' type: 'Crop' bottom: 'data' bottom: 'p' top: 'c' crop_param { " +
           p + " } }\n";
  };
  CHECK(run(crop("")) == numbers{0, 1, 6, 7});
  CHECK(run(crop("offset: 1")) == numbers{4, 5, 10, 11});
  CHECK(run(crop("offset: 1 offset: 0")) == numbers{3, 4, 9, 10});
  CHECK(run(crop("axis: 3 offset: 1")) == numbers{1, 2, 4, 5, 7, 8, 10, 11});
  CHECK(mentions(refused(crop("offset: 2")), "crops 1 elements from 2 on out of 2"));
  CHECK(mentions(refused(crop("offset: 1 offset: 0 offset: 0")), "3 values of offset"));
}

TEST_CASE("permutations, shuffles, repetitions") {
  const auto permute = [](const std::string& order) {
    return layer("Permute", "permute_param { " + order + " }");
  };
  CHECK(run(permute("order: 0 order: 2 order: 3 order: 1")) ==
        numbers{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  CHECK(run(permute("order: 0 order: 1 order: 3")) ==
        numbers{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
  CHECK(mentions(refused(permute("order: 1 order: 0")), "batch"));
  CHECK(mentions(refused(permute("order: 0 order: 0")), "no permutation"));

  const std::string wide = "layer { name: 'w' type: 'Concat' bottom: 'data' bottom: 'data' "
                           "top: 'w' }\nlayer { name: 'c' type: 'Pooling' bottom: 'w' top: 'c' "
                           "pooling_param { global_pooling: true pool: AVE } }\n";
  const auto shuffle = [&](int groups) {
    return wide + text("layer { name: 'l' type: 'ShuffleChannel' bottom: 'c' top: 'l' "
                       "shuffle_channel_param { group: ", groups, " } }");
  };
  CHECK(run(shuffle(1)) == numbers{2.5F, 8.5F, 2.5F, 8.5F});
  CHECK(run(shuffle(2)) == numbers{2.5F, 2.5F, 8.5F, 8.5F});
  CHECK(mentions(refused(shuffle(3)), "in 3 groups"));

  CHECK(run(layer("Upsample", "upsample_param { scale_h: 1 scale_w: 2 }")) ==
        numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11});
  CHECK(run(layer("Upsample", "")).size() == 48);
  CHECK(run(layer("Upsample", "upsample_param { scale: 3 }")).size() == 108);
  CHECK(mentions(refused(layer("Upsample", "upsample_param { scale: 0 }")), "0 x 0 times"));

  CHECK(run(layer("Tile", "tile_param { axis: 2 tiles: 2 }")).size() == 24);
  CHECK(run(layer("Tile", "tile_param { tiles: 2 }"))[12] == 0.0F);
  CHECK(mentions(refused(layer("Tile", "tile_param { tiles: 0 }")), "tiles is 0"));
}

TEST_CASE("concatenation of lines and columns, sums of surfaces, bilinear zoom") {
  const auto concat = [](int axis) {
    return text("layer { name: 'c' type: 'Concat' bottom: 'data' bottom: 'data' top: 'c' "
                "concat_param { axis: ", axis, " } }");
  };
  CHECK(read(concat(2))[1].shape == net::shape{2, 4, 3});
  CHECK(run(concat(3)) == numbers{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5,
                                  6, 7, 8, 6, 7, 8, 9, 10, 11, 9, 10, 11});

  const auto reduce = [](const std::string& p) {
    return layer("Reduction", "reduction_param { " + p + " }");
  };
  CHECK(run(reduce("axis: 2")) == numbers{15, 51});
  CHECK(run(reduce("axis: 2 operation: MEAN coeff: 2")) == numbers{5, 17});
  CHECK(mentions(refused(reduce("axis: 0")), "from axis 0 on"));

  const auto zoomed = run(layer("Interp", "interp_param { zoom_factor: 2 }"));
  REQUIRE(zoomed.size() == 30);
  CHECK(zoomed[1] == doctest::Approx(0.5F));
  CHECK(zoomed[5] == doctest::Approx(1.5F));
  CHECK(zoomed[29] == doctest::Approx(11.0F));
  CHECK(run(layer("Interp", "interp_param { height: 2 width: 5 }")).size() == 20);
  const auto from_one = run("layer { name: 'm' type: 'Pooling' bottom: 'data' top: 'm' "
                            "pooling_param { global_pooling: true pool: AVE } }\n"
                            "layer { name: 'l' type: 'Interp' bottom: 'm' top: 'l' "
                            "interp_param { height: 1 width: 3 } }\n");
  CHECK(from_one == numbers{2.5F, 2.5F, 2.5F, 8.5F, 8.5F, 8.5F});
  // Any size, with the corners where they were: columns 0, 2/3, 4/3 and 2, lines 0, 1/2 and 1.
  const auto odd = run(layer("Interp", "interp_param { height: 3 width: 4 }"));
  REQUIRE(odd.size() == 24);
  for (std::size_t i = 0; i < odd.size(); ++i)
    CHECK(odd[i] == doctest::Approx(6 * static_cast<float>(i / 12) +
                                    1.5F * static_cast<float>(i / 4 % 3) +
                                    2 / 3.0F * static_cast<float>(i % 4)));
  CHECK(run(layer("Interp", "interp_param { shrink_factor: 2 }")) == numbers{0, 2, 6, 8});
  CHECK(run(layer("Interp", "interp_param { height: 1 width: 2 }")) == numbers{0, 2, 6, 8});
  CHECK(mentions(refused(layer("Interp", "interp_param { shrink_factor: 0 }")), "shrinks by 0"));
  CHECK(mentions(refused(layer("Interp", "interp_param { pad_beg: -1 }")), "crops"));
}

TEST_CASE("transposed convolutions") {
  const auto deconvolution = [](const std::string& p) {
    return layer("Deconvolution", "convolution_param { num_output: 2 group: 2 bias_term: false " +
                                      p + " }");
  };
  const std::string weights =
      "layer { name: 'l' blobs { shape { dim: 2 dim: 1 dim: 1 dim: 2 } data: 1 data: 2 "
      "data: 3 data: 4 } }";
  const std::string kernel = "kernel_h: 1 kernel_w: 2 ";
  CHECK(run(deconvolution(kernel), weights) ==
        numbers{0, 1, 4, 4, 3, 10, 13, 10, 18, 45, 52, 32, 27, 66, 73, 44});
  CHECK(run(deconvolution(kernel + "stride_h: 1 stride_w: 2"), weights) ==
        numbers{0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10,
                18, 24, 21, 28, 24, 32, 27, 36, 30, 40, 33, 44});
  CHECK(run(deconvolution(kernel + "pad_w: 1"), weights) == numbers{1, 4, 10, 13, 45, 52, 66, 73});
  CHECK(run(deconvolution(kernel + "dilation: 2"), weights).size() == 20);
  CHECK(mentions(refused(deconvolution(kernel + "stride: 0")), "stride is 0"));
  // [inputs][outputs] of one group
  const auto dense = run(layer("Deconvolution", "convolution_param { num_output: 1 kernel_size: 1 "
                                                "bias_term: true }"),
                         "layer { name: 'l' blobs { shape { dim: 2 dim: 1 dim: 1 dim: 1 } data: 1 "
                         "data: 10 } blobs { shape { dim: 1 } data: 5 } }");
  CHECK(dense == numbers{65, 76, 87, 98, 109, 120});
}
