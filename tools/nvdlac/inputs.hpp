// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/data/samples.hpp>
#include <nvdlac/net/integer/input.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::cli {

// An input of a network, and how files become its values.
struct wanted_input {
  std::string name;
  net::shape shape{};
  data::sample_options how{};
};

// What an input is in the network's file, where that is known: of a graph's node, or of a binding.
template <class Tensor>
std::optional<net::file_tensor> form_of(const Tensor& input) {
  if (input.in_file.empty()) return std::nullopt;
  return input.in_file.front();
}

// One value for every input of a network.
struct input_set {
  std::string name;  // of the picture
  std::vector<data::sample> values{};
};

// The sets in files and directories, of which one file for each input is in memory. A network of
// several inputs takes NAME=FILE, as many values for each input.
class input_files {
 public:
  // Looks at every file. Throws nvdlac::error with all that is wrong.
  input_files(const std::vector<std::string>& arguments, const std::vector<wanted_input>& wanted);

  std::size_t size() const { return size_; }
  bool all_pictures() const { return pictures_; }
  // The first picture among the files of an input, if there is one.
  const std::optional<std::string>& first_picture(std::size_t input) const {
    return first_pictures_[input];
  }
  // Only the first `most` of them from now on.
  void keep(std::size_t most) { size_ = std::min(size_, most); }
  // Reads them all, one after the other.
  void each(const std::function<void(input_set&&)>& visit) const;
  input_set first() const;

 private:
  std::vector<std::string> names_{};
  std::vector<data::sample_files> files_{};  // of each input
  std::vector<std::optional<std::string>> first_pictures_{};
  std::size_t size_ = 0;
  bool pictures_ = true;
};

// What the program takes for this set.
std::vector<net::integer::feed> feeds_of(const input_set&, const std::vector<runtime::binding>&);

}  // namespace nvdlac::cli
