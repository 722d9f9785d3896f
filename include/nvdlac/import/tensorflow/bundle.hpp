// SPDX-License-Identifier: Apache-2.0
#pragma once
// The variables of a checkpoint: an index, which is a sorted table of blocks as LevelDB writes it,
// and shards with the values.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/tensorflow/array.hpp>

namespace nvdlac::import::tensorflow_format {

// The CRC-32C of bytes, as the format hides it in files.
std::uint32_t masked_crc(std::string_view bytes);

// Reads numbers from bytes; all problems are errors.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return at_ == bytes_.size(); }
  std::uint64_t varint();
  std::string_view take(std::uint64_t n);
  std::uint32_t fixed();
  static error broken() { return error("the index of its variables is truncated or corrupt"); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// The entries of a table, by their keys. What it holds is bounded by the size of the file.
class sorted_table {
 public:
  explicit sorted_table(std::string content);
  sorted_table(const sorted_table&) = delete;
  sorted_table& operator=(const sorted_table&) = delete;

  const std::map<std::string, std::string_view>& entries() const { return entries_; }

 private:
  std::string_view block(std::uint64_t offset, std::uint64_t size) const;
  template <class F>
  static void for_each_entry(std::string_view block, F f) {
    if (block.size() < 4) throw byte_reader::broken();
    byte_reader last(block.substr(block.size() - 4));
    const std::uint64_t restarts = 4 * (std::uint64_t{last.fixed()} + 1);
    if (restarts > block.size()) throw byte_reader::broken();
    byte_reader from(block.substr(0, block.size() - static_cast<std::size_t>(restarts)));
    std::string key;
    while (!from.done()) {
      const auto shared = from.varint(), own = from.varint(), value = from.varint();
      if (shared > key.size()) throw byte_reader::broken();
      key.resize(static_cast<std::size_t>(shared));
      key += from.take(own);
      f(key, from.take(value));
    }
  }

  std::string content_;
  std::map<std::string, std::string_view> entries_;
  std::uint64_t spent_ = 0;
};

// A checkpoint by the directory of its model, and the path there before ".index".
class bundle {
 public:
  bundle(std::filesystem::path directory, std::string prefix);

  const std::set<std::filesystem::path>& files() const { return files_; }

  // The key of a variable: of its name, or of what the checkpoint calls that name.
  std::optional<std::string> key_of(const std::string& variable) const;
  struct description {
    std::int64_t type = 0;
    dims shape{};
  };
  description describe(const std::string& key) const;
  tensorflow_format::array values(const std::string& key);

 private:
  static std::unique_ptr<proto::pb::Message> parsed(const char* message, std::string_view bytes);
  // Not outside of the model's directory, whatever links there are.
  std::filesystem::path with(const std::string& suffix);
  // The bytes of an entry; of so many, if that is known.
  std::string bytes(const std::string& key, std::optional<std::uint64_t> wanted);
  // Keras names variables by the objects that hold them; a table tells their full names.
  void read_names();

  std::filesystem::path directory_;
  std::string prefix_;
  std::set<std::filesystem::path> files_;
  sorted_table table_;
  std::int64_t shards_ = 0;
  std::map<std::string, std::string> keys_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/bundle.ipp>
#endif
