// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <system_error>
#include <utility>

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::string reason, std::string remedy = {}) {
  throw error(problem{.file = path.string(), .reason = std::move(reason),
                      .remedy = std::move(remedy)});
}

bool same(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return fs::weakly_canonical(fs::absolute(a), failed) ==
         fs::weakly_canonical(fs::absolute(b), failed);
}

}  // namespace

void output_files::expect(const fs::path& path, const std::vector<fs::path>& inputs) {
  std::error_code ignored;
  if (path.filename().empty() || fs::is_directory(path, ignored))
    refuse(path, "is a directory", "name the file to write");
  if (const auto directory = path.parent_path();
      !directory.empty() && !fs::is_directory(directory, ignored))
    refuse(path, "its directory does not exist", "create '" + directory.string() + "' first");
  for (const auto& in : inputs)
    if (same(in, path)) refuse(path, "is an input and would be overwritten");
  for (const auto& other : expected_)
    if (same(other, path)) refuse(path, "is named for two outputs");
  expected_.push_back(path);
}

void output_files::add(const fs::path& path, std::vector<std::uint8_t> bytes) {
  files_.push_back({path.string(), std::move(bytes)});
}
void output_files::add(const fs::path& path, std::string_view content) {
  files_.push_back({path.string(), {content.begin(), content.end()}});
}

void output_files::write() { emit::write_files({}, files_); }

fs::path with_infix(const fs::path& path, std::string_view infix) {
  auto name = path.stem();
  name += "." + std::string(infix);
  name += path.extension();
  return path.parent_path() / name;
}

}  // namespace nvdlac::cli
