// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a program to the lists of a loadable, in the order in which the public compiler lays them
// out, so that every consumer of its loadables understands ours. There are no relocations: the
// public runtime takes their offsets for words where its compiler writes bytes, and so writes
// beyond the descriptors as soon as a user sets a tensor's description, even to what it was.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/emit/descriptors.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/memory_map.hpp>

namespace nvdlac::emit {
namespace detail {

inline constexpr std::uint64_t page = 4096;
inline constexpr std::size_t context_addresses = 6;  // of every task

class loadable_builder {
 public:
  constexpr loadable_builder(const plan::program_data& p, bytes atom) : p_(p), atom_(atom) {
    add_pools();
    for (const auto& b : p.inputs) add_binding(b, loadable_code::input);
    for (const auto& b : p.outputs) add_binding(b, loadable_code::output);
    if (p.cvsram.size != 0) add_cvsram();
    instructions_ = image_.addresses.size() - 1;  // address 0 is nobody's
    check_addresses();
    for (std::size_t t = 0; t < p.tasks.size(); ++t) add_task(t);
  }

  constexpr loadable_image take() && { return std::move(image_); }

 private:
  // The number of a memory, an address, an event or a task.
  static constexpr std::uint16_t id(std::size_t n) {
    if (!std::in_range<std::uint16_t>(n))
      throw error(problem{.reason = "its tasks and tensors are more than a loadable can number: "
                                    "65536 memories and events",
                          .remedy = "a smaller network, a part of it (--from, --to), or fewer "
                                    "layers on the host, each of which is a task"});
    return static_cast<std::uint16_t>(n);
  }
  static problem in_layer(const label& name, const error& e);

  // Every task names all memories that tensors may stand in.
  constexpr void check_addresses() const {
    const auto needed = instructions_ + context_addresses;
    if (needed <= most_addresses) return;
    throw error(problem{
        .reason = text("its ", count_of(p_.inputs.size(), "input"), " and ",
                       count_of(p_.outputs.size(), "output"), ", each a memory of its own, need ",
                       needed,
                       " addresses in a task of the loadable, of which the public runtime takes ",
                       most_addresses),
        .remedy = "fewer of them: smaller batches, some of the outputs (--to), or outputs that are "
                  "joined in the model (Concat)"});
  }

  constexpr std::uint16_t add_memory(loadable_image::memory m) {
    image_.memories.push_back(std::move(m));
    return id(image_.memories.size() - 1);
  }
  constexpr void add_address(std::uint16_t memory) {
    image_.addresses.push_back({memory, 0, image_.memories[memory].size});
  }

  constexpr void add_pools() {
    using namespace loadable_code;
    add_address(add_memory({.flags = alloc, .size = page}));
    loadable_image::memory weights{.flags = alloc | set,
                                   .size = align_up(std::max(p_.weights_size, page), page)};
    if (p_.weights_size > 0) {
      image_.blobs.push_back({.name = label("weights"), .size = p_.weights_size});
      weights.contents.push_back(image_.blobs.back().name);
      weights.offsets.push_back(0);
    }
    add_address(add_memory(std::move(weights)));
    add_address(add_memory(
        {.flags = alloc, .size = align_up(std::max(p_.features_size, page), page)}));
  }

  // The secondary memory, of which there is one: the public runtime gives it no place and loads
  // nothing into it, but hands the driver a handle of 0 for it.
  constexpr void add_cvsram() {
    using namespace loadable_code;
    loadable_image::memory m{.domain = sram, .flags = alloc,
                             .size = align_up(p_.cvsram.size, page)};
    if (p_.cvsram.weights != 0) {
      image_.blobs.push_back({.name = label("cvsram-weights"), .size = p_.cvsram.weights,
                              .data = weight_image(p_, true)});
      m.flags |= set;
      m.contents.push_back(image_.blobs.back().name);
      m.offsets.push_back(0);
    }
    cvsram_ = static_cast<std::int32_t>(image_.addresses.size());
    add_address(add_memory(std::move(m)));
  }

  static constexpr std::uint8_t type_of(hw::precision p) {
    using namespace loadable_code;
    return p == hw::precision::int8 ? int8 : p == hw::precision::int16 ? int16 : half;
  }

  // The format of a picture is that of the convolution that reads it. A feature cube that is read
  // as an image is none.
  constexpr layer::pixel_format format_of(std::int32_t buffer) const {
    for (const auto& t : p_.tasks)
      for (const auto& op : t.operations)
        if (const auto* c = std::get_if<layer::convolution>(&op.layer.what))
          if (c->input.at.buffer == buffer) return c->format;
    return layer::pixel_format::feature;
  }

