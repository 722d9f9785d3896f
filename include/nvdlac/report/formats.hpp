// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers and operators of files that nvdlac reads, from the tables of the importers.
#include <set>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/tflite/names.hpp>
#include <nvdlac/import/tflite/operators.hpp>

namespace nvdlac::report {
namespace detail {

inline std::string paragraph(std::string_view title, const std::set<std::string>& names) {
  std::string s = text("- **", title, "** (", names.size(), "):");
  std::size_t column = s.size();
  bool first = true;
  for (const auto& n : names) {
    if (!first) s += ',';
    const bool full = column + n.size() + 3 > 100;
    s += (full ? "\n  " : " ") + n;
    column = (full ? 2 : column + 2) + n.size();
    first = false;
  }
  return s + '\n';
}

}  // namespace detail

// The lists of docs/operators.md.
inline std::string format_lists() {
  std::set<std::string> caffe, onnx, constants, tflite;
  for (const auto& [type, ignored] : import::caffe_format::layer_types()) caffe.emplace(type);
  for (const auto& [type, entry] : import::onnx_format::operators())
    (entry.of_constants ? constants : onnx).emplace(type);
  for (const auto& entry : import::tflite_format::operators)
    tflite.insert(import::tflite_format::builtin_name(entry.code));
  return "## Formats\n\nWhat the importers read. A form of an operator that NVDLA cannot compute "
         "is refused with its\nreason, as is every attribute that is not understood.\n\n" +
         detail::paragraph("Caffe, layer types", caffe) +
         detail::paragraph("ONNX, operators of opsets 6 to 22", onnx) +
         detail::paragraph("ONNX, of constants alone", constants) +
         detail::paragraph("TensorFlow Lite, operators", tflite);
}

}  // namespace nvdlac::report
