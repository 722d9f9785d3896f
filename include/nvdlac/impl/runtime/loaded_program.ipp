// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptors.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL quantised::feed feed_of(const net::float_tensor& values, const binding& to) {
  quantised::require_finite(values, to.name);
  return quantised::feed_of(
      quantised::numbers_of(values, to.scale, to.surface.precision, to.gain));
}

NVDLAC_IMPL emit::dma_address loaded_task::operator()(const layer::location& at) const {
  auto p = places[static_cast<std::size_t>(at.buffer)];
  p.address += at.offset;
  return p;
}

namespace detail {

// Data cubes have an offset since version 0.12: what the list of surfaces would be with it. The
// cubes stand at the beginning of a surface, and all surfaces have the size of the largest.
NVDLAC_IMPL std::vector<std::uint8_t> with_offsets(const std::vector<std::uint8_t>& old,
                                                   const std::vector<std::uint8_t>& graph,
                                                   std::size_t operations) {
  static constexpr std::array<std::size_t, plan::engines> cubes{0, 5, 5, 2, 2, 2};
  constexpr std::size_t bytes = emit::firmware::surface_bytes, address = 4, rest = 24;
  std::vector<std::uint8_t> result(operations * bytes);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto op = emit::read_record<emit::firmware::common>(
        graph, i, emit::byte_size<emit::firmware::common>());
    if (op.op_type >= cubes.size() || (i + 1) * bytes > old.size())
      throw error(text("operation ", i, " has no surface descriptor"));
    const auto* from = old.data() + i * bytes;
    const auto* const end = from + bytes;
    auto* to = result.data() + i * bytes;
    auto* const full = to + bytes;
    for (std::size_t c = 0; c < cubes[op.op_type]; ++c) {
      to = std::copy_n(from, address, to) + address;  // an offset of 0
      to = std::copy_n(from + address, rest, to);
      from += address + rest;
    }
    std::copy_n(from, std::min(end - from, full - to), to);
  }
  return result;
}

}  // namespace detail

NVDLAC_IMPL loaded_task decode_task(const descriptor_lists& lists,
                                    std::vector<emit::dma_address> places,
                                    emit::loadable_version version) {
  loaded_task task;
  task.places = std::move(places);
  const auto network = emit::read_record<emit::firmware::network>(
      lists(0), 0, emit::byte_size<emit::firmware::network>());
  if (network.num_operations == 0) return task;
  const auto graph = lists(network.dependency_graph);
  task.graph = {task.places[static_cast<std::size_t>(network.dependency_graph)], graph};
  const auto operations = lists(network.operation_desc);
  auto surfaces = lists(network.surface_desc);
  task.is_of_older_interface = version < newest_descriptors;
  if (task.is_of_older_interface)
    surfaces = detail::with_offsets(surfaces, graph, network.num_operations);
  if (network.num_luts > 0) {
    const auto luts = lists(network.lut_data);
    for (std::size_t i = 0; i < network.num_luts; ++i)
      task.luts.push_back(emit::decode(emit::read_record<emit::firmware::lut_param>(
          luts, i, emit::firmware::lut_bytes)));
  }
  const std::int32_t n = network.num_operations;
  for (std::int32_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    task.dependencies.push_back(emit::read_record<emit::firmware::common>(
        graph, at, emit::byte_size<emit::firmware::common>()));
    task.layers.push_back(
        {"", emit::decode(task.dependencies.back().op_type, operations, surfaces, at)});
    const auto lut = layer::lut_of(task.layers.back().what);
    if (std::cmp_greater_equal(lut, task.luts.size()))
      throw error(problem{.layer = text("operation ", i),
                          .reason = text("it looks up in table ", lut, " of ",
                                         task.luts.size())});
  }
  const auto check = [&](std::int32_t index, std::size_t type, const char* what) {
    if (index < -1 || index >= n ||
        (index >= 0 && task.dependencies[static_cast<std::size_t>(index)].op_type != type))
      throw error(text(what, " of engine ", type, " is operation ", index,
                       ", which is missing or of another engine"));
  };
  for (std::size_t e = 0; e < plan::engines; ++e)
    check(network.op_head[e], e, "the first operation");
  for (const auto& d : task.dependencies) {
    for (std::size_t e = 0; e < plan::engines; ++e) check(d.consumers[e].index, e, "a consumer");
    if (d.op_type > 0) check(d.fused_parent.index, d.op_type - 1u, "a fused parent");
    else if (d.fused_parent.index >= 0) throw error("an operation of BDMA has a fused parent");
  }
  task.heads = network.op_head;
  return task;
}

