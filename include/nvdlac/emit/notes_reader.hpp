// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the notes of a loadable, which may hold anything.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/notes_schema.hpp>

namespace nvdlac::emit {

namespace detail {

struct flat_noted_pixels : flat_table<flat_noted_pixels> {
  using f = flat::noted_pixels;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_preprocessing : flat_table<flat_noted_preprocessing> {
  using f = flat::noted_preprocessing;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_file_tensor : flat_table<flat_noted_file_tensor> {
  using f = flat::noted_file_tensor;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_tensor : flat_table<flat_noted_tensor> {
  using f = flat::noted_tensor;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_part : flat_table<flat_noted_part> {
  using f = flat::noted_part;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_task : flat_table<flat_noted_task> {
  using f = flat::noted_task;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_parameter : flat_table<flat_noted_parameter> {
  using f = flat::noted_parameter;
  bool fields(flatbuffers::Verifier& v) const {
    return string(v, f::name) && array<double>(v, f::values);
  }
};

struct flat_noted_call : flat_table<flat_noted_call> {
  using f = flat::noted_call;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_source : flat_table<flat_noted_source> {
  using f = flat::noted_source;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_noted_provenance : flat_table<flat_noted_provenance> {
  using f = flat::noted_provenance;
  bool fields(flatbuffers::Verifier& v) const;
};

struct flat_notes : flat_table<flat_notes> {
  using f = flat::notes;
  bool fields(flatbuffers::Verifier& v) const;
};

class notes_reader {
 public:
  explicit notes_reader(std::span<const std::uint8_t> bytes);

  loadable_notes take() && { return std::move(notes_); }

 private:
  [[noreturn]] static void fail() { throw error(text("the blob ", notes_name, " is corrupt")); }

  // Many offsets may lead to one table: what they hold together is bounded by the file's size.
  void take(std::size_t bytes);

  void read(const flat_notes& root);

  void read(const flat_noted_task& t);

  plan::numbering numbering(double scale, std::int32_t zero) const;

  loadable_notes::part read(const flat_noted_part& p, std::size_t operations);

  void read(const flat_notes& root, flatbuffers::voffset_t field,
            std::vector<loadable_notes::tensor>& to);

  loadable_notes::call read(const flat_noted_call& c);

  provenance read(const flat_noted_provenance& p);

  net::file_tensor read(const flat_noted_file_tensor& t, const net::shape& cube);
  // The parts of each tensor of the file must hold it all.
  static void check_parts(const std::vector<loadable_notes::tensor>& all);

  static quantised::pixels read(const flat_noted_pixels& p);

  net::preprocessing read(const flat_noted_preprocessing& p);

  loadable_notes notes_{};
  std::size_t left_ = 0;
};

}  // namespace detail

// Bytes that are not such notes are an `error`.
loadable_notes read_notes(std::span<const std::uint8_t> bytes);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/notes_reader.ipp>
#endif
