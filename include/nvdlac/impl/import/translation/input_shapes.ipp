// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL void layer_problems::add(const std::string& layer, const error& e) {
  for (problem p : e.problems()) {
    p.file = file_;
    p.layer = escape::is_printable(layer) ? layer : "with a name that cannot be printed";
    found_.add(std::move(p));
  }
}

NVDLAC_IMPL dims input_shapes::of(const std::string& name, const std::optional<dims>& declared,
                                  const std::string& more) {
  names_.push_back(name);
  if (const auto given = wanted_.shapes.find(name); given != wanted_.shapes.end())
    return checked(given->second, declared);
  if (!declared)
    throw error(problem{.reason = "the shape of this input is not known" + more,
                        .remedy = "give it: " + option(name, example_)});
  dims d = *declared;
  if (d.size() > 1 && d[0] == -1) d[0] = 1;  // the batch
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i] < 1)
      throw error(problem{.reason = text("dimension ", i, " of this input is not known", more),
                          .remedy = "give its shape: " + option(name, *declared)});
  return d;
}

NVDLAC_IMPL void input_shapes::report_unused(layer_problems& to) const {
  std::string all;
  for (const auto& name : names_) all += (all.empty() ? "" : ", ") + name;
  for (const auto& [name, ignored] : wanted_.shapes)
    if (std::ranges::find(names_, name) == names_.end())
      to.add(name, error(problem{.reason = "its shape is given, but it is no input",
                                 .remedy = "inputs are " + (all.empty() ? "none" : all)}));
}

NVDLAC_IMPL std::string input_shapes::option(const std::string& name, const dims& declared) const {
  dims shown = declared;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] < 1 && shown.size() == example_.size()) shown[i] = example_[i];
  return shape_option(name, shown);
}

NVDLAC_IMPL dims input_shapes::checked(const dims& d, const std::optional<dims>& declared) {
  bool fits = !declared || declared->size() == d.size();
  for (std::size_t i = 0; fits && declared && i < d.size(); ++i)
    fits = (*declared)[i] == -1 || (*declared)[i] == d[i];
  if (!fits)
    throw error(text("its shape is given as ", onnx_format::to_text(d), ", but the file has ",
                     onnx_format::to_text(*declared)));
  for (const auto n : d)
    if (n < 1) throw error(text("its shape is given as ", onnx_format::to_text(d)));
  return d;
}

}  // namespace nvdlac::import::translation
