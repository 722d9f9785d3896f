// SPDX-License-Identifier: Apache-2.0
// How much accuracy a classifier loses to int8, by observer: top-1 of the float reference and of
// the exact integer reference over labelled pictures.
//   accuracy lenet.prototxt lenet.caffemodel --pictures images.idx --labels labels.idx --scale
//   0.00390625
//   accuracy resnet8.onnx --pictures test.png --labels test_labels.txt --training images.png
//   --count 500
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

#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace {

using namespace nvdlac;

struct settings {
  std::vector<std::string> model{};
  std::string pictures{}, labels{}, training{};
  std::vector<double> mean{0}, scale{1};
  bool mean_picture = false, pixels = false;
  std::size_t count = 1000, calibration = 100;
};

using pictures = std::vector<std::vector<std::uint8_t>>;  // interleaved bytes

struct collection {
  pictures shown{};     // to classify
  pictures training{};  // for the mean and to calibrate with
  std::vector<std::size_t> labels{};
};

// IDX, or a picture file with one small picture per row.
pictures read_pictures(const std::string& file, net::shape shape) {
  const auto bytes = file.ends_with(".png") ? data::read_picture(file).pixels
                                            : data::read_idx(file).values;
  pictures result;
  for (std::size_t at = 0; at + shape.size() <= bytes.size(); at += shape.size())
    result.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                        bytes.begin() + static_cast<std::ptrdiff_t>(at + shape.size()));
  return result;
}

// Labels: IDX or text. Without pictures for training the last ones are these, which nobody
// classifies.
collection read(const settings& how, net::shape shape) {
  collection result{read_pictures(how.pictures, shape)};
  if (!how.training.empty()) result.training = read_pictures(how.training, shape);
  if (how.labels.ends_with(".txt")) {
    std::ifstream in(how.labels);
    for (std::size_t label; in >> label;) result.labels.push_back(label);
  } else {
    for (const auto label : data::read_idx(how.labels).values) result.labels.push_back(label);
  }
  if (result.shown.size() != result.labels.size())
    throw error(text(result.shown.size(), " pictures of ", shape, " but ", result.labels.size(),
                     " labels"));
  if (how.training.empty() && result.shown.size() >= how.calibration)
    result.training.assign(result.shown.end() - static_cast<std::ptrdiff_t>(how.calibration),
                           result.shown.end());
  if (result.training.size() < how.calibration ||
      result.shown.size() < how.count + (how.training.empty() ? how.calibration : 0))
    throw error(text("there are only ", result.shown.size(), " pictures to classify and ",
                     result.training.size(), " to calibrate with"));
  result.shown.resize(how.count);
  return result;
}

std::vector<double> mean_picture(const pictures& all) {
  std::vector<double> mean(all.at(0).size());
  for (const auto& p : all)
    for (std::size_t i = 0; i < p.size(); ++i)
      mean[i] += static_cast<double>(p[i]) / static_cast<double>(all.size());
  return mean;
}

std::vector<net::float_tensor> preprocess(const pictures& all, const std::vector<double>& mean,
                                          const settings& how, net::shape shape) {
  const auto channels = static_cast<std::size_t>(shape.c);
  const std::size_t area = shape.size() / channels;
  std::vector<net::float_tensor> result;
  for (const auto& p : all) {
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
    const auto mean =
        how_.mean_picture ? mean_picture(all_.training) : std::vector<double>(shape_.size());
    real_ = preprocess(all_.shown, mean, how_, shape_);
    all_.training.erase(all_.training.begin(),
                        all_.training.end() - static_cast<std::ptrdiff_t>(how_.calibration));
    training_ = preprocess(all_.training, mean, how_, shape_);
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
    const auto table =
        quant::calibrate<Observer>(graph_, std::span<const net::float_tensor>(training_));
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
          pixels ? quantised::feed(all_.shown[i]) : quantised::feed(std::move(values));
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
  std::vector<net::float_tensor> real_{}, training_{};
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
  app.add_option("--training", how.training,
                 "pictures for the mean and to calibrate with; default: the last of --pictures");
  app.add_option("--mean", how.mean, "subtracted from pixels, one for all or one per channel");
  app.add_option("--scale", how.scale, "multiplied after that");
  app.add_flag("--mean-picture", how.mean_picture,
               "subtract the mean of the pictures for training");
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
