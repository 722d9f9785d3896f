// SPDX-License-Identifier: Apache-2.0
#include "dealt_pictures.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

namespace nvdlac::cli {
namespace {

// "x@2": "x" and 2; the picture 0 where there is none.
std::pair<std::string, std::size_t> picture_in(std::string_view name) {
  const auto at = name.rfind('@');
  if (at == name.npos) return {std::string(name), 0};
  std::size_t picture = 0;
  const auto* const end = name.data() + name.size();
  const auto [stop, failed] = std::from_chars(name.data() + at + 1, end, picture);
  if (failed != std::errc() || stop != end) picture = 0;
  return {std::string(name.substr(0, at)), picture};
}

// The numbers of tensors of each picture, by what their names have before the "@" in the order of
// the first picture; nothing: they are not those of so many pictures.
template <class Tensor, class Name>
std::optional<std::vector<std::vector<std::size_t>>> by_picture(const std::vector<Tensor>& all,
                                                                Name name_of) {
  std::map<std::size_t, std::map<std::string, std::size_t>> found;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [name, picture] = picture_in(name_of(all[i]));
    if (picture == 0 || !found[picture].emplace(name, i).second) return std::nullopt;
    if (picture == 1) order.push_back(name);
  }
  if (found.size() < 2 || found.begin()->first != 1 || found.rbegin()->first != found.size())
    return std::nullopt;
  std::vector<std::vector<std::size_t>> pictures;
  for (const auto& [ignored, own] : found) {
    auto& numbers = pictures.emplace_back();
    for (const auto& name : order) {
      const auto i = own.find(name);
      if (i == own.end()) return std::nullopt;
      numbers.push_back(i->second);
    }
    if (own.size() != order.size()) return std::nullopt;
  }
  return pictures;
}

}  // namespace

std::optional<dealt_pictures> dealt_pictures::of(const std::vector<std::string>& arguments,
                                                 const std::vector<wanted_input>& inputs,
                                                 const std::vector<net::file_output>& outputs) {
  for (const auto& a : arguments)
    for (const auto& i : inputs)
      if (a.starts_with(i.name + "=")) return std::nullopt;
  const auto in = by_picture(inputs, [](const auto& i) { return std::string_view(i.name); });
  const auto out = by_picture(outputs, [](const auto& o) {
    return std::string_view(o.form.name);
  });
  if (!in || !out || in->size() != out->size()) return std::nullopt;
  dealt_pictures dealt;
  dealt.inputs_of_ = *in;
  for (const auto i : in->front()) {
    dealt.inputs_.push_back(inputs[i]);
    auto& own = dealt.inputs_.back();
    own.name = picture_in(own.name).first;
    if (own.how.in_file) own.how.in_file->name = own.name;
  }
  for (const auto o : out->front()) {
    dealt.outputs_.push_back(outputs[o]);
    auto& form = dealt.outputs_.back().form;
    form.name = picture_in(std::string_view(form.name)).first;
  }
  for (const auto& of_picture : *out) {
    auto& exchanged = dealt.outputs_of_.emplace_back();
    for (std::size_t o = 0; o < of_picture.size(); ++o) {
      const auto& first = outputs[out->front()[o]].parts;
      const auto& own = outputs[of_picture[o]].parts;
      if (first.size() != own.size()) return std::nullopt;
      for (std::size_t p = 0; p < own.size(); ++p)
        exchanged.push_back({first[p].tensor, own[p].tensor});
    }
  }
  return dealt;
}

std::vector<runtime::binding> dealt_pictures::bindings(
    const std::vector<runtime::binding>& all) const {
  std::vector<runtime::binding> first;
  for (const auto i : inputs_of_.front()) first.push_back(all[i]);
  return first;
}

input_set dealt_pictures::run_of(const std::vector<input_set>& pictures) const {
  input_set run;
  run.name = pictures.front().name;
  run.values.resize(size() * inputs_.size());
  for (std::size_t p = 0; p < size(); ++p) {
    const auto& own = pictures[std::min(p, pictures.size() - 1)];
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      run.values[inputs_of_[p][i]] = own.values[i];
  }
  return run;
}

std::vector<net::any_tensor> dealt_pictures::of_picture(
    std::size_t picture, std::vector<net::any_tensor> outputs) const {
  for (const auto& e : outputs_of_[picture])
    if (e.first != e.own) outputs[e.first] = outputs[e.own];
  return outputs;
}

}  // namespace nvdlac::cli
