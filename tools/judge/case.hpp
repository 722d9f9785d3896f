// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model and the trials of it, judged; and a finding, left for who mends it.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "engine.hpp"
#include "onnx.hpp"
#include "trial.hpp"

namespace nvdlac::judge {

// A model, how it is run, and how else, which may have to give the same.
struct trial_pair {
  model network{};
  trial plain{};
  std::optional<trial> variant{};
  std::uint64_t seed = 0;  // of the inputs
};

class court {
 public:
  // Works in the folder. Without an engine no other's floats are compared.
  court(std::filesystem::path folder, cli::target_list targets, onnx_runtime* engine,
        const limits& = {});

  // Returns what is wrong with the plain trial, or with the variant.
  outcome judge(const trial_pair&);
  // The smallest that is wrong in the same way.
  trial_pair smallest(trial_pair, const outcome&);
  // Leaves the files of the case as FOLDER/NAME.*: model, inputs, NAME.json for `again`, and
  // NAME.txt with the command that shows it.
  void leave(const trial_pair&, const outcome&, const std::filesystem::path& folder,
             const std::string& name) const;
  // Judges what `leave` left.
  outcome again(const std::filesystem::path& json);

  std::size_t trials() const { return trials_; }
  std::size_t compared() const { return compared_; }  // with another engine
  std::size_t not_compared() const { return not_compared_; }  // as it refuses them

 private:
  outcome judge_files(const exhibit&, const trial& plain, const std::optional<trial>& variant,
                      const traits&);
  void judge_engine(const exhibit&, const trial&, outcome&, const traits&);

  std::filesystem::path folder_;
  cli::target_list targets_;
  onnx_runtime* engine_;
  limits limits_;
  std::size_t trials_ = 0, compared_ = 0, not_compared_ = 0;
};

// The files of a model and its inputs, which are pixels or real numbers.
exhibit write_exhibit(const model&, std::uint64_t seed, bool pixels,
                      const std::filesystem::path& folder, const std::string& name);

}  // namespace nvdlac::judge
