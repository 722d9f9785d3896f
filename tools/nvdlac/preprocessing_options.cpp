// SPDX-License-Identifier: Apache-2.0
#include "preprocessing_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/operation.hpp>

#include "described_options.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::int32_t longest_side = 65535;  // pixels

// What the pictures of a collection of networks are made like. Of imagenet-torch the values are
// (x / 255 - m) / s with m 0.485, 0.456, 0.406 and s 0.229, 0.224, 0.225.
struct recipe {
  std::string_view name;
  net::picture_size size;
  std::array<double, 3> mean, scale;
  std::string_view order;
};
constexpr recipe recipes[]{
    {"imagenet-torch", {net::resizing::shorter, 256, 0}, {123.675, 116.28, 103.53},
     {0.0171248, 0.017507, 0.0174292}, "rgb"},
    {"imagenet-caffe", {net::resizing::stretch, 256, 0}, {103.939, 116.779, 123.68}, {1, 1, 1},
     "bgr"},
    {"mobilenet", {net::resizing::stretch, 0, 0}, {127.5, 127.5, 127.5},
     {0.00784314, 0.00784314, 0.00784314}, "rgb"},
    {"darknet", {net::resizing::fit, 0, 0}, {0, 0, 0}, {0.00392157, 0.00392157, 0.00392157},
     "rgb"}};

// One number if all are the same.
std::vector<double> numbers_of(const std::array<double, 3>& values) {
  if (values[0] == values[1] && values[1] == values[2]) return {values[0]};
  return {values.begin(), values.end()};
}

std::string with_commas(const std::array<double, 3>& values) {
  std::vector<std::string> words;
  for (const double v : numbers_of(values)) words.push_back(text(v));
  return joined(words, ",");
}

std::string names_of_recipes() {
  std::string names;
  for (const auto& r : recipes) names += text(names.empty() ? "" : ", ", r.name);
  return names;
}

std::string describe_recipes() {
  std::string all =
      "Pictures as the usual networks take them; what other options say holds instead.";
  for (const auto& r : recipes)
    all += text(' ', r.name, ": --resize ", net::resize_text(r.size), " --mean ",
                with_commas(r.mean), " --scale ", with_commas(r.scale), " --order ", r.order, ';');
  all.back() = '.';
  return all;
}

constexpr net::resizing kinds_of_resizing[]{net::resizing::stretch, net::resizing::fit,
                                            net::resizing::fill, net::resizing::shorter};

// "short:256"; what is wrong with it, or nothing.
std::string read_resize(std::string_view given, net::picture_size& to) {
  const auto colon = std::min(given.find(':'), given.size());
  const auto kind = std::ranges::find(kinds_of_resizing, given.substr(0, colon),
                                      [](net::resizing r) { return net::to_string(r); });
  if (kind == std::end(kinds_of_resizing))
    return text("'", given, "' is none of stretch, fit, fill and short:N");
  std::int32_t side = 0;
  if (colon != given.size()) {
    const auto* const end = given.data() + given.size();
    const auto [at, failed] = std::from_chars(given.data() + colon + 1, end, side);
    if (failed != std::errc() || at != end || side < 1 || side > longest_side)
      return text("'", given, "' does not end with a number of pixels, 1 to ", longest_side);
  } else if (*kind == net::resizing::shorter) {
    return "short wants a number of pixels, such as short:256";
  }
  to.resize = *kind;
  to.side = side;
  return {};
}

// A mean picture: its channels, and all values of one after the other.
struct mean_picture {
  std::size_t channels = 0;
  std::vector<float> values;
};

constexpr std::size_t most_channels_of_picture = 4;

mean_picture read_mean_picture(const std::string& file) {
  const auto bytes = import::read_file(file);
  if (bytes.starts_with(data::detail::npy_magic)) {
    auto content = data::read_npy(file).content;
    const auto& d = content.dims;
    if (d.empty() || d.size() > 4 || (d.size() == 4 && d[0] != 1)) return {};
    // [c], [c][h][w] or [1][c][h][w]; a picture of two dimensions is grey.
    const auto channels = d.size() == 2 ? 1 : d.size() == 4 ? d[1] : d[0];
    const bool last = d.size() > 2 && channels > most_channels_of_picture &&
                      d.back() <= most_channels_of_picture;
    if (last)
      throw error(problem{.file = file,
                          .reason = text("its channels, ", d.back(), ", stand last"),
                          .remedy = "give it as [channels, height, width], or the numbers"});
    return {channels, std::move(content.values)};
  }
  const auto blob = import::proto::parse_binary(import::caffe_format::schema(), "BlobProto", file,
                                                bytes, budget{}.fields);
  auto shape = blob.root().child("shape").values<std::int64_t>("dim");
  if (shape.empty())
    for (const char* side : {"num", "channels", "height", "width"})
      shape.push_back(blob.root().integer(side, side == std::string_view("num") ? 1 : 0));
  auto values = blob.root().values<float>("data");
  // Other messages have fields of the same numbers: what they say must fit.
  const bool fits = shape.size() > 2 && shape.size() < 5 &&
                    std::ranges::all_of(shape, [](auto n) { return n > 0; }) &&
                    (shape.size() == 3 || shape[0] == 1) &&
                    std::cmp_equal(net::product({shape.end()[-3], shape.end()[-2],
                                                 shape.end()[-1]}), values.size());
  if (!fits) return {};
  return {static_cast<std::size_t>(shape.end()[-3]), std::move(values)};
}

