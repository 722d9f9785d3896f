// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads an NVDLA loadable. Nothing outside of the bytes is read, and no more memory is taken than a
// few times their number, whatever they contain.
#include <span>

#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_tables.hpp>

namespace nvdlac::emit {
namespace detail {

class loadable_reader {
 public:
  loadable_reader(std::span<const std::uint8_t> bytes, const std::string& file)
      : bytes_(bytes), file_(file) {}

  loadable_image read();

 private:
  bool is_sound() const;

  // The bytes behind `before` others, in aligned memory.
  std::span<const std::uint8_t> copied(std::vector<std::uint64_t>& to, std::size_t before) const;

  [[noreturn]] void fail(std::string reason, std::string remedy = {}) const;

  // The tables of a list; the runtime needs all lists, even those without elements.
  template <class Table, class F>
  void each(const flat_loadable& root, flatbuffers::voffset_t field, const char* name, F&& f) {
    const auto* list = root.vector<flatbuffers::Offset<Table>>(field);
    if (list == nullptr) fail(text("has no ", name));
    // Many offsets may lead to one table: its copies are bounded by the size of the file.
    for (const auto* table : *list) f(*table);
  }

  // Copies of vectors that tables share count as often as they are copied.
  void take(std::size_t bytes);
  // Ids are positions.
  void check_id(std::uint16_t id, std::size_t position, const char* list) const {
    if (id != position) fail(text("is corrupt: entry ", position, " of ", list, " has id ", id));
  }

  void blob(const flat_blob& t);

  loadable_notes notes(std::span<const std::uint8_t> bytes) const;

  void memory(const flat_memory& t);

  void address(const flat_address& t);

  void event(const flat_event& t);

  void task(const flat_task& t);

  void submission(const flat_submission& t);

  void tensor(const flat_tensor& t);

  void relocation(const flat_relocation& t);

  std::span<const std::uint8_t> bytes_;
  std::string file_;
  loadable_image image_{};
  std::size_t taken_ = 0;
};

}  // namespace detail

// The lists of a loadable. Bytes that are not one, and lists that do not fit each other, are an
// `error`; `file` names the loadable in it.
loadable_image read_loadable(std::span<const std::uint8_t> bytes, const std::string& file = {});

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/loadable_reader.ipp>
#endif
