// SPDX-License-Identifier: Apache-2.0
#pragma once
// The forms of JSON that all reports have.
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <nvdlac/base/units.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::report {

using json = nlohmann::ordered_json;  // keys in the order in which they are written

// The one way in which JSON is printed. Names may hold any bytes: those that are no UTF-8 are
// replaced, and what is not ASCII is written as numbers, which every reader and terminal takes.
// A template, as what makes JSON: the library of JSON costs only who prints it.
template <class Json = json>
std::string json_text(const Json& j) {
  return j.dump(2, ' ', true, Json::error_handler_t::replace) + '\n';
}

// The version of all that is written in JSON (docs/schema): it changes when a key changes its
// meaning or is no longer there.
inline constexpr int version = 1;

// How each output begins: "nvdlac.report", and the version.
template <class Json = json>
Json headed(std::string_view what) {
  return {{"schema", "nvdlac." + std::string(what)}, {"version", version}};
}

// [channels, height, width]
template <class Json = json>
Json to_json(net::shape s) { return Json::array({s.c, s.h, s.w}); }

template <class Json = json>
Json to_json(const net::preprocessing& p) {
  Json j{{"mean", p.mean}, {"scale", p.scale}, {"order", net::to_string(p.order)}};
  if (p.size.resize != net::resizing::none) j["resize"] = net::resize_text(p.size);
  if (p.size.crop != 0) j["crop"] = p.size.crop;
  return j;
}

// A tensor of the user's file: its elements in row-major order are met in the dense c-h-w order of
// the cube by nested steps, [count, stride], the outermost first; without any in the same order. Of
// a part, the steps meet the elements of the file's tensor from number `first` on, `spread` apart.
template <class Json = json>
Json to_json(const net::file_tensor& t) {
  Json j{{"name", t.name}, {"shape", t.shape}, {"place", t.place}, {"walk", Json::array()}};
  for (const auto& s : t.walk) j["walk"].push_back({s.count, s.stride});
  if (t.is_part()) {
    j["first"] = t.first;
    j["spread"] = t.spread;
  }
  return j;
}

}  // namespace nvdlac::report
