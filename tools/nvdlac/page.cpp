// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/report/short_names.hpp>

#include "page_parts.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

// Where something is: as the environment says, or as it was found when nvdlac was built.
fs::path place_of(const char* variable, std::string_view found) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? fs::path(given) : fs::path(found);
}

// The content of a file; nothing if it is absent or a directory. Other irregular files are errors.
std::optional<std::string> content_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::is_directory(path, ignored)) return std::nullopt;
  return data::regular_file(path).read<std::string>();
}
bool are_there(const std::vector<fs::path>& paths) {
  std::error_code ignored;
  return std::ranges::all_of(paths, [&](const auto& p) { return fs::is_regular_file(p, ignored); });
}

// Inside an element of a script, which "</script" would end.
std::string as_script(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

// The text of all files, or nothing.
std::string libraries_in(const std::vector<fs::path>& paths) {
  std::string all;
  for (const auto& path : paths) {
    const auto text = content_of(path);
    if (!text) return "";
    all += as_script(*text) + '\n';
  }
  return all;
}

// d3-zoom and what it needs, in the order in which each needs the ones before it.
std::vector<fs::path> d3_modules(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const char* const name : {"color", "dispatch", "timer", "ease", "selection", "drag",
                                 "interpolate", "transition", "zoom"}) {
    const auto module = text("d3-", name);
    paths.push_back(folder / module / "dist" / (module + ".min.js"));
  }
  return paths;
}

// A file without a name, of which nothing is left however the process ends.
class unnamed_file {
 public:
  explicit unnamed_file(std::string_view content) : file_(::memfd_create("nvdlac", MFD_CLOEXEC)) {
    if (!file_ || !file_.write({reinterpret_cast<const std::uint8_t*>(content.data()),
                                content.size()}) ||
        ::lseek(file_.number(), 0, SEEK_SET) != 0)
      throw error("no file can be made in memory: " + std::generic_category().message(errno));
  }
  int number() const { return file_.number(); }
  std::string content() const {
    std::string all(static_cast<std::size_t>(file_.status().st_size), '\0');
    if (std::cmp_not_equal(file_.read(all, 0), all.size())) all.clear();
    return all;
  }

 private:
  descriptor file_;
};

// How a program ended that has one argument and half a minute of processor time.
struct ended {
  int failed = 0;  // errno, where it did not start
  int code = 0;    // as a shell tells it
};
ended run(const fs::path& program, const char* argument, const unnamed_file& in,
          const unnamed_file& out, const unnamed_file& complaints) {
  posix_spawn_file_actions_t ends;
  ::posix_spawn_file_actions_init(&ends);
  ::posix_spawn_file_actions_adddup2(&ends, in.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&ends, out.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&ends, complaints.number(), STDERR_FILENO);
  auto name = program.string(), word = std::string(argument);
  std::array<char*, 3> words{name.data(), word.data(), nullptr};
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, name.c_str(), &ends, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&ends);
  if (failed != 0) return {.failed = failed};
  const rlimit time{30, 31};
  ::prlimit(child, RLIMIT_CPU, &time, nullptr);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {.failed = errno};
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

struct drawing {
  std::string svg;
  std::string failure;  // why there is none, although the program is there
};

// Returns what `dot` draws.
drawing drawn(const fs::path& dot, const std::string& graph) {
  const unnamed_file source(graph), picture(""), complaints("");
  const auto [failed, code] = run(dot, "-Tsvg", source, picture, complaints);
  if (failed == ENOENT && !fs::exists(dot)) return {};
  if (failed != 0) return {.svg = "", .failure = std::generic_category().message(failed)};
  const auto svg = picture.content();
  const auto begin = svg.find("<svg");  // behind the declaration of XML, which HTML has not
  if (code == 0 && begin != svg.npos) return {.svg = svg.substr(begin), .failure = ""};
  if (code == 128 + SIGXCPU || code == 128 + SIGKILL)
    return {.svg = "", .failure = "it took more than 30 s of processor time"};
  const auto said = complaints.content();
  auto line = said.substr(0, said.find('\n'));
  for (const std::string_view name : {"<stdin>", "stdin"})  // as the program calls its input
    if (const auto at = line.find(name); at != line.npos) {
      line.replace(at, name.size(), "the graph");
      break;
    }
  if (!line.empty()) return {.svg = "", .failure = line};
  return {.svg = "", .failure = code == 0 ? "it wrote no SVG" : text("it ended with ", code)};
}

// The form with its "{{name}}" replaced.
std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string page;
  while (!form.empty()) {
    const auto open = form.find("{{"), close = form.find("}}", open);
    page += form.substr(0, open);
    if (open == form.npos || close == form.npos) break;
    for (const auto& [name, text] : parts)
      if (name == form.substr(open + 2, close - open - 2)) page += text;
    form.remove_prefix(close + 2);
  }
  return page;
}

