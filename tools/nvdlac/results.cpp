// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/runtime/infer.hpp>

namespace nvdlac::cli {
namespace {

constexpr auto option = "--output";

// A name of its own, which looks like that of the output, for each file of a directory.
std::string file_name(const std::string& output, std::set<std::string>& taken) {
  std::string name = output;
  for (char& c : name)
    if (c == '/' || c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '_';
  const auto first = name;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = first + '_' + std::to_string(number);
  return name;
}

}  // namespace

std::vector<net::file_output> outputs_in(output_layout layout,
                                         const std::vector<runtime::binding>& bindings) {
  if (layout == output_layout::file) return net::outputs_of_file(bindings);
  std::vector<net::file_output> outputs;
  for (const auto& b : bindings) {
    const auto form = net::in_own_order(b.name, b.shape);
    outputs.push_back({form, {{outputs.size(), form}}});
  }
  return outputs;
}

result_arrays::result_arrays(std::vector<net::file_output> outputs,
                             const std::vector<runtime::binding>& bindings,
                             const std::filesystem::path& path, bool raw)
    : outputs_(std::move(outputs)), bindings_(bindings), raw_(raw) {
  std::set<std::string> taken;
  for (const auto& o : outputs_)
    files_.push_back(path.empty() || outputs_.size() == 1
                         ? path
                         : with_infix(option, path, file_name(o.form.name, taken)));
}

void result_arrays::plan(output_set& files) const {
  for (const auto& file : files_)
    if (!file.empty()) files.plan(option, file);
}

void result_arrays::take(const std::vector<net::any_tensor>& outputs) { rows_.push_back(outputs); }

void result_arrays::finish(output_set& files) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (files_[i].empty()) continue;
    const auto& o = outputs_[i];
    std::vector<std::size_t> dims{rows_.size()};
    for (const auto d : o.form.of_one_picture()) dims.push_back(static_cast<std::size_t>(d));
    if (raw_ && !rows_.empty()) {
      std::visit([&]<class T>(const net::tensor<T>&) {
        std::vector<T> all;
        for (const auto& row : rows_) {
          const auto arranged = o.gathered<T>([&](std::size_t tensor) -> const auto& {
            const auto* const typed = std::get_if<net::tensor<T>>(&row[tensor]);
            if (typed == nullptr)
              throw error({.layer = std::string(o.form.name),
                           .reason = "its parts are numbers of different kinds",
                           .remedy = "leave --raw out, or give --output-layout hardware"});
            return typed->values;
          });
          all.insert(all.end(), arranged.begin(), arranged.end());
        }
        files.add(option, files_[i], data::to_npy(dims, all));
      }, rows_.front()[o.parts[0].tensor]);
      continue;
    }
    data::array a{dims, {}};
    for (const auto& row : rows_) {
      const auto real = runtime::array_of(o, bindings_, row);
      a.values.insert(a.values.end(), real.values.begin(), real.values.end());
    }
    files.add(option, files_[i], data::to_npy(a));
  }
}

}  // namespace nvdlac::cli
