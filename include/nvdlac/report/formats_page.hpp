// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators that each format may have, from the tables of the importers themselves.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/operations.hpp>
#include <nvdlac/import/darknet/layer_types.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/mxnet/operators.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/pytorch/operators.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>
#include <nvdlac/import/tflite.hpp>
#include <nvdlac/import/tflite/model.hpp>

namespace nvdlac::report {

// A format that an importer understands: a name of the format, and the names of its operators.
struct understood_format {
  std::string_view key, title;
  std::set<std::string> names{};
};

inline std::vector<understood_format> understood_formats() {
  namespace in = import;
  const auto keys = [](const auto& table) {
    std::set<std::string> all;
    for (const auto& [name, ignored] : table) all.emplace(name);
    return all;
  };
  std::set<std::string> tflite;
  for (const auto& o : in::tflite_format::operators)
    tflite.insert(in::tflite_format::builtin_name(o.code));
  for (const auto& o : in::tflite_format::custom_operators) tflite.emplace(o.name);
  return {{"onnx", "ONNX", keys(in::onnx_format::operators())},
          {"pytorch", "PyTorch", keys(in::pytorch_format::operators())},
          {"tensorflow", "TensorFlow", keys(in::tensorflow_format::operators())},
          {"keras", "Keras", keys(in::keras_format::operators())},
          {"tflite", "TensorFlow Lite", tflite},
          {"caffe", "Caffe", keys(in::caffe_format::layer_types())},
          {"darknet", "Darknet", keys(in::darknet_format::layer_types())},
          {"mxnet", "MXNet", keys(in::mxnet_format::operators())},
          {"caffe2", "Caffe2", keys(in::caffe2_format::operators())},
          {"coreml", "Core ML networks", keys(in::coreml_format::layers())},
          {"mlprogram", "Core ML programs", keys(in::coreml_format::program::operations())}};
}

// Returns the name that formats share for an operator, whatever their habits: BatchMatMulV2 is
// batchmatmul, max_pool2d is maxpool.
inline std::string stem_of(std::string_view name) {
  name.remove_prefix(std::min(name.find(':') + 1, name.size()));  // a domain of ONNX
  if (name.ends_with("_nd") ||
      (name.size() > 2 && name.ends_with("ND") && name[name.size() - 3] >= 'a'))
    name.remove_suffix(2);
  std::string s;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      s += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view end : {"v2", "v3", "1d", "2d"})
      if (s.size() > end.size() && s.ends_with(end)) {
        s.resize(s.size() - end.size());
        shorter = true;
      }
  }
  return s;
}

