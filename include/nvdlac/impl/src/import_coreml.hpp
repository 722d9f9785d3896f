// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Core ML.
#pragma once
#include <nvdlac/impl/import/coreml.ipp>
#include <nvdlac/impl/import/coreml/conversion.ipp>
#include <nvdlac/impl/import/coreml/feature.ipp>
#include <nvdlac/impl/import/coreml/layers.ipp>
#include <nvdlac/impl/import/coreml/model.ipp>
#include <nvdlac/impl/import/coreml/moving.ipp>
#include <nvdlac/impl/import/coreml/operation.ipp>
#include <nvdlac/impl/import/coreml/operations.ipp>
#include <nvdlac/impl/import/coreml/schema.ipp>
#include <nvdlac/impl/import/coreml/value_reader.ipp>
#include <nvdlac/impl/import/coreml/weight_files.ipp>
#include <nvdlac/impl/import/coreml/weights.ipp>
