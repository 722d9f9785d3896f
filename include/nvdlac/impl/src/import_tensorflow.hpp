// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of TensorFlow.
#pragma once
#include <nvdlac/impl/import/tensorflow.ipp>
#include <nvdlac/impl/import/tensorflow/array.ipp>
#include <nvdlac/impl/import/tensorflow/bundle.ipp>
#include <nvdlac/impl/import/tensorflow/conversion.ipp>
#include <nvdlac/impl/import/tensorflow/convolution.ipp>
#include <nvdlac/impl/import/tensorflow/elementwise.ipp>
#include <nvdlac/impl/import/tensorflow/graph.ipp>
#include <nvdlac/impl/import/tensorflow/layout.ipp>
#include <nvdlac/impl/import/tensorflow/node.ipp>
#include <nvdlac/impl/import/tensorflow/operators.ipp>
#include <nvdlac/impl/import/tensorflow/tensors.ipp>
#include <nvdlac/impl/import/tensorflow/translator.ipp>
