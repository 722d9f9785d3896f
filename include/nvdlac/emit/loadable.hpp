// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes an NVDLA loadable: the FlatBuffers file that the public runtime loads. Tables are built by
// field number (flat_schema.hpp) without generated code.
#include <flatbuffers/flatbuffers.h>

#include <nvdlac/emit/flat_schema.hpp>
#include <nvdlac/emit/loadable_layout.hpp>

namespace nvdlac::emit {
namespace detail {

class flat_writer {
 public:
  std::vector<std::uint8_t> write(const loadable_image& image) {
    const auto blobs = tables(image.blobs, [&](const auto& v, auto) { return blob(v); });
    const auto tasks = tables(image.tasks, [&](const auto& v, auto id) { return task(v, id); });
    const auto memories =
        tables(image.memories, [&](const auto& v, auto id) { return memory(v, id); });
    const auto addresses =
        tables(image.addresses, [&](const auto& v, auto id) { return address(v, id); });
    const auto events = tables(image.events, [&](const auto& v, auto id) { return event(v, id); });
    const auto tensors =
        tables(image.tensors, [&](const auto& v, auto id) { return tensor(v, id); });
    const auto relocations =
        tables(image.relocations, [&](const auto& v, auto) { return relocation(v); });
    const auto submissions =
        tables(image.submissions, [&](const auto& v, auto id) { return submission(v, id); });
    using f = flat::loadable;
    const auto table = fbb_.StartTable();
    version(f::version, image.version);
    fbb_.AddOffset(f::task_list, tasks);
    fbb_.AddOffset(f::memory_list, memories);
    fbb_.AddOffset(f::address_list, addresses);
    fbb_.AddOffset(f::event_list, events);
    fbb_.AddOffset(f::blobs, blobs);
    fbb_.AddOffset(f::tensor_desc_list, tensors);
    fbb_.AddOffset(f::reloc_list, relocations);
    fbb_.AddOffset(f::submit_list, submissions);
    fbb_.Finish(flatbuffers::Offset<flatbuffers::Table>(fbb_.EndTable(table)), flat::identifier);
    return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
  }

 private:
  using offset = flatbuffers::Offset<flatbuffers::Table>;

  template <class T, class F>
  flatbuffers::Offset<flatbuffers::Vector<offset>> tables(const std::vector<T>& values, F&& make) {
    std::vector<offset> offsets;
    for (std::size_t i = 0; i < values.size(); ++i)
      offsets.push_back(make(values[i], static_cast<std::uint16_t>(i)));
    return fbb_.CreateVector(offsets);
  }
  template <class T>
  void add(flatbuffers::voffset_t field, T value) { fbb_.AddElement<T>(field, value, T{}); }
  // A struct of three bytes inside of its table.
  void version(flatbuffers::voffset_t field, const loadable_version& v) {
    const flat::version_struct s{v[0], v[1], v[2]};
    fbb_.AddStruct(field, &s);
  }

  offset blob(const loadable_image::blob& b) {
    using f = flat::blob;
    const auto name = fbb_.CreateString(b.name);
    const auto data = fbb_.CreateVector(b.data);
    const auto table = fbb_.StartTable();
    fbb_.AddOffset(f::name, name);
    add<std::uint64_t>(f::size, b.data.size());
    add(f::interface, b.interface);
    add(f::sub_interface, b.sub_interface);
    version(f::version, b.version);
    fbb_.AddOffset(f::data, data);
    return fbb_.EndTable(table);
  }
  offset memory(const loadable_image::memory& m, std::uint16_t id) {
    using f = flat::memory;
    const auto contents = fbb_.CreateVectorOfStrings(m.contents);
    const auto offsets = fbb_.CreateVector(m.offsets);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::domain, m.domain);
    add(f::flags, m.flags);
    add(f::size, m.size);
    add(f::alignment, m.alignment);
    fbb_.AddOffset(f::contents, contents);
    fbb_.AddOffset(f::offsets, offsets);
    add(f::bind_id, m.bind_id);
    add(f::tensor_desc_id, m.tensor_desc_id);
    return fbb_.EndTable(table);
  }
  offset event(const loadable_image::event& e, std::uint16_t id) {
    using f = flat::event;
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::type, e.type);
    add(f::target, e.target);
    add(f::val, e.val);
    add(f::op, e.op);
    return fbb_.EndTable(table);
  }
  offset task(const loadable_image::task& t, std::uint16_t id) {
    using f = flat::task;
    const auto addresses = fbb_.CreateVector(t.addresses);
    const auto pre = fbb_.CreateVector(t.pre_actions);
    const auto post = fbb_.CreateVector(t.post_actions);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::interface, t.interface);
    add(f::instance, t.instance);
    fbb_.AddOffset(f::address_list, addresses);
    fbb_.AddOffset(f::pre_actions, pre);
    fbb_.AddOffset(f::post_actions, post);
    return fbb_.EndTable(table);
  }
  offset address(const loadable_image::address& a, std::uint16_t id) {
    using f = flat::address;
    const auto table = fbb_.StartTable();
    add(f::id, id);
    add(f::mem_id, a.memory);
    add(f::offset, a.offset);
    add(f::size, a.size);
    return fbb_.EndTable(table);
  }
  offset submission(const loadable_image::submission& s, std::uint16_t id) {
    using f = flat::submission;
    const auto tasks = fbb_.CreateVector(s.tasks);
    const auto table = fbb_.StartTable();
    add(f::id, id);
    fbb_.AddOffset(f::task_id, tasks);
    return fbb_.EndTable(table);
  }
  offset tensor(const loadable_image::tensor& t, std::uint16_t id) {
    using f = flat::tensor;
    const auto name = fbb_.CreateString(t.name);
    const auto table = fbb_.StartTable();
    fbb_.AddOffset(f::name, name);
    add(f::id, id);
    add(f::mem_id, t.memory);
    add(f::size, t.size);
    add(f::offset, t.offset);
    add(f::data_format, t.data_format);
    add(f::data_type, t.data_type);
    add(f::data_category, t.data_category);
    add(f::pixel_format, t.pixel_format);
    add(f::pixel_mapping, t.pixel_mapping);
    add(f::n, t.n);
    add(f::c, t.c);
    add(f::h, t.h);
    add(f::w, t.w);
    for (std::uint16_t i = 0; i < t.stride.size(); ++i)
      add(flat::tensor::stride(i), t.stride[i]);
    return fbb_.EndTable(table);
  }
  offset relocation(const loadable_image::relocation& r) {
    using f = flat::relocation;
    const auto table = fbb_.StartTable();
    add(f::address_id, r.address);
    add(f::write_id, r.write);
    add(f::offset, r.offset);
    add(f::interface, r.interface);
    add(f::sub_interface, r.sub_interface);
    add(f::reloc_type, r.type);
    return fbb_.EndTable(table);
  }

  flatbuffers::FlatBufferBuilder fbb_{1 << 16};
};

}  // namespace detail

// The bytes of a loadable with these lists.
inline std::vector<std::uint8_t> write_loadable(const loadable_image& image) {
  std::uint64_t total = 0;
  for (const auto& b : image.blobs) total += b.data.size();
  if (total > flat::most_bytes)
    throw error(text("the loadable would have ", total, " bytes, FlatBuffers end at 2 GiB"));
  return detail::flat_writer{}.write(image);
}

// The loadable of a program.
template <hw::hardware Hw>
std::vector<std::uint8_t> loadable(const plan::program<Hw>& p) {
  return write_loadable(loadable_lists(p));
}

}  // namespace nvdlac::emit
