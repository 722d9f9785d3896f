// SPDX-License-Identifier: Apache-2.0
#include "sweep_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/report/json.hpp>

#include "find_target.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

using report::json;

// The options of a network by the names that the command line has for them.
class option_parser {
 public:
  option_parser() {
    add_model_options(app_, read_.model);
    add_prediction(app_, read_.prediction);
    app_.set_help_flag();
    app_.add_option("--input", read_.inputs);
    app_.add_option("--labels", read_.labels);
    app_.add_option("--first", read_.first)
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}));
    known_ = {"model", "weights"};
    for (const auto* o : app_.get_options())
      for (const auto& name : o->get_lnames())
        if (!elsewhere.contains(name)) known_.push_back(name);
  }
  bool knows(const std::string& key) const { return std::ranges::count(known_, key) > 0; }
  std::string known() const { return joined(known_); }

  // Parses known members.
  sweep_options parse(const json& members) {
    read_ = {};
    std::vector<std::string> words;
    for (const char* file : {"model", "weights"})
      if (members.contains(file)) words.push_back(word(file, members[file]));
    for (const auto& [key, value] : members.items()) {
      if (key == "model" || key == "weights") continue;
      for (const auto& one : value.is_array() ? value : json::array({value}))
        words.push_back("--" + key + "=" + word(key, one));
    }
    std::ranges::reverse(words);  // as CLI11 wants them
    app_.parse(words);
    return read_;
  }

 private:
  static std::string word(const std::string& key, const json& value) {
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) return value;
    if (value.is_number() || value.is_boolean()) return value.dump();
    throw usage_error(key + " is neither text, a number, true or false, nor a list of them");
  }

  // Options that the plan itself says, and one that holds for the process.
  static inline const std::set<std::string> elsewhere{"config", "precision", "limit"};

  sweep_options read_{};
  CLI::App app_{};
  std::vector<std::string> known_{};
};

class plan_reader {
 public:
  plan_reader(std::string file, target_list targets) : file_(std::move(file)), targets_(targets) {}

  sweep_plan read(const std::string& text_of_plan) {
    const auto document = parsed(text_of_plan);
    if (!document.is_object()) refuse("is no JSON object");
    found_.check();
    only(document, "the plan", {"networks", "options", "configurations", "precisions", "schedules",
                                "simulate"});
    sweep_plan plan;
    if (const auto s = document.find("simulate"); s != document.end()) {
      if (s->is_boolean()) plan.simulate = *s;
      else refuse("simulate is neither true nor false");
    }
    const auto general = object(document, "options");
    check_keys(general, "options");
    std::vector<std::string> configurations, all;
    for (const auto* t : targets_) all.emplace_back(t->name());
    for (auto& name : words(document, "configurations", all))
      if (std::ranges::count(all, name)) configurations.push_back(std::move(name));
      else refuse("there is no configuration '" + name + "'", "there are " + names_of(targets_));
    const auto precisions = words(document, "precisions", {"int8"});
    const auto networks = named(document, "networks", json());
    const auto schedules =
        named(document, "schedules", json::array({{{"name", "default"}}}));
    if (!document.contains("networks"))
      refuse("has no networks", "\"networks\": [{\"model\": \"digits.onnx\", ..}, ..]");
    for (const auto& [network, said] : networks) {
      std::vector<std::pair<std::string, sweep_options>> forms;
      for (const auto& [schedule, more] : schedules)
        if (auto options = options_of(network, {general, said, more}))
          forms.emplace_back(schedule, std::move(*options));
      for (const auto& configuration : configurations)
        for (const auto& precision : precisions)
          for (const auto& [schedule, options] : forms) {
            plan.items.push_back({network, configuration, precision, schedule, options});
            auto& model = plan.items.back().options.model;
            model.configs = {configuration};
            model.precision = precision;
          }
    }
    found_.check();
    if (plan.items.empty()) throw error({.file = file_, .reason = "there is nothing to do"});
    return plan;
  }

 private:
  using members = std::vector<std::pair<std::string, json>>;  // by name

  void refuse(std::string reason, std::string remedy = {}) {
    found_.add({.file = file_, .reason = std::move(reason), .remedy = std::move(remedy)});
  }