  constexpr void add_binding(const plan::binding& b, std::uint16_t direction) {
    using namespace loadable_code;
    const auto buffer = b.surface.at.buffer;
    const auto& s = b.surface;
    const bool in = direction == loadable_code::input;
    const auto tensor_id = id(image_.tensors.size());
    const auto memory = add_memory({.flags = static_cast<std::uint16_t>(alloc | direction),
                                    .size = p_.buffers.at(static_cast<std::size_t>(buffer)).size,
                                    .bind_id = in ? tensor_id : id(tensor_id - p_.inputs.size()),
                                    .tensor_desc_id = tensor_id});
    bindings_.emplace_back(buffer, static_cast<std::int32_t>(image_.addresses.size()));
    add_address(memory);
    const auto format =
        in && s.is_interleaved() ? format_of(buffer) : layer::pixel_format::feature;
    const bool pixels = format != layer::pixel_format::feature;
    // A pixel of R8 or R16 is a single channel.
    const std::int32_t columns = pixels ? s.shape.c / layer::layout_of(format)->channels : 1;
    // The runtime keeps 80 characters of a name; the whole name is in the notes.
    image_.tensors.push_back(
        {.name = label(b.name.view().substr(0, 79)),
         .memory = memory,
         .size = image_.memories[memory].size,
         .data_format = pixels ? nhwc : ncxhwx,
         .data_type = b.pixels ? uint8 : type_of(s.precision),
         .data_category = pixels ? loadable_code::image : feature,
         .pixel_format = pixels          ? static_cast<std::uint8_t>(format)
                         : atom_.n == 8 ? pixel_feature_x8
                                        : pixel_feature,
         .c = s.shape.c / columns,
         .h = s.shape.h,
         .w = s.shape.w * columns,
         .stride = {hw::element_bytes(s.precision), s.line_stride, s.surface_stride}});
  }

  // A location as an index into a task's address list and an offset there.
  constexpr layer::location in_task(layer::location at) const {
    const auto& b = p_.buffers.at(static_cast<std::size_t>(at.buffer));
    if (at.cvsram) return {cvsram_, b.offset + at.offset, true};
    switch (b.memory) {
      case plan::memory::weights: return {1, b.offset + at.offset};
      case plan::memory::features: return {2, b.offset + at.offset};
      default: break;
    }
    const auto bound = std::find_if(bindings_.begin(), bindings_.end(),
                                    [&](const auto& pair) { return pair.first == at.buffer; });
    if (bound == bindings_.end())
      throw error(problem{.layer = b.name, .reason = "no binding of the program has this buffer"});
    return {bound->second, at.offset};
  }

  constexpr layer::any relocated(layer::any l) const {
    layer::for_each_cube(l, [&](layer::surface& s, layer::access) {
      if (!s.at.on_the_fly()) s.at = in_task(s.at);
    });
    return l;
  }

  // Adds a memory of the task's context, filled with a blob if there is one.
  constexpr void add_context(std::size_t task, const char* suffix, std::uint32_t interface,
                   std::uint32_t sub_interface, std::vector<std::uint8_t> data) {
    using namespace loadable_code;
    if (*suffix == 0) return add_address(add_memory({.flags = alloc, .size = page}));
    const label name("task-", task, "-", suffix);
    add_address(add_memory({.flags = alloc | set, .size = data.size(), .contents = {name},
                            .offsets = {0}}));
    // The versions of the interfaces that the public compiler targets.
    const loadable_version version =
        interface == dla1 ? loadable_version{0, 12, 3} : loadable_version{0, 0, 1};
    const auto size = data.size();
    image_.blobs.push_back({name, interface, sub_interface, version, size, std::move(data)});
  }

  constexpr void add_task(std::size_t number) {
    const auto& t = p_.tasks[number];
    const auto context = image_.addresses.size();
    loadable_image::task task;
    task.interface = t.host ? loadable_code::emu1 : loadable_code::dla1;
    task.addresses.push_back(id(context));
    for (std::size_t i = 1; i <= instructions_; ++i) task.addresses.push_back(id(i));
    for (std::size_t i = 1; i < context_addresses; ++i) task.addresses.push_back(id(context + i));
    // One chain of events: each task waits for the one before and signals its own end.
    if (number > 0) {
      task.pre_actions = {id(image_.events.size())};
      image_.events.push_back({.val = static_cast<std::uint32_t>(number)});
    }
    task.post_actions = {id(image_.events.size())};
    image_.events.push_back(
        {.val = static_cast<std::uint32_t>(number + 1), .op = loadable_code::signal});
    image_.tasks.push_back(std::move(task));
    image_.submissions.push_back({{id(number)}});
    if (t.host) add_host_context(number, t);
    else add_hardware_context(number, t);
  }

