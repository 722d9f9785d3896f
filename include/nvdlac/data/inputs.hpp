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
                      {how.how, how.layout, std::move(form)}});
  }
  return wanted;
}

// One value for every input of a network.
struct input_set {
  std::string name;  // of the picture
  std::vector<sample> values{};
};

// The files and directories of each input of a network.
using input_paths = std::vector<std::vector<std::filesystem::path>>;

// Throws nvdlac::error for files of an input that the network has not.
inline input_paths paths_of(const pictures& from, const std::vector<wanted_input>& wanted) {
  input_paths paths(wanted.size());
  diagnostics found;
  for (const auto& e : from.entries()) {
    const auto input = e.input.empty() && wanted.size() == 1
                           ? wanted.begin()
                           : std::ranges::find(wanted, e.input, &wanted_input::name);
    if (input != wanted.end()) {
      paths[static_cast<std::size_t>(input - wanted.begin())].push_back(e.path);
      continue;
    }
    std::string names;
    for (const auto& w : wanted) names += (names.empty() ? "" : ", ") + w.name;
    found.add({.file = e.path.string(),
               .reason = e.input.empty() ? "is for a network with one input, this one has several"
                                         : "the network has no input '" + e.input + "'",
               .remedy = "give pictures().of(INPUT, FILE) for each of " + names});
  }
  found.check();
  return paths;
}

// The sets in files and directories, of which one file for each input is in memory. All inputs have
// as many values.
class input_files {
 public:
  // Looks at every file. Throws nvdlac::error with all that is wrong.
  input_files(const input_paths& paths, const std::vector<wanted_input>& wanted) {
    diagnostics found;
    for (std::size_t i = 0; i < wanted.size(); ++i) try {
        open(paths.at(i), wanted[i]);
      } catch (const error& e) {
        for (const auto& p : e.problems()) found.add(p);
      }
    found.check();
    if (size_ == 0) throw error("the files hold no input");
  }

  std::size_t size() const { return size_; }
  bool all_pictures() const { return pictures_; }
  // The first picture among the files of an input, if there is one.
  const std::optional<std::string>& first_picture(std::size_t input) const {
    return first_pictures_[input];
  }
  // Only the first `most` of them from now on.
  void keep(std::size_t most) { size_ = std::min(size_, most); }

  // Reads them all, one after the other.
  void each(const std::function<void(input_set&&)>& visit) const {
    std::vector<sample_files::reader> readers(files_.begin(), files_.end());
    for (std::size_t n = 0; n < size_; ++n) {
      input_set set;
      for (std::size_t i = 0; i < readers.size(); ++i) {
        auto next = readers[i].next();
        if (!next)
          throw error({.layer = names_[i], .reason = "its files changed while they are read"});
        if (i == 0) set.name = next->name;
        set.values.push_back(std::move(*next));
      }
      visit(std::move(set));
    }
  }
  input_set first() const {
    input_set set;
    for (const auto& f : files_) set.values.push_back(sample_files::reader(f).next().value());
    set.name = set.values.front().name;
    return set;
  }

 private:
  void open(const std::vector<std::filesystem::path>& paths, const wanted_input& wanted) {
    names_.push_back(wanted.name);
    first_pictures_.emplace_back();
    files_.emplace_back(paths, wanted.shape, wanted.how);
    std::size_t count = 0;
    files_.back().each([&](sample&& s) {
      ++count;
      pictures_ = pictures_ && !s.pixels.empty();
      if (!s.pixels.empty() && !first_pictures_.back()) first_pictures_.back() = s.name;
    });
    if (names_.size() == 1) size_ = count;
    if (count != size_)
      throw error({.layer = wanted.name,
                   .reason = text("has ", count, " values, the first input ", size_)});
  }

  std::vector<std::string> names_{};
  std::vector<sample_files> files_{};  // of each input
  std::vector<std::optional<std::string>> first_pictures_{};
  std::size_t size_ = 0;
  bool pictures_ = true;
};

// The values of a set as tensors.
inline std::vector<net::float_tensor> tensors_of(input_set&& set,
                                                 const std::vector<wanted_input>& wanted) {
  std::vector<net::float_tensor> tensors;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    tensors.push_back({wanted[i].shape, std::move(set.values.at(i).values)});
  return tensors;
}

}  // namespace nvdlac::data
