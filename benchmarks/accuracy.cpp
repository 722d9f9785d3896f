// SPDX-License-Identifier: Apache-2.0
// How much accuracy a classifier loses to int8, by observer: top-1 of the float reference and of
// the exact integer reference over labelled pictures.
//   accuracy lenet.prototxt lenet.caffemodel --pictures images.idx --labels labels.idx --scale
//   0.00390625
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/data/idx.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/pass/standard.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/evaluate.hpp>

namespace {

using namespace nvdlac;

struct settings {
  std::vector<std::string> model{};
  std::string pictures{}, labels{};
  std::vector<double> mean{0}, scale{1};
  bool mean_picture = false, pixels = false;
  std::size_t count = 1000, calibration = 100;
};

struct collection {
  std::vector<std::vector<std::uint8_t>> pictures{};  // interleaved bytes
  std::vector<std::size_t> labels{};
};

// Pictures: IDX, or a picture file with one small picture per row. Labels: IDX or text.
collection read(const settings& how, net::shape shape) {
  collection result;
  const auto cut = [&](const std::vector<std::uint8_t>& bytes) {
    for (std::size_t at = 0; at + shape.size() <= bytes.size(); at += shape.size())
      result.pictures.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(at + shape.size()));
  };
  if (how.pictures.ends_with(".png")) cut(data::read_picture(how.pictures).pixels);
  else cut(data::read_idx(how.pictures).values);
  if (how.labels.ends_with(".txt")) {
    std::ifstream in(how.labels);
    for (std::size_t label; in >> label;) result.labels.push_back(label);
  } else {
    for (const auto label : data::read_idx(how.labels).values) result.labels.push_back(label);
  }
  if (result.pictures.size() != result.labels.size())
    throw error(text(result.pictures.size(), " pictures of ", shape, " but ", result.labels.size(),
                     " labels"));
  if (result.pictures.size() < how.count + how.calibration)
    throw error(text("there are only ", result.pictures.size(), " pictures"));
  return result;
}

std::vector<net::float_tensor> preprocess(const collection& all, const settings& how,
                                          net::shape shape) {
  const auto channels = static_cast<std::size_t>(shape.c);
  const std::size_t area = shape.size() / channels;
  std::vector<double> mean(shape.size());
  if (how.mean_picture)
    for (const auto& p : all.pictures)
      for (std::size_t i = 0; i < p.size(); ++i)
        mean[i] += static_cast<double>(p[i]) / static_cast<double>(all.pictures.size());
  std::vector<net::float_tensor> result;
  for (const auto& p : all.pictures) {
    net::float_tensor t{shape};
    for (std::size_t i = 0; i < area; ++i)
      for (std::size_t c = 0; c < channels; ++c)
        t.values[c * area + i] = static_cast<float>((p[i * channels + c] - mean[i * channels + c] -
                                                     how.mean[how.mean.size() == 1 ? 0 : c]) *
                                                    how.scale[how.scale.size() == 1 ? 0 : c]);
    result.push_back(std::move(t));
  }
  return result;
}

template <class T>
std::size_t best(const net::tensor<T>& t) {
  return static_cast<std::size_t>(std::max_element(t.values.begin(), t.values.end()) -
                                  t.values.begin());
}

class experiment {
 public:
  explicit experiment(settings how) : how_(std::move(how)) {
    graph_ = how_.model.size() == 2 ? import::caffe(how_.model[0], how_.model[1])
                                    : import::onnx(how_.model[0]);
    pass::standard::run(graph_);
    // The winner of a softmax is that of its input, which int8 tells apart better.
    for (const auto n : graph_.outputs())
      if (std::holds_alternative<net::softmax>(graph_[n].op)) {
        graph_[graph_.inputs(n)[0]].output = true;
        graph_[n].output = false;
      }
    shape_ = graph_[net::input_nodes(graph_).at(0)].shape;
    all_ = read(how_, shape_);
    real_ = preprocess(all_, how_, shape_);
  }

  void run() {
    std::size_t hits = 0;
    for (std::size_t i = 0; i < how_.count; ++i) {
      wanted_.push_back(net::evaluate(graph_, real_[i])[0]);
      hits += best(wanted_[i]) == all_.labels[i];
    }
    std::cout << std::fixed << std::setprecision(2) << "float          " << percent(hits) << " %\n";
    quantised<quant::min_max>();
    quantised<quant::percentile>();
    quantised<quant::entropy>();
    quantised<quant::least_squares>();
  }

 private:
  double percent(std::size_t n) const {
    return 100.0 * static_cast<double>(n) / static_cast<double>(how_.count);
  }
  template <quant::observer Observer>
  void quantised() {
    const std::span<const net::float_tensor> samples(&real_[real_.size() - how_.calibration],
                                                     how_.calibration);
    const auto table = quant::calibrate<Observer>(graph_, samples);
    quant::options options;
    if (how_.pixels) options.pixels = net::preprocessing{how_.mean, how_.scale};
    const auto q = quant::quantise(graph_, table, options);
    const auto in = net::input_nodes(q).at(0);
    const bool pixels = std::get<quantised::input>(q[in].op).pixels.has_value();
    std::size_t hits = 0, same = 0;
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < how_.count; ++i) {
      net::int8_tensor values{shape_};
      for (std::size_t j = 0; j < values.values.size(); ++j)
        values.values[j] = quant::round8(static_cast<double>(real_[i].values[j]) / q[in].scale);
      const quantised::feed feed =
          pixels ? quantised::feed(all_.pictures[i]) : quantised::feed(std::move(values));
      const auto out = quantised::evaluate(q, feed)[0];
      hits += best(out) == all_.labels[i];
      same += best(out) == best(wanted_[i]);
      for (std::size_t j = 0; j < out.values.size(); ++j) {
        const double real = static_cast<double>(wanted_[i].values[j]);
        const double error = q[q.outputs()[0]].scale * out.values[j] - real;
        signal += real * real;
        noise += error * error;
      }
    }
    std::cout << std::left << std::setw(14) << Observer::name << ' ' << percent(hits)
              << " %, agrees with float " << percent(same) << " %, noise "
              << 100 * std::sqrt(noise / signal) << " %" << (pixels ? ", pixel input" : "") << "\n";
  }

  settings how_;
  net::graph graph_{};
  net::shape shape_{};
  collection all_{};
  std::vector<net::float_tensor> real_{};
  std::vector<net::float_tensor> wanted_{};
};

}  // namespace

int main(int argc, char** argv) {
  settings how;
  CLI::App app{"Accuracy of a classifier in float and in int8"};
  app.add_option("model", how.model, "ONNX file, or prototxt and caffemodel")
      ->required()
      ->expected(1, 2);
  app.add_option("--pictures", how.pictures, "IDX, or PNG with one picture per row")->required();
  app.add_option("--labels", how.labels, "IDX, or text with one number per line")->required();
  app.add_option("--mean", how.mean, "subtracted from pixels, one for all or one per channel");
  app.add_option("--scale", how.scale, "multiplied after that");
  app.add_flag("--mean-picture", how.mean_picture, "subtract the mean of all pictures");
  app.add_flag("--pixels", how.pixels, "pixel input where the network allows it");
  app.add_option("--count", how.count, "pictures to classify, from the first on");
  app.add_option("--calibration", how.calibration, "pictures to calibrate with, up to the last");
  CLI11_PARSE(app, argc, argv);
  try {
    experiment(how).run();
  } catch (const error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
