// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "commands.hpp"
#include "described_options.hpp"
#include "find_target.hpp"
#include "help_format.hpp"
#include "manner.hpp"
#include "manual.hpp"
#include "nearest.hpp"
#include "outputs.hpp"
#include "printable_output.hpp"
#include "spread_values.hpp"
#include "usage.hpp"
#include "versions.hpp"

namespace nvdlac::cli {
namespace {

enum exit_code { done = 0, refused = 1, usage = 2, defect = 3, unmet_wish = 4 };

int defective(const CLI::App& app, const char* what) {
  std::cerr << app.get_name() << ": internal error: " << what
            << "\nThis is a defect of nvdlac, not of your input. Please report it with the command "
               "and the files.\n";
  return defect;
}

// Problems that many layers share are told once, with the names of these.
std::vector<problem> told_once(const std::vector<problem>& all) {
  constexpr std::size_t many = 3, most_names = 16;
  const auto is_like = [](const problem& a, const problem& b) {
    return !a.layer.empty() && !b.layer.empty() && a.file == b.file && a.reason == b.reason &&
           a.remedy == b.remedy;
  };
  std::vector<problem> told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const problem& p) { return is_like(p, all[i]); };
    const auto alike = static_cast<std::size_t>(std::ranges::count_if(all, same));
    if (alike >= many && std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                                     same))
      continue;
    told.push_back(all[i]);
    if (alike < many) continue;
    std::string names;
    std::size_t listed = 0;
    for (std::size_t k = i + 1; k < all.size() && listed < most_names; ++k)
      if (same(all[k])) names += text(listed++ == 0 ? " '" : ", '", all[k].layer, "'");
    const auto rest = alike - 1 - listed;
    told.back().reason += text("; the same holds of", names,
                               rest > 0 ? text(" and ", rest, " more") : "");
  }
  return told;
}

// Tells the options that neither the tool nor the command has, each with the one that is meant.
std::string unknown_options(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<const CLI::App*> asked{&app};
  for (const auto* command : app.get_subcommands()) asked.push_back(command);
  std::vector<std::string> known;
  for (const auto* command : asked)
    for (const auto& o : options_of(*command)) known.push_back(o.long_name);
  std::string said;
  for (const auto& word : words) {
    if (word == "--") break;  // positionals are behind it
    const auto name = word.substr(0, word.find('='));
    const auto has_it = [&](const CLI::App* command) {
      return command->get_option_no_throw(name) != nullptr;
    };
    if (!name.starts_with("--") || std::ranges::any_of(asked, has_it)) continue;
    const auto like = nearest(name, known);
    said += text(app.get_name(), ": there is no ", name,
                 like.empty() ? "" : text(": did you mean ", like, '?'), '\n');
  }
  return said;
}

// Prints what a subcommand threw as messages, and returns the exit code.
int explain(const CLI::App& app, const std::vector<std::string>& given) try {
  throw;
} catch (const CLI::ExtrasError& e) {
  const auto unknown = unknown_options(app, given);
  if (unknown.empty()) app.exit(e, std::cout, std::cerr);
  std::cerr << unknown;
  return usage;
} catch (const CLI::ParseError& e) {
  app.exit(e, std::cout, std::cerr);
  std::cerr << unknown_options(app, given);
  return usage;
} catch (const usage_error& e) {
  std::cerr << app.get_name() << ": " << e.what() << '\n';
  return usage;
} catch (const negative&) {
  return refused;
} catch (const said_elsewhere&) {
  return done;
} catch (const error& e) {
  for (const auto& p : told_once(e.problems()))
    std::cerr << app.get_name() << ": error: " << to_string(p) << '\n';
  return dynamic_cast<const trouble*>(&e) != nullptr ? usage
         : dynamic_cast<const unmet*>(&e) != nullptr ? unmet_wish
                                                     : refused;
} catch (const std::bad_alloc&) {
  std::cerr << app.get_name() << ": error: the memory of this machine does not suffice\n";
  return refused;
} catch (const std::filesystem::filesystem_error& e) {  // a folder that is gone
  const auto& path = e.path1();
  std::cerr << app.get_name() << ": error: "
            << to_string(problem{.file = path.string(),
                                 .reason = path.empty()
                                               ? "the working directory cannot be found: " +
                                                     e.code().message()
                                               : "cannot be reached: " + e.code().message()})
            << '\n';
  return refused;
} catch (const std::exception& e) {
  return defective(app, e.what());
} catch (...) {
  return defective(app, "an unknown exception");
}

