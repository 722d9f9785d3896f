// SPDX-License-Identifier: Apache-2.0
#pragma once
// HDF5 files in memory, by HDF5's own library. It is told to read nothing else: no external files,
// no plugins. Exists where nvdlac is built with the library (NVDLAC_KERAS).
#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>

#ifdef NVDLAC_KERAS
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace nvdlac::import {

// An identifier of the library and what closes it.
class hdf5_handle {
 public:
  hdf5_handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  hdf5_handle(hdf5_handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  hdf5_handle& operator=(hdf5_handle&& o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  ~hdf5_handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library is used by one thread at a time, and prints nothing meanwhile.
class hdf5_library {
 public:
  hdf5_library() : lock_(mutex()) {
    // It would complain at the end of the program of what damaged files left open in it.
    static const herr_t quiet = H5dont_atexit();
    (void)quiet;
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
  }
  ~hdf5_library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  hdf5_library(const hdf5_library&) = delete;
  hdf5_library& operator=(const hdf5_library&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex m;
    return m;
  }
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Texts of any length stand in collections, to which an attribute has references. The library (HDF5
// 1.10.8) reads beyond a damaged collection, or without end: it is asked for the references alone.
class hdf5_reference {
 public:
  // As the file has it: the text's length, where its collection begins, and its number there.
  static constexpr std::size_t size = 16;

  explicit hdf5_reference(std::string_view bytes)
      : length_(number(bytes, 0, 4)), collection_(number(bytes, 4, 8)),
        index_(number(bytes, 12, 4)) {}

  // nullopt: there is no such text. A collection is "GCOL", version 1, three bytes and its size; an
  // object its number, six bytes, its size and its bytes in eights; number 0 is the room left.
  std::optional<std::string> text_in(std::string_view file) const {
    constexpr std::string_view start("GCOL\1", 5);
    constexpr std::size_t header = 16;
    if (length_ == 0) return "";
    if (collection_ > file.size() || file.size() - collection_ < header ||
        file.substr(collection_, start.size()) != start)
      return std::nullopt;
    auto rest = file.substr(collection_);
    rest = rest.substr(0, number(rest, 8, 8));
    for (rest.remove_prefix(std::min(header, rest.size())); rest.size() >= header;) {
      const auto own = number(rest, 8, 8);
      if (number(rest, 0, 2) == 0 || own > rest.size() - header) return std::nullopt;
      if (number(rest, 0, 2) == index_) {
        if (own < length_) return std::nullopt;
        const auto text = rest.substr(header, length_);
        return std::string(text.substr(0, text.find('\0')));
      }
      rest.remove_prefix(std::min<std::size_t>(header + align_up(own, 8), rest.size()));
    }
    return std::nullopt;
  }
  // What the library calls to convert a text of the file to a reference in memory: they are alike.
  static herr_t keep(hid_t from, hid_t to, H5T_cdata_t* how, std::size_t, std::size_t, std::size_t,
                     void*, void*, hid_t) noexcept {
    const bool asks = how->command == H5T_CONV_INIT;
    return asks && (H5Tis_variable_str(from) <= 0 || H5Tget_size(from) != size ||
                    H5Tget_size(to) != size)
               ? -1
               : 0;
  }

 private:
  static std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t n = 0;
    while (count-- > 0) n = n << 8 | static_cast<std::uint8_t>(bytes[at + count]);
    return n;
  }
  std::uint64_t length_, collection_, index_;
};

class hdf5_file {
 public:
  using array = onnx_format::array;
  using dims = onnx_format::dims;

  // The content is not copied, and has to stay as long as the file is read.
  explicit hdf5_file(const std::string& content)
      : content_(content), file_(open(content), H5Fclose) {
    if (!file_) throw error(problem{.reason = "it is no sound HDF5 file",
                                    .remedy = "it is corrupt or was cut off"});
  }

  // The names of what is in a group, in alphabetical order.
  std::vector<std::string> children(const std::string& path) const {
    std::vector<std::string> names;
    const auto group = object(path);
    if (!group || H5Iget_type(group) != H5I_GROUP) return names;
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names);
    require_within(&budget::fields, names.size());
    return names;
  }
  bool has(const std::string& path) const { return bool(object(path)); }
  bool is_group(const std::string& path) const {
    const auto o = object(path);
    return o && H5Iget_type(o) == H5I_GROUP;
  }

  // An attribute that holds words; nothing: it is absent.
  std::optional<std::vector<std::string>> words(const std::string& path, const std::string& name)
      const {
    const auto o = object(path);
    if (!o || H5Aexists(o, name.c_str()) <= 0) return std::nullopt;
    const hdf5_handle a(H5Aopen(o, name.c_str(), H5P_DEFAULT), H5Aclose);
    const auto fail = [&] { return error("its attribute '" + name + "' cannot be read"); };
    if (!a) throw fail();
    const hdf5_handle type(H5Aget_type(a), H5Tclose), space(H5Aget_space(a), H5Sclose);
    if (!type || !space) throw fail();
    const auto found = H5Sget_simple_extent_npoints(space);
    if (found < 0) throw fail();
    const auto n = static_cast<std::size_t>(found);
    if (n == 0) return std::vector<std::string>{};
    if (H5Tget_class(type) != H5T_STRING) throw error("its attribute '" + name + "' is no text");
    return H5Tis_variable_str(type) > 0 ? of_any_length(a, type, n, fail)
                                        : of_one_length(a, type, n, fail);
  }
  std::optional<std::string> word(const std::string& path, const std::string& name) const {
    auto w = words(path, name);
    if (!w) return std::nullopt;
    if (w->size() != 1) throw error("its attribute '" + name + "' is no single text");
    return std::move(w->front());
  }
  // A list that may be split into the attributes name0, name1, ...
  std::optional<std::vector<std::string>> list(const std::string& path, const std::string& name)
      const {
    if (auto all = words(path, name)) return all;
    std::optional<std::vector<std::string>> all;
    for (int i = 0; i < 4096; ++i) {
      const auto part = words(path, name + std::to_string(i));
      if (!part) break;
      if (!all) all.emplace();
      all->insert(all->end(), part->begin(), part->end());
    }
    return all;
  }

  dims shape(const std::string& path) const {
    const auto d = dataset(path);
    const hdf5_handle space(H5Dget_space(d), H5Sclose);
    return shape_of(space);
  }
  // The numbers of a dataset; the caller knows that so many fit.
  array read(const std::string& path) const {
    const auto d = dataset(path);
    const hdf5_handle space(H5Dget_space(d), H5Sclose), type(H5Dget_type(d), H5Tclose);
    array a{.shape = shape_of(space)};
    const auto n = static_cast<std::size_t>(onnx_format::count(a.shape));
    check_storage(d, type, n);
    if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER)
      throw error("it holds no numbers");
    a.reals.resize(n);
    if (n != 0 &&
        H5Dread(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.reals.data()) < 0)
      throw error(problem{.reason = "its values cannot be read", .remedy = "the file is corrupt"});
    return a;
  }

 private:
  static hid_t open(const std::string& content) {
    const hdf5_handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!access || H5Pset_fapl_core(access, 1 << 16, 0) < 0 ||
        H5Pset_file_image(access, const_cast<char*>(content.data()), content.size()) < 0)
      return -1;
    static std::atomic<unsigned> files = 0;  // those of one name would be one file
    return H5Fopen(text("of nvdlac, in memory, ", ++files).c_str(), H5F_ACC_RDONLY, access);
  }
  static herr_t add_name(hid_t, const char* name, const H5L_info_t* info, void* to) noexcept {
    auto& names = *static_cast<std::vector<std::string>*>(to);
    if (info->type != H5L_TYPE_HARD) return 0;  // what is elsewhere is not read
    if (names.size() > std::size_t{1} << 20) return 1;
    try {
      names.emplace_back(name);
    } catch (...) {
      return -1;
    }
    return 0;
  }

  // Links lead nowhere but inside the file.
  hdf5_handle object(const std::string& path) const {
    hdf5_handle at(H5Oopen(file_, "/", H5P_DEFAULT), H5Oclose);
    for (std::size_t from = 0; at && from < path.size();) {
      const auto to = std::min(path.find('/', from), path.size());
      const auto name = path.substr(from, to - from);
      from = to + 1;
      if (name.empty()) continue;
      H5L_info_t info;
      if (name == "." || H5Iget_type(at) != H5I_GROUP ||
          H5Lexists(at, name.c_str(), H5P_DEFAULT) <= 0 ||
          H5Lget_info(at, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
        return {-1, H5Oclose};
      at = hdf5_handle(H5Oopen(at, name.c_str(), H5P_DEFAULT), H5Oclose);
    }
    return at;
  }
  hdf5_handle dataset(const std::string& path) const {
    auto d = object(path);
    if (!d || H5Iget_type(d) != H5I_DATASET)
      throw error("the file has no dataset '" + path + "'");
    return d;
  }
  static dims shape_of(hid_t space) {
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    hsize_t sizes[H5S_MAX_RANK];
    if (rank < 0 || rank > 8 || H5Sget_simple_extent_dims(space, sizes, nullptr) < 0)
      throw error("its shape cannot be read");
    dims d;
    for (int i = 0; i < rank; ++i)
      d.push_back(static_cast<std::int64_t>(std::min<hsize_t>(sizes[i], hsize_t{1} << 62)));
    return d;
  }
  // A small file can describe large data, or data in other files.
  void check_storage(hid_t d, hid_t type, std::size_t n) const {
    const hdf5_handle how(H5Dget_create_plist(d), H5Pclose);
    const auto size = H5Tget_size(type);
    if (!how || size == 0 || size > 64) throw error("its storage cannot be read");
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) != 0)
      throw error(problem{.reason = "its values are in other files",
                          .remedy = "save the model as one file"});
    const auto stored = H5Dget_storage_size(d);
    if (stored > file_size()) throw error("its values are larger than the file");
    const int filters = H5Pget_nfilters(how);
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0, config = 0;
      std::size_t values = 0;
      const auto id = H5Pget_filter2(how, static_cast<unsigned>(i), &flags, &values, nullptr, 0,
                                     nullptr, &config);
      if (id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE && id != H5Z_FILTER_FLETCHER32)
        throw error(problem{.reason = text("its values are stored by filter ", id),
                            .remedy = "save it without compression, or with gzip"});
    }
    // Deflate makes at most 1032 bytes of one.
    if (n * size > stored * (filters > 0 ? 1032 : 1) + 64)
      throw error(text("it has ", stored, " bytes for ", n, " values"));
    if (H5Pget_layout(how) != H5D_CHUNKED) return;
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(how, H5S_MAX_RANK, chunk);
    double elements = 1;
    for (int i = 0; i < rank; ++i) elements *= static_cast<double>(chunk[i]);
    if (rank < 0 || elements > 2 * static_cast<double>(n) + (1 << 20))
      throw error("its values are in chunks larger than itself");
  }

  template <class Fail>
  std::vector<std::string> of_one_length(hid_t a, hid_t type, std::size_t n, Fail fail) const {
    const auto size = H5Tget_size(type);
    if (size == 0 || size > file_size() || n > file_size() / size) throw fail();
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
    constexpr auto size = hdf5_reference::size;
    const hdf5_handle reference(H5Tcreate(H5T_OPAQUE, size), H5Tclose);
    if (n > file_size() / size || !reference ||
        H5Tregister(H5T_PERS_SOFT, "reference", type, reference, hdf5_reference::keep) < 0)
      throw fail();
    std::string all(n * size, '\0');
    const auto read = H5Aread(a, reference, all.data());
    H5Tunregister(H5T_PERS_SOFT, "reference", type, reference, hdf5_reference::keep);
    if (read < 0) throw fail();
    std::vector<std::string> result;
    for (std::size_t i = 0; i < n; ++i) {
      auto found = hdf5_reference(std::string_view(all).substr(i * size, size)).text_in(content_);
      if (!found) throw fail();
      result.push_back(*std::move(found));
    }
    return result;
  }

  std::size_t file_size() const { return content_.size(); }

  hdf5_library library_;
  std::string_view content_;
  hdf5_handle file_;
};

}  // namespace nvdlac::import
#endif
