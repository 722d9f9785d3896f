// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/tflite.hpp>
#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/report/formats_page.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::vector<understood_format> understood_formats() {
  namespace in = import;
  const auto keys = [](const auto& table) {
    std::set<std::string> all;
    for (const auto& [name, ignored] : table) all.emplace(name);
    return all;
  };
  std::set<std::string> tflite;
  for (const auto& o : in::tflite_format::operators)
    tflite.insert(in::tflite_format::builtin_name(o.code));
  return {{"onnx", "ONNX", keys(in::onnx_format::operators())},
          {"pytorch", "PyTorch", keys(in::pytorch_format::operators())},
          {"tensorflow", "TensorFlow", keys(in::tensorflow_format::operators())},
          {"keras", "Keras", keys(in::keras_format::operators())},
          {"tflite", "TensorFlow Lite", tflite},
          {"caffe", "Caffe", keys(in::caffe_format::layer_types())},
          {"darknet", "Darknet", keys(in::darknet_format::layer_types())},
          {"mxnet", "MXNet", keys(in::mxnet_format::operators())},
          {"caffe2", "Caffe2", keys(in::caffe2_format::operators())},
          {"coreml", "Core ML networks", keys(in::coreml_format::layers())},
          {"mlprogram", "Core ML programs", keys(in::coreml_format::program::operations())}};
}

NVDLAC_IMPL std::string stem_of(std::string_view name) {
  name.remove_prefix(std::min(name.find(':') + 1, name.size()));  // a domain of ONNX
  if (name.ends_with("_nd") ||
      (name.size() > 2 && name.ends_with("ND") && name[name.size() - 3] >= 'a'))
    name.remove_suffix(2);
  std::string s;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      s += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view end : {"v2", "v3", "1d", "2d"})
      if (s.size() > end.size() && s.ends_with(end)) {
        s.resize(s.size() - end.size());
        shorter = true;
      }
  }
  return s;
}

namespace detail {

NVDLAC_IMPL std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> all;
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    all.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

NVDLAC_IMPL std::string wrapped(const std::string& paragraph) {
  std::string s;
  std::size_t column = 0;
  for (const auto& word : words_of(paragraph)) {
    const bool full = column + word.size() + 1 > 100;
    if (column > 0) s += full ? '\n' : ' ';
    column = full ? word.size() : column + word.size() + (column > 0 ? 1 : 0);
    s += word;
  }
  return s + '\n';
}

NVDLAC_IMPL std::map<std::string, std::size_t> lines_by_stem() {
  std::map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < std::size(operation_lines); ++i)
    for (auto& stem : words_of(operation_lines[i].stems)) lines.emplace(std::move(stem), i);
  return lines;
}

NVDLAC_IMPL std::string formats_table(
    const std::vector<understood_format>& all,
    const std::vector<std::pair<std::string, formats_line>>& lines) {
  std::string s = "| |", rule = "|---|";
  for (const auto& f : all) {
    s += text(' ', f.title, " |");
    rule += "---|";
  }
  s += '\n' + rule + '\n';
  for (const auto& [title, cells] : lines) {
    s += "| " + title + " |";
    for (const auto& c : cells) s += c.empty() ? " |" : ' ' + c + " |";
    s += '\n';
  }
  return s;
}

}  // namespace detail

NVDLAC_IMPL std::string formats_page() {
  const auto all = understood_formats();
  const auto by_stem = detail::lines_by_stem();
  std::vector<detail::formats_line> found(std::size(operation_lines),
                                          detail::formats_line(all.size()));
  std::map<std::string, detail::formats_line> others;
  const auto add = [](std::string& cell, const std::string& name) {
    cell += (cell.empty() ? "`" : ", `") + name + '`';
  };
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const auto& name : all[f].names) {
      const auto stem = stem_of(name);
      auto line = by_stem.find(text(all[f].key, ':', stem));
      if (line == by_stem.end()) line = by_stem.find(stem);
      if (line != by_stem.end()) add(found[line->second][f], name);
      else add(others.try_emplace(stem, all.size()).first->second[f], name);
    }
  std::string constants;
  for (const auto& [type, entry] : import::onnx_format::operators())
    if (entry.of_constants) constants += (constants.empty() ? "" : ", ") + std::string(type);
  std::string s = "# Formats and their operators\n\n" + detail::wrapped(text(
      "Generated by `tools/generate_formats_page.cpp` from the tables of the importers; a test "
      "compares this file with them. A line is what is computed, and a cell has the format's own "
      "names for it. A form of an operator that NVDLA cannot compute is refused with its reason, "
      "as is every attribute that is not understood; what runs where is [another "
      "page](operators.md). ONNX is read in opsets ", import::onnx_format::first_opset, " to ",
      import::onnx_format::last_opset, ", and some of its operators count where all inputs are "
      "constant: ", constants, "."));
  std::vector<std::pair<std::string, detail::formats_line>> lines;
  std::string_view section;
  const auto close = [&] {
    if (!lines.empty()) s += text("\n## ", section, "\n\n", detail::formats_table(all, lines));
    lines.clear();
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (operation_lines[i].section != section) close();
    section = operation_lines[i].section;
    lines.emplace_back(operation_lines[i].title, found[i]);
  }
  close();
  section = "Others";
  for (const auto& [stem, cells] : others) lines.emplace_back(stem, cells);
  close();
  s += "\n## Operators of each\n\n| format | names |\n|---|---:|\n";
  for (const auto& f : all) s += text("| ", f.title, " | ", f.names.size(), " |\n");
  return s;
}

}  // namespace nvdlac::report
