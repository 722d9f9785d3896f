// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/compressed_weights.hpp>
#include <nvdlac/sim/load_input.hpp>

namespace nvdlac::sim {

// Fills the CBUF as one layer of CDMA asks, from memory or with what it already holds.
template <hw::hardware Hw>
class cbuf_filler {
 public:
  // `released`: the lines that CSC lets go at the end of the layer.
  void fill(const cdma_layer& l, std::uint32_t released, cbuf_contents& cbuf) {
    counts = {};
    const bool all = l.data_reuse && cbuf.data_held;
    if (l.data_reuse) check_data(l, cbuf);
    if (!all) {
      if (l.kept_lines == 0) cbuf.set_batches(l.batches);
      for (auto n = l.batches; n-- > 0;) {
        cbuf.select(n);
        load(l, n, cbuf);
      }
    }
    if (l.weight_reuse) {
      require(cbuf.weights_held, "CDMA.D_MISC_CFG.WEIGHT_REUSE",
              "the convolution before did not keep its weights (SKIP_WEIGHT_RLS)");
      require(cbuf.weight_bytes == l.weight_bytes && cbuf.weight_banks == l.weight_banks &&
                  cbuf.precision == l.precision && cbuf.winograd == l.winograd &&
                  cbuf.compressed == l.compressed &&
                  cbuf.weights.size() >= std::uint64_t{l.kernels} * l.kernel_bytes,
              "CDMA.D_MISC_CFG.WEIGHT_REUSE", "the weights in the CBUF are of another size");
    } else {
      load_weights(l, cbuf);
    }
    cbuf.data_held = l.keep_data;
    cbuf.kept_lines = l.keep_data || l.winograd || l.batches > 1 ? 0 : l.height - released;
    cbuf.weights_held = l.keep_weights;
    cbuf.pixel = l.pixel, cbuf.winograd = l.winograd, cbuf.precision = l.precision;
    cbuf.compressed = l.compressed;
    cbuf.sides = sides(l);
    cbuf.width = l.winograd ? l.padded_width() / l.stride_x : l.width;
    cbuf.height = l.winograd ? l.padded_height() / l.stride_y : l.height;
    cbuf.channels = l.channels;
    cbuf.data_banks = l.data_banks, cbuf.weight_banks = l.weight_banks;
    cbuf.weight_bytes = l.weight_bytes;
  }

  convolution_counts counts{};

 private:
  static constexpr bool has_16_bits = Hw::spec.data_types.int16 || Hw::spec.data_types.fp16;

  // An image lies in the CBUF with the padding of its sides.
  static std::array<std::int32_t, 3> sides(const cdma_layer& l) {
    if (!l.pixel) return {};
    return {static_cast<std::int32_t>(l.pad_left), static_cast<std::int32_t>(l.pad_right),
            l.pad_value};
  }

  static void check_data(const cdma_layer& l, const cbuf_contents& cbuf) {
    require(cbuf.data_held || l.kept_lines != 0, "CDMA.D_MISC_CFG.DATA_REUSE",
            "the convolution before did not keep its data (SKIP_DATA_RLS)");
    require(cbuf.pixel == l.pixel && cbuf.winograd == l.winograd &&
                cbuf.precision == l.precision && cbuf.channels == l.channels &&
                cbuf.data_banks == l.data_banks && cbuf.weight_banks == l.weight_banks &&
                cbuf.batches() == l.batches && cbuf.sides == sides(l),
            "CDMA.D_MISC_CFG.DATA_REUSE", "the data in the CBUF is of another shape");
    const bool whole = l.kept_lines == 0;
    require(l.winograd ? cbuf.width * l.stride_x == l.padded_width() &&
                             cbuf.height * l.stride_y == l.padded_height()
                       : cbuf.width == l.width && (!whole || cbuf.height == l.height),
            "CDMA.D_MISC_CFG.DATA_REUSE", "the data in the CBUF is of another shape");
  }

  // Batch `n` of the input, behind the lines that are kept.
  void load(cdma_layer l, std::uint32_t n, cbuf_contents& cbuf) {
    l.source.base += n * l.batch_stride;
    if constexpr (has_16_bits)
      if (l.precision != hw::precision::int8) return load_as(l, cbuf, cbuf.data16);
    load_as(l, cbuf, cbuf.data);
  }

  template <class T>
  void load_as(const cdma_layer& l, const cbuf_contents& cbuf, std::vector<T>& data) {
    const auto line = std::size_t{l.width} * l.channels;
    if (l.kept_lines != 0)
      std::copy_n(data.data() + (cbuf.height - l.kept_lines) * line, l.kept_lines * line,
                  data.data());
    if (l.pixel) return load_pixels(l, bytes_, data, counts);
    if constexpr (Hw::spec.winograd)
      if (l.winograd) {
        const auto lanes = l.source.surfaces * l.source.unit / sizeof(T);
        std::vector<T> plain;
        load_feature(l, static_cast<std::size_t>(lanes), bytes_, plain, counts);
        return extend_input(l, static_cast<std::size_t>(lanes), plain, data);
      }
    load_feature(l, l.channels, bytes_, data, counts);
  }

  void load_weights(const cdma_layer& l, cbuf_contents& cbuf) {
    auto& read = l.compressed ? bytes_ : cbuf.weights;
    read.resize(l.weight_bytes);
    l.weight_ram->read(l.weight_address, read);
    if constexpr (Hw::spec.data_types.fp16)
      if (l.precision == hw::precision::fp16)
        count_floats(read, false, counts.nan_weights, counts.inf_weights);
    if constexpr (Hw::spec.weight_compression)
      if (l.compressed) decompress(l, cbuf.weights);
  }

  void decompress(const cdma_layer& l, std::vector<std::uint8_t>& to) {
    const auto bytes = hw::element_bytes(l.precision);
    const auto kernel = std::uint64_t{l.kernel_bytes} / bytes, elements = l.kernels * kernel;
    const auto group = Hw::spec.kernel_group(l.precision);
    std::vector<std::uint32_t> sizes(ceil_div(l.kernels, group));
    std::vector<std::uint8_t> raw(sizes.size() * 4), mask(l.mask_bytes);
    l.weight_ram->read(l.sizes_address, raw);
    l.weight_ram->read(l.mask_address, mask);
    std::uint64_t sum = 0, largest = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      for (std::size_t i = 4; i-- > 0;) sizes[g] = sizes[g] << 8 | raw[g * 4 + i];
      sum += sizes[g], largest = std::max<std::uint64_t>(largest, sizes[g]);
    }
    check_groups(sizes, mask, elements, group * kernel, bytes);
    require(l.weight_bytes == align_up(sum, 128), "CDMA.D_WEIGHT_BYTES", "the kernel groups of ",
            sum, " bytes do not fill ", l.weight_bytes, " bytes");
    const auto space = l.weight_banks * Hw::spec.cbuf_bank().n;
    require(l.weight_bytes <= space || largest + Hw::spec.cbuf_entry <= space,
            "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", largest, " bytes does not fit ",
            l.weight_banks, " banks");
    decompress_weights(bytes_, mask, elements, bytes, to);
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim
