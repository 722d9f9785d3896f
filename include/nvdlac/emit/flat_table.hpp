// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/verified_table.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_schema.hpp>

namespace nvdlac::emit::detail {

// A table of a loadable or of its notes.
template <class Self>
class flat_table : public verified_table<Self> {
 public:
  loadable_version version_of(flatbuffers::voffset_t field) const {
    const auto* v = this->template structure<flat::version_struct>(field);
    return v == nullptr ? loadable_version{}
                        : loadable_version{v->major, v->minor, v->sub_minor};
  }
  label label_of(flatbuffers::voffset_t field) const { return label(this->characters(field)); }

 protected:
  bool version(flatbuffers::Verifier& v, flatbuffers::voffset_t field) const {
    return this->template bytes<flat::version_struct>(v, field);
  }
};

}  // namespace nvdlac::emit::detail
