// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/at_end.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/on_host.hpp>
#include <nvdlac/runtime/program_session.hpp>

namespace nvdlac::runtime {

namespace detail {

// Adds the time of its life to a sum.
class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds) {}
  ~stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The input or output number i.
template <class T>
const T& numbered(const std::vector<T>& all, std::size_t i, std::string_view what) {
  if (i >= all.size())
    throw error(text("there is no ", what, ' ', i, ": the network has ",
                     count_of(all.size(), what)));
  return all[i];
}

}  // namespace detail

NVDLAC_IMPL program_session::program_session(loaded_program program, const hw::spec& spec,
                                             const host::registry& host)
    : program_(std::move(program)), spec_(spec),
      host_(std::make_shared<const host::registry>(host)) {
  for (const auto& c : program_.calls) host_->get(c.layer);
}

NVDLAC_IMPL void program_session::require_newest_descriptors() const {
  for (const auto& t : program_.tasks)
    if (t.is_of_older_interface)
      throw error(problem{.reason = "the loadable has descriptors of before version 0.12 of the "
                                    "firmware's interface, which the driver's firmware misreads",
                          .remedy = "compile the network anew"});
}

NVDLAC_IMPL void program_session::load_contents() {
  for (const auto& c : program_.contents) write_memory(c.at, c.data);
  program_.contents = {};
  // Inputs that are written in place have between their elements what packed ones have, too: 0.
  for (const auto& b : program_.inputs)
    if (const auto memory = view({b.address, true}, b.size); !memory.empty()) {
      std::ranges::fill(memory, std::uint8_t{});
      flush({b.address, true}, b.size);
    }
}

NVDLAC_IMPL emit::run_record program_session::record(const std::vector<quantised::feed>& in) {
  emit::run_record r{.inputs = pack(in)};
  r.outputs = execute(r.inputs, &r);
  return r;
}

NVDLAC_IMPL emit::run_record program_session::record_layers(
    const std::vector<quantised::feed>& in) {
  written_layers written;
  for (const auto& t : program_.tasks) written.emplace_back(t.layers.size());
  const at_end unobserved([&] { layers_ = nullptr; });
  layers_ = &written;
  auto r = record(in);
  r.layers = std::move(written);
  return r;
}

NVDLAC_IMPL std::vector<measured_operation> program_session::measure(
    const std::vector<quantised::feed>& in) {
  std::vector<measured_operation> all;
  const at_end unmeasured([&] { measure_operations({}); });
  measure_operations([&](measured_operation m) {
    m.task = task_;
    all.push_back(std::move(m));
  });
  (void)run(pack(in));
  return all;
}

NVDLAC_IMPL any_session::memories program_session::pack(
    const std::vector<quantised::feed>& in) const {
  if (in.size() != program_.inputs.size())
    throw error(text("the network has ", count_of(program_.inputs.size(), "input"), ", not ",
                     in.size()));
  memories result;
  for (std::size_t i = 0; i < in.size(); ++i) result.push_back(pack(i, in[i]));
  return result;
}

NVDLAC_IMPL std::vector<net::any_tensor> program_session::unpack(const memories& out) const {
  if (out.size() != program_.outputs.size())
    throw error(text("the network has ", count_of(program_.outputs.size(), "output"), ", not ",
                     out.size()));
  std::vector<net::any_tensor> result;
  for (std::size_t i = 0; i < out.size(); ++i) result.push_back(unpack(i, out[i]));
  return result;
}

NVDLAC_IMPL std::vector<net::any_tensor> program_session::infer_any(
    const std::vector<quantised::feed>& in) {
  times_ = {};
  memories packed;
  {
    const detail::stopwatch packing(times_.pack);
    packed = pack(in);
  }
  const auto out = run(packed);
  const detail::stopwatch unpacking(times_.unpack);
  return unpack(out);
}

NVDLAC_IMPL std::vector<net::int8_tensor> program_session::infer(
    const std::vector<quantised::feed>& in) {
  std::vector<net::int8_tensor> result;
  for (auto& t : infer_any(in)) {
    auto* const typed = std::get_if<net::int8_tensor>(&t);
    if (typed == nullptr) throw error("an output is not int8: use infer_any");
    result.push_back(std::move(*typed));
  }
  return result;
}

