// SPDX-License-Identifier: Apache-2.0
// nvdlac replay: a register trace on the simulator, compared with the memory that it expects.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/loadable_schema.hpp>
#include <nvdlac/runtime/public_trace.hpp>
#include <nvdlac/runtime/replay.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "layers.hpp"
#include "limit_options.hpp"
#include "outputs.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct replay_arguments {
  std::string trace{}, config{}, dump_to{};
  layers_option layers{};
  budget limits{};
  sim::settings settings{};
  bool any_timing = false;
};

// The trace and the images beside it.
std::vector<std::filesystem::path> files_of(const runtime::trace& t,
                                            const std::filesystem::path& path) {
  std::vector<std::filesystem::path> all{path};
  for (const auto& [name, bytes] : t.files)
    all.push_back(path.parent_path() / name.substr(0, name.find(' ')));  // "a.dat of line 3"
  return all;
}

constexpr auto dump_option = "--dump-to";

// Where the files of mem_dump go is for the user to say, not for the trace.
void plan_dumps(const replay_arguments& a, const runtime::trace& t, output_set& files) {
  for (const auto& c : t.commands) {
    if (c.what != runtime::trace_command::kind::mem_dump) continue;
    if (!a.dump_to.empty()) files.plan(dump_option, std::filesystem::path(a.dump_to) / c.file);
    else
      std::cerr << text("nvdlac: note: ", a.trace, ':', c.line, ": '", c.file,
                        "' is not written (", dump_option, " DIR writes it)\n");
  }
}

// Whether a file begins as FlatBuffers of a loadable do. Only a regular one can be read twice.
bool is_loadable(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::array<char, 8> head{};
  std::ifstream(file, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()).substr(4) == emit::flat::identifier;
}

// The lines that ask for a moment, which public traces do and the simulator cannot show. What they
// wait for is in the memory that the trace compares; one that compares none is taken at its word.
std::set<std::size_t> moments_of(const runtime::trace& t, bool is_public, hw::register_map map) {
  std::set<std::size_t> lines;
  bool compares = false;
  for (const auto& c : t.commands) {
    compares = compares || c.what == runtime::trace_command::kind::mem_check;
    if (is_public && runtime::asks_for_a_moment(c, map)) lines.insert(c.line);
  }
  return compares ? lines : std::set<std::size_t>{};
}

