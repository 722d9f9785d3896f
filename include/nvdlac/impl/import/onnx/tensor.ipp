// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/tensor.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// The bytes that a tensor keeps in a file beside the model, `wanted` where it does not tell how
// many; only below the model's directory.
NVDLAC_IMPL std::string external_bytes(const proto::view& t, const std::filesystem::path& directory,
                                       std::uint64_t wanted) {
  std::map<std::string, std::string> entries;
  for (const auto& e : t.children("external_data")) {
    const auto key = e.string("key");
    if (key != "location" && key != "offset" && key != "length" && key != "checksum")
      throw error(problem{
          .reason = "the entry '" + key + "' of its external data is not understood",
          .remedy = "location, offset, length and checksum are"});
    entries[key] = e.string("value");
  }
  const std::filesystem::path location = entries["location"];
  if (location.empty() || location.is_absolute() ||
      std::find(location.begin(), location.end(), "..") != location.end())
    throw error("its external data '" + location.string() + "' is not below the model's directory");
  const auto number = [&](const char* key) -> std::optional<std::uintmax_t> {
    const auto& s = entries[key];
    if (s.empty()) return std::nullopt;
    if (s.size() > 18 ||
        !std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }))
      throw error(text("the ", key, " of its external data is '", s, "'"));
    return std::stoull(s);
  };
  const auto path = data::file_below(directory, location, "");
  try {
    const data::regular_file all(path);
    const auto offset = number("offset").value_or(0);
    const auto length = number("length").value_or(wanted);
    if (offset > all.size() || length > all.size() - offset)
      throw error(text("bytes ", offset, " to ", offset + length, " lie behind the end of its ",
                       all.size(), " bytes"));
    return all.read<std::string>(offset, length);
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      p.reason = "its external data '" + location.string() + "': " + p.reason;
    throw error(std::move(problems));
  }
}

// Long because each type of data may stand in several fields.
NVDLAC_IMPL array to_array(const proto::view& t, const std::filesystem::path& directory) {
  namespace d = array_detail;
  array a{.shape = t.values<std::int64_t>("dims")};
  const auto wanted = static_cast<std::size_t>(count(a.shape));
  const auto type = t.integer("data_type", 0);
  a.real = is_real_type(type);
  a.stored = type;
  if (t.has("segment")) throw error("it is split into segments, which are not supported");
  const bool external = t.enumerator("data_location", "DEFAULT") == "EXTERNAL";
  const auto bytes = static_cast<std::size_t>(bytes_of(type, wanted));
  const std::string kept = external ? external_bytes(t, directory, bytes) : std::string{};
  const std::string& raw = external ? kept : t.bytes("raw_data");
  // Fields of 32 and 64 bits keep narrower types, too.
  const auto [least, most] = range_of_type(type);
  const auto integer = [&](auto v) {
    if (std::cmp_less(v, least) || std::cmp_greater(v, most))
      throw out_of_type(text(+v), type);
    return static_cast<std::int64_t>(v);
  };
  const auto real = [](auto v) { return static_cast<float>(v); };
  const auto bits = [](auto v) { return static_cast<std::uint16_t>(v); };
  const auto raw_or = [&]<class Stored>(Stored, auto& to, auto convert, auto otherwise) {
    using element = typename std::decay_t<decltype(to)>::value_type;
    if (raw.empty() && !external) {
      to = otherwise();
      return;
    }
    if (raw.size() != bytes)
      throw error(text("it has ", raw.size(), " bytes instead of ", bytes, " for the shape ",
                       to_text(a.shape), " of ", element_type(type)));
    to = d::unpack<Stored, element>(raw, convert);
  };
  const auto small = [&] {
    return d::convert_all<std::int64_t>(t.values<std::int32_t>("int32_data"), integer);
  };
  const auto unsigned_64 = [&] {
    return d::convert_all<std::int64_t>(t.values<std::uint64_t>("uint64_data"), integer);
  };
  const auto half = [&](auto convert) {
    raw_or(std::uint16_t{}, a.reals, convert, [&] {
      return d::convert_all<float>(t.values<std::int32_t>("int32_data"),
                                   [&](std::int32_t v) { return convert(bits(v)); });
    });
  };
  // A half that belongs to no element is 0.
  const auto halves = [&](const std::vector<std::int64_t>& packed) {
    std::vector<std::int64_t> values;
    for (const auto both : packed)
      for (const int shift : {0, 4}) {
        const auto v = both >> shift & 15;
        if (values.size() < wanted) values.push_back(type == 22 && v > 7 ? v - 16 : v);
        else if (v != 0) throw error("what follows its last value of 4 bits is not 0");
      }
    return values;
  };
  switch (type) {
    case 1: raw_or(float{}, a.reals, real, [&] { return t.values<float>("float_data"); }); break;
    case 11:
      raw_or(double{}, a.reals, real,
             [&] { return d::convert_all<float>(t.values<double>("double_data"), real); });
      break;
    case 10: half(from_half); break;
    case 16: half(from_bfloat); break;
    case 2: case 9: raw_or(std::uint8_t{}, a.integers, integer, small); break;
    case 3: raw_or(std::int8_t{}, a.integers, integer, small); break;
    case 4: raw_or(std::uint16_t{}, a.integers, integer, small); break;
    case 5: raw_or(std::int16_t{}, a.integers, integer, small); break;
    case 6: raw_or(std::int32_t{}, a.integers, integer, small); break;
    case 7:
      raw_or(std::int64_t{}, a.integers, integer,
             [&] { return t.values<std::int64_t>("int64_data"); });
      break;
    case 12: raw_or(std::uint32_t{}, a.integers, integer, unsigned_64); break;
    case 13: raw_or(std::uint64_t{}, a.integers, integer, unsigned_64); break;
    case 21: case 22:
      raw_or(std::uint8_t{}, a.integers, [](std::uint8_t v) { return std::int64_t{v}; }, [&] {
        return d::convert_all<std::int64_t>(
            t.values<std::int32_t>("int32_data"), [&](std::int32_t v) {
              if (v < 0 || v > 255)
                throw error(text("its value ", v, " is no two numbers of 4 bits"));
              return std::int64_t{v};
            });
      });
      a.integers = halves(a.integers);
      break;
    default:
      throw error("its values are of type " + element_type(type) + ", which is not supported");
  }
  if (a.size() != wanted)
    throw error(text("it has ", count_of(a.size(), "value"), " instead of ", wanted,
                     " for the shape ",
                     to_text(a.shape)));
  return a;
}

}  // namespace nvdlac::import::onnx_format
