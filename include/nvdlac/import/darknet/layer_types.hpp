// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/functions.hpp>

namespace nvdlac::import::darknet_format {

// Layers with trained values, and poolings.

// Scale, mean and variance of each channel, in the order of the file.
net::batch_norm take_normalisation(const context& c, std::int64_t channels);

// Sums of products, then the normalisation if there is one, to whose result the bias belongs, then
// the function.
template <class Op>
id trained_layer(const context& c, id x, Op op, std::vector<float> bias, net::batch_norm* norm,
                 const std::string& function) {
  const bool plain = function == "linear";
  if (norm == nullptr) op.bias = std::move(bias);
  else norm->beta = std::move(bias);
  x = c.add(c.step(plain && norm == nullptr, "/sum"), std::move(op), {x});
  if (norm != nullptr) x = c.add(c.step(plain, "/batch_norm"), std::move(*norm), {x});
  return activated(c, function, x);
}

std::int32_t padding_of(const context& c, std::int32_t size);

id on_convolutional(const context& c);

id on_deconvolutional(const context& c);

id on_connected(const context& c);

id on_batchnorm(const context& c);

// One side of Darknet's windows: its padding is the sum of both ends, of which the smaller half is
// before the picture.
struct pooled_side {
  std::int32_t before, after;

  pooled_side(std::int64_t in, std::int64_t size, std::int64_t stride, std::int64_t padding);
};

id pooled(const context& c, net::pool_kind kind);
inline id on_maxpool(const context& c) { return pooled(c, net::pool_kind::maximum); }
inline id on_local_avgpool(const context& c) { return pooled(c, net::pool_kind::average); }
id on_avgpool(const context& c);

// The sections that are understood, by their names, and the options of each.

// Whether a word is in a list of words with spaces between them.
bool lists(std::string_view words, std::string_view word);

// How a section becomes nodes, or, of a head, how many channels enter it; the options that it
// understands, and those that matter to training, to Darknet's own memory or to the host alone.
struct layer_type {
  id (*convert)(const context&) = nullptr;
  std::int64_t (*entering)(const context&) = nullptr;
  std::string_view options{}, ignored{};
};

// Options of training, of every section.
inline constexpr std::string_view ignored_options =
    "stopbackward onlyforward learning_rate dont_update burnin_update train_only_bn clip truth "
    "smooth stream wait_stream";

// The options of [net]: those that count, and those that do not. The picture is resized by whoever
// gives it.
inline constexpr std::string_view net_options = "width height channels inputs letter_box";
inline constexpr std::string_view ignored_net_options =
    "B1 B2 adam adversarial_lr angle aspect attention augment_speed "
    "badlabels_rejection_percentage batch blur burn_in center clip contrastive contrastive_color "
    "contrastive_jit_flip cutmix decay dynamic_minibatch ema_alpha eps equidistant_point exposure "
    "flip gamma gaussian_noise hue label_smooth_eps learning_rate learning_rate_min loss_scale "
    "max_batches max_chart_loss max_crop max_epochs max_ratio min_crop min_ratio mixup momentum "
    "mosaic mosaic_bound notruth num_sigmas_reject_badlabels optimized_memory policy power random "
    "resize_step saturation scale scales seen seq_scales sequential_subdivisions sgdr_cycle "
    "sgdr_mult show_receptive_field step steps subdivisions time_steps track try_fix_nan "
    "unsupervised use_cuda_graph weights_reject_freq workspace_size_limit_MB";

// Boxes of a yolo head: those of its mask, or all.
std::int64_t boxes_of(const context& c);
std::int64_t into_yolo(const context& c);
std::int64_t into_gaussian_yolo(const context& c);
std::int64_t into_region(const context& c);
// The elements of a row for all cells.
std::int64_t into_detection(const context& c);

// The keys of detectors of YOLO, and those that only training reads.
inline constexpr std::string_view of_yolo = "classes num mask";
inline constexpr std::string_view of_boxes =
    "anchors beta1 beta_nms cls_normalizer counters_per_class delta_normalizer dets_for_show "
    "dets_for_track focal_loss ignore_thresh iou_loss iou_normalizer iou_thresh "
    "iou_thresh_kind jitter label_smooth_eps map max max_delta new_coords nms_kind "
    "obj_normalizer objectness_smooth random resize scale_x_y show_details sim_thresh "
    "track_ciou_norm track_history_size truth_thresh uc_normalizer yolo_point";

const std::map<std::string_view, layer_type>& layer_types();

// Why a section cannot be part of the network. The supported ones are listed once.
problem unsupported(const std::string& type, bool& listed);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/layer_types.ipp>
#endif