  // A member that is there twice would be lost.
  json parsed(const std::string& text_of_plan) {
    std::vector<std::set<std::string>> open;
    try {
      return json::parse(text_of_plan, [&](int, json::parse_event_t event, json& value) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(value).second)
          refuse("'" + value.get<std::string>() + "' is there twice");
        return true;
      });
    } catch (const json::exception& e) {
      throw error({.file = file_, .reason = text("is not JSON: ", e.what())});
    }
  }

  void only(const json& from, const std::string& where, const std::vector<std::string>& keys) {
    for (const auto& [key, value] : from.items())
      if (!std::ranges::count(keys, key))
        refuse(where + " has an unknown key '" + key + "'", "there are " + joined(keys));
  }
  void check_keys(const json& from, const std::string& where) {
    for (const auto& [key, value] : from.items())
      if (key != "name" && !options_.knows(key))
        refuse(where + " has an unknown key '" + key + "'",
               "there are name and the options of nvdlac verify: " + options_.known());
  }

  json object(const json& from, const char* key) {
    const auto found = from.find(key);
    if (found == from.end()) return json::object();
    if (found->is_object()) return *found;
    refuse(text(key, " is no object"));
    return json::object();
  }

  std::vector<std::string> words(const json& from, const char* key,
                                 std::vector<std::string> otherwise) {
    const auto found = from.find(key);
    if (found == from.end()) return otherwise;
    std::vector<std::string> all;
    for (const auto& one : found->is_array() ? *found : json::array({*found})) {
      if (!one.is_string()) refuse(text(key, " holds ", one.dump(), ", which is no name"));
      else if (std::ranges::count(all, one.get<std::string>()))
        refuse(text(key, " names '", one.get<std::string>(), "' twice"));
      else all.push_back(one);
    }
    return all;
  }

  // Objects with a name of their own, or else that of their model.
  members named(const json& from, const char* key, const json& otherwise) {
    members all;
    const auto found = from.find(key);
    const auto& list = found == from.end() ? otherwise : *found;
    if (!list.is_array() && !list.is_null()) refuse(text(key, " is no list"));
    if (!list.is_array()) return all;
    for (const auto& one : list) {
      std::string name;
      for (const char* member : {"name", "model"})
        if (name.empty() && one.is_object() && one.contains(member) && one[member].is_string())
          name = std::string(member) == "name"
                     ? one[member].get<std::string>()
                     : std::filesystem::path(one[member].get<std::string>()).stem().string();
      if (name.empty()) {
        refuse(text(key, " holds ", one.dump(), ", which is no object with a name"));
        continue;
      }
      check_keys(one, text(key, " '", name, "'"));
      if (std::ranges::count(all, name, &members::value_type::first))
        refuse(text(key, " names '", name, "' twice"), "give each a \"name\" of its own");
      all.emplace_back(std::move(name), one);
    }
    return all;
  }

  // Returns the options of several objects, of which the later ones count more.
  std::optional<sweep_options> options_of(const std::string& network,
                                          const std::vector<json>& said) {
    json merged = json::object();
    for (const auto& one : said)
      for (const auto& [key, value] : one.items())
        if (key != "name" && options_.knows(key)) merged[key] = value;
    const auto refuse_it = [&](const std::string& reason) {
      if (const auto whole = "network '" + network + "': " + reason; told_.insert(whole).second)
        refuse(whole);
      return std::nullopt;
    };
    if (!merged.contains("model")) return refuse_it("has no model");
    try {
      auto options = options_.parse(merged);
      const auto& m = options.model;
      std::vector<std::string> files{m.model, m.weights, m.scales, options.labels};
      for (const auto* list : {&m.calibration, &std::as_const(options.inputs)})
        for (const auto& f : *list) files.push_back(f);
      for (const auto& f : files)
        if (!f.empty() && !is_there(f)) refuse_it("there is no file '" + f + "'");
      if (!options.labels.empty() && options.inputs.empty()) refuse_it("has labels, but no input");
      return options;
    } catch (const CLI::ParseError& e) {
      return refuse_it(e.what());
    } catch (const usage_error& e) {
      return refuse_it(e.what());
    }
  }
  static bool is_there(const std::string& file) {  // or NAME=FILE
    std::error_code ignored;
    const auto equals = file.find('=');
    return std::filesystem::exists(file, ignored) ||
           (equals != file.npos && std::filesystem::exists(file.substr(equals + 1), ignored));
  }

  std::string file_;
  target_list targets_;
  option_parser options_{};
  diagnostics found_{};
  std::set<std::string> told_{};
};

}  // namespace

std::vector<std::filesystem::path> sweep_plan::files() const {
  std::set<std::string> all;
  for (const auto& item : items) {
    const auto& o = item.options;
    all.insert({o.model.model, o.model.weights, o.model.scales, o.labels});
    all.insert(o.model.calibration.begin(), o.model.calibration.end());
    all.insert(o.inputs.begin(), o.inputs.end());
  }
  all.erase("");
  return {all.begin(), all.end()};
}

sweep_plan read_sweep_plan(const std::string& text_of_plan, const std::string& file,
                           target_list targets) {
  return plan_reader(file, targets).read(text_of_plan);
}

}  // namespace nvdlac::cli
