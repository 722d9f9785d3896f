// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// An output of many runs as one array. That of one run has the shape in the network's file; several
// follow each other along the batch that stands in front of it, or along a dimension of their own.
class output_array {
 public:
  // `raw`: the numbers of NVDLA, not the real ones.
  explicit output_array(net::file_output of, bool raw = false) : of_(std::move(of)), raw_(raw) {}

  // The outputs of one more run. Raw parts of different kinds are an `error`.
  void take(const std::vector<binding>& bindings, const std::vector<net::any_tensor>& tensors);
  // The bytes of a file of npy.
  std::string npy() const;

  const net::file_output& of() const { return of_; }

 private:
  void take_numbers(const std::vector<net::any_tensor>& tensors);

  template <class>
  struct elements_of;
  template <class... Tensor>
  struct elements_of<std::variant<Tensor...>> {
    using type = std::variant<decltype(Tensor::values)...>;
  };

  net::file_output of_;
  bool raw_;
  std::size_t runs_ = 0;
  std::vector<float> values_{};
  elements_of<net::any_tensor>::type numbers_{};
};

// A word of each output for the name of a file of its own, which looks like the output's, or like
// the beginning of a long one: no two are the same.
inline constexpr std::size_t longest_word = 100;  // bytes
std::vector<std::string> words_for_files(const std::vector<net::file_output>& outputs);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/output_array.ipp>
#endif