// A line of the page: what is computed, and the stems of names for it, each perhaps of one format
// alone.
struct operation_line {
  std::string_view section, title, stems;
};
inline constexpr operation_line operation_lines[] = {
    {"Products", "convolution",
     "conv convolution convolutional fusedconv convinteger qlinearconv depthwiseconv "
     "depthwiseconv2dnative convolutiondepthwise depthwiseconvolution separableconv "
     "qconv qdepthwiseconv qseparableconv"},
    {"Products", "transposed convolution",
     "convtranspose conv2dtranspose conv2dbackpropinput transposeconv deconv deconvolution "
     "deconvolutional qconv2dtranspose"},
    {"Products", "fully connected",
     "gemm qgemm addmm linear dense fullyconnected innerproduct conn connected fc qdense"},
    {"Products", "product of matrices",
     "matmul bmm mm batchmatmul batchedmatmul matmulinteger qlinearmatmul einsum"},
    {"Products", "recurrent",
     "lstm gru rnn simplernn bidirectional svdf unidirectionalsequencelstm"},
    {"Poolings", "maximum",
     "maxpool maxpool2dwithindices maxpooling nhwcmaxpool adaptivemaxpool globalmaxpool "
     "globalmaxpooling darknet:max"},
    {"Poolings", "average",
     "averagepool averagepooling avgpool avg localavg localavgpool adaptiveavgpool "
     "globalaveragepool globalaveragepooling qlinearaveragepool qlinearglobalaveragepool "
     "qaveragepooling qglobalaveragepooling"},
    {"Poolings", "of a kind that it tells", "pooling spp"},
    {"Poolings", "Lp", "lppool globallppool l2pool"},
    {"Normalisations", "batch",
     "batchnorm batchnormalization fusedbatchnorm nativebatchnormlegitnotraining spatialbn "
     "normalization qbatchnormalization"},
    {"Normalisations", "local response",
     "lrn localresponsenorm localresponsenormalization"},
    {"Normalisations", "instance, group and layer",
     "instancenorm instancenormalization groupnormalization layernormalization "
     "meanvariancenormalization mvn rmsnormalization"},
    {"Normalisations", "by a norm", "lpnormalization l2normalization normalize"},
    {"Normalisations", "scale and bias",
     "scale bias biasadd scalechannels rescaling linearactivation power axpy"},
    {"Functions", "of a kind that it tells", "activation qactivation unary"},
    {"Functions", "ReLU", "relu"},
    {"Functions", "clipping",
     "relu6 relu0to1 relun1to1 clip clipbyvalue clamp clampedrelu hardtanh"},
    {"Functions", "leaky and parametric ReLU", "leakyrelu prelu qlinearleakyrelu"},
    {"Functions", "thresholds", "thresholdedrelu threshold shrink"},
    {"Functions", "sigmoid",
     "sigmoid logistic hardsigmoid sigmoidhard qlinearsigmoid logisticregressionoutput"},
    {"Functions", "hyperbolic", "tanh sinh cosh asinh acosh atanh"},
    {"Functions", "ELU", "elu celu selu"},
    {"Functions", "SiLU, swish and mish", "silu swish hardswish mish"},
    {"Functions", "GELU", "gelu biasgelu fastgelu quickgelu"},
    {"Functions", "softplus and softsign", "softplus bnll softsign"},
    {"Functions", "exponential and logarithm", "exp log"},
    {"Functions", "roots and powers",
     "sqrt rsqrt square pow powbroadcastable reciprocal inv inverse"},
    {"Functions", "trigonometric", "sin cos tan asin acos atan"},
    {"Functions", "sign, size and rounding",
     "abs absval neg sign ceil floor round rint erf"},
    {"Functions", "softmax",
     "softmax softmaxactivation softmaxoutput soft qlinearsoftmax logsoftmax hardmax"},
    {"Tensors together", "sum",
     "add addn addbroadcastable accumulaten biasadd plus plusscalar elemwiseadd elementwisesum "
     "broadcastadd qlinearadd shortcut onnx:sum caffe2:sum"},
    {"Tensors together", "difference",
     "sub subtract subtractbroadcastable minus minusscalar rminusscalar elemwisesub broadcastsub "
     "squareddifference"},
    {"Tensors together", "product",
     "mul multiply multiplybroadcastable mulscalar elemwisemul broadcastmul qlinearmul sam"},
    {"Tensors together", "quotient",
     "div divscalar dividebroadcastable elemwisediv broadcastdiv realdiv truedivide floordiv "
     "floormod mod"},
    {"Tensors together", "extremum",
     "maximum minimum maxbroadcastable minbroadcastable broadcastmaximum broadcastminimum "
     "onnx:max onnx:min coreml:max coreml:min"},
    {"Tensors together", "average", "average onnx:mean"},
    {"Tensors together", "of a kind that it tells", "eltwise merge"},
    {"Tensors together", "comparison and choice",
     "equal eq ne greater gt greaterorequal ge less lt lessorequal le and logicaland or logicalor "
     "not logicalnot where maskedfill"},
    {"Reductions", "mean", "mean reducemean"},
    {"Reductions", "sum", "sum cumsum reducesum reducesumsquare reducelogsum reducelogsumexp"},
    {"Reductions", "maximum and minimum", "max min amax amin reducemax reducemin"},
    {"Reductions", "norm and product",
     "reducel1 reducel1norm reducel2 reducel2norm reduceprod prod"},
    {"Reductions", "of a kind that it tells", "reduce reduction"},
    {"Reductions", "place of an extremum", "argmax argmin"},
    {"Moves", "concatenation", "concat concatenate concatenation cat qlinearconcat route"},
    {"Moves", "new axis", "pack unpack"},
    {"Moves", "parts",
     "split splitv splitwithsizes chunk slice sliceaxis slicebyindex slicechannel slicestatic "
     "stridedslice select gather gatherelements scatter"},
    {"Moves", "cropping", "crop cropping"},
    {"Moves", "padding",
     "pad padding constantpad mirrorpad reflectionpad replicationpad zeropadding"},
    {"Moves", "shape",
     "reshape reshapestatic rankpreservingreshape view unsafeview flatten flattento squeeze "
     "unsqueeze expanddims"},
    {"Moves", "order", "transpose permute swapaxis t reverse shufflechannel"},
    {"Moves", "repetition", "tile expand broadcastto"},
    {"Moves", "depth and space",
     "depthtospace spacetodepth pixelshuffle reorganizedata reorg reorg3d batchtospace "
     "spacetobatch"},
    {"Moves", "resizing",
     "resize resizebilinear resizenearest resizenearestneighbor upsample upsamplebilinear "
     "upsamplenearest upsamplenearestneighbor upsampling interp gridsample"},
    {"Whole numbers", "quantisation",
     "quantize quantizelinear dequantize dequantizelinear dynamicquantizelinear "
     "fakequantwithminmaxargs fakequantwithminmaxvars fakequantwithminmaxvarsperchannel quant "
     "bipolarquant trunc"},
    {"Whole numbers", "other types", "cast to tocopy"},
    {"Whole numbers", "constants and shapes",
     "constant constantofshape loadconstant fill range rank shape size symsize oneslike zeroslike "
     "densify"},
    {"The rest", "nothing, when a network is used",
     "identity copy clone alias detach contiguous snapshot dropout alphadropout featuredropout "
     "gaussiandropout gaussiannoise spatialdropout activityregularization blockgrad stopgradient "
     "preventgradient checknumerics readvariableop placeholderwithdefault silence empty cost "
     "makeloss linearregressionoutput caffe:split"},
    {"The rest", "heads of detectors",
     "yolo gaussianyolo region detection priorbox detectionoutput nonmaxsuppression topk "
     "tflitedetectionpostprocess"},
    {"The rest", "functions of the framework", "tfoplambda dft"},
};

