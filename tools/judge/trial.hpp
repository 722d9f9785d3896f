// SPDX-License-Identifier: Apache-2.0
#pragma once
// One way to compile and run a model, and what the judges that need no other engine say of it.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <optional>
#include <string>
#include <vector>

#include "onnx.hpp"
#include "target.hpp"

namespace nvdlac::judge {

// The options of the command line that a model is tried with.
struct trial {
  std::string configuration{}, precision = "int8";
  std::set<std::string> without{};
  std::size_t optimize = 0;
  int effort = 0, batch = 1;
  std::string winograd = "off", prefer{}, cvsram{}, observer{};
  bool approximate = false;
  bool pixels = false;      // the inputs are pictures, from 0 to 255
  bool calibrated = true;   // or in the model's own scales
  bool keep_scales = false;
  bool verified = false;    // `verify` itself is asked as well

  // Whether it says the same as the plain one but for what claims to keep every value.
  bool keeps_values() const;
  // As words of the command line; `calibration` and `inputs` are those of --calibration.
  std::vector<std::string> words(const std::vector<std::string>& calibration) const;
};

// A model and its inputs as files: NAME.onnx, and of each input NAME.INPUT.npy with its samples,
// which serve as calibration too.
struct exhibit {
  std::filesystem::path folder{};
  std::string name{};
  std::vector<value> inputs{};

  std::filesystem::path file(const std::string& ending) const { return folder / (name + ending); }
  std::vector<std::string> arguments() const;  // as --calibration and --input take the samples
};

// Facts that the judges have to know of a model.
struct traits {
  bool has_jumps = false;   // as of model
  bool own_scales = false;  // it is quantised already
};

// Kinds of faults, in order of who says so.
enum class finding : std::uint8_t {
  none, refused,   // no finding: the model is refused with a reason
  crash, time,     // the process ended by a signal, or not at all
  defect,          // an error that is not the user's
  passes,          // the float network behind the passes is not the one before
  simulator,       // the simulator is not the integer network
  trace,           // the trace is not the loadable's run
  numbers,         // integers are farther from float than their scales explain
  variants,        // an option that claims to keep all values does not
  engine           // another engine gives other floats
};
const char* name_of(finding);

// An output in the order of the file.
struct output {
  std::string name{};
  std::vector<std::int64_t> shape{};
  std::vector<float> real{};      // of the float network
  std::vector<float> program{};   // of the program
  double ratio = 0;               // of the error to what is expected
  double expected = 0;            // root of the mean square of what rounding makes
};
struct outcome {
  finding what = finding::none;
  std::string why{};
  std::vector<output> outputs{};  // of the first sample
  std::vector<std::string> warnings{};
};

// Runs it here. What ends the process ends the caller.
outcome run_here(const exhibit&, const trial&, cli::target_list, const traits&);
// Leaves the program as a register trace of so many runs with different inputs, the file `to` with
// its memory beside it; gives the cycles predicted for one run with a memory of that latency. None
// if NVDLA computes nothing.
std::optional<std::uint64_t> write_trace(const exhibit&, const trial&, cli::target_list,
                                         const std::filesystem::path& to, std::size_t runs,
                                         std::uint64_t latency);

}  // namespace nvdlac::judge
