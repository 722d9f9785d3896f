// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/on_host.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/scheduler.hpp>
#include <nvdlac/runtime/workload.hpp>
#include <nvdlac/runtime/written_cube.hpp>

namespace nvdlac::runtime {

// Runs a loadable on the simulated product, as the public runtime and firmware do on silicon.
//   runtime::session<nv_small> r(emit::read_loadable(bytes));
//   auto probabilities = r.infer({picture})[0];

template <hw::hardware Hw>
class session {
 public:
  // A loadable that the product or the host cannot run is an `error`.
  explicit session(const emit::loadable_image& image, const sim::settings& s = {},
                   const host::registry& host = host::standard())
      : session(load(image, Hw::spec, s), s, host) {}
  // A program that was loaded for this product; layers of the host are those of `host`, which must
  // outlive the session.
  explicit session(loaded_program program, const sim::settings& s = {},
                   const host::registry& host = host::standard())
      : program_(std::move(program)), device_(with_any_timing(s)), host_(host) {
    for (const auto& c : program_.calls) host_.get(c.layer);
    s.check_work(operations_of<Hw>(program_));
    for (const auto& c : program_.contents) memory_of(c.at).write(c.at.address, c.data);
    program_.contents = {};
    emit::initialize<Hw>(device_);
  }
  explicit session(std::span<const std::uint8_t> bytes, const std::string& file = {},
                   const sim::settings& s = {}, const host::registry& host = host::standard())
      : session(emit::read_loadable(bytes, file), s, host) {}
  // The scheduler keeps a reference to the device.
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  // What was loaded, but for the contents of its memory, which the device has.
  const loaded_program& program() const { return program_; }
  const std::string& network() const { return program_.network; }
  const std::vector<binding>& inputs() const { return program_.inputs; }
  const std::vector<binding>& outputs() const { return program_.outputs; }
  sim::device<Hw>& device() { return device_; }

  // Calls f with each cube that a layer has written to memory, and with its bytes there.
  void on_cube(std::function<void(const written_cube&, std::span<const std::uint8_t>)> f) {
    on_cube_ = std::move(f);
    scheduler_.on_operation([this](std::size_t op) { show(op); });
  }
  // Calls f(record, name) after each hardware layer; the name is that of the layer, or of several
  // that were computed as one: "conv1, pool1".
  void on_layer(std::function<void(const sim::layer_record&, const std::string&)> f) {
    device_.on_layer([this, f = std::move(f)](const sim::layer_record& r) {
      f(r, scheduler_.take_names(r.units));
    });
  }

  // The bytes of the outputs' memories for those of the inputs' memories.
  std::vector<std::vector<std::uint8_t>> run(const std::vector<std::vector<std::uint8_t>>& in) {
    return execute(in, nullptr);
  }

  // A run with all that a trace checks.
  emit::run_record record(const std::vector<std::vector<std::uint8_t>>& in) {
    emit::run_record r{.inputs = in};
    r.outputs = execute(in, &r);
    return r;
  }

  // Values for values: tensors or pictures in, tensors of the network's shapes out.
  std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>& in) {
    if (in.size() != program_.inputs.size())
      throw error(text("the network has ", program_.inputs.size(), " inputs, not ", in.size()));
    std::vector<std::vector<std::uint8_t>> memories;
    for (std::size_t i = 0; i < in.size(); ++i) memories.push_back(pack(i, in[i]));
    const auto out = run(memories);
    std::vector<net::any_tensor> result;
    for (std::size_t i = 0; i < out.size(); ++i) result.push_back(unpack(i, out[i]));
    return result;
  }
  // The outputs of a network whose outputs are int8.
  std::vector<net::int8_tensor> infer(const std::vector<quantised::feed>& in) {
    std::vector<net::int8_tensor> result;
    for (auto& t : infer_any(in)) {
      auto* const typed = std::get_if<net::int8_tensor>(&t);
      if (typed == nullptr) throw error("an output is not int8: use infer_any");
      result.push_back(std::move(*typed));
    }
    return result;
  }