namespace detail {

NVDLAC_IMPL void check_addresses(std::uint64_t address, std::uint64_t size, const hw::spec& spec) {
  const auto end = address + size;
  if (spec.address_bits < 64 && end > std::uint64_t{1} << spec.address_bits)
    throw error(problem{.reason = text("the device's memory from 0x", std::hex, address, " to 0x",
                                       end, std::dec, " is beyond the ", spec.address_bits,
                                       " bits of address of the configuration"),
                        .remedy = "give it memory below that"});
  if (address % emit::address_space::page != 0)
    throw error(text("the device's memory begins at 0x", std::hex, address,
                     ", which is not the address of a page"));
}

NVDLAC_IMPL loader::loader(const emit::loadable_image& image, const hw::spec& spec,
                           std::uint64_t most_memory, const allocator& allocate)
    : image_(image) {
  emit::check_loadable(image);
  for (std::uint64_t total = 0; const auto& m : image.memories)
    if (m.size > most_memory || (total += m.size) > most_memory)
      throw error({.reason = text("the loadable wants more than ", most_memory,
                                  " bytes of memory"),
                   .remedy = "if that is meant, raise it: --limit memory=BYTES, in C++ "
                             "budget::memory"});
  const auto& notes = image.notes;
  if (!notes.empty() &&
      !std::ranges::equal(notes.parameters, emit::program_parameters(spec)))
    throw error(problem{.reason = text("the loadable was compiled for ", notes.hardware),
                        .remedy = "run it with the same --config"});
  for (std::size_t n = 0; n < image.memories.size(); ++n) {
    const auto& m = image.memories[n];
    const bool cvsram = in_cvsram(n);
    if (cvsram && !spec.has_sram())
      throw error(problem{.reason = text("memory ", n, " of the loadable is in SRAM, which the "
                                         "configuration does not have"),
                          .remedy = "run it with the --config that it was compiled for"});
    const auto base = allocate(m.size, !cvsram).address;
    check_addresses(base, m.size, spec);
    for (std::size_t other = 0; other < n; ++other)
      if (in_cvsram(other) == cvsram && base < bases_[other] + image.memories[other].size &&
          bases_[other] < base + m.size)
        throw error(text("the device gives memory ", n, " a place in memory ", other));
    bases_.push_back(base);
    if ((m.flags & emit::loadable_code::set) == 0) continue;
    for (std::size_t i = 0; i < m.contents.size(); ++i) {
      const auto& data = image.find(m.contents[i])->data;
      out_.contents.push_back({{bases_.back() + m.offsets[i], !cvsram}, data});
      const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
      out_.fingerprint = 31 * out_.fingerprint + std::hash<std::string_view>{}(bytes);
    }
  }
  out_.network = notes.empty() ? std::string("loadable") : std::string(notes.network);
  out_.transposed = notes.transposed;
  for (const auto& c : notes.calls) out_.calls.push_back(c.what);
  out_.inputs = bindings(emit::loadable_code::input);
  out_.outputs = bindings(emit::loadable_code::output);
  for (const auto& s : image.submissions)
    for (const auto t : s.tasks) add_task(t);
}

NVDLAC_IMPL std::vector<binding> loader::bindings(std::uint16_t direction) {
  std::vector<binding> result;
  for (std::size_t i = 0; i < image_.memories.size(); ++i) {
    const auto& m = image_.memories[i];
    if ((m.flags & direction) == 0) continue;
    const auto& t = image_.tensors[m.tensor_desc_id];
    binding b;
    b.name = t.name;
    b.shape = {t.c, t.h, t.w};
    b.picture = t.data_category == emit::loadable_code::image;
    b.surface = {{0, t.offset}, b.shape, t.stride[1], t.stride[2], m.size, precision_of(t)};
    b.address = bases_[i];
    b.size = m.size;
    const auto plane = static_cast<std::uint64_t>(t.h) * static_cast<std::uint64_t>(t.w);
    if (t.offset > m.size || plane > m.size || static_cast<std::uint64_t>(t.c) > m.size / plane)
      throw error(text("the tensor '", b.name, "' is larger than its memory"));
    if (result.size() <= m.bind_id) result.resize(m.bind_id + 1u);
    result[m.bind_id] = std::move(b);
  }
  const auto& notes = direction == emit::loadable_code::input ? image_.notes.inputs
                                                              : image_.notes.outputs;
  for (std::size_t i = 0; i < result.size() && i < notes.size(); ++i) {
    const auto in_memory = out_.transposed ? net::transposed(notes[i].shape) : notes[i].shape;
    if (result[i].picture && !notes[i].pixels) give_values(result[i], in_memory);
    if (!holds(result[i], in_memory))
      throw error(text("the notes give the tensor '", notes[i].name, "' the shape ",
                       notes[i].shape, ", its description ", result[i].shape));
    result[i].name = notes[i].name;
    result[i].shape = notes[i].shape;
    result[i].scale = notes[i].scale;
    result[i].gain = notes[i].gain;
    result[i].pixels = notes[i].pixels;
    result[i].preprocessing = notes[i].preprocessing;
    result[i].in_file = notes[i].in_file;
    if (out_.transposed) result[i].surface = layer::transposed(result[i].surface);
  }
  // Only bytes are pictures.
  for (auto& b : result)
    b.picture = b.picture && b.surface.precision == hw::precision::int8;
  return result;
}

NVDLAC_IMPL void loader::give_values(binding& b, net::shape s) {
  b.picture = false;
  auto& cube = b.surface.shape;
  if (cube.c == 1 && cube.h == s.h && std::int64_t{s.c} * s.w == cube.w) cube = b.shape = s;
}

NVDLAC_IMPL bool loader::holds(const binding& b, net::shape s) {
  if (!b.surface.is_interleaved()) return s.size() == b.shape.size();
  return s.c <= b.shape.c && s.h == b.shape.h && s.w == b.shape.w;
}

NVDLAC_IMPL hw::precision loader::precision_of(const emit::loadable_image::tensor& t) {
  using namespace emit::loadable_code;
  switch (t.data_type) {
    case half: return hw::precision::fp16;
    case int16: return hw::precision::int16;
    case int8:
    case uint8: return hw::precision::int8;
    default: throw error(text("the tensor '", t.name, "' has the data type ", int{t.data_type}));
  }
}

NVDLAC_IMPL void loader::check_place(const layer::surface& s,
                                     const emit::loadable_image::task& t) const {
  if (s.at.on_the_fly()) return;
  if (static_cast<std::size_t>(s.at.buffer) >= t.addresses.size())
    throw error(text("address ", s.at.buffer, " is not in the task's list"));
  const auto& a = image_.addresses[t.addresses[static_cast<std::size_t>(s.at.buffer)]];
  if (s.at.cvsram != in_cvsram(a.memory))
    throw error(text("a cube at address ", s.at.buffer, " is said to be in ",
                     s.at.cvsram ? "SRAM" : "DRAM", ", but memory ", a.memory, " is not"));
  const auto room = image_.memories[a.memory].size - a.offset;
  if (s.at.offset > room || s.size > room - s.at.offset)
    throw error(text("a cube of ", s.size, " bytes at address ", s.at.buffer, " + ", s.at.offset,
                     " is beyond the end of memory ", a.memory));
}

NVDLAC_IMPL std::vector<std::uint8_t> loader::content(const emit::loadable_image::task& t,
                                                      std::int32_t index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= t.addresses.size())
    throw error(text("a task's descriptor list is at address ", index, " of ",
                     t.addresses.size()));
  const auto& a = image_.addresses[t.addresses[static_cast<std::size_t>(index)]];
  const auto& m = image_.memories[a.memory];
  if ((m.flags & emit::loadable_code::set) == 0 || m.contents.size() != 1 || m.offsets[0] != 0)
    throw error(text("a task's descriptor list is in memory ", a.memory,
                     ", which has not one blob as contents"));
  const auto& data = image_.find(m.contents[0])->data;
  if (a.offset > data.size()) throw error("a task's descriptor list is beyond its blob");
  return {data.begin() + static_cast<std::ptrdiff_t>(a.offset), data.end()};
}

