// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which operators each format may have, from the tables of the importers themselves.
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nvdlac::report {

// What an importer understands: a name of the format, and the names of its operators.
struct understood_format {
  std::string_view key, title;
  std::set<std::string> names{};
};

std::vector<understood_format> understood_formats();

// What the formats call alike, whatever their habits: BatchMatMulV2 is batchmatmul, max_pool2d is
// maxpool.
std::string stem_of(std::string_view name);

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
     "matmul bmm mm batchmatmul batchedmatmul matmulinteger qlinearmatmul"},
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
    {"Tensors together", "comparison and choice", "equal greater less and or not where"},
    {"Reductions", "mean", "mean reducemean"},
    {"Reductions", "sum", "sum reducesum reducesumsquare reducelogsum reducelogsumexp"},
    {"Reductions", "maximum and minimum", "max min amax amin reducemax reducemin"},
    {"Reductions", "norm and product",
     "reducel1 reducel1norm reducel2 reducel2norm reduceprod prod"},
    {"Reductions", "of a kind that it tells", "reduce reduction"},
    {"Reductions", "place of an extremum", "argmax argmin"},
    {"Moves", "concatenation", "concat concatenate concatenation cat qlinearconcat route"},
    {"Moves", "new axis", "pack unpack"},
    {"Moves", "parts",
     "split splitv splitwithsizes chunk slice sliceaxis slicebyindex slicechannel slicestatic "
     "stridedslice select gather"},
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
     "fakequantwithminmaxargs fakequantwithminmaxvars fakequantwithminmaxvarsperchannel"},
    {"Whole numbers", "other types", "cast to tocopy"},
    {"Whole numbers", "constants and shapes",
     "constant constantofshape loadconstant fill range rank shape size symsize oneslike zeroslike"},
    {"The rest", "nothing, when a network is used",
     "identity copy clone alias detach contiguous snapshot dropout alphadropout featuredropout "
     "gaussiandropout gaussiannoise spatialdropout activityregularization blockgrad stopgradient "
     "preventgradient checknumerics readvariableop placeholderwithdefault silence empty cost "
     "makeloss linearregressionoutput caffe:split"},
    {"The rest", "heads of detectors", "yolo gaussianyolo region detection"},
    {"The rest", "functions of the framework", "tfoplambda dft"},
};

namespace detail {

std::vector<std::string> words_of(std::string_view list);

// Words in lines of at most 100 columns.
std::string wrapped(const std::string& paragraph);

// The lines of the page by stems, with or without their formats.
std::map<std::string, std::size_t> lines_by_stem();

// Cells of a line, one for each format.
using formats_line = std::vector<std::string>;

std::string formats_table(const std::vector<understood_format>& all,
                          const std::vector<std::pair<std::string, formats_line>>& lines);

}  // namespace detail

// docs/formats.md
std::string formats_page();

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/formats_page.ipp>
#endif
