// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>

#include "page_parts.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

// Where something is: as the environment says, or as it was found when nvdlac was built.
fs::path place_of(const char* variable, std::string_view found) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? fs::path(given) : fs::path(found);
}

std::optional<std::string> content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
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

std::string shell_word(const fs::path& path) {
  std::string s = "'";
  for (const char c : path.string()) s += c == '\'' ? "'\\''" : std::string(1, c);
  return s + '\'';
}

struct temporary_file {
  std::string path = (fs::temp_directory_path() / "nvdlac.XXXXXX").string();
  explicit temporary_file(std::string_view content) {
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) throw error(problem{.file = path, .reason = "cannot be created"});
    ::close(descriptor);
    if (!(std::ofstream(path, std::ios::binary) << content << std::flush))
      throw error(problem{.file = path, .reason = "cannot be written"});
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::unlink(path.c_str()); }
};

struct drawing {
  std::string svg;
  std::string failure;  // why there is none, although the program is there
};

// What `dot` draws within half a minute of processor time.
drawing drawn(const fs::path& dot, const std::string& graph) {
  const temporary_file source(graph), complaints("");
  const auto command = "ulimit -t 30; " + shell_word(dot) + " -Tsvg " + shell_word(source.path) +
                       " 2>" + shell_word(complaints.path);
  auto* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {.svg = "", .failure = "no shell can be started"};
  std::string svg;
  char part[4096];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, pipe)) != 0;) svg.append(part, n);
  const int status = ::pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const auto begin = svg.find("<svg");  // behind the declaration of XML, which HTML has not
  if (code == 0 && begin != svg.npos) return {.svg = svg.substr(begin), .failure = ""};
  constexpr int not_found = 127;  // of the shell
  if (code == not_found && !fs::exists(dot)) return {};
  if (code == 128 + SIGXCPU || code == 128 + SIGKILL)
    return {.svg = "", .failure = "it took more than 30 s of processor time"};
  const auto said = content_of(complaints.path).value_or("");
  auto line = said.substr(0, said.find('\n'));
  if (const auto at = line.find(source.path); at != line.npos)  // a name that differs each time
    line.replace(at, source.path.size(), "the graph");
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

// What the page has not, as nothing of it is installed.
void name_missing(report::json& report, const char* what, const char* package) {
  report["missing"].push_back({{"what", what}, {"package", package}});
  std::cerr << "nvdlac: note: the page has no " << what << ": install " << package
            << " and write it again\n";
}

std::string as_json(const report::json& report) {
  return escape::json_in_html(
      report.dump(-1, ' ', true, report::json::error_handler_t::replace));
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
  return line("Chart.js", chart_js, fs::exists(chart_js)) +
         line("d3-zoom", modules, !libraries_in(d3_modules(modules)).empty()) +
         line("Graphviz", dot, fs::exists(dot));
}

std::string page_of_front(report::json found) {
  const auto plots = libraries_in({place_of("NVDLAC_CHART_JS", page_parts::chart_js)});
  found["missing"] = report::json::array();
  if (plots.empty()) name_missing(found, "plots", "libjs-chart.js");
  return filled(page_parts::front_html, {{"style", std::string(page_parts::style)},
                                         {"report", as_json(found)},
                                         {"libraries", plots},
                                         {"script", std::string(page_parts::front_script)}});
}

std::string page_of(report::json report, const std::string& data_flow) {
  const auto plots = libraries_in({place_of("NVDLAC_CHART_JS", page_parts::chart_js)});
  const auto zoom = libraries_in(d3_modules(place_of("NVDLAC_D3_MODULES", page_parts::d3_modules)));
  const auto dot = place_of("NVDLAC_DOT", page_parts::dot);
  const auto graph = drawn(dot, data_flow);

  report["missing"] = report::json::array();
  const auto miss = [&](const std::string& found, const char* what, const char* package) {
    if (found.empty()) name_missing(report, what, package);
  };
  miss(plots, "plots", "libjs-chart.js");
  miss(zoom, "zoom", "node-d3-zoom");
  if (graph.failure.empty()) {
    miss(graph.svg, "picture of the data flow", "graphviz");
  } else {
    const auto what = "picture of the data flow";
    report["missing"].push_back(
        {{"what", what}, {"failure", text(dot.string(), ": ", graph.failure)}});
    std::cerr << "nvdlac: note: the page has no " << what << ", for " << dot.string()
              << " failed: " << graph.failure << '\n';
  }

  return filled(page_parts::html, {{"style", std::string(page_parts::style)},
                                   {"graph", graph.svg},
                                   {"report", as_json(report)},
                                   {"libraries", plots + zoom},
                                   {"script", std::string(page_parts::script)}});
}

}  // namespace nvdlac::cli
