// SPDX-License-Identifier: Apache-2.0
// nvdlac verify: the float network beside the simulated program.
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "in_file.hpp"
#include "labels.hpp"
#include "progress.hpp"
#include "verification.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::size_t few = 32;  // inputs with a row each, and for the comparison of layers

struct verify_arguments {
  model_options model{};
  std::vector<std::string> inputs{};
  std::string labels{};
  bool each = false;
  std::size_t first = 0;  // 0: all
};

// What all inputs say of one program.
struct tally {
  std::vector<comparison> outputs{};
  std::size_t agreed = 0, right = 0;
};

std::string percent(std::size_t part, std::size_t all) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2)
      << 100.0 * static_cast<double>(part) / static_cast<double>(all) << " %";
  return out.str();
}

std::string class_of(const real_tensor& t) {
  const auto top = best(t, 1).front();
  std::ostringstream out;
  out << top << " (" << std::setprecision(4) << t.values[top] << ')';
  return out.str();
}

report::table row_table(const preparation& from, bool labelled) {
  std::vector<report::table::column> columns{{"input"}, {"float"}};
  for (const auto* t : from.targets()) columns.push_back({std::string(t->name())});
  if (labelled) columns.push_back({"label"});
  columns.push_back({"largest error", true});
  return report::table(std::move(columns));
}

std::string printed(double x) {
  std::ostringstream out;
  out << std::setprecision(3) << x;
  return out.str();
}

class verifier {
 public:
  verifier(const verify_arguments& a, preparation& from) : from_(from), sets_(read(a, from)) {
    if (!a.labels.empty()) {
      labels_ = read_labels(a.labels);
      if (labels_->size() != sets_.size())
        throw error({.file = a.labels, .reason = text("holds ", labels_->size(), " labels for ",
                                                      sets_.size(), " inputs")});
    }
    if (a.first != 0 && a.first < sets_.size()) sets_.resize(a.first);
    from.quantise({}, sets_);
    in_file(a.model.model, [&] { work_.emplace(from); });
    tallies_.resize(from.targets().size());
    for (auto& t : tallies_) t.outputs.resize(work_->outputs().size());
  }

  void run(bool each) {
    auto rows = row_table(from_, labels_.has_value());
    {
      progress_line line("verifying");
      for (std::size_t i = 0; i < sets_.size(); ++i) {
        rows.add(take(i));
        if (i < few) work_->compare_layers(sets_[i]);
        line(i + 1, sets_.size());
      }
    }
    if (each || sets_.size() <= few) std::cout << rows.print() << '\n';
    summarise();
  }

 private:
  static std::vector<input_set> read(const verify_arguments& a, const preparation& from) {
    return read_inputs(a.inputs, from.wanted());
  }

  std::vector<std::string> take(std::size_t i) {
    const auto result = work_->run(sets_[i]);
    const auto& scores = result.reference.front();
    const auto expected = best(scores, 1).front();
    std::vector<std::string> row{sets_[i].name, class_of(scores)};
    double largest = 0;
    if (labels_) float_right_ += expected == (*labels_)[i];
    for (std::size_t t = 0; t < tallies_.size(); ++t) {
      const auto& given = result.programs[t];
      comparison here;
      for (std::size_t o = 0; o < given.size(); ++o) {
        tallies_[t].outputs[o].add(result.reference[o].values, given[o].values);
        here.add(result.reference[o].values, given[o].values);
      }
      largest = std::max(largest, here.largest_error());
      const auto top = best(given.front(), 1).front();
      tallies_[t].agreed += top == expected;
      if (labels_) tallies_[t].right += top == (*labels_)[i];
      row.push_back(class_of(given.front()));
    }
    if (labels_) row.push_back(text((*labels_)[i]));
    row.push_back(printed(largest));
    return row;
  }

  void summarise() const {
    const auto all = sets_.size();
    for (std::size_t t = 0; t < tallies_.size(); ++t) {
      const auto& tally = tallies_[t];
      const auto name = from_.targets()[t]->name();
      std::cout << from_.options().network << " on " << name << ", " << all
                << (all == 1 ? " input\n" : " inputs\n");
      for (std::size_t o = 0; o < tally.outputs.size(); ++o)
        std::cout << "  output '" << work_->outputs()[o].name << "': error at most "
                  << printed(tally.outputs[o].largest_error()) << ", mean "
                  << printed(tally.outputs[o].mean_error()) << ", SNR "
                  << printed(tally.outputs[o].snr()) << " dB\n";
      std::cout << "  same class as float: " << tally.agreed << " of " << all << " ("
                << percent(tally.agreed, all) << ")\n";
      if (labels_)
        std::cout << "  right: float " << float_right_ << " (" << percent(float_right_, all)
                  << "), " << name << ' ' << tally.right << " (" << percent(tally.right, all)
                  << ")\n";
      std::cout << "  simulator and exact integer network: equal bit for bit\n";
    }
    if (work_->layers() == 0) return;
    const auto worst = work_->worst_layer();
    std::cout << "worst layer: '" << worst.name << "', SNR " << printed(worst.snr) << " dB (of "
              << work_->layers() << " layers, on " << std::min(all, few) << " inputs)\n";
  }

  preparation& from_;
  std::vector<input_set> sets_;
  std::optional<std::vector<std::size_t>> labels_{};
  std::optional<verification> work_{};
  std::vector<tally> tallies_{};
  std::size_t float_right_ = 0;
};

void verify(const verify_arguments& a, target_list targets) {
  preparation from(a.model, targets);
  from.require_targets();
  verifier(a, from).run(a.each);
}

}  // namespace

void add_verify(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "verify", "Compare the float network with its program on the simulator");
  const auto a = std::make_shared<verify_arguments>();
  add_model_options(*sub, a->model);
  sub->add_option("-i,--input", a->inputs,
                  "Inputs to compare on: files or directories as for --calibration")
      ->required()->type_name("FILE");
  sub->add_option("--labels", a->labels,
                  "The right class of each input (IDX, npy, or text with a number on each line)")
      ->type_name("FILE");
  sub->add_option("--first", a->first, "Take only so many of the inputs")
      ->check(CLI::PositiveNumber)->type_name("N");
  sub->add_flag("--each", a->each, text("Print a row for each input, also for more than ", few));
  sub->footer(
      "Prints the error of the outputs, how often both find the same class, and the layer whose\n"
      "integers are farthest from the float values. Every run is compared bit for bit with an\n"
      "exact integer reference.\n"
      "Examples:\n"
      "  nvdlac verify digits.onnx --config nv_small --calibration train.idx --input pictures/\n"
      "  nvdlac verify lenet.prototxt lenet.caffemodel --config nv_small --scale 0.00390625 \\\n"
      "      --calibration train.idx --input test.idx --labels labels.idx");
  sub->callback([=] { verify(*a, targets); });
}

}  // namespace nvdlac::cli
