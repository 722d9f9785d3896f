// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of ONNX files.
#pragma once
#include <nvdlac/impl/import/onnx.ipp>
#include <nvdlac/impl/import/onnx/activation.ipp>
#include <nvdlac/impl/import/onnx/arithmetic.ipp>
#include <nvdlac/impl/import/onnx/arrangement.ipp>
#include <nvdlac/impl/import/onnx/array.ipp>
#include <nvdlac/impl/import/onnx/batch.ipp>
#include <nvdlac/impl/import/onnx/canvas.ipp>
#include <nvdlac/impl/import/onnx/context.ipp>
#include <nvdlac/impl/import/onnx/fold.ipp>
#include <nvdlac/impl/import/onnx/functions.ipp>
#include <nvdlac/impl/import/onnx/host.ipp>
#include <nvdlac/impl/import/onnx/layers.ipp>
#include <nvdlac/impl/import/onnx/matrix.ipp>
#include <nvdlac/impl/import/onnx/meaning.ipp>
#include <nvdlac/impl/import/onnx/movement.ipp>
#include <nvdlac/impl/import/onnx/moving.ipp>
#include <nvdlac/impl/import/onnx/operators.ipp>
#include <nvdlac/impl/import/onnx/pooling.ipp>
#include <nvdlac/impl/import/onnx/qlinear.ipp>
#include <nvdlac/impl/import/onnx/quantised.ipp>
#include <nvdlac/impl/import/onnx/reader.ipp>
#include <nvdlac/impl/import/onnx/rearranging.ipp>
#include <nvdlac/impl/import/onnx/reduction.ipp>
#include <nvdlac/impl/import/onnx/sampling.ipp>
#include <nvdlac/impl/import/onnx/schema.ipp>