NVDLAC_IMPL std::vector<std::uint8_t> program_session::pack(std::size_t i,
                                                            const quantised::feed& value) const {
  const auto& b = program_.inputs.at(i);
  std::vector<std::uint8_t> memory(in_memory(b.size));
  const auto part = std::span(memory).subspan(in_memory(b.surface.at.offset));
  try {
    nvdlac::visit([&]<class T>(const T& v) {
      if constexpr (std::is_same_v<T, std::vector<std::uint8_t>>) {
        if (!b.picture) throw error("takes values, not a picture");
        layer::pack_pixels(v, b.shape.c, b.surface, part);
      } else {
        if (b.picture) throw error("takes a picture of unsigned bytes, not values");
        if (b.surface.is_interleaved())
          return layer::pack_interleaved(v.values, b.shape.c, b.surface, part);
        layer::pack(v.values, b.surface, spec_.atom(), part);
      }
    }, value);
  } catch (const error& e) {
    throw error(problem{.layer = b.name, .reason = e.problems().front().reason});
  }
  return memory;
}

NVDLAC_IMPL net::any_tensor program_session::unpack(std::size_t i,
                                                    std::span<const std::uint8_t> memory) const {
  const auto& b = detail::numbered(program_.outputs, i, "output");
  if (memory.size() < b.size)
    throw error(problem{.layer = b.name,
                        .reason = text("its memory has ", count_of(b.size, "byte"), ", not ",
                                       memory.size())});
  auto result = net::make_tensor(b.surface.precision, b.surface.shape);
  nvdlac::visit([&](auto& t) {
    layer::unpack(memory.subspan(in_memory(b.surface.at.offset)), b.surface, spec_.atom(),
                  t.values);
    if (b.shape.size() == t.values.size()) t.shape = b.shape;  // the same in another shape
  }, result);
  return result;
}

NVDLAC_IMPL void program_session::check_usable() const {
  if (unusable_) throw error(*unusable_);
}

NVDLAC_IMPL void program_session::write_inputs(const memories& in,
                                               const std::vector<std::uint64_t>& to) {
  if (in.size() != program_.inputs.size())
    throw error(text("the network has ", count_of(program_.inputs.size(), "input"), ", not ",
                     in.size()));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto& b = program_.inputs[i];
    if (in[i].size() != b.size)
      throw error(problem{.layer = b.name,
                          .reason = text("has ", in[i].size(), " bytes, not ", b.size)});
    write_memory({to[i], true}, in[i]);
  }
}

NVDLAC_IMPL any_session::memories program_session::read_outputs(
    const std::vector<std::uint64_t>& from) {
  memories out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    out.emplace_back(in_memory(program_.outputs[i].size));
    read_memory({from[i], true}, out.back());
  }
  return out;
}

NVDLAC_IMPL program_session::buffer_set program_session::first_set() const {
  buffer_set s;
  for (const auto& b : program_.inputs) s.inputs.push_back(b.address);
  for (const auto& b : program_.outputs) s.outputs.push_back(b.address);
  return s;
}

NVDLAC_IMPL any_session::memories program_session::execute(const memories& in,
                                                           emit::run_record* record) {
  check_usable();
  const auto at = first_set();
  {
    const detail::stopwatch packing(times_.pack);
    write_inputs(in, at.inputs);
  }
  run_tasks(record);
  const detail::stopwatch unpacking(times_.unpack);
  return read_outputs(at.outputs);
}

NVDLAC_IMPL std::span<std::uint8_t> program_session::input_memory(std::size_t i) {
  const auto& b = detail::numbered(program_.inputs, i, "input");
  return view({b.address, true}, b.size);
}

NVDLAC_IMPL std::span<const std::uint8_t> program_session::output_memory(std::size_t i) {
  const auto& b = detail::numbered(program_.outputs, i, "output");
  return view({b.address, true}, b.size);
}

