// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small models in Keras' formats, written by HDF5 and libarchive themselves.
#ifdef NVDLAC_KERAS
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "archived.hpp"

namespace keras_model {

using archived::member;

struct weight {
  std::string name{};
  std::vector<hsize_t> shape{};
  float first = 0.3F;  // of a sequence
};
struct layer {
  std::string group{};
  std::vector<weight> weights{};
};

inline std::vector<float> values_of(const weight& w) {
  std::size_t n = 1;
  for (const auto d : w.shape) n *= d;
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = w.first + static_cast<float>(0.4 * std::sin(2.3 * static_cast<double>(i)));
  return v;
}

// A file in memory.
class writer {
 public:
  writer() {
    H5dont_atexit();  // damaged files leave something open in the library
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, 0);
    file_ = H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  ~writer() { H5Fclose(file_); }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  hid_t file() const { return file_; }
  void group(const std::string& path) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Gclose(H5Gcreate2(file_, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(links);
  }
  // One text is of any length, as h5py writes it; of several all are of one length, as NumPy's are.
  void text(const std::string& path, const char* name, const std::vector<std::string>& all,
            bool single = false) {
    std::size_t longest = 1;
    for (const auto& s : all) longest = std::max(longest, s.size());
    std::string bytes;
    for (const auto& s : all) bytes += s + std::string(longest - s.size(), '\0');
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, single ? H5T_VARIABLE : longest);
    const char* const first = all.empty() ? nullptr : all[0].c_str();
    const hsize_t n = all.size();
    const hid_t space = single ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr);
    const hid_t at = H5Oopen(file_, path.empty() ? "/" : path.c_str(), H5P_DEFAULT);
    const hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (n != 0) H5Awrite(a, type, single ? static_cast<const void*>(&first) : bytes.data());
    H5Aclose(a);
    H5Oclose(at);
    H5Sclose(space);
    H5Tclose(type);
  }
  void dataset(const std::string& path, const weight& w, bool zipped = false) {
    const hid_t space = H5Screate_simple(static_cast<int>(w.shape.size()), w.shape.data(), nullptr);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (zipped) {
      H5Pset_chunk(how, static_cast<int>(w.shape.size()), w.shape.data());
      H5Pset_deflate(how, 6);
    }
    const hid_t d = H5Dcreate2(file_, path.c_str(), H5T_IEEE_F32LE, space, links, how, H5P_DEFAULT);
    const auto v = values_of(w);
    H5Dwrite(d, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.data());
    H5Dclose(d);
    H5Pclose(how);
    H5Pclose(links);
    H5Sclose(space);
  }
  std::string content() const {
    H5Fflush(file_, H5F_SCOPE_LOCAL);
    const auto size = H5Fget_file_image(file_, nullptr, 0);
    std::string s(static_cast<std::size_t>(size), '\0');
    H5Fget_file_image(file_, s.data(), s.size());
    return s;
  }

 private:
  hid_t file_;
};

// A whole model as Keras 1 and 2 write it.
inline std::string hdf5(const std::string& config, const std::vector<layer>& layers,
                        const std::string& version = "2.4.0",
                        const std::string& backend = "tensorflow") {
  writer w;
  w.text("", "model_config", {config}, true);
  w.text("", "keras_version", {version}, true);
  if (!backend.empty()) w.text("", "backend", {backend}, true);
  std::vector<std::string> groups;
  w.group("/model_weights");
  for (const auto& l : layers) {
    const auto group = "/model_weights/" + l.group;
    groups.push_back(l.group);
    w.group(group);
    std::vector<std::string> all;
    for (const auto& i : l.weights) {
      all.push_back(i.name);
      w.dataset(group + '/' + i.name, i);
    }
    w.text(group, "weight_names", all);
  }
  w.text("/model_weights", "layer_names", groups);
  return w.content();
}

// The weights of a model as Keras 3 writes them: by groups such as "layers/conv2d".
inline std::string groups_of_3(const std::vector<layer>& layers, bool zipped = false) {
  writer w;
  for (const auto& l : layers) {
    w.group('/' + l.group + "/vars");
    for (std::size_t i = 0; i < l.weights.size(); ++i)
      w.dataset('/' + l.group + "/vars/" + std::to_string(i), l.weights[i], zipped);
  }
  return w.content();
}

inline std::string archive_of_3(const std::string& config, const std::string& weights,
                                bool deflated = false) {
  return archived::archive_of({{"metadata.json", R"({"keras_version": "3.9.2"})"},
                   {"config.json", config},
                   {"model.weights.h5", weights}},
                  deflated);
}

// A model of one layer behind its input.
inline std::string sequence(const std::string& shape, const std::string& class_name,
                            const std::string& config) {
  return R"({"class_name": "Sequential", "config": {"name": "net", "layers": [
    {"class_name": "InputLayer", "config": {"name": "in", "batch_input_shape": )" + shape +
         R"(, "dtype": "float32", "sparse": false}}, {"class_name": ")" + class_name +
         R"(", "config": {"name": "it")" + (config.empty() ? "" : ", ") + config + "}}]}}";
}

}  // namespace keras_model
#endif
