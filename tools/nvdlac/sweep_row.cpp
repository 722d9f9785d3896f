// SPDX-License-Identifier: Apache-2.0
#include "sweep_row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/verify/labels.hpp>

#include "labels.hpp"
#include "usage.hpp"
#include "verification.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::array columns{
    "result", "network", "configuration", "precision", "schedule",
    "cycles", "runs_per_second", "utilisation", "limited_by", "extrapolated",
    "bytes_read", "bytes_written", "macs", "hardware_layers", "tasks",
    "weights_bytes", "features_bytes", "loadable_bytes",
    "inputs", "float_right", "right", "same_class", "largest_error", "cosine", "simulated",
    "reason", "notes"};

// The cells of a row, which are empty where nothing is known.
class cells {
 public:
  void set(std::string_view column, std::string value) {
    if (std::ranges::count(columns, column) == 0) throw std::logic_error("there is no such column");
    all_[column] = std::move(value);
  }
  void set(std::string_view column, std::unsigned_integral auto value) {
    set(column, std::to_string(value));
  }
  void set(std::string_view column, double value) {  // as few digits as tell it
    std::array<char, 32> digits{};
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    set(column, std::string(digits.data(), end));
  }
  std::string csv() const {
    std::string line;
    for (const std::string_view column : columns) {
      if (column != columns.front()) line += ',';
      if (const auto cell = all_.find(column); cell != all_.end())
        line += escape::csv(cell->second);
    }
    return line;
  }

 private:
  std::map<std::string_view, std::string> all_{};
};

void add_cells(cells& row, const verified_programs::built& b, double megahertz) {
  const auto& t = b.predicted.estimate.totals;
  row.set("cycles", t.cycles);
  row.set("runs_per_second", t.runs_per_second(megahertz));
  row.set("utilisation", t.utilisation());
  row.set("limited_by", std::string(cost::name_of(t.limited_by)));
  row.set("extrapolated", b.predicted.extrapolated ? "yes" : "no");
  row.set("bytes_read", t.read);
  row.set("bytes_written", t.written);
  row.set("macs", b.macs);
  row.set("hardware_layers", b.layers);
  row.set("tasks", b.tasks);
  row.set("weights_bytes", b.weights);
  row.set("features_bytes", b.features);
  row.set("loadable_bytes", b.loadable);
}

// With a data set, as `verify` does it.
void verify_item(cells& row, const sweep_options& o, const preparation& from, input_files& inputs,
                 bool simulate, const sim::settings& settings) {
  const bool labelled = !o.labels.empty();
  const auto labels = labels_for(o.labels, inputs.size());
  if (o.first != 0) inputs.keep(o.first);
  ranks alone(ranks::alone);
  verified_programs work(from, settings, o.prediction);
  if (labels) verification::check_labels(*labels, work.begin(), o.labels);
  const auto found = verify_on(work, inputs, labels, {.layers = false, .simulator = simulate},
                               alone, true);
  add_cells(row, work.programs().front(), o.prediction.megahertz);
  const auto& t = found.programs.front();
  row.set("inputs", inputs.size());
  if (labelled) row.set("float_right", found.float_right);
  if (labelled) row.set("right", t.right);
  row.set("same_class", t.agreed);
  row.set("largest_error", t.outputs.front().largest_error());
  row.set("cosine", t.outputs.front().cosine());
  row.set("simulated", simulate ? inputs.size() : 0);
}

void compute(cells& row, const sweep_item& item, bool simulate, const budget& limits,
             target_list targets, std::ostream& notes) {
  const auto& o = item.options;
  auto model = o.model;
  model.threads = 1;  // items are computed beside each other
  model.limits = limits;
  preparation from(model, targets, notes);
  std::optional<input_files> inputs;
  if (!o.inputs.empty()) {
    const auto wanted = from.wanted();
    inputs.emplace(paths_for(o.inputs, wanted), wanted);
  }
  from.compare_for([&](const target& t) { return o.prediction.on(t).memory; });
  from.quantise({}, inputs ? &*inputs : nullptr);
  sim::settings settings;
  settings.limit_by(limits);
  if (inputs) return verify_item(row, o, from, *inputs, simulate, settings);
  verified_programs work(from, settings, o.prediction);
  add_cells(row, work.programs().front(), o.prediction.megahertz);
  if (simulate) work.check_simulator();
  row.set("simulated", std::uint64_t{simulate});
}

// Returns what `notes` says, in one line and without the name of the tool.
std::string in_one_line(const std::ostringstream& notes) {
  std::istringstream lines(notes.str());
  std::string all;
  for (std::string line; std::getline(lines, line); all += line) {
    if (!all.empty()) all += "; ";
    const std::string_view tool = "nvdlac: ";
    if (line.starts_with(tool)) line.erase(0, tool.size());
  }
  return all;
}

}  // namespace

std::string sweep_head() {
  std::string line;
  for (const std::string column : columns) line += (line.empty() ? "" : ",") + column;
  return line;
}

std::string sweep_row(const sweep_item& item, bool simulate, const budget& limits,
                      target_list targets) {
  cells row;
  row.set("network", item.network);
  row.set("configuration", item.configuration);
  row.set("precision", item.precision);
  row.set("schedule", item.schedule);
  std::ostringstream notes;
  const auto end = [&](const char* result, const std::string& reason) {
    row.set("result", result);
    row.set("reason", reason);
  };
  try {
    compute(row, item, simulate, limits, targets, notes);
    end("done", "");
  } catch (const error& e) {
    std::string all;
    for (const auto& p : e.problems()) all += (all.empty() ? "" : "; ") + to_string(p);
    end("failed", all);
  } catch (const usage_error& e) {
    end("failed", e.what());
  } catch (const std::bad_alloc&) {
    end("unfinished", "the memory of this machine does not suffice");
  } catch (const std::exception& e) {
    end("defect", e.what());
  }
  row.set("notes", in_one_line(notes));
  return row.csv();
}

std::string result_in(std::string_view row) { return std::string(row.substr(0, row.find(','))); }
bool is_final(std::string_view row) { return result_in(row) != "unfinished"; }

}  // namespace nvdlac::cli
