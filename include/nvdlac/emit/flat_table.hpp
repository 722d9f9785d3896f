// SPDX-License-Identifier: Apache-2.0
#pragma once
// A table of a FlatBuffers file, verified field by field before anything is read.
#include <flatbuffers/flatbuffers.h>

#include <nvdlac/emit/flat_schema.hpp>
#include <nvdlac/emit/loadable_image.hpp>

namespace nvdlac::emit::detail {

// What the verifier asks of a table: `Self::fields` verifies all that the schema names.
template <class Self>
class flat_table : private flatbuffers::Table {
 public:
  bool Verify(flatbuffers::Verifier& v) const {
    return VerifyTableStart(v) && static_cast<const Self&>(*this).fields(v) && v.EndTable();
  }
  template <class T>
  T get(flatbuffers::voffset_t field, T otherwise = {}) const {
    return GetField<T>(field, otherwise);
  }
  loadable_version version_of(flatbuffers::voffset_t field) const {
    const auto* v = GetStruct<const flat::version_struct*>(field);
    return v == nullptr ? loadable_version{}
                        : loadable_version{v->major, v->minor, v->sub_minor};
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

  label label_of(flatbuffers::voffset_t field) const {
    const auto* s = GetPointer<const flatbuffers::String*>(field);
    return s == nullptr ? label() : label(std::string_view(s->data(), s->size()));
  }
  // The table that a field refers to, or null.
  template <class T>
  const T* table(flatbuffers::voffset_t field) const { return GetPointer<const T*>(field); }

 protected:
  template <class T>
  bool scalar(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<T>(v, field, sizeof(T));
  }
  bool version(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return VerifyField<flat::version_struct>(v, field, 1);
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

}  // namespace nvdlac::emit::detail
