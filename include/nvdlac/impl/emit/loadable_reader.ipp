// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/loadable_tables.hpp>
#include <nvdlac/emit/notes_reader.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL loadable_image loadable_reader::read() {
  // FlatBuffers ends at 2 GiB; its verifier asserts that.
  if (bytes_.size() < 8 || bytes_.size() > flat::most_bytes)
    fail(text(file_.empty() ? "what is given " : "", "is not a loadable: ", bytes_.size(),
              " bytes"),
         "a model becomes a loadable by `nvdlac compile`");
  std::vector<std::uint64_t> aligned;
  // Fields are read where they are, so they must be aligned in memory as they are in the file.
  if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % 8 != 0) bytes_ = copied(aligned, 0);
  if (!is_sound()) {
    // Files of the public compiler are aligned from their end; a new root makes 8 of 4 bytes.
    std::vector<std::uint64_t> moved;
    bytes_ = copied(moved, 4);
    const auto root = flatbuffers::ReadScalar<std::uint32_t>(bytes_.data() + 4);
    flatbuffers::WriteScalar(reinterpret_cast<std::uint8_t*>(moved.data()), root + 4);
    aligned = std::move(moved);
    if (!is_sound())
      fail(text(file_.empty() ? "what is given " : "",
                "is not a loadable, or is truncated or corrupt"),
           "a model becomes a loadable by `nvdlac compile`");
  }
  const auto& root = *flatbuffers::GetRoot<flat_loadable>(bytes_.data());
  using f = flat::loadable;
  image_.version = root.version_of(f::version);
  each<flat_blob>(root, f::blobs, "blobs", [&](const auto& t) { blob(t); });
  each<flat_memory>(root, f::memory_list, "memory_list", [&](const auto& t) { memory(t); });
  each<flat_address>(root, f::address_list, "address_list", [&](const auto& t) { address(t); });
  each<flat_event>(root, f::event_list, "event_list", [&](const auto& t) { event(t); });
  each<flat_task>(root, f::task_list, "task_list", [&](const auto& t) { task(t); });
  each<flat_submission>(root, f::submit_list, "submit_list",
                        [&](const auto& t) { submission(t); });
  each<flat_tensor>(root, f::tensor_desc_list, "tensor_desc_list",
                    [&](const auto& t) { tensor(t); });
  each<flat_relocation>(root, f::reloc_list, "reloc_list",
                        [&](const auto& t) { relocation(t); });
  check_loadable(image_, file_);
  return std::move(image_);
}

NVDLAC_IMPL bool loadable_reader::is_sound() const {
  flatbuffers::Verifier verifier(bytes_.data(), bytes_.size(), 8, 1000000);
  return verifier.VerifyBuffer<flat_loadable>(nullptr);
}

NVDLAC_IMPL std::span<const std::uint8_t> loadable_reader::copied(std::vector<std::uint64_t>& to,
                                                                  std::size_t before) const {
  to.resize((bytes_.size() + before) / 8 + 1);
  auto* const start = reinterpret_cast<std::uint8_t*>(to.data());
  std::ranges::copy(bytes_, start + before);
  return {start, bytes_.size() + before};
}

NVDLAC_IMPL void loadable_reader::fail(std::string reason, std::string remedy) const {
  throw error(problem{
      .file = file_, .reason = std::move(reason), .remedy = std::move(remedy)});
}

NVDLAC_IMPL void loadable_reader::take(std::size_t bytes) {
  taken_ += bytes;
  if (taken_ > 4 * bytes_.size() + 65536) fail("is corrupt: its tables share their contents");
}

NVDLAC_IMPL void loadable_reader::blob(const flat_blob& t) {
  using f = flat::blob;
  const auto* data = t.vector<std::uint8_t>(f::data);
  const auto size = t.get<std::uint64_t>(f::size);
  const std::uint64_t there = data == nullptr ? 0 : data->size();
  loadable_image::blob b{.name = t.label_of(f::name)};
  if (size > there)
    fail(text("is corrupt: the blob '", b.name, "' has ", there, " of ", size, " bytes"));
  take(static_cast<std::size_t>(size) + b.name.size());
  b.interface = t.get<std::uint32_t>(f::interface);
  b.sub_interface = t.get<std::uint32_t>(f::sub_interface);
  b.version = t.version_of(f::version);
  if (b.name == notes_name && data != nullptr) {
    image_.notes = notes({data->data(), static_cast<std::size_t>(size)});
    return;
  }
  b.size = size;
  if (data != nullptr) b.data.assign(data->data(), data->data() + size);
  image_.blobs.push_back(std::move(b));
}

NVDLAC_IMPL loadable_notes loadable_reader::notes(std::span<const std::uint8_t> bytes) const {
  try {
    return read_notes(bytes);
  } catch (const error& e) {
    fail(e.problems().front().reason);
  }
}

