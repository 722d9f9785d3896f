// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Caffe.
#pragma once
#include <nvdlac/impl/import/caffe.ipp>
#include <nvdlac/impl/import/caffe/converter.ipp>
#include <nvdlac/impl/import/caffe/detection.ipp>
#include <nvdlac/impl/import/caffe/elementwise.ipp>
#include <nvdlac/impl/import/caffe/layer.ipp>
#include <nvdlac/impl/import/caffe/layout.ipp>
#include <nvdlac/impl/import/caffe/parameters.ipp>
#include <nvdlac/impl/import/caffe/part.ipp>
#include <nvdlac/impl/import/caffe/weights.ipp>
