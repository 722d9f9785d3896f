// SPDX-License-Identifier: Apache-2.0
#pragma once
// The user's files as the inputs of a network.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/pictures.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

// An input of a network, and how files become its values.
struct wanted_input {
  std::string name;
  net::shape shape{};
  sample_options how{};
};

// The form of an input in the network's file, where it is known: of a graph's node, or of a
// binding.
template <class Tensor>
std::optional<net::file_tensor> form_of(const Tensor& input) {
  if (input.in_file.empty()) return std::nullopt;
  return input.in_file.front();
}

// The inputs of a graph, all of whose files become values in the same way.
template <class Graph>
std::vector<wanted_input> inputs_of(const Graph& g, const sample_options& how) {
  std::vector<wanted_input> wanted;
  for (const auto n : input_nodes(g)) {
    auto form = form_of(g[n]);
    wanted.push_back({form ? std::string(form->name) : g[n].name,
                      std::get<net::input>(g[n].op).shape,
                      {how.how, how.layout, std::move(form), how.most_samples}});
  }
  return wanted;
}

// One value for every input of a network.
struct input_set {
  std::string name;  // of the picture
  std::vector<sample> values{};
};

// The files and directories of each input of a network, or an array in their place.
using input_paths = std::vector<std::vector<std::filesystem::path>>;
using input_arrays = std::vector<shared_array>;

// Throws nvdlac::error for files of an input that the network has not.
input_paths paths_of(const pictures& from, const std::vector<wanted_input>& wanted);

// The sets in files and directories, of which one file for each input is in memory. All inputs have
// as many values.
class input_files {
 public:
  // Looks at every file. Throws nvdlac::error with all that is wrong.
  input_files(const input_paths& paths, const std::vector<wanted_input>& wanted);
  input_files(const input_arrays& arrays, const std::vector<wanted_input>& wanted);

  std::size_t size() const { return size_; }
  bool all_pictures() const { return pictures_; }
  // The first picture among the files of an input, if there is one.
  const std::optional<std::string>& first_picture(std::size_t input) const {
    return first_pictures_[input];
  }
  // Notes on what was done to pictures that their user may not expect, on what of folders is not
  // among the inputs, and on folders of classes that have none, each kind with its count.
  const std::vector<problem>& notes() const { return notes_; }
  // The classes of the values of the first input, where folders tell them of all.
  const std::optional<std::vector<std::size_t>>& labels() const { return labels_; }
  // Only the first `most` of them from now on.
  void keep(std::size_t most) { size_ = std::min(size_, most); }

  // Reads them all, one after the other.
  void each(const std::function<void(input_set&&)>& visit) const;
  input_set first() const;

 private:
  template <class Source>
  void open_all(const std::vector<Source>& sources, const std::vector<wanted_input>& wanted);
  // The refusal of files of the first input that hold nothing, or of no files.
  static problem nothing_in(const input_paths& files, const std::vector<wanted_input>& wanted);
  static problem nothing_in(const input_arrays&, const std::vector<wanted_input>& wanted);
  // The number of values.
  std::size_t open(sample_files files, const wanted_input& wanted);

  std::vector<std::string> names_{};
  std::vector<sample_files> files_{};  // of each input
  std::vector<std::optional<std::string>> first_pictures_{};
  std::vector<problem> notes_{};
  std::optional<std::vector<std::size_t>> labels_{};
  std::size_t size_ = 0;
  bool pictures_ = true;
};

// Arrays as the inputs of a network, of which any set can be asked for, by several threads at once.
class array_inputs {
 public:
  // Throws nvdlac::error for dimensions that do not fit, and for arrays of different counts.
  array_inputs(const input_arrays& arrays, const std::vector<wanted_input>& wanted);

  std::size_t size() const { return size_; }
  // Throws nvdlac::error for floats that are not finite.
  input_set at(std::size_t i) const;

 private:
  std::vector<detail::file_samples> arrays_{};
  std::size_t size_ = 0;
};

// The values of a set as tensors.
std::vector<net::float_tensor> tensors_of(input_set&& set, const std::vector<wanted_input>& wanted);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/inputs.ipp>
#endif
