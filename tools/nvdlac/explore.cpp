// SPDX-License-Identifier: Apache-2.0
// nvdlac explore: which configurations of a range are the best for a network.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>

#include <malloc.h>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/cost/silicon.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/report/explored.hpp>
#include <nvdlac/report/explored_json.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "manner.hpp"
#include "named_numbers.hpp"
#include "outputs.hpp"
#include "page.hpp"
#include "pareto_search.hpp"
#include "prediction_options.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "silicon_table.hpp"
#include "sweep_plan.hpp"
#include "tables.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct explore_arguments {
  model_options model{};
  std::string networks{};
  std::vector<std::string> ranges{};
  std::string table{}, header{}, page{};
  std::vector<std::string> most_costs{}, objectives{};
  std::string costs{};
  prediction_options prediction{};
  std::uint32_t threads = 1;
  std::uint32_t most = 0;  // that a search predicts; 0: all are
  bool exact = false;
};

// The most configurations that are all predicted with the schedules of their programs, which takes
// seconds of large networks, unless --exact is given.
constexpr std::size_t most_exact = 100;

// "cbuf_banks=8,16,32"
explore::range parse_range(const std::string& given) {
  const auto equals = given.find('=');
  const auto fail = [&] {
    return usage_error("--range '" + given + "' is not MEMBER=N,N,.. with whole numbers");
  };
  if (equals == given.npos) throw fail();
  explore::range r{.member = given.substr(0, equals)};
  std::istringstream values(given.substr(equals + 1));
  for (std::string word; std::getline(values, word, ',');) {
    std::uint32_t value = 0;
    const auto [end, why] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (why != std::errc() || end != word.data() + word.size()) throw fail();
    r.values.push_back(value);
  }
  return r;
}

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const auto name : names) all += text(all.empty() ? "" : ", ", name);
  return all;
}

// "cycles,area,energy"
std::vector<explore::objective> objectives_of(const std::vector<std::string>& words) {
  std::vector<explore::objective> all(explore::usual_objectives.begin(),
                                      explore::usual_objectives.end());
  if (!words.empty()) all.clear();
  for (const auto& word : words) {
    const auto& names = explore::objective_names;
    const auto found = std::ranges::find(names, word);
    if (found == names.end())
      throw usage_error("--front: '" + word + "' is none of " + listed(names));
    const auto one = static_cast<explore::objective>(found - names.begin());
    if (std::ranges::find(all, one) != all.end())
      throw usage_error("--front names " + word + " twice");
    all.push_back(one);
  }
  return all;
}

std::string names_of(const std::vector<explore::objective>& all) {
  std::vector<std::string_view> names;
  for (const auto o : all)
    names.push_back(explore::objective_names[static_cast<std::size_t>(o)]);
  return listed(names);
}

// Limits of what a configuration may cost, in the columns of the table.
struct cost_limits {
  std::uint64_t macs = UINT64_MAX, cbuf = UINT64_MAX, bus = UINT64_MAX;

  std::vector<named_number> numbers() {
    return {{"macs", &macs, 1}, {"cbuf", &cbuf, 1}, {"bus", &bus, 1}};
  }
  bool allow(const hw::spec& s) const {
    const explore::point p{.spec = s};
    return value_of(p, explore::objective::macs) <= macs &&
           value_of(p, explore::objective::cbuf) / 1024 <= cbuf &&
           value_of(p, explore::objective::bus) <= bus;
  }
};
cost_limits limits_of(const std::vector<std::string>& words) {
  cost_limits limits;
  for (const auto& word : words) set_number("--max", word, limits.numbers());
  return limits;
}

// In a unit of `part`, with so many digits behind the point.
std::string decimal(std::uint64_t number, std::uint64_t part, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits)
      << static_cast<double>(number) / static_cast<double>(part);
  return out.str();
}

// Members whose values no other column tells.
std::vector<std::string> own_members(const report::explored& a) {
  std::vector<std::string> all;
  for (const auto& r : a.ranges)
    if (r.member != "mac_atomic_c" && r.member != "mac_atomic_k" && r.member != "memory_atom" &&
        r.member != "cbuf_banks")
      all.push_back(r.member);
  return all;
}

