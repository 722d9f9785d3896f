// SPDX-License-Identifier: Apache-2.0
#include "manual.hpp"

#include <fstream>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "described_options.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& content) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream out(path, std::ios::binary);
  if (!(out << content).flush())
    throw error({.file = path.string(), .reason = "cannot be written"});
}

}  // namespace

void write_manual(const CLI::App& app, const fs::path& share) {
  const auto& name = app.get_name();
  const auto pages = share / "man" / "man1";
  write_text(pages / (name + ".1"), man_page(app));
  for (const auto* c : commands_of(app))
    write_text(pages / (name + '-' + c->get_name() + ".1"), man_page(*c));
  write_text(share / "bash-completion" / "completions" / name, completion(app, "bash", name));
  write_text(share / "zsh" / "site-functions" / ('_' + name), completion(app, "zsh", name));
  write_text(share / "fish" / "vendor_completions.d" / (name + ".fish"),
             completion(app, "fish", name));
}

}  // namespace nvdlac::cli
