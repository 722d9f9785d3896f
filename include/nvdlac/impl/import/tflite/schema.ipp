// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/verified_table.hpp>
#include <nvdlac/import/tflite/schema.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL const option_fields* find_options(int type) {
  for (const auto& o : known_options)
    if (o.type == type) return &o;
  return nullptr;
}

NVDLAC_IMPL bool options_table::verify_as(flatbuffers::Verifier& v,
                                          const option_fields* known) const {
  if (!Verify(v)) return false;
  if (known == nullptr) return true;  // not read
  for (std::size_t i = 0; i < known->fields.size(); ++i) {
    const auto f = field(static_cast<int>(i));
    const char kind = known->fields[i];
    if (!(kind == 'b'   ? scalar<std::int8_t>(v, f)
          : kind == 'i' ? scalar<std::int32_t>(v, f)
          : kind == 'f' ? scalar<float>(v, f)
                        : array<std::int32_t>(v, f)))
      return false;
  }
  return true;
}

NVDLAC_IMPL bool quantisation_table::fields(flatbuffers::Verifier& v) const {
  return array<float>(v, scale) && array<std::int64_t>(v, zero_point) &&
         scalar<std::uint8_t>(v, details) && scalar<std::int32_t>(v, axis);
}

NVDLAC_IMPL bool index_table::verify_as(flatbuffers::Verifier& v, int width) const {
  if (!Verify(v)) return false;
  return width == 1   ? array<std::int32_t>(v, values)
         : width == 2 ? array<std::uint16_t>(v, values)
         : width == 3 ? array<std::uint8_t>(v, values)
                      : true;  // none, which is not read
}

NVDLAC_IMPL bool dimension_table::fields(flatbuffers::Verifier& v) const {
  const auto is_list = [&](flatbuffers::voffset_t type, flatbuffers::voffset_t field) {
    if (!scalar<std::uint8_t>(v, type) || !reference(v, field)) return false;
    const auto* values = table<index_table>(field);
    return values == nullptr || values->verify_as(v, get<std::uint8_t>(type));
  };
  return scalar<std::int8_t>(v, format) && scalar<std::int32_t>(v, dense_size) &&
         is_list(segments_type, segments) && is_list(indices_type, indices);
}

NVDLAC_IMPL std::vector<std::int64_t> dimension_table::list(flatbuffers::voffset_t type,
                                                            flatbuffers::voffset_t field) const {
  const auto* from = table<index_table>(field);
  const auto taken = [&]<class T>(T) {
    const auto all = from->numbers<T>(index_table::values);
    return std::vector<std::int64_t>(all.begin(), all.end());
  };
  if (from == nullptr) return {};
  switch (get<std::uint8_t>(type)) {
    case 1: return taken(std::int32_t{});
    case 2: return taken(std::uint16_t{});
    case 3: return taken(std::uint8_t{});
    default: throw error("it is sparse, with places of a type that is not understood");
  }
}

NVDLAC_IMPL bool sparsity_table::fields(flatbuffers::Verifier& v) const {
  return array<std::int32_t>(v, order) && array<std::int32_t>(v, blocks) &&
         tables<dimension_table>(v, dimensions);
}

NVDLAC_IMPL bool tensor_table::fields(flatbuffers::Verifier& v) const {
  return array<std::int32_t>(v, shape) && scalar<std::int8_t>(v, type) &&
         scalar<std::uint32_t>(v, buffer) && string(v, name) &&
         table<quantisation_table>(v, quantisation) && scalar<std::uint8_t>(v, is_variable) &&
         table<sparsity_table>(v, sparsity);
}

NVDLAC_IMPL bool buffer_table::fields(flatbuffers::Verifier& v) const {
  return array<std::uint8_t>(v, data) && scalar<std::uint64_t>(v, offset) &&
         scalar<std::uint64_t>(v, size);
}

NVDLAC_IMPL bool operator_table::fields(flatbuffers::Verifier& v) const {
  if (!scalar<std::uint32_t>(v, code) || !array<std::int32_t>(v, inputs) ||
      !array<std::int32_t>(v, outputs) || !scalar<std::uint8_t>(v, options_type) ||
      !reference(v, options) || !array<std::uint8_t>(v, custom_options) ||
      !scalar<std::int8_t>(v, custom_format) || !scalar<std::uint64_t>(v, custom_offset))
    return false;
  const auto* o = table<options_table>(options);
  return o == nullptr || o->verify_as(v, find_options(get<std::uint8_t>(options_type)));
}

NVDLAC_IMPL bool subgraph_table::fields(flatbuffers::Verifier& v) const {
  return tables<tensor_table>(v, tensors) && array<std::int32_t>(v, inputs) &&
         array<std::int32_t>(v, outputs) && tables<operator_table>(v, operators);
}

NVDLAC_IMPL bool model_table::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint32_t>(v, version) && tables<operator_code_table>(v, operator_codes) &&
         tables<subgraph_table>(v, subgraphs) && tables<buffer_table>(v, buffers);
}

}  // namespace nvdlac::import::tflite_format
