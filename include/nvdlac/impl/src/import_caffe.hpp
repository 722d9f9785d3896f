// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Caffe.
#pragma once
#include <nvdlac/impl/import/caffe.ipp>
#include <nvdlac/impl/import/caffe/activation.ipp>
#include <nvdlac/impl/import/caffe/blob.ipp>
#include <nvdlac/impl/import/caffe/context.ipp>
#include <nvdlac/impl/import/caffe/convolution.ipp>
#include <nvdlac/impl/import/caffe/detection.ipp>
#include <nvdlac/impl/import/caffe/elementwise.ipp>
#include <nvdlac/impl/import/caffe/host.ipp>
#include <nvdlac/impl/import/caffe/layer.ipp>
#include <nvdlac/impl/import/caffe/layer_types.ipp>
#include <nvdlac/impl/import/caffe/layout.ipp>
#include <nvdlac/impl/import/caffe/parameters.ipp>
#include <nvdlac/impl/import/caffe/part.ipp>
#include <nvdlac/impl/import/caffe/pooling.ipp>
#include <nvdlac/impl/import/caffe/reshape.ipp>
#include <nvdlac/impl/import/caffe/weights.ipp>
