// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of TFLite.
#pragma once
#include <nvdlac/impl/import/tflite.ipp>
#include <nvdlac/impl/import/tflite/custom_options.ipp>
#include <nvdlac/impl/import/tflite/layers.ipp>
#include <nvdlac/impl/import/tflite/layout.ipp>
#include <nvdlac/impl/import/tflite/model.ipp>
#include <nvdlac/impl/import/tflite/post_process.ipp>
#include <nvdlac/impl/import/tflite/schema.ipp>
#include <nvdlac/impl/import/tflite/sparse.ipp>
#include <nvdlac/impl/import/tflite/svdf.ipp>