NVDLAC_IMPL emit::loadable_version loader::version_of(const emit::loadable_image::task& t) const {
  constexpr emit::loadable_version oldest{0, 10, 0};
  emit::loadable_version first = newest_descriptors;
  for (const auto a : t.addresses)
    for (const auto& name : image_.memories[image_.addresses[a].memory].contents) {
      const auto* b = image_.find(name);
      if (b == nullptr || b->version == emit::loadable_version{}) continue;
      if (b->version < oldest)
        throw error(text("the descriptors '", name, "' are of version ", int{b->version[0]}, '.',
                         int{b->version[1]}, '.', int{b->version[2]},
                         " of the firmware's interface, not of 0.10 or newer"));
      first = std::min(first, b->version);
    }
  return first;
}

NVDLAC_IMPL void loader::add_task(std::size_t number) {
  const auto& t = image_.tasks[number];
  std::vector<emit::dma_address> places;
  for (const auto a : t.addresses) {
    const auto& entry = image_.addresses[a];
    places.push_back({bases_[entry.memory] + entry.offset, !in_cvsram(entry.memory)});
  }
  loaded_task task;
  try {
    if (t.interface == emit::loadable_code::emu1) {
      task.host = true;
      task.places = std::move(places);
      decode_host(task, t);
    } else {
      task = decode_task([&](std::int32_t list) { return content(t, list); }, std::move(places),
                         version_of(t));
    }
    for (auto& l : task.layers)
      layer::for_each_cube(l.what,
                           [&](const layer::surface& s, layer::access) { check_place(s, t); });
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems) p.layer = text("task ", number, p.layer.empty() ? "" : " ", p.layer);
    throw error(std::move(problems));
  }
  const auto& noted = image_.notes.layers;
  for (std::size_t i = 0; i < task.layers.size(); ++i)
    task.layers[i].name = number < noted.size() && i < noted[number].size()
                              ? noted[number][i]
                              : label("task ", number, " operation ", i);
  if (number < image_.notes.numbers.size() &&
      image_.notes.numbers[number].size() == task.layers.size())
    task.numbers = image_.notes.numbers[number];
  if (number < image_.notes.parts.size())
    for (const auto& p : image_.notes.parts[number])
      if (p.operation < task.layers.size()) task.parts.push_back(p);
  out_.tasks.push_back(std::move(task));
}

