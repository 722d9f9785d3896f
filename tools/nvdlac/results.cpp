// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"

namespace nvdlac::cli {
namespace {

constexpr auto of_outputs = "--output";

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
    : bindings_(bindings) {
  if (path.empty()) return;
  const auto words = runtime::words_for_files(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    files_.push_back(outputs.size() == 1 ? path : with_infix(of_outputs, path, words[i]));
    outputs_.emplace_back(std::move(outputs[i]), raw);
  }
}

void result_arrays::plan(output_set& files) const {
  for (const auto& file : files_) files.plan(of_outputs, file);
  if (files_.size() < 2) return;
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (const auto& name = outputs_[i].of().form.name; name.size() > runtime::longest_word)
      tell(std::cerr, "note",
           {{.layer = std::string(name),
             .reason = text("a file has the beginning of this long name: ", files_[i].string())}});
}

void result_arrays::take(const std::vector<net::any_tensor>& tensors) {
  for (auto& o : outputs_) o.take(bindings_, tensors);
}

void result_arrays::finish(output_set& files) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    files.add(of_outputs, files_[i], outputs_[i].npy());
}

}  // namespace nvdlac::cli
