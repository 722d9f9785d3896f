// SPDX-License-Identifier: Apache-2.0
// The definitions of all that nvdlac.hpp declares: one source of a program includes it and names
// the configurations of its products. A program of one source includes it in place of nvdlac.hpp
// and needs to name none.
//
//   #include <nvdlac/src.hpp>
//   NVDLAC_PRODUCT(nvdlac::nv_small)
//
// Where a program of several sources includes headers of rooms in many of them, it defines
// NVDLAC_COMPILED for all: the functions that are no templates are then defined here alone.
#pragma once
#include <nvdlac/impl/src/read.hpp>
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/product_definitions.hpp>

#ifdef NVDLAC_COMPILED
#include <nvdlac/impl/src/choose.hpp>
#include <nvdlac/impl/src/core.hpp>
#include <nvdlac/impl/src/files.hpp>
#include <nvdlac/impl/src/import.hpp>
#include <nvdlac/impl/src/import_caffe.hpp>
#include <nvdlac/impl/src/import_caffe2.hpp>
#include <nvdlac/impl/src/import_coreml.hpp>
#include <nvdlac/impl/src/import_darknet.hpp>
#include <nvdlac/impl/src/import_keras.hpp>
#include <nvdlac/impl/src/import_mxnet.hpp>
#include <nvdlac/impl/src/import_onnx.hpp>
#include <nvdlac/impl/src/import_pytorch.hpp>
#include <nvdlac/impl/src/import_tensorflow.hpp>
#include <nvdlac/impl/src/import_tflite.hpp>
#include <nvdlac/impl/src/prepare.hpp>
#include <nvdlac/impl/src/quant.hpp>
#include <nvdlac/impl/src/report.hpp>
#include <nvdlac/impl/src/sim.hpp>
#endif
