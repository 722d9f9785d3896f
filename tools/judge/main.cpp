// SPDX-License-Identifier: Apache-2.0
// nvdlac_judge: random models on the configurations that it is built with, see tools/differential.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "case.hpp"
#include "draw_trial.hpp"
#include "find_target.hpp"
#include "random_model.hpp"

using namespace nvdlac;
using namespace nvdlac::judge;
namespace fs = std::filesystem;

namespace {

struct arguments {
  std::uint64_t seed = 1, networks = 100;
  std::vector<std::string> configurations{}, precisions{"int8", "int16", "fp16"};
  std::string findings = "findings", traces{}, engine_modules{}, engine_script{}, again{};
  std::size_t most_shrunk = 5, seconds = 0;
  bool variants = true, tells = false;
  int blocks = 5, channels = 24, side = 14;
  bool orders = false;
};

arguments parse(int argc, char** argv, bool& ends, int& code) {
  arguments a;
  CLI::App app("Random models, compiled, simulated and judged");
  app.add_option("--seed", a.seed, "The first model's; the next ones count on");
  app.add_option("--networks", a.networks, "How many");
  app.add_option("--configurations", a.configurations,
                 "Those that take turns; default: all of the tool")
      ->delimiter(',');
  app.add_option("--precision", a.precisions, "Those that are drawn from")->delimiter(',');
  app.add_option("--findings", a.findings, "The folder that takes findings");
  app.add_option("--traces", a.traces, "Leave programs as register traces in this folder");
  app.add_option("--onnxruntime", a.engine_modules, "A folder with node_modules/onnxruntime-node");
  app.add_option("--script", a.engine_script, "onnx_runtime.mjs");
  app.add_option("--again", a.again, "Judge what a finding left, NAME.json");
  app.add_option("--most-shrunk", a.most_shrunk, "Findings of a kind that are made small");
  app.add_option("--seconds", a.seconds, "End after this time; 0: never");
  app.add_option("--blocks", a.blocks, "Of a model, at most");
  app.add_option("--channels", a.channels, "Of a tensor, about");
  app.add_option("--side", a.side, "Height and width of an input, at most");
  app.add_flag("--orders", a.orders, "Mostly blocks that bring elements into another order");
  app.add_flag("--tell", a.tells, "Print a line for each model");
  app.add_flag("!--plain", a.variants, "Without variants of the options");
  ends = false;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    code = app.exit(e) == 0 ? 0 : 2;
    ends = true;
  }
  return a;
}

// A folder that goes away with the program.
struct work_folder {
  fs::path path = [] {
    const fs::path memory = "/dev/shm";
    const auto in = ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory : fs::temp_directory_path();
    return in / ("nvdlac_judge_" + std::to_string(::getpid()));
  }();
  work_folder() { fs::create_directories(path); }
  ~work_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

// A reason without the names and numbers of one model.
std::string form_of(const std::string& reason) {
  std::string form;
  bool in_name = false, in_number = false;
  for (const char c : reason) {
    if (c == '\'') in_name = !in_name;
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number && !in_name) form += 'N';
    in_number = digit;
    if (!in_name && !digit) form += c;
  }
  return form;
}

struct tally {
  std::uint64_t networks = 0, agreed = 0;
  std::map<std::string, std::uint64_t> refused{}, by_engine{};
  std::map<finding, std::vector<std::uint64_t>> found{};  // seeds
};

// Runs one behind the other, as a campaign on hardware plays them.
class trace_writer {
 public:
  explicit trace_writer(const fs::path& to) : to_(to) {
    if (to.empty()) return;
    fs::create_directories(to);
    manifest_.open(to / "manifest.tsv");
    manifest_ << "trace\tconfiguration\truns\tlatency\tstalls\tseed\tpredicted\toptions\n";
  }
  void take(const trial_pair& c, const exhibit& e, cli::target_list targets) {
    if (to_.empty()) return;
    // Cycles of a read, and whether the bus stalls at random.
    struct memory {
      std::uint64_t latency;
      bool stalls;
    };
    constexpr memory memories[] = {{16, false}, {64, false}, {256, false}, {64, true}};
    const auto& m = memories[c.seed / 3 % 4];
    const auto runs = 1 + c.seed % 3;
    const auto name = text(c.plain.configuration, '_', c.seed);
    std::optional<std::uint64_t> predicted;
    try {
      predicted = write_trace(e, c.plain, targets, to_ / (name + ".nvtrace"), runs, m.latency);
    } catch (const error&) {
    }
    if (!predicted) return;
    std::string options;
    for (const auto& w : c.plain.words({})) options += (options.empty() ? "" : " ") + w;
    manifest_ << name << ".nvtrace\t" << c.plain.configuration << '\t' << runs << '\t'
              << m.latency << '\t' << m.stalls << '\t' << c.seed << '\t' << *predicted << '\t'
              << options << std::endl;
  }

 private:
  fs::path to_;
  std::ofstream manifest_{};
};

