// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/emit/destination.hpp>

namespace nvdlac::cli {

// The files that a command writes: all together when all are complete, or none. A path "-" is the
// standard output.
class output_set {
 public:
  // Takes what the command reads, of which no output may take the place: paths of files and
  // directories, also behind NAME=.
  explicit output_set(const std::vector<std::filesystem::path>& inputs);
  ~output_set();
  output_set(const output_set&) = delete;
  output_set& operator=(const output_set&) = delete;

  // Looks, before any long work, whether the file can be written; throws nvdlac::error. It is a
  // usage_error if it is an input or the output of another option.
  void plan(std::string_view option, const std::filesystem::path& path);
  // The content of a file; plans it, if that is not done yet.
  void add(std::string_view option, const std::filesystem::path& path,
           std::vector<std::uint8_t> bytes);
  void add(std::string_view option, const std::filesystem::path& path, std::string_view content);
  // The files that are complete, as the user named them; none that is the standard output or a
  // device.
  std::vector<std::string> names() const;
  // Throws nvdlac::error; then all files are what they were before.
  void write();

  // Where the command tells what it did: the standard output, unless that is one of the outputs.
  std::ostream& messages() const;
  // Where it tells what it made: the same, unless it is to be quiet.
  std::ostream& remarks() const;
  // Tells a line about a file there when all are written.
  void tell_when_written(std::string line) { lines_.push_back(std::move(line)); }
  // Makes a directory for files; it goes again if they are not written.
  void make_directory(const std::filesystem::path& directory);

 private:
  struct output {
    std::string option;
    emit::destination to{};
    std::vector<std::uint8_t> bytes{};
    bool complete = false;
  };

  void read(const std::filesystem::path& path);
  void refuse_input(std::string_view option, const std::filesystem::path& path,
                    const emit::file_identity&) const;

  std::map<emit::file_identity, std::filesystem::path> inputs_{};
  std::vector<output> outputs_{};
  std::vector<std::string> lines_{};
  std::vector<std::filesystem::path> made_{};  // directories
  bool to_standard_output_ = false;
};

// Hands on what was printed so far: before an answer in an exit code, of which it tells more.
// Throws nvdlac::error where the standard output takes no more.
void flush_standard_output();

// Returns what CLI11 is to say about the name of an output; nothing if it is one.
std::string check_output_name(const std::string& name);

// "out/digits.nv_small.nvdla" of "out/digits.nvdla" and "nv_small". A usage_error if the option
// names no file that others can be beside, but a device, a FIFO or the standard output.
std::filesystem::path with_infix(std::string_view option, const std::filesystem::path& path,
                                 std::string_view infix);
void require_file(std::string_view option, const std::filesystem::path& path);

}  // namespace nvdlac::cli
