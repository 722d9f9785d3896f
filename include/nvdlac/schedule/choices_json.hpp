// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schedules as JSON, "nvdlac.schedule" of docs/schema. All are templates, so that the library of
// JSON costs only who reads or writes one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/strict_json.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>

namespace nvdlac::schedule {

namespace detail {

// The numbers of a layer's passes.
struct number_of_passes {
  std::string_view name;
  std::int32_t plan::passes::*member;
};
inline constexpr std::array numbers_of_passes{
    number_of_passes{"rows", &plan::passes::rows},
    number_of_passes{"columns", &plan::passes::columns},
    number_of_passes{"kernels", &plan::passes::kernels},
    number_of_passes{"data_banks", &plan::passes::data_banks},
    number_of_passes{"weight_banks", &plan::passes::weight_banks}};

// Reads one document, and notes all that is wrong with it.
template <class Json>
class choices_reader {
 public:
  choices_reader(const Json& document, std::string file)
      : document_(document), result_{.file = std::move(file)} {}

  saved run(diagnostics& found) {
    found_ = &found;
    if (!document_.is_object()) {
      refuse({}, "is no JSON object");
      return result_;
    }
    const auto kind = document_.find("schema"), version = document_.find("version");
    if (kind == document_.end() || *kind != "nvdlac.schedule") {
      refuse({}, "is no schedule: its member 'schema' is not \"nvdlac.schedule\"");
      return result_;
    }
    if (version == document_.end() || *version != 1)
      refuse({}, text("is a schedule of version ",
                      version == document_.end() ? std::string("none") : version->dump(),
                      ", not 1"));
    for (const auto& [name, value] : document_.items())
      if (name != "schema" && name != "version") member(name, value);
    for (const char* name : {"network", "configuration", "compressed", "beside", "kept", "tiles",
                             "apart", "order"})
      if (!document_.contains(name)) refuse({}, text("has no member '", name, "'"));
    return result_;
  }

 private:
  void refuse(std::string layer, std::string reason) {
    found_->add({.file = result_.file, .layer = std::move(layer), .reason = std::move(reason),
                 .remedy = "write schedules with --save-schedule, see docs/schedule.md"});
  }
  void member(const std::string& name, const Json& value) {
    auto& c = result_.choices;
    if (name == "network") word(name, value, result_.network);
    else if (name == "configuration") word(name, value, result_.configuration);
    else if (name == "compressed") flag(name, value, c.compressed);
    else if (name == "pass_weights") number(name, value, c.lowering.pass_weights);
    else if (name == "passes") passes(value);
    else if (name == "unfused") labels(name, value, c.lowering.unfused);
    else if (name == "transposed") flag(name, value, c.lowering.transposed);
    else if (name == "all_lines") flag(name, value, c.lowering.all_lines);
    else if (name == "folded") labels(name, value, c.lowering.folded);
    else if (name == "beside") flag(name, value, c.beside);
    else if (name == "kept") flag(name, value, c.kept);
    else if (name == "tiles") tiles(value);
    else if (name == "apart") names(name, value, c.apart);
    else if (name == "order") names(name, value, c.order);
    else if (name == "cvsram") names(name, value, c.cvsram);
    else refuse({}, text("its member '", name, "' is not understood"));
  }
  void word(const std::string& name, const Json& value, std::string& to) {
    if (value.is_string()) to = value.template get<std::string>();
    else refuse({}, text("its member '", name, "' is no text"));
  }
  void flag(const std::string& name, const Json& value, bool& to) {
    if (value.is_boolean()) to = value.template get<bool>();
    else refuse({}, text("its member '", name, "' is neither true nor false"));
  }
  void number(const std::string& name, const Json& value, std::uint64_t& to) {
    if (value.is_number_unsigned()) to = value.template get<std::uint64_t>();
    else refuse({}, text("its member '", name, "' is no number of bytes"));
  }
  void names(const std::string& name, const Json& value, std::vector<std::string>& to) {
    if (!value.is_array()) return refuse({}, text("its member '", name, "' is no array"));
    for (const Json& one : value)
      if (one.is_string()) to.push_back(one.template get<std::string>());
      else return refuse({}, text("its member '", name, "' has an element that is no text"));
  }
  void labels(const std::string& name, const Json& value, std::vector<label>& to) {
    std::vector<std::string> all;
    names(name, value, all);
    for (const auto& one : all) to.emplace_back(one);
  }
  void passes(const Json& value) {
    if (!value.is_object()) return refuse({}, "its member 'passes' is no object");
    for (const auto& [layer, given] : value.items()) {
      plan::passes p{.layer = layer};
      bool good = given.is_object() && !given.empty();
      if (good)
        for (const auto& [name, one] : given.items()) good = good && set(p, name, one);
      if (good) result_.choices.lowering.passes.push_back(std::move(p));
      else refuse(layer, "its passes are no object of some of the numbers 'rows', 'columns', "
                         "'kernels', 'data_banks' and 'weight_banks', from 1 on, and of 'image'");
    }
  }
  // Whether it is a member of passes, and of its type.
  static bool set(plan::passes& p, const std::string& name, const Json& value) {
    if (name == "image" && value.is_boolean()) {
      p.image = value.template get<bool>();
      return true;
    }
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    const auto to = std::ranges::find(numbers_of_passes, name, &number_of_passes::name);
    if (to == numbers_of_passes.end() || !value.is_number_unsigned()) return false;
    const auto n = value.template get<std::uint64_t>();
    if (n == 0 || n > most) return false;
    p.*(to->member) = static_cast<std::int32_t>(n);
    return true;
  }
  void tiles(const Json& value) {
    if (!value.is_object()) return refuse({}, "its member 'tiles' is no object");
    for (const auto& [stage, rows] : value.items()) {
      cut c{.stage = stage};
      bool good = rows.is_array() && !rows.empty();
      if (good)
        for (const Json& row : rows) {
          constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
          good = good && row.is_number_unsigned() && row.template get<std::uint64_t>() <= most;
          if (good) c.rows.push_back(row.template get<std::int32_t>());
        }
      if (good) result_.choices.tiles.push_back(std::move(c));
      else refuse(stage, "its tiles are no array of the rows with which they begin");
    }
  }