std::vector<std::string> row_of(const report::explored& a, std::size_t n) {
  const auto& p = a.together[n];
  const auto [cycles, macs, cbuf, width, lanes, area, energy] = explore::objectives(p);
  std::vector<std::string> row{text(n, p.spec == a.start ? " base" : ""),
                               text(p.spec.mac_atomic_c, 'x', p.spec.mac_atomic_k),
                               text(p.spec.memory_atom), text(p.spec.cbuf_banks),
                               text(cbuf / 1024), text(width), text(lanes)};
  for (const auto& member : own_members(a))
    row.push_back(grouped(explore::value_of(p.spec, member)));
  row.push_back((p.outlined ? "<" : "") + grouped(cycles));
  const auto runs = p.totals.runs_per_second(a.megahertz);
  row.push_back(runs < 100 ? text(std::round(runs * 10) / 10)
                           : grouped(static_cast<std::uint64_t>(std::llround(runs))));
  row.emplace_back(cost::name_of(p.totals.limited_by));
  for (const auto number : {p.totals.read, p.totals.written, p.features})
    row.push_back(grouped(number));
  row.push_back(decimal(area, 1'000'000, 2));
  row.push_back(decimal(energy, 1000, 1));
  return row;
}

// The front, and the configuration that the ranges change.
void print_front(std::ostream& out, const report::explored& a) {
  std::vector<report::table::column> columns{
      {.title = "point", .leads = true}, {"MACs", true}, {"atom", true}, {"banks", true},
      {"CBUF KiB", true}, {"bus bits", true}, {"lanes", true}};
  for (const auto& member : own_members(a)) columns.push_back({member, true});
  for (const char* number : {"cycles", "runs/s"}) columns.push_back({number, true});
  columns.push_back({"limited by"});
  for (const char* number : {"bytes read", "written", "features", "~mm2", "~uJ"})
    columns.push_back({number, true});
  report::table t(std::move(columns));
  for (std::size_t n = 0; n < a.together.size(); ++n) {
    const auto& p = a.together[n];
    if (p.on_front || (p.spec == a.start && p.refused.empty())) t.add(row_of(a, n));
  }
  out << t.print(line_width());
}

// The criteria that the points are judged by.
struct wishes {
  cost_limits limits{};
  std::vector<explore::objective> objectives{};
  cost::silicon silicon{};
  prediction_options prediction{};
};

// The networks, as they are asked together.
class network_set {
 public:
  network_set(const explore_arguments& a, target_list targets) {
    if (a.networks.empty()) {
      add(std::filesystem::path(a.model.model).stem().string(), a.model, targets);
      return;
    }
    if (!a.model.model.empty())
      throw usage_error("name a network or --networks, not both");
    const auto bytes = data::read_file(a.networks);
    const auto folder = std::filesystem::path(a.networks).parent_path();
    const auto before = std::filesystem::current_path();
    if (!folder.empty()) std::filesystem::current_path(folder);  // names are those of the plan
    const auto plan = read_sweep_plan({bytes.begin(), bytes.end()}, a.networks, targets);
    for (const auto& item : plan.items) {
      if (item.configuration != a.model.configs.front()) continue;
      if (std::ranges::count(names_, item.network) != 0)
        throw error({.file = a.networks, .reason = "has several precisions or schedules",
                     .remedy = "explore takes one of each"});
      auto model = item.options.model;
      model.configs = a.model.configs;
      add(item.network, model, targets);
    }
    if (names_.empty())
      throw error({.file = a.networks,
                   .reason = "has no item for " + a.model.configs.front()});
    quantise();
    std::filesystem::current_path(before);
    files_.emplace_back(a.networks);
  }

  void quantise() {
    for (; quantised_ < all_.size(); ++quantised_)
      std::next(all_.begin(), static_cast<std::ptrdiff_t>(quantised_))->prepared.quantise({});
  }
  const std::vector<std::string>& names() const { return names_; }
  const hw::spec& start() const { return all_.front().prepared.targets().front()->spec(); }
  std::vector<std::filesystem::path> files() const { return files_; }

