// SPDX-License-Identifier: Apache-2.0
#pragma once
// HDF5 files in memory, by HDF5's own library. It is told to read nothing else: no external files,
// no plugins. Damaged files make it (1.10.8) crash, hang and read beyond what it has, so that it
// works in a process of its own. Exists where nvdlac is built with the library (NVDLAC_KERAS).
#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>

#ifdef NVDLAC_KERAS
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include <nvdlac/base/own_process.hpp>

namespace nvdlac::import {

// An identifier of the library and what closes it.
class hdf5_handle {
 public:
  hdf5_handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  hdf5_handle(hdf5_handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  hdf5_handle& operator=(hdf5_handle&& o) noexcept;
  ~hdf5_handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Reads a file, in the process that the library has for it.
class hdf5_reader {
 public:
  using dims = onnx_format::dims;

  // The content is not copied, and has to stay.
  hdf5_reader(const std::string& content, const budget& limits);

  // The names of what is in a group, in alphabetical order.
  std::vector<std::string> children(const std::string& path) const;
  bool has(const std::string& path) const { return bool(object(path)); }
  // The paths of all that is in the file, from its root on; those of groups end with a stroke and
  // come before what is in them. A group has one name: one that is in itself, or in several others,
  // would have paths without end.
  std::vector<std::string> paths() const;

  // An attribute that holds words; nothing: it is absent.
  std::optional<std::vector<std::string>> words(const std::string& path,
                                                const std::string& name) const;
  dims shape(const std::string& path) const;
  std::vector<float> values(const std::string& path) const;

  static constexpr std::uint64_t bytes_in_a_second = 1 << 24;  // at the very least

 private:
  static hid_t open(const std::string& content);
  static herr_t add_name(hid_t, const char* name, const H5L_info_t* info, void* to) noexcept;

  // The most values that compressed datasets may have, all of them together.
  std::uint64_t most_unpacked() const { return limits_.constants_of(content_.size()); }

  // Where an object stands in the file, whatever its names.
#if H5_VERSION_GE(1, 12, 0)
  using identity = std::array<std::uint8_t, H5O_MAX_TOKEN_SIZE>;
#else
  using identity = haddr_t;
#endif
  static std::optional<identity> identity_of(hid_t object);
  void walk(const hdf5_handle& group, const std::string& path, std::set<identity>& seen,
            std::vector<std::string>& all, int depth) const;

  // Links lead nowhere but inside the file.
  hdf5_handle object(const std::string& path) const;
  hdf5_handle dataset(const std::string& path) const;
  static dims shape_of(hid_t space);
  // A small file can describe large data, or data in other files.
  void check_storage(hid_t d, hid_t type, std::size_t n) const;

  template <class Fail>
  std::vector<std::string> of_one_length(hid_t a, hid_t type, std::size_t n, Fail fail) const {
    const auto size = H5Tget_size(type);
    if (size == 0 || size > content_.size() || n > content_.size() / size) throw fail();
    std::string all(n * size, '\0');
    if (H5Aread(a, type, all.data()) < 0) throw fail();
    std::vector<std::string> result;
    for (std::size_t i = 0; i < n; ++i) {
      auto s = all.substr(i * size, size);
      s.erase(std::min(s.find('\0'), s.size()));
      if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) s.erase(s.find_last_not_of(' ') + 1);
      result.push_back(std::move(s));
    }
    return result;
  }
  template <class Fail>
  std::vector<std::string> of_any_length(hid_t a, hid_t type, std::size_t n, Fail fail) const {
    if (n > content_.size()) throw fail();
    std::vector<char*> all(n);  // are not given back: the process ends soon
    if (H5Aread(a, type, all.data()) < 0) throw fail();
    std::vector<std::string> result;
    for (const char* s : all) result.emplace_back(s == nullptr ? "" : s);
    return result;
  }

  static constexpr int deepest = 40;  // names of layers have strokes, and models stand in models

  const std::string& content_;
  budget limits_;
  hdf5_handle file_;
  mutable std::uint64_t unpacked_ = 0;
};

class hdf5_file {
  using reader = in_own_process<hdf5_reader>;

  static process_limits limits_for(std::uint64_t bytes, const budget& limits);
  static error unsound(const char* why = "");
  template <class F>
  static auto guarded(F f) {
    try {
      return f();
    } catch (const lost_process& lost) {
      throw unsound(lost.out_of_time ? ": HDF5's library reads it without end" : "");
    }
  }
  template <auto Method, class... Args>
  auto ask(const Args&... args) const {
    return guarded([&] { return reader_.call<Method>(args...); });
  }

 public:
  using array = onnx_format::array;
  using dims = onnx_format::dims;

  hdf5_file(const std::string& content, const budget& limits)
      : reader_(guarded([&] {
          return reader(limits_for(content.size(), limits), content, limits);
        })) {}

  // The names of what is in a group, in alphabetical order.
  std::vector<std::string> children(const std::string& group) const {
    return ask<&hdf5_reader::children>(group);
  }
  bool has(const std::string& path) const { return ask<&hdf5_reader::has>(path); }
  // The paths of all that is in the file, from its root on; those of groups end with a stroke and
  // come before what is in them.
  std::vector<std::string> paths() const { return ask<&hdf5_reader::paths>(); }
  // An attribute that holds words; nothing: it is absent.
  std::optional<std::vector<std::string>> words(const std::string& path,
                                                const std::string& name) const;
  std::optional<std::string> word(const std::string& path, const std::string& name) const;
  // A list that may be split into the attributes name0, name1, ...
  std::optional<std::vector<std::string>> list(const std::string& path,
                                               const std::string& name) const;

  dims shape(const std::string& path) const { return ask<&hdf5_reader::shape>(path); }
  // The numbers of a dataset; the caller knows that so many fit.
  array read(const std::string& path) const;

 private:
  mutable reader reader_;
};

}  // namespace nvdlac::import
#endif

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/hdf5.ipp>
#endif
