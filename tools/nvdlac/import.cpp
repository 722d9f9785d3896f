// SPDX-License-Identifier: Apache-2.0
// nvdlac import: from a network to a C++ header, for a program that the C++ compiler makes.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/emit/memory_map.hpp>

#include "commands.hpp"
#include "outputs.hpp"
#include "preparation.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

struct import_arguments {
  model_options model{};
  std::string header{}, name_space{};
  bool constants = false;
};

// "out/digits.nv_small.weights.bin" beside "out/digits.hpp"
fs::path image_path(const import_arguments& a, const target& t) {
  require_file("--cpp", a.header);
  return with_infix("--cpp", fs::path(a.header).replace_extension(".bin"),
                    text(t.name(), ".weights"));
}

// The weights of one configuration, laid out as by program<Hw, model>.
void add_image(const target& t, const preparation& from, const import_arguments& a,
               emit::cpp_options& how, output_set& files) {
  const auto program = t.build(from.network().integers, from.options());
  auto bytes = emit::weight_image(program);
  const auto path = image_path(a, t);
  how.images.push_back({std::string(t.name()), path.filename().string(), bytes.size()});
  files.tell_when_written(text(path.string(), ": ", grouped(bytes.size(), "byte"),
                               " of weights for ", t.name(), ", symbol ",
                               emit::image_symbol(how.name_space, t.name())));
  files.add("--cpp", path, std::move(bytes));
}

void import_network(import_arguments a, target_list targets) {
  if (a.header.empty()) throw usage_error("name the header to write: --cpp OUT.hpp");
  if (!a.name_space.empty() && !emit::is_namespace(a.name_space))
    throw usage_error(text("--namespace '", a.name_space, "' is not the name of a C++ namespace"));
  if (emit::is_taken_globally(a.name_space))
    throw usage_error(text("--namespace '", a.name_space,
                           "' cannot be a namespace: headers of C declare the name"));
  if (fs::path(a.header).extension() == ".bin")
    throw usage_error("--cpp names a C++ header, not a .bin");
  preparation from(a.model, targets);
  output_set files(from.files());
  files.plan("--cpp", a.header);
  for (const auto* t : from.targets()) files.plan("--cpp", image_path(a, *t));

  from.quantise({});
  emit::cpp_options how{.source = fs::path(a.model.model).filename().string(),
                        .constants = a.constants};
  how.name_space = a.name_space.empty()
                       ? emit::global_identifier(fs::path(a.header).stem().string())
                       : a.name_space;
  if (from.options().preprocessing)
    how.preprocessing = net::describe(*from.options().preprocessing);
  diagnostics found;
  for (const auto* t : from.targets()) try {
      in_file(a.model.model, [&] { add_image(*t, from, a, how, files); });
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
    }
  found.check();
  files.add("--cpp", a.header, in_file(a.model.model, [&] {
              return emit::write_cpp(from.network().integers, how);
            }));
  files.write();
  files.remarks() << a.header << ": " << count_of(from.network().integers.size(), "layer") << ", "
                   << how.name_space << "::model\n";
}

}  // namespace

void add_import(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("import", "Write a network as a C++ header, for nvdlac::program");
  const auto a = std::make_shared<import_arguments>();
  add_model_options(*sub, a->model);
  add_threads(*sub, a->model);
  const std::string outputs = "Outputs";
  sub->add_option("--cpp", a->header,
                  "The header, which defines NAMESPACE::model; for each --config the packed "
                  "weights are beside it, in OUT.CONFIG.weights.bin")
      ->check(check_output_name)->type_name("OUT.hpp")->group(outputs);
  sub->add_option("--namespace", a->name_space, "Default: the header's name")
      ->type_name("NAMESPACE")->group(outputs);
  sub->add_flag("--constants", a->constants,
                "Write the weights into the header too, instead of only their sizes")
      ->group(outputs);
  sub->footer(
      "Example:\n"
      "  nvdlac import digits.onnx --calibration pictures/ --cpp digits.hpp --config nv_small\n"
      "and in C++20:\n"
      "  #include \"digits.hpp\"\n"
      "  #include <nvdlac/hw/configurations.hpp>\n"
      "  #include <nvdlac/program.hpp>\n"
      "  static_assert(nvdlac::runs_on<nvdlac::nv_small>(digits::model));\n"
      "  using my_program = nvdlac::program<nvdlac::nv_small, digits::model>;\n"
      "  asm(\".section .rodata\\n.balign 64\\n.global digits_nv_small_weights\\n\"\n"
      "      \"digits_nv_small_weights: .incbin \\\"digits.nv_small.weights.bin\\\"\\n.text\");\n"
      "In CMake, nvdlac_add_network(target MODEL digits.onnx ..) does it during the build.");
  sub->callback([=] { import_network(*a, targets); });
}

}  // namespace nvdlac::cli
