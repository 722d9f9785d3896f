// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/data/pictures.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

NVDLAC_IMPL input_paths paths_of(const pictures& from, const std::vector<wanted_input>& wanted) {
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

namespace detail {

NVDLAC_IMPL void check_counts(const std::vector<wanted_input>& wanted,
                              const std::vector<std::size_t>& counts, diagnostics& found) {
  const auto most = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != counts[most])
      found.add({.layer = wanted[i].name,
                 .reason = text("has ", counts[i] == 0 ? "no values" : count_of(counts[i], "value"),
                                ", but '", wanted[most].name, "' has ", counts[most]),
                 .remedy = "each input needs one for every value of the others"});
}

}  // namespace detail

NVDLAC_IMPL input_files::input_files(const input_paths& paths,
                                     const std::vector<wanted_input>& wanted) {
  open_all(paths, wanted);
}
NVDLAC_IMPL input_files::input_files(const input_arrays& arrays,
                                     const std::vector<wanted_input>& wanted) {
  open_all(arrays, wanted);
}

template <class Source>
void input_files::open_all(const std::vector<Source>& sources,
                           const std::vector<wanted_input>& wanted) {
  diagnostics found;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < wanted.size(); ++i) try {
      counts.push_back(
          open(sample_files(sources.at(i), wanted[i].shape, wanted[i].how), wanted[i]));
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
    }
  found.check();
  detail::check_counts(wanted, counts, found);
  found.check();
  if (size_ == 0) throw error(nothing_in(sources, wanted));
}

NVDLAC_IMPL problem input_files::nothing_in(const input_arrays&,
                                            const std::vector<wanted_input>& wanted) {
  return {.layer = wanted.empty() ? "" : wanted[0].name, .reason = "its array holds no value"};
}

NVDLAC_IMPL problem input_files::nothing_in(const input_paths& files,
                                            const std::vector<wanted_input>& wanted) {
  problem p{.layer = wanted.empty() ? "" : wanted[0].name,
            .reason = "none of its files holds a value"};
  if (files.empty() || files[0].empty()) return p;
  if (files[0].size() == 1) {
    p.file = files[0][0].string();
    p.reason = "it holds no value";
    return p;
  }
  std::vector<std::string> names;
  for (const auto& file : files[0]) names.push_back(file.string());
  p.reason += ": " + joined_first(std::move(names), 3);
  return p;
}

NVDLAC_IMPL void input_files::each(const std::function<void(input_set&&)>& visit) const {
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

NVDLAC_IMPL input_set input_files::first() const {
  input_set set;
  for (const auto& f : files_) set.values.push_back(sample_files::reader(f).next().value());
  set.name = set.values.front().name;
  return set;
}

NVDLAC_IMPL std::size_t input_files::open(sample_files files, const wanted_input& wanted) {
  notes_.insert(notes_.end(), files.passed_over().begin(), files.passed_over().end());
  names_.push_back(wanted.name);
  first_pictures_.emplace_back();
  files_.push_back(std::move(files));
  std::size_t count = 0;
  std::vector<std::size_t> labels;
  std::map<std::string, std::pair<std::size_t, std::string>> noted;  // how many, and the first
  files_.back().each([&](sample&& s) {
    ++count;
    if (s.label) labels.push_back(*s.label);
    for (const auto& note : s.notes) ++noted.try_emplace(note, 0, s.name).first->second.first;
    pictures_ = pictures_ && !s.pixels.empty();
    if (!s.pixels.empty() && !first_pictures_.back()) first_pictures_.back() = s.name;
  });
  for (const auto& [note, which] : noted)
    notes_.push_back({.layer = wanted.name,
                      .reason = which.first == 1
                                    ? text("the picture ", which.second, " is ", note)
                                    : text(count_of(which.first, "picture"), " (", which.second,
                                           " is the first) are ", note)});
  if (names_.size() == 1) {
    size_ = count;
    if (count != 0 && labels.size() == count) labels_ = std::move(labels);
  }
  return count;
}

NVDLAC_IMPL array_inputs::array_inputs(const input_arrays& arrays,
                                       const std::vector<wanted_input>& wanted) {
  diagnostics found;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < wanted.size(); ++i) try {
      const auto& w = wanted[i];
      check(w.how.how, static_cast<std::size_t>(w.shape.c), found);
      arrays_.push_back(detail::open_array(arrays.at(i), w.shape, w.how));
      counts.push_back(arrays_.back().count);
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
    }
  found.check();
  if (counts.empty()) return;
  size_ = counts[0];
  detail::check_counts(wanted, counts, found);
  found.check();
}

NVDLAC_IMPL input_set array_inputs::at(std::size_t i) const {
  input_set set;
  for (const auto& a : arrays_) set.values.push_back(a.at(i));
  set.name = set.values.front().name;
  return set;
}

NVDLAC_IMPL std::vector<net::float_tensor> tensors_of(input_set&& set,
                                                      const std::vector<wanted_input>& wanted) {
  std::vector<net::float_tensor> tensors;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    tensors.push_back({wanted[i].shape, std::move(set.values.at(i).values)});
  return tensors;
}

}  // namespace nvdlac::data
