// SPDX-License-Identifier: Apache-2.0
#pragma once
// Notes that the loadable's schema has no place for, in the blob "nvdlac.notes" (interface
// NONE) that no memory refers to: the product it is made for, scales and preprocessing of the
// tensors, the names of the hardware layers, and what it was made from. The public runtime copies
// such a blob and never looks at it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/emit/flat_builder.hpp>
#include <nvdlac/emit/notes_schema.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

inline constexpr std::string_view notes_name = "nvdlac.notes";

struct loadable_notes {
  struct tensor {
    label name;
    net::shape shape{};  // as the network sees it
    double scale = 1.0;  // real = scale * integer
    std::vector<double> gain{};  // real = gain[channel] * scale * integer; empty: 1
    std::optional<quantised::pixels> pixels{};
    std::optional<net::preprocessing> preprocessing{};
    std::vector<net::file_tensor> in_file{};  // what it is in the user's file

    constexpr bool operator==(const tensor&) const = default;
  };

  // A layer that the host computes by its name; its tensors are in the descriptor.
  struct call {
    net::host_call what{};
    std::vector<double> input_scales{};  // real = scale * integer
    double output_scale = 1;

    constexpr bool operator==(const call&) const = default;
  };

  // The channels of what an operation writes to memory that are the tensor of one layer of several.
  struct part {
    std::uint32_t operation = 0;
    label layer;
    std::int32_t first = 0, channels = 0;
    plan::numbering numbers{};

    constexpr bool operator==(const part&) const = default;
  };

  label network, hardware;  // empty: there are no notes
  // The numbers of the configuration that a program depends on: atom, MAC channels and kernels,
  // CBUF banks, entry and entries.
  std::vector<std::uint32_t> parameters{};
  std::vector<tensor> inputs{}, outputs{};
  std::vector<std::vector<label>> layers{};  // by task
  // The numbering of what each of these writes to memory; a task of an older loadable has none.
  std::vector<std::vector<plan::numbering>> numbers{};
  std::vector<std::vector<part>> parts{};    // by task; none: each operation writes one tensor
  std::vector<call> calls{};                 // as descriptors number them
  provenance made_from{};
  bool transposed = false;  // the maps of all cubes, those of inputs and outputs too

  constexpr bool empty() const { return hardware.empty(); }
  constexpr bool operator==(const loadable_notes&) const = default;
};

// The parameters of a product that a program for another one may not share.
constexpr std::array<std::uint32_t, 6> program_parameters(const hw::spec& s) {
  return {s.memory_atom, s.mac_atomic_c, s.mac_atomic_k,
          s.cbuf_banks,  s.cbuf_entry,   s.cbuf_entries_per_bank};
}

namespace detail {

// Adds which channels of `written` are the tensors of which layers, of those that stand with
// others.
constexpr void note_parts(std::vector<loadable_notes::part>& to, std::uint32_t operation,
                          const label& name, const layer::surface& written,
                          const std::vector<plan::tensor_part>& all, bytes atom) {
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom, written.precision));
  const plan::tensor_part* last = nullptr;
  for (std::int32_t c = 0; c < written.shape.c; c += lanes) {
    const auto at = layer::part(written, atom, c, 0, 0, {1, 1, 1}).at.offset;
    const auto in = std::ranges::find_if(all, [&](const plan::tensor_part& p) {
      return p.buffer == written.at.buffer && at >= p.offset && at - p.offset < p.size;
    });
    if (in == all.end() || !name.view().starts_with(in->joint.view())) return;
    // The stride of a single surface that is written says nothing of the tensor's.
    const auto surface = in->size / ceil_div(static_cast<std::uint64_t>(in->channels),
                                             static_cast<std::uint64_t>(lanes));
    const auto own =
        in->channels - static_cast<std::int32_t>((at - in->offset) / surface) * lanes;
    const auto channels = std::min({lanes, own, written.shape.c - c});
    if (&*in == last) to.back().channels += channels;
    else
      to.push_back({operation, label(in->name, name.view().substr(in->joint.size())), c, channels,
                    in->numbers});
    last = &*in;
  }
}

}  // namespace detail

