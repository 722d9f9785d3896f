// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/tensorflow/bundle.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL std::uint32_t masked_crc(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c >> 1) ^ ((c & 1) != 0 ? 0x82f63b78U : 0U);
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t c = ~0U;
  for (const char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 0xff] ^ (c >> 8);
  c = ~c;
  return ((c >> 15) | (c << 17)) + 0xa282ead8U;
}

NVDLAC_IMPL std::uint64_t byte_reader::varint() {
  std::uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
    const auto b = static_cast<unsigned char>(bytes_[at_++]);
    v |= std::uint64_t{b & 0x7fU} << shift;
    if (b < 0x80) return v;
  }
  throw broken();
}

NVDLAC_IMPL std::string_view byte_reader::take(std::uint64_t n) {
  if (n > bytes_.size() - at_) throw broken();
  const auto part = bytes_.substr(at_, static_cast<std::size_t>(n));
  at_ += part.size();
  return part;
}

NVDLAC_IMPL std::uint32_t byte_reader::fixed() {
  std::uint32_t v;
  std::memcpy(&v, take(4).data(), 4);
  return v;
}

NVDLAC_IMPL sorted_table::sorted_table(std::string content) : content_(std::move(content)) {
  constexpr std::string_view magic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  if (content_.size() < 48 || !std::string_view(content_).ends_with(magic))
    throw byte_reader::broken();
  byte_reader footer(std::string_view(content_).substr(content_.size() - 48, 40));
  for (int of_further_indices = 0; of_further_indices < 2; ++of_further_indices)
    (void)footer.varint();
  const auto offset = footer.varint(), size = footer.varint();
  std::uint64_t end = 0;  // blocks stand behind each other, so that none is read twice
  for_each_entry(block(offset, size), [&](const std::string&, std::string_view handle) {
    byte_reader h(handle);
    const auto from = h.varint(), bytes = h.varint();
    if (from < end) throw byte_reader::broken();
    end = from + bytes;
    for_each_entry(block(from, bytes), [&](const std::string& key, std::string_view value) {
      if (!entries_.empty() && key <= entries_.rbegin()->first) throw byte_reader::broken();
      if ((spent_ += key.size()) > 16 * content_.size()) throw byte_reader::broken();
      entries_.emplace_hint(entries_.end(), key, value);
    });
  });
}

NVDLAC_IMPL std::string_view sorted_table::block(std::uint64_t offset, std::uint64_t size) const {
  const std::uint64_t all = content_.size();
  if (offset > all || size > all - offset || all - offset - size < 5) throw byte_reader::broken();
  const auto from = static_cast<std::size_t>(offset), n = static_cast<std::size_t>(size);
  const std::string_view whole(content_);
  if (content_[from + n] != 0)
    throw error(problem{.reason = "the index of its variables is compressed",
                        .remedy = "TensorFlow writes it uncompressed"});
  byte_reader sum(whole.substr(from + n + 1, 4));
  if (sum.fixed() != masked_crc(whole.substr(from, n + 1))) throw byte_reader::broken();
  return whole.substr(from, n);
}

NVDLAC_IMPL bundle::bundle(std::filesystem::path directory, std::string prefix)
    : directory_(std::move(directory)), prefix_(std::move(prefix)),
      table_(data::regular_file(with(".index")).read<std::string>()) {
  const auto header = table_.entries().find("");
  if (header == table_.entries().end()) throw byte_reader::broken();
  const auto h = parsed("BundleHeaderProto", header->second);
  shards_ = proto::view(*h).integer("num_shards", 0);
  if (shards_ < 1 || shards_ > 99999) throw byte_reader::broken();
  if (proto::view(*h).integer("endianness", 0) != 0)
    throw error("its variables were written by a big-endian machine");
  read_names();
}

NVDLAC_IMPL std::optional<std::string> bundle::key_of(const std::string& variable) const {
  if (const auto k = keys_.find(variable); k != keys_.end()) return k->second;
  if (table_.entries().contains(variable)) return variable;
  return std::nullopt;
}

NVDLAC_IMPL bundle::description bundle::describe(const std::string& key) const {
  const auto message = parsed("BundleEntryProto", table_.entries().at(key));
  const proto::view e(*message);
  if (e.size("slices") != 0) throw error("it is stored in slices, which is not supported");
  const auto shape = shape_of(e.child("shape"));
  if (!shape || std::ranges::any_of(*shape, [](auto d) { return d < 0; }))
    throw byte_reader::broken();
  return {e.integer("dtype"), *shape};
}

NVDLAC_IMPL tensorflow_format::array bundle::values(const std::string& key) {
  const auto d = describe(key);
  const auto n = static_cast<std::uint64_t>(onnx_format::count(d.shape));
  return from_bytes(d.type, d.shape, bytes(key, n * size_of(d.type)));
}

NVDLAC_IMPL std::unique_ptr<proto::pb::Message> bundle::parsed(const char* message,
                                                               std::string_view bytes) {
  auto m = schema().make(message);
  if (!m->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw byte_reader::broken();
  return m;
}

NVDLAC_IMPL std::filesystem::path bundle::with(const std::string& suffix) {
  auto path = data::file_below(directory_, prefix_ + suffix, (directory_ / prefix_).string());
  files_.insert(path);
  return path;
}

NVDLAC_IMPL std::string bundle::bytes(const std::string& key, std::optional<std::uint64_t> wanted) {
  const auto message = parsed("BundleEntryProto", table_.entries().at(key));
  const proto::view e(*message);
  const auto offset = e.integer("offset", 0), size = e.integer("size", 0),
             shard = e.integer("shard_id", 0);
  if (offset < 0 || size < 0 || shard < 0 || shard >= shards_) throw byte_reader::broken();
  if (wanted && std::cmp_not_equal(size, *wanted))
    throw error(text("its values have ", size, " bytes instead of ", *wanted));
  const auto five = [](std::int64_t n) {
    const auto s = std::to_string(n);
    return std::string(5 - std::min<std::size_t>(s.size(), 5), '0') + s;
  };
  const data::regular_file file(with(".data-" + five(shard) + "-of-" + five(shards_)));
  if (std::cmp_greater(offset, file.size()) ||
      std::cmp_greater(size, file.size() - static_cast<std::uintmax_t>(offset)))
    throw error(text("its values lie behind the end of their file of ", file.size(), " bytes"));
  auto content = file.read<std::string>(static_cast<std::uintmax_t>(offset),
                                        static_cast<std::uintmax_t>(size));
  // The checksum of a string leaves out how its lengths are written.
  if (wanted && e.has("crc32c") &&
      std::cmp_not_equal(e.integer("crc32c"), masked_crc(content)))
    throw error("its values are damaged: their checksum is another");
  return content;
}

NVDLAC_IMPL void bundle::read_names() {
  constexpr auto key = "_CHECKPOINTABLE_OBJECT_GRAPH";
  if (!table_.entries().contains(key)) return;
  const auto content = bytes(key, std::nullopt);
  byte_reader r(content);
  const auto size = r.varint();
  (void)r.fixed();
  const auto graph = parsed("TrackableObjectGraph", r.take(size));
  for (const auto& object : proto::view(*graph).children("nodes"))
    for (const auto& a : object.children("attributes"))
      if (table_.entries().contains(a.string("checkpoint_key")))
        keys_.emplace(a.string("full_name"), a.string("checkpoint_key"));
}

}  // namespace nvdlac::import::tensorflow_format
