// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/short_names.hpp>

namespace nvdlac::report {

namespace detail {

// The first `head` letters and the last ones, `most` with what stands between them.
inline std::string cut(std::string_view s, std::size_t head, std::size_t most) {
  return text(s.substr(0, head), "..", s.substr(s.size() - (most - 2 - head)));
}

// "/features.2/Conv" of "/features/features.2/Conv"
NVDLAC_IMPL std::string without_repetitions(std::string_view name) {
  std::string all;
  for (std::size_t begin = 0; begin <= name.size();) {
    const auto end = std::min(name.find('/', begin), name.size());
    const auto part = name.substr(begin, end - begin);
    const auto rest = name.substr(std::min(end + 1, name.size()));
    const bool repeated = !part.empty() && rest.starts_with(part) && rest.size() > part.size() &&
                          rest[part.size()] == '.';
    if (!repeated) all += text(part, end < name.size() ? "/" : "");
    begin = end + 1;
  }
  return all;
}

// Gives names words of their own.
class short_names {
 public:
  short_names(const std::vector<std::string>& all, std::size_t most) : most_(most) {
    std::map<std::string, std::vector<std::string>, std::less<>> bases, cuts;
    for (const auto& name : all)
      if (name.size() <= most) take(name, name);
    for (const auto& name : std::set<std::string>(all.begin(), all.end()))
      if (name.size() > most) bases[without_repetitions(name)].push_back(name);
    for (auto& [base, names] : bases)
      for (const auto& name : names) base_[name] = names.size() == 1 ? base : name;
    for (const auto& [name, base] : base_)
      if (base.size() > most || taken_.contains(base)) cuts[shortened(base, most)].push_back(name);
      else take(name, base);
    for (const auto& [ignored, names] : cuts) cut_apart(names);
  }
  const std::string& operator[](const std::string& name) const { return of_.find(name)->second; }

 private:
  void take(const std::string& name, const std::string& word) {
    of_[name] = word;
    taken_.insert(word);
  }
  std::string word_of(const std::string& name, std::size_t head) const {
    const auto& base = base_.find(name)->second;
    return base.size() <= most_ ? base : cut(base, head, most_);
  }
  // Whether they are different from each other and from all others when so much stays in front.
  bool are_apart(const std::vector<std::string>& names, std::size_t head) const {
    std::set<std::string, std::less<>> words;
    return std::ranges::all_of(names, [&](const auto& name) {
      auto word = word_of(name, head);
      return !taken_.contains(word) && words.insert(std::move(word)).second;
    });
  }
  // Names that are alike but for their middle.
  void cut_apart(const std::vector<std::string>& names) {
    const auto letters = most_ - 2, middle = letters - letters / 2;
    for (std::size_t from_middle = 0; from_middle <= middle; ++from_middle)
      for (const auto head : {middle - from_middle, std::min(middle + from_middle, letters)})
        if (are_apart(names, head)) {
          for (const auto& name : names) take(name, word_of(name, head));
          return;
        }
    std::size_t n = 1;  // what no single cut tells apart
    for (const auto& name : names) {
      const auto& base = base_.find(name)->second;
      auto word = shortened(base, most_);
      while (taken_.contains(word)) {
        const auto number = text('~', ++n);
        word = shortened(base, most_ - std::min(most_ - 3, number.size())) + number;
      }
      take(name, word);
    }
  }

  std::size_t most_;
  std::map<std::string, std::string, std::less<>> base_{}, of_{};
  std::set<std::string, std::less<>> taken_{};
};

}  // namespace detail

NVDLAC_IMPL std::string shortened(const std::string& s, std::size_t most) {
  return s.size() <= most ? s : detail::cut(s, most - 2 - (most - 2) / 2, most);
}

NVDLAC_IMPL std::vector<std::string> shortened(const std::vector<std::string>& all,
                                               std::size_t most) {
  const detail::short_names words(all, most);
  std::vector<std::string> result;
  for (const auto& name : all) result.push_back(words[name]);
  return result;
}

}  // namespace nvdlac::report
