// SPDX-License-Identifier: Apache-2.0
#include "verifier.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <utility>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/prediction.hpp>

#include "manner.hpp"
#include "page.hpp"
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

verifier::verifier(const preparation& from, const input_files& inputs,
                   std::optional<std::vector<std::size_t>> labels, const sim::settings& settings,
                   const prediction_options& conditions, const verification::extent& extent)
    : from_(from), inputs_(inputs), labels_(std::move(labels)), work_(from, settings, conditions, extent.report),
      extent_(extent), tallies_(from.targets().size()) {
  for (auto& t : tallies_) t.outputs.resize(work_.outputs().size());
}

void verifier::run(ranks& all, bool table, bool quiet) {
  progress_line line("verifying", quiet || !all.first());
  std::vector<verified> found;
  std::size_t at = 0;
  auto next = all.add(ranks::taken, 1);
  inputs_.each([&](input_set&& set) {
    if (at++ != next) return;
    found.push_back(take(set, next));
    if (!table) found.back().row.clear();
    line(all.add(ranks::finished, 1) + 1, inputs_.size());
    next = all.add(ranks::taken, 1);
  });
  if (all.size() > 1) {
    const auto of_ranks = all.to_first(packed(found));
    found.clear();
    for (const auto& bytes : of_ranks)
      for (auto& v : unpacked(bytes)) found.push_back(std::move(v));
    std::ranges::sort(found, {}, &verified::number);
  }
  for (const auto& v : found) count(v);
}

void verifier::count(const verified& v) {
  for (std::size_t t = 0; t < tallies_.size(); ++t) tallies_[t].add(v.programs[t]);
  float_right_ += v.float_right;
  float_tied_ += v.float_tied;
  work_.count(v.layers);
  if (!v.row.empty()) rows_.push_back(v.row);
}

std::vector<verifier::judged> verifier::judge(const thresholds& wanted) const {
  std::vector<judged> all;
  const auto percent = [&](std::size_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(inputs_.size());
  };
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    const auto& counted = tallies_[t];
    const auto good = labels_ ? counted.right : counted.agreed;
    if (wanted.top1)
      all.push_back({"--min-top1", t, labels_ ? "top-1" : "top-1 beside float", percent(good),
                     *wanted.top1, " %", percent(good) >= *wanted.top1});
    if (wanted.drop) {
      const double lost = percent(float_right_) - percent(counted.right);
      all.push_back({"--max-drop", t, "drop of top-1", lost, *wanted.drop, " %",
                     lost <= *wanted.drop});
    }
    if (!wanted.snr) continue;
    for (std::size_t o = 0; o < counted.outputs.size(); ++o) {
      const double snr = counted.outputs[o].snr();
      all.push_back({"--min-snr", t, text("SNR of '", work_.outputs()[o].form.name, '\''), snr,
                     *wanted.snr, " dB", snr >= *wanted.snr});
    }
  }
  return all;
}

std::vector<problem> verifier::missed(const thresholds& wanted) const {
  std::vector<problem> all;
  for (const auto& j : judge(wanted))
    if (!j.met)
      all.push_back({.reason = text(from_.options().network, " on ",
                                    from_.targets()[j.target]->name(), ": ", j.what, " is ",
                                    printed(j.value, 6), j.unit, ", by ",
                                    printed(std::fabs(j.value - j.limit), 6), j.unit,
                                    j.value > j.limit ? " more than " : " less than ", j.option,
                                    ' ', printed(j.limit, 6))});
  return all;
}

std::vector<quant::layer_error> verifier::worst_first() const {
  auto all = work_.layers();
  std::ranges::stable_sort(all, {}, &quant::layer_error::snr_arising);
  return all;
}

void verifier::print_csv() const {
  std::cout << "layer,snr_of_its_own,snr,cosine,lost_by_its_scale\n";
  for (const auto& l : worst_first())
    std::cout << escape::csv(l.name) << ',' << l.snr_arising() << ',' << l.snr() << ','
              << l.cosine() << ',' << l.lost() << '\n';
}

void verifier::print(bool layers) const {
  if (!rows_.empty()) {
    auto table = empty_table();
    for (const auto& row : rows_) table.add(row);
    std::cout << table.print(line_width()) << '\n';
  }
  summarise();
  if (!layers) return;
  report::table table({{.title = "layer", .shortens = true}, {"own SNR dB", true}, {"SNR dB", true},
                       {"cosine", true}, {"lost by its scale dB", true}});
  for (const auto& l : worst_first())
    table.add({l.name, printed(l.snr_arising()), printed(l.snr()), printed(l.cosine(), 6),
               printed(l.lost())});
  std::cout << '\n' << table.print(std::max<std::size_t>(80, line_width()));
}

void verifier::print_json(const thresholds& wanted) const {
  using report::json;
  auto all = report::headed("verify");
  all.update(of_all());
  all["configs"] = json::array();
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    auto config = of_target(t);
    config["prediction"] = report::to_json<json>(work_.programs()[t].predicted);
    all["configs"].push_back(std::move(config));
  }
  if (const auto judgement = judge(wanted); !judgement.empty()) {
    all["thresholds"] = json::array();
    for (const auto& j : judgement)
      all["thresholds"].push_back({{"option", j.option},
                                   {"name", from_.targets()[j.target]->name()}, {"what", j.what},
                                   {"value", j.value}, {"limit", j.limit}, {"met", j.met}});
  }
  std::cout << report::json_text(all);
}

