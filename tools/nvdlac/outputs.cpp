// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/emit/files.hpp>

#include "signals.hpp"
#include "manner.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

emit::file_identity standard_output() {
  struct stat s{};
  if (::fstat(STDOUT_FILENO, &s) != 0) throw error("the standard output cannot be written");
  return {s.st_dev, s.st_ino, {}};
}

emit::destination resolve(const fs::path& path) {
  if (path == "-")
    return {.given = path, .path = path, .identity = standard_output(), .stream = true,
            .descriptor = STDOUT_FILENO};
  auto to = emit::resolve(path);
  struct stat s{};
  // "/dev/stdout", or a file to which the shell leads the standard output.
  if (::fstat(STDOUT_FILENO, &s) == 0 &&
      to.identity == emit::file_identity{s.st_dev, s.st_ino, {}}) {
    to.stream = true;
    to.descriptor = STDOUT_FILENO;
  }
  return to;
}

std::string quoted(std::string_view option, const fs::path& path) {
  return text('\'', path.string(), "' (", option, ')');
}

}  // namespace

output_set::output_set(const std::vector<fs::path>& inputs) {
  for (const auto& path : inputs) {
    read(path);
    const auto& name = path.native();
    for (auto at = name.find('='); at != name.npos; at = name.find('=', at + 1))
      read(name.substr(at + 1));
  }
}

void output_set::read(const fs::path& path) {
  std::error_code ignored;
  if (path.empty()) return;
  const auto keep = [&](const fs::path& file) {
    emit::file_identity found{};
    if (emit::find_file(file, found)) inputs_.emplace(std::move(found), file);
  };
  if (!fs::is_directory(path, ignored)) return keep(path);
  for (const auto& file : data::inputs_in(path)) keep(file.path);
}

void output_set::refuse_input(std::string_view option, const fs::path& path,
                              const emit::file_identity& identity) const {
  if (const auto input = inputs_.find(identity); input != inputs_.end())
    throw usage_error(text(quoted(option, path), " is the input '", input->second.string(),
                           "', which would be overwritten"));
}

void output_set::plan(std::string_view option, const fs::path& path) {
  emit::file_identity there{};
  if (emit::find_file(path, there)) refuse_input(option, path, there);  // also a read-only one
  auto to = resolve(path);
  refuse_input(option, path, to.identity);
  for (const auto& other : outputs_)
    if (other.to.identity == to.identity)
      throw usage_error(text(quoted(other.option, other.to.given), " and ", quoted(option, path),
                             " are the same file, but two outputs"));
  to_standard_output_ = to_standard_output_ || to.descriptor >= 0;
  outputs_.push_back({std::string(option), std::move(to)});
}

void output_set::add(std::string_view option, const fs::path& path,
                     std::vector<std::uint8_t> bytes) {
  auto at = std::ranges::find_if(outputs_, [&](const output& o) {
    return !o.complete && o.option == option && o.to.given == path;
  });
  if (at == outputs_.end()) {
    plan(option, path);
    at = outputs_.end() - 1;
  }
  at->bytes = std::move(bytes);
  at->complete = true;
}

void output_set::add(std::string_view option, const fs::path& path, std::string_view content) {
  add(option, path, std::vector<std::uint8_t>(content.begin(), content.end()));
}

std::ostream& output_set::remarks() const {
  static std::ostream nowhere(nullptr);
  return manner::in_force().quiet ? nowhere : messages();
}

std::ostream& output_set::messages() const {
  return to_standard_output_ ? std::cerr : std::cout;
}

std::vector<std::string> output_set::names() const {
  std::vector<std::string> all;
  for (const auto& o : outputs_)
    if (o.complete && !o.to.stream) all.push_back(escape::line(o.to.given.string()));
  return all;
}

void output_set::write() {
  std::cout.flush();
  signal_guard signals;  // outlives the temporary files
  emit::transaction all;
  for (auto& o : outputs_)
    if (o.complete) all.add(std::move(o.to), std::move(o.bytes));
  outputs_.clear();
  signals.remove_on_signal(all.temporaries());
  all.prepare();
  signals.defer();
  all.commit();
  made_.clear();
  for (const auto& line : lines_) remarks() << folded(line + '\n', line_width());
  lines_.clear();
}

output_set::~output_set() {
  std::error_code ignored;
  for (const auto& directory : made_) fs::remove(directory, ignored);  // where it is empty
}

void output_set::make_directory(const fs::path& directory) {
  std::error_code failed;
  if (fs::create_directory(directory, failed)) made_.push_back(directory);
  if (failed)
    throw error(problem{.file = directory.string(),
                        .reason = text("the directory cannot be made: ", failed.message())});
}

void flush_standard_output() {
  if (!std::cout.flush()) throw error("the standard output cannot be written");
}

std::string check_output_name(const std::string& name) {
  return name.empty() ? "the name of the file is empty" : "";
}

void require_file(std::string_view option, const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) &&
                      !fs::is_directory(status)))
    throw usage_error(text(quoted(option, path), " is no file, and several are to be written"));
}

fs::path with_infix(std::string_view option, const fs::path& path, std::string_view infix) {
  require_file(option, path);
  auto name = path.stem();
  name += "." + std::string(infix);
  name += path.extension();
  return path.parent_path() / name;
}

}  // namespace nvdlac::cli
