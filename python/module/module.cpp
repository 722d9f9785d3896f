// SPDX-License-Identifier: Apache-2.0
// The module nvdlac._nvdlac: what nvdlac/__init__.py makes of the library's values. Reports go over
// as JSON, pictures and results as NumPy arrays.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/json.hpp>

#include "calls.hpp"
#include "configs.hpp"
#include "exploration.hpp"
#include "find_target.hpp"
#include "given_options.hpp"
#include "options.hpp"
#include "own_configuration.hpp"
#include "product.hpp"
#include "program.hpp"
#include "records.hpp"
#include "trace_formats.hpp"
#include "usage.hpp"

namespace py = pybind11;

namespace nvdlac::python {
namespace {

// A configuration of the module, or one of numbers alone.
class configuration {
 public:
  explicit configuration(const cli::target& of_module)
      : target_(std::shared_ptr<void>(), &of_module) {}
  explicit configuration(std::shared_ptr<const own_configuration> own) : target_(std::move(own)) {}
  const cli::target& operator*() const { return *target_; }
  const cli::target* operator->() const { return target_.get(); }

 private:
  std::shared_ptr<const cli::target> target_;
};

// Results of the module's own code, which must not outlive their configuration.
struct held_product {
  configuration on;
  python::product made;
};
struct held_program {
  configuration on;
  python::program made;
};

configuration configuration_of(const py::object& given) {
  if (py::isinstance<py::str>(given))
    return configuration(cli::find_target(cli::targets(), given.cast<std::string>()));
  if (!py::isinstance<configuration>(given))
    throw py::type_error("the configuration is a name, such as 'nv_small', or a "
                         "nvdlac.Configuration, which Configuration(name, members={..}) and "
                         "Configuration.from_spec make");
  return given.cast<configuration>();
}

bool is_path(const py::handle& value) {
  return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
}
std::string path_of(const py::handle& value) {
  return py::module_::import("os").attr("fspath")(value).cast<std::string>();
}

template <class T>
data::shared_array shared(const std::string& name, py::array_t<T, py::array::c_style> a) {
  std::vector<std::size_t> dims(a.shape(), a.shape() + a.ndim());
  const T* const values = a.data();
  return {name, std::move(dims),
          std::shared_ptr<const T>(values, [held = a.release().ptr()](const T*) {
            const py::gil_scoped_acquire acquired;
            Py_DECREF(held);
          })};
}

// Bytes are pixels; all other numbers become floats. What has neither type nor order of these is
// copied.
data::shared_array array_of(const py::handle& value, const std::string& name) {
  const auto a = py::array::ensure(value);
  const auto kind = a ? a.dtype().kind() : 'O';
  if (std::string("biuf").find(kind) == std::string::npos) {
    PyErr_Clear();
    throw error({.layer = name, .reason = "is no array of numbers"});
  }
  if (kind == 'u' && a.itemsize() == 1)
    return shared(name, py::array_t<std::uint8_t, py::array::c_style>::ensure(a));
  const auto floats = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(a);
  return shared(name, py::array_t<float, py::array::c_style>(floats));
}

// An array, a path, several of them, or a dict of either for a network of several inputs.
given_inputs inputs_from(const py::object& given) {
  given_inputs inputs;
  if (given.is_none()) return inputs;
  const auto add = [&](const std::string& name, const py::handle& value) {
    const auto before = name.empty() ? "" : name + "=";
    if (is_path(value)) inputs.files.push_back(before + path_of(value));
    else if ((py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) &&
             py::len(value) != 0 && is_path(py::object(value[py::int_(0)])))
      for (const auto& path : value) inputs.files.push_back(before + path_of(path));
    else inputs.arrays.emplace(name, array_of(value, name.empty() ? "array" : name));
  };
  if (!py::isinstance<py::dict>(given)) add("", given);
  else
    for (const auto& [name, value] : given.cast<py::dict>()) add(name.cast<std::string>(), value);
  if (!inputs.files.empty() && !inputs.arrays.empty())
    throw error("inputs are arrays or files, not both");
  return inputs;
}

// The words of a value, "NAME=VALUE" of each entry of a dict.
std::vector<std::string> words_of(const py::handle& value) {
  std::vector<std::string> words;
  if (is_path(value)) return {path_of(value)};
  if (py::isinstance<py::dict>(value)) {
    for (const auto& [name, of_name] : value.cast<py::dict>())
      words.push_back(text(py::str(name).cast<std::string>(), '=', joined(words_of(of_name), ",")));
    return words;
  }
  if (py::isinstance<py::sequence>(value) || py::isinstance<py::array>(value) ||
      py::isinstance<py::set>(value)) {
    for (const auto& one : py::list(py::reinterpret_borrow<py::object>(value)))
      for (auto& word : words_of(one)) words.push_back(std::move(word));
    return words;
  }
  return {py::str(value).cast<std::string>()};
}

std::vector<given_option> options_from(const py::dict& given) {
  std::vector<given_option> options;
  for (const auto& [name, value] : given) {
    if (value.is_none() || value.is(py::bool_(false))) continue;
    given_option o{.keyword = name.cast<std::string>(), .is_flag = value.is(py::bool_(true))};
    if (!o.is_flag) o.words = words_of(value);
    options.push_back(std::move(o));
  }
  return options;
}

// Arguments of their own in place of options.
const std::vector<std::string> beside_compile{"config", "calibration"};

option_adder add_reading_to(cli::model_options& to) {
  return [&](CLI::App& app) {
    cli::add_reading(app, to);
    app.callback([&] { to.words = cli::given_options(app); });
  };
}
option_adder add_compiling_to(cli::compilation_options& to) {
  return [&](CLI::App& app) {
    cli::add_model_options(app, to.model);
    cli::add_building(app, to);
    app.callback([&] { to.model.words = cli::given_options(app); });
  };
}

std::vector<std::string> names_of_reading() {
  cli::model_options unused;
  std::vector<std::string> names;
  for (const auto& k : keywords_of(add_reading_to(unused), {})) names.push_back(k.name);
  return names;
}

// Returns the keywords that are no options of a compilation here, among them those of read().
std::vector<std::string> beside_compilation() {
  auto names = names_of_reading();
  names.insert(names.end(), beside_compile.begin(), beside_compile.end());
  return names;
}

cli::compilation_options compilation_from(const py::dict& options, const py::object& calibration) {
  cli::compilation_options given;
  set_options(add_compiling_to(given), beside_compilation(), options_from(options));
  auto inputs = inputs_from(calibration);
  given.model.calibration = std::move(inputs.files);
  given.model.calibration_arrays = std::move(inputs.arrays);
  return given;
}

model read(const std::string& name, const py::object& content, const std::string& weights,
           const py::dict& options, const py::object& progress) {
  cli::model_options source;
  set_options(add_reading_to(source), {}, options_from(options));
  source.model = name;
  source.weights = weights;
  const auto bytes = content.is_none() ? std::string() : content.cast<std::string>();
  model result;
  call(progress, [&](const cli::progress_watcher& watch) {
    watch("importing", 0, 0);
    result = read_model(std::move(source), content.is_none() ? nullptr : &bytes);
  });
  return result;
}

std::unique_ptr<held_product> compile(const model& m, const py::object& on,
                                      const py::object& calibration, const py::dict& options,
                                      const py::object& progress) {
  auto config = configuration_of(on);
  auto given = compilation_from(options, calibration);
  std::unique_ptr<held_product> made;
  call(progress, [&](const cli::progress_watcher& watch) {
    made.reset(new held_product{config, {m, std::move(given), *config, watch}});
  });
  return made;
}

// The integers that a compilation would compute with, as records.
py::list integers(const model& m, const py::object& on, const py::dict& options) {
  const auto config = configuration_of(on);
  auto given = compilation_from(options, py::none());
  std::optional<prepared_model> prepared;
  call(py::none(), [&](const cli::progress_watcher& watch) {
    prepared.emplace(m, std::move(given), *config, watch);
  });
  return records_of(prepared->from().network().integers);
}

configuration own(std::string name, const hw::spec& spec) {
  return configuration(std::make_shared<const own_configuration>(std::move(name), spec));
}

std::unique_ptr<held_program> load(const py::bytes& loadable, const std::string& file,
                                   const py::object& on) {
  const std::string_view bytes = loadable;
  std::vector<std::uint8_t> content(bytes.begin(), bytes.end());
  const auto config =
      on.is_none() ? configuration(cli::find_target_of(emit::read_loadable(content, file), file, "",
                                                       cli::targets()))
                   : configuration_of(on);
  return std::unique_ptr<held_program>(
      new held_program{config, {*config, std::move(content), file, {}}});
}

std::vector<tensor_form> inputs_of(const program& p) {
  std::vector<tensor_form> forms;
  for (const auto& b : p.inputs())
    forms.push_back(b.in_file.empty()
                        ? tensor_form{b.name, net::in_own_order(label(b.name), b.shape).shape}
                        : tensor_form{std::string(b.in_file[0].name), b.in_file[0].shape});
  return forms;
}

// Whether an array of one input has no dimension for their count, and is not as the file has it.
bool is_picture(const std::vector<std::size_t>& dims, const program& p) {
  if (!dims.empty() && dims.front() == 1) return false;
  return std::ranges::none_of(inputs_of(p), [&](const tensor_form& form) {
    return dims == std::vector<std::size_t>(form.shape.begin(), form.shape.end());
  });
}

// (outputs by name, doubts): arrays of the shapes of the model's file, of several inputs behind
// each other; without the batch where the array of the one input has no dimension for their count.
py::tuple run(program& p, const py::object& x, std::size_t threads, const py::object& progress) {
  const auto inputs = inputs_from(x);
  const auto opened = p.open(inputs);
  const bool single = opened.size() == 1 && !inputs.arrays.empty() &&
                      is_picture(inputs.arrays.begin()->second.dims, p);
  py::dict outputs;
  std::vector<output_rows> rows;
  for (const auto& r : p.results()) {
    const auto shape = single ? r.form.of_one_picture() : r.form.of_pictures(opened.size());
    py::array_t<float> values(shape);
    rows.push_back({values.mutable_data(), r.form.size()});
    outputs[py::str(std::string(r.form.name))] = std::move(values);
  }
  std::vector<problem> doubts;
  call(progress, [&](const cli::progress_watcher& watch) {
    doubts = p.run(opened, rows, threads, watch);
  });
  py::list words;
  for (const auto& d : doubts) words.append(in_keywords(to_string(d)));
  return py::make_tuple(std::move(outputs), std::move(words));
}

std::string verify(held_product& p, const py::object& x, const std::vector<std::size_t>& labels,
                   std::size_t layers, const py::object& progress) {
  const auto inputs = inputs_from(x);
  std::string found;
  call(progress, [&](const cli::progress_watcher& watch) {
    found = p.made.verify(inputs, labels, layers, watch);
  });
  return found;
}

void save_trace(held_product& p, const std::string& file, const py::object& x,
                const std::string& format, bool layers, const py::object& progress) {
  if (std::ranges::count(cli::trace_formats, format) == 0)
    throw wrong_value(text("format is one of ", joined(cli::trace_formats), ", not '", format,
                           "'"));
  const auto input = inputs_from(x);
  call(progress, [&](const cli::progress_watcher& watch) {
    p.made.save_trace(file, input, format, layers, watch);
  });
}

std::string explore_for(const model& m, const py::object& on, const member_ranges& ranges,
                        const py::object& calibration, const py::dict& options,
                        const py::object& progress) {
  const auto config = configuration_of(on);
  auto given = compilation_from(options, calibration);
  std::string found;
  call(progress, [&](const cli::progress_watcher& watch) {
    found = explore(m, std::move(given), *config, ranges, watch);
  });
  return found;
}

// The members of a specification, nested ones as "dram.width_bits".
template <class Struct>
void add_members(py::dict& to, const Struct& of, const std::string& before = {}) {
  Struct::fields([&](const char* name, auto member) {
    const auto& value = of.*member;
    using type = std::remove_cvref_t<decltype(value)>;
    if constexpr (has_fields<type>) add_members(to, value, before + name + '.');
    else if constexpr (std::is_same_v<type, bool>) to[py::str(before + name)] = value;
    else to[py::str(before + name)] = static_cast<std::uint32_t>(value);
  });
}

py::list forms_of(const std::vector<tensor_form>& forms) {
  py::list all;
  for (const auto& f : forms) all.append(py::make_tuple(f.name, py::tuple(py::cast(f.shape))));
  return all;
}

std::vector<tensor_form> outputs_of(const program& p) {
  std::vector<tensor_form> forms;
  for (const auto& r : p.results()) forms.push_back({std::string(r.form.name), r.form.shape});
  return forms;
}

py::bytes bytes_of(const std::vector<std::uint8_t>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}

py::list described(const std::vector<keyword>& all) {
  py::list list;
  for (const auto& k : all) {
    py::dict d;
    d["name"] = k.name;
    d["option"] = k.option;
    d["value"] = k.value;
    d["choices"] = k.choices;
    d["takes_others"] = k.takes_others;
    d["several"] = k.several;
    d["group"] = k.group;
    d["description"] = k.description;
    list.append(std::move(d));
  }
  return list;
}

// nvdlac.Error with its problems, of which each has a place, a reason and a remedy.
void raise(const error& e) {
  const auto module = py::module_::import("nvdlac._nvdlac");
  py::list problems;
  for (const auto& p : e.problems())
    problems.append(module.attr("Problem")(p.file, p.line, p.layer, in_keywords(p.reason),
                                           in_keywords(p.remedy)));
  const auto type = module.attr("Error");
  const auto value = type(in_keywords(e.what()));
  value.attr("problems") = py::tuple(problems);
  PyErr_SetObject(type.ptr(), value.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const error& e) {
    raise(e);
  } catch (const cli::usage_error& e) {
    PyErr_SetString(PyExc_ValueError, in_keywords(e.what()).c_str());
  } catch (const wrong_value& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const unknown_keyword& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const std::logic_error& e) {
    PyErr_SetString(PyExc_RuntimeError,
                  text(e.what(), " (a defect of nvdlac, not of your input)").c_str());
  }
}

void add_classes(py::module_& m) {
  py::class_<configuration>(m, "Configuration")
      .def_property_readonly("name", [](const configuration& c) { return std::string(c->name()); })
      .def_property_readonly("spec", [](const configuration& c) {
        py::dict members;
        add_members(members, c->spec());
        return members;
      });
  py::class_<model>(m, "Model")
      .def_property_readonly("file", [](const model& self) { return self.source.model; })
      .def_property_readonly("inputs",
                             [](const model& self) { return forms_of(python::inputs_of(self)); })
      .def("with_scales", &with_scales)
      .def_property_readonly("notes", [](const model& self) {
        py::list notes;
        for (const auto& p : self.network->notes) notes.append(to_string(p));
        return notes;
      });
  py::class_<held_program>(m, "Program")
      .def_property_readonly("name", [](const held_program& p) { return p.made.network(); })
      .def_property_readonly("configuration", [](const held_program& p) { return p.on; })
      .def_property_readonly("inputs",
                             [](const held_program& p) { return forms_of(inputs_of(p.made)); })
      .def_property_readonly("outputs",
                             [](const held_program& p) { return forms_of(outputs_of(p.made)); })
      .def("run", [](held_program& p, const py::object& x, std::size_t threads,
                     const py::object& progress) { return run(p.made, x, threads, progress); });
  py::class_<held_product>(m, "Product")
      .def_property_readonly(
          "name", [](const held_product& p) { return std::string(p.made.data().network); })
      .def_property_readonly("configuration", [](const held_product& p) { return p.on; })
      .def_property_readonly(
          "cycles", [](const held_product& p) { return p.made.predicted().estimate.totals.cycles; })
      .def_property_readonly("notes",
                             [](const held_product& p) {
                               py::list notes;
                               for (const auto& n : p.made.notes())
                                 notes.append(in_keywords(n));
                               return notes;
                             })
      .def_property_readonly("loadable",
                             [](const held_product& p) { return bytes_of(p.made.loadable()); })
      .def("report", [](const held_product& p) { return p.made.report(); })
      .def("page", [](const held_product& p) { return p.made.page(); })
      .def("scales", [](const held_product& p) { return p.made.scales(); })
      .def("schedule", [](const held_product& p) { return p.made.schedule(); })
      .def("overlay", [](const held_product& p) { return p.made.overlay(); })
      .def("save_trace", &save_trace)
      .def("network",
           [](const held_product& p) {
             return records_of(p.made.prepared().from().network().graph);
           })
      .def("integers",
           [](const held_product& p) {
             return records_of(p.made.prepared().from().network().integers);
           })
      .def("save", [](const held_product& p, const std::string& file) { p.made.save(file); })
      .def("inputs", [](held_product& p) { return forms_of(inputs_of(p.made.on_simulator())); })
      .def("outputs", [](held_product& p) { return forms_of(outputs_of(p.made.on_simulator())); })
      .def("run", [](held_product& p, const py::object& x, std::size_t threads,
                     const py::object& progress) {
        return run(p.made.on_simulator(), x, threads, progress);
      })
      .def("verify", &verify);
}

void add_functions(py::module_& m) {
  m.def("read", &read);
  m.def("compile", &compile);
  m.def("integers", &integers);
  m.def("load", &load);
  m.def("explore", &explore_for);
  m.def("configurations", [] {
    std::vector<configuration> all;
    for (const auto* t : cli::targets()) all.emplace_back(*t);
    return all;
  });
  m.def("described_configurations",
        [] { return report::json_text(cli::configurations_in_json(cli::targets())); });
  m.def("own_configuration",
        [](std::string name, const py::object& base,
           const std::vector<std::pair<std::string, std::uint32_t>>& members) {
          return own(std::move(name), changed(configuration_of(base)->spec(), members));
        });
  m.def("configuration_in_file",
        [](std::string name, const std::string& file) {
          return own(std::move(name), read_spec_file(file));
        });
  m.def("reading_options", [] {
    cli::model_options unused;
    return described(keywords_of(add_reading_to(unused), {}));
  });
  m.def("compile_options", [] {
    cli::compilation_options unused;
    return described(keywords_of(add_compiling_to(unused), beside_compilation()));
  });
}

}  // namespace
}  // namespace nvdlac::python

PYBIND11_MODULE(_nvdlac, m) {
  m.attr("__version__") = pybind11::str(NVDLAC_PYTHON_VERSION);
  m.attr("Problem") = py::module_::import("collections").attr("namedtuple")(
      "Problem", py::make_tuple("file", "line", "layer", "reason", "remedy"));
  m.attr("Error") = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc("nvdlac.Error", "The input cannot be processed: see `problems`.",
                                PyExc_Exception, nullptr));
  py::register_exception_translator(&nvdlac::python::translate);
  nvdlac::python::add_classes(m);
  nvdlac::python::add_functions(m);
}