std::string verifier::page(std::size_t target) const {
  auto [json, data_flow] = work_.reports()[target];
  json["verification"] = of_all();
  json["verification"].update(of_target(target));
  return page_of(std::move(json), data_flow);
}

report::json verifier::of_all() const {
  using report::json;
  json all{{"network", from_.options().network}, {"inputs", inputs_.size()},
           {"float_tied", float_tied_}};
  if (labels_) all["float_right"] = float_right_;
  const auto layers = work_.layers();
  if (layers.empty()) return all;
  all["worst_layer"] = {{"name", work_.worst_layer().name},
                        {"snr_of_its_own", work_.worst_layer().snr_arising()},
                        {"snr", work_.worst_layer().snr()}};
  all["inputs_of_layers"] = std::min(inputs_.size(), few);
  all["layers"] = json::array();
  for (const auto& l : layers)
    all["layers"].push_back({{"name", l.name}, {"snr", l.snr()},  // null: infinite
                             {"snr_of_its_own", l.snr_arising()}, {"cosine", l.cosine()},
                             {"lost_by_its_scale", l.lost()}});
  return all;
}

report::json verifier::of_target(std::size_t target) const {
  using report::json;
  json outputs = json::array();
  const auto& counted = tallies_[target];
  for (std::size_t o = 0; o < counted.outputs.size(); ++o) {
    const auto& c = counted.outputs[o];
    const auto& output = work_.outputs()[o];
    outputs.push_back({{"name", output.form.name}, {"shape", output.form.shape},
                       {"largest_error", c.largest_error()},
                       {"mean_error", c.mean_error()},
                       {"snr", c.snr()},  // null: infinite
                       {"cosine", c.cosine()}});
    if (const auto before = work_.before_softmax(output))
      outputs.back()["cosine_before_softmax"] = before->cosine();
  }
  json config{{"name", from_.targets()[target]->name()}, {"outputs", outputs},
              {"same_class", counted.agreed}, {"tied", counted.tied},
              {"bit_exact", true}};  // otherwise run() throws
  if (work_.ends_with_softmax()) config["tied_before_softmax"] = counted.tied_before;
  if (labels_) config["right"] = counted.right;
  return config;
}

report::table verifier::empty_table() const {
  std::vector<report::table::column> titles{{.title = "input", .shortens = true, .leads = true},
                                            {"float"}};
  for (const auto* t : from_.targets()) titles.push_back({std::string(t->name())});
  if (labels_) titles.push_back({"label"});
  titles.push_back({"largest error", true});
  return report::table(std::move(titles));
}

verified verifier::take(const input_set& input, std::size_t number) const {
  auto extent = extent_;
  extent.layers = extent.layers && number < few;
  auto result = work_.run(input, extent);
  const auto& reference = result.reference;
  const auto expected = top(reference.front());
  verified v{.number = number,
             .row = row_of(input, number, result),
             .float_right = labels_ && expected == (*labels_)[number],
             .float_tied = std::ranges::count(reference.front().values,
                                              reference.front().values[expected]) > 1,
             .layers = std::move(result.layers)};
  for (std::size_t t = 0; t < tallies_.size(); ++t) {
    const auto& given = result.programs[t];
    tally& one = v.programs.emplace_back();
    one.outputs.resize(given.size());
    for (std::size_t o = 0; o < given.size(); ++o)
      one.outputs[o].add(reference[o].values, given[o].values);
    one.tied = result.tied[t];
    one.tied_before = result.tied_before[t];
    one.agreed = top(given.front()) == expected;
    one.right = labels_ && top(given.front()) == (*labels_)[number];
  }
  return v;
}

std::vector<std::string> verifier::row_of(const input_set& input, std::size_t number,
                                          const verification::result& result) const {
  std::vector<std::string> row{input.name, class_of(result.reference.front())};
  comparison all;
  for (const auto& given : result.programs) {
    for (std::size_t o = 0; o < given.size(); ++o)
      all.add(result.reference[o].values, given[o].values);
    row.push_back(class_of(given.front()));
  }
  if (labels_) row.push_back(text((*labels_)[number]));
  row.push_back(printed(all.largest_error()));
  return row;
}

void verifier::summarise() const {
  for (std::size_t t = 0; t < tallies_.size(); ++t) summarise(t);
  const auto layers = work_.layers().size();
  if (layers == 0) return;
  const auto worst = work_.worst_layer();
  std::cout << "most is lost in layer '" << worst.name << "': SNR " << printed(worst.snr_arising())
            << " dB of its own error, " << printed(worst.snr()) << " dB of all up to there (of "
            << layers << " layers, on " << std::min(inputs_.size(), few) << " inputs)\n";
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
            << "  " << report::summary(work_.programs()[number].predicted) << '\n';
}

}  // namespace nvdlac::cli
