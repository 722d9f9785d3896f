// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table of a FlatBuffers file, verified field by field before anything is read.
#include <cstdint>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// A table as the verifier asks for it: `Self::fields` verifies all that the schema names.
template <class Self>
class verified_table : private flatbuffers::Table {
 public:
  bool Verify(flatbuffers::Verifier& v) const {
    return VerifyTableStart(v) && static_cast<const Self&>(*this).fields(v) && v.EndTable();
  }
  template <class T>
  T get(flatbuffers::voffset_t field, T otherwise = {}) const {
    return GetField<T>(field, otherwise);
  }
  bool has(flatbuffers::voffset_t field) const { return CheckField(field); }
  // Whether the table has a field at `first` or behind it.
  bool has_any_from(flatbuffers::voffset_t first) const {
    const auto* names = GetVTable();
    const auto size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(names);
    for (std::uint32_t f = first; f + sizeof(flatbuffers::voffset_t) <= size; f += 2)
      if (CheckField(static_cast<flatbuffers::voffset_t>(f))) return true;
    return false;
  }
  template <class T>
  const flatbuffers::Vector<T>* vector(flatbuffers::voffset_t field) const {
    return GetPointer<const flatbuffers::Vector<T>*>(field);
  }
  template <class T>
  std::vector<T> numbers(flatbuffers::voffset_t field) const {
    const auto* v = vector<T>(field);
    return v == nullptr ? std::vector<T>() : std::vector<T>(v->begin(), v->end());
  }
  std::string_view characters(flatbuffers::voffset_t field) const {
    const auto* s = GetPointer<const flatbuffers::String*>(field);
    return s == nullptr ? std::string_view() : std::string_view(s->data(), s->size());
  }
  // The struct or the table that a field holds or refers to, or null.
  template <class T>
  const T* structure(flatbuffers::voffset_t field) const { return GetStruct<const T*>(field); }
  template <class T>
  const T* table(flatbuffers::voffset_t field) const { return GetPointer<const T*>(field); }

 protected:
  template <class T>
  bool scalar(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<T>(v, field, sizeof(T));
  }
  // A struct of bytes.
  template <class T>
  bool bytes(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<T>(v, field, 1);
  }
  bool reference(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyOffset(v, field);
  }
  bool string(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyOffset(v, field) &&
           v.VerifyString(GetPointer<const flatbuffers::String*>(field));
  }
  template <class T>
  bool array(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    if (!VerifyOffset(v, field) || !v.VerifyVector(vector<T>(field))) return false;
    // The verifier looks at the alignment of the length only.
    const auto* values = vector<T>(field);
    return values == nullptr || values->size() == 0 ||
           reinterpret_cast<std::uintptr_t>(values->Data()) % sizeof(T) == 0;
  }
  bool strings(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    using offset = flatbuffers::Offset<flatbuffers::String>;
    return array<offset>(v, field) && v.VerifyVectorOfStrings(vector<offset>(field));
  }
  template <class T>
  bool tables(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return array<flatbuffers::Offset<T>>(v, field) &&
           v.VerifyVectorOfTables(vector<flatbuffers::Offset<T>>(field));
  }
  template <class T>
  bool table(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyOffset(v, field) && v.VerifyTable(table<T>(field));
  }
};

}  // namespace nvdlac
