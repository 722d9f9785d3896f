// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/darknet/layer_types.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>
#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/tflite/translator.hpp>
#include <nvdlac/lower/check.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/report/limits.hpp>

namespace nvdlac::report {

// What runs on which configuration and in which precision, asked of `lower::support` and nothing
// else.
namespace detail {

// Gives each reason the number of a note.
class notes {
 public:
  std::string operator()(lower::reason r) {
    auto at = std::find(seen_.begin(), seen_.end(), r);
    if (at == seen_.end()) at = seen_.insert(at, r);
    return text('[', at - seen_.begin() + 1, ']');
  }
  std::string print() const {
    std::string s;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      s += text("- [", i + 1, "] ", lower::to_text(seen_[i]), "\n");
    return s;
  }

 private:
  std::vector<lower::reason> seen_;
};

inline std::string row(const std::vector<std::string>& cells) {
  std::string s = "|";
  for (const auto& c : cells) s += ' ' + c + " |";
  return s + '\n';
}
inline std::string header(std::vector<std::string> cells, std::size_t words) {
  std::string s = row(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i < words ? "---" : "---:";
  return s + row(cells);
}

inline constexpr std::array all_precisions{hw::precision::int8, hw::precision::int16,
                                           hw::precision::fp16};

// "any", "32 [1]", or "any (32)", where a hardware layer takes 32.
inline std::string cell(const limited& l, notes& note) {
  const auto [most, beyond] = limit_of(l.ask);
  const auto one = l.in_one_layer ? greatest(l.in_one_layer) : most;
  const bool any = beyond == lower::reason::none;
  return text(any ? "any" : std::to_string(most), one == most ? "" : text(" (", one, ')'),
              any ? "" : ' ' + note(beyond));
}

}  // namespace detail

// The tables of docs/operators.md for these configurations.
template <class... Hw>
std::string operator_tables(type_list<Hw...>) {
  detail::notes note;
  const auto titled = [](std::vector<std::string> first) {
    (first.emplace_back(hw::name<Hw>()), ...);
    return first;
  };
  // The precisions in which it runs, or why there is none.
  const auto precisions = [&]<class On>(std::type_identity<On>, auto reason_in) {
    std::string s;
    for (const auto p : detail::all_precisions)
      if (On::spec.data_types.has(p) && reason_in(p) == lower::reason::none)
        s += (s.empty() ? "" : ", ") + std::string(hw::name_of(p));
    return s.empty() ? "no " + note(reason_in(hw::precision::int8)) : s;
  };
  std::string s = "## Operators\n\n" + detail::header(titled({"operator"}), 1);
  for_each(net::standard_operators{}, [&]<class Op>(std::type_identity<Op>) {
    s += detail::row({std::string(type_name<Op>()),
                      precisions(std::type_identity<Hw>{}, [](hw::precision p) {
                        return lower::reason_of<Op, Hw>(p);
                      })...});
  });

  s += "\n## Limits\n\nThe greatest numbers that run, and what stops the next one, in the "
       "precisions of each\nconfiguration. In parentheses: the greatest of one hardware layer, "
       "where nvdlac makes several\nof what is larger (an average of more than "
       "one layer rounds more than once, see\n[quantisation](quantisation.md); all others are "
       "exact).\n\n";
  std::vector<std::string> first{"operator", "number"};
  std::vector<std::vector<limited>> columns;
  const auto add = [&]<class On>(std::type_identity<On>) {
    for (const auto p : detail::all_precisions) {
      if (!On::spec.data_types.has(p)) continue;
      const bool plain = p == hw::precision::int8;
      first.push_back(std::string(type_name<On>()) + (plain ? "" : text(' ', hw::name_of(p))));
      columns.push_back(limits_on<On>(p));
    }
  };
  (add(std::type_identity<Hw>{}), ...);
  s += detail::header(first, 2);
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    std::vector<std::string> cells{std::string(columns[0][i].operator_name),
                                   std::string(columns[0][i].what)};
    for (const auto& limits : columns) cells.push_back(detail::cell(limits[i], note));
    s += detail::row(cells);
  }
  return s + "\n" + note.print();
}

// The layers and operators of files that nvdlac reads, from the tables of the importers.
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
  std::set<std::string> caffe, darknet, onnx, constants, tensorflow, keras, tflite;
  for (const auto& [type, ignored] : import::caffe_format::layer_types()) caffe.emplace(type);
  for (const auto& [type, ignored] : import::darknet_format::layer_types()) darknet.emplace(type);
  for (const auto& [type, entry] : import::onnx_format::operators())
    (entry.of_constants ? constants : onnx).emplace(type);
  for (const auto& [type, ignored] : import::tensorflow_format::operators())
    tensorflow.emplace(type);
  for (const auto& [type, ignored] : import::keras_format::operators()) keras.emplace(type);
  for (const auto& entry : import::tflite_format::operators)
    tflite.insert(import::tflite_format::builtin_name(entry.code));
  return "## Formats\n\nWhat the importers read. A form of an operator that NVDLA cannot compute "
         "is refused with its\nreason, as is every attribute that is not understood. The lists of "
         "[PyTorch](pytorch.md),\n[MXNet](mxnet.md), [Caffe2](caffe2.md) and [Core ML](coreml.md) "
         "stand on their pages.\n\n" +
         detail::paragraph("Caffe, layer types", caffe) +
         detail::paragraph("Darknet, sections", darknet) +
         detail::paragraph(text("ONNX, operators of opsets ", import::onnx_format::first_opset,
                                " to ", import::onnx_format::last_opset), onnx) +
         detail::paragraph("ONNX, of constants alone", constants) +
         detail::paragraph("TensorFlow, operators", tensorflow) +
         detail::paragraph("Keras, classes of layers", keras) +
         detail::paragraph("TensorFlow Lite, operators", tflite);
}

// docs/operators.md for these configurations.
template <class... Hw>
std::string operators_page(type_list<Hw...> configurations) {
  return "# What runs on which configuration\n\n"
         "Generated by `tools/generate_operators_page.cpp` from `nvdlac::lower::support`, the "
         "predicate that\nalso makes the errors of the compiler and of the program, and from the "
         "tables of the importers; a\ntest compares this file with them.\n\n" +
         operator_tables(configurations) + '\n' + format_lists();
}

}  // namespace nvdlac::report
