// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <sstream>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>

#include "described_options.hpp"
#include "manual.hpp"

namespace nvdlac::cli {
namespace {

// Characters that roff takes for others or for its own.
std::string roff(std::string_view plain) {
  std::string s;
  for (const char c : plain) switch (c) {
      case '\\': s += "\\e"; break;
      case '-': s += "\\-"; break;
      case '`': s += "\\(ga"; break;
      case '\'': s += "\\(aq"; break;
      case '^': s += "\\(ha"; break;
      case '~': s += "\\(ti"; break;
      case '"': s += "\\(dq"; break;
      default: s += c;
    }
  return plain.starts_with('.') ? "\\&" + s : s;
}

std::string bold(std::string_view plain) { return "\\fB" + roff(plain) + "\\fR"; }
std::string italic(std::string_view plain) { return "\\fI" + roff(plain) + "\\fR"; }
std::string section(std::string_view name) { return text(".SH ", name, '\n'); }

// nvdlac-run of nvdlac's command run.
std::string page_name(const CLI::App& app, const char* between) {
  const auto* parent = app.get_parent();
  return (parent == nullptr ? "" : parent->get_name() + between) + app.get_name();
}

std::string values(const described_option& o) {
  if (o.value.empty()) return {};
  return " " + italic(o.value) + (o.several ? " ..." : "");
}

std::string item(const described_option& o) {
  std::string names = bold(o.short_name);
  if (o.short_name.empty()) names.clear();
  if (!o.short_name.empty() && !o.long_name.empty()) names += ", ";
  if (!o.long_name.empty()) names += bold(o.long_name);
  std::string out = ".TP\n" + (o.is_positional() ? italic(o.value) : names + values(o)) + '\n' +
                    roff(o.description);
  if (std::ranges::any_of(o.choices, [&](const std::string& c) {
        return o.description.find(c) == std::string::npos;
      })) {
    out += "; one of ";
    for (const auto& c : o.choices) out += text(&c == &o.choices.front() ? "" : ", ", bold(c));
  }
  if (!o.bounds.empty()) out += "; " + roff(o.bounds);
  if (o.required && !o.is_positional()) out += "; required";
  return out + ".\n";
}

std::string synopsis(const CLI::App& app, const std::vector<described_option>& options) {
  std::string line = bold(page_name(app, " "));
  if (!commands_of(app).empty()) return text(line, ' ', italic("COMMAND"), " [",
                                             italic("OPTION"), "]...\n.br\n", line, " [",
                                             italic("OPTION"), "]\n");
  line += " [" + italic("OPTION") + "]...";
  for (const auto& o : options) {
    if (o.required && !o.is_positional())
      line += ' ' + bold(o.long_name) + values(o);
    if (o.is_positional())
      line += o.required ? ' ' + italic(o.value) : " [" + italic(o.value) + ']';
  }
  return line + '\n';
}

// Lines that begin with a blank stay as they are.
std::string paragraphs(const std::vector<std::string>& lines) {
  std::string out;
  bool verbatim = false;
  for (const auto& line : lines) {
    if (const bool is_code = line.starts_with(' '); is_code != verbatim) {
      out += is_code ? ".PP\n.nf\n.RS\n" : ".RE\n.fi\n.PP\n";
      verbatim = is_code;
    }
    if (line.empty() && out.ends_with(".PP\n")) continue;
    out += (line.empty() ? ".PP" : roff(verbatim ? line.substr(2) : line)) + '\n';
  }
  return out + (verbatim ? ".RE\n.fi\n" : "");
}

std::string see_also(const CLI::App& app) {
  std::string pages;
  const auto* parent = app.get_parent();
  const auto add = [&](const CLI::App& other) {
    if (&other == &app) return;
    pages += text(pages.empty() ? "" : ",\n", ".BR ", roff(page_name(other, "-")), " (1)");
  };
  if (parent != nullptr) add(*parent);
  for (const auto* other : commands_of(parent == nullptr ? app : *parent)) add(*other);
  return pages + '\n';
}

}  // namespace

std::string man_page(const CLI::App& app) {
  auto title = page_name(app, "-");
  const auto options = options_of(app);
  const auto footer = footer_of(app);
  auto what = app.get_description();
  if (what.ends_with('.')) what.pop_back();
  auto upper = title;
  std::ranges::transform(title, upper.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  std::string out = text(".TH ", roff(upper), " 1 \"\" \"nvdlac ", version,
                         "\" \"User commands\"\n", section("NAME"), roff(title), " \\- ",
                         roff(what), '\n', section("SYNOPSIS"), synopsis(app, options));
  if (!footer.text.empty()) out += section("DESCRIPTION") + paragraphs(footer.text);
  if (const auto commands = commands_of(app); !commands.empty()) {
    out += section("COMMANDS");
    for (const auto* c : commands)
      out += ".TP\n" + bold(c->get_name()) + '\n' + roff(c->get_description()) + ".\n";
  }
  if (!options.empty()) out += section("OPTIONS");
  std::vector<std::string> groups;
  for (const auto& o : options)
    if (std::ranges::find(groups, o.group) == groups.end()) groups.push_back(o.group);
  for (const auto& group : groups) {
    if (group != "Options") out += ".SS \"" + roff(group) + "\"\n";
    for (const auto& o : options)
      if (o.group == group) out += item(o);
  }
  if (!footer.exit_codes.empty()) out += section("EXIT STATUS") + paragraphs(footer.exit_codes);
  if (!footer.examples.empty()) out += section("EXAMPLES") + paragraphs(footer.examples);
  return out + section("SEE ALSO") + see_also(app);
}

}  // namespace nvdlac::cli
