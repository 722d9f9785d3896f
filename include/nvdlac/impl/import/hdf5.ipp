// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/own_process.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import {

#ifdef NVDLAC_KERAS
NVDLAC_IMPL hdf5_handle& hdf5_handle::operator=(hdf5_handle&& o) noexcept {
  std::swap(id_, o.id_);
  std::swap(close_, o.close_);
  return *this;
}

NVDLAC_IMPL hdf5_reader::hdf5_reader(const std::string& content, const budget& limits)
    : content_(content), limits_(limits), file_(open(content), H5Fclose) {
  if (!file_) throw error(problem{.reason = "it is no sound HDF5 file",
                                  .remedy = "it is corrupt or was cut off"});
}

NVDLAC_IMPL std::vector<std::string> hdf5_reader::children(const std::string& path) const {
  std::vector<std::string> names;
  const auto group = object(path);
  if (!group || H5Iget_type(group) != H5I_GROUP) return names;
  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names);
  require_within(&budget::fields, names.size(), limits_);
  return names;
}

NVDLAC_IMPL std::vector<std::string> hdf5_reader::paths() const {
  std::vector<std::string> all;
  std::set<identity> seen;
  walk(hdf5_handle(H5Oopen(file_, "/", H5P_DEFAULT), H5Oclose), "", seen, all, 0);
  return all;
}

NVDLAC_IMPL std::optional<std::vector<std::string>> hdf5_reader::words(
    const std::string& path, const std::string& name) const {
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

NVDLAC_IMPL hdf5_reader::dims hdf5_reader::shape(const std::string& path) const {
  const auto d = dataset(path);
  const hdf5_handle space(H5Dget_space(d), H5Sclose);
  return shape_of(space);
}

NVDLAC_IMPL std::vector<float> hdf5_reader::values(const std::string& path) const {
  const auto d = dataset(path);
  const hdf5_handle space(H5Dget_space(d), H5Sclose), type(H5Dget_type(d), H5Tclose);
  const auto n = static_cast<std::size_t>(onnx_format::count(shape_of(space)));
  check_storage(d, type, n);
  if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER)
    throw error("it holds no numbers");
  if ((unpacked_ += H5Dget_storage_size(d) < n * H5Tget_size(type) ? n : 0) > most_unpacked())
    throw error(problem{
        .reason = text("the compressed values up to its own have ", unpacked_, " elements, in ",
                       content_.size(), " bytes: more than the limits allow"),
        .remedy = "if that is meant, raise the limit: --limit constants=" +
                  std::to_string(unpacked_)});
  allow_processor_time(n * sizeof(float) / bytes_in_a_second);
  std::vector<float> all(n);
  if (n != 0 && H5Dread(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
    throw error(problem{.reason = "its values cannot be read", .remedy = "the file is corrupt"});
  return all;
}

NVDLAC_IMPL hid_t hdf5_reader::open(const std::string& content) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // prints nothing
  H5PLset_loading_state(0);
  const hdf5_handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  auto* const image = const_cast<char*>(content.data());
  // All copies of the image are the image itself.
  H5FD_file_image_callbacks_t same{
      [](std::size_t, H5FD_file_image_op_t, void* all) { return all; },
      [](void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; },
      [](void*, std::size_t, H5FD_file_image_op_t, void*) -> void* { return nullptr; },
      [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; },
      [](void* all) { return all; }, [](void*) -> herr_t { return 0; }, image};
  if (!access || H5Pset_fapl_core(access, 1 << 16, 0) < 0 ||
      H5Pset_file_image_callbacks(access, &same) < 0 ||
      H5Pset_file_image(access, image, content.size()) < 0)
    return -1;
  return H5Fopen("of nvdlac, in memory", H5F_ACC_RDONLY, access);
}

NVDLAC_IMPL herr_t hdf5_reader::add_name(hid_t, const char* name, const H5L_info_t* info,
                                         void* to) noexcept {
  auto& names = *static_cast<std::vector<std::string>*>(to);
  if (info->type != H5L_TYPE_HARD) return 0;  // what is elsewhere is not read
  if (names.size() > std::size_t{1} << 20) return 1;
  names.emplace_back(name);
  return 0;
}

NVDLAC_IMPL std::optional<hdf5_reader::identity> hdf5_reader::identity_of(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t about;
  if (H5Oget_info3(object, &about, H5O_INFO_BASIC) < 0) return std::nullopt;
  return std::to_array(about.token.__data);
#else
  H5O_info_t about;
  if (H5Oget_info2(object, &about, H5O_INFO_BASIC) < 0) return std::nullopt;
  return about.addr;
#endif
}

NVDLAC_IMPL void hdf5_reader::walk(const hdf5_handle& group, const std::string& path,
                                   std::set<identity>& seen, std::vector<std::string>& all,
                                   int depth) const {
  const auto fail = [&] { return error("its object '" + path + "' cannot be read"); };
  if (!group) throw fail();
  if (H5Iget_type(group) != H5I_GROUP) return;
  if (!all.empty()) all.back() += '/';
  const auto which = identity_of(group);
  if (!which) throw fail();
  if (!seen.insert(*which).second)
    throw error(problem{.reason = "its group '" + path + "' has several names",
                        .remedy = "save the model anew: Keras gives each group one"});
  if (depth > deepest)
    throw error(problem{.reason = text("its groups stand within groups, more than ", deepest,
                                       " deep"),
                        .remedy = "no framework writes such files"});
  std::vector<std::string> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names) < 0) throw fail();
  require_within(&budget::fields, all.size() + names.size(), limits_);
  for (const auto& name : names) {
    const auto below = path + '/' + name;
    all.push_back(below);
    walk(hdf5_handle(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose), below, seen, all,
         depth + 1);
  }
}

