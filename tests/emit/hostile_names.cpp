// SPDX-License-Identifier: Apache-2.0
// No name of a model becomes more than a name in anything that is written of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/host_stub.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/runtime/trace.hpp>

#include "emit/example.hpp"
#include "hostile_names.hpp"
#include "scratch.hpp"

using namespace nvdlac;

namespace {

// UTF-8 of which each character stands where it is written, without any control.
bool is_line(std::string_view s) { return escape::line(s) == s; }

bool runs(const scratch& dir, const std::string& command) {
  const auto log = dir.path / "log";
  const bool done =
      std::system(("cd '" + dir.path.string() + "' && " + command + " >log 2>&1").c_str()) == 0;
  if (!done) {
    std::ifstream in(log);
    MESSAGE(std::string(std::istreambuf_iterator<char>(in), {}).substr(0, 2000));
  }
  return done;
}
std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
// The text that is left of a source without comments and strings.
std::string code_of(const scratch& dir, const std::string& source) {
  REQUIRE(runs(dir, "cc -x c -trigraphs -fpreprocessed -dD -E -P " + source + " -o code"));
  std::string code, all = content(dir.path / "code");
  bool quoted = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (quoted && all[i] == '\\') ++i;
    else if (all[i] == '"') quoted = !quoted;
    else if (!quoted) code += all[i];
  }
  return code;
}

// Whether the word that names hold stands alone: as a part of an identifier it is none.
bool is_injected(const std::string& code) {
  const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = code.find(injected); at != code.npos; at = code.find(injected, at + 1)) {
    const auto end = at + injected.size();
    if ((at == 0 || !joins(code[at - 1])) && (end == code.size() || !joins(code[end]))) return true;
  }
  return false;
}

// A program with a layer of the host by each name, of one or two inputs.
plan::program_data calls() {
  plan::program_data p;
  for (const auto& name : hostile_names()) {
    layer::host_call c;
    c.call = static_cast<std::int16_t>(p.calls.size());
    c.input_count = p.calls.size() % 2 == 0 ? 1 : 2;
    for (auto& in : c.inputs()) in = layer::packed({3, 2, 2}, bytes{8}, {});
    c.output = layer::packed({3, 2, 2}, bytes{8}, {});
    p.calls.push_back({.layer = name, .parameters = {{.name = name, .values = {1, 2}}}});
    p.tasks.push_back({.host = true, .operations = {{.layer = {name, c}}}});
    p.outputs.push_back({.name = name, .surface = c.output, .shape = c.output.shape,
                         .in_file = {{.name = name, .shape = {1, 12}}}});
  }
  return p;
}