NVDLAC_IMPL void loader::decode_host(loaded_task& task, const emit::loadable_image::task& t) const {
  namespace fw = emit::firmware;
  const auto network =
      emit::read_record<fw::emulator_network>(content(t, 0), 0, fw::emulator_network_bytes);
  if (network.num_operations == 0) return;
  const auto operations = content(t, network.operation_desc);
  const auto buffers = content(t, network.buffer_desc);
  std::size_t next = 0;
  const auto buffer = [&] {
    return emit::read_record<fw::emulator_buffer>(buffers, next++, fw::emulator_buffer_bytes);
  };
  for (std::size_t i = 0; i < network.num_operations; ++i) {
    const auto softmax =
        emit::read_record<fw::emulator_softmax>(operations, i, fw::emulator_operation_bytes);
    if (softmax.op_type != static_cast<std::uint8_t>(fw::emulator_op::call)) {
      const auto src = buffer();
      task.layers.push_back(
          {"", emit::decode(emit::descriptor_of<layer::host_softmax>{softmax, src, buffer()})});
      continue;
    }
    emit::descriptor_of<layer::host_call> d;
    d.op = emit::read_record<fw::emulator_call>(operations, i, fw::emulator_operation_bytes);
    const auto& noted = image_.notes.calls;
    if (d.op.call >= noted.size() || d.op.inputs != noted[d.op.call].input_scales.size() ||
        d.op.inputs < 1 || d.op.inputs > net::most_host_inputs)
      throw error(text("call ", d.op.call, " of the host with ", d.op.inputs,
                       " inputs is not in the loadable's notes"));
    while (d.inputs.size() < d.op.inputs) d.inputs.push_back(buffer());
    d.output = buffer();
    auto call = emit::decode(d);
    std::ranges::copy(noted[d.op.call].input_scales, call.input_scales.begin());
    call.output_scale = noted[d.op.call].output_scale;
    task.layers.push_back({"", call});
  }
}

}  // namespace detail

NVDLAC_IMPL bool loaded_program::is_same(const loaded_program& other) const {
  const auto same = [](const binding& a, const binding& b) {
    return a.name == b.name && a.shape == b.shape && a.scale == b.scale && a.gain == b.gain &&
           a.picture == b.picture && a.surface.precision == b.surface.precision &&
           a.size == b.size;
  };
  return network == other.network && fingerprint == other.fingerprint && calls == other.calls &&
         std::ranges::equal(inputs, other.inputs, same) &&
         std::ranges::equal(outputs, other.outputs, same);
}

NVDLAC_IMPL loaded_program load(const emit::loadable_image& image, const hw::spec& spec,
                                const sim::settings& s) {
  emit::address_space space(spec.address_bits);
  return detail::loader(image, spec, s.memory, [&](std::uint64_t size, bool dram) {
    return space.take(size, dram);
  }).take();
}

NVDLAC_IMPL loaded_program load(const emit::loadable_image& image, const hw::spec& spec,
                                const allocator& allocate) {
  return detail::loader(image, spec, sim::settings{}.memory, allocate).take();
}

}  // namespace nvdlac::runtime
