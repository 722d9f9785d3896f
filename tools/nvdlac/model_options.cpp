// SPDX-License-Identifier: Apache-2.0
#include "model_options.hpp"

#include <initializer_list>

#include <CLI/CLI.hpp>

#include <nvdlac/compile_options.hpp>

#include "carried_option.hpp"
#include "described_options.hpp"
#include "limit_options.hpp"
#include "observers.hpp"

namespace nvdlac::cli {
namespace {

void group(CLI::App& app, const char* name, std::initializer_list<const char*> options) {
  for (const char* option : options) app.get_option(option)->group(name);
}

}  // namespace

void add_reading(CLI::App& app, model_options& to) {
  app.add_option("MODEL", to.model,
                 "ONNX or TFLite file, TensorFlow graph (frozen .pb or .pbtxt) or SavedModel "
                 "directory, Keras model (.h5 or .keras, or its JSON), archive of PyTorch's "
                 "torch.export (.pt2), Caffe prototxt, Darknet cfg, MXNet symbol, Caffe2's "
                 "predict_net, or Core ML model (.mlmodel or .mlpackage)")
      ->type_name("FILE|DIR");
  auto* const weights =
      app.add_option("WEIGHTS", to.weights,
                     "The caffemodel that belongs to a prototxt (also in HDF5), the weights of a "
                     "Darknet cfg or of a Keras model in JSON, MXNet's params, or Caffe2's "
                     "init_net")
          ->type_name("FILE");
  app.add_option("--random-weights", to.random_weights,
                 "Noise of this seed in place of WEIGHTS, or of the weights that the file holds: "
                 "how a network that is not trained yet compiles. Weights are spread evenly over "
                 "+-sqrt(6 / inputs of a sum), which keeps the size of values behind a ReLU")
      ->type_name("SEED")->excludes(weights);
  app.add_option("--from", to.from,
                 "Begin behind this layer, named as the file has it, or its tensor, or its number: "
                 "what it gives is an input; may be given several times")
      ->type_name("LAYER");
  app.add_option("--to", to.to,
                 "End with this layer: what it gives is an output; may be given several times")
      ->type_name("LAYER");
  app.add_option("--shape", to.shapes,
                 "Shape of an input as the file has it, where the file leaves sizes open: "
                 "--shape images=1,224,224,3; may be given several times")
      ->type_name("INPUT=N,N,..");
  app.add_option("--state", to.state,
                 "What recurrent layers begin with: zero (default), which they forget, or step: "
                 "their states are inputs, and outputs that the next run takes, so that one step "
                 "or several of a sequence without end are a run")
      ->check(CLI::IsMember({"zero", "step"}))->type_name("zero|step");
  app.add_option("--epsilon", to.epsilon,
                 "What batch normalisations of a Darknet network add to their variance: 1e-5 "
                 "(default, as the common fork) or 1e-6 (as OpenCV)")
      ->type_name("NUMBER");
  add_limits(app, to.limits);
  group(app, "The model: its weights, which part of it, of what shape",
        {"--random-weights", "--from", "--to", "--shape", "--state", "--epsilon", "--limit"});
}

// Long because it is a list of options.
void add_model_options(CLI::App& app, model_options& to) {
  add_reading(app, to);
  app.add_option("-c,--config", to.configs,
                 "Configuration of NVDLA, see `nvdlac configs`; may be given several times")
      ->type_name("NAME");

  app.add_option("--precision", to.precision,
                 "Numbers of the network: int8 (default), int16 or fp16, where the configuration "
                 "has them, and of single layers: fp16,conv1=int8,fc2=int16; in fp16 only "
                 "functions of tables and normalisations need scales")
      ->type_name("TYPE,LAYER=TYPE,..");
  app.add_option("--prefer", to.prefer,
                 "With --precision int16 or fp16: in int8 as many layers as leave the first class "
                 "of all but so many percent of the --calibration inputs as it is in float; the "
                 "--precision that says so is told, for the next time")
      ->type_name("int8=PERCENT");

  app.add_option("--host", to.host,
                 "What the host's processor computes between the layers of NVDLA: allow (all that "
                 "the configuration cannot compute), forbid (nothing), or a list of operators or "
                 "layers, such as elu,pool5; by default nothing but softmax over channels. With "
                 "several --config, what one of them cannot compute is on the host for all")
      ->type_name("allow|forbid|LIST");
  app.add_flag("--approximate", to.approximate,
               "Where a configuration has no table for functions: sigmoid, tanh, erf, SiLU and "
               "GELU in five straight lines each, off by at most 0.02 to 0.05; with several "
               "--config for all, if one of them has none");
  app.add_option("--winograd", to.winograd,
                 "Which dense convolutions of 3x3 run in Winograd's mode, where the configuration "
                 "has it and they are predicted to be faster: off (default), auto (those of 16 "
                 "bits), or all (those of int8 as well, which lose accuracy by it, with --effort 2 "
                 "less); with several --config those that are faster on all")
      ->check(CLI::IsMember({"off", "auto", "all"}))->type_name("off|auto|all");

  add_carry_states(app, to.carry_states,
                   "The inputs of --calibration, and of --input, are the steps of a sequence: "
                   "states begin with zeros, and are then what the step before has left, of the "
                   "float network and of the program each their own");
  const std::string scales =
      "Scales of int8 and int16 tensors: from pictures or from a table; a quantised model has its "
      "own";
  app.add_option("--calibration", to.calibration,
                 "Typical inputs: directory or file of pictures (PGM, PPM, PNG, JPEG, BMP, WebP), "
                 "npy, IDX or raw; NAME=FILE for one of several inputs; may be given several times")
      ->type_name("DIR|FILE")->group(scales);
  auto* const observer =
      app.add_option("--observer", to.observer,
                     "How a tensor's values become its scale: " + observer_names() + "; default " +
                         default_observer_name())
          ->type_name("NAME")->group(scales);
  suggest(*observer, observer_names());
  app.add_option("--scales", to.scales,
                 "Table of layers and scales in JSON, instead of a calibration; with --calibration "
                 "that gives what the table lacks")
      ->type_name("FILE")->group(scales);
  app.add_flag("--keep-scales", to.keep_scales,
               "A quantised model's own scales stay, and --calibration gives what they lack "
               "instead of replacing all")
      ->group(scales);

  app.add_option("--effort", to.effort,
                 "What is done for the accuracy of int8 beyond what is free: 0 (default) nothing; "
                 "1 brings channels to one range, where that brings the outputs clearly nearer to "
                 "float's, in seconds; 2 chooses weights and biases by what each layer "
                 "gives for the --calibration inputs as well, in seconds to minutes, best with 200 "
                 "of them; 3 tries the scale of each tensor by the error of the outputs, too, in "
                 "minutes. A fourth of the inputs is held back; what does not make the outputs "
                 "clearly better for these is not taken, and told. The program is as fast as "
                 "without; the same inputs give the same one")
      ->check(CLI::Range(0, most_effort))->type_name("0|1|2|3")->group(scales);

  add_preprocessing(app, to.preprocessing);
  app.add_option("--input-format", to.input_format,
                 "What the program reads: pixels (converted by the hardware), int8 (or int16: "
                 "converted by the host), or auto (default): pixels where inputs are pictures and "
                 "the first layer can read them; in fp16 always such values")
      ->check(CLI::IsMember({"auto", "pixels", "int8"}))->type_name("FORMAT");
  app.add_option("--without", to.without, "Leave out this pass; may be given several times")
      ->type_name("PASS");
  group(app, "How it is computed",
        {"--precision", "--prefer", "--host", "--approximate", "--winograd", "--carry-states",
         "--input-format", "--without"});
}

}  // namespace nvdlac::cli