  // Every task has all of them, and never none.
  constexpr std::vector<std::uint8_t> lut_list() const {
    std::vector<std::uint8_t> list;
    for (const auto& lut : p_.luts) write_record(list, encode(lut), firmware::lut_bytes);
    list.resize(std::max(list.size(), firmware::lut_bytes), 0);
    return list;
  }

  constexpr void add_hardware_context(std::size_t number, const plan::task& t) {
    using namespace loadable_code;
    firmware::network net;
    std::vector<std::uint8_t> graph, operations, surfaces, network;
    operations.reserve(t.operations.size() * firmware::operation_bytes);
    surfaces.reserve(t.operations.size() * firmware::surface_bytes);
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto& op = t.operations[i];
      try {
        encode_dependencies(op, i, graph);
        encode(relocated(op.layer.what), atom_, operations, surfaces);
      } catch (const error& e) {
        throw error(in_layer(op.layer.name, e));
      }
      auto& head = net.op_head[layer::index(layer::engine_of(op.layer.what))];
      if (head < 0) head = narrow<std::int16_t>(i, "network.op_head");
    }
    const auto n = instructions_;
    net.dependency_graph = narrow<std::int16_t>(n + 1, "network.dependency_graph_index");
    net.operation_desc = narrow<std::int16_t>(n + 2, "network.operation_desc_index");
    net.surface_desc = narrow<std::int16_t>(n + 3, "network.surface_desc_index");
    net.lut_data = narrow<std::int16_t>(n + 4, "network.lut_data_index");
    net.num_operations = narrow<std::uint16_t>(t.operations.size(), "network.num_operations");
    net.num_luts = narrow<std::uint16_t>(p_.luts.size(), "network.num_luts");
    net.num_addresses = id(n + context_addresses);
    write_record(network, net, byte_size<firmware::network>());
    add_context(number, "addr0", dla1, addr0, std::move(network));
    add_context(number, "dep_graph", dla1, deps, std::move(graph));
    add_context(number, "op_list", dla1, ops, std::move(operations));
    add_context(number, "surf_list", dla1, surfs, std::move(surfaces));
    add_context(number, "lut_list", dla1, luts, lut_list());
    add_context(number, "", dla1, 0, {});
  }

  constexpr void add_host_context(std::size_t number, const plan::task& t) {
    using namespace loadable_code;
    firmware::emulator_network net;
    std::vector<std::uint8_t> network, operations, buffers;
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto& l = t.operations[i].layer;
      try {
        encode_host(relocated(l.what), atom_, operations, buffers);
      } catch (const error& e) {
        throw error(in_layer(l.name, e));
      }
    }
    net.operation_desc = narrow<std::int16_t>(instructions_ + 1, "emulator.operation_desc_index");
    net.buffer_desc = narrow<std::int16_t>(instructions_ + 2, "emulator.buffer_desc_index");
    net.num_operations = narrow<std::uint16_t>(t.operations.size(), "emulator.num_operations");
    write_record(network, net, firmware::emulator_network_bytes);
    add_context(number, "addr0", emu1, addr0, std::move(network));
    add_context(number, "op_list", emu1, ops, std::move(operations));
    add_context(number, "op_buf_list", emu1, surfs, std::move(buffers));
    for (int dummy = 0; dummy < 3; ++dummy) add_context(number, "", emu1, 0, {});
  }

  const plan::program_data& p_;
  bytes atom_;
  loadable_image image_{};
  std::vector<std::pair<std::int32_t, std::int32_t>> bindings_{};  // buffer -> address
  std::int32_t cvsram_ = -1;      // its address
  std::size_t instructions_ = 0;  // addresses that descriptors of any task may name
};

}  // namespace detail

// The lists of the program's loadable; the bytes of the first blob, the weights, are elsewhere.
// What the firmware's descriptors cannot express is an `error` that names the layer.
constexpr loadable_image loadable_frame(const plan::program_data& p, std::string_view hardware,
                                        const hw::spec& spec) {
  auto image = detail::loadable_builder(p, spec.atom()).take();
  image.notes = notes_of(p, hardware, spec);
  return image;
}

// A layout with the bytes of the weights.
constexpr loadable_image loadable_lists(const plan::program_data& p, std::string_view hardware,
                                        const hw::spec& spec) {
  auto image = loadable_frame(p, hardware, spec);
  if (p.weights_size > 0) image.blobs.front().data = weight_image(p);
  return image;
}
template <hw::hardware Hw>
constexpr loadable_image loadable_lists(const plan::program<Hw>& p) {
  return loadable_lists(p, hw::name<Hw>(), Hw::spec);
}

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/loadable_layout.ipp>
#endif
