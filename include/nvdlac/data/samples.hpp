// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/array_layouts.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::data {

// One input of the network.
struct sample {
  std::string name = {};           // "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<float> values = {};  // channel by channel, preprocessed
  // The bytes of a picture before preprocessing, [height][width][channel of the network].
  std::vector<std::uint8_t> pixels = {};
  // Changes to the picture that its user may not expect: in words that go on a count of pictures;
  // empty: none.
  std::vector<std::string> notes = {};
  std::optional<std::size_t> label = {};  // of a folder of classes: its number among them
};

// Inputs in memory, as an array file has them: bytes are pixels, floats are taken as they are.
// Nothing copies the elements, which stand in the order of the dimensions, the last one running
// fastest.
struct shared_array {
  std::string name{};  // for messages, in place of a file's
  std::vector<std::size_t> dims{};
  std::variant<std::shared_ptr<const float>, std::shared_ptr<const std::uint8_t>> values{};
};

// How files become samples. Bytes are pixels and are preprocessed; floats are taken as they are.
struct sample_options {
  preprocessing how = {};
  array_layout layout = array_layout::automatic;
  std::optional<net::file_tensor> in_file = {};  // what the input is in the network's file
  std::uint64_t most_samples = budget{}.samples;  // of one picture

  const net::file_tensor* form() const { return in_file ? &*in_file : nullptr; }
};

namespace detail {

inline std::size_t unsigned_of(std::int32_t n) { return static_cast<std::size_t>(n); }

// The inputs in one file, made when they are asked for.
struct file_samples {
  std::size_t count = 1;
  std::function<sample(std::size_t)> at{};
};

sample sample_of(std::string name, const picture& p, const net::shape& want,
                 const preprocessing& how, const std::string& file);

std::string element_name(const std::filesystem::path& path, std::size_t i, std::size_t n);

template <class T>
std::vector<T> cube_of(const net::file_tensor& t, const T* from, std::size_t size) {
  return t.to_cube(std::span<const T>(from, size));
}

// An array of bytes: each input is a picture.
file_samples open_pixels(const std::filesystem::path& path, const std::vector<std::size_t>& dims,
                         std::shared_ptr<const std::uint8_t> values, const net::shape& want,
                         const sample_options& options);

file_samples open_floats(const std::filesystem::path& path, const std::vector<std::size_t>& dims,
                         std::shared_ptr<const float> values, const net::shape& want,
                         const sample_options& options);

// The elements of a vector that nobody else needs.
template <class T>
std::shared_ptr<const T> shared_elements(std::vector<T> values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {kept, kept->data()};
}

file_samples open_npy(const std::filesystem::path& path, const file_bytes& bytes,
                      const net::shape& want, const sample_options& options);

// A grey picture of one row per input, each row a picture of interleaved pixels, is how whole
// collections of small pictures are kept in one PNG. Where pictures may have any size, none is.
bool is_collection(const picture& p, const net::shape& want);

file_samples open_pictures(const std::filesystem::path& path, const file_bytes& bytes,
                           const net::shape& want, const sample_options& options);

// Values without a header: as many bytes as the network takes values (pixels, interleaved, or in
// the order of the network's file where that is not [1, c, h, w]), or four times as many
// (little-endian floats in the order of the network's file, or else channel by channel).
file_samples open_raw(const std::filesystem::path& path, file_bytes bytes, const net::shape& want,
                      const sample_options& options);

// ".png" of "A.PNG"
std::string kind_of(const std::filesystem::path& path);

// `path` only names the bytes, and tells by its extension whether they have no header.
file_samples open_bytes(const std::filesystem::path& path, file_bytes bytes, const net::shape& want,
                        const sample_options& options);

file_samples open_file(const std::filesystem::path& path, const net::shape& want,
                       const sample_options& options);

// Throws nvdlac::error for a float that is not finite when its input is asked for.
file_samples open_array(const shared_array& a, const net::shape& want,
                        const sample_options& options);

// Problems of files, each kind told once: with the first of its files, and with how many more there
// are of which the same is true but for numbers.
class file_problems {
 public:
  explicit file_problems(const diagnostics& first);

  void add(const problem& p);
  std::size_t kinds() const { return all_.size(); }
  // Throws all of them, if there are any.
  void check() const;

 private:
  struct kind {
    problem first{};
    std::string words{};  // without numbers
    std::size_t more = 0;
  };
  std::vector<kind> all_{};
};

}  // namespace detail

// A file with inputs, and its class where its directory is one of a folder of classes; or an array.
struct input_file {
  std::filesystem::path path{};
  std::optional<std::size_t> label{};
  std::optional<shared_array> array{};
};

// The files of a directory whose name says that they hold inputs, sorted by name. Where it has
// none, but directories that have, all of its directories are classes, numbered in the order of
// their names, but for hidden ones.
std::vector<input_file> inputs_in(const std::filesystem::path& directory);

// The inputs in files and directories, in the order given; a directory's files by name. One file
// at a time is in memory.
class sample_files {
 public:
  // Notes on what of the directories is not among the files, and on classes without files.
  const std::vector<problem>& passed_over() const { return passed_over_; }

  sample_files(const std::vector<std::filesystem::path>& paths, const net::shape& want,
               const sample_options& options = {});
  // Inputs in memory in place of files.
  sample_files(const shared_array& array, const net::shape& want,
               const sample_options& options = {});

  // Calls visit(sample &&) for every input. Throws nvdlac::error with what is wrong with each file
  // when the others are done: of what many share, one is named, and at most 20 kinds are.
  template <class Visit>
  void each(Visit visit) const {
    detail::file_problems found(absent_);
    reader in(*this);
    while (true) try {
        auto next = in.next();
        if (!next) break;
        visit(std::move(*next));
      } catch (const error& e) {
        for (const auto& p : e.problems()) found.add(p);
        if (found.kinds() >= 20) found.check();
        in.skip();
      }
    found.check();
  }

  // Gives one input after the other. Throws nvdlac::error for what is wrong with a file.
  class reader {
   public:
    explicit reader(const sample_files& files) : files_(&files) {}

    std::optional<sample> next();
    // The rest of the file.
    void skip() { at_ = open_.count; }

   private:
    const sample_files* files_;
    std::size_t file_ = 0, at_ = 0;
    detail::file_samples open_{.count = 0};
  };

 private:
  sample_files(const net::shape& want, const sample_options& options);

  net::shape want_;
  sample_options options_;
  std::vector<input_file> files_{};
  std::vector<problem> passed_over_{};
  diagnostics absent_{};
};

// All of them at once.
std::vector<sample> read_samples(const std::vector<std::filesystem::path>& paths,
                                 const net::shape& want, const sample_options& options = {});

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/samples.ipp>
#endif
