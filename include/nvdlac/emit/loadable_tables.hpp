// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of a loadable.
#include <cstdint>

#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/emit/loadable_schema.hpp>

namespace nvdlac::emit::detail {

struct flat_blob : flat_table<flat_blob> {
  using f = flat::blob;
  bool fields(flatbuffers::Verifier& v) const {
    return string(v, f::name) && scalar<std::uint64_t>(v, f::size) &&
           scalar<std::uint32_t>(v, f::interface) && scalar<std::uint32_t>(v, f::sub_interface) &&
           version(v, f::version) && array<std::uint8_t>(v, f::data);
  }
};

struct flat_memory : flat_table<flat_memory> {
  using f = flat::memory;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::domain) &&
           scalar<std::uint16_t>(v, f::flags) && scalar<std::uint64_t>(v, f::size) &&
           scalar<std::uint32_t>(v, f::alignment) && strings(v, f::contents) &&
           array<std::uint64_t>(v, f::offsets) && scalar<std::uint16_t>(v, f::bind_id) &&
           scalar<std::uint16_t>(v, f::tensor_desc_id);
  }
};

struct flat_event : flat_table<flat_event> {
  using f = flat::event;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint8_t>(v, f::type) &&
           scalar<std::uint16_t>(v, f::target) && scalar<std::uint32_t>(v, f::val) &&
           scalar<std::uint8_t>(v, f::op);
  }
};

struct flat_task : flat_table<flat_task> {
  using f = flat::task;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint32_t>(v, f::interface) &&
           scalar<std::int16_t>(v, f::instance) && array<std::uint16_t>(v, f::address_list) &&
           array<std::uint16_t>(v, f::pre_actions) && array<std::uint16_t>(v, f::post_actions);
  }
};

struct flat_address : flat_table<flat_address> {
  using f = flat::address;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && scalar<std::uint16_t>(v, f::mem_id) &&
           scalar<std::uint64_t>(v, f::offset) && scalar<std::uint64_t>(v, f::size);
  }
};

struct flat_submission : flat_table<flat_submission> {
  using f = flat::submission;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && array<std::uint16_t>(v, f::task_id);
  }
};

struct flat_tensor : flat_table<flat_tensor> {
  using f = flat::tensor;
  bool fields(flatbuffers::Verifier& v) const {
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
};

struct flat_relocation : flat_table<flat_relocation> {
  using f = flat::relocation;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::address_id) && scalar<std::uint16_t>(v, f::write_id) &&
           scalar<std::uint64_t>(v, f::offset) && scalar<std::uint32_t>(v, f::interface) &&
           scalar<std::uint32_t>(v, f::sub_interface) && scalar<std::uint8_t>(v, f::reloc_type);
  }
};

struct flat_loadable : flat_table<flat_loadable> {
  using f = flat::loadable;
  bool fields(flatbuffers::Verifier& v) const {
    return version(v, f::version) && tables<flat_task>(v, f::task_list) &&
           tables<flat_memory>(v, f::memory_list) && tables<flat_address>(v, f::address_list) &&
           tables<flat_event>(v, f::event_list) && tables<flat_blob>(v, f::blobs) &&
           tables<flat_tensor>(v, f::tensor_desc_list) &&
           tables<flat_relocation>(v, f::reloc_list) &&
           tables<flat_submission>(v, f::submit_list);
  }
};

}  // namespace nvdlac::emit::detail