NVDLAC_IMPL void program_session::run_in_place() {
  check_usable();
  const auto require = [](const binding& b, std::span<const std::uint8_t> memory) {
    if (memory.empty())
      throw error(problem{.layer = b.name,
                          .reason = "the device maps none of its memory: pack, run and unpack"});
  };
  for (std::size_t i = 0; i < program_.inputs.size(); ++i)
    require(program_.inputs[i], input_memory(i));
  for (std::size_t i = 0; i < program_.outputs.size(); ++i)
    require(program_.outputs[i], output_memory(i));
  times_ = {};
  {
    const detail::stopwatch packing(times_.pack);
    for (const auto& b : program_.inputs) flush({b.address, true}, b.size);
  }
  run_tasks(nullptr);
  const detail::stopwatch unpacking(times_.unpack);
  for (const auto& b : program_.outputs) drop({b.address, true}, b.size);
}

NVDLAC_IMPL buffer_sets program_session::double_buffers() {
  if (!loads_beside_runs())
    return {.reason = "the device does not say that it is loaded while it runs"};
  buffer_sets sets{.count = 2};
  auto second = first_set();
  for (const auto& t : program_.tasks) second.places.push_back(t.places);
  const auto double_one = [&](const binding& b, std::uint64_t& address) {
    const auto fresh = allocate(b.size).address;
    detail::check_addresses(fresh, b.size, spec_);
    sets.bytes += b.size;
    for (auto& task : second.places)
      for (auto& p : task)
        if (p.dram && p.address >= b.address && p.address - b.address < b.size)
          p.address += fresh - b.address;
    address = fresh;
  };
  try {
    for (std::size_t i = 0; i < second.inputs.size(); ++i)
      double_one(program_.inputs[i], second.inputs[i]);
    for (std::size_t i = 0; i < second.outputs.size(); ++i)
      double_one(program_.outputs[i], second.outputs[i]);
  } catch (const error& e) {
    return {.reason = e.what()};
  }
  sets_ = {first_set(), std::move(second)};
  return sets;
}

NVDLAC_IMPL any_session::memories program_session::run_in_set(std::size_t set, std::mutex& device,
                                                              const memories& in) {
  if (set >= sets_.size()) return any_session::run_in_set(set, device, in);
  auto& s = sets_[set];
  write_inputs(in, s.inputs);
  {
    const std::lock_guard lock(device);
    check_usable();
    // The tasks have the places of this set while they run.
    struct exchange {
      exchange(std::vector<loaded_task>& t, std::vector<std::vector<emit::dma_address>>& p)
          : tasks(t), places(p) { swap(); }
      exchange(const exchange&) = delete;
      exchange& operator=(const exchange&) = delete;
      ~exchange() { swap(); }
      void swap() {
        for (std::size_t i = 0; i < places.size(); ++i) tasks[i].places.swap(places[i]);
      }
      std::vector<loaded_task>& tasks;
      std::vector<std::vector<emit::dma_address>>& places;
    };
    const exchange own_places(program_.tasks, s.places);
    run_tasks(nullptr);
  }
  return read_outputs(s.outputs);
}

// A device that failed begins anew. One that cannot do so runs nothing any more.
NVDLAC_IMPL void program_session::run_tasks(emit::run_record* record) try {
  for (const auto& t : program_.tasks) {
    task_ = static_cast<std::size_t>(&t - program_.tasks.data());
    const detail::stopwatch running(t.host ? times_.host : times_.hardware);
    if (t.host) run_host(t, record);
    else run_hardware(t);
  }
  check_end();
} catch (...) {
  try {
    recover();
  } catch (const error& e) {
    unusable_ = e.problems().front();
    unusable_->reason = "the device is not usable since a run failed: " + unusable_->reason;
  }
  throw;
}

NVDLAC_IMPL void program_session::show(std::size_t operation) {
  if (!is_observed()) return;
  const auto& t = program_.tasks[task_];
  const auto& l = t.layers[operation];
  if (layers_ != nullptr)
    layer::for_each_write(l.what, [&](const layer::surface& s) {
      auto& bytes = (*layers_)[task_][operation];
      bytes.resize(in_memory(s.size));
      inspect(t(s.at), bytes);
    });
  if (!on_cube_) return;
  const auto show_cube = [&](const label& name, const layer::surface& s, const auto& numbers) {
    std::vector<std::uint8_t> bytes(in_memory(s.size));
    const auto at = t(s.at);
    inspect(at, bytes);
    on_cube_({task_, operation, name, program_.transposed ? layer::transposed(s) : s, at.address,
              numbers},
             bytes);
  };
  layer::for_each_write(l.what, [&](const layer::surface& s) {
    const bytes atom = spec_.atom();
    bool is_of_several = false;
    for (const auto& p : t.parts) {
      const auto lanes = layer::lanes_of(atom, s.precision);
      if (p.operation != operation || static_cast<std::uint64_t>(p.first) % lanes != 0 ||
          p.channels > s.shape.c - p.first)
        continue;
      show_cube(p.layer, layer::part(s, atom, p.first, 0, 0, {p.channels, s.shape.h, s.shape.w}),
                p.numbers.scale != 0 ? std::optional(p.numbers) : std::nullopt);
      is_of_several = true;
    }
    if (!is_of_several) show_cube(l.name, s, numbers_of(program_, t, operation, t(s.at)));
  });
}

