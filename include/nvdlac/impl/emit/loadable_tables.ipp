// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/emit/loadable_schema.hpp>
#include <nvdlac/emit/loadable_tables.hpp>

namespace nvdlac::emit::detail {

NVDLAC_IMPL bool flat_blob::fields(flatbuffers::Verifier& v) const {
  return string(v, f::name) && scalar<std::uint64_t>(v, f::size) &&
         scalar<std::uint32_t>(v, f::interface) && scalar<std::uint32_t>(v, f::sub_interface) &&
         version(v, f::version) && array<std::uint8_t>(v, f::data);
}

NVDLAC_IMPL bool flat_memory::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::domain) &&
         scalar<std::uint16_t>(v, f::flags) && scalar<std::uint64_t>(v, f::size) &&
         scalar<std::uint32_t>(v, f::alignment) && strings(v, f::contents) &&
         array<std::uint64_t>(v, f::offsets) && scalar<std::uint16_t>(v, f::bind_id) &&
         scalar<std::uint16_t>(v, f::tensor_desc_id);
}

NVDLAC_IMPL bool flat_event::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::type) &&
         scalar<std::uint16_t>(v, f::target) && scalar<std::uint32_t>(v, f::val) &&
         scalar<std::uint8_t>(v, f::op);
}

NVDLAC_IMPL bool flat_task::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint16_t>(v, f::id) && scalar<std::uint32_t>(v, f::interface) &&
         scalar<std::int16_t>(v, f::instance) && array<std::uint16_t>(v, f::address_list) &&
         array<std::uint16_t>(v, f::pre_actions) && array<std::uint16_t>(v, f::post_actions);
}

NVDLAC_IMPL bool flat_address::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint16_t>(v, f::id) && scalar<std::uint16_t>(v, f::mem_id) &&
         scalar<std::uint64_t>(v, f::offset) && scalar<std::uint64_t>(v, f::size);
}

NVDLAC_IMPL bool flat_tensor::fields(flatbuffers::Verifier& v) const {
  for (const auto field : {f::data_format, f::data_type, f::data_category, f::pixel_format,
                           f::pixel_mapping})
    if (!scalar<std::uint8_t>(v, field)) return false;
  for (std::uint16_t i = 0; i < 8; ++i)
    if (!scalar<std::uint32_t>(v, f::stride(i))) return false;
  return string(v, f::name) && scalar<std::uint16_t>(v, f::id) &&
         scalar<std::uint16_t>(v, f::mem_id) && scalar<std::uint64_t>(v, f::size) &&
         scalar<std::uint64_t>(v, f::offset) &&
         scalar<std::int32_t>(v, f::n) && scalar<std::int32_t>(v, f::c) &&
         scalar<std::int32_t>(v, f::h) && scalar<std::int32_t>(v, f::w);
}

NVDLAC_IMPL bool flat_relocation::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint16_t>(v, f::address_id) && scalar<std::uint16_t>(v, f::write_id) &&
         scalar<std::uint64_t>(v, f::offset) && scalar<std::uint32_t>(v, f::interface) &&
         scalar<std::uint32_t>(v, f::sub_interface) && scalar<std::uint8_t>(v, f::reloc_type);
}

NVDLAC_IMPL bool flat_loadable::fields(flatbuffers::Verifier& v) const {
  return version(v, f::version) && tables<flat_task>(v, f::task_list) &&
         tables<flat_memory>(v, f::memory_list) && tables<flat_address>(v, f::address_list) &&
         tables<flat_event>(v, f::event_list) && tables<flat_blob>(v, f::blobs) &&
         tables<flat_tensor>(v, f::tensor_desc_list) &&
         tables<flat_relocation>(v, f::reloc_list) &&
         tables<flat_submission>(v, f::submit_list);
}

}  // namespace nvdlac::emit::detail