void print(const tally& t, const court& c, const arguments& a, bool engine, double seconds) {
  std::cout << t.networks << " networks from seed " << a.seed << ", " << c.trials() << " trials, "
            << static_cast<int>(seconds) << " s: " << t.agreed << " agree";
  if (engine)
    std::cout << "; floats of " << c.compared()
              << " compared with ONNX Runtime, which does not run " << c.not_compared();
  std::cout << '\n';
  std::uint64_t refused = 0;
  for (const auto& [reason, count] : t.refused) refused += count;
  if (refused != 0) std::cout << refused << " refused:\n";
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : t.refused) reasons.emplace_back(count, reason);
  std::ranges::sort(reasons, std::greater<>());
  for (const auto& [count, reason] : reasons) std::cout << "  " << count << "  " << reason << '\n';
  for (const auto& [reason, count] : t.by_engine)
    std::cout << "  " << count << "  " << reason << '\n';
  for (const auto& [kind, seeds] : t.found) {
    std::cout << seeds.size() << " findings of kind '" << name_of(kind) << "', seeds";
    for (std::size_t i = 0; i < std::min<std::size_t>(seeds.size(), 12); ++i)
      std::cout << ' ' << seeds[i];
    std::cout << (seeds.size() > 12 ? " ..\n" : "\n");
  }
}

int run(const arguments& a) {
  const work_folder folder;
  std::optional<onnx_runtime> engine;
  if (!a.engine_modules.empty()) engine.emplace(a.engine_modules, a.engine_script);
  court the_court(folder.path, cli::targets(), engine ? &*engine : nullptr);
  if (!a.again.empty()) {
    const auto o = the_court.again(a.again);
    std::cout << name_of(o.what) << ": " << o.why << '\n';
    for (const auto& out : o.outputs)
      std::cout << "output '" << out.name << "': " << out.ratio << " of what its scales explain, "
                << out.expected << '\n';
    for (const auto& w : o.warnings) std::cout << w << '\n';
    return o.what > finding::refused ? 1 : 0;
  }
  std::vector<const cli::target*> configurations;
  for (const auto* t : cli::targets())
    if (a.configurations.empty() ||
        std::ranges::find(a.configurations, t->name()) != a.configurations.end())
      configurations.push_back(t);
  if (!a.configurations.empty() && configurations.size() != a.configurations.size()) {
    std::cerr << "nvdlac_judge: --configurations: this tool has " << cli::names_of(cli::targets())
              << '\n';
    return 2;
  }
  trace_writer traces(a.traces);
  tally all;
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  for (auto seed = a.seed; seed < a.seed + a.networks; ++seed) {
    if (a.seconds != 0 && seconds() > static_cast<double>(a.seconds)) break;
    const auto& target = *configurations[seed % configurations.size()];
    model_limits limits{.blocks = a.blocks,
                        .channels = seed % 11 == 0 ? 3 * a.channels : a.channels,
                        .side = seed % 13 == 0 ? 2 * a.side : a.side,
                        .orders = a.orders};
    trial_pair c{.network = random_model(seed, limits), .seed = seed};
    c.plain = draw_plain(c.network, target, a.precisions, seed);
    if (a.variants) c.variant = draw_variant(c.plain, c.network, target, seed);
    const auto before = seconds();
    const auto o = the_court.judge(c);
    ++all.networks;
    if (a.tells)
      std::cout << seed << ' ' << name_of(o.what) << ' ' << o.why << " (" << c.network.nodes.size()
                << " nodes, " << static_cast<int>(1000 * (seconds() - before)) << " ms)"
                << std::endl;
    for (const auto& w : o.warnings)
      if (w.starts_with("ONNX Runtime: ")) ++all.by_engine[form_of(w).substr(0, 100)];
    if (o.what == finding::none ||
        (o.what == finding::refused && o.why.starts_with("with an option"))) {
      ++all.agreed;
      if (o.what == finding::none && !a.traces.empty())
        traces.take(c, write_exhibit(c.network, c.seed, c.plain.pixels, folder.path, "model"),
                    cli::targets());
      if (o.what == finding::refused) ++all.refused[form_of(o.why)];
      continue;
    }
    if (o.what == finding::refused) {
      ++all.refused[form_of(o.why)];
      continue;
    }
    auto& seeds = all.found[o.what];
    seeds.push_back(seed);
    std::cout << "seed " << seed << ": " << name_of(o.what) << ": " << o.why << std::endl;
    if (seeds.size() > a.most_shrunk) continue;
    const auto least = the_court.smallest(c, o);
    const auto why = the_court.judge(least);
    const auto name = text(name_of(o.what), '_', seed);
    the_court.leave(least, why.what == o.what ? why : o, a.findings, name);
    std::string nodes;
    for (const auto& n : least.network.nodes) nodes += ' ' + n.type;
    std::cout << "  " << a.findings << '/' << name << ".onnx:" << nodes << "; " << why.why
              << std::endl;
  }
  print(all, the_court, a, engine.has_value(), seconds());
  return all.found.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  bool ends = false;
  int code = 0;
  const auto a = parse(argc, argv, ends, code);
  if (ends) return code;
  try {
    return run(a);
  } catch (const std::exception& e) {
    std::cerr << "nvdlac_judge: " << e.what() << '\n';
    return 3;
  }
}