NVDLAC_IMPL void program_session::run_host(const loaded_task& t, emit::run_record* record) {
  for (const auto& l : t.layers) {
    emit::run_record::host_layer done;
    const auto read = [&](const layer::surface& s) {
      std::vector<std::uint8_t> bytes(in_memory(s.size));
      read_memory({t(s.at).address, true}, bytes);
      return bytes;
    };
    layer::for_each_read(l.what, [&](const auto& s) { done.inputs.push_back(read(s)); });
    layer::for_each_write(l.what, [&](const auto& s) {
      done.output = read(s);
      try {
        nvdlac::visit([&]<class Layer>(const Layer& what) {
          if constexpr (!layer::on_engine<Layer>) compute(what, done);
        }, l.what);
      } catch (const error& e) {
        throw error(problem{.layer = l.name, .reason = e.problems().front().reason,
                            .remedy = e.problems().front().remedy});
      }
      write_memory({t(s.at).address, true}, done.output);
    });
    show(static_cast<std::size_t>(&l - t.layers.data()));
    if (record != nullptr) record->host.push_back(std::move(done));
  }
}

NVDLAC_IMPL std::uint64_t program_session::operations_of_host() const {
  std::uint64_t all = 0;
  for (const auto& task : program_.tasks)
    for (const auto& l : task.layers) {
      const auto* host = std::get_if<layer::host_call>(&l.what);
      if (host == nullptr) continue;
      const auto& call = program_.calls.at(static_cast<std::size_t>(host->call));
      std::vector<net::shape> in;
      for (const auto& s : host->inputs()) in.push_back(s.shape);
      all += net::on_host{call, &host_->get(call.layer)}.operations(in);
    }
  return all;
}

NVDLAC_IMPL void program_session::compute(const layer::host_call& l,
                                          emit::run_record::host_layer& io) const {
  std::vector<net::any_tensor> in;
  std::vector<const net::any_tensor*> each;
  for (const auto& s : l.inputs()) {
    in.push_back(net::make_tensor(s.precision, s.shape));
    nvdlac::visit([&](auto& x) {
      layer::unpack(io.inputs[in.size() - 1], s, spec_.atom(), x.values);
    }, in.back());
  }
  for (const auto& x : in) each.push_back(&x);
  const auto& call = program_.calls.at(static_cast<std::size_t>(l.call));
  const quantised::on_host op{call, &host_->get(call.layer), l.output.shape};
  const auto y = op.evaluate(each, std::span(l.input_scales).first(in.size()), l.output.precision,
                             l.output_scale);
  nvdlac::visit([&](const auto& typed) {
    layer::pack(typed.values, l.output, spec_.atom(), io.output);
  }, y);
}

NVDLAC_IMPL void program_session::compute(const layer::host_softmax& l,
                                          emit::run_record::host_layer& io) const {
  const auto softmax_of = [&]<class T>(std::type_identity<T>) {
    net::tensor<T> x{l.input.shape};
    layer::unpack(io.inputs[0], l.input, spec_.atom(), x.values);
    const net::tensor<T>* const inputs[]{&x};
    const auto y = quantised::softmax{}.evaluate<T>(inputs, static_cast<double>(l.input_scale),
                                                    static_cast<double>(l.output_scale));
    layer::pack(y.values, l.output, spec_.atom(), io.output);
  };
  if (l.input.precision == hw::precision::fp16) softmax_of(std::type_identity<net::half>{});
  else softmax_of(std::type_identity<std::int8_t>{});
}

}  // namespace nvdlac::runtime