  // Predicts all with the schedules of their programs, or those on the front of the outlines.
  report::explored ask(std::span<const hw::spec> specs, std::uint32_t threads,
                       const wishes& wanted, bool is_exact,
                       const std::function<void(std::size_t, std::size_t)>& told = {}) const {
    report::explored a{.networks = names_};
    const auto memory = [&](const hw::spec& s) { return wanted.prediction.memory_on(s); };
    std::vector<explore::network> networks;
    for (const auto& n : all_)
      networks.push_back({.name = names_[networks.size()],
                          .integers = &n.prepared.network().integers,
                          .options = &n.prepared.options()});
    if (!is_exact) {
      a.each = explore::predict_front(specs, start(), networks, wanted.silicon,
                                      wanted.objectives, threads, told, memory);
    } else {
      for (const auto& n : networks) {
        a.each.push_back(explore::predict(
            specs, *n.integers, *n.options, threads,
            [&](std::size_t done, std::size_t all) {
              if (told) told(a.each.size() * all + done, networks.size() * all);
            },
            memory));
        explore::estimate(a.each.back(), wanted.silicon);
      }
    }
    a.together = explore::combined(a.each, names_);
    return a;
  }

 private:
  struct one {
    model_options model;
    preparation prepared;
    one(const model_options& m, target_list targets) : model(m), prepared(model, targets) {}
  };
  void add(const std::string& name, const model_options& model, target_list targets) {
    names_.push_back(name);
    all_.emplace_back(model, targets);
    for (const auto& f : all_.back().prepared.files())
      files_.push_back(std::filesystem::absolute(f));
  }

  std::vector<std::string> names_{};
  std::list<one> all_{};
  std::size_t quantised_ = 0;
  std::vector<std::filesystem::path> files_{};
};

// Returns what a search finds worth a prediction, in the order of the combinations.
report::explored searched(const network_set& networks, const std::vector<explore::range>& ranges,
                          const explore_arguments& a, const wishes& wanted) {
  std::vector<std::size_t> sizes;
  for (const auto& r : ranges) sizes.push_back(r.values.size());
  std::map<std::uint64_t, std::vector<explore::point>> found;  // of each network
  progress_line line("searching");
  const auto of = [&](std::uint64_t n) {
    return explore::combination(networks.start(), ranges, n);
  };
  const auto is_legal = [&](std::uint64_t n) {
    return hw::broken_rule(of(n)) == nullptr && wanted.limits.allow(of(n));
  };
  const auto price = [&](const std::vector<std::uint64_t>& numbers) {
    std::vector<std::optional<std::vector<std::uint64_t>>> answers;
    std::vector<hw::spec> specs;
    for (const auto n : numbers) specs.push_back(of(n));
    const auto points = networks.ask(specs, a.threads, wanted, true);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const auto& p = points.together[i];
      answers.emplace_back();
      if (p.refused.empty())
        for (answers.back().emplace(); const auto o : wanted.objectives)
          answers.back()->push_back(value_of(p, o));
      for (const auto& own : points.each) found[numbers[i]].push_back(own[i]);
    }
    line(std::min<std::size_t>(found.size(), a.most), a.most);
    return answers;
  };
  search_front(sizes, a.most, wanted.objectives.size(), is_legal, price);
  if (found.empty())
    throw error(problem{.reason = "the search found no legal configuration",
                        .remedy = "give ranges of which more combinations are legal"});
  report::explored all{.networks = networks.names()};
  all.each.resize(networks.names().size());
  for (auto& [number, points] : found)
    for (std::size_t i = 0; i < points.size(); ++i) all.each[i].push_back(std::move(points[i]));
  all.together = explore::combined(all.each, networks.names());
  return all;
}

// All legal combinations, or those of a search where they are too many.
report::explored every_or_searched(const network_set& networks,
                                   const std::vector<explore::range>& ranges,
                                   const explore_arguments& a, const wishes& wanted) {
  if (a.most != 0 && explore::combinations(networks.start(), ranges) > a.most)
    return searched(networks, ranges, a, wanted);
  auto specs = explore::configurations(networks.start(), ranges);
  std::erase_if(specs, [&](const hw::spec& s) { return !wanted.limits.allow(s); });
  if (specs.empty())
    throw error(problem{.reason = "none of the legal configurations is within --max",
                        .remedy = "raise it, or give ranges with smaller ones"});
  progress_line line("predicting");
  return networks.ask(specs, a.threads, wanted, a.exact || specs.size() <= most_exact,
                      [&](std::size_t n, std::size_t of) { line(n, of); });
}

