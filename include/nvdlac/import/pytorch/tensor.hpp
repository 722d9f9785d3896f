// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors that an archive of torch.export stores as raw bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::pytorch_format {

using json_text::json;
using json_text::member;
using json_text::shown;
using json_text::word;
using onnx_format::array;
using onnx_format::dims;

// The numbers of PyTorch's types in its schema.
enum scalar_type : std::int64_t {
  type_byte = 1, type_char = 2, type_short = 3, type_int = 4, type_long = 5, type_half = 6,
  type_float = 7, type_double = 8, type_bool = 12, type_bfloat16 = 13
};
bool is_real(std::int64_t type);
std::size_t size_of(std::int64_t type);

// A whole number that fits where sizes are meant.
std::int64_t integer_in(const json& v);
// The numbers that a tensor's description tells: {"as_int": 3}.
dims fixed_sizes(const json& meta, const char* key);

// The elements of a tensor, which may be a view into more: its strides count.
array tensor_of(const json& meta, std::string_view bytes);

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/tensor.ipp>
#endif
