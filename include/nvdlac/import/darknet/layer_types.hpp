// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sections that are understood, by their names, and the options of each.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/layers.hpp>
#include <nvdlac/import/darknet/layout.hpp>

namespace nvdlac::import::darknet_format {

// Whether a word is in a list of words with spaces between them.
inline bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const auto space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return false;
}

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
inline std::int64_t boxes_of(const context& c) {
  const auto mask = c.s.integers("mask");
  return mask.empty() ? c.small("num", 1) : static_cast<std::int64_t>(mask.size());
}
inline std::int64_t into_yolo(const context& c) {
  return net::product({boxes_of(c), c.small("classes", 20, 0) + std::int64_t{5}});
}
inline std::int64_t into_gaussian_yolo(const context& c) {
  return net::product({boxes_of(c), c.small("classes", 20, 0) + std::int64_t{9}});
}
inline std::int64_t into_region(const context& c) {
  return net::product({c.small("num", 1), c.small("classes", 20, 0) +
                                              std::int64_t{c.small("coords", 4, 0)} + 1});
}
// Of a row for all cells.
inline std::int64_t into_detection(const context& c) {
  const std::int64_t side = c.small("side", 7), coords = c.small("coords", 1, 0);
  return net::product({side, side, net::product({c.small("num", 1), 1 + coords}) +
                                       c.small("classes", 1, 0)});
}

// The keys of detectors of YOLO, and those that only training reads.
inline constexpr std::string_view of_yolo = "classes num mask";
inline constexpr std::string_view of_boxes =
    "anchors beta1 beta_nms cls_normalizer counters_per_class delta_normalizer dets_for_show "
    "dets_for_track focal_loss ignore_thresh iou_loss iou_normalizer iou_thresh "
    "iou_thresh_kind jitter label_smooth_eps map max max_delta new_coords nms_kind "
    "obj_normalizer objectness_smooth random resize scale_x_y show_details sim_thresh "
    "track_ciou_norm track_history_size truth_thresh uc_normalizer yolo_point";

inline const std::map<std::string_view, layer_type>& layer_types() {
  static const std::map<std::string_view, layer_type> all = [] {
    std::map<std::string_view, layer_type> m = {
        {"activation", {on_activation, nullptr, "activation"}},
        {"avgpool", {on_avgpool}},
        {"batchnorm", {on_batchnorm}},
        {"connected", {on_connected, nullptr, "output activation batch_normalize"}},
        {"convolutional",
         {on_convolutional, nullptr,
          "filters size stride stride_x stride_y pad padding groups dilation activation "
          "batch_normalize cbn antialiasing binary xnor bin_output flipped coordconv sway rotate "
          "stretch stretch_sway share_index",
          "assisted_excitation dot angle grad_centr reverse"}},
        {"cost", {on_cost, nullptr, "", "type scale ratio"}},
        {"crop", {on_crop, nullptr, "crop_height crop_width noadjust",
                  "flip angle saturation exposure shift"}},
        {"deconvolutional", {on_deconvolutional, nullptr,
                             "filters size stride pad padding activation batch_normalize flipped"}},
        {"dropout", {on_nothing, nullptr, "",
                     "probability dropblock dropblock_size_rel dropblock_size_abs"}},
        {"empty", {on_nothing}},
        {"local_avgpool", {on_local_avgpool, nullptr, "size stride stride_x stride_y padding"}},
        {"maxpool", {on_maxpool, nullptr,
                     "size stride stride_x stride_y padding maxpool_depth antialiasing",
                     "out_channels maxpool_zero_nonmax"}},
        {"reorg", {on_reorg, nullptr, "stride reverse"}},
        {"reorg3d", {on_reorg3d, nullptr, "stride reverse"}},
        {"route", {on_route, nullptr, "layers groups group_id"}},
        {"sam", {on_sam, nullptr, "from activation"}},
        {"scale_channels", {on_scale_channels, nullptr, "from activation scale_wh"}},
        {"shortcut", {on_shortcut, nullptr, "from activation weights_type",
                      "weights_normalization"}},
        {"silence", {on_nothing}},
        {"softmax", {on_softmax, nullptr, "groups temperature spatial tree", "noloss"}},
        {"upsample", {on_upsample, nullptr, "stride scale"}},
        {"yolo", {nullptr, into_yolo, of_yolo, of_boxes}},
        {"Gaussian_yolo", {nullptr, into_gaussian_yolo, of_yolo, of_boxes}},
        {"region", {nullptr, into_region, "classes num coords",
                    "absolute anchors bias_match class_scale classfix coord_scale focal_loss "
                    "jitter log map mask_scale max noobject_scale object_scale random rescore "
                    "resize softmax sqrt thresh tree background"}},
        {"detection", {nullptr, into_detection, "classes num coords side",
                       "class_scale coord_scale forced jitter max noobject_scale object_scale "
                       "random reorg rescore resize softmax sqrt"}},
    };
    for (const auto& [other, name] :
         {std::pair{"conv", "convolutional"}, {"conn", "connected"}, {"max", "maxpool"},
          {"avg", "avgpool"}, {"soft", "softmax"}, {"local_avg", "local_avgpool"},
          {"deconv", "deconvolutional"}})
      m.emplace(other, m.at(name));
    return m;
  }();
  return all;
}

// Why a section cannot be part of the network. The supported ones are listed once.
inline problem unsupported(const std::string& type, bool& listed) {
  if (lists("rnn lstm gru crnn conv_lstm history", type))
    return {.reason = "sections [" + type + "] keep a state from one input to the next",
            .remedy = "NVDLA computes each picture alone"};
  if (lists("lrn normalization", type))
    return {.reason = "sections [" + type + "] are not supported: Darknet's own sum leaves out a "
                      "channel"};
  if (type == "local")
    return {.reason = "sections [local] have weights of their own for each place, which no "
                      "convolution of NVDLA has"};
  std::string known;
  for (const auto& [name, ignored] : layer_types())
    known += (known.empty() ? "" : ", ") + std::string(name);
  return {.reason = "sections [" + type + "] are not supported",
          .remedy = std::exchange(listed, true) ? "" : "supported are " + known};
}

}  // namespace nvdlac::import::darknet_format