// Tells in lines what is not among the points, and what their cycles are.
void tell_asked(std::ostream& out, const network_set& networks,
                const std::vector<explore::range>& ranges, const explore_arguments& a,
                const std::vector<explore::point>& points) {
  const auto asked = explore::combinations(networks.start(), ranges);
  if (asked <= 1'000'000) {
    const auto broken = explore::broken_rules(networks.start(), ranges);
    std::uint64_t illegal = 0;
    for (const auto& [rule, count] : broken) illegal += count;
    out << asked << " combinations: " << illegal << " are not legal";
    if (!a.most_costs.empty() && a.most == 0)
      out << ", " << asked - illegal - points.size() << " beyond --max";
    out << '\n';
    const std::string tool = "nvdlac: ";  // rules are compile errors as well
    for (const auto& [rule, count] : broken)
      out << "  " << count << ": " << rule.substr(rule.starts_with(tool) ? tool.size() : 0) << '\n';
  }
  out << "cycles are those of register traces; loadables, which bring all weights with their "
         "layers, may take more (`nvdlac compile` tells both)\n";
  const auto outlined = std::ranges::count_if(points, &explore::point::outlined);
  if (outlined == 0) return;
  out << points.size() - static_cast<std::size_t>(outlined)
      << " configurations are predicted as `compile` makes their programs, which are those on the "
         "front, but for programs of more than "
      << explore::most_scheduled
      << " hardware layers; the others (<) in outline, with few schedules compared, of which "
         "`compile` makes a little faster ones (--exact: all as it does)\n";
}

// Where the configuration stands that the ranges change.
void tell_base(std::ostream& out, const report::explored& a, const std::string& name) {
  const auto base = std::ranges::find(a.together, a.start, &explore::point::spec);
  out << "base is " << name << ", "
      << (base == a.together.end()  ? "which is none of the points"
          : !base->refused.empty() ? "which cannot run the network"
          : base->on_front         ? "which is on the front"
                                   : "which is not on the front")
      << "; runs a second at " << a.megahertz << " MHz\n";
}

// Schedules of megabytes come and go, thousands of them: to get each page from the system again
// and again would cost more than what is computed in them.
void keep_memory() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

void run_explore(const explore_arguments& a, target_list targets) {
  keep_memory();
  if (a.model.configs.size() != 1)
    throw usage_error("name the one configuration that the ranges change: --config nv_small");
  std::vector<explore::range> ranges;
  for (const auto& given : a.ranges) ranges.push_back(parse_range(given));
  const wishes wanted{limits_of(a.most_costs), objectives_of(a.objectives),
                      a.costs.empty() ? cost::published_silicon() : read_silicon(a.costs),
                      a.prediction};
  network_set networks(a, targets);
  (void)explore::combinations(networks.start(), ranges);
  (void)wanted.prediction.memory_on(networks.start());  // what is wrong in it is told at once
  auto inputs = networks.files();
  if (!a.costs.empty()) inputs.emplace_back(a.costs);
  output_set files(inputs);
  if (!a.table.empty()) {
    require_table(a.table);
    files.plan("--output", a.table);
  }
  if (!a.header.empty()) files.plan("--cpp", a.header);
  if (!a.page.empty()) files.plan("--html", a.page);
  networks.quantise();

  auto answer = every_or_searched(networks, ranges, a, wanted);
  answer.ranges = ranges;
  answer.start = networks.start();
  answer.megahertz = a.prediction.megahertz;
  answer.objectives = wanted.objectives;
  answer.estimated_by = wanted.silicon.source;
  auto& points = answer.together;
  explore::mark_front(points, wanted.objectives);
  const auto count = [&](const auto& is) { return std::ranges::count_if(points, is); };
  if (count([](const auto& p) { return p.refused.empty(); }) == 0)
    throw error(text("none of ", count_of(points.size(), "configuration"),
                     " runs the network; of the first: ",
                     points.front().refused));
  if (!a.table.empty())
    files.add("--output", a.table,
              table_file(a.table, "points", report::to_csv(answer)));
  if (!a.header.empty()) files.add("--cpp", a.header, report::header_of(points));
  if (!a.page.empty())
    files.add("--html", a.page,
              page_of_front(report::to_json(answer, a.model.configs.front())));
  files.write();
  print_front(files.messages(), answer);
  tell_base(files.remarks(), answer, a.model.configs.front());
  tell_asked(files.remarks(), networks, ranges, a, points);
  files.remarks() << points.size()
                  << (a.most == 0 ? " legal configurations, " : " configurations predicted, ")
                   << count([](const auto& p) { return !p.refused.empty(); })
                   << " of them cannot run the network, "
                   << count([](const auto& p) { return p.on_front; })
                   << " are on the front of " << names_of(wanted.objectives) << '\n'
                  << "area and energy of a run (~) are estimates by "
                  << wanted.silicon.source << '\n';
}

}  // namespace