constexpr loadable_notes notes_of(const plan::program_data& p, std::string_view hardware,
                                  const hw::spec& spec) {
  loadable_notes n{
      .network = p.network, .hardware = label(hardware), .transposed = p.transposed};
  for (const auto parameter : program_parameters(spec)) n.parameters.push_back(parameter);
  for (const auto& b : p.inputs)
    n.inputs.push_back({b.name, b.shape, b.scale, b.gain, b.pixels, b.preprocessing, b.in_file});
  for (const auto& b : p.outputs)
    n.outputs.push_back({b.name, b.shape, b.scale, b.gain, {}, {}, b.in_file});
  for (const auto& c : p.calls) n.calls.push_back({.what = c});
  for (const auto& t : p.tasks) {
    std::vector<label> names;
    std::vector<plan::numbering> numbers;
    std::vector<loadable_notes::part> parts;
    for (const auto& op : t.operations) {
      names.push_back(op.layer.name);
      numbers.push_back({});
      layer::for_each_write(op.layer.what, [&](const layer::surface& s) {
        numbers.back() = p.buffers[static_cast<std::size_t>(s.at.buffer)].numbers;
        if (!p.parts.empty())
          detail::note_parts(parts, static_cast<std::uint32_t>(names.size() - 1), op.layer.name, s,
                             p.parts, spec.atom());
      });
      if (const auto* c = std::get_if<layer::host_call>(&op.layer.what)) {
        auto& noted = n.calls[static_cast<std::size_t>(c->call)];
        noted.input_scales.assign(c->input_scales.begin(),
                                  c->input_scales.begin() + c->input_count);
        noted.output_scale = c->output_scale;
      }
    }
    n.layers.push_back(std::move(names));
    n.numbers.push_back(std::move(numbers));
    n.parts.push_back(std::move(parts));
  }
  return n;
}

namespace detail {

class notes_writer {
 public:
  constexpr std::span<const std::uint8_t> write(const loadable_notes& n) {
    using f = flat::notes;
    const auto network = to_.string(n.network), hardware = to_.string(n.hardware);
    const auto parameters = to_.vector(n.parameters);
    const auto tensors = [&](const auto& list) {
      return to_.tables(list, [&](const auto& t, auto) { return tensor(t); });
    };
    const auto inputs = tensors(n.inputs), outputs = tensors(n.outputs);
    const auto tasks = to_.tables(n.layers, [&](const auto& names, auto i) {
      const auto layers = to_.strings(names);
      std::vector<double> scale;
      std::vector<std::int32_t> zero;
      if (i < n.numbers.size())
        for (const auto& numbers : n.numbers[i]) {
          scale.push_back(numbers.scale);
          zero.push_back(numbers.zero);
        }
      offset scales = 0, zeros = 0;
      if (!scale.empty()) {
        scales = to_.vector(scale);
        zeros = to_.vector(zero);
      }
      offset parts = 0;
      const bool has_parts = i < n.parts.size() && !n.parts[i].empty();
      if (has_parts)
        parts = to_.tables(n.parts[i], [&](const auto& p, auto) { return table(p); });
      to_.start_table();
      to_.add_offset(flat::noted_task::layers, layers);
      if (!scale.empty()) {
        to_.add_offset(flat::noted_task::scales, scales);
        to_.add_offset(flat::noted_task::zeros, zeros);
      }
      if (has_parts) to_.add_offset(flat::noted_task::parts, parts);
      return to_.finish_table();
    });
    offset calls = 0;
    if (!n.calls.empty())
      calls = to_.tables(n.calls, [&](const auto& c, auto) { return call(c); });
    offset made_from = 0;
    if (!n.made_from.empty()) made_from = table(n.made_from);
    to_.start_table();
    to_.add_offset(f::network, network);
    to_.add_offset(f::hardware, hardware);
    to_.add_offset(f::parameters, parameters);
    to_.add_offset(f::inputs, inputs);
    to_.add_offset(f::outputs, outputs);
    to_.add_offset(f::tasks, tasks);
    if (!n.calls.empty()) to_.add_offset(f::calls, calls);
    if (!n.made_from.empty()) to_.add_offset(f::made_from, made_from);
    if (n.transposed) to_.add(f::transposed, std::uint8_t{1});
    return to_.finish(to_.finish_table(), flat::notes_identifier);
  }

 private:
  using offset = flat_builder::offset;

