// SPDX-License-Identifier: Apache-2.0
// nvdlac reproduce: a loadable made anew from what its notes name, and compared.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/provenance.hpp>

#include "commands.hpp"
#include "compilation_options.hpp"
#include "find_target.hpp"
#include "limit_options.hpp"
#include "loadable_of.hpp"
#include "manner.hpp"
#include "outputs.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "scheduling.hpp"
#include "threads.hpp"
#include "usage.hpp"
#include "versions.hpp"

namespace nvdlac::cli {
namespace {

struct reproduce_arguments {
  std::string loadable{}, model{}, weights{}, scales{}, schedule{}, output{};
  std::vector<std::string> calibration{};
  std::uint32_t threads = 0;
  budget limits{};
};

using emit::provenance;

std::string this_nvdlac() { return report::maker_of({.version = version, .commit = commit()}); }

// The options that the loadable was compiled with, but for files: those of its notes, beside the
// limits that are given.
struct options_of_notes : compilation_options {
  bool traced = false;  // for a schedule of traces
};
std::unique_ptr<options_of_notes> read_options(const provenance& made_from,
                                               const std::string& file, const budget& limits) {
  auto to = std::make_unique<options_of_notes>();
  to->model.limits = limits;
  to->model.preprocessing.of_notes = true;
  CLI::App app;
  app.set_help_flag();
  add_model_options(app, to->model);
  add_building(app, *to);
  app.add_flag("--trace", to->traced);
  std::vector<std::string> words;
  std::string own;  // of a program in C++
  for (const auto& o : made_from.options) {
    words.emplace_back(o);
    if (words.back().starts_with("own ")) own += (own.empty() ? "" : ", ") + escape::line(o);
  }
  if (!own.empty())
    throw error(problem{.file = file,
                        .reason = "was made by a program in C++ with what this command has not: " +
                                  own,
                        .remedy = "let that program make it again, and compare the two with "
                                  "`nvdlac diff`"});
  to->model.words = words;
  std::erase_if(to->model.words, [](const std::string& w) {
    return w.starts_with("--config=") || w == "--trace";
  });
  std::ranges::reverse(words);  // CLI11 takes them from the end
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    throw error(problem{.file = file,
                        .reason = text("this nvdlac, ", this_nvdlac(),
                                       ", does not take the options of its notes: ", e.what()),
                        .remedy = "take nvdlac " + report::maker_of(made_from) +
                                  ", which made it"});
  }
  return to;
}

// Names what was read for the loadable and is not given, and what is given in vain.
void check_given(const reproduce_arguments& a, const provenance& made_from) {
  struct role {
    const char* name;
    const char* option;
    bool given;
  };
  const bool has_weights = made_from.find("weights") != nullptr;
  for (const auto& [name, option, given] :
       {role{"weights", "WEIGHTS", !a.weights.empty()},
        role{"calibration", "--calibration", !a.calibration.empty()},
        role{"scales", "--scales", !a.scales.empty()},
        role{"schedule", "--schedule", !a.schedule.empty()}}) {
    const bool needed = made_from.find(name) != nullptr;
    if (needed && !given)
      throw usage_error(text(a.loadable, " was made with ", name, ": give ", option));
    if (given && !needed)
      throw usage_error(text(a.loadable, " was made without ", name, ": leave out ", option,
                             has_weights || a.weights.empty() ? "" : ", or give it as MODEL"));
  }
}

// Adds what is not as the notes tell, of the roles that `now` has.
void compare_sources(const provenance& noted, const std::vector<provenance::source>& now,
                     const reproduce_arguments& a, bool with_calibration, diagnostics& to) {
  for (const auto& s : now) {
    const bool is_calibration = s.role == "calibration";
    if (is_calibration != with_calibration) continue;
    const auto* const before = noted.find(s.role);
    if (before == nullptr || *before == s) continue;
    const auto& file = s.role == "model"      ? a.model
                       : s.role == "weights"  ? a.weights
                       : s.role == "scales"   ? a.scales
                       : s.role == "schedule" ? a.schedule
                                              : a.calibration.front();
    const auto said = [](const provenance::source& from) {
      return text(from.sha256.hex(), from.count == 1 ? "" : text(" of ", from.count));
    };
    to.add({.file = file,
            .reason = text("is another ", s.role, " than ", a.loadable, " was made from: SHA-256 ",
                           is_calibration ? "of its values " : "", said(s), ", not ",
                           said(*before)),
            .remedy = text("give the ", s.role,
                           " of then; `nvdlac inspect --provenance` tells more")});
  }
}

// Where two sequences of bytes begin to differ.
std::size_t first_difference(const std::vector<std::uint8_t>& a,
                             const std::vector<std::uint8_t>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

void reproduce(const reproduce_arguments& a, target_list targets) {
  const auto before = data::read_file(a.loadable);
  const auto image = emit::read_loadable(before, a.loadable);
  const auto& noted = image.notes.made_from;
  if (noted.empty())
    throw error(problem{.file = a.loadable,
                        .reason = "does not say what it was made from: an older nvdlac or another "
                                  "tool wrote it, or it was made with --no-provenance",
                        .remedy = "compile it anew"});
  check_given(a, noted);
  const auto& t = find_target_of(image, a.loadable, "", targets);
  auto with = read_options(noted, a.loadable, a.limits);
  auto& m = with->model;
  m.model = a.model;
  m.weights = a.weights;
  m.scales = a.scales;
  m.calibration = a.calibration;
  m.scheduling.given = a.schedule;
  m.threads = a.threads;
  m.network = std::string(image.notes.network);

  preparation from(m, targets);
  output_set files(from.files());
  if (!a.output.empty()) files.plan("--output", a.output);
  diagnostics different;
  compare_sources(noted, from.sources(), a, false, different);
  different.check();
  from.choose_batch(with->batch);
  from.compare_for([&](const target& on) { return with->prediction.on(on).memory; });
  from.quantise({});
  compare_sources(noted, from.sources(), a, true, different);
  different.check();

  auto made_from = provenance_of(from, with->traced);
  // A loadable of another commit is compared in all but the commit's name.
  const bool same_maker = made_from.version == noted.version && made_from.commit == noted.commit;
  made_from.version = noted.version;
  made_from.commit = noted.commit;
  const auto made = in_file(a.model, [&] {
    progress_line line(text("compiling for ", t.name()));
    const auto scheduled =
        build_scheduled(t, from, with->prediction.on(t), with->traced, line);
    return loadable_of(t, scheduled.program, made_from);
  });
  const bool same = made == before;
  if (!a.output.empty()) files.add("--output", a.output, made);
  const auto says = text(a.loadable, " was made by nvdlac ", report::maker_of(noted), ", this is ",
                         this_nvdlac());
  if (same) {
    files.remarks() << a.loadable << ": the same " << grouped(made.size(), "byte")
                    << " are made from " << a.model << '\n';
    if (!same_maker) files.remarks() << says << '\n';
  }
  files.write();
  if (!same)
    throw error(problem{
        .file = a.loadable,
        .reason = text("is not what is made from ", a.model, ": ", made.size(), " bytes, not ",
                       before.size(), ", which differ from byte ", first_difference(made, before),
                       " on", same_maker ? "" : "; " + says),
        .remedy = text(same_maker ? "" : "take the nvdlac that made it, or ",
                       "keep what is made with -o FILE, and let `nvdlac diff` tell more")});
}

}  // namespace

void add_reproduce(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("reproduce", "Make a loadable anew from its notes, and compare");
  const auto a = std::make_shared<reproduce_arguments>();
  sub->add_option("LOADABLE", a->loadable, "A file of `nvdlac compile`")->required()
      ->type_name("FILE");
  sub->add_option("MODEL", a->model, "The model that it was compiled from")->required()
      ->type_name("FILE|DIR");
  sub->add_option("WEIGHTS", a->weights, "Its weights, where they were in a file of their own")
      ->type_name("FILE");
  sub->add_option("--calibration", a->calibration,
                  "The inputs of its calibration, in the same order, if it had one")
      ->type_name("DIR|FILE");
  sub->add_option("--scales", a->scales, "The table of scales, if it was given one")
      ->type_name("FILE");
  sub->add_option("--schedule", a->schedule, "The schedule, if it was given one")
      ->type_name("FILE");
  sub->add_option("-o,--output", a->output, "Keep what is made")
      ->check(check_output_name)->type_name("FILE");
  sub->add_option("--threads", a->threads,
                  "Threads that calibrate and search; default: as many as there are processors; "
                  "their number changes no byte")
      ->check(CLI::Range(1, 256))->type_name("N");
  add_limits(*sub, a->limits);
  sub->footer(
      "All other options are those of the notes, which `nvdlac inspect --provenance` shows. Other\n"
      "files than those that it was made from are told by their SHA-256. A loadable of another\n"
      "version or commit of nvdlac is compared in all but their names.\n"
      "Example:\n"
      "  nvdlac reproduce digits.nvdla digits.onnx --calibration pictures/\n"
      "Exit codes: 0 the same byte for byte, 1 different, 2 wrong usage, 3 a defect of nvdlac.");
  sub->callback([=] { reproduce(*a, targets); });
}

}  // namespace nvdlac::cli
