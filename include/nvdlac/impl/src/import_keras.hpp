// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Keras.
#pragma once
#include <nvdlac/impl/import/keras.ipp>
#include <nvdlac/impl/import/keras/activation.ipp>
#include <nvdlac/impl/import/keras/convolution.ipp>
#include <nvdlac/impl/import/keras/description.ipp>
#include <nvdlac/impl/import/keras/graph.ipp>
#include <nvdlac/impl/import/keras/layer.ipp>
#include <nvdlac/impl/import/keras/normalisation.ipp>
#include <nvdlac/impl/import/keras/operators.ipp>
#include <nvdlac/impl/import/keras/quantiser.ipp>
#include <nvdlac/impl/import/keras/recurrent.ipp>
#include <nvdlac/impl/import/keras/translator.ipp>
#include <nvdlac/impl/import/keras/weights_file.ipp>
#include <nvdlac/impl/import/keras/wrappers.ipp>