// Names what the page has not, as nothing of it is installed.
void name_missing(report::json& report, const char* what, const char* package) {
  report["missing"].push_back({{"what", what}, {"package", package}});
  std::cerr << "nvdlac: note: the page has no " << what << ": install " << package
            << " and write it again\n";
}

// Returns what `dot` draws of all of them, and names what there is none of.
std::string pictures_of(const std::vector<std::string>& data_flows, report::json& report) {
  const auto dot = place_of("NVDLAC_DOT", page_parts::dot);
  std::string all;
  for (const auto& data_flow : data_flows) {
    const auto what = &data_flow == &data_flows.front()
                          ? "picture of the data flow" : "picture of the data flow, groups folded";
    const auto [svg, failure] = drawn(dot, data_flow);
    all += svg;
    if (!failure.empty()) {
      report["missing"].push_back({{"what", what}, {"failure", text(dot.string(), ": ", failure)}});
      std::cerr << "nvdlac: note: the page has no " << what << ", for " << dot.string()
                << " failed: " << failure << '\n';
    } else if (svg.empty()) {
      name_missing(report, what, "graphviz");
      break;
    }
  }
  return all;
}

// For tables and axes: of the layers' names that are long the shorter ones.
void add_short_names(report::json& report) {
  std::set<std::string> names;
  const auto add = [&](const report::json& rows, const char* key) {
    for (const auto& row : rows) names.insert(row.at(key).get<std::string>());
  };
  add(report.at("layers"), "layer");
  add(report.at("nodes"), "name");
  add(report.at("weights"), "layer");
  if (report.contains("verification")) add(report["verification"].at("layers"), "name");
  const std::vector<std::string> all(names.begin(), names.end());
  for (const auto& [key, most] : {std::pair{"short_names", 40u}, {"axis_names", 20u}}) {
    const auto shorter = report::shortened(all, most);
    auto& to = report[key] = report::json::object();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (shorter[i] != all[i]) to[all[i]] = shorter[i];
  }
}

std::string as_json(const report::json& report) {
  return escape::json_in_html(
      report.dump(-1, ' ', true, report::json::error_handler_t::replace));
}

// A page that needs Chart.js alone.
std::string page_with_plots(std::string_view form, std::string_view script, report::json found) {
  const auto plots = libraries_in({place_of("NVDLAC_CHART_JS", page_parts::chart_js)});
  found["missing"] = report::json::array();
  if (plots.empty()) name_missing(found, "plots", "libjs-chart.js");
  return filled(form, {{"style", std::string(page_parts::style)},
                       {"report", as_json(found)},
                       {"libraries", plots},
                       {"script", std::string(script)}});
}

}  // namespace

std::string embedded_in_pages() {
  const auto line = [](const std::string& what, const fs::path& place, bool there) {
    return there ? text('\n', what, " in pages: ", place.string())
                 : text("\npages without ", what, ": there is no ", place.string());
  };
  const auto chart_js = place_of("NVDLAC_CHART_JS", page_parts::chart_js);
  const auto modules = place_of("NVDLAC_D3_MODULES", page_parts::d3_modules);
  const auto dot = place_of("NVDLAC_DOT", page_parts::dot);
  return line("Chart.js", chart_js, are_there({chart_js})) +
         line("d3-zoom", modules, are_there(d3_modules(modules))) +
         line("Graphviz", dot, fs::exists(dot));
}

std::string page_of_front(report::json found) {
  return page_with_plots(page_parts::front_html, page_parts::front_script, std::move(found));
}

std::string page_of_diff(report::json found) {
  return page_with_plots(page_parts::diff_html, page_parts::diff_script, std::move(found));
}

std::string page_of_sweep(const report::json& found) {
  return filled(page_parts::sweep_html, {{"style", std::string(page_parts::style)},
                                         {"report", as_json(found)},
                                         {"script", std::string(page_parts::sweep_script)}});
}

std::string page_of(report::json report, const std::vector<std::string>& data_flows) {
  const auto plots = libraries_in({place_of("NVDLAC_CHART_JS", page_parts::chart_js)});
  const auto zoom = libraries_in(d3_modules(place_of("NVDLAC_D3_MODULES", page_parts::d3_modules)));

  add_short_names(report);
  report["missing"] = report::json::array();
  if (plots.empty()) name_missing(report, "plots", "libjs-chart.js");
  if (zoom.empty()) name_missing(report, "zoom", "node-d3-zoom");
  return filled(page_parts::html, {{"style", std::string(page_parts::style)},
                                   {"graph", pictures_of(data_flows, report)},
                                   {"report", as_json(report)},
                                   {"libraries", plots + zoom},
                                   {"script", std::string(page_parts::script)}});
}

}  // namespace nvdlac::cli
