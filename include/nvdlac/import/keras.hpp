// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/keras/weights_file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Keras' files. HDF5 and libarchive read them: without these (NVDLAC_KERAS is not defined) a file
// is refused with the words what to install.

#ifdef NVDLAC_KERAS
namespace keras_format {

network translated(const std::string& file, json configuration, int version,
                   const weights_file& weights, const part& wanted, std::size_t bytes);

// A whole model in HDF5, as Keras 1 and 2 write.
network of_hdf5(const std::string& content, const std::string& file, const part& wanted);
// An archive, as Keras 3 writes.
network of_archive(const std::string& content, const std::string& file, const part& wanted);

}  // namespace keras_format
#endif

namespace detail {

[[noreturn]] void refuse_keras(const recognised& kind, const std::string& file);

}  // namespace detail

// Reads a Keras model (.h5 or .hdf5 of Keras 1 and 2, or .keras) as a network for one picture with
// its channels first. `wanted` names a part of it and shapes that it leaves open; `file` is for
// messages. Throws `error` with all problems.
network keras_network_from(const std::string& content, const std::string& file,
                           [[maybe_unused]] const part& wanted = {});
// Reads a model in two files: its configuration as JSON, and its weights in HDF5.
network keras_network_from(const std::string& configuration, const std::string& file,
                           const std::string& weights, const std::string& weights_name,
                           [[maybe_unused]] const part& wanted = {});

network keras_network(const std::filesystem::path& path, const part& wanted = {});
network keras_network(const std::filesystem::path& configuration,
                      const std::filesystem::path& weights, const part& wanted = {});

// The graph of a model that is not quantised; see real_graph.
net::graph keras_from(const std::string& content, const std::string& file, const part& wanted = {});
net::graph keras(const std::filesystem::path& path, const part& wanted = {});

// As model.hpp asks for it.
network read_keras(const named_content& model, const weight_content& weights,
                   const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras.ipp>
#endif