NVDLAC_IMPL void loadable_reader::memory(const flat_memory& t) {
  using f = flat::memory;
  check_id(t.get<std::uint16_t>(f::id), image_.memories.size(), "memory_list");
  loadable_image::memory m{.domain = t.get<std::uint8_t>(f::domain),
                           .flags = t.get<std::uint16_t>(f::flags),
                           .size = t.get<std::uint64_t>(f::size),
                           .alignment = t.get<std::uint32_t>(f::alignment),
                           .bind_id = t.get<std::uint16_t>(f::bind_id),
                           .tensor_desc_id = t.get<std::uint16_t>(f::tensor_desc_id)};
  if (const auto* v = t.vector<flatbuffers::Offset<flatbuffers::String>>(f::contents))
    for (const auto* s : *v) {
      take(s->size() + sizeof(label) / 4);
      m.contents.emplace_back(std::string_view(s->data(), s->size()));
    }
  if (const auto* v = t.vector<std::uint64_t>(f::offsets)) {
    take(8 * std::size_t{v->size()});
    m.offsets.assign(v->begin(), v->end());
  }
  image_.memories.push_back(std::move(m));
}

NVDLAC_IMPL void loadable_reader::address(const flat_address& t) {
  using f = flat::address;
  check_id(t.get<std::uint16_t>(f::id), image_.addresses.size(), "address_list");
  image_.addresses.push_back({t.get<std::uint16_t>(f::mem_id), t.get<std::uint64_t>(f::offset),
                              t.get<std::uint64_t>(f::size)});
}

NVDLAC_IMPL void loadable_reader::event(const flat_event& t) {
  using f = flat::event;
  image_.events.push_back({t.get<std::uint8_t>(f::type), t.get<std::uint16_t>(f::target),
                           t.get<std::uint32_t>(f::val), t.get<std::uint8_t>(f::op)});
}

NVDLAC_IMPL void loadable_reader::task(const flat_task& t) {
  using f = flat::task;
  check_id(t.get<std::uint16_t>(f::id), image_.tasks.size(), "task_list");
  for (const auto field : {f::address_list, f::pre_actions, f::post_actions})
    if (const auto* v = t.vector<std::uint16_t>(field)) take(2 * std::size_t{v->size()});
  image_.tasks.push_back({t.get<std::uint32_t>(f::interface), t.get<std::int16_t>(f::instance),
                          t.numbers<std::uint16_t>(f::address_list),
                          t.numbers<std::uint16_t>(f::pre_actions),
                          t.numbers<std::uint16_t>(f::post_actions)});
}

NVDLAC_IMPL void loadable_reader::submission(const flat_submission& t) {
  using f = flat::submission;
  check_id(t.get<std::uint16_t>(f::id), image_.submissions.size(), "submit_list");
  if (const auto* v = t.vector<std::uint16_t>(f::task_id)) take(2 * std::size_t{v->size()});
  image_.submissions.push_back({t.numbers<std::uint16_t>(f::task_id)});
}

NVDLAC_IMPL void loadable_reader::tensor(const flat_tensor& t) {
  using f = flat::tensor;
  check_id(t.get<std::uint16_t>(f::id), image_.tensors.size(), "tensor_desc_list");
  loadable_image::tensor d{.name = t.label_of(f::name),
                           .memory = t.get<std::uint16_t>(f::mem_id),
                           .size = t.get<std::uint64_t>(f::size),
                           .offset = t.get<std::uint64_t>(f::offset),
                           .data_format = t.get<std::uint8_t>(f::data_format),
                           .data_type = t.get<std::uint8_t>(f::data_type),
                           .data_category = t.get<std::uint8_t>(f::data_category),
                           .pixel_format = t.get<std::uint8_t>(f::pixel_format),
                           .pixel_mapping = t.get<std::uint8_t>(f::pixel_mapping),
                           .n = t.get<std::int32_t>(f::n),
                           .c = t.get<std::int32_t>(f::c),
                           .h = t.get<std::int32_t>(f::h),
                           .w = t.get<std::int32_t>(f::w)};
  take(d.name.size());
  for (std::uint16_t i = 0; i < d.stride.size(); ++i)
    d.stride[i] = t.get<std::uint32_t>(f::stride(i));
  image_.tensors.push_back(std::move(d));
}

NVDLAC_IMPL void loadable_reader::relocation(const flat_relocation& t) {
  using f = flat::relocation;
  image_.relocations.push_back(
      {t.get<std::uint16_t>(f::address_id), t.get<std::uint16_t>(f::write_id),
       t.get<std::uint64_t>(f::offset), t.get<std::uint32_t>(f::interface),
       t.get<std::uint32_t>(f::sub_interface), t.get<std::uint8_t>(f::reloc_type)});
}

}  // namespace detail

NVDLAC_IMPL loadable_image read_loadable(std::span<const std::uint8_t> bytes,
                                         const std::string& file) {
  return detail::loadable_reader(bytes, file).read();
}

}  // namespace nvdlac::emit