NVDLAC_IMPL hdf5_handle hdf5_reader::object(const std::string& path) const {
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

NVDLAC_IMPL hdf5_handle hdf5_reader::dataset(const std::string& path) const {
  auto d = object(path);
  if (!d || H5Iget_type(d) != H5I_DATASET)
    throw error("the file has no dataset '" + path + "'");
  return d;
}

NVDLAC_IMPL hdf5_reader::dims hdf5_reader::shape_of(hid_t space) {
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  hsize_t sizes[H5S_MAX_RANK];
  if (rank < 0 || rank > 8 || H5Sget_simple_extent_dims(space, sizes, nullptr) < 0)
    throw error("its shape cannot be read");
  dims d;
  for (int i = 0; i < rank; ++i)
    d.push_back(static_cast<std::int64_t>(std::min<hsize_t>(sizes[i], hsize_t{1} << 62)));
  return d;
}

NVDLAC_IMPL void hdf5_reader::check_storage(hid_t d, hid_t type, std::size_t n) const {
  const hdf5_handle how(H5Dget_create_plist(d), H5Pclose);
  const auto size = H5Tget_size(type);
  if (!how || size == 0 || size > 64) throw error("its storage cannot be read");
  if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) != 0)
    throw error(problem{.reason = "its values are in other files",
                        .remedy = "save the model as one file"});
  const auto stored = H5Dget_storage_size(d);
  if (stored > content_.size()) throw error("its values are larger than the file");
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
    throw error(text("it has ", stored, " bytes for ", count_of(n, "value")));
  if (H5Pget_layout(how) != H5D_CHUNKED) return;
  hsize_t chunk[H5S_MAX_RANK];
  const int rank = H5Pget_chunk(how, H5S_MAX_RANK, chunk);
  double elements = 1;
  for (int i = 0; i < rank; ++i) elements *= static_cast<double>(chunk[i]);
  if (rank < 0 || elements > 2 * static_cast<double>(n) + (1 << 20))
    throw error("its values are in chunks larger than itself");
}

NVDLAC_IMPL process_limits hdf5_file::limits_for(std::uint64_t bytes, const budget& limits) {
  const auto elements =
      std::min({limits.weights, limits.constants_of(bytes), std::uint64_t{1} << 40});
  const auto values = sizeof(float) * elements;
  return {.seconds = static_cast<unsigned>(4 + bytes / hdf5_reader::bytes_in_a_second),
          .memory = (1 << 28) + bytes + 4 * values,
          .answer = (1 << 20) + 2 * sizeof(std::string) * bytes + values};
}

NVDLAC_IMPL error hdf5_file::unsound(const char* why) {
  return error(problem{.reason = text("it is no sound HDF5 file", why),
                       .remedy = "it is corrupt or was cut off"});
}

NVDLAC_IMPL std::optional<std::vector<std::string>> hdf5_file::words(
    const std::string& path, const std::string& name) const {
  return ask<&hdf5_reader::words>(path, name);
}

NVDLAC_IMPL std::optional<std::string> hdf5_file::word(const std::string& path,
                                                       const std::string& name) const {
  auto w = words(path, name);
  if (!w) return std::nullopt;
  if (w->size() != 1) throw error("its attribute '" + name + "' is no single text");
  return std::move(w->front());
}

NVDLAC_IMPL std::optional<std::vector<std::string>> hdf5_file::list(const std::string& path,
                                                                    const std::string& name) const {
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

NVDLAC_IMPL hdf5_file::array hdf5_file::read(const std::string& path) const {
  array a{.shape = shape(path)};
  a.reals = ask<&hdf5_reader::values>(path);
  if (std::cmp_not_equal(a.reals.size(), onnx_format::count(a.shape))) throw unsound();
  return a;
}

#endif

}  // namespace nvdlac::import