// CLI11 would only say that a subcommand is missing.
void check_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  std::vector<std::string> known;
  for (const auto* s : commands_of(app)) {
    if (s->check_name(words[0])) return;
    known.push_back(s->get_name());
  }
  const auto like = nearest(words[0], known);
  throw usage_error(text("there is no subcommand '", words[0], "'",
                         like.empty() ? "" : text(": did you mean ", like, '?'), " (there are ",
                         joined(known), ")"));
}

// Settles every option that takes a value: nothing has an empty name, and only spread_values finds
// further values.
void settle_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](std::string& given) { return given.empty() ? "it is empty" : ""; }, "");
  for (auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    for (auto* option : sub->get_options(
             [](const CLI::Option* o) { return o->get_items_expected_max() > 0; }))
      option->allow_extra_args(false)->check(not_empty);
}

// Returns the words behind the program's name. `help` and `help compile` are others for --help.
std::vector<std::string> given_words(int count, char** arguments) {
  std::vector<std::string> words(arguments + std::min(count, 1), arguments + count);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// CLI11 takes them from the end.
std::vector<std::string> words_of(const CLI::App& app, std::vector<std::string> words) {
  for (const auto* command : commands_of(app)) {
    if (words.empty() || command->get_name() != words[0]) continue;
    auto spread = spread_values(*command, {words.begin() + 1, words.end()});
    words.resize(1);
    words.insert(words.end(), spread.begin(), spread.end());
  }
  std::reverse(words.begin(), words.end());
  return words;
}

// Puts first in help and manual what the first hour needs; other groups follow.
void put_first(CLI::App& sub) {
  for (const char* name :
       {"--config", "--calibration", "--input", "--labels", "--output", "--html"})
    if (auto* option = sub.get_option_no_throw(name)) option->group("Options");
}

// Suggests the names of this tool's configurations.
void suggest_configurations(CLI::App& app, target_list targets) {
  for (auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (auto* config = sub->get_option_no_throw("--config")) suggest(*config, names_of(targets));
}

// Adds the options of the whole tool, which do their work and end.
void add_own_options(CLI::App& app, const std::string& program) {
  app.set_version_flag("--version", versions,
                       "Print the version, the commit, the compiler and the libraries");
  app.add_option_function<std::string>(
         "--completion",
         [&app, program](const std::string& shell) {
           std::cout << completion(app, shell, program);
           throw CLI::Success();
         },
         "Print what completes the words of a command line: source <(nvdlac --completion bash)")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))->type_name("SHELL");
  app.add_option_function<std::string>(  // for the installation
         "--write-manual",
         [&app](const std::string& share) {
           write_manual(app, share);
           throw CLI::Success();
         })
      ->group("");
}

constexpr const char* examples =
    "Examples:\n"
    "  nvdlac configs\n"
    "  nvdlac compile digits.onnx --config nv_small --calibration pictures/ -o digits.nvdla\n"
    "  nvdlac run digits.nvdla --config nv_small --input seven.png\n"
    "  nvdlac verify digits.onnx --config nv_small --calibration pictures/ --input tests/\n"
    "\n"
    "nvdlac SUBCOMMAND --help explains its options. Those with ... take several values, so that\n"
    "MODEL and WEIGHTS come first.\n"
    "Exit codes: 0 done, 1 bad input or unsupported, 2 wrong usage, 3 a defect of nvdlac, 4 a\n"
    "threshold of `verify` that does not hold.";

}  // namespace

int run(int count, char** arguments, target_list targets) {
  CLI::App app("Turns a trained network into a program for NVDLA and proves it on a bit-accurate "
               "simulator.",
               "nvdlac");
  app.footer(examples);
  app.require_subcommand(1);
  app.formatter(std::make_shared<help_format>());
  add_configs(app, targets);
  add_config(app);
  add_compile(app, targets);
  add_reproduce(app, targets);
  add_import(app, targets);
  add_run(app, targets);
  add_locate(app, targets);
  add_bench(app, targets);
  add_check(app, targets);
  add_replay(app, targets);
  add_inspect(app, targets);
  add_diff(app, targets);
  add_verify(app, targets);
  add_explore(app, targets);
  add_sweep(app, targets);
  for (auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_manner(*sub);
    put_first(*sub);
  }
  add_own_options(app,
                  std::filesystem::path(count > 0 ? arguments[0] : "nvdlac").filename().string());
  suggest_configurations(app, targets);
  settle_values(app);
  const printable_output out(std::cout), messages(std::cerr, true);
  const auto words = given_words(count, arguments);
  try {
    check_subcommand(app, words);
    try {
      app.parse(words_of(app, words));
    } catch (const CLI::Success& e) {  // --help, --version
      app.exit(e);
    }
    flush_standard_output();
    return done;
  } catch (...) {
    std::cout.flush();
    return explain(app, words);
  }
}

}  // namespace nvdlac::cli
