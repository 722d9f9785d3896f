// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "described_options.hpp"
#include "manual.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::string_view letters_of_words =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// The shell's function that completes the command line of that name.
std::string function_for(std::string name) {
  for (char& c : name)
    if (letters_of_words.find(c) == letters_of_words.npos) c = '_';
  return "_" + name;
}

std::vector<std::string> names_of(const described_option& o) {
  std::vector<std::string> names;
  for (const auto& name : {o.short_name, o.long_name})
    if (!name.empty()) names.push_back(name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* c : commands_of(app)) names.push_back(c->get_name());
  return names;
}

// The beginning of a description between single quotes, in which zsh wants an apostrophe as '\''
// and fish as \'.
std::string brief(const std::string& description, std::string_view apostrophe) {
  auto s = description.substr(0, description.find_first_of(":;.([]\\"));
  if (s.size() > 60) s = s.substr(0, s.rfind(' ', 60)) + " ..";
  while (s.ends_with(' ') || s.ends_with(',')) s.pop_back();
  for (auto at = s.find('\''); at != s.npos; at = s.find('\'', at + apostrophe.size()))
    s.replace(at, 1, apostrophe);
  return s;
}
constexpr auto in_zsh = "'\\''", in_fish = "\\'";

// An arm of bash's case for each option with a value; with + where that is not its first.
std::string bash_values(const CLI::App& app, const std::string& command) {
  std::string arms;
  for (const auto& o : options_of(app)) {
    if (o.value.empty() || o.is_positional()) continue;
    std::vector<std::string> keys;
    for (const auto& name : names_of(o)) {
      keys.push_back(command + ',' + name);
      if (o.several) keys.push_back(command + ',' + name + '+');
    }
    arms += text("    ", joined(keys, " | "), ") ",
                 !o.choices.empty() ? text("words='", joined(o.choices, " "), "'")
                 : o.takes_path()   ? "files=yes"
                                    : "return", " ;;\n");
  }
  return arms;
}

std::string bash_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto& o : options_of(app))
    for (const auto& name : names_of(o)) names.push_back(name);
  return joined(names, " ");
}

std::string bash_completion(const CLI::App& app, const std::string& name) {
  const auto function = function_for(name), commands = joined(command_names(app), " ");
  std::string options = "    '') options='" + bash_options(app) + "' words='" + commands +
                        "' files= ;;\n";
  std::string values = bash_values(app, "");
  for (const auto* c : commands_of(app)) {
    options += text("    ", c->get_name(), ") options='", bash_options(*c), "' ;;\n");
    values += bash_values(*c, c->get_name());
  }
  return text(
      "# Completes the words of ", name, " in bash; written by ", name, " --completion bash.\n",
      function, "() {\n"
      "  local command= options= words= files=yes option= further= word i\n"
      "  local current=${COMP_WORDS[COMP_CWORD]}\n"
      "  [[ $current == = ]] && current=\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case $word in\n"
      "      -*) option=$word further= ;;\n"
      "      =) ;;\n"
      "      *) [[ $command || $option ]] && further=+ || command=$word ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n", options, "  esac\n"
      "  case $command,$option$further in\n", values, "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    words=$options files=\n"
      "  fi\n"
      "  if [[ $words ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  elif [[ $files ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -F ", function, ' ', name, '\n');
}

std::string zsh_value(const described_option& o) {
  if (o.value.empty()) return {};
  return ":" + brief(o.value, in_zsh) + ":" +
         (!o.choices.empty() ? "(" + joined(o.choices, " ") + ")"
          : o.takes_path()   ? "_files"
                             : " ");
}

std::string zsh_arguments(const CLI::App& app) {
  std::string lines;
  for (const auto& o : options_of(app)) {
    if (o.is_positional()) continue;
    const auto names = names_of(o);
    const auto value = '[' + brief(o.description, in_zsh) + ']' + zsh_value(o) + '\'';
    for (const auto& name : names) {
      const bool is_long = name.starts_with("--");
      lines += text(" \\\n        '", o.several ? "*" : "(" + joined(names, " ") + ")", name,
                    o.value.empty() ? "" : is_long ? "=" : "+", value);
    }
  }
  return lines;
}

std::string zsh_completion(const CLI::App& app, const std::string& name) {
  const auto function = function_for(name);
  std::string commands, arms;
  for (const auto* c : commands_of(app)) {
    commands += text("        '", c->get_name(), ':', brief(c->get_description(), in_zsh),
                     "'\n");
    arms += text("      ", c->get_name(), ")\n        _arguments", zsh_arguments(*c),
                 " \\\n        '*:file:_files'\n        ;;\n");
  }
  return text("#compdef ", name, "\n# Written by ", name, " --completion zsh.\n",
              function, "() {\n  local curcontext=$curcontext state line\n  _arguments -C",
              zsh_arguments(app), " \\\n        '1:command:->command' '*::argument:->argument'\n"
              "  case $state in\n    command)\n      local -a commands=(\n", commands,
              "      )\n      _describe command commands\n      ;;\n"
              "    argument) case $words[1] in\n", arms, "    esac ;;\n  esac\n}\n"
              "if [[ $funcstack[1] == ", function, " ]]; then\n  ", function, " \"$@\"\nelse\n"
              "  compdef ", function, ' ', name, "\nfi\n");
}

std::string fish_options(const CLI::App& app, const std::string& where) {
  std::string lines;
  for (const auto& o : options_of(app)) {
    if (o.is_positional()) continue;
    lines += where;
    if (!o.short_name.empty()) lines += " -s " + o.short_name.substr(1);
    if (!o.long_name.empty()) lines += " -l " + o.long_name.substr(2);
    if (!o.choices.empty()) lines += " -x -a '" + joined(o.choices, " ") + '\'';
    else if (!o.value.empty()) lines += o.takes_path() ? " -r -F" : " -x";
    lines += " -d '" + brief(o.description, in_fish) + "'\n";
  }
  return lines;
}

std::string fish_completion(const CLI::App& app, const std::string& name) {
  const auto line = "complete -c " + name;
  std::string out = text("# Written by ", name, " --completion fish.\n", line,
                         " -n __fish_use_subcommand -f\n",
                         fish_options(app, line + " -n __fish_use_subcommand"));
  for (const auto* c : commands_of(app)) {
    const auto& command = c->get_name();
    out += text(line, " -n __fish_use_subcommand -a ", command, " -d '",
                brief(c->get_description(), in_fish), "'\n",
                fish_options(*c, line + " -n '__fish_seen_subcommand_from " + command + '\''));
  }
  return out;
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell, const std::string& name) {
  if (name.empty() || name.find_first_not_of(std::string(letters_of_words) + "_.+-") != name.npos)
    throw usage_error("--completion: '" + name + "' is no plain name of a program");
  if (shell == "zsh") return zsh_completion(app, name);
  if (shell == "fish") return fish_completion(app, name);
  return bash_completion(app, name);
}

}  // namespace nvdlac::cli