  const Json& document_;
  saved result_;
  diagnostics* found_ = nullptr;
};

}  // namespace detail

// `file` is for messages. Throws, all together: syntax errors, members that are listed twice, not
// understood or absent. Whether the network has the stages and tiles is known when it is compiled.
template <class Json = nlohmann::ordered_json>
saved read_choices(std::string_view text_of_file, const std::string& file = {}) {
  diagnostics found;
  const auto document = parse_strictly<Json>(text_of_file, file, "schedule", found);
  auto result = detail::choices_reader<Json>(document, file).run(found);
  found.check();
  return result;
}

// Reading it gives the same. Throws where a name is no UTF-8 text, which no JSON has.
template <class Json = nlohmann::ordered_json>
std::string write_choices(const saved& s) {
  diagnostics found;
  const auto name = [&](const std::string& of) {
    if (!escape::is_utf8(of))
      found.add({.layer = of, .reason = "its name is no UTF-8 text, so no schedule can list it",
                 .remedy = "give the layer another name"});
    return of;
  };
  const auto list = [&](const std::vector<std::string>& all) {
    auto array = Json::array();
    for (const auto& one : all) array.push_back(name(one));
    return array;
  };
  auto tiles = Json::object();
  for (const auto& t : s.choices.tiles) tiles[name(t.stage)] = t.rows;
  const auto& c = s.choices;
  Json document{{"schema", "nvdlac.schedule"}, {"version", 1}, {"network", name(s.network)},
                {"configuration", s.configuration}, {"compressed", c.compressed},
                {"beside", c.beside}, {"kept", c.kept}, {"tiles", std::move(tiles)},
                {"apart", list(c.apart)}, {"order", list(c.order)}};
  if (!c.cvsram.empty()) document["cvsram"] = list(c.cvsram);
  const auto& l = c.lowering;
  if (l.pass_weights != 0) document["pass_weights"] = l.pass_weights;
  for (const auto& p : l.passes) {
    auto& given = document["passes"][name(p.layer)];
    for (const auto& n : detail::numbers_of_passes)
      if (p.*n.member != 0) given[std::string(n.name)] = p.*n.member;
    if (p.image) given["image"] = *p.image;
  }
  if (l.transposed) document["transposed"] = true;
  if (l.all_lines) document["all_lines"] = true;
  for (const auto& layer : l.folded) document["folded"].push_back(name(layer));
  for (const auto& pooling : l.unfused) document["unfused"].push_back(name(pooling));
  found.check();
  return document.dump(1) + "\n";
}

}  // namespace nvdlac::schedule
