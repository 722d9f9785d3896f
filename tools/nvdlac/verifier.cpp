// SPDX-License-Identifier: Apache-2.0
#include "verifier.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <utility>

#include <nvdlac/report/json_text.hpp>

#include "progress.hpp"

namespace nvdlac::cli {
namespace {

std::string printed(double x, int digits = 3) {
  std::ostringstream out;
  out << std::setprecision(digits) << x;
  return out.str();
}

// "19 (95.00 %)"
std::string share(std::size_t part, std::size_t all) {
  std::ostringstream out;
  out << part << " (" << std::fixed << std::setprecision(2)
      << 100.0 * static_cast<double>(part) / static_cast<double>(all) << " %)";
  return out.str();
}

std::size_t top(const real_array& t) { return best(t, 1).front(); }

std::string class_of(const real_array& t) {
  return text(top(t), " (", printed(double{t.values[top(t)]}, 4), ')');
}

}  // namespace

verifier::verifier(preparation& from, const input_files& inputs,
                   std::optional<std::vector<std::size_t>> labels, const sim::settings& settings,
                   const prediction_options& conditions)
    : from_(from), inputs_(inputs), labels_(std::move(labels)), work_(from, settings, conditions),
      tallies_(from.targets().size()), rows_(empty_table()) {
  for (auto& t : tallies_) t.outputs.resize(work_.outputs().size());
}

void verifier::run() {
  progress_line line("verifying");
  std::size_t done = 0;
  inputs_.each([&](input_set&& set) {
    rows_.add(take(set, done));
    line(++done, inputs_.size());
  });
}

void verifier::print(bool each) const {
  if (each || inputs_.size() <= few) std::cout << rows_.print() << '\n';
  summarise();
}

void verifier::print_json() const {
  using report::json;
  json all{{"network", from_.options().network}, {"inputs", inputs_.size()},
           {"float_tied", float_tied_}, {"configs", json::array()}};
  if (labels_) all["float_right"] = float_right_;
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    json outputs = json::array();
    for (std::size_t o = 0; o < tallies_[t].outputs.size(); ++o) {
      const auto& c = tallies_[t].outputs[o];
      const auto& output = work_.outputs()[o];
      outputs.push_back({{"name", output.form.name}, {"shape", output.form.shape},
                         {"largest_error", c.largest_error()},
                         {"mean_error", c.mean_error()},
                         {"snr", c.snr()},  // null: infinite
                         {"cosine", c.cosine()}});
      if (const auto before = work_.before_softmax(output))
        outputs.back()["cosine_before_softmax"] = before->cosine();
    }
    json config{{"name", from_.targets()[t]->name()}, {"outputs", outputs},
                {"same_class", tallies_[t].agreed},
                {"tied", tallies_[t].tied}};
    if (work_.ends_with_softmax()) config["tied_before_softmax"] = tallies_[t].tied_before;
    if (labels_) config["right"] = tallies_[t].right;
    config["prediction"] = report::to_json<json>(work_.predicted()[t]);
    all["configs"].push_back(std::move(config));
  }
  if (work_.layers() > 0)
    all["worst_layer"] = {{"name", work_.worst_layer().name},
                          {"snr_of_its_own", work_.worst_layer().snr_arising()},
                          {"snr", work_.worst_layer().snr()}};
  std::cout << report::json_text(all);
}

report::table verifier::empty_table() const {
  std::vector<report::table::column> columns{{"input"}, {"float"}};
  for (const auto* t : from_.targets()) columns.push_back({std::string(t->name())});
  if (labels_) columns.push_back({"label"});
  columns.push_back({"largest error", true});
  return report::table(std::move(columns));
}

std::vector<std::string> verifier::take(const input_set& input, std::size_t number) {
  const auto result = work_.run(input, number < few);
  const auto expected = top(result.reference.front());
  std::vector<std::string> row{input.name, class_of(result.reference.front())};
  comparison all;
  float_tied_ += std::ranges::count(result.reference.front().values,
                                    result.reference.front().values[expected]) > 1;
  if (labels_) float_right_ += expected == (*labels_)[number];
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    const auto& given = result.programs[t];
    for (std::size_t o = 0; o < given.size(); ++o) {
      tallies_[t].outputs[o].add(result.reference[o].values, given[o].values);
      all.add(result.reference[o].values, given[o].values);
    }
    tallies_[t].tied += result.tied[t];
    tallies_[t].tied_before += result.tied_before[t];
    tallies_[t].agreed += top(given.front()) == expected;
    if (labels_) tallies_[t].right += top(given.front()) == (*labels_)[number];
    row.push_back(class_of(given.front()));
  }
  if (labels_) row.push_back(text((*labels_)[number]));
  row.push_back(printed(all.largest_error()));
  return row;
}

void verifier::summarise() const {
  for (std::size_t t = 0; t < tallies_.size(); ++t) summarise(t);
  if (work_.layers() == 0) return;
  const auto worst = work_.worst_layer();
  std::cout << "most is lost in layer '" << worst.name << "': SNR " << printed(worst.snr_arising())
            << " dB of its own error, " << printed(worst.snr()) << " dB of all up to there (of "
            << work_.layers() << " layers, on " << std::min(inputs_.size(), few) << " inputs)\n";
}

void verifier::summarise(std::size_t number) const {
  const auto& t = tallies_[number];
  const auto target = from_.targets()[number]->name();
  const auto all = inputs_.size();
  std::cout << from_.options().network << " on " << target << ", " << all
            << (all == 1 ? " input\n" : " inputs\n");
  for (std::size_t o = 0; o < t.outputs.size(); ++o) {
    const auto& output = work_.outputs()[o];
    std::cout << "  output '" << output.form.name << "': error at most "
              << printed(t.outputs[o].largest_error()) << ", mean "
              << printed(t.outputs[o].mean_error()) << ", SNR " << printed(t.outputs[o].snr())
              << " dB, cosine " << printed(t.outputs[o].cosine(), 6);
    if (const auto before = work_.before_softmax(output))
      std::cout << " (before the softmax " << printed(before->cosine(), 6) << ')';
    std::cout << '\n';
  }
  std::cout << "  same class as float: " << share(t.agreed, all) << '\n';
  std::cout << "  first class tied with another: float " << float_tied_ << ", " << target << ' '
            << share(t.tied, all);
  if (work_.ends_with_softmax()) std::cout << ", before the softmax " << share(t.tied_before, all);
  std::cout << '\n';
  if (labels_)
    std::cout << "  right: float " << share(float_right_, all) << ", " << target << ' '
              << share(t.right, all) << '\n';
  std::cout << "  simulator and exact integer network: equal bit for bit\n"
            << "  " << report::summary(work_.predicted()[number]) << '\n';
}

}  // namespace nvdlac::cli
