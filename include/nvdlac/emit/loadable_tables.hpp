// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of a loadable.
#include <cstdint>

#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/emit/loadable_schema.hpp>

namespace nvdlac::emit::detail {

struct flat_blob : flat_table<flat_blob> {
  using f = flat::blob;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_memory : flat_table<flat_memory> {
  using f = flat::memory;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_event : flat_table<flat_event> {
  using f = flat::event;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_task : flat_table<flat_task> {
  using f = flat::task;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_address : flat_table<flat_address> {
  using f = flat::address;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_submission : flat_table<flat_submission> {
  using f = flat::submission;
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::uint16_t>(v, f::id) && array<std::uint16_t>(v, f::task_id);
  }
};

struct flat_tensor : flat_table<flat_tensor> {
  using f = flat::tensor;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_relocation : flat_table<flat_relocation> {
  using f = flat::relocation;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_loadable : flat_table<flat_loadable> {
  using f = flat::loadable;
  bool fields(flatbuffers::Verifier& v) const;
};

}  // namespace nvdlac::emit::detail

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/loadable_tables.ipp>
#endif
