// SPDX-License-Identifier: Apache-2.0
#include "preprocessing_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
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

// The recipe for the pictures of a collection of networks. Of imagenet-torch the values are
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

// Numbers that torchvision's models are trained with, of pixels from 0 to 1: red, green and blue.
constexpr std::string_view imagenet = "imagenet";
const std::vector<double> imagenet_mean{0.485, 0.456, 0.406}, imagenet_std{0.229, 0.224, 0.225};
constexpr double brightest = 255;

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

// The numbers that --mean or --std says.
struct said_numbers {
  std::vector<double> values{};
  bool by_name = false;

  bool given() const { return !values.empty(); }
  // Whether these are numbers of pixels from 0 to 1.
  bool of_unit() const {
    return std::ranges::all_of(values, [](double v) { return v >= 0 && v <= 1; });
  }
  bool whole() const {
    return std::ranges::all_of(values, [](double v) { return v == std::trunc(v); });
  }
  bool zero() const {
    return std::ranges::all_of(values, [](double v) { return v == 0; });
  }
  std::string in_words() const {
    std::vector<std::string> words;
    for (const double v : values) words.push_back(text(v));
    return by_name ? std::string(imagenet) : joined(words, ",");
  }
};

// `of_file` reads the numbers of a file, where a word may be its name.
template <class OfFile>
said_numbers numbers_said(const char* option, const std::vector<std::string>& words,
                          const std::vector<double>& named, const OfFile& of_file) {
  if (words.size() == 1 && words[0] == imagenet) return {named, true};
  said_numbers said;
  for (const auto& word : words) {
    double v = 0;
    const auto* const end = word.data() + word.size();
    const auto [at, failed] = std::from_chars(word.data(), end, v);
    const bool is_number = failed == std::errc() && at == end;
    if (is_number && !std::isfinite(v))
      throw CLI::ValidationError(text(option, ": ", word, " is no finite number"));
    if (is_number) said.values.push_back(v);
    else if (words.size() == 1) return {of_file(word)};
    else throw CLI::ConversionError(word, option);
  }
  return said;
}

said_numbers said_mean(const std::vector<std::string>& words) {
  return numbers_said("--mean", words, imagenet_mean, means_of_picture);
}

said_numbers said_std(const std::vector<std::string>& words) {
  const auto said = numbers_said(
      "--std", words, imagenet_std, [](const std::string& word) -> std::vector<double> {
        throw CLI::ValidationError(text("--std: '", word, "' is neither a number nor ", imagenet));
      });
  for (const double v : said.values)
    if (!(v > 0))
      throw CLI::ValidationError(text("--std: ", v, " is no deviation, which is more than 0"));
  return said;
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (auto& v : values) v *= factor;
  return values;
}

// Why numbers of --mean and --std are not of the same pixels, or nothing.
std::string contradiction(const said_numbers& mean, const said_numbers& std) {
  if (!std.given())
    return mean.by_name || !mean.of_unit() || mean.whole()
               ? std::string()
               : text("--mean ", mean.in_words(),
                      " is of pixels from 0 to 1: give --std of these, too (--std 1 where there is "
                      "none), or the mean of pixels from 0 to 255");
  const bool some = std::ranges::any_of(std.values, [](double v) { return v <= 1; });
  if (some && !std.of_unit())
    return text("--std ", std.in_words(), " has numbers of pixels from 0 to 1, which are up to 1, "
                "and others");
  if (mean.by_name || std.by_name || mean.zero() || mean.of_unit() == std.of_unit()) return {};
  return text(
      "--mean ", mean.in_words(), " and --std ", std.in_words(),
      " are not of the same pixels: give both of pixels from 0 to 1, or both of pixels from "
      "0 to 255");
}

// Brings --mean and --std to numbers of pixels from 0 to 255. Numbers up to 1 count as
// torchvision's do, of pixels from 0 to 1.
void take_numbers(const said_numbers& mean, const said_numbers& std, preprocessing_options& to) {
  const auto why = to.of_notes ? std::string() : contradiction(mean, std);
  if (!why.empty()) throw CLI::ValidationError(why);
  if (mean.given()) {
    const bool of_unit = mean.by_name || (std.given() && mean.of_unit());
    to.mean = of_unit ? times(mean.values, brightest) : mean.values;
    to.mean_by_name = mean.by_name;
  }
  if (!std.given()) return;
  to.scale.clear();
  for (const double v : std.values) to.scale.push_back(1 / (std.of_unit() ? v * brightest : v));
  to.scale_by_name = std.by_name;
}

}  // namespace

net::preprocessing preprocessing_options::how(net::channel_order otherwise) const {
  net::preprocessing result{.order = otherwise, .size = size};
  if (order == "rgb") result.order = net::channel_order::rgb;
  if (order == "bgr") result.order = net::channel_order::bgr;
  if (order == "grey") result.order = net::channel_order::grey;
  if (!mean.empty()) result.mean = mean;
  if (!scale.empty()) result.scale = scale;
  if (result.order == net::channel_order::bgr) {
    if (mean_by_name) std::ranges::reverse(result.mean);
    if (scale_by_name) std::ranges::reverse(result.scale);
  }
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
  const auto mean = std::make_shared<said_numbers>(), std = std::make_shared<said_numbers>();
  auto* const mean_option = app.add_option_function<std::vector<std::string>>(
      "--mean", [mean](const std::vector<std::string>& words) { *mean = said_mean(words); },
      "One number, or one per channel with commas, or imagenet (that of torchvision's models, in "
      "the network's order of colours), or a mean picture (Caffe's binaryproto, or npy of "
      "channels, height and width), of which each channel's mean is taken; default 0, or what the "
      "model tells of its inputs (quantised ones, Darknet) where neither --scale nor --std is "
      "given either");
  mean_option->delimiter(',')->type_name("NUMBERS|imagenet|FILE")->group(group);
  suggest(*mean_option, std::string(imagenet));
  auto* const scale = app.add_option("--scale", to.scale,
                                     "One number, or one per channel with commas; default 1, or as "
                                     "for --mean");
  scale->delimiter(',')->type_name("NUMBERS")->group(group)->check([](const std::string& word) {
    double v = 0;
    const bool is_scale = CLI::detail::lexical_cast(word, v) && std::isfinite(v) && v != 0;
    return is_scale ? std::string() : text('\'', word, "' is no finite number other than 0");
  });
  auto* const std_option = app.add_option_function<std::vector<std::string>>(
      "--std", [std](const std::vector<std::string>& words) { *std = said_std(words); },
      "In place of --scale the standard deviation, by which is divided: as --mean, or imagenet. "
      "Numbers up to 1 are torchvision's, of pixels from 0 to 1, and so are then those of --mean: "
      "--mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 is --mean imagenet --std imagenet");
  std_option->excludes(scale)->delimiter(',')->type_name("NUMBERS|imagenet")->group(group);
  suggest(*std_option, std::string(imagenet));
  app.parse_complete_callback([mean, std, &to] {
    if (mean->given() || std->given()) take_numbers(*mean, *std, to);
  });
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
