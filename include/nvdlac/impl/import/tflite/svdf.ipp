// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/tflite/svdf.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL void on_svdf(const conversion& c) {
  c.require_inputs(4, 5);
  const auto rank = c.integer(0);
  const auto a = c.activation(1);
  (void)c.flag(2);  // as of a fully connected layer
  const auto* state = c.state();
  if (state == nullptr) throw error("its state is no variable");
  const dims& x = c.shape(0);
  const array features = c.reals(1, "weights of features"), steps = c.reals(2, "weights of steps");
  const auto filters = features.shape.empty() ? 0 : features.shape[0];
  if (features.shape.size() != 2 || steps.shape.size() != 2 || steps.shape[0] != filters ||
      x != dims{1, features.shape[1]} || steps.shape[1] < 1)
    throw error(text("its weights ", onnx_format::to_text(features.shape), " and ",
                     onnx_format::to_text(steps.shape), " do not fit features ",
                     onnx_format::to_text(x)));
  if (rank < 1 || filters < 1 || filters % rank != 0)
    throw error(text("its rank is ", rank, " for ", filters, " filters"));
  const dims kept{1, filters * steps.shape[1]};
  if (state->shape != kept)
    throw error(text("its state '", state->name, "' is ", onnx_format::to_text(state->shape),
                     " instead of ", onnx_format::to_text(kept)));
  names inputs{c.plain(0), c.all().write(features, c.name()), c.all().write(steps, c.name())};
  if (c.given(3)) {
    const array bias = c.reals(3, "bias values");
    if (bias.shape != dims{filters / rank})
      throw error(text("it has the biases ", onnx_format::to_text(bias.shape)));
    inputs.push_back(c.all().write(bias, c.name()));
  }
  if (steps.shape[1] > 1 && !c.opens_states())
    throw error(problem{.reason = "it keeps a state from one run to the next",
                        .remedy = "--state step makes that an input and an output"});
  std::vector<attribute> attributes{{"rank", rank}, {"state", c.name() + "/state"}};
  if (state->grid && state->grid->scales.size() == 1) {
    // The scale of a state of 16 bits is widened, so that 8 bits reach as far.
    const bool is_wide = state->type == int16;
    const float reach = is_wide ? 32767.0F / 127 : 1.0F;
    attributes.push_back({"state_scale", state->grid->scales[0] * reach});
    attributes.push_back({"state_bits", std::int64_t{is_wide ? 16 : 8}});
  }
  const auto y = c.all().node(std::string(svdf_name), c.before(a), inputs, attributes);
  c.give_plain(c.activated(y, a), {1, filters / rank});
}

NVDLAC_IMPL std::vector<onnx_format::value> svdf_layers(const onnx_format::context& c) {
  c.require_inputs(3, 4);
  const float scale = c.n.number("state_scale", 0);
  const auto bits = static_cast<int>(c.n.integer("state_bits", 8));
  const auto state_name = c.n.string("state", c.n.name());
  const auto rank = c.n.integer("rank", 1);
  const dims &of_features = c.constant(1, "weights of features").shape,
             &of_steps = c.constant(2, "weights of steps").shape;
  const auto filters = of_features[0], steps = of_steps[1], units = filters / rank;
  const auto last = onnx_format::fully_connected(c, c.n.name() + "/features", c.tensor(0),
                                                 c.reals(1, "weights of features"), {}, filters)
                        .node;
  auto window = last;
  if (steps > 1) {
    const net::shape cube = net::checked_shape(filters, 1, steps);
    const dims in_file{1, filters * steps};
    const auto state = c.net.open_state(state_name, cube, in_file);
    // The state without its oldest step, and this one behind it.
    const auto all = static_cast<std::int32_t>(filters), left = cube.w - 1;
    const std::vector<net::box> boxes{
        {.input = 0, .from = {0, 0, 1},
         .loops = {{{left, {0, 0, 1}, {0, 0, 1}}, {all, {1, 0, 0}, {1, 0, 0}}}}},
        {.input = 1, .to = {0, 0, left}, .loops = {{{all, {1, 0, 0}, {1, 0, 0}}}}}};
    window = c.net.add(state_name + "/next", net::move{.target = cube, .boxes = boxes},
                       {state, last});
    if (scale > 0)
      for (const auto n : {state, last, window})
        c.net.net().note_scale(n, scale, -128.0 * scale, 127.0 * scale, bits);
    c.net.leave_state(state_name, {window, in_file});
  }
  net::convolution weigh{.kernels = static_cast<std::int32_t>(units),
                         .window = {.kernel_h = 1, .kernel_w = static_cast<std::int32_t>(steps)},
                         .groups = static_cast<std::int32_t>(units),
                         .weights = c.reals(2, "weights of steps")};
  if (c.given(3)) weigh.bias = c.reals(3, "bias values");
  return {onnx_format::computed{c.net.add(c.n.name(), std::move(weigh), {window}), {1, units}}};
}

}  // namespace nvdlac::import::tflite_format
