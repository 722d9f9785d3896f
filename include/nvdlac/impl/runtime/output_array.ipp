// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/output_array.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL void output_array::take(const std::vector<binding>& bindings,
                                    const std::vector<net::any_tensor>& tensors) {
  ++runs_;
  if (raw_) return take_numbers(tensors);
  const auto real = array_of(of_, bindings, tensors);
  values_.insert(values_.end(), real.values.begin(), real.values.end());
}

NVDLAC_IMPL void output_array::take_numbers(const std::vector<net::any_tensor>& tensors) {
  std::visit([&]<class T>(const net::tensor<T>&) {
    const auto own = of_.gathered<T>([&](std::size_t tensor) -> const auto& {
      const auto* const typed = std::get_if<net::tensor<T>>(&tensors[tensor]);
      if (typed == nullptr)
        throw error(problem{.layer = std::string(of_.form.name),
                            .reason = "its parts are numbers of different kinds",
                            .remedy = "take the real numbers (without --raw), or the tensors of "
                                      "NVDLA (--output-layout hardware)"});
      return typed->values;
    });
    if (runs_ == 1) numbers_ = std::vector<T>{};
    auto& all = std::get<std::vector<T>>(numbers_);
    all.insert(all.end(), own.begin(), own.end());
  }, tensors[of_.parts[0].tensor]);
}

NVDLAC_IMPL std::string output_array::npy() const {
  const auto shape = of_.form.of_pictures(runs_);
  const std::vector<std::size_t> dims(shape.begin(), shape.end());
  if (!raw_) return data::to_npy(data::array{dims, values_});
  return std::visit([&](const auto& v) { return data::to_npy(dims, v); }, numbers_);
}

NVDLAC_IMPL std::vector<std::string> words_for_files(
    const std::vector<net::file_output>& outputs) {
  std::set<std::string> taken;
  std::vector<std::string> words;
  for (const auto& o : outputs) {
    std::string first(o.form.name);
    for (char& c : first)
      if (c == '/' || c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '_';
    if (first.size() > longest_word) {  // at the beginning of a character of UTF-8
      auto end = longest_word;
      while (end > 0 && (static_cast<unsigned char>(first[end]) & 0xC0) == 0x80) --end;
      first.resize(end);
    }
    auto word = first;
    for (int number = 2; !taken.insert(word).second; ++number)
      word = first + '_' + std::to_string(number);
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace nvdlac::runtime