  constexpr offset call(const loadable_notes::call& c) {
    using f = flat::noted_call;
    const auto layer = to_.string(c.what.layer), scales = to_.vector(c.input_scales);
    const auto parameters = to_.tables(c.what.parameters, [&](const auto& p, auto) {
      const auto name = to_.string(p.name), values = to_.vector(p.values);
      to_.start_table();
      to_.add_offset(flat::noted_parameter::name, name);
      to_.add_offset(flat::noted_parameter::values, values);
      return to_.finish_table();
    });
    to_.start_table();
    to_.add_offset(f::layer, layer);
    to_.add_offset(f::parameters, parameters);
    to_.add_offset(f::input_scales, scales);
    to_.add(f::output_scale, c.output_scale);
    return to_.finish_table();
  }
  constexpr offset tensor(const loadable_notes::tensor& t) {
    using f = flat::noted_tensor;
    const auto name = to_.string(t.name);
    offset pixels = 0, preprocessing = 0, in_file = 0, gain = 0;
    if (!t.gain.empty()) gain = to_.vector(t.gain);
    if (!t.in_file.empty())
      in_file = to_.tables(t.in_file, [&](const auto& form, auto) { return table(form); });
    if (t.pixels) pixels = table(*t.pixels);
    if (t.preprocessing) preprocessing = table(*t.preprocessing);
    to_.start_table();
    to_.add_offset(f::name, name);
    to_.add(f::c, t.shape.c);
    to_.add(f::h, t.shape.h);
    to_.add(f::w, t.shape.w);
    to_.add(f::scale, t.scale);
    if (t.pixels) to_.add_offset(f::pixels, pixels);
    if (t.preprocessing) to_.add_offset(f::preprocessing, preprocessing);
    if (!t.in_file.empty()) to_.add_offset(f::in_file, in_file);
    if (!t.gain.empty()) to_.add_offset(f::gain, gain);
    return to_.finish_table();
  }
  constexpr offset table(const provenance& p) {
    using f = flat::noted_provenance;
    const auto version = to_.string(p.version), commit = to_.string(p.commit);
    const auto options = to_.strings(p.options);
    const auto sources = to_.tables(p.sources, [&](const auto& s, auto) { return table(s); });
    to_.start_table();
    to_.add_offset(f::version, version);
    to_.add_offset(f::commit, commit);
    to_.add_offset(f::options, options);
    to_.add_offset(f::sources, sources);
    return to_.finish_table();
  }
  constexpr offset table(const provenance::source& s) {
    using f = flat::noted_source;
    const auto role = to_.string(s.role);
    const auto sha256 =
        to_.vector(std::vector<std::uint8_t>(s.sha256.bytes.begin(), s.sha256.bytes.end()));
    to_.start_table();
    to_.add_offset(f::role, role);
    to_.add_offset(f::sha256, sha256);
    to_.add(f::count, s.count);
    return to_.finish_table();
  }
  constexpr offset table(const loadable_notes::part& p) {
    using f = flat::noted_part;
    const auto layer = to_.string(p.layer);
    to_.start_table();
    to_.add(f::operation, p.operation);
    to_.add_offset(f::layer, layer);
    to_.add(f::first, p.first);
    to_.add(f::channels, p.channels);
    to_.add(f::scale, p.numbers.scale);
    to_.add(f::zero, p.numbers.zero);
    return to_.finish_table();
  }
  constexpr offset table(const net::file_tensor& t) {
    using f = flat::noted_file_tensor;
    std::vector<std::int32_t> count, stride;
    for (const auto& s : t.walk) {
      count.push_back(s.count);
      stride.push_back(s.stride);
    }
    const auto name = to_.string(t.name), shape = to_.vector(t.shape);
    const auto counts = to_.vector(count), strides = to_.vector(stride);
    offset spread = 0;
    if (t.is_part()) spread = to_.vector(t.spread);
    to_.start_table();
    to_.add_offset(f::name, name);
    to_.add_offset(f::shape, shape);
    to_.add_offset(f::counts, counts);
    to_.add_offset(f::strides, strides);
    to_.add(f::place, t.place);
    if (t.is_part()) {
      to_.add(f::first, t.first);
      to_.add_offset(f::spread, spread);
    }
    return to_.finish_table();
  }
  constexpr offset table(const quantised::pixels& p) {
    using f = flat::noted_pixels;
    const auto mean = to_.vector(std::vector<std::int16_t>(p.mean.begin(), p.mean.end()));
    to_.start_table();
    to_.add_offset(f::mean, mean);
    to_.add(f::offset, p.cvt.offset);
    to_.add(f::scale, p.cvt.scale);
    to_.add(f::shift, p.cvt.shift);
    return to_.finish_table();
  }
  constexpr offset table(const net::preprocessing& p) {
    using f = flat::noted_preprocessing;
    const auto mean = to_.vector(p.mean), scale = to_.vector(p.scale);
    to_.start_table();
    to_.add_offset(f::mean, mean);
    to_.add_offset(f::scale, scale);
    to_.add(f::order, static_cast<std::uint8_t>(p.order));
    if (p.size.given()) {
      to_.add(f::resize, static_cast<std::uint8_t>(p.size.resize));
      to_.add(f::side, p.size.side);
      to_.add(f::crop, p.size.crop);
    }
    return to_.finish_table();
  }

  flat_builder to_{};
};

}  // namespace detail

// The bytes of the blob.
constexpr std::vector<std::uint8_t> write_notes(const loadable_notes& n) {
  detail::notes_writer writer;
  const auto bytes = writer.write(n);
  return {bytes.begin(), bytes.end()};
}

}  // namespace nvdlac::emit
