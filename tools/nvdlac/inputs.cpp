// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>

#include <nvdlac/net/integer/values.hpp>

#include "usage.hpp"

namespace nvdlac::cli {
namespace {

using paths = std::vector<std::filesystem::path>;

// The files of each input.
std::vector<paths> divide(const std::vector<std::string>& arguments,
                          const std::vector<wanted_input>& wanted) {
  std::vector<paths> files(wanted.size());
  for (const auto& a : arguments) {
    const auto input = std::find_if(wanted.begin(), wanted.end(), [&](const wanted_input& w) {
      return a.starts_with(w.name + "=");
    });
    const bool named = input != wanted.end();
    if (!named && wanted.size() != 1) {
      std::string names;
      for (const auto& w : wanted) names += (names.empty() ? "" : ", ") + w.name;
      throw usage_error("'" + a + "': the network has several inputs, give NAME=FILE for each of " +
                        names);
    }
    if (named && a.size() == input->name.size() + 1)
      throw usage_error("'" + a + "' names no file");
    files[named ? static_cast<std::size_t>(input - wanted.begin()) : 0].emplace_back(
        named ? a.substr(input->name.size() + 1) : a);
  }
  return files;
}

net::integer::feed feed_of(const data::sample& s, const runtime::binding& to) {
  if (to.picture) {
    if (s.pixels.empty())
      throw error({.file = s.name, .layer = to.name,
                   .reason = "the program reads pixels, but the file holds floats",
                   .remedy = "give a picture, or compile with --input-format int8"});
    return s.pixels;
  }
  return net::integer::feed_of(
      net::integer::numbers_of({to.shape, s.values}, to.scale, to.surface.precision));
}

}  // namespace

input_files::input_files(const std::vector<std::string>& arguments,
                         const std::vector<wanted_input>& wanted) {
  const auto files = divide(arguments, wanted);
  diagnostics found;
  for (std::size_t i = 0; i < wanted.size(); ++i) try {
      names_.push_back(wanted[i].name);
      first_pictures_.emplace_back();
      files_.emplace_back(files[i], wanted[i].shape, wanted[i].how);
      std::size_t count = 0;
      files_.back().each([&](data::sample&& s) {
        ++count;
        pictures_ = pictures_ && !s.pixels.empty();
        if (!s.pixels.empty() && !first_pictures_.back()) first_pictures_.back() = s.name;
      });
      if (i == 0) size_ = count;
      if (count != size_)
        throw error({.layer = wanted[i].name,
                     .reason = text("has ", count, " values, the first input ", size_)});
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
    }
  found.check();
  if (size_ == 0) throw error("the files hold no input");
}

void input_files::each(const std::function<void(input_set&&)>& visit) const {
  std::vector<data::sample_files::reader> readers(files_.begin(), files_.end());
  for (std::size_t n = 0; n < size_; ++n) {
    input_set set;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      auto next = readers[i].next();
      if (!next) throw error({.layer = names_[i], .reason = "its files changed while they are read"});
      if (i == 0) set.name = next->name;
      set.values.push_back(std::move(*next));
    }
    visit(std::move(set));
  }
}

input_set input_files::first() const {
  input_set set;
  for (const auto& f : files_) set.values.push_back(data::sample_files::reader(f).next().value());
  set.name = set.values.front().name;
  return set;
}

std::vector<net::integer::feed> feeds_of(const input_set& set,
                                         const std::vector<runtime::binding>& bindings) {
  std::vector<net::integer::feed> feeds;
  for (std::size_t i = 0; i < bindings.size(); ++i)
    feeds.push_back(feed_of(set.values.at(i), bindings[i]));
  return feeds;
}

}  // namespace nvdlac::cli