  // The memory of input i for one value; what is wrong with the value is an `error`.
  std::vector<std::uint8_t> pack(std::size_t i, const quantised::feed& value) const {
    const auto& b = program_.inputs.at(i);
    std::vector<std::uint8_t> memory(b.size);
    const auto part = std::span(memory).subspan(b.surface.at.offset);
    try {
      nvdlac::visit([&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, std::vector<std::uint8_t>>) {
          if (!b.picture) throw error("takes values, not a picture");
          layer::pack_pixels(v, b.shape.c, b.surface, part);
        } else {
          if (b.picture) throw error("takes a picture of unsigned bytes, not values");
          if constexpr (std::is_same_v<T, net::int8_tensor>)
            if (b.surface.is_interleaved())
              return layer::pack_interleaved(v.values, b.shape.c, b.surface, part);
          layer::pack(v.values, b.surface, Hw::spec.atom(), part);
        }
      }, value);
    } catch (const error& e) {
      throw error(problem{.layer = b.name, .reason = e.problems().front().reason});
    }
    return memory;
  }

  // The values in the memory of output i.
  net::any_tensor unpack(std::size_t i, std::span<const std::uint8_t> memory) const {
    const auto& b = program_.outputs.at(i);
    auto result = net::make_tensor(b.surface.precision, b.surface.shape);
    nvdlac::visit([&](auto& t) {
      layer::unpack(memory.subspan(b.surface.at.offset), b.surface, Hw::spec.atom(), t.values);
      if (b.shape.size() == t.values.size()) t.shape = b.shape;  // the same in another shape
    }, result);
    return result;
  }

 private:
  static sim::settings with_any_timing(sim::settings s) {
    s.timing = sim::timing::refuse;
    return s;
  }
  sim::memory& memory_of(const emit::place& at) {
    return at.dram ? device_.dram() : device_.cvsram();
  }
  std::vector<std::vector<std::uint8_t>> execute(const std::vector<std::vector<std::uint8_t>>& in,
                                                 emit::run_record* record) {
    if (in.size() != program_.inputs.size())
      throw error(text("the network has ", program_.inputs.size(), " inputs, not ", in.size()));
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto& b = program_.inputs[i];
      if (in[i].size() != b.size)
        throw error(problem{.layer = b.name, .reason = text("has ", in[i].size(), " bytes, not ",
                                                            b.size)});
      device_.host_write(device_.dram(), b.address, in[i]);
    }
    try {
      for (const auto& t : program_.tasks) {
        task_ = static_cast<std::size_t>(&t - program_.tasks.data());
        if (t.host) compute(t, record);
        else scheduler_.run(t);
      }
      check_leak();
    } catch (...) {
      device_.reset();
      scheduler_.reset();
      emit::initialize<Hw>(device_);
      throw;
    }
    std::vector<std::vector<std::uint8_t>> out;
    for (const auto& b : program_.outputs) {
      out.emplace_back(b.size);
      device_.host_read(device_.dram(), b.address, out.back());
    }
    return out;
  }

  void show(std::size_t operation) {
    if (!on_cube_) return;
    const auto& t = program_.tasks[task_];
    const auto& l = t.layers[operation];
    const auto show_cube = [&](const label& name, const layer::surface& s, const auto& numbers) {
      std::vector<std::uint8_t> bytes(s.size);
      const auto at = t(s.at);
      memory_of(at).read(at.address, bytes);
      on_cube_({task_, operation, name, s, at.address, numbers}, bytes);
    };
    layer::for_each_write(l.what, [&](const layer::surface& s) {
      const bytes atom = Hw::spec.atom();
      bool is_of_several = false;
      for (const auto& p : t.parts) {
        const auto lanes = layer::lanes_of(atom, s.precision);
        if (p.operation != operation || static_cast<std::uint64_t>(p.first) % lanes != 0 ||
            p.channels > s.shape.c - p.first)
          continue;
        show_cube(p.layer,
                  layer::part(s, atom, p.first, 0, 0, {p.channels, s.shape.h, s.shape.w}),
                  p.numbers.scale != 0 ? std::optional(p.numbers) : std::nullopt);
        is_of_several = true;
      }
      if (!is_of_several) show_cube(l.name, s, numbers_of(program_, t, operation, t(s.at)));
    });
  }

  // Contents that one run leaves in the CBUF for ever, many runs fill it with.
  void check_leak() const {
    const auto leak = device_.leak();
    sim::require(leak.weights == 0, "CDMA.D_WEIGHT_BYTES", leak.weights,
            " CBUF entries of weights are never released after the last convolution");
    sim::require(leak.slices == 0, "CSC.D_RELEASE.RLS_SLICES", leak.slices,
            " slices of data are never released after the last convolution");
  }

  void compute(const loaded_task& t, emit::run_record* record) {
    for (const auto& l : t.layers) {
      emit::run_record::host_layer done;
      const auto read = [&](const layer::surface& s) {
        std::vector<std::uint8_t> bytes(s.size);
        device_.host_read(device_.dram(), t(s.at).address, bytes);
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
        device_.host_write(device_.dram(), t(s.at).address, done.output);
      });
      show(static_cast<std::size_t>(&l - t.layers.data()));
      if (record != nullptr) record->host.push_back(std::move(done));
    }
  }

  void compute(const layer::host_call& l, emit::run_record::host_layer& io) const {
    std::vector<net::any_tensor> in;
    std::vector<const net::any_tensor*> each;
    for (const auto& s : l.inputs()) {
      in.push_back(net::make_tensor(s.precision, s.shape));
      nvdlac::visit([&](auto& x) {
        layer::unpack(io.inputs[in.size() - 1], s, Hw::spec.atom(), x.values);
      }, in.back());
    }
    for (const auto& x : in) each.push_back(&x);
    const auto& call = program_.calls.at(static_cast<std::size_t>(l.call));
    const quantised::on_host op{call, &host_.get(call.layer), l.output.shape};
    const auto y = op.evaluate(each, std::span(l.input_scales).first(in.size()),
                               l.output.precision, l.output_scale);
    nvdlac::visit([&](const auto& typed) {
      layer::pack(typed.values, l.output, Hw::spec.atom(), io.output);
    }, y);
  }

  // Lanes beyond the last channel keep their bytes.
  static void compute(const layer::host_softmax& l, emit::run_record::host_layer& io) {
    if (l.input.precision == hw::precision::fp16) softmax_of<net::half>(l, io.inputs[0], io.output);
    else softmax_of<std::int8_t>(l, io.inputs[0], io.output);
  }
  template <class T>
  static void softmax_of(const layer::host_softmax& l, std::span<const std::uint8_t> in,
                         std::span<std::uint8_t> out) {
    net::tensor<T> x{l.input.shape};
    layer::unpack(in, l.input, Hw::spec.atom(), x.values);
    const net::tensor<T>* const inputs[]{&x};
    const auto y = quantised::softmax{}.evaluate<T>(inputs, static_cast<double>(l.input_scale),
                                                       static_cast<double>(l.output_scale));
    layer::pack(y.values, l.output, Hw::spec.atom(), out);
  }

  loaded_program program_;
  sim::device<Hw> device_;
  const host::registry& host_;
  scheduler<Hw> scheduler_{device_};
  std::size_t task_ = 0;  // that runs
  std::function<void(const written_cube&, std::span<const std::uint8_t>)> on_cube_{};
};

}  // namespace nvdlac::runtime
