// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes an NVDLA loadable, while compiling as well: the FlatBuffers file that the public runtime
// loads. The bytes of the first blob, the weights, stand at its end.
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/emit/flat_builder.hpp>
#include <nvdlac/emit/loadable_layout.hpp>
#include <nvdlac/emit/loadable_schema.hpp>

namespace nvdlac::emit {

class loadable_writer {
 public:
  // `room`: the bytes but for those of the first blob, if they are known; it only saves steps.
  constexpr explicit loadable_writer(const loadable_image& image, std::size_t room = 0)
      : bytes_at_end_(image.blobs.empty() ? 0 : image.blobs.front().size),
        to_(bytes_at_end_, room) {
    std::uint64_t total = 0;
    for (const auto& b : image.blobs) total += b.size;
    if (total > flat::most_bytes)
      throw error(text("the loadable would have ", total, " bytes, FlatBuffers end at 2 GiB"));
    front_ = write(image);
  }

  // The bytes of the loadable but for those of the first blob, which follow, filled up with zeros
  // to a multiple of 4.
  constexpr std::span<const std::uint8_t> front() const { return front_; }
  constexpr std::uint64_t bytes_at_end() const { return bytes_at_end_; }

 private:
  using offset = flat_builder::offset;

  constexpr std::span<const std::uint8_t> write(const loadable_image& image) {
    std::vector<offset> blobs;
    for (const auto& b : image.blobs)
      blobs.push_back(blob(b, &b == &image.blobs.front() ? to_.end() : to_.vector(b.data)));
    if (!image.notes.empty()) {
      const auto notes = write_notes(image.notes);
      loadable_image::blob b;
      b.name = label(notes_name);
      b.size = notes.size();
      blobs.push_back(blob(b, to_.vector(notes)));
    }
    const auto blob_list = to_.offsets(blobs);
    const auto list = [&](const auto& values) {
      return to_.tables(values, [&](const auto& v, auto id) { return table(v, id); });
    };
    const auto tasks = list(image.tasks), memories = list(image.memories),
               addresses = list(image.addresses), events = list(image.events),
               tensors = list(image.tensors), relocations = list(image.relocations),
               submissions = list(image.submissions);
    using f = flat::loadable;
    to_.start_table();
    to_.add_bytes(f::version, image.version);
    to_.add_offset(f::task_list, tasks);
    to_.add_offset(f::memory_list, memories);
    to_.add_offset(f::address_list, addresses);
    to_.add_offset(f::event_list, events);
    to_.add_offset(f::blobs, blob_list);
    to_.add_offset(f::tensor_desc_list, tensors);
    to_.add_offset(f::reloc_list, relocations);
    to_.add_offset(f::submit_list, submissions);
    return to_.finish(to_.finish_table(), flat::identifier);
  }

  constexpr offset blob(const loadable_image::blob& b, offset data) {
    using f = flat::blob;
    const auto name = to_.string(b.name);
    to_.start_table();
    to_.add_offset(f::name, name);
    to_.add(f::size, b.size);
    to_.add(f::interface, b.interface);
    to_.add(f::sub_interface, b.sub_interface);
    to_.add_bytes(f::version, b.version);
    to_.add_offset(f::data, data);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::memory& m, std::uint16_t id) {
    using f = flat::memory;
    const auto contents = to_.strings(m.contents), offsets = to_.vector(m.offsets);
    to_.start_table();
    to_.add(f::id, id);
    to_.add(f::domain, m.domain);
    to_.add(f::flags, m.flags);
    to_.add(f::size, m.size);
    to_.add(f::alignment, m.alignment);
    to_.add_offset(f::contents, contents);
    to_.add_offset(f::offsets, offsets);
    to_.add(f::bind_id, m.bind_id);
    to_.add(f::tensor_desc_id, m.tensor_desc_id);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::event& e, std::uint16_t id) {
    using f = flat::event;
    to_.start_table();
    to_.add(f::id, id);
    to_.add(f::type, e.type);
    to_.add(f::target, e.target);
    to_.add(f::val, e.val);
    to_.add(f::op, e.op);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::task& t, std::uint16_t id) {
    using f = flat::task;
    const auto addresses = to_.vector(t.addresses), pre = to_.vector(t.pre_actions),
               post = to_.vector(t.post_actions);
    to_.start_table();
    to_.add(f::id, id);
    to_.add(f::interface, t.interface);
    to_.add(f::instance, t.instance);
    to_.add_offset(f::address_list, addresses);
    to_.add_offset(f::pre_actions, pre);
    to_.add_offset(f::post_actions, post);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::address& a, std::uint16_t id) {
    using f = flat::address;
    to_.start_table();
    to_.add(f::id, id);
    to_.add(f::mem_id, a.memory);
    to_.add(f::offset, a.offset);
    to_.add(f::size, a.size);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::submission& s, std::uint16_t id) {
    using f = flat::submission;
    const auto tasks = to_.vector(s.tasks);
    to_.start_table();
    to_.add(f::id, id);
    to_.add_offset(f::task_id, tasks);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::tensor& t, std::uint16_t id) {
    using f = flat::tensor;
    const auto name = to_.string(t.name);
    to_.start_table();
    to_.add_offset(f::name, name);
    to_.add(f::id, id);
    to_.add(f::mem_id, t.memory);
    to_.add(f::size, t.size);
    to_.add(f::offset, t.offset);
    to_.add(f::data_format, t.data_format);
    to_.add(f::data_type, t.data_type);
    to_.add(f::data_category, t.data_category);
    to_.add(f::pixel_format, t.pixel_format);
    to_.add(f::pixel_mapping, t.pixel_mapping);
    to_.add(f::n, t.n);
    to_.add(f::c, t.c);
    to_.add(f::h, t.h);
    to_.add(f::w, t.w);
    for (std::uint16_t i = 0; i < t.stride.size(); ++i)
      to_.add(flat::tensor::stride(i), t.stride[i]);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_image::relocation& r, std::uint16_t) {
    using f = flat::relocation;
    to_.start_table();
    to_.add(f::address_id, r.address);
    to_.add(f::write_id, r.write);
    to_.add(f::offset, r.offset);
    to_.add(f::interface, r.interface);
    to_.add(f::sub_interface, r.sub_interface);
    to_.add(f::reloc_type, r.type);
    return to_.finish_table();
  }

  std::uint64_t bytes_at_end_;
  flat_builder to_;
  std::span<const std::uint8_t> front_{};
};

// The bytes of a loadable with these lists.
constexpr std::vector<std::uint8_t> write_loadable(const loadable_image& image) {
  const loadable_writer writer(image);
  const auto front = writer.front();
  std::vector<std::uint8_t> bytes;
  if (image.blobs.empty()) {
    bytes.assign(front.begin(), front.end());
    return bytes;
  }
  const auto& last = image.blobs.front();
  if (last.data.size() != last.size)
    throw error(text("the bytes of the blob '", last.name, "' are not known"));
  bytes.reserve(front.size() + in_memory(align_up(last.size, 4)));
  bytes.assign(front.begin(), front.end());
  bytes.insert(bytes.end(), last.data.begin(), last.data.end());
  bytes.resize(in_memory(align_up(bytes.size(), 4)), 0);
  return bytes;
}

// The loadable of a program.
template <hw::hardware Hw>
constexpr std::vector<std::uint8_t> loadable(const plan::program<Hw>& p) {
  return write_loadable(loadable_lists(p));
}

}  // namespace nvdlac::emit