quantised::graph chain() {
  quantised::graph g;
  auto last = g.add("in*/put", quantised::input{{2, 1, 1}});
  g[last].in_file = {{.name = "in", .shape = {1, 2}}};
  for (const auto& name : hostile_names()) {
    last = g.add(name, quantised::scale{.multiplier = {1}, .out = {0, 1, 1}}, {last});
    g[last].output = true;
    g[last].in_file = {{.name = name, .shape = {1, 2}}};
  }
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("every form of an escaped name is one line that holds it") {
  for (const auto& name : hostile_names()) {
    CAPTURE(name);
    for (const auto& s : {escape::line(name), escape::comment(name), escape::literal(name),
                          escape::dot(name), escape::word(name)})
      CHECK(is_line(s));
    const auto comment = "/* '" + escape::comment(name) + "' */";
    CHECK(comment.find("*/") == comment.size() - 2);
    CHECK(comment.find("/*", 1) == comment.npos);
    CHECK(comment.find("?\?") == comment.npos);
    CHECK(escape::comment(name).find_last_of('\\') + 1 != escape::comment(name).size());
    CHECK(escape::word(name).find_first_of(" \t\r\n#/\\") == std::string::npos);
  }
  std::set<std::string> words;
  for (const auto& name : hostile_names()) {
    CHECK(words.insert(escape::word(name)).second);
    CHECK(escape::name_of_word(escape::word(name)) == name);
  }
  for (const char* word : {"%", "a%", "a%4", "%4g", "%%"})  // which no name becomes
    CHECK(escape::name_of_word(word) == word);
  CHECK(escape::lines("a\n\tb\x1b[0m") == "a\n\tb\\x1b[0m");
  CHECK(escape::csv("none") == "none");
  CHECK(escape::csv("a, \"b\"\n") == "\"a, \"\"b\"\"\\x0a\"");
  // Table programs compute what looks like a formula.
  for (const char* formula : {"=1+2", "+1+2", "-1+2", "@SUM(A1)", "-", "+x", "-2 layers"})
    CHECK(escape::csv(formula) == std::string("'") + formula);
  CHECK(escape::csv("=a,b") == "\"'=a,b\"");
  for (const char* number : {"-1", "+1.5", "-2e-7", "0", "-inf"})
    CHECK(escape::csv(number) == number);
  CHECK(escape::line("Sch\xc3\xb6n \xe2\x9c\x93 \\ 'x'") == "Sch\xc3\xb6n \xe2\x9c\x93 \\ 'x'");
}

TEST_CASE("error messages are one line for each problem") {
  for (const auto& name : hostile_names()) {
    const problem p{.file = name, .line = 3, .layer = name, .reason = "is '" + name + "'",
                    .remedy = name};
    CHECK(is_line(to_string(p)));
    CHECK(is_line(error(p).what()));
  }
}

TEST_CASE("C functions of layers of any name compile, with their names apart") {
  for (const char* stem : {"net", "int8", "size", "M", "lgamma", "INT8", "a b#c", "?", "*"}) {
    CAPTURE(stem);
    const scratch dir;
    const auto files = emit::host_stub(calls(), bytes{8}, stem);
    for (const auto& f : files) dir.write(f.name == std::string(stem) + ".c" ? "s.c" : f.name,
                                          {reinterpret_cast<const char*>(f.bytes.data()),
                                           f.bytes.size()});
    CHECK(runs(dir,
               "cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -Wno-unused-function "
               "-c s.c -o s.o"));
    CHECK_FALSE(is_injected(code_of(dir, "s.c")));
    for (const auto& f : files)
      for (std::istringstream lines(std::string(f.bytes.begin(), f.bytes.end())); lines;) {
        std::string line;
        std::getline(lines, line);
        CHECK(is_line(line));
      }
    CHECK(runs(dir, "c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ '" +
                        std::string(stem) + ".h'"));
  }
  for (const char* stem : {"a\"b", "a\nb", "a?\?/b"})
    CHECK_THROWS_AS(emit::host_stub(calls(), bytes{8}, stem), error);
}

TEST_CASE("a C++ header of layers of any name compiles and holds their names") {
  const scratch dir;
  const auto g = chain();
  std::string source = "#include \"network.hpp\"\n#include <algorithm>\n";
  dir.write("network.hpp", emit::write_cpp(g, {.source = "*/ INJECTED\nINJECTED \\",
                                               .constants = true,
                                               .images = {{"nv_small", "a\nINJECTED ?\?/", 1}}}));
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    source += text("static_assert(std::string_view(network::model.label_of(", n, ")) == ",
                   emit::literal(g[n].name), ");\n");
  dir.write("main.cpp", source);
  CHECK(runs(dir, text("c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -trigraphs -fsyntax-only "
                       "-fconstexpr-depth=2000 -ftemplate-depth=2000 -I'", NVDLAC_SOURCE_DIR,
                       "/include' main.cpp")));
  CHECK_FALSE(is_injected(code_of(dir, "network.hpp")));
}

TEST_CASE("a graph of any names is one of Graphviz") {
  std::ostringstream out;
  net::graphviz(out, chain(), "\"; INJECTED");
  std::string line;
  for (std::istringstream in(out.str()); std::getline(in, line);) {
    CHECK(is_line(line));
    bool quoted = false;
    std::string code;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quoted && line[i] == '\\') ++i;
      else if (line[i] == '"') quoted = !quoted;
      else if (!quoted) code += line[i];
    }
    CHECK_FALSE(quoted);
    CHECK_FALSE(is_injected(code));
  }
}

TEST_CASE("JSON holds the names, in ASCII") {
  for (const auto& name : hostile_names()) {
    const auto s = report::json_text({{name, name}});
    CHECK(std::ranges::all_of(s, [](char c) { return c == '\n' || (c >= 32 && c < 127); }));
    const auto back = nlohmann::json::parse(s);
    const auto entry = back.begin();
    CHECK(entry.key() == entry->get<std::string>());
    if (escape::line(name) == name) CHECK(entry.key() == name);
    const auto in_html = escape::json_in_html(s);
    CHECK(in_html.find('<') == in_html.npos);
    CHECK(nlohmann::json::parse(in_html) == back);
  }
}

TEST_CASE("a trace of any names and in any path is read again") {
  auto p = example::digits<nv_small>();
  emit::run_record run;
  run.inputs = {std::vector<std::uint8_t>(288, 1)};
  run.outputs = {std::vector<std::uint8_t>(16, 2)};
  run.host = {{.inputs = {std::vector<std::uint8_t>(16, 3)},
               .output = std::vector<std::uint8_t>(16, 4)}};
  const scratch dir;
  std::size_t commands = 0;
  for (const auto& name : hostile_names()) {
    CAPTURE(name);
    p.network = p.inputs[0].name = p.outputs[0].name = name;
    p.outputs[0].in_file = {{.name = name, .shape = {1, 10}}};
    for (auto& t : p.tasks)
      for (auto& op : t.operations) op.layer.name = name;
    const auto stem = name.find_first_of(std::string("/\0", 2)) == name.npos && name.size() < 80
                          ? "x" + name : "x";
    const auto files = emit::trace(p, run, stem);
    emit::write_files(dir.path, files);
    const auto t = runtime::read_trace(dir.path / files[0].name);
    if (commands == 0) commands = t.commands.size();
    CHECK(t.commands.size() == commands);
    CHECK(t.files.size() == files.size() - 1);
    for (const auto& f : files) CHECK(std::filesystem::remove(dir.path / f.name));
  }
}
