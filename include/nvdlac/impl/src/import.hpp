// SPDX-License-Identifier: Apache-2.0
// The definitions that the readers of several formats share, and the schema of Caffe, whose means
// are read for models of any format.
#pragma once
#include <nvdlac/impl/import/assembly.ipp>
#include <nvdlac/impl/import/caffe/schema.ipp>
#include <nvdlac/impl/import/cut_around.ipp>
#include <nvdlac/impl/import/file.ipp>
#include <nvdlac/impl/import/hdf5.ipp>
#include <nvdlac/impl/import/host_results.ipp>
#include <nvdlac/impl/import/hub/model.ipp>
#include <nvdlac/impl/import/hub/plain_value.ipp>
#include <nvdlac/impl/import/hub/writer.ipp>
#include <nvdlac/impl/import/json.ipp>
#include <nvdlac/impl/import/masks.ipp>
#include <nvdlac/impl/import/model.ipp>
#include <nvdlac/impl/import/packing.ipp>
#include <nvdlac/impl/import/part.ipp>
#include <nvdlac/impl/import/protobuf.ipp>
#include <nvdlac/impl/import/random_weights.ipp>
#include <nvdlac/impl/import/samples.ipp>
#include <nvdlac/impl/import/translation/channels_first.ipp>
#include <nvdlac/impl/import/translation/conversion.ipp>
#include <nvdlac/impl/import/translation/input_shapes.ipp>
#include <nvdlac/impl/import/translation/layer_writer.ipp>
#include <nvdlac/impl/import/translation/moving.ipp>
#include <nvdlac/impl/import/translation/recurrent.ipp>
#include <nvdlac/impl/import/translation/selection.ipp>
#include <nvdlac/impl/import/translation/values.ipp>
#include <nvdlac/impl/import/turned_inputs.ipp>
#include <nvdlac/impl/import/user_names.ipp>
#include <nvdlac/impl/import/weight_source.ipp>