void replay(replay_arguments& a, target_list targets) {
  if (!a.config.empty()) (void)find_target(targets, a.config);  // before the file is read
  a.settings.limit_by(a.limits);
  a.settings.timing = a.any_timing ? sim::timing::refuse : sim::timing::warn;
  if (is_loadable(a.trace))
    throw error(problem{.file = a.trace, .reason = "is a loadable, and no trace of registers",
                        .remedy = "`nvdlac run` runs it, and `nvdlac compile --trace` writes a "
                                  "trace"});
  const bool is_public = runtime::is_public_trace(a.trace);
  if (is_public && a.config.empty())
    throw usage_error(a.trace + " does not name its configuration, give --config (" +
                      names_of(targets) + ")");
  const auto trace = is_public ? runtime::read_public_trace(a.trace, a.config, a.limits.trace)
                               : runtime::read_trace(a.trace, a.limits.trace);
  const auto& t = find_target(targets, a.config.empty() ? trace.config : a.config);
  output_set files(files_of(trace, a.trace));
  a.layers.plan(files);
  plan_dumps(a, trace, files);
  const auto say = [&](std::size_t line, const auto&... what) {
    files.messages() << text(a.trace, ':', line, ": ", what..., '\n');
  };
  std::size_t warnings = 0;
  // Warnings of the same words, whatever the register, by the line of the first.
  struct alike { std::string words; std::size_t line = 0, more = 0; };
  std::vector<alike> told;
  runtime::replay_options how{.settings = a.settings,
                          .on_warning = [&](std::size_t line, const std::string& rule) {
                            ++warnings;
                            const auto words = rule.substr(std::min(rule.find(": "), rule.size()));
                            const auto known = std::ranges::find(told, words, &alike::words);
                            if (known != told.end()) {
                              ++known->more;
                              return;
                            }
                            say(line, "warning: ", rule);
                            told.push_back({words, line});
                          },
                          .on_layer = [&](const sim::layer_record& r) {
                            if (a.layers.wanted()) a.layers.take(r);
                          }};
  if (!a.dump_to.empty())
    how.on_dump = [&](const std::string& file, std::vector<std::uint8_t> bytes) {
      files.add(dump_option, std::filesystem::path(a.dump_to) / file, std::move(bytes));
    };
  const auto moments = moments_of(trace, is_public, t.spec().map);
  std::size_t differences = 0, passed = 0;
  for (const auto& d : t.replay(trace, how)) {
    const bool moment = moments.contains(d.line);
    say(d.line, moment ? "note: not at this moment: " : "", d.what);
    ++(moment ? passed : differences);
  }
  for (const auto& k : told)
    if (k.more != 0)
      say(k.line, "warning: the same of ", count_of(k.more, "more line"));
  if (warnings != 0 && !a.settings.lenient)
    files.messages() << a.trace << ": warning: this program does not wait for what it uses, and is "
                        "right with some latencies of memories and host only (--any-timing refuses "
                        "it)\n";
  using enum runtime::trace_command::kind;
  if (std::ranges::none_of(trace.commands, [](const auto& c) {
        return c.what == mem_check || c.what == mem_crc || c.what == mem_dump;
      }))
    files.messages() << a.trace << ": note: the trace compares no memory\n";
  a.layers.finish(files);
  files.write();
  files.messages() << a.trace << ": " << count_of(trace.commands.size(), "command") << ", "
                   << count_of(differences, "difference")
                   << (passed == 0 ? ""
                                   : text(", ", count_of(passed, "condition"), " of a moment"))
                   << (a.settings.lenient || warnings != 0
                           ? text(", ", count_of(warnings, "warning"))
                           : "")
                   << '\n';
  flush_standard_output();
  if (differences != 0) throw negative{};
}

}  // namespace

void add_replay(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "replay", "Run a register trace on the simulator and compare the memory that it expects");
  const auto a = std::make_shared<replay_arguments>();
  sub->add_option("TRACE", a->trace,
                  "A file of `nvdlac compile --trace` in the format nvtrace or public, or an "
                  "input.txn of nvdla/hw")
      ->required()->type_name("FILE");
  sub->add_option("-c,--config", a->config,
                  "The trace's configuration: " + names_of(targets) +
                      "; needed for public ones only, as others name it")
      ->type_name("NAME");
  auto* const lenient =
      sub->add_flag("--lenient", a->settings.lenient,
                    "Go on after a broken rule, with a warning, where the hardware does so in a "
                    "defined way, or may");
  sub->add_flag("--any-timing", a->any_timing,
                "Refuse a program that does not wait for what it uses, and so is right only by "
                "chance, with some latencies of memories and host; without this option that is a "
                "warning")
      ->excludes(lenient);
  sub->add_option(dump_option, a->dump_to,
                  "Write the files of the trace's mem_dump into this directory; without it they "
                  "are not written")
      ->type_name("DIR");
  a->layers.add(*sub);
  add_threads(*sub, a->settings.threads);
  add_limits(*sub, a->limits);
  sub->footer(
      "Every difference is printed; with one or more the exit code is 1. In a public trace,\n"
      "what asks for a moment of the hardware (a unit that still runs) is no difference.\n"
      "Examples:\n  nvdlac replay digits.nvtrace --config nv_small\n"
      "  nvdlac replay sanity1/input.txn --config nv_full");
  sub->callback([=] { replay(*a, targets); });
}

}  // namespace nvdlac::cli
