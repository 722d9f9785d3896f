// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the conversion of every type of layer works with.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

// A blob: the node that produces it, and its dimensions as Caffe counts axes: {1, c, h, w}, or
// fewer. The batch is one picture.
struct blob {
  assembly::id node;
  dims shape;
};

// {1, c, ..} as a cube; missing axes have one element.
inline net::shape cube(const dims& d) {
  if (d.size() < 2 || d.size() > 4)
    throw error(text("a blob of ", d.size(), " dimensions cannot be expressed"));
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

// Each member function of the classes derived from it converts the layers of one type for its
// inputs; it throws `error` with the reason.
class conversion {
 public:
  conversion(assembly& net, const weights& trained, std::int64_t batch)
      : net_(net), weights_(trained), batch_(batch) {}

  // Problems of weights, which do not keep the layers behind from being read.
  const std::vector<problem>& weight_problems() const { return weight_problems_; }

 protected:
  template <class Op>
  assembly::id add(const layer& l, Op op, std::span<const blob> in) {
    std::vector<assembly::id> nodes;
    for (const auto& b : in) nodes.push_back(b.node);
    const bool sound = std::exchange(weights_sound_, true);
    return net_.add(l.name, std::move(op), nodes, l.line, sound);
  }
  template <class Read>
  void load(const layer& l, Read read) {
    try {
      read();
    } catch (const error& e) {
      weights_sound_ = false;
      for (problem p : e.problems()) {
        p.line = l.line;
        p.layer = l.name;
        weight_problems_.push_back(std::move(p));
      }
    }
  }
  static std::int64_t canonical(std::int64_t axis, const blob& b) {
    const auto rank = static_cast<std::int64_t>(b.shape.size());
    if (axis < -rank || axis >= rank)
      throw error(text("axis ", axis, " of a blob with ", rank, " dimensions"));
    return axis < 0 ? axis + rank : axis;
  }
  static void require_axis_1(const proto::view& p, const blob& b) {
    if (canonical(p.integer("axis", 1), b) != 1)
      throw error(problem{.reason = text("axis ", p.integer("axis"), " is not supported"),
                          .remedy = "axis 1 is"});
  }
  // The size of a blob with one value for each channel, or with a single one.
  static dims per_channel(const proto::view& p, const blob& b) {
    const auto axes = p.integer("num_axes", 1);
    if (axes == 0) return {1};
    const bool channels = axes == 1 || (axes == -1 && b.shape.size() == 2);
    if (canonical(p.integer("axis", 1), b) != 1 || !channels)
      throw error(problem{.reason = "its values are not one for each channel",
                          .remedy = "axis 1 and num_axes 1 are supported"});
    return {b.shape[1]};
  }

  assembly& net_;
  const weights& weights_;
  std::int64_t batch_;
  bool weights_sound_ = true;  // of the layer at hand
  std::vector<problem> weight_problems_;
};

}  // namespace nvdlac::import::caffe_format