std::vector<double> means_of_picture(const std::string& file) {
  constexpr std::size_t most_channels = 8192;
  const auto p = read_mean_picture(file);
  if (p.channels == 0 || p.channels > most_channels || p.values.empty() ||
      p.values.size() % p.channels != 0)
    throw error(problem{.file = file, .reason = "is no mean picture of channels, height and width",
                        .remedy = "give Caffe's mean.binaryproto, an npy file [channels, height, "
                                  "width], or the numbers"});
  const auto size = p.values.size() / p.channels;
  std::vector<double> means;
  for (std::size_t c = 0; c < p.channels; ++c) {
    const auto first = p.values.begin() + static_cast<std::ptrdiff_t>(c * size);
    means.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), 0.0) /
                    static_cast<double>(size));
  }
  return means;
}

std::vector<double> means_of(const std::vector<std::string>& words) {
  std::vector<double> means;
  for (const auto& word : words) {
    double v = 0;
    const auto* const end = word.data() + word.size();
    const auto [at, failed] = std::from_chars(word.data(), end, v);
    if (failed == std::errc() && at == end) means.push_back(v);
    else if (words.size() == 1) return means_of_picture(word);
    else throw CLI::ConversionError(word, "--mean");
  }
  return means;
}

}  // namespace

net::preprocessing preprocessing_options::how() const {
  net::preprocessing result{.size = size};
  if (!mean.empty()) result.mean = mean;
  if (!scale.empty()) result.scale = scale;
  if (order == "bgr") result.order = net::channel_order::bgr;
  if (order == "grey") result.order = net::channel_order::grey;
  return result;
}

data::array_layout preprocessing_options::array_layout() const {
  using enum data::array_layout;
  return layout == "chw" ? chw : layout == "hwc" ? hwc : automatic;
}

void add_preprocessing(CLI::App& app, preprocessing_options& to) {
  const std::string group = "From pixels to values: (pixel - mean) * scale";
  // The first of them, as CLI11 takes options in the order of their definitions: others hold
  // instead, wherever they stand.
  auto* const usual = app.add_option_function<std::string>(
      "--preprocess",
      [&to](const std::string& name) {
        const auto& r = *std::ranges::find(recipes, name, &recipe::name);
        to.mean = numbers_of(r.mean);
        to.scale = numbers_of(r.scale);
        to.order = r.order;
        to.size = r.size;
      },
      describe_recipes());
  usual
      ->check(CLI::Validator(
          [](std::string& name) {
            return std::ranges::find(recipes, name, &recipe::name) != std::end(recipes)
                       ? std::string()
                       : text("'", name, "' is none of ", names_of_recipes());
          },
          ""))
      ->type_name("RECIPE")->group(group);
  suggest(*usual, names_of_recipes());
  app.add_option_function<std::vector<std::string>>(
         "--mean", [&to](const std::vector<std::string>& words) { to.mean = means_of(words); },
         "One number, or one per channel with commas, or a mean picture (Caffe's binaryproto, or "
         "npy of channels, height and width), of which each channel's mean is taken; default 0, or "
         "what the model tells of its inputs (quantised ones, Darknet) where --scale is not given "
         "either")
      ->delimiter(',')->type_name("NUMBERS|FILE")->group(group);
  app.add_option("--scale", to.scale,
                 "One number, or one per channel with commas; default 1, or as for --mean")
      ->delimiter(',')->type_name("NUMBERS")->group(group);
  app.add_option("--order", to.order,
                 "Order of the network's channels: rgb (default), bgr, or grey, which converts "
                 "colours")
      ->check(CLI::IsMember({"rgb", "bgr", "grey"}))->type_name("ORDER")->group(group);
  app.add_option("--layout", to.layout,
                 "Order of an array file's dimensions: auto (default), chw or hwc")
      ->check(CLI::IsMember({"auto", "chw", "hwc"}))->type_name("LAYOUT")->group(group);
  auto* const resize = app.add_option_function<std::string>(
      "--resize", [&to](const std::string& given) { read_resize(given, to.size); },
      "What becomes of a picture of another size than the network takes: stretch changes its "
      "proportions; fit shows all of it, with grey (127) beside it; fill cuts what is too much "
      "from both ends; short:N makes its shorter side N pixels long. With a number (stretch:256) "
      "the others lead to a square of so many pixels. What is larger than the network's input is "
      "then cut from the middle. The filter is triangular (bilinear), and averages what is made "
      "smaller");
  resize
      ->check(CLI::Validator(
          [](std::string& given) {
            net::picture_size ignored;
            return read_resize(given, ignored);
          },
          ""))
      ->type_name("HOW")->group(group);
  suggest(*resize, "stretch, fit, fill");
  app.add_option("--crop", to.size.crop,
                 "Then cut NxN pixels from the middle; default, with --resize: what the network "
                 "takes")
      ->check(CLI::Range(1, int{longest_side}))->type_name("N")->group(group);
}

}  // namespace nvdlac::cli