void add_explore(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("explore", "Predict a network on thousands of configurations");
  const auto a = std::make_shared<explore_arguments>();
  add_model_options(*sub, a->model);
  sub->add_option("--range", a->ranges,
                  "Values of a member of the configuration, as NVDLA's spec files and "
                  "nvdlac/hw/spec.hpp call it: mac_atomic_c=8,16,32; may be given several times. "
                  "All combinations that are legal are predicted, unless --search limits them")
      ->required()->type_name("MEMBER=N,N,..");
  sub->add_option("--networks", a->networks,
                  "Instead of MODEL the networks of a plan of `nvdlac sweep`, with their options: "
                  "cycles are then the geometric mean of theirs, bytes their sum, memory that of "
                  "the one that needs most")
      ->type_name("PLAN");
  sub->add_option("--search", a->most,
                  "Where there are more combinations, predict at most so many, which a genetic "
                  "search (NSGA-II) chooses; the same ones each time")
      ->check(CLI::Range(8u, 1'000'000u))->type_name("N");
  sub->add_flag("--exact", a->exact,
                text("Predict all as `compile` makes their programs: of more than ", most_exact,
                     " only those on the front are, and the others in outline, which takes a fifth "
                     "of the time"));
  sub->add_option("--max", a->most_costs,
                  "What a configuration may cost: macs=N, cbuf=KIB and bus=BITS, as in the table; "
                  "what costs more is not predicted")
      ->delimiter(',')->type_name("NAME=NUMBER,..");
  sub->add_option("--front", a->objectives,
                  "What is to be small on the front: " + listed(explore::objective_names) +
                      "; default: all but the two that are estimated")
      ->delimiter(',')->type_name("NAME,..");
  sub->add_option(
         "--costs", a->costs,
         "What area and energy are estimated by, as docs/explore.md describes it; default: "
         "NVIDIA's published estimates for 16 nm")
      ->type_name("FILE.json");
  add_threads(*sub, a->threads, a->model);
  add_memory_and_clock(*sub, a->prediction);
  const std::string outputs = "Outputs";
  sub->add_option("-o,--output", a->table,
                  "Table of all of them: CSV or, by the name .sqlite, .sqlite3 or .db, a database")
      ->check(check_output_name)->type_name("FILE")->group(outputs);
  sub->add_option("--cpp", a->header,
                  "The front as C++ structs explored_POINT, for nvdlac_add_cli and programs")
      ->check(check_output_name)->type_name("OUT.hpp")->group(outputs);
  sub->add_option("--html", a->page,
                  "A page that plots all of them: each on the front with its configuration, and "
                  "its C++ to copy")
      ->check(check_output_name)->type_name("OUT.html")->group(outputs);
  sub->footer(
      "Cycles are those that the cost model predicts of register traces, see docs/performance.md.\n"
      "Printed is the front: configurations of which no other one has as few cycles, MACs, bytes of\n"
      "CBUF, bits of memory bus and lanes, elements that SDP, PDP and CDP take in a cycle; and how\n"
      "many combinations break which rule of NVDLA. The configuration of --config is the base,\n"
      "which is printed as well.\n"
      "Example:\n"
      "  nvdlac explore digits.onnx --config nv_small --calibration pictures/ \\\n"
      "      --range mac_atomic_c=8,16,32,64 --range mac_atomic_k=8,16,32 \\\n"
      "      --range cbuf_entry=8,16,32,64 --range cbuf_banks=8,16,32 --html front.html");
  sub->callback([=] { run_explore(*a, targets); });
}

}  // namespace nvdlac::cli