namespace detail {

inline std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> all;
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    all.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

// Words in lines of at most 100 columns.
inline std::string wrapped(const std::string& paragraph) {
  std::string s;
  std::size_t column = 0;
  for (const auto& word : words_of(paragraph)) {
    const bool full = column + word.size() + 1 > 100;
    if (column > 0) s += full ? '\n' : ' ';
    column = full ? word.size() : column + word.size() + (column > 0 ? 1 : 0);
    s += word;
  }
  return s + '\n';
}

// The lines of the page by stems, with or without their formats.
inline std::map<std::string, std::size_t> lines_by_stem() {
  std::map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < std::size(operation_lines); ++i)
    for (auto& stem : words_of(operation_lines[i].stems)) lines.emplace(std::move(stem), i);
  return lines;
}

// Cells of a line, one for each format.
using formats_line = std::vector<std::string>;

inline std::string formats_table(const std::vector<understood_format>& all,
                                 const std::vector<std::pair<std::string, formats_line>>& lines) {
  std::string s = "| |", rule = "|---|";
  for (const auto& f : all) {
    s += text(' ', f.title, " |");
    rule += "---|";
  }
  s += '\n' + rule + '\n';
  for (const auto& [title, cells] : lines) {
    s += "| " + title + " |";
    for (const auto& c : cells) s += c.empty() ? " |" : ' ' + c + " |";
    s += '\n';
  }
  return s;
}

}  // namespace detail

// docs/formats.md
inline std::string formats_page() {
  const auto all = understood_formats();
  const auto by_stem = detail::lines_by_stem();
  std::vector<detail::formats_line> found(std::size(operation_lines),
                                          detail::formats_line(all.size()));
  std::map<std::string, detail::formats_line> others;
  const auto& of_onnx = import::onnx_format::operators();
  const auto mark = [&](std::string_view key, const std::string& name) -> std::string_view {
    const auto entry = key == "onnx" ? of_onnx.find(name) : of_onnx.end();
    if (entry == of_onnx.end()) return {};
    return entry->second.of_constants ? " [1]" : "";
  };
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const auto& name : all[f].names) {
      const auto stem = stem_of(name);
      auto line = by_stem.find(text(all[f].key, ':', stem));
      if (line == by_stem.end()) line = by_stem.find(stem);
      auto& cell = line != by_stem.end() ? found[line->second][f]
                                         : others.try_emplace(stem, all.size()).first->second[f];
      cell += text(cell.empty() ? "`" : ", `", name, '`', mark(all[f].key, name));
    }
  std::string s = "# Formats and their operators\n\n" + detail::wrapped(text(
      "Generated by `tools/generate_formats_page.cpp` from the tables of the importers; a test "
      "compares this file with them. A line is what is computed, and a cell has the format's own "
      "names for it. A form of an operator that NVDLA cannot compute is refused with its reason, "
      "as is every attribute that is not understood; what runs where is [another "
      "page](operators.md). ONNX is read in opsets ", import::onnx_format::first_opset, " to ",
      import::onnx_format::last_opset, "; of its operators those with [1] count only where all "
      "inputs are constant."));
  std::vector<std::pair<std::string, detail::formats_line>> lines;
  std::string_view section;
  const auto close = [&] {
    if (!lines.empty()) s += text("\n## ", section, "\n\n", detail::formats_table(all, lines));
    lines.clear();
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (operation_lines[i].section != section) close();
    section = operation_lines[i].section;
    lines.emplace_back(operation_lines[i].title, found[i]);
  }
  close();
  section = "Others";
  for (const auto& [stem, cells] : others) lines.emplace_back(stem, cells);
  close();
  s += "\n## Operators of each\n\n| format | names |\n|---|---:|\n";
  for (const auto& f : all) s += text("| ", f.title, " | ", f.names.size(), " |\n");
  return s;
}

}  // namespace nvdlac::report
