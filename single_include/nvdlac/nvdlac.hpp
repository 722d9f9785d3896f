// SPDX-License-Identifier: Apache-2.0
// Made by tools/amalgamate.py from include/nvdlac; changes belong there.
#pragma once
// Everything. A translation unit that needs one room includes that room's headers instead.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nvdlac::data {

// Numbers with their dimensions, the last one running fastest.
struct array {
  std::vector<std::size_t> dims = {};
  std::vector<float> values = {};

  bool operator==(const array&) const = default;
};

// Raw pixels 0..255: rows from the top, channels interleaved (1: grey, 3: red, green, blue).
struct picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> pixels = {};

  bool operator==(const picture&) const = default;
};

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nvdlac {

// One thing wrong with the user's input: where, why, and what to do about it.
struct problem {
  std::string file = {};    // as the user named it; empty if none
  std::size_t line = 0;     // 1-based line of a text file; 0 if unknown
  std::string layer = {};   // layer, node or tensor; empty if none
  std::string reason = {};  // one sentence without a full stop
  std::string remedy = {};  // what is supported or what to change; may be empty
};

// "lenet.prototxt:12: layer 'conv1': reason (remedy)"
inline std::string to_string(const problem& p) {
  std::string s = p.file;
  if (p.line != 0) s += ":" + std::to_string(p.line);
  if (!s.empty()) s += ": ";
  if (!p.layer.empty()) s += "layer '" + p.layer + "': ";
  s += p.reason;
  if (!p.remedy.empty()) s += " (" + p.remedy + ")";
  return s;
}

// The one exception of nvdlac: the user's input cannot be processed, for these reasons.
// Whatever else is thrown is a defect of nvdlac itself.
class error : public std::exception {
 public:
  explicit error(std::vector<problem> ps) : problems_(std::move(ps)) {
    for (const auto& p : problems_) text_ += (text_.empty() ? "" : "\n") + to_string(p);
  }
  explicit error(problem p) : error(std::vector{std::move(p)}) {}
  explicit error(std::string reason) : error(problem{.reason = std::move(reason)}) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<problem> problems_;
  std::string text_;
};

// Collects all problems of one input; `check()` throws them together.
class diagnostics {
 public:
  void add(problem p) { problems_.push_back(std::move(p)); }
  bool empty() const { return problems_.empty(); }
  const std::vector<problem>& problems() const { return problems_; }
  void check() const {
    if (!problems_.empty()) throw error(problems_);
  }

 private:
  std::vector<problem> problems_;
};

// text("kernel ", 3, " is too high"): the arguments printed one behind the other.
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace nvdlac

namespace nvdlac::data {

using file_bytes = std::vector<std::uint8_t>;

// Larger files are refused before anything is allocated.
inline constexpr std::uintmax_t max_file_bytes = (std::uintmax_t{1} << 31) - 1;

[[noreturn]] inline void refuse(const std::string& file, std::string reason,
                                std::string remedy = {}) {
  throw error(problem{.file = file, .reason = std::move(reason), .remedy = std::move(remedy)});
}

// The whole content of a file. Throws nvdlac::error if it cannot be read or has 2 GiB or more.
inline file_bytes read_file(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) refuse(path.string(), "no such file");
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) refuse(path.string(), "cannot be read: " + failed.message());
  if (size > max_file_bytes) refuse(path.string(), text("has ", size, " bytes"), "less than 2 GiB");
  file_bytes bytes(static_cast<std::size_t>(size));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in || static_cast<std::uintmax_t>(in.gcount()) != size)
    refuse(path.string(), "cannot be read");
  return bytes;
}

// The product of dimensions, or nothing if it does not fit.
inline std::optional<std::size_t> product(const std::vector<std::size_t>& dims) {
  std::size_t n = 1;
  for (const auto d : dims) {
    if (d != 0 && n > std::numeric_limits<std::size_t>::max() / d) return std::nullopt;
    n *= d;
  }
  return n;
}

// "2x3x4"
inline std::string to_string(const std::vector<std::size_t>& dims) {
  std::string s;
  for (const auto d : dims) s += (s.empty() ? "" : "x") + std::to_string(d);
  return s.empty() ? "scalar" : s;
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>


namespace nvdlac::data {

// A file in the format of the MNIST collection: bytes in dims.size() dimensions.
struct idx {
  std::vector<std::size_t> dims = {};
  std::vector<std::uint8_t> values = {};
};

// Header: 0 0, element type, rank, then one big-endian word per dimension. Only type 8 (unsigned
// bytes) is read. `file` is for messages.
inline idx parse_idx(const file_bytes& bytes, const std::string& file) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) refuse(file, "is not an IDX file");
  if (bytes[2] != 8)
    refuse(file, text("has IDX element type ", int{bytes[2]}), "8, unsigned bytes, is supported");
  const std::size_t rank = bytes[3], header = 4 + 4 * rank;
  if (rank == 0 || rank > 4) refuse(file, text("has ", rank, " dimensions"), "1 to 4");
  if (bytes.size() < header) refuse(file, "ends inside its IDX header");
  idx result;
  for (std::size_t at = 4; at < header; at += 4) {
    std::size_t dim = 0;
    for (std::size_t i = 0; i < 4; ++i) dim = dim << 8 | bytes[at + i];
    result.dims.push_back(dim);
  }
  const auto expected = product(result.dims);
  if (!expected || *expected != bytes.size() - header)
    refuse(file, text("holds ", bytes.size() - header, " values, its IDX header promises ",
                      to_string(result.dims)));
  result.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
  return result;
}

inline idx read_idx(const std::filesystem::path& path) {
  return parse_idx(read_file(path), path.string());
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>


namespace nvdlac::data {

// What the network takes: one picture of so many channels, rows and columns.
struct input_shape {
  std::size_t channels = 1;
  std::size_t height = 1;
  std::size_t width = 1;

  std::size_t size() const { return channels * height * width; }
  bool operator==(const input_shape&) const = default;
};

inline std::string to_string(const input_shape& s) {
  return text(s.channels, " channel", s.channels == 1 ? "" : "s", " of ", s.height, "x", s.width);
}

enum class channel_order { rgb, bgr, grey };

// From pixels to what the network was trained on: value[c] = (pixel[c] - mean[c]) * scale[c].
// `mean` and `scale` hold one number for all channels or one for each, in the order in which the
// network takes the channels. (x / 255 - m) / s is mean 255 m and scale 1 / (255 s).
struct preprocessing {
  std::vector<float> mean = {0.0F};
  std::vector<float> scale = {1.0F};
  channel_order order = channel_order::rgb;  // grey: colours are weighed 299 : 587 : 114

  bool operator==(const preprocessing&) const = default;
};

// Collects what is wrong with the numbers for a network of `channels` channels.
inline void check(const preprocessing& how, std::size_t channels, diagnostics& found) {
  const auto look = [&](const std::vector<float>& v, const std::string& name, bool zero_allowed) {
    if (v.size() != 1 && v.size() != channels)
      found.add({.reason = text("input ", name, " has ", v.size(), " numbers, the network ",
                                channels, " channels"),
                 .remedy = "give one number or one per channel"});
    for (const float x : v)
      if (!std::isfinite(x) || (x == 0 && !zero_allowed))
        found.add({.reason = text("input ", name, " is ", x)});
  };
  look(how.mean, "mean", true);
  look(how.scale, "scale", false);
}

namespace detail {

inline std::uint8_t grey(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

}  // namespace detail

// The values for the network, channel by channel. A picture of another size is an error: nothing
// is resized. `file` is for messages; `how` must have passed `check`.
inline std::vector<float> preprocess(const picture& p, const input_shape& want,
                                     const preprocessing& how, const std::string& file) {
  if (p.height != want.height || p.width != want.width)
    refuse(file, text("is ", p.width, "x", p.height, " pixels, the network takes ", want.width,
                      "x", want.height),
           "resize the picture");
  const bool to_grey = how.order == channel_order::grey && p.channels == 3;
  if ((to_grey ? 1 : p.channels) != want.channels)
    refuse(file, text("has ", p.channels, " channels, the network takes ", want.channels),
           want.channels == 1 ? "channel order grey converts colours" : "");
  std::vector<float> values(want.size());
  const std::size_t plane = want.height * want.width;
  for (std::size_t c = 0; c < want.channels; ++c) {
    const float mean = how.mean[how.mean.size() == 1 ? 0 : c];
    const float scale = how.scale[how.scale.size() == 1 ? 0 : c];
    const std::size_t from =
        how.order == channel_order::bgr && want.channels == 3 ? 2 - c : c;
    for (std::size_t i = 0; i < plane; ++i) {
      const std::uint8_t* pixel = p.pixels.data() + i * p.channels;
      const std::uint8_t x = to_grey ? detail::grey(pixel) : pixel[from];
      values[c * plane + i] = (static_cast<float>(x) - mean) * scale;
    }
  }
  return values;
}

}  // namespace nvdlac::data

namespace nvdlac::data {

// The order of the dimensions in an array file. `automatic` takes the one that fits the network
// and refuses to choose if both do.
enum class array_layout { automatic, chw, hwc };

// How an array file of `dims` is divided into inputs of a network.
struct division {
  std::size_t count = 0;  // how many inputs
  bool interleaved = false;  // hwc instead of chw
  bool operator==(const division&) const = default;
};

// Takes (n, c, h, w), (n, h, w, c), (n, h, w) for one channel and (n, c*h*w), each also without n.
inline division divide(const std::vector<std::size_t>& dims, const input_shape& want,
                       array_layout layout, const std::string& file) {
  using list = std::vector<std::size_t>;
  const auto fits = [&](const list& form) {
    if (dims == form) return true;
    return dims.size() == form.size() + 1 && list(dims.begin() + 1, dims.end()) == form;
  };
  const auto [c, h, w] = want;
  const bool planar = fits({c, h, w}) || fits({c * h * w}) || (c == 1 && fits({h, w}));
  const bool interleaved = fits({h, w, c});
  const bool both = planar && interleaved && c != 1;  // with one channel they are the same
  if (both && layout == array_layout::automatic)
    refuse(file, "can be read in the order c, h, w and in the order h, w, c", "name the layout");
  const bool as_hwc = layout == array_layout::hwc || (layout != array_layout::chw && !planar);
  if (!(as_hwc ? interleaved || (planar && dims.size() <= 2) : planar))
    refuse(file, "has dimensions " + to_string(dims) + ", the network takes " + to_string(want));
  std::size_t n = 1;  // the product is that of a file that was read, so it does not overflow
  for (const auto d : dims) n *= d;
  return {n / want.size(), as_hwc && c != 1};
}

// A copy of one input of (h, w, c) as (c, h, w), or the other way round.
template <class T>
std::vector<T> to_chw(const T* from, const input_shape& shape) {
  std::vector<T> to(shape.size());
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i % shape.channels * plane + i / shape.channels] = from[i];
  return to;
}

template <class T>
std::vector<T> to_hwc(const T* from, const input_shape& shape) {
  std::vector<T> to(shape.size());
  const std::size_t plane = shape.height * shape.width;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[i % shape.channels * plane + i / shape.channels];
  return to;
}

}  // namespace nvdlac::data
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>


namespace nvdlac::data::detail {

// The header is a Python dictionary with exactly these keys; NumPy writes it in one way only, and
// only that way is read.
struct npy_header {
  std::string type;
  std::vector<std::size_t> dims;
};

class npy_header_parser {
 public:
  npy_header_parser(std::string_view s, const std::string& file) : rest_(s), file_(file) {}

  npy_header parse() {
    npy_header h;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        h.type = quoted();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        if (word() != "False") refuse(file_, "is in Fortran order", "save it in C order");
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        h.dims = tuple();
        has_shape = true;
      } else {
        bad();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (!rest_.empty() || !has_type || !has_order || !has_shape) bad();
    return h;
  }

 private:
  [[noreturn]] void bad() const { refuse(file_, "has a damaged NumPy header"); }
  void skip() {
    const auto n = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string quoted() {
    expect('\'');
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) bad();
    std::string s(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return s;
  }
  std::string_view word() {
    skip();
    const auto end = rest_.find_first_of(",} ");
    if (end == std::string_view::npos) bad();
    const auto s = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return s;
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> dims;
    expect('(');
    while (!accept(')')) {
      skip();
      std::size_t value = 0;
      const auto [end, failed] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (failed != std::errc{} || dims.size() == 32) bad();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      dims.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace nvdlac::data::detail

namespace nvdlac::data {

// The content of a NumPy file. `from_bytes` tells that the elements are unsigned bytes (pixels).
struct npy {
  array content = {};
  bool from_bytes = false;
};

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// Element `index` of a little-endian array of T, as a double; exact for every supported T but the
// 64-bit integers beyond 2^53, which no float could hold either.
template <class T>
double npy_element(const std::uint8_t* from, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

struct npy_type {
  std::string_view name;
  std::size_t size;
  double (*element)(const std::uint8_t*, std::size_t);
};

inline constexpr std::array npy_types{
    npy_type{"|u1", 1, npy_element<std::uint8_t>}, npy_type{"|i1", 1, npy_element<std::int8_t>},
    npy_type{"<f4", 4, npy_element<float>},        npy_type{"<f8", 8, npy_element<double>},
    npy_type{"<i4", 4, npy_element<std::int32_t>}, npy_type{"<i8", 8, npy_element<std::int64_t>}};

}  // namespace detail

inline bool is_npy(const file_bytes& bytes) {
  return bytes.size() >= 6 && std::memcmp(bytes.data(), detail::npy_magic.data(), 6) == 0;
}

// Versions 1 and 2 in C order with elements u1, i1, i4, i8, f4 or f8. Values that are not finite,
// and integers that a float does not hold exactly, are errors. `file` is for messages.
inline npy parse_npy(const file_bytes& bytes, const std::string& file) {
  if (!is_npy(bytes)) refuse(file, "is not a NumPy file");
  if (bytes.size() < 12) refuse(file, "ends inside its NumPy header");
  const int version = bytes[6];
  if (version != 1 && version != 2)
    refuse(file, text("has NumPy format version ", version), "1 and 2 are supported");
  std::size_t length = std::size_t{bytes[8]} | std::size_t{bytes[9]} << 8;
  if (version == 2) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() - start < length) refuse(file, "ends inside its NumPy header");
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()) + start, length);
  auto [type, dims] = detail::npy_header_parser(head, file).parse();

  const detail::npy_type* known = nullptr;
  for (const auto& t : detail::npy_types)
    if (t.name == type) known = &t;
  if (!known)
    refuse(file, "has elements of type '" + type + "'", "|u1, |i1, <i4, <i8, <f4, <f8");
  const auto count = product(dims);
  const std::size_t available = bytes.size() - start - length;
  if (!count || *count > available / known->size || *count * known->size != available)
    refuse(file, text("holds ", available, " bytes of elements, its header promises ",
                      to_string(dims), " of ", known->size, " bytes each"));

  npy result{{std::move(dims), std::vector<float>(*count)}, type == "|u1"};
  const bool integer = type[1] != 'f';
  for (std::size_t i = 0; i < *count; ++i) {
    const double value = known->element(bytes.data() + start + length, i);
    const bool fits = std::abs(value) <= double{std::numeric_limits<float>::max()};  // not for NaN
    const auto stored = fits ? static_cast<float>(value) : 0.0F;
    if (!fits || (integer && double{stored} != value))
      refuse(file, text("element ", i, " is ", value), "finite values that fit into a float");
    result.content.values[i] = stored;
  }
  return result;
}

inline npy read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

// The bytes of a version 1 file of f4, as NumPy itself would write them.
inline std::string to_npy(const array& a) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const auto d : a.dims) head += std::to_string(d) + (a.dims.size() == 1 ? "," : ", ");
  if (a.dims.size() > 1) head.resize(head.size() - 2);
  head += "), }";
  head.append(63 - (10 + head.size()) % 64, ' ');  // the elements begin at a multiple of 64
  head += '\n';
  std::string s(detail::npy_magic);
  s += {'\1', '\0', static_cast<char>(head.size() & 0xFF), static_cast<char>(head.size() >> 8)};
  s += head;
  const auto at = s.size();
  s.resize(at + 4 * a.values.size());
  if (!a.values.empty()) std::memcpy(s.data() + at, a.values.data(), 4 * a.values.size());
  return s;
}

inline void write_npy(const std::filesystem::path& path, const array& a) {
  const auto s = to_npy(a);
  std::ofstream out(path, std::ios::binary);
  out.write(s.data(), static_cast<std::streamsize>(s.size()));
  if (!out.flush()) refuse(path.string(), "cannot be written");
}

}  // namespace nvdlac::data
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <stb/stb_image.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <boost/crc.hpp>


namespace nvdlac::data::detail {

inline constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

inline bool starts_with(const file_bytes& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

inline std::uint32_t big_endian_word(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

// The decoder does not look at the checksums of a PNG and fills up what is cut off; this does not
// let such a file pass. Throws nvdlac::error unless every chunk is whole and IEND is the last.
inline void check_png(const file_bytes& bytes, const std::string& file) {
  std::size_t at = png_magic.size();
  for (;;) {
    if (bytes.size() - at < 12) refuse(file, "is a PNG that ends too early");
    const std::size_t length = big_endian_word(bytes.data() + at);
    if (bytes.size() - at - 12 < length) refuse(file, "is a PNG that ends too early");
    const std::uint8_t* type = bytes.data() + at + 4;
    boost::crc_32_type crc;
    crc.process_bytes(type, length + 4);
    if (crc.checksum() != big_endian_word(type + 4 + length))
      refuse(file, text("is a PNG with a wrong checksum at byte ", at));
    at += 12 + length;
    if (std::memcmp(type, "IEND", 4) == 0) return;
  }
}

}  // namespace nvdlac::data::detail

// Only stb_image's declarations are included: its code comes from the library `stb` (Debian's
// libstb-dev). Code in this header would be a second definition in every translation unit.
namespace nvdlac::data {

// Larger pictures are refused before they are decoded.
inline constexpr std::size_t max_picture_samples = std::size_t{1} << 27;

namespace detail {

// Of the many formats that stb_image guesses, those with a signature that can be told from noise.
inline bool is_picture(const file_bytes& bytes) {
  return starts_with(bytes, png_magic) || starts_with(bytes, "\xFF\xD8\xFF") ||
         starts_with(bytes, "BM") || starts_with(bytes, "P5") || starts_with(bytes, "P6");
}

inline std::size_t little_endian_word(const file_bytes& bytes, std::size_t at) {
  return std::size_t{bytes[at]} | std::size_t{bytes[at + 1]} << 8 |
         std::size_t{bytes[at + 2]} << 16 | std::size_t{bytes[at + 3]} << 24;
}

// Where the pixels of a PGM or PPM begin: behind three numbers and one blank. Comments run from #
// to the end of the line.
inline std::size_t pnm_pixels(const file_bytes& bytes) {
  std::size_t at = 2;
  const auto blank = [](std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (int number = 0; number < 3; ++number) {
    while (at < bytes.size() && (blank(bytes[at]) || bytes[at] == '#')) {
      if (bytes[at] == '#')
        while (at < bytes.size() && bytes[at] != '\n' && bytes[at] != '\r') ++at;
      else
        ++at;
    }
    while (at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9') ++at;
  }
  return at + 1;
}

// A file that is cut off would be decoded with made-up pixels.
inline void check_whole(const file_bytes& bytes, const picture& p, const std::string& file) {
  if (starts_with(bytes, png_magic)) return check_png(bytes, file);
  auto end = bytes.size();
  if (starts_with(bytes, "\xFF\xD8")) {
    while (end > 0 && bytes[end - 1] == 0) --end;  // padding of some cameras
    if (end < 4 || bytes[end - 2] != 0xFF || bytes[end - 1] != 0xD9)
      refuse(file, "is a JPEG that ends too early");
  } else if (starts_with(bytes, "BM")) {  // the pixels begin where byte 10 says; rows are words
    const auto bits = end < 30 ? 0 : std::size_t{bytes[28]} | std::size_t{bytes[29]} << 8;
    if (end < 30 || end < little_endian_word(bytes, 10) + (p.width * bits + 31) / 32 * 4 * p.height)
      refuse(file, "is a BMP that ends too early");
  } else if (end < pnm_pixels(bytes) + p.height * p.width * p.channels) {
    refuse(file, "is a PGM or PPM that ends too early");
  }
}

// Takes out an alpha channel, which must be opaque.
inline void drop_alpha(picture& p, const std::string& file) {
  const std::size_t from = p.channels, to = from - 1;
  for (std::size_t i = 0; i < p.height * p.width; ++i) {
    if (p.pixels[i * from + to] != 255)
      refuse(file, "is partly transparent", "save it without an alpha channel");
    for (std::size_t c = 0; c < to; ++c) p.pixels[i * to + c] = p.pixels[i * from + c];
  }
  p.pixels.resize(p.height * p.width * to);
  p.channels = to;
}

}  // namespace detail

// Decodes PNG, JPEG, BMP, PGM or PPM of 8 bits into 1 (grey) or 3 (red, green, blue) channels.
// `file` is for messages.
inline picture parse_picture(const file_bytes& bytes, const std::string& file) {
  if (!detail::is_picture(bytes))
    refuse(file, "is not a picture that is understood", "PNG, JPEG, BMP, binary PGM or PPM");
  const auto size = static_cast<int>(bytes.size());  // read_file refuses 2 GiB and more
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(bytes.data(), size, &width, &height, &channels) || width <= 0 ||
      height <= 0)
    refuse(file, "is a damaged picture");
  if (stbi_is_16_bit_from_memory(bytes.data(), size))
    refuse(file, "has 16 bits per channel", "save it with 8");
  picture p{static_cast<std::size_t>(height), static_cast<std::size_t>(width),
            static_cast<std::size_t>(channels), {}};
  if (p.height > max_picture_samples / p.width / p.channels)
    refuse(file, text("has ", width, "x", height, " pixels"),
           text("at most ", max_picture_samples, " samples"));
  detail::check_whole(bytes, p, file);
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(bytes.data(), size, &width, &height, &channels, channels),
      stbi_image_free);
  if (!decoded) refuse(file, text("is a damaged picture: ", stbi_failure_reason()));
  p.pixels.assign(decoded.get(), decoded.get() + p.height * p.width * p.channels);
  if (p.channels == 2 || p.channels == 4) detail::drop_alpha(p, file);
  return p;
}

inline picture read_picture(const std::filesystem::path& path) {
  return parse_picture(read_file(path), path.string());
}

}  // namespace nvdlac::data

namespace nvdlac::data {

// One input of the network.
struct sample {
  std::string name = {};           // "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<float> values = {};  // channel by channel, preprocessed
};

// How files become samples. Bytes are pixels and are preprocessed; floats are taken as they are.
struct sample_options {
  preprocessing how = {};
  array_layout layout = array_layout::automatic;
};

namespace detail {

inline std::string element_name(const std::filesystem::path& path, std::size_t i, std::size_t n) {
  const auto name = path.filename().string();
  return n == 1 ? name : text(name, '[', i, ']');
}

// An array of bytes: each input is a picture.
inline void add_pixels(std::vector<sample>& to, const std::filesystem::path& path,
                       const std::vector<std::size_t>& dims,
                       const std::vector<std::uint8_t>& values, const input_shape& want,
                       const sample_options& options) {
  const auto [count, interleaved] = divide(dims, want, options.layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = values.data() + i * want.size();
    picture p{want.height, want.width, want.channels,
              interleaved ? std::vector(from, from + want.size()) : to_hwc(from, want)};
    to.push_back({element_name(path, i, count), preprocess(p, want, options.how, path.string())});
  }
}

inline void add_floats(std::vector<sample>& to, const std::filesystem::path& path, const array& a,
                       const input_shape& want, array_layout layout) {
  const auto [count, interleaved] = divide(a.dims, want, layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = a.values.data() + i * want.size();
    to.push_back({element_name(path, i, count),
                  interleaved ? to_chw(from, want) : std::vector(from, from + want.size())});
  }
}

inline void add_npy(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const input_shape& want,
                    const sample_options& options) {
  const auto file = parse_npy(bytes, path.string());
  if (!file.from_bytes) return add_floats(to, path, file.content, want, options.layout);
  std::vector<std::uint8_t> pixels(file.content.values.size());
  std::transform(file.content.values.begin(), file.content.values.end(), pixels.begin(),
                 [](float x) { return static_cast<std::uint8_t>(x); });
  add_pixels(to, path, file.content.dims, pixels, want, options);
}

// A grey picture of one row per input, each row a picture of interleaved pixels, is how whole
// collections of small pictures are kept in one PNG.
inline bool is_collection(const picture& p, const input_shape& want) {
  return p.channels == 1 && p.width == want.size() && want.height > 1;
}

inline void add_picture(std::vector<sample>& to, const std::filesystem::path& path,
                        const file_bytes& bytes, const input_shape& want,
                        const sample_options& options) {
  const auto p = parse_picture(bytes, path.string());
  if (!is_collection(p, want)) {
    to.push_back({path.filename().string(), preprocess(p, want, options.how, path.string())});
    return;
  }
  for (std::size_t i = 0; i < p.height; ++i) {
    const auto* row = p.pixels.data() + i * p.width;
    const picture one{want.height, want.width, want.channels, std::vector(row, row + p.width)};
    to.push_back({element_name(path, i, p.height),
                  preprocess(one, want, options.how, path.string())});
  }
}

// Values without a header: as many bytes as the network takes values (pixels, interleaved), or
// four times as many (little-endian floats, channel by channel).
inline void add_raw(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const input_shape& want,
                    const sample_options& options) {
  const auto [c, h, w] = want;
  if (bytes.size() == want.size()) return add_pixels(to, path, {h, w, c}, bytes, want,
                                                     {options.how, array_layout::hwc});
  if (bytes.size() != 4 * want.size())
    refuse(path.string(), text("has ", bytes.size(), " bytes"),
           text(want.size(), " for pixels or ", 4 * want.size(), " for floats"));
  static_assert(std::endian::native == std::endian::little);
  array a{{c, h, w}, std::vector<float>(want.size())};
  std::memcpy(a.values.data(), bytes.data(), bytes.size());
  for (const float x : a.values)
    if (!std::isfinite(x)) refuse(path.string(), text("holds the value ", x), "finite floats");
  add_floats(to, path, a, want, array_layout::chw);
}

inline void add_file(std::vector<sample>& to, const std::filesystem::path& path,
                     const input_shape& want, const sample_options& options) {
  const auto bytes = read_file(path);
  const auto kind = path.extension();
  if (kind == ".raw" || kind == ".bin") return add_raw(to, path, bytes, want, options);
  if (is_npy(bytes)) return add_npy(to, path, bytes, want, options);
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return add_picture(to, path, bytes, want, options);
  const auto file = parse_idx(bytes, path.string());
  add_pixels(to, path, file.dims, file.values, want, options);
}

// The files of a directory whose name says that they hold inputs, sorted by name.
inline std::vector<std::filesystem::path> inputs_in(const std::filesystem::path& directory) {
  static const std::vector<std::string> kinds{".png", ".jpg", ".jpeg", ".bmp", ".pgm",
                                              ".ppm", ".npy", ".idx",  ".raw", ".bin"};
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed))
    if (std::find(kinds.begin(), kinds.end(), entry.path().extension()) != kinds.end())
      found.push_back(entry.path());
  if (found.empty())
    refuse(directory.string(), "no input is found in this directory",
           "PNG, JPEG, BMP, PGM, PPM, npy, idx, raw or bin files");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace detail

// All inputs in these files and directories, in the order given; a directory's files by name.
// Throws nvdlac::error with what is wrong with each file (the first 20).
inline std::vector<sample> read_samples(const std::vector<std::filesystem::path>& paths,
                                        const input_shape& want,
                                        const sample_options& options = {}) {
  diagnostics found;
  check(options.how, want.channels, found);
  found.check();
  std::vector<sample> result;
  const auto add = [&](const std::filesystem::path& path) {
    try {
      detail::add_file(result, path, want, options);
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
      if (found.problems().size() >= 20) found.check();
    }
  };
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      add(path);
    } else {
      for (const auto& file : detail::inputs_in(path)) add(file);
    }
  }
  found.check();
  return result;
}

}  // namespace nvdlac::data
// The firmware's descriptors of hardware layers: one element of the operation list and of the
// surface list for each, encoded and decoded.
// Between surfaces and the firmware's data cubes. In descriptors a location's buffer is an index
// into the task's address list.
#include <limits>
#include <utility>

// The records that the public firmware and runtime read from memory, with the names of their
// fields there: dla_interface.h (0.12.3) and emu_interface.h of nvdla/sw.
// Little-endian records, described once: a record's static function `fields(record, io)` names its
// members in order, and the three visitors below measure, write and read it.
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>


namespace nvdlac::emit {

template <class T>
concept scalar = std::integral<T> || std::same_as<T, float>;

namespace detail {

template <class T>
concept array = requires { std::tuple_size<T>::value; };

template <class Io, class T>
constexpr void visit(Io& io, T& member) {
  if constexpr (scalar<T>)
    io.value(member);
  else if constexpr (array<T>)
    for (auto& element : member) visit(io, element);
  else
    T::fields(member, io);
}

}  // namespace detail

// Adds up the bytes.
struct byte_counter {
  std::size_t n = 0;

  template <class... Ts>
  constexpr void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  constexpr void pad(std::size_t bytes) { n += bytes; }
  template <scalar T>
  constexpr void value(T&) { n += sizeof(T); }
};

template <class Record>
constexpr std::size_t byte_size() {
  Record r{};
  byte_counter io;
  Record::fields(r, io);
  return io.n;
}

// Appends to a vector.
class byte_writer {
 public:
  explicit byte_writer(std::vector<std::uint8_t>& out) : out_(out) {}

  template <class... Ts>
  void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  void pad(std::size_t bytes) { out_.resize(out_.size() + bytes); }
  template <scalar T>
  void value(const T& v) {
    if constexpr (std::same_as<T, float>) {
      const auto bits = std::bit_cast<std::uint32_t>(v);
      value(bits);
    } else {
      const auto bits = static_cast<std::uint64_t>(v);
      for (std::size_t i = 0; i < sizeof(T); ++i)
        out_.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
  }

 private:
  std::vector<std::uint8_t>& out_;
};

// Reads from the front of a span; the caller has checked that it is long enough.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::uint8_t> in) : in_(in) {}

  template <class... Ts>
  void operator()(Ts&... members) { (detail::visit(*this, members), ...); }
  void pad(std::size_t bytes) { at_ += bytes; }
  template <scalar T>
  void value(T& v) {
    if constexpr (std::same_as<T, float>) {
      std::uint32_t bits = 0;
      value(bits);
      v = std::bit_cast<float>(bits);
    } else {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::uint64_t{in_[at_ + i]} << (8 * i);
      v = static_cast<T>(bits);
      at_ += sizeof(T);
    }
  }

 private:
  std::span<const std::uint8_t> in_;
  std::size_t at_ = 0;
};

// Appends the record and zeros up to `size` bytes.
template <class Record>
void write_record(std::vector<std::uint8_t>& out, Record r, std::size_t size) {
  const auto start = out.size();
  byte_writer io(out);
  Record::fields(r, io);
  out.resize(start + size);
}

// The record number `index` of a list of records of `size` bytes each; an `error` if the list is
// shorter.
template <class Record>
Record read_record(std::span<const std::uint8_t> list, std::size_t index, std::size_t size) {
  if (size < byte_size<Record>() || index >= list.size() / size)
    throw error(text("record ", index, " of ", size, " bytes is outside of a list of ", list.size(),
                     " bytes"));
  Record r{};
  byte_reader io(list.subspan(index * size, size));
  Record::fields(r, io);
  return r;
}

}  // namespace nvdlac::emit

namespace nvdlac::emit::firmware {

// Bytes of one element of each list.
inline constexpr std::size_t operation_bytes = 116, surface_bytes = 644, lut_bytes = 700;
inline constexpr std::size_t emulator_network_bytes = 256, emulator_operation_bytes = 24,
                             emulator_buffer_bytes = 256, emulator_buffers_bytes = 512;

struct network {
  std::int16_t operation_desc = -1, surface_desc = -1, dependency_graph = -1, lut_data = -1;
  std::int16_t roi_array = -1, surface = -1, stat_list = -1;
  std::array<std::int16_t, 6> op_head{-1, -1, -1, -1, -1, -1};
  std::uint16_t num_rois = 1, num_operations = 0, num_luts = 0, num_addresses = 0;
  std::int16_t input_layer = 0;
  std::uint8_t dynamic_roi = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.surface_desc, r.dependency_graph, r.lut_data, r.roi_array, r.surface,
       r.stat_list);
    io.pad(2);
    io(r.op_head, r.num_rois, r.num_operations, r.num_luts, r.num_addresses, r.input_layer,
       r.dynamic_roi);
    io.pad(1);
  }
};
static_assert(byte_size<network>() == 40);

struct consumer {
  std::int16_t index = -1;
  std::uint8_t event = 1;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.event);
    io.pad(1);
  }
};

struct common {
  std::int16_t index = 0;
  std::int8_t roi_index = 0;
  std::uint8_t op_type = 0, dependency_count = 0;
  std::array<consumer, 6> consumers{};
  consumer fused_parent{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.index, r.roi_index, r.op_type, r.dependency_count);
    io.pad(3);
    io(r.consumers, r.fused_parent);
  }
};
static_assert(byte_size<common>() == 36);

enum class memory : std::uint16_t { dram = 0, sram = 1, hardware = 2 };

struct cube {
  std::uint16_t type = 0;
  std::int16_t address = -1;  // index into the task's address list
  std::uint32_t offset = 0, size = 0;
  std::uint16_t width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0, plane_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.type, r.address, r.offset, r.size, r.width, r.height, r.channel);
    io.pad(2);
    io(r.line_stride, r.surf_stride, r.plane_stride);
  }
};
static_assert(byte_size<cube>() == 32);

struct cvt {
  std::int16_t scale = 0;
  std::uint8_t truncate = 0, enable = 0;
  std::int32_t offset = 0;

  static constexpr void fields(auto& r, auto&& io) { io(r.scale, r.truncate, r.enable, r.offset); }
};
static_assert(byte_size<cvt>() == 8);

struct conv_op {
  std::uint8_t conv_mode = 0, data_reuse = 0, weight_reuse = 0, skip_data_rls = 0,
               skip_weight_rls = 0;
  std::uint16_t entry_per_slice = 0;
  std::uint8_t data_format = 0, pixel_mapping = 0;
  std::uint16_t fetch_grain = 0;
  std::uint8_t batch = 1, weight_format = 0, data_bank = 0, weight_bank = 0;
  std::uint32_t batch_stride = 0;
  std::uint8_t post_extension = 0, pixel_override = 0;
  std::uint16_t release = 0;
  std::uint16_t input_width_csc = 0, input_height_csc = 0, input_channel_csc = 0;
  std::uint16_t kernel_width_csc = 0, kernel_height_csc = 0, kernel_channel_csc = 0;
  std::uint16_t input_width_cmac = 0, input_height_cmac = 0;
  std::uint32_t bytes_per_kernel = 0;
  std::int16_t mean_ry = 0, mean_gu = 0, mean_bv = 0, mean_ax = 0;
  std::uint8_t mean_format = 0, conv_stride_x = 1, conv_stride_y = 1;
  std::uint8_t pad_x_left = 0, pad_x_right = 0, pad_y_top = 0, pad_y_bottom = 0;
  std::uint8_t dilation_x = 1, dilation_y = 1, pra_truncate = 0;
  std::uint8_t in_precision = 0, out_precision = 0;
  std::int16_t pad_val = 0;
  cvt in_cvt{}, out_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.conv_mode, r.data_reuse, r.weight_reuse, r.skip_data_rls, r.skip_weight_rls);
    io.pad(1);
    io(r.entry_per_slice, r.data_format, r.pixel_mapping, r.fetch_grain);
    io.pad(8);
    io(r.batch, r.weight_format, r.data_bank, r.weight_bank, r.batch_stride, r.post_extension,
       r.pixel_override, r.release, r.input_width_csc, r.input_height_csc, r.input_channel_csc,
       r.kernel_width_csc, r.kernel_height_csc, r.kernel_channel_csc, r.input_width_cmac,
       r.input_height_cmac, r.bytes_per_kernel, r.mean_ry, r.mean_gu, r.mean_bv, r.mean_ax,
       r.mean_format, r.conv_stride_x, r.conv_stride_y, r.pad_x_left, r.pad_x_right, r.pad_y_top,
       r.pad_y_bottom, r.dilation_x, r.dilation_y);
    io.pad(2);
    io(r.pra_truncate, r.in_precision, r.out_precision, r.pad_val, r.in_cvt, r.out_cvt);
  }
};
static_assert(byte_size<conv_op>() == 92);

struct conv_surface {
  cube weight{}, wmb{}, wgs{}, src{}, dst{};
  std::int64_t offset_u = 0;
  std::uint32_t in_line_uv_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.weight, r.wmb, r.wgs, r.src, r.dst, r.offset_u, r.in_line_uv_stride);
  }
};
static_assert(byte_size<conv_surface>() == 172);

struct sdp_sub_op {
  std::uint8_t enable = 0, alu_type = 0, type = 0, mode = 0, act = 0, shift_value = 0,
               truncate = 0, precision = 0;
  std::int32_t alu_operand = 0, mul_operand = 0;
  cvt alu_cvt{}, mul_cvt{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.enable, r.alu_type, r.type, r.mode, r.act, r.shift_value, r.truncate, r.precision,
       r.alu_operand, r.mul_operand, r.alu_cvt, r.mul_cvt);
  }
};
static_assert(byte_size<sdp_sub_op>() == 32);

struct sdp_op {
  std::uint8_t src_precision = 0, dst_precision = 0;
  std::int16_t lut_index = -1;
  cvt out_cvt{};
  std::uint8_t conv_mode = 0, batch_num = 1;
  std::uint32_t batch_stride = 0;
  sdp_sub_op x1{}, x2{}, y{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.src_precision, r.dst_precision, r.lut_index, r.out_cvt, r.conv_mode, r.batch_num);
    io.pad(2);
    io(r.batch_stride, r.x1, r.x2, r.y);
  }
};
static_assert(byte_size<sdp_op>() == 116 && byte_size<sdp_op>() == operation_bytes);

struct sdp_surface {
  cube src{}, x1{}, x2{}, y{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.x1, r.x2, r.y, r.dst); }
};
static_assert(byte_size<sdp_surface>() == 160);

struct pdp_op {
  std::uint16_t partial_in_width_first = 0, partial_in_width_mid = 0, partial_in_width_last = 0;
  std::uint16_t partial_width_first = 0, partial_width_mid = 0, partial_width_last = 0;
  std::uint8_t split_num = 1, pool_mode = 0, pool_width = 0, pool_height = 0;
  std::uint8_t stride_x = 1, stride_y = 1, pad_left = 0, pad_right = 0, pad_top = 0,
               pad_bottom = 0, precision = 0;
  std::array<std::int32_t, 7> padding_value{};

  static constexpr void fields(auto& r, auto&& io) {
    io(r.partial_in_width_first, r.partial_in_width_mid, r.partial_in_width_last,
       r.partial_width_first, r.partial_width_mid, r.partial_width_last, r.split_num, r.pool_mode,
       r.pool_width, r.pool_height, r.stride_x, r.stride_y, r.pad_left, r.pad_right, r.pad_top,
       r.pad_bottom, r.precision);
    io.pad(1);
    io(r.padding_value);
  }
};
static_assert(byte_size<pdp_op>() == 52);

struct pdp_surface {
  cube src{}, dst{};

  static constexpr void fields(auto& r, auto&& io) { io(r.src, r.dst); }
};
static_assert(byte_size<pdp_surface>() == 64);

// Tasks of the runtime's own emulator, which computes on the host.
struct emulator_network {
  std::int16_t operation_desc = -1, buffer_desc = -1;
  std::uint16_t num_operations = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.operation_desc, r.buffer_desc, r.num_operations);
  }
};
static_assert(byte_size<emulator_network>() <= emulator_network_bytes);

enum class emulator_op : std::uint8_t { power = 0, softmax = 1 };
enum class emulator_format : std::uint16_t { int8 = 0, int8_x8 = 1, int16 = 2, fp16 = 3 };

struct emulator_softmax {
  std::uint8_t op_type = 1;
  float input_scale = 1, output_scale = 1;
  std::uint8_t axis = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.op_type);
    io.pad(3);
    io(r.input_scale, r.output_scale, r.axis);
  }
};
static_assert(byte_size<emulator_softmax>() <= emulator_operation_bytes);

struct emulator_buffer {
  std::int16_t address = -1;
  std::uint32_t offset = 0, size = 0;
  std::uint16_t format = 0, width = 0, height = 0, channel = 0;
  std::uint32_t line_stride = 0, surf_stride = 0;

  static constexpr void fields(auto& r, auto&& io) {
    io(r.address, r.offset, r.size, r.format, r.width, r.height, r.channel, r.line_stride,
       r.surf_stride);
  }
};
static_assert(byte_size<emulator_buffer>() == 26);

}  // namespace nvdlac::emit::firmware
// NVDLA's fixed-point arithmetic, defined once for the integer reference, the quantiser and the
// simulator: every integer shift rounds half away from zero, then saturates.
#include <cstdint>

namespace nvdlac {

// x clamped to a signed number of `Bits` bits.
template <int Bits>
constexpr std::int64_t saturate(std::int64_t x) {
  constexpr std::int64_t top = (std::int64_t{1} << (Bits - 1)) - 1;
  return x > top ? top : x < -top - 1 ? -top - 1 : x;
}

// x / 2^shift rounded half away from zero; |x| < 2^62, 0 <= shift.
constexpr std::int64_t round_shift(std::int64_t x, int shift) {
  if (shift <= 0) return x;
  if (shift > 62) return 0;
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return x >= 0 ? (x + half) >> shift : -((-x + half) >> shift);
}

// (x - offset) * scale / 2^shift: CDMA's input and SDP's output converter, saturated to 17 bits.
struct converter {
  std::int32_t offset = 0;
  std::int16_t scale = 1;
  std::uint8_t shift = 0;

  constexpr bool operator==(const converter&) const = default;
  constexpr std::int32_t operator()(std::int64_t x) const {
    return static_cast<std::int32_t>(saturate<17>(round_shift((x - offset) * scale, shift)));
  }
};

}  // namespace nvdlac
#include <cstdint>

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace nvdlac::net {

// A cube of one picture: channels x height x width, all at least 1. Batches are not part of a
// network: NVDLA processes one picture after the other.
struct shape {
  std::int32_t c = 1, h = 1, w = 1;

  constexpr bool operator==(const shape&) const = default;
  constexpr std::size_t size() const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
  }
  // Position of an element in dense c-h-w order.
  constexpr std::size_t at(std::int32_t ci, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(ci) * static_cast<std::size_t>(h) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(w) + static_cast<std::size_t>(x);
  }
};

inline std::ostream& operator<<(std::ostream& out, shape s) {
  return out << s.c << 'x' << s.h << 'x' << s.w;
}

// A window that slides over height and width: of a convolution or of a pooling.
struct window {
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int32_t dilation_h = 1, dilation_w = 1;

  constexpr bool operator==(const window&) const = default;
  // Input lines (columns) that one output line (column) spans.
  constexpr std::int32_t extent_h() const { return (kernel_h - 1) * dilation_h + 1; }
  constexpr std::int32_t extent_w() const { return (kernel_w - 1) * dilation_w + 1; }
};

}  // namespace nvdlac::net
#include <compare>
#include <cstdint>

namespace nvdlac {

// A count of one kind of thing. Counts of different things do not mix; `.n` is the only way out.
template <class Thing>
struct count {
  std::uint64_t n = 0;

  constexpr auto operator<=>(const count&) const = default;
  friend constexpr count operator+(count a, count b) { return {a.n + b.n}; }
  friend constexpr count operator-(count a, count b) { return {a.n - b.n}; }
  friend constexpr count operator*(count a, std::uint64_t times) { return {a.n * times}; }
  friend constexpr count round_up(count a, count to) { return {(a.n + to.n - 1) / to.n * to.n}; }
};

using bytes = count<struct byte_tag>;
using atoms = count<struct atom_tag>;
using entries = count<struct entry_tag>;  // CBUF entries
using banks = count<struct bank_tag>;     // CBUF banks

// ceil(a / b) for counts of plain integers.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t align_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

}  // namespace nvdlac

namespace nvdlac::layer {

// Where a cube is: a piece of one of the program's buffers.
struct location {
  std::int32_t buffer = -1;  // index into program::buffers; -1: on the fly, between two engines
  std::uint64_t offset = 0;  // bytes from the buffer's start

  constexpr bool on_the_fly() const { return buffer < 0; }
  constexpr bool operator==(const location&) const = default;
};

// A cube in memory. Feature cubes consist of surfaces of one atom of channels: byte (c, y, x) is at
// (c / E) * surface_stride + y * line_stride + x * atom + c % E, E = atom / bytes per element.
// Pixel cubes are lines of interleaved pixels: y * line_stride + x * channels + c.
// Weights and operands are plain bytes: only `at` and `size` count.
struct surface {
  location at{};
  net::shape shape{};
  std::uint32_t line_stride = 0;     // bytes
  std::uint32_t surface_stride = 0;  // bytes
  std::uint64_t size = 0;            // bytes from `at` that the cube touches

  constexpr bool operator==(const surface&) const = default;
};

// Surfaces that a cube of int8 channels needs.
constexpr std::uint64_t surfaces(net::shape s, bytes atom) {
  return ceil_div(static_cast<std::uint64_t>(s.c), atom.n);
}

// Bytes from its start to its end that a feature cube touches.
constexpr std::uint64_t extent(const surface& s, bytes atom) {
  return (surfaces(s.shape, atom) - 1) * s.surface_stride +
         static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride +
         static_cast<std::uint64_t>(s.shape.w) * atom.n;
}

// A feature cube with nothing between its lines and surfaces.
constexpr surface packed(net::shape s, bytes atom, location at = {}) {
  const auto line = static_cast<std::uint32_t>(static_cast<std::uint64_t>(s.w) * atom.n);
  const auto plane = static_cast<std::uint32_t>(line * static_cast<std::uint64_t>(s.h));
  return {at, s, line, plane, plane * surfaces(s, atom)};
}

// The part of a feature cube that starts at (c, y, x), c being a multiple of the atom's channels.
constexpr surface part(const surface& whole, bytes atom, std::int32_t c, std::int32_t y,
                       std::int32_t x, net::shape shape) {
  surface s = whole;
  s.shape = shape;
  s.at.offset += static_cast<std::uint64_t>(c) / atom.n * whole.surface_stride +
                 static_cast<std::uint64_t>(y) * whole.line_stride +
                 static_cast<std::uint64_t>(x) * atom.n;
  s.size = extent(s, atom);
  return s;
}

// Byte offset of an int8 element of a feature cube from its start.
constexpr std::uint64_t offset_of(const surface& s, bytes atom, std::int32_t c, std::int32_t y,
                                  std::int32_t x) {
  const auto channel = static_cast<std::uint64_t>(c);
  return channel / atom.n * s.surface_stride + static_cast<std::uint64_t>(y) * s.line_stride +
         static_cast<std::uint64_t>(x) * atom.n + channel % atom.n;
}

}  // namespace nvdlac::layer

namespace nvdlac::emit {

// Names what cannot be expressed: "sdp.x1_op.mode is 7, of which ..."
[[noreturn]] inline void not_supported(std::string_view field, long long value,
                                       std::string_view what) {
  throw error(text("the descriptor field ", field, " is ", value, ": ", what));
}

// The value in the descriptor's type; one that does not fit is an `error` that names the field.
template <std::integral To, std::integral From>
constexpr To narrow(From value, std::string_view field) {
  if (!std::in_range<To>(value))
    throw error(text("the value ", value, " does not fit the descriptor field ", field));
  return static_cast<To>(value);
}

inline void expect(bool holds, std::string_view field, long long value, std::string_view what) {
  if (!holds) not_supported(field, value, what);
}

inline firmware::cube encode(const layer::surface& s, std::string_view field) {
  firmware::cube c;
  const bool flying = s.at.on_the_fly();
  c.type = static_cast<std::uint16_t>(flying ? firmware::memory::hardware : firmware::memory::dram);
  if (!flying) {
    c.address = narrow<std::int16_t>(s.at.buffer, field);
    c.offset = narrow<std::uint32_t>(s.at.offset, field);
  }
  c.size = narrow<std::uint32_t>(s.size, field);
  c.width = narrow<std::uint16_t>(s.shape.w, field);
  c.height = narrow<std::uint16_t>(s.shape.h, field);
  c.channel = narrow<std::uint16_t>(s.shape.c, field);
  c.line_stride = s.line_stride;
  c.surf_stride = s.surface_stride;
  return c;
}

inline layer::location decode_location(const firmware::cube& c, std::string_view field) {
  if (c.type == static_cast<std::uint16_t>(firmware::memory::hardware)) return {};
  expect(c.type == static_cast<std::uint16_t>(firmware::memory::dram), field, c.type,
         "only memory type 0 (DRAM) and 2 (hardware) are supported");
  expect(c.address >= 0, field, c.address, "a cube in memory needs an address");
  return {c.address, c.offset};
}

// Cubes of data are never empty.
inline layer::surface decode(const firmware::cube& c, std::string_view field) {
  const auto at = decode_location(c, field);
  expect(c.width > 0 && c.height > 0 && c.channel > 0, field, 0, "the cube is empty");
  expect(c.plane_stride == 0, field, c.plane_stride, "plane strides are for Rubik only");
  return {at, {c.channel, c.height, c.width}, c.line_stride, c.surf_stride, c.size};
}

inline firmware::cvt encode(const converter& c, bool enable) {
  return {c.scale, c.shift, enable, c.offset};
}
inline converter decode(const firmware::cvt& c) { return {c.offset, c.scale, c.truncate}; }

}  // namespace nvdlac::emit
#include <array>
#include <cstdint>


namespace nvdlac::layer {

// CDMA's pixel formats, by register code; feature is the firmware's code for feature cubes.
enum class pixel_format : std::uint8_t { r8 = 0, a8b8g8r8 = 12, x8b8g8r8 = 16, feature = 36 };

// One pass of CDMA, CSC, CMAC and CACC, int8, direct: its result goes to SDP on the fly.
// All sizes are counts as meant, not the register's minus-one codes.
struct convolution {
  layer::surface input{};                // feature cube, or pixel cube when format != feature
  pixel_format format = pixel_format::feature;
  layer::surface weights{};              // in CBUF order, size padded as the hardware wants
  net::shape output{};                   // c: kernels of this pass
  net::window window{};                  // of the picture: kernel_w not multiplied by channels
  std::int16_t pad_value = 0;
  // Pixel input only: means that replace cvt.offset when `use_mean`.
  std::array<std::int16_t, 4> mean{};    // R/Y, G/U, B/V, A/X
  bool use_mean = false;
  bool pixels_signed = false;
  bool convert = false;                  // cvt is applied to the input
  converter cvt{};
  std::uint16_t entries_per_slice = 1;
  std::uint8_t data_banks = 1, weight_banks = 1;
  std::uint16_t fetch_grain = 1;         // lines
  std::uint16_t release = 1;             // slices: lines of the input that are free afterwards
  bool data_reuse = false, weight_reuse = false;
  bool skip_data_release = false, skip_weight_release = false;
  std::uint8_t truncate = 0;             // CACC

  constexpr bool is_pixel() const { return format != pixel_format::feature; }
  constexpr bool operator==(const convolution&) const = default;

  // What CSC sees of a kernel: a pixel kernel is one column of kernel_w * C channels.
  constexpr std::int32_t kernel_width_csc() const { return is_pixel() ? 1 : window.kernel_w; }
  constexpr std::int32_t kernel_channels_csc() const {
    return is_pixel() ? input.shape.c * window.kernel_w : input.shape.c;
  }
  constexpr std::uint64_t bytes_per_kernel() const {
    return static_cast<std::uint64_t>(input.shape.c) * static_cast<std::uint64_t>(window.kernel_h) *
           static_cast<std::uint64_t>(window.kernel_w);
  }
};

}  // namespace nvdlac::layer

namespace nvdlac::emit {

struct convolution_descriptor {
  firmware::conv_op op{};
  firmware::conv_surface surface{};
};

// Values that do not fit are an `error` that names the field.
inline convolution_descriptor encode(const layer::convolution& l, bytes atom) {
  convolution_descriptor d;
  auto& op = d.op;
  const auto& w = l.window;
  op.data_reuse = l.data_reuse;
  op.weight_reuse = l.weight_reuse;
  op.skip_data_rls = l.skip_data_release;
  op.skip_weight_rls = l.skip_weight_release;
  op.entry_per_slice = l.entries_per_slice;
  op.data_format = static_cast<std::uint8_t>(l.format);
  op.fetch_grain = l.fetch_grain;
  op.data_bank = l.data_banks;
  op.weight_bank = l.weight_banks;
  op.pixel_override = l.pixels_signed;
  op.release = l.release;
  op.input_width_csc = narrow<std::uint16_t>(l.input.shape.w, "conv.input_width_csc");
  op.input_height_csc = narrow<std::uint16_t>(l.input.shape.h, "conv.input_height_csc");
  op.input_channel_csc = narrow<std::uint16_t>(l.input.shape.c, "conv.input_channel_csc");
  op.kernel_width_csc = narrow<std::uint16_t>(l.kernel_width_csc(), "conv.kernel_width_csc");
  op.kernel_height_csc = narrow<std::uint16_t>(w.kernel_h, "conv.kernel_height_csc");
  // Pixels: a line of a kernel is one row of channels.
  op.kernel_channel_csc = narrow<std::uint16_t>(
      std::int64_t{l.input.shape.c} * (l.is_pixel() ? w.kernel_w : 1), "conv.kernel_channel_csc");
  op.input_width_cmac = narrow<std::uint16_t>(l.output.w, "conv.input_width_cmac");
  op.input_height_cmac = narrow<std::uint16_t>(l.output.h, "conv.input_height_cmac");
  op.bytes_per_kernel = narrow<std::uint32_t>(l.bytes_per_kernel(), "conv.bytes_per_kernel");
  op.mean_ry = l.mean[0];
  op.mean_gu = l.mean[1];
  op.mean_bv = l.mean[2];
  op.mean_ax = l.mean[3];
  op.mean_format = l.use_mean;
  op.conv_stride_x = narrow<std::uint8_t>(w.stride_w, "conv.conv_stride_x");
  op.conv_stride_y = narrow<std::uint8_t>(w.stride_h, "conv.conv_stride_y");
  op.pad_x_left = narrow<std::uint8_t>(w.pad_left, "conv.pad_x_left");
  op.pad_x_right = narrow<std::uint8_t>(w.pad_right, "conv.pad_x_right");
  op.pad_y_top = narrow<std::uint8_t>(w.pad_top, "conv.pad_y_top");
  op.pad_y_bottom = narrow<std::uint8_t>(w.pad_bottom, "conv.pad_y_bottom");
  op.dilation_x = narrow<std::uint8_t>(w.dilation_w, "conv.dilation_x");
  op.dilation_y = narrow<std::uint8_t>(w.dilation_h, "conv.dilation_y");
  op.pad_val = l.pad_value;
  op.in_cvt = encode(l.cvt, l.convert);
  op.out_cvt = {1, l.truncate, 1, 0};

  auto weights = l.weights;
  weights.shape = {l.input.shape.c, w.kernel_h, w.kernel_w};  // not read by the firmware
  d.surface.weight = encode(weights, "conv.weight_data");
  d.surface.src = encode(l.input, "conv.src_data");
  // The result goes to SDP; CACC wants the strides of the packed cube all the same.
  d.surface.dst = encode(layer::packed(l.output, atom), "conv.dst_data");
  return d;
}

namespace detail {

inline void check(const convolution_descriptor& d) {
  const auto& op = d.op;
  const auto& src = d.surface.src;
  expect(op.conv_mode == 0, "conv.conv_mode", op.conv_mode, "only direct convolution is supported");
  expect(op.weight_format == 0, "conv.weight_format", op.weight_format,
         "compressed weights are not supported");
  expect(op.batch == 1, "conv.batch", op.batch, "only single pictures are supported");
  expect(op.post_extension == 0, "conv.post_extension", op.post_extension, "must be 0");
  expect(op.pra_truncate == 0, "conv.pra_truncate", op.pra_truncate, "must be 0");
  expect(op.pixel_mapping == 0, "conv.pixel_mapping", op.pixel_mapping, "must be pitch linear");
  expect(op.in_precision == 0, "conv.in_precision", op.in_precision, "only int8 is supported");
  expect(op.out_precision == 0, "conv.out_precision", op.out_precision, "only int8 is supported");
  expect(op.out_cvt.scale == 1, "conv.out_cvt.scale", op.out_cvt.scale, "must be 1");
  expect(op.out_cvt.offset == 0, "conv.out_cvt.offset", op.out_cvt.offset, "must be 0");
  expect(d.surface.offset_u == 0, "conv.offset_u", d.surface.offset_u,
         "planar pictures are not supported");
  const auto format = static_cast<layer::pixel_format>(op.data_format);
  expect(format == layer::pixel_format::feature || format == layer::pixel_format::r8 ||
             format == layer::pixel_format::a8b8g8r8 || format == layer::pixel_format::x8b8g8r8,
         "conv.data_format", op.data_format, "only features, R8, A8B8G8R8 and X8B8G8R8 are supported");
  expect(op.input_width_csc == src.width, "conv.input_width_csc", op.input_width_csc,
         "is not the input's width");
  expect(op.input_height_csc == src.height, "conv.input_height_csc", op.input_height_csc,
         "is not the input's height");
  expect(op.input_channel_csc == src.channel, "conv.input_channel_csc", op.input_channel_csc,
         "is not the input's number of channels");
  expect(op.kernel_width_csc > 0 && op.kernel_height_csc > 0, "conv.kernel_width_csc",
         op.kernel_width_csc, "the kernel is empty");
  for (const auto value : {op.conv_stride_x, op.conv_stride_y, op.dilation_x, op.dilation_y,
                           op.data_bank, op.weight_bank})
    expect(value > 0, "conv", value, "strides, dilations and banks are at least 1");
  for (const auto value : {op.entry_per_slice, op.fetch_grain, op.release})
    expect(value > 0, "conv", value, "entries, grains and slices are at least 1");
  expect(d.surface.dst.type == static_cast<std::uint16_t>(firmware::memory::hardware),
         "conv.dst_data.type", d.surface.dst.type, "the result must go to SDP");
}

}  // namespace detail

// What `layer::convolution` cannot express is an `error` that names the field.
inline layer::convolution decode(const convolution_descriptor& d) {
  detail::check(d);
  const auto& op = d.op;
  layer::convolution l;
  l.input = decode(d.surface.src, "conv.src_data");
  expect(!l.input.at.on_the_fly(), "conv.src_data.type", 2, "the input must be in memory");
  l.format = static_cast<layer::pixel_format>(op.data_format);
  l.weights = {decode_location(d.surface.weight, "conv.weight_data"), {}, 0, 0,
               d.surface.weight.size};
  expect(!l.weights.at.on_the_fly(), "conv.weight_data.type", 2, "weights must be in memory");
  l.output = decode(d.surface.dst, "conv.dst_data").shape;
  l.window.kernel_h = op.kernel_height_csc;
  l.window.kernel_w = l.is_pixel() ? op.kernel_channel_csc / l.input.shape.c : op.kernel_width_csc;
  expect(l.window.kernel_w > 0 &&
             op.kernel_channel_csc == l.input.shape.c * (l.is_pixel() ? l.window.kernel_w : 1) &&
             op.kernel_width_csc == l.kernel_width_csc(),
         "conv.kernel_channel_csc", op.kernel_channel_csc, "does not fit the input's channels");
  l.window.stride_w = op.conv_stride_x;
  l.window.stride_h = op.conv_stride_y;
  l.window.pad_left = op.pad_x_left;
  l.window.pad_right = op.pad_x_right;
  l.window.pad_top = op.pad_y_top;
  l.window.pad_bottom = op.pad_y_bottom;
  l.window.dilation_w = op.dilation_x;
  l.window.dilation_h = op.dilation_y;
  l.pad_value = op.pad_val;
  l.mean = {op.mean_ry, op.mean_gu, op.mean_bv, op.mean_ax};
  l.use_mean = op.mean_format != 0;
  l.pixels_signed = op.pixel_override != 0;
  l.convert = op.in_cvt.enable != 0;
  l.cvt = decode(op.in_cvt);
  l.entries_per_slice = op.entry_per_slice;
  l.data_banks = op.data_bank;
  l.weight_banks = op.weight_bank;
  l.fetch_grain = op.fetch_grain;
  l.release = op.release;
  l.data_reuse = op.data_reuse != 0;
  l.weight_reuse = op.weight_reuse != 0;
  l.skip_data_release = op.skip_data_rls != 0;
  l.skip_weight_release = op.skip_weight_rls != 0;
  l.truncate = op.out_cvt.truncate;
  expect(op.bytes_per_kernel == l.bytes_per_kernel(), "conv.bytes_per_kernel", op.bytes_per_kernel,
         "is not the size of a kernel");
  expect(op.input_width_cmac == l.output.w && op.input_height_cmac == l.output.h,
         "conv.input_width_cmac", op.input_width_cmac, "is not the output's width");
  return l;
}

}  // namespace nvdlac::emit

namespace nvdlac::layer {

// A softmax over the channels that the host computes: int8 feature cube in, int8 feature cube out.
struct host_softmax {
  layer::surface input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

}  // namespace nvdlac::layer

namespace nvdlac::emit {

struct softmax_descriptor {
  firmware::emulator_softmax op{};
  firmware::emulator_buffer src{}, dst{};
};

namespace detail {

// The runtime knows feature cubes of 8 and of 32 channels; a softmax reads its channels one behind
// the other, so that the format matters for others only.
inline firmware::emulator_buffer encode_buffer(const layer::surface& s, bytes atom,
                                               std::string_view field) {
  const auto c = emit::encode(s, field);
  const auto format =
      atom.n == 8 ? firmware::emulator_format::int8_x8 : firmware::emulator_format::int8;
  return {c.address, c.offset, c.size,        static_cast<std::uint16_t>(format), c.width,
          c.height,  c.channel, c.line_stride, c.surf_stride};
}

inline layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field) {
  expect(b.format <= static_cast<std::uint16_t>(firmware::emulator_format::int8_x8), field,
         b.format, "only int8 is supported");
  firmware::cube c;
  c.address = b.address;
  c.offset = b.offset;
  c.size = b.size;
  c.width = b.width;
  c.height = b.height;
  c.channel = b.channel;
  c.line_stride = b.line_stride;
  c.surf_stride = b.surf_stride;
  return emit::decode(c, field);
}

}  // namespace detail

inline softmax_descriptor encode(const layer::host_softmax& l, bytes atom) {
  softmax_descriptor d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data");
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data");
  return d;
}

inline layer::host_softmax decode(const softmax_descriptor& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  l.input = detail::decode_buffer(d.src, "softmax.src_data");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

}  // namespace nvdlac::emit
#include <array>
#include <cstdint>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

// What an operator is to a graph: a struct with `inputs`, `infer` and, to be computed, `evaluate`.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cstdint>
#include <vector>


namespace nvdlac::net {

// The values of one cube in dense c-h-w order.
template <class T>
struct tensor {
  net::shape shape{};
  std::vector<T> values = std::vector<T>(shape.size(), T{});

  constexpr T& at(std::int32_t c, std::int32_t y, std::int32_t x) { return values[shape.at(c, y, x)]; }
  constexpr const T& at(std::int32_t c, std::int32_t y, std::int32_t x) const {
    return values[shape.at(c, y, x)];
  }
  constexpr bool operator==(const tensor&) const = default;
};

using float_tensor = tensor<float>;
using int8_tensor = tensor<std::int8_t>;

}  // namespace nvdlac::net

namespace nvdlac::net {

// The number of inputs that an operator takes.
struct arity {
  std::size_t least = 1, most = 1;

  constexpr bool contains(std::size_t n) const { return least <= n && n <= most; }
};
inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// `infer` gives the shape of the operator's tensor for the shapes of its inputs, whose number is
// within `inputs`; it throws nvdlac::error with the reason, without the layer's name.
// Optional: `void check(std::span<const shape>, diagnostics&, const std::string& layer) const`
// reports all that is wrong with the weights.
template <class Op>
concept operation = requires(const Op op, std::span<const shape> in) {
  { Op::inputs } -> std::convertible_to<arity>;
  { op.infer(in) } -> std::same_as<shape>;
};

// Whether Op gives what the user feeds: it has a member type `is_network_input`.
template <class Op>
inline constexpr bool is_network_input = requires { typename Op::is_network_input; };

// The largest tensor: beyond any network for NVDLA, and small enough that no size overflows.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 28;

// The product of factors that are at least 0; the largest std::int64_t if it does not fit.
constexpr std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t f : factors) {
    if (f != 0 && result > std::numeric_limits<std::int64_t>::max() / f)
      return std::numeric_limits<std::int64_t>::max();
    result *= f;
  }
  return result;
}

// The shape c x h x w, or an error if it is empty or too large.
constexpr shape checked_shape(std::int64_t c, std::int64_t h, std::int64_t w) {
  if (c < 1 || h < 1 || w < 1)
    throw error(text("the shape ", c, 'x', h, 'x', w, " has a dimension below 1"));
  if (product({c, h, w}) > max_elements)
    throw error(text("the shape ", c, 'x', h, 'x', w, " has more than ", max_elements, " elements"));
  return {static_cast<std::int32_t>(c), static_cast<std::int32_t>(h), static_cast<std::int32_t>(w)};
}
constexpr shape checked_shape(shape s) { return checked_shape(s.c, s.h, s.w); }

// Reports the values of a layer's weights that are too few, too many or not finite.
template <class T>
void check_values(const std::vector<T>& values, std::int64_t needed, std::string_view what,
                  diagnostics& found, const std::string& layer) {
  const auto report = [&](std::string reason) {
    found.add({.layer = layer, .reason = std::move(reason)});
  };
  if (std::cmp_not_equal(values.size(), needed))
    report(text("its ", what, " has ", values.size(), " values instead of ", needed));
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) {
        report(text("its ", what, " is not finite: value ", i, " is ", values[i]));
        break;
      }
}

// For `evaluate`: throws if there are not as many values as the computation will read.
template <class T>
void require_values(const std::vector<T>& values, std::int64_t needed, std::string_view what) {
  if (std::cmp_not_equal(values.size(), needed))
    throw error(text(what, ": ", values.size(), " values instead of ", needed));
}

template <class T>
std::vector<shape> shapes_of(std::span<const tensor<T>* const> in) {
  std::vector<shape> result;
  for (const auto* t : in) result.push_back(t->shape);
  return result;
}

}  // namespace nvdlac::net
#include <algorithm>
#include <cstdint>


namespace nvdlac::net {

// A window's numbers along one dimension.
struct sliding {
  std::int64_t kernel, stride, before, after, dilation;

  constexpr std::int64_t extent() const { return (kernel - 1) * dilation + 1; }

  // How often the window fits on `size` elements and their padding.
  // ceil: once more if elements remain, unless that last window would start behind the elements,
  // in the padding after them (the rule of Caffe, and of ONNX's and PyTorch's ceil_mode).
  constexpr std::int64_t positions(std::int64_t size, bool ceil) const {
    const std::int64_t rest = size + before + after - extent();
    if (rest < 0)
      throw error(text("its window spans ", extent(), " elements but the padded input has only ",
                       size + before + after));
    std::int64_t result = rest / stride + 1;
    if (ceil && rest % stride != 0 && result * stride < size + before) ++result;
    return result;
  }
};

constexpr sliding vertical(const window& w) {
  return {w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom, w.dilation_h};
}
constexpr sliding horizontal(const window& w) {
  return {w.kernel_w, w.stride_w, w.pad_left, w.pad_right, w.dilation_w};
}

constexpr void check_window(const window& w) {
  constexpr std::int64_t most = 65535;
  for (const auto& s : {vertical(w), horizontal(w)}) {
    if (s.kernel < 1 || s.stride < 1 || s.dilation < 1)
      throw error("its window has a kernel, stride or dilation below 1");
    if (s.before < 0 || s.after < 0) throw error("its window has a negative padding");
    if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > most)
      throw error(text("its window has a number above ", most));
  }
}

// The shape of what a window that slides over `in` gives.
constexpr shape slide(const window& w, shape in, std::int32_t channels, bool ceil = false) {
  check_window(w);
  return checked_shape(channels, vertical(w).positions(in.h, ceil),
                       horizontal(w).positions(in.w, ceil));
}

}  // namespace nvdlac::net

namespace nvdlac::net {

enum class pool_kind : std::uint8_t { average, maximum };

// The shape rule of a pooling, real or integer. Every window holds an element of the input: pads
// are smaller than the kernel, and `ceil` adds no window that starts behind the input.
constexpr shape infer_pool(const window& w, bool ceil, shape in) {
  if (w.dilation_h != 1 || w.dilation_w != 1) throw error("it is a pooling with a dilation");
  if (w.kernel_h < 1 || w.kernel_w < 1) throw error("its window has a kernel below 1");
  if (std::max(w.pad_top, w.pad_bottom) >= w.kernel_h || std::max(w.pad_left, w.pad_right) >= w.kernel_w)
    throw error("it is a pooling whose padding is not smaller than its window");
  return slide(w, in, in.c, ceil);
}

// The elements [begin, end) of one dimension that lie in a pooling's window number `position`, and
// how many elements the window has once it is clipped to the padded input.
struct pool_span {
  std::int32_t begin, end, padded;

  static constexpr pool_span at(sliding s, std::int32_t size, std::int32_t position) {
    const std::int64_t start = position * s.stride - s.before, stop = start + s.kernel;
    return {static_cast<std::int32_t>(std::max<std::int64_t>(start, 0)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size + s.after) - start)};
  }
};

// The maximum or the mean of each window. Windows may hang over the bottom and right padding when
// `ceil` rounds the output size up; what hangs over the padding is never counted.
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};            // dilation is 1
  bool ceil = false;               // output size rounds up, see sliding::positions
  bool count_include_pad = false;  // average: padding counts as zeros of the window
  bool global = false;             // one window covers all; `window` is not used

  // The window that slides over this input.
  constexpr net::window window_on(shape in) const {
    return global ? net::window{.kernel_h = in.h, .kernel_w = in.w} : window;
  }
  constexpr shape infer(std::span<const shape> in) const {
    return global ? checked_shape(in[0].c, 1, 1) : infer_pool(window, ceil, in[0]);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    const net::window w = window_on(x.shape);
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, pool_span::at(vertical(w), x.shape.h, oy),
                                   pool_span::at(horizontal(w), x.shape.w, ox));
    return y;
  }

 private:
  float reduce(const float_tensor& x, std::int32_t c, pool_span rows, pool_span columns) const {
    double sum = 0;
    float top = -std::numeric_limits<float>::infinity();
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const float v = x.at(c, row, column);
        sum += static_cast<double>(v);
        top = std::max(top, v);
      }
    if (kind == pool_kind::maximum) return top;
    const double counted = count_include_pad
        ? static_cast<double>(rows.padded) * columns.padded
        : static_cast<double>(rows.end - rows.begin) * (columns.end - columns.begin);
    return static_cast<float>(sum / counted);
  }
};
static_assert(operation<pool>);

}  // namespace nvdlac::net

namespace nvdlac::layer {

// A split of a pooling's width into first, middle and last parts; columns of input and output.
struct pdp_split {
  std::uint8_t parts = 1;
  std::uint16_t in_first = 0, in_mid = 0, in_last = 0;
  std::uint16_t out_first = 0, out_mid = 0, out_last = 0;

  constexpr bool operator==(const pdp_split&) const = default;
};

// One pass of PDP, int8. The source is SDP when input.at is on the fly. Padding counts as
// pad_value in an average and is ignored by a maximum; an average divides by the whole kernel.
struct pdp {
  layer::surface input{};
  layer::surface output{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};  // dilation 1; kernel and stride 1..8, pads 0..7
  std::int16_t pad_value = 0;
  pdp_split split{};

  constexpr bool operator==(const pdp&) const = default;
};

}  // namespace nvdlac::layer

namespace nvdlac::emit {

struct pdp_descriptor {
  firmware::pdp_op op{};
  firmware::pdp_surface surface{};
};

// Values that do not fit are an `error` that names the field.
inline pdp_descriptor encode(const layer::pdp& l) {
  pdp_descriptor d;
  auto& op = d.op;
  const auto& w = l.window;
  op.partial_in_width_first = l.split.in_first;
  op.partial_in_width_mid = l.split.in_mid;
  op.partial_in_width_last = l.split.in_last;
  op.partial_width_first = l.split.out_first;
  op.partial_width_mid = l.split.out_mid;
  op.partial_width_last = l.split.out_last;
  op.split_num = l.split.parts;
  op.pool_mode = static_cast<std::uint8_t>(l.kind);
  op.pool_width = narrow<std::uint8_t>(w.kernel_w - 1, "pdp.pool_width");
  op.pool_height = narrow<std::uint8_t>(w.kernel_h - 1, "pdp.pool_height");
  op.stride_x = narrow<std::uint8_t>(w.stride_w, "pdp.stride_x");
  op.stride_y = narrow<std::uint8_t>(w.stride_h, "pdp.stride_y");
  op.pad_left = narrow<std::uint8_t>(w.pad_left, "pdp.pad_left");
  op.pad_right = narrow<std::uint8_t>(w.pad_right, "pdp.pad_right");
  op.pad_top = narrow<std::uint8_t>(w.pad_top, "pdp.pad_top");
  op.pad_bottom = narrow<std::uint8_t>(w.pad_bottom, "pdp.pad_bottom");
  for (std::int32_t i = 0; i < 7; ++i)
    op.padding_value[static_cast<std::size_t>(i)] = (i + 1) * l.pad_value;
  d.surface.src = encode(l.input, "pdp.src_data");
  d.surface.dst = encode(l.output, "pdp.dst_data");
  return d;
}

// What `layer::pdp` cannot express, and what the firmware refuses, is an `error`.
inline layer::pdp decode(const pdp_descriptor& d) {
  const auto& op = d.op;
  expect(op.precision == 0, "pdp.precision", op.precision, "only int8 is supported");
  expect(op.pool_mode <= 1, "pdp.pool_mode", op.pool_mode, "only average and maximum are supported");
  expect(op.pool_width < 8, "pdp.pool_width", op.pool_width, "is 8 at most, stored as 7");
  expect(op.pool_height < 8, "pdp.pool_height", op.pool_height, "is 8 at most, stored as 7");
  expect(op.stride_x >= 1 && op.stride_x <= 8, "pdp.stride_x", op.stride_x, "must be 1 to 8");
  expect(op.stride_y >= 1 && op.stride_y <= 8, "pdp.stride_y", op.stride_y, "must be 1 to 8");
  expect(op.split_num >= 1 && op.split_num <= 64, "pdp.split_num", op.split_num, "must be 1 to 64");
  layer::pdp l;
  l.input = decode(d.surface.src, "pdp.src_data");
  l.output = decode(d.surface.dst, "pdp.dst_data");
  expect(!l.output.at.on_the_fly(), "pdp.dst_data.type", 2, "the result must go to memory");
  expect(op.split_num == 1 || !l.input.at.on_the_fly(), "pdp.split_num", op.split_num,
         "must be 1 behind SDP");
  l.kind = static_cast<net::pool_kind>(op.pool_mode);
  l.window = {op.pool_height + 1, op.pool_width + 1, op.stride_y,   op.stride_x, op.pad_top,
              op.pad_left,        op.pad_bottom,     op.pad_right, 1,           1};
  expect(std::in_range<std::int16_t>(op.padding_value[0]), "pdp.padding_value", op.padding_value[0],
         "has more than 16 bits");
  l.pad_value = static_cast<std::int16_t>(op.padding_value[0]);
  for (std::int32_t i = 0; i < 7; ++i) {
    const auto value = op.padding_value[static_cast<std::size_t>(i)];
    expect(value == (i + 1) * l.pad_value, "pdp.padding_value", value,
           "is not a multiple of the first");
  }
  l.split = {op.split_num,          op.partial_in_width_first, op.partial_in_width_mid,
             op.partial_in_width_last, op.partial_width_first, op.partial_width_mid,
             op.partial_width_last};
  return l;
}

}  // namespace nvdlac::emit
// Register writes by name: every value goes through the register table of the product's map, so a
// wrong name does not compile and a value that is too wide for its field is an error.
#include <concepts>
#include <cstdint>

#include <cstddef>
#include <string_view>

namespace nvdlac {

// A string literal as a template argument: `address<map, "CDMA.D_BANK">`.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace nvdlac
// The registers of both maps by address and by the name UNIT.REGISTER.FIELD.
//   while compiling: address<map, "CDMA.D_BANK">, field_of<map, "CDMA.D_BANK.DATA_BANK">,
//                    value_of<map, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM">
//   while running:   registers(map), find(map, address), find(map, "CDMA.D_BANK"), describe(...)
#include <algorithm>

// The registers of the full map in the order of their addresses.
// Written by tools/generate_registers.py.
// The fields of the registers; registers that look alike share them.
// Written by tools/generate_registers.py.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>


namespace nvdlac::hw {

enum class access : std::uint8_t { r, w, rw };

// A named value of a field: SUM = 2.
struct enumerator {
  std::string_view name;
  std::uint32_t value = 0;
};

// Not constexpr on purpose: reaching it while compiling is the compile error.
[[noreturn]] inline void value_does_not_fit_the_field(std::string_view field, int bits,
                                                      long long value) {
  throw error(problem{.reason = text("the value ", value, " does not fit the register field ",
                                     field, " of ", bits, " bits")});
}
[[noreturn]] inline void bytes_are_not_aligned_for_the_field(std::string_view field, int lsb,
                                                             unsigned long long value) {
  throw error(problem{.reason = text(value, " bytes in the register field ", field,
                                     " are not a multiple of ", 1ull << lsb)});
}

// A field of a 32-bit register. The reset value counts from bit 0 of the field.
struct field {
  std::string_view name;
  std::uint8_t msb = 0, lsb = 0;
  std::uint32_t reset = 0;
  std::span<const enumerator> values = {};

  constexpr int width() const { return msb - lsb + 1; }
  // The greatest unsigned value that fits.
  constexpr std::uint32_t max() const { return 0xffffffffu >> (32 - width()); }
  constexpr std::uint32_t mask() const { return max() << lsb; }

  // The value at its place in the register word, the other bits 0. Negative values are stored as
  // two's complement. A value that does not fit is an `error`; while compiling, a compile error.
  constexpr std::uint32_t insert(std::int64_t value) const {
    const std::int64_t top = max();
    if (value > top || value < -(top / 2) - 1) value_does_not_fit_the_field(name, width(), value);
    return (static_cast<std::uint32_t>(value) & max()) << lsb;
  }
  constexpr std::uint32_t extract(std::uint32_t word) const { return (word >> lsb) & max(); }
  constexpr std::int32_t extract_signed(std::uint32_t word) const {
    return static_cast<std::int32_t>(word << (31 - msb)) >> (32 - width());
  }

  // Addresses, strides and sizes in bytes: the maps drop a different number of low bits, but the
  // register word holds the bytes in both. The bytes must be a multiple of 1 << lsb.
  constexpr std::uint32_t insert_bytes(std::uint64_t bytes) const {
    if (bytes > (mask() | ((1u << lsb) - 1)))
      value_does_not_fit_the_field(name, msb + 1, static_cast<long long>(bytes));
    const auto word = static_cast<std::uint32_t>(bytes);
    if ((word & mask()) != word) bytes_are_not_aligned_for_the_field(name, lsb, bytes);
    return word;
  }
  constexpr std::uint32_t extract_bytes(std::uint32_t word) const { return word & mask(); }
};

struct reg {
  std::string_view unit, name;
  std::uint32_t address = 0;  // bytes from the base of NVDLA
  hw::access access = hw::access::rw;
  std::uint32_t write_mask = 0;  // the bits that software can write
  std::span<const field> fields;

  constexpr std::uint32_t reset() const {
    std::uint32_t word = 0;
    for (const auto& f : fields) word |= f.reset << f.lsb;
    return word;
  }
};

// The registers of one unit: `count` of them from `first` on.
struct unit {
  std::string_view name;
  std::uint32_t first = 0, count = 0;
};

}  // namespace nvdlac::hw

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr enumerator values_no_yes[]{{"NO"sv, 0}, {"YES"sv, 1}};
inline constexpr enumerator values_idle_running_pending[]{{"IDLE"sv, 0}, {"RUNNING"sv, 1},
    {"PENDING"sv, 2}};
inline constexpr enumerator values_group_0_group_1[]{{"GROUP_0"sv, 0}, {"GROUP_1"sv, 1}};
inline constexpr enumerator values_disable_enable[]{{"DISABLE"sv, 0}, {"ENABLE"sv, 1}};
inline constexpr enumerator values_direct_winograd[]{{"DIRECT"sv, 0}, {"WINOGRAD"sv, 1}};
inline constexpr enumerator values_int8_int16_fp16[]{{"INT8"sv, 0}, {"INT16"sv, 1}, {"FP16"sv, 2}};
inline constexpr enumerator values_feature_pixel[]{{"FEATURE"sv, 0}, {"PIXEL"sv, 1}};
inline constexpr enumerator values_r8_to_y16_v16u16[]{{"R8"sv, 0}, {"R10"sv, 1}, {"R12"sv, 2},
    {"R16"sv, 3}, {"R16_I"sv, 4}, {"R16_F"sv, 5}, {"A16B16G16R16"sv, 6}, {"X16B16G16R16"sv, 7},
    {"A16B16G16R16_F"sv, 8}, {"A16Y16U16V16"sv, 9}, {"V16U16Y16A16"sv, 10},
    {"A16Y16U16V16_F"sv, 11}, {"A8B8G8R8"sv, 12}, {"A8R8G8B8"sv, 13}, {"B8G8R8A8"sv, 14},
    {"R8G8B8A8"sv, 15}, {"X8B8G8R8"sv, 16}, {"X8R8G8B8"sv, 17}, {"B8G8R8X8"sv, 18},
    {"R8G8B8X8"sv, 19}, {"A2B10G10R10"sv, 20}, {"A2R10G10B10"sv, 21}, {"B10G10R10A2"sv, 22},
    {"R10G10B10A2"sv, 23}, {"A2Y10U10V10"sv, 24}, {"V10U10Y10A2"sv, 25}, {"A8Y8U8V8"sv, 26},
    {"V8U8Y8A8"sv, 27}, {"Y8_U8V8"sv, 28}, {"Y8_V8U8"sv, 29}, {"Y10_U10V10"sv, 30},
    {"Y10_V10U10"sv, 31}, {"Y12_U12V12"sv, 32}, {"Y12_V12U12"sv, 33}, {"Y16_U16V16"sv, 34},
    {"Y16_V16U16"sv, 35}};
inline constexpr enumerator values_pitch_linear_reserved_linear[]{{"PITCH_LINEAR"sv, 0},
    {"RESERVED_LINEAR"sv, 1}};
inline constexpr enumerator values_unsigned_int_signed_int[]{{"UNSIGNED_INT"sv, 0},
    {"SIGNED_INT"sv, 1}};
inline constexpr enumerator values_cv_mc[]{{"CV"sv, 0}, {"MC"sv, 1}};
inline constexpr enumerator values_false_true[]{{"FALSE"sv, 0}, {"TRUE"sv, 1}};
inline constexpr enumerator values_uncompressed_compressed[]{{"UNCOMPRESSED"sv, 0},
    {"COMPRESSED"sv, 1}};
inline constexpr enumerator values_mul_alu_both[]{{"MUL"sv, 0}, {"ALU"sv, 1}, {"BOTH"sv, 2}};
inline constexpr enumerator values_one_byte_two_byte[]{{"ONE_BYTE"sv, 0}, {"TWO_BYTE"sv, 1}};
inline constexpr enumerator values_per_kernel_per_element[]{{"PER_KERNEL"sv, 0},
    {"PER_ELEMENT"sv, 1}};
inline constexpr enumerator values_off_on[]{{"OFF"sv, 0}, {"ON"sv, 1}};
inline constexpr enumerator values_le_lo[]{{"LE"sv, 0}, {"LO"sv, 1}};
inline constexpr enumerator values_read_write[]{{"READ"sv, 0}, {"WRITE"sv, 1}};
inline constexpr enumerator values_exponent_linear[]{{"EXPONENT"sv, 0}, {"LINEAR"sv, 1}};
inline constexpr enumerator values_max_min_sum[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2}};
inline constexpr enumerator values_reg_mem[]{{"REG"sv, 0}, {"MEM"sv, 1}};
inline constexpr enumerator values_max_min_sum_eql[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2},
    {"EQL"sv, 3}};
inline constexpr enumerator values_mem_pdp[]{{"MEM"sv, 0}, {"PDP"sv, 1}};
inline constexpr enumerator values_on_flying_off_flying[]{{"ON_FLYING"sv, 0}, {"OFF_FLYING"sv, 1}};
inline constexpr enumerator values_1_to_8[]{{"1"sv, 0}, {"2"sv, 1}, {"3"sv, 2}, {"4"sv, 3},
    {"5"sv, 4}, {"6"sv, 5}, {"7"sv, 6}, {"8"sv, 7}};
inline constexpr enumerator values_average_max_min[]{{"AVERAGE"sv, 0}, {"MAX"sv, 1}, {"MIN"sv, 2}};
inline constexpr enumerator values_readphile_writephile_ordinary[]{{"READPHILE"sv, 0},
    {"WRITEPHILE"sv, 1}, {"ORDINARY"sv, 2}};
inline constexpr enumerator values_len3_len5_len7_len9[]{{"LEN3"sv, 0}, {"LEN5"sv, 1},
    {"LEN7"sv, 2}, {"LEN9"sv, 3}};
inline constexpr enumerator values_lock_unlock[]{{"LOCK"sv, 0}, {"UNLOCK"sv, 225}};
inline constexpr enumerator values_noforce_force[]{{"NOFORCE"sv, 0}, {"FORCE"sv, 1}};
inline constexpr enumerator values_noreload_reload[]{{"NORELOAD"sv, 0}, {"RELOAD"sv, 1}};
inline constexpr enumerator values_contract_split_merge[]{{"CONTRACT"sv, 0}, {"SPLIT"sv, 1},
    {"MERGE"sv, 2}};

inline constexpr field glb_s_nvdla_hw_version_fields[]{{"MAJOR"sv, 7, 0, 0x31, {}},
    {"MINOR"sv, 23, 8, 0x3030, {}}};
inline constexpr field glb_s_intr_mask_fields[]{{"SDP_DONE_MASK0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_MASK1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_MASK0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_MASK1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_MASK0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_MASK1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_MASK0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_MASK1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_MASK0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_MASK1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_MASK0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_MASK1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_MASK0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_MASK1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_MASK0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_MASK1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_set_fields[]{{"SDP_DONE_SET0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_SET1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_SET0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_SET1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_SET0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_SET1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_SET0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_SET1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_SET0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_SET1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_SET0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_SET1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_SET0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_SET1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_SET0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_SET1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_status_fields[]{{"SDP_DONE_STATUS0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_STATUS1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_STATUS0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_STATUS1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_STATUS0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_STATUS1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_STATUS0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_STATUS1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_STATUS0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_STATUS1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_STATUS0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_STATUS1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_STATUS0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_STATUS1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_STATUS0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_STATUS1"sv, 21, 21, 0x0, {}}};
inline constexpr field mcif_cfg_rd_weight_0_fields[]{{"RD_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_1_fields[]{{"RD_WEIGHT_SDP_B"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP_N"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_SDP_E"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDMA_DAT"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_2_fields[]{{"RD_WEIGHT_CDMA_WT"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_RBK"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_0_fields[]{{"WR_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_1_fields[]{{"WR_WEIGHT_RBK"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_RSV_2"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_outstanding_cnt_fields[]{{"RD_OS_CNT"sv, 7, 0, 0xff, {}},
    {"WR_OS_CNT"sv, 15, 8, 0xff, {}}};
inline constexpr field mcif_status_fields[]{{"IDLE"sv, 8, 8, 0x1, values_no_yes}};
inline constexpr field cdma_s_status_fields[]{
    {"STATUS_0"sv, 1, 0, 0x0, values_idle_running_pending},
    {"STATUS_1"sv, 17, 16, 0x0, values_idle_running_pending}};
inline constexpr field cdma_s_pointer_fields[]{{"PRODUCER"sv, 0, 0, 0x0, values_group_0_group_1},
    {"CONSUMER"sv, 16, 16, 0x0, values_group_0_group_1}};
inline constexpr field cdma_s_arbiter_fields[]{{"ARB_WEIGHT"sv, 3, 0, 0xf, {}},
    {"ARB_WMB"sv, 19, 16, 0x3, {}}};
inline constexpr field cdma_s_cbuf_flush_status_fields[]{{"FLUSH_DONE"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_op_enable_fields[]{{"OP_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_misc_cfg_fields[]{{"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16},
    {"DATA_REUSE"sv, 16, 16, 0x0, values_disable_enable},
    {"WEIGHT_REUSE"sv, 20, 20, 0x0, values_disable_enable},
    {"SKIP_DATA_RLS"sv, 24, 24, 0x0, values_disable_enable},
    {"SKIP_WEIGHT_RLS"sv, 28, 28, 0x0, values_disable_enable}};
inline constexpr field cdma_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel},
    {"PIXEL_FORMAT"sv, 13, 8, 0xc, values_r8_to_y16_v16u16},
    {"PIXEL_MAPPING"sv, 16, 16, 0x0, values_pitch_linear_reserved_linear},
    {"PIXEL_SIGN_OVERRIDE"sv, 20, 20, 0x0, values_unsigned_int_signed_int}};
inline constexpr field cdma_d_datain_size_0_fields[]{{"DATAIN_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_datain_size_1_fields[]{{"DATAIN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_datain_size_ext_0_fields[]{{"DATAIN_WIDTH_EXT"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT_EXT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_pixel_offset_fields[]{{"PIXEL_X_OFFSET"sv, 4, 0, 0x0, {}},
    {"PIXEL_Y_OFFSET"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_dain_ram_type_fields[]{
    {"DATAIN_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_dain_addr_high_0_fields[]{{"DATAIN_ADDR_HIGH_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields[]{{"DATAIN_ADDR_LOW_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_high_1_fields[]{{"DATAIN_ADDR_HIGH_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields[]{{"DATAIN_ADDR_LOW_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields[]{{"LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields[]{{"UV_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_map_fields[]{{"LINE_PACKED"sv, 0, 0, 0x0, values_false_true},
    {"SURF_PACKED"sv, 16, 16, 0x0, values_false_true}};
inline constexpr field cdma_d_reserved_x_cfg_fields[]{{"RSV_PER_LINE"sv, 9, 0, 0x0, {}},
    {"RSV_PER_UV_LINE"sv, 25, 16, 0x0, {}}};
inline constexpr field cdma_d_reserved_y_cfg_fields[]{{"RSV_HEIGHT"sv, 2, 0, 0x0, {}},
    {"RSV_Y_INDEX"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_batch_number_fields[]{{"BATCHES"sv, 4, 0, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields[]{{"BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields[]{{"ENTRIES"sv, 13, 0, 0x0, {}}};
inline constexpr field cdma_d_fetch_grain_fields[]{{"GRAINS"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_format_fields[]{
    {"WEIGHT_FORMAT"sv, 0, 0, 0x0, values_uncompressed_compressed}};
inline constexpr field cdma_d_weight_size_0_fields[]{{"BYTE_PER_KERNEL"sv, 17, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_size_1_fields[]{{"WEIGHT_KERNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_ram_type_fields[]{
    {"WEIGHT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_weight_addr_high_fields[]{{"WEIGHT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields[]{{"WEIGHT_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields[]{{"WEIGHT_BYTES"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_high_fields[]{{"WGS_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields[]{{"WGS_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_high_fields[]{{"WMB_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields[]{{"WMB_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields[]{{"WMB_BYTES"sv, 27, 0, 0x0, {}}};
inline constexpr field cdma_d_mean_format_fields[]{
    {"MEAN_FORMAT"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_mean_global_0_fields[]{{"MEAN_RY"sv, 15, 0, 0x0, {}},
    {"MEAN_GU"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_mean_global_1_fields[]{{"MEAN_BV"sv, 15, 0, 0x0, {}},
    {"MEAN_AX"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_cvt_cfg_fields[]{{"CVT_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"CVT_TRUNCATE"sv, 9, 4, 0x0, {}}};
inline constexpr field cdma_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_cvt_scale_fields[]{{"CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_conv_stride_fields[]{{"CONV_X_STRIDE"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_RIGHT"sv, 13, 8, 0x0, {}}, {"PAD_TOP"sv, 20, 16, 0x0, {}},
    {"PAD_BOTTOM"sv, 29, 24, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_value_fields[]{{"PAD_VALUE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_bank_fields[]{{"DATA_BANK"sv, 4, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_nan_flush_to_zero_fields[]{
    {"NAN_TO_ZERO"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_nan_input_data_num_fields[]{{"NAN_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_nan_input_weight_num_fields[]{{"NAN_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_data_num_fields[]{{"INF_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_weight_num_fields[]{{"INF_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_stall_fields[]{{"DAT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_stall_fields[]{{"WT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_latency_fields[]{{"DAT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_latency_fields[]{{"WT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_cya_fields[]{{"CYA"sv, 31, 0, 0x0, {}}};
inline constexpr field csc_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel}};
inline constexpr field csc_d_datain_size_ext_1_fields[]{{"DATAIN_CHANNEL_EXT"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_post_y_extension_fields[]{{"Y_EXTENSION"sv, 1, 0, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_0_fields[]{{"WEIGHT_WIDTH_EXT"sv, 4, 0, 0x0, {}},
    {"WEIGHT_HEIGHT_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_1_fields[]{{"WEIGHT_CHANNEL_EXT"sv, 12, 0, 0x0, {}},
    {"WEIGHT_KERNEL"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_0_fields[]{{"DATAOUT_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAOUT_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_1_fields[]{{"DATAOUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_atomics_fields[]{{"ATOMICS"sv, 20, 0, 0x1, {}}};
inline constexpr field csc_d_release_fields[]{{"RLS_SLICES"sv, 11, 0, 0x1, {}}};
inline constexpr field csc_d_conv_stride_ext_fields[]{{"CONV_X_STRIDE_EXT"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE_EXT"sv, 18, 16, 0x0, {}}};
inline constexpr field csc_d_dilation_ext_fields[]{{"X_DILATION_EXT"sv, 4, 0, 0x0, {}},
    {"Y_DILATION_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_TOP"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_pra_cfg_fields[]{{"PRA_TRUNCATE"sv, 1, 0, 0x0, {}}};
inline constexpr field cmac_a_d_misc_cfg_fields[]{
    {"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16}};
inline constexpr field cacc_d_dataout_addr_fields[]{{"DATAOUT_ADDR"sv, 31, 0, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields[]{{"LINE_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_clip_cfg_fields[]{{"CLIP_TRUNCATE"sv, 4, 0, 0x0, {}}};
inline constexpr field cacc_d_out_saturation_fields[]{{"SAT_COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_width_fields[]{{"WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_height_fields[]{{"HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_channel_fields[]{{"CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_high_fields[]{
    {"SRC_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields[]{{"SRC_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields[]{{"BRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_base_addr_high_fields[]{
    {"BS_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields[]{{"BS_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields[]{
    {"BS_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields[]{{"BS_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields[]{{"NRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_base_addr_high_fields[]{
    {"BN_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields[]{{"BN_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields[]{
    {"BN_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields[]{{"BN_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields[]{{"ERDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_base_addr_high_fields[]{
    {"EW_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields[]{{"EW_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields[]{
    {"EW_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields[]{{"EW_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_feature_mode_cfg_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_off_on}, {"WINOGRAD"sv, 1, 1, 0x0, values_off_on},
    {"IN_PRECISION"sv, 3, 2, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 5, 4, 0x1, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 7, 6, 0x0, values_int8_int16_fp16}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_dma_cfg_fields[]{
    {"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_status_nan_input_num_fields[]{
    {"STATUS_NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_status_inf_input_num_fields[]{
    {"STATUS_INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_rdma_d_perf_mrdma_read_stall_fields[]{
    {"MRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_brdma_read_stall_fields[]{
    {"BRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_nrdma_read_stall_fields[]{
    {"NRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_erdma_read_stall_fields[]{
    {"ERDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_access_cfg_fields[]{{"LUT_ADDR"sv, 9, 0, 0x0, {}},
    {"LUT_TABLE_ID"sv, 16, 16, 0x0, values_le_lo},
    {"LUT_ACCESS_TYPE"sv, 17, 17, 0x0, values_read_write}};
inline constexpr field sdp_s_lut_access_data_fields[]{{"LUT_DATA"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_cfg_fields[]{
    {"LUT_LE_FUNCTION"sv, 0, 0, 0x0, values_exponent_linear},
    {"LUT_UFLOW_PRIORITY"sv, 4, 4, 0x0, values_le_lo},
    {"LUT_OFLOW_PRIORITY"sv, 5, 5, 0x0, values_le_lo},
    {"LUT_HYBRID_PRIORITY"sv, 6, 6, 0x0, values_le_lo}};
inline constexpr field sdp_s_lut_info_fields[]{{"LUT_LE_INDEX_OFFSET"sv, 7, 0, 0x0, {}},
    {"LUT_LE_INDEX_SELECT"sv, 15, 8, 0x0, {}}, {"LUT_LO_INDEX_SELECT"sv, 23, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_start_fields[]{{"LUT_LE_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_end_fields[]{{"LUT_LE_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_start_fields[]{{"LUT_LO_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_end_fields[]{{"LUT_LO_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_scale_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LE_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_shift_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LE_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_scale_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LO_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_shift_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LO_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields[]{{"DST_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_high_fields[]{{"DST_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields[]{{"DST_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields[]{{"DST_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields[]{{"BS_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x1, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bs_alu_cfg_fields[]{{"BS_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_alu_src_value_fields[]{{"BS_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_cfg_fields[]{{"BS_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_src_value_fields[]{{"BS_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_cfg_fields[]{{"BN_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bn_alu_cfg_fields[]{{"BN_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_alu_src_value_fields[]{{"BN_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_cfg_fields[]{{"BN_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_src_value_fields[]{{"BN_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_cfg_fields[]{{"EW_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_src_value_fields[]{{"EW_ALU_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_offset_value_fields[]{
    {"EW_ALU_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_scale_value_fields[]{
    {"EW_ALU_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_truncate_value_fields[]{
    {"EW_ALU_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_src_value_fields[]{{"EW_MUL_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_offset_value_fields[]{
    {"EW_MUL_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_scale_value_fields[]{
    {"EW_MUL_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_truncate_value_fields[]{
    {"EW_MUL_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_truncate_value_fields[]{{"EW_TRUNCATE"sv, 9, 0, 0x0, {}}};
inline constexpr field sdp_d_feature_mode_cfg_fields[]{{"FLYING_MODE"sv, 0, 0, 0x0, values_off_on},
    {"OUTPUT_DST"sv, 1, 1, 0x0, values_mem_pdp}, {"WINOGRAD"sv, 2, 2, 0x0, values_off_on},
    {"NAN_TO_ZERO"sv, 3, 3, 0x0, values_disable_enable}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_d_dst_dma_cfg_fields[]{{"DST_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_d_dst_batch_stride_fields[]{{"DST_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_data_format_fields[]{
    {"PROC_PRECISION"sv, 1, 0, 0x0, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 3, 2, 0x0, values_int8_int16_fp16}};
inline constexpr field sdp_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_cvt_shift_fields[]{{"CVT_SHIFT"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_status_fields[]{{"STATUS_UNEQUAL"sv, 0, 0, 0x0, {}}};
inline constexpr field sdp_d_status_nan_output_num_fields[]{
    {"STATUS_NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_LUT_EN"sv, 1, 1, 0x0, values_no_yes}, {"PERF_SAT_EN"sv, 2, 2, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 3, 3, 0x0, values_no_yes}};
inline constexpr field sdp_d_perf_wdma_write_stall_fields[]{{"WDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_uflow_fields[]{{"LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_oflow_fields[]{{"LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_out_saturation_fields[]{{"OUT_SATURATION"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_hybrid_fields[]{{"LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_le_hit_fields[]{{"LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_lo_hit_fields[]{{"LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_width_fields[]{{"CUBE_IN_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_height_fields[]{
    {"CUBE_IN_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_channel_fields[]{
    {"CUBE_IN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_flying_mode_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_on_flying_off_flying}};
inline constexpr field pdp_rdma_d_data_format_fields[]{
    {"INPUT_DATA"sv, 1, 0, 0x0, values_int8_int16_fp16}};
inline constexpr field pdp_rdma_d_operation_mode_cfg_fields[]{{"SPLIT_NUM"sv, 7, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_STRIDE_WIDTH"sv, 7, 4, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_padding_cfg_fields[]{{"PAD_WIDTH"sv, 3, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_partial_width_in_fields[]{
    {"PARTIAL_WIDTH_IN_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_IN_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_IN_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_rdma_d_perf_enable_fields[]{
    {"DMA_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field pdp_rdma_d_perf_read_stall_fields[]{{"PERF_READ_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_width_fields[]{{"CUBE_OUT_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_height_fields[]{{"CUBE_OUT_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_channel_fields[]{
    {"CUBE_OUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_operation_mode_cfg_fields[]{
    {"POOLING_METHOD"sv, 1, 0, 0x0, values_average_max_min},
    {"FLYING_MODE"sv, 4, 4, 0x0, values_on_flying_off_flying}, {"SPLIT_NUM"sv, 15, 8, 0x0, {}}};
inline constexpr field pdp_d_partial_width_out_fields[]{
    {"PARTIAL_WIDTH_OUT_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_OUT_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_OUT_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_HEIGHT"sv, 11, 8, 0x0, values_1_to_8},
    {"KERNEL_STRIDE_WIDTH"sv, 19, 16, 0x0, {}}, {"KERNEL_STRIDE_HEIGHT"sv, 23, 20, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_width_fields[]{{"RECIP_KERNEL_WIDTH"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_height_fields[]{
    {"RECIP_KERNEL_HEIGHT"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_cfg_fields[]{{"PAD_LEFT"sv, 2, 0, 0x0, {}},
    {"PAD_TOP"sv, 6, 4, 0x0, {}}, {"PAD_RIGHT"sv, 10, 8, 0x0, {}},
    {"PAD_BOTTOM"sv, 14, 12, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_1_cfg_fields[]{
    {"PAD_VALUE_1X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_2_cfg_fields[]{
    {"PAD_VALUE_2X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_3_cfg_fields[]{
    {"PAD_VALUE_3X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_4_cfg_fields[]{
    {"PAD_VALUE_4X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_5_cfg_fields[]{
    {"PAD_VALUE_5X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_6_cfg_fields[]{
    {"PAD_VALUE_6X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_7_cfg_fields[]{
    {"PAD_VALUE_7X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_inf_input_num_fields[]{{"INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_input_num_fields[]{{"NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_output_num_fields[]{{"NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_perf_write_stall_fields[]{{"PERF_WRITE_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_rdma_d_src_compression_en_fields[]{
    {"SRC_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_rdma_d_operation_mode_fields[]{
    {"OPERATION_MODE"sv, 1, 0, 0x0, values_readphile_writephile_ordinary}};
inline constexpr field cdp_s_lut_le_start_low_fields[]{{"LUT_LE_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_start_high_fields[]{{"LUT_LE_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_low_fields[]{{"LUT_LE_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_high_fields[]{{"LUT_LE_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_low_fields[]{{"LUT_LO_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_high_fields[]{{"LUT_LO_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_low_fields[]{{"LUT_LO_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_high_fields[]{{"LUT_LO_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_func_bypass_fields[]{
    {"SQSUM_BYPASS"sv, 0, 0, 0x0, values_disable_enable},
    {"MUL_BYPASS"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_dst_compression_en_fields[]{
    {"DST_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_d_data_format_fields[]{
    {"INPUT_DATA_TYPE"sv, 1, 0, 0x1, values_int8_int16_fp16}};
inline constexpr field cdp_d_lrn_cfg_fields[]{
    {"NORMALZ_LEN"sv, 1, 0, 0x0, values_len3_len5_len7_len9}};
inline constexpr field cdp_d_datin_offset_fields[]{{"DATIN_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdp_d_datin_scale_fields[]{{"DATIN_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datin_shifter_fields[]{{"DATIN_SHIFTER"sv, 4, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_offset_fields[]{{"DATOUT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_scale_fields[]{{"DATOUT_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datout_shifter_fields[]{{"DATOUT_SHIFTER"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"LUT_EN"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_perf_lut_uflow_fields[]{{"PERF_LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_oflow_fields[]{{"PERF_LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_hybrid_fields[]{{"PERF_LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_le_hit_fields[]{{"PERF_LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_lo_hit_fields[]{{"PERF_LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field gec_feature_fields[]{{"NUM_ERR_SLICES"sv, 5, 0, 0x3, {}},
    {"NUM_ERR"sv, 31, 16, 0x43, {}}};
inline constexpr field gec_swreset_fields[]{{"SWRST"sv, 0, 0, 0x0, {}}};
inline constexpr field gec_missionerr_type_fields[]{{"CODE"sv, 5, 0, 0x5, {}}};
inline constexpr field gec_current_counter_value_fields[]{{"VALUE"sv, 8, 0, 0x0, {}}};
inline constexpr field gec_missionerr_index_fields[]{{"IDX"sv, 6, 0, 0x0, {}}};
inline constexpr field gec_correctable_threshold_fields[]{{"COUNT"sv, 7, 0, 0xff, {}}};
inline constexpr field gec_missionerr_inject_unlock_fields[]{
    {"VALUE"sv, 7, 0, 0x0, values_lock_unlock}};
inline constexpr field gec_errslice0_missionerr_enable_fields[]{
    {"ERR0"sv, 0, 0, 0x1, values_disable_enable}, {"ERR1"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x1, values_disable_enable}, {"ERR3"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x1, values_disable_enable}, {"ERR5"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x1, values_disable_enable}, {"ERR7"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x1, values_disable_enable}, {"ERR9"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR10"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR11"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR12"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR13"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR14"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR15"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice0_missionerr_force_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noforce_force}, {"ERR1"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR2"sv, 2, 2, 0x0, values_noforce_force}, {"ERR3"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR4"sv, 4, 4, 0x0, values_noforce_force}, {"ERR5"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR6"sv, 6, 6, 0x0, values_noforce_force}, {"ERR7"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR8"sv, 8, 8, 0x0, values_noforce_force}, {"ERR9"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR10"sv, 10, 10, 0x0, values_noforce_force}, {"ERR11"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR12"sv, 12, 12, 0x0, values_noforce_force}, {"ERR13"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR14"sv, 14, 14, 0x0, values_noforce_force}, {"ERR15"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR16"sv, 16, 16, 0x0, values_noforce_force}, {"ERR17"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR18"sv, 18, 18, 0x0, values_noforce_force}, {"ERR19"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR20"sv, 20, 20, 0x0, values_noforce_force}, {"ERR21"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR22"sv, 22, 22, 0x0, values_noforce_force}, {"ERR23"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR24"sv, 24, 24, 0x0, values_noforce_force}, {"ERR25"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR26"sv, 26, 26, 0x0, values_noforce_force}, {"ERR27"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR28"sv, 28, 28, 0x0, values_noforce_force}, {"ERR29"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR30"sv, 30, 30, 0x0, values_noforce_force}, {"ERR31"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice0_missionerr_status_fields[]{{"ERR0"sv, 0, 0, 0x0, {}},
    {"ERR1"sv, 1, 1, 0x0, {}}, {"ERR2"sv, 2, 2, 0x0, {}}, {"ERR3"sv, 3, 3, 0x0, {}},
    {"ERR4"sv, 4, 4, 0x0, {}}, {"ERR5"sv, 5, 5, 0x0, {}}, {"ERR6"sv, 6, 6, 0x0, {}},
    {"ERR7"sv, 7, 7, 0x0, {}}, {"ERR8"sv, 8, 8, 0x0, {}}, {"ERR9"sv, 9, 9, 0x0, {}},
    {"ERR10"sv, 10, 10, 0x0, {}}, {"ERR11"sv, 11, 11, 0x0, {}}, {"ERR12"sv, 12, 12, 0x0, {}},
    {"ERR13"sv, 13, 13, 0x0, {}}, {"ERR14"sv, 14, 14, 0x0, {}}, {"ERR15"sv, 15, 15, 0x0, {}},
    {"ERR16"sv, 16, 16, 0x0, {}}, {"ERR17"sv, 17, 17, 0x0, {}}, {"ERR18"sv, 18, 18, 0x0, {}},
    {"ERR19"sv, 19, 19, 0x0, {}}, {"ERR20"sv, 20, 20, 0x0, {}}, {"ERR21"sv, 21, 21, 0x0, {}},
    {"ERR22"sv, 22, 22, 0x0, {}}, {"ERR23"sv, 23, 23, 0x0, {}}, {"ERR24"sv, 24, 24, 0x0, {}},
    {"ERR25"sv, 25, 25, 0x0, {}}, {"ERR26"sv, 26, 26, 0x0, {}}, {"ERR27"sv, 27, 27, 0x0, {}},
    {"ERR28"sv, 28, 28, 0x0, {}}, {"ERR29"sv, 29, 29, 0x0, {}}, {"ERR30"sv, 30, 30, 0x0, {}},
    {"ERR31"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice0_missionerr_inject_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_disable_enable}, {"ERR1"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x0, values_disable_enable}, {"ERR3"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x0, values_disable_enable}, {"ERR5"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x0, values_disable_enable}, {"ERR7"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x0, values_disable_enable}, {"ERR15"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice0_counter_reload_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR1"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR2"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR3"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR4"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR5"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR6"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR7"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR8"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR9"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR10"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR11"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR12"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR13"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR14"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR15"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR16"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR17"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR18"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR19"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR20"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR21"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR22"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR23"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR24"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR25"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR26"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR27"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR28"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR29"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR30"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR31"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_enable_fields[]{
    {"ERR32"sv, 0, 0, 0x1, values_disable_enable}, {"ERR33"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x1, values_disable_enable}, {"ERR35"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x1, values_disable_enable}, {"ERR37"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x1, values_disable_enable}, {"ERR39"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x1, values_disable_enable}, {"ERR41"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice1_missionerr_force_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noforce_force}, {"ERR33"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR34"sv, 2, 2, 0x0, values_noforce_force}, {"ERR35"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR36"sv, 4, 4, 0x0, values_noforce_force}, {"ERR37"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR38"sv, 6, 6, 0x0, values_noforce_force}, {"ERR39"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR40"sv, 8, 8, 0x0, values_noforce_force}, {"ERR41"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR42"sv, 10, 10, 0x0, values_noforce_force}, {"ERR43"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR44"sv, 12, 12, 0x0, values_noforce_force}, {"ERR45"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR46"sv, 14, 14, 0x0, values_noforce_force}, {"ERR47"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR48"sv, 16, 16, 0x0, values_noforce_force}, {"ERR49"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR50"sv, 18, 18, 0x0, values_noforce_force}, {"ERR51"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR52"sv, 20, 20, 0x0, values_noforce_force}, {"ERR53"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR54"sv, 22, 22, 0x0, values_noforce_force}, {"ERR55"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR56"sv, 24, 24, 0x0, values_noforce_force}, {"ERR57"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR58"sv, 26, 26, 0x0, values_noforce_force}, {"ERR59"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR60"sv, 28, 28, 0x0, values_noforce_force}, {"ERR61"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR62"sv, 30, 30, 0x0, values_noforce_force}, {"ERR63"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice1_missionerr_status_fields[]{{"ERR32"sv, 0, 0, 0x0, {}},
    {"ERR33"sv, 1, 1, 0x0, {}}, {"ERR34"sv, 2, 2, 0x0, {}}, {"ERR35"sv, 3, 3, 0x0, {}},
    {"ERR36"sv, 4, 4, 0x0, {}}, {"ERR37"sv, 5, 5, 0x0, {}}, {"ERR38"sv, 6, 6, 0x0, {}},
    {"ERR39"sv, 7, 7, 0x0, {}}, {"ERR40"sv, 8, 8, 0x0, {}}, {"ERR41"sv, 9, 9, 0x0, {}},
    {"ERR42"sv, 10, 10, 0x0, {}}, {"ERR43"sv, 11, 11, 0x0, {}}, {"ERR44"sv, 12, 12, 0x0, {}},
    {"ERR45"sv, 13, 13, 0x0, {}}, {"ERR46"sv, 14, 14, 0x0, {}}, {"ERR47"sv, 15, 15, 0x0, {}},
    {"ERR48"sv, 16, 16, 0x0, {}}, {"ERR49"sv, 17, 17, 0x0, {}}, {"ERR50"sv, 18, 18, 0x0, {}},
    {"ERR51"sv, 19, 19, 0x0, {}}, {"ERR52"sv, 20, 20, 0x0, {}}, {"ERR53"sv, 21, 21, 0x0, {}},
    {"ERR54"sv, 22, 22, 0x0, {}}, {"ERR55"sv, 23, 23, 0x0, {}}, {"ERR56"sv, 24, 24, 0x0, {}},
    {"ERR57"sv, 25, 25, 0x0, {}}, {"ERR58"sv, 26, 26, 0x0, {}}, {"ERR59"sv, 27, 27, 0x0, {}},
    {"ERR60"sv, 28, 28, 0x0, {}}, {"ERR61"sv, 29, 29, 0x0, {}}, {"ERR62"sv, 30, 30, 0x0, {}},
    {"ERR63"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice1_missionerr_inject_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_disable_enable}, {"ERR33"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x0, values_disable_enable}, {"ERR35"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x0, values_disable_enable}, {"ERR37"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x0, values_disable_enable}, {"ERR39"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x0, values_disable_enable}, {"ERR41"sv, 9, 9, 0x0, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x0, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x0, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x0, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x0, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x0, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice1_counter_reload_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR33"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR34"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR35"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR36"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR37"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR38"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR39"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR40"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR41"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR42"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR43"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR44"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR45"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR46"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR47"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR48"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR49"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR50"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR51"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR52"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR53"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR54"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR55"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR56"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR57"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR58"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR59"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR60"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR61"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR62"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR63"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_ecc_correction_dis_fields[]{
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_enable_fields[]{
    {"ERR64"sv, 0, 0, 0x1, values_disable_enable}, {"ERR65"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR66"sv, 2, 2, 0x1, values_disable_enable}, {"ERR67"sv, 3, 3, 0x1, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_force_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noforce_force}, {"ERR65"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR66"sv, 2, 2, 0x0, values_noforce_force}, {"ERR67"sv, 3, 3, 0x0, values_noforce_force}};
inline constexpr field gec_errslice2_missionerr_status_fields[]{{"ERR64"sv, 0, 0, 0x0, {}},
    {"ERR65"sv, 1, 1, 0x0, {}}, {"ERR66"sv, 2, 2, 0x0, {}}, {"ERR67"sv, 3, 3, 0x0, {}}};
inline constexpr field gec_errslice2_missionerr_inject_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_disable_enable}, {"ERR65"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_counter_reload_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR65"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR66"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR67"sv, 3, 3, 0x0, values_noreload_reload}};
inline constexpr field bdma_cfg_src_addr_low_fields[]{{"V32"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_src_addr_high_fields[]{{"V8"sv, 31, 0, 0x0, {}}};
inline constexpr field bdma_cfg_line_fields[]{{"SIZE"sv, 12, 0, 0x0, {}}};
inline constexpr field bdma_cfg_cmd_fields[]{{"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc},
    {"DST_RAM_TYPE"sv, 1, 1, 0x0, values_cv_mc}};
inline constexpr field bdma_cfg_line_repeat_fields[]{{"NUMBER"sv, 23, 0, 0x0, {}}};
inline constexpr field bdma_cfg_src_line_fields[]{{"STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_op_fields[]{{"EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field bdma_cfg_launch0_fields[]{{"GRP0_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_launch1_fields[]{{"GRP1_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_status_fields[]{{"STALL_COUNT_EN"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_status_fields[]{{"FREE_SLOT"sv, 7, 0, 0x14, {}},
    {"IDLE"sv, 8, 8, 0x1, values_no_yes}, {"GRP0_BUSY"sv, 9, 9, 0x0, values_no_yes},
    {"GRP1_BUSY"sv, 10, 10, 0x0, values_no_yes}};
inline constexpr field bdma_status_grp0_read_stall_fields[]{{"COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_misc_cfg_fields[]{
    {"RUBIK_MODE"sv, 1, 0, 0x0, values_contract_split_merge},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16}};
inline constexpr field rbk_d_dain_addr_high_fields[]{{"DAIN_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_dain_addr_low_fields[]{{"DAIN_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_line_stride_fields[]{{"DAIN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_surf_stride_fields[]{{"DAIN_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_planar_stride_fields[]{{"DAIN_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_ram_type_fields[]{
    {"DATAOUT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field rbk_d_daout_addr_high_fields[]{{"DAOUT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_daout_addr_low_fields[]{{"DAOUT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_line_stride_fields[]{{"DAOUT_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_0_fields[]{{"CONTRACT_STRIDE_0"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_1_fields[]{{"CONTRACT_STRIDE_1"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_surf_stride_fields[]{{"DAOUT_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_planar_stride_fields[]{
    {"DAOUT_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_deconv_stride_fields[]{{"DECONV_X_STRIDE"sv, 4, 0, 0x0, {}},
    {"DECONV_Y_STRIDE"sv, 20, 16, 0x0, {}}};
inline constexpr field rbk_d_perf_enable_fields[]{{"PERF_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_read_stall_fields[]{{"RD_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_write_stall_fields[]{{"WR_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields_[]{{"DATAIN_ADDR_LOW_0"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields_[]{{"DATAIN_ADDR_LOW_1"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields_[]{{"UV_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields_[]{{"BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields_[]{{"ENTRIES"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields_[]{{"WEIGHT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields_[]{{"WEIGHT_BYTES"sv, 31, 7, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields_[]{{"WGS_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields_[]{{"WMB_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields_[]{{"WMB_BYTES"sv, 27, 7, 0x0, {}}};
inline constexpr field cdma_d_bank_fields_[]{{"DATA_BANK"sv, 3, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 19, 16, 0x0, {}}};
inline constexpr field cacc_d_dataout_addr_fields_[]{{"DATAOUT_ADDR"sv, 31, 5, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields_[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields_[]{{"SRC_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields_[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields_[]{
    {"BRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields_[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields_[]{{"BS_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields_[]{
    {"BS_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields_[]{{"BS_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields_[]{
    {"NRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields_[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields_[]{{"BN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields_[]{
    {"BN_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields_[]{{"BN_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields_[]{
    {"ERDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields_[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields_[]{{"EW_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields_[]{
    {"EW_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields_[]{{"EW_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields_[]{{"DST_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields_[]{{"DST_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields_[]{
    {"DST_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields_[]{{"BS_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_bn_cfg_fields_[]{{"BN_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_cfg_fields_[]{{"EW_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields_[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields_[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dst_batch_stride_fields_[]{{"DST_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};

}  // namespace nvdlac::hw::detail

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr reg registers_full[]{
    {"GLB"sv, "S_NVDLA_HW_VERSION"sv, 0x0, access::r, 0x0,
     glb_s_nvdla_hw_version_fields},
    {"GLB"sv, "S_INTR_MASK"sv, 0x4, access::rw, 0x3f03ff,
     glb_s_intr_mask_fields},
    {"GLB"sv, "S_INTR_SET"sv, 0x8, access::w, 0x3f03ff,
     glb_s_intr_set_fields},
    {"GLB"sv, "S_INTR_STATUS"sv, 0xc, access::rw, 0x3f03ff,
     glb_s_intr_status_fields},
    {"GEC"sv, "FEATURE"sv, 0x1000, access::r, 0x0,
     gec_feature_fields},
    {"GEC"sv, "SWRESET"sv, 0x1004, access::w, 0x1,
     gec_swreset_fields},
    {"GEC"sv, "MISSIONERR_TYPE"sv, 0x1008, access::r, 0x0,
     gec_missionerr_type_fields},
    {"GEC"sv, "CURRENT_COUNTER_VALUE"sv, 0x100c, access::r, 0x0,
     gec_current_counter_value_fields},
    {"GEC"sv, "MISSIONERR_INDEX"sv, 0x1014, access::rw, 0x7f,
     gec_missionerr_index_fields},
    {"GEC"sv, "CORRECTABLE_THRESHOLD"sv, 0x1018, access::rw, 0xff,
     gec_correctable_threshold_fields},
    {"GEC"sv, "MISSIONERR_INJECT_UNLOCK"sv, 0x101c, access::rw, 0xff,
     gec_missionerr_inject_unlock_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_ENABLE"sv, 0x1030, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_FORCE"sv, 0x1034, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_STATUS"sv, 0x1038, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_INJECT"sv, 0x103c, access::rw, 0xffff81ff,
     gec_errslice0_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_ENABLE"sv, 0x1040, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_FORCE"sv, 0x1044, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_STATUS"sv, 0x1048, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_COUNTER_RELOAD"sv, 0x1050, access::w, 0xffffffff,
     gec_errslice0_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ENABLE"sv, 0x1060, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_FORCE"sv, 0x1064, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_STATUS"sv, 0x1068, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_INJECT"sv, 0x106c, access::rw, 0xffffffff,
     gec_errslice1_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_ENABLE"sv, 0x1070, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_FORCE"sv, 0x1074, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_STATUS"sv, 0x1078, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_COUNTER_RELOAD"sv, 0x1080, access::w, 0xffffffff,
     gec_errslice1_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ECC_CORRECTION_DIS"sv, 0x1084, access::rw, 0x80000000,
     gec_errslice1_missionerr_ecc_correction_dis_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_ENABLE"sv, 0x1090, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_FORCE"sv, 0x1094, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_STATUS"sv, 0x1098, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_INJECT"sv, 0x109c, access::rw, 0x3,
     gec_errslice2_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_ENABLE"sv, 0x10a0, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_FORCE"sv, 0x10a4, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_STATUS"sv, 0x10a8, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_COUNTER_RELOAD"sv, 0x10b0, access::w, 0xf,
     gec_errslice2_counter_reload_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_0"sv, 0x2000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_1"sv, 0x2004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_2"sv, 0x2008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_0"sv, 0x200c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_1"sv, 0x2010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"MCIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x2014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"MCIF"sv, "STATUS"sv, 0x2018, access::r, 0x0,
     mcif_status_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_0"sv, 0x3000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_1"sv, 0x3004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_2"sv, 0x3008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_0"sv, 0x300c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_1"sv, 0x3010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"CVIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x3014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"CVIF"sv, "STATUS"sv, 0x3018, access::r, 0x0,
     mcif_status_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_LOW"sv, 0x4000, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_HIGH"sv, 0x4004, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_DST_ADDR_LOW"sv, 0x4008, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_DST_ADDR_HIGH"sv, 0x400c, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_LINE"sv, 0x4010, access::rw, 0x1fff,
     bdma_cfg_line_fields},
    {"BDMA"sv, "CFG_CMD"sv, 0x4014, access::rw, 0x3,
     bdma_cfg_cmd_fields},
    {"BDMA"sv, "CFG_LINE_REPEAT"sv, 0x4018, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_LINE"sv, 0x401c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_LINE"sv, 0x4020, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_SURF_REPEAT"sv, 0x4024, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_SURF"sv, 0x4028, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_SURF"sv, 0x402c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_OP"sv, 0x4030, access::rw, 0x1,
     bdma_cfg_op_fields},
    {"BDMA"sv, "CFG_LAUNCH0"sv, 0x4034, access::rw, 0x1,
     bdma_cfg_launch0_fields},
    {"BDMA"sv, "CFG_LAUNCH1"sv, 0x4038, access::rw, 0x1,
     bdma_cfg_launch1_fields},
    {"BDMA"sv, "CFG_STATUS"sv, 0x403c, access::rw, 0x1,
     bdma_cfg_status_fields},
    {"BDMA"sv, "STATUS"sv, 0x4040, access::r, 0x0,
     bdma_status_fields},
    {"BDMA"sv, "STATUS_GRP0_READ_STALL"sv, 0x4044, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP0_WRITE_STALL"sv, 0x4048, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_READ_STALL"sv, 0x404c, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_WRITE_STALL"sv, 0x4050, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"CDMA"sv, "S_STATUS"sv, 0x5000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDMA"sv, "S_POINTER"sv, 0x5004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDMA"sv, "S_ARBITER"sv, 0x5008, access::rw, 0xf000f,
     cdma_s_arbiter_fields},
    {"CDMA"sv, "S_CBUF_FLUSH_STATUS"sv, 0x500c, access::r, 0x0,
     cdma_s_cbuf_flush_status_fields},
    {"CDMA"sv, "D_OP_ENABLE"sv, 0x5010, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDMA"sv, "D_MISC_CFG"sv, 0x5014, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CDMA"sv, "D_DATAIN_FORMAT"sv, 0x5018, access::rw, 0x113f01,
     cdma_d_datain_format_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_0"sv, 0x501c, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_1"sv, 0x5020, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x5024, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CDMA"sv, "D_PIXEL_OFFSET"sv, 0x5028, access::rw, 0x7001f,
     cdma_d_pixel_offset_fields},
    {"CDMA"sv, "D_DAIN_RAM_TYPE"sv, 0x502c, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_0"sv, 0x5030, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_0"sv, 0x5034, access::rw, 0xffffffe0,
     cdma_d_dain_addr_low_0_fields_},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_1"sv, 0x5038, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_1_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_1"sv, 0x503c, access::rw, 0xffffffe0,
     cdma_d_dain_addr_low_1_fields_},
    {"CDMA"sv, "D_LINE_STRIDE"sv, 0x5040, access::rw, 0xffffffe0,
     cdma_d_line_stride_fields_},
    {"CDMA"sv, "D_LINE_UV_STRIDE"sv, 0x5044, access::rw, 0xffffffe0,
     cdma_d_line_uv_stride_fields_},
    {"CDMA"sv, "D_SURF_STRIDE"sv, 0x5048, access::rw, 0xffffffe0,
     cdma_d_surf_stride_fields_},
    {"CDMA"sv, "D_DAIN_MAP"sv, 0x504c, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CDMA"sv, "D_RESERVED_X_CFG"sv, 0x5050, access::rw, 0x3ff03ff,
     cdma_d_reserved_x_cfg_fields},
    {"CDMA"sv, "D_RESERVED_Y_CFG"sv, 0x5054, access::rw, 0x1f0007,
     cdma_d_reserved_y_cfg_fields},
    {"CDMA"sv, "D_BATCH_NUMBER"sv, 0x5058, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CDMA"sv, "D_BATCH_STRIDE"sv, 0x505c, access::rw, 0xffffffe0,
     cdma_d_batch_stride_fields_},
    {"CDMA"sv, "D_ENTRY_PER_SLICE"sv, 0x5060, access::rw, 0xfff,
     cdma_d_entry_per_slice_fields_},
    {"CDMA"sv, "D_FETCH_GRAIN"sv, 0x5064, access::rw, 0xfff,
     cdma_d_fetch_grain_fields},
    {"CDMA"sv, "D_WEIGHT_FORMAT"sv, 0x5068, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_0"sv, 0x506c, access::rw, 0x3ffff,
     cdma_d_weight_size_0_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_1"sv, 0x5070, access::rw, 0x1fff,
     cdma_d_weight_size_1_fields},
    {"CDMA"sv, "D_WEIGHT_RAM_TYPE"sv, 0x5074, access::rw, 0x1,
     cdma_d_weight_ram_type_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_HIGH"sv, 0x5078, access::rw, 0xffffffff,
     cdma_d_weight_addr_high_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_LOW"sv, 0x507c, access::rw, 0xffffffe0,
     cdma_d_weight_addr_low_fields_},
    {"CDMA"sv, "D_WEIGHT_BYTES"sv, 0x5080, access::rw, 0xffffff80,
     cdma_d_weight_bytes_fields_},
    {"CDMA"sv, "D_WGS_ADDR_HIGH"sv, 0x5084, access::rw, 0xffffffff,
     cdma_d_wgs_addr_high_fields},
    {"CDMA"sv, "D_WGS_ADDR_LOW"sv, 0x5088, access::rw, 0xffffffe0,
     cdma_d_wgs_addr_low_fields_},
    {"CDMA"sv, "D_WMB_ADDR_HIGH"sv, 0x508c, access::rw, 0xffffffff,
     cdma_d_wmb_addr_high_fields},
    {"CDMA"sv, "D_WMB_ADDR_LOW"sv, 0x5090, access::rw, 0xffffffe0,
     cdma_d_wmb_addr_low_fields_},
    {"CDMA"sv, "D_WMB_BYTES"sv, 0x5094, access::rw, 0xfffff80,
     cdma_d_wmb_bytes_fields_},
    {"CDMA"sv, "D_MEAN_FORMAT"sv, 0x5098, access::rw, 0x1,
     cdma_d_mean_format_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_0"sv, 0x509c, access::rw, 0xffffffff,
     cdma_d_mean_global_0_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_1"sv, 0x50a0, access::rw, 0xffffffff,
     cdma_d_mean_global_1_fields},
    {"CDMA"sv, "D_CVT_CFG"sv, 0x50a4, access::rw, 0x3f1,
     cdma_d_cvt_cfg_fields},
    {"CDMA"sv, "D_CVT_OFFSET"sv, 0x50a8, access::rw, 0xffff,
     cdma_d_cvt_offset_fields},
    {"CDMA"sv, "D_CVT_SCALE"sv, 0x50ac, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"CDMA"sv, "D_CONV_STRIDE"sv, 0x50b0, access::rw, 0x70007,
     cdma_d_conv_stride_fields},
    {"CDMA"sv, "D_ZERO_PADDING"sv, 0x50b4, access::rw, 0x3f1f3f1f,
     cdma_d_zero_padding_fields},
    {"CDMA"sv, "D_ZERO_PADDING_VALUE"sv, 0x50b8, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CDMA"sv, "D_BANK"sv, 0x50bc, access::rw, 0xf000f,
     cdma_d_bank_fields_},
    {"CDMA"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0x50c0, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDMA"sv, "D_NAN_INPUT_DATA_NUM"sv, 0x50c4, access::r, 0x0,
     cdma_d_nan_input_data_num_fields},
    {"CDMA"sv, "D_NAN_INPUT_WEIGHT_NUM"sv, 0x50c8, access::r, 0x0,
     cdma_d_nan_input_weight_num_fields},
    {"CDMA"sv, "D_INF_INPUT_DATA_NUM"sv, 0x50cc, access::r, 0x0,
     cdma_d_inf_input_data_num_fields},
    {"CDMA"sv, "D_INF_INPUT_WEIGHT_NUM"sv, 0x50d0, access::r, 0x0,
     cdma_d_inf_input_weight_num_fields},
    {"CDMA"sv, "D_PERF_ENABLE"sv, 0x50d4, access::rw, 0x1,
     cdma_d_perf_enable_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_STALL"sv, 0x50d8, access::r, 0x0,
     cdma_d_perf_dat_read_stall_fields},
    {"CDMA"sv, "D_PERF_WT_READ_STALL"sv, 0x50dc, access::r, 0x0,
     cdma_d_perf_wt_read_stall_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_LATENCY"sv, 0x50e0, access::r, 0x0,
     cdma_d_perf_dat_read_latency_fields},
    {"CDMA"sv, "D_PERF_WT_READ_LATENCY"sv, 0x50e4, access::r, 0x0,
     cdma_d_perf_wt_read_latency_fields},
    {"CDMA"sv, "D_CYA"sv, 0x50e8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CSC"sv, "S_STATUS"sv, 0x6000, access::r, 0x0,
     cdma_s_status_fields},
    {"CSC"sv, "S_POINTER"sv, 0x6004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CSC"sv, "D_OP_ENABLE"sv, 0x6008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CSC"sv, "D_MISC_CFG"sv, 0x600c, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CSC"sv, "D_DATAIN_FORMAT"sv, 0x6010, access::rw, 0x1,
     csc_d_datain_format_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x6014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_1"sv, 0x6018, access::rw, 0x1fff,
     csc_d_datain_size_ext_1_fields},
    {"CSC"sv, "D_BATCH_NUMBER"sv, 0x601c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CSC"sv, "D_POST_Y_EXTENSION"sv, 0x6020, access::rw, 0x3,
     csc_d_post_y_extension_fields},
    {"CSC"sv, "D_ENTRY_PER_SLICE"sv, 0x6024, access::rw, 0xfff,
     cdma_d_entry_per_slice_fields_},
    {"CSC"sv, "D_WEIGHT_FORMAT"sv, 0x6028, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_0"sv, 0x602c, access::rw, 0x1f001f,
     csc_d_weight_size_ext_0_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_1"sv, 0x6030, access::rw, 0x1fff1fff,
     csc_d_weight_size_ext_1_fields},
    {"CSC"sv, "D_WEIGHT_BYTES"sv, 0x6034, access::rw, 0xffffff80,
     cdma_d_weight_bytes_fields_},
    {"CSC"sv, "D_WMB_BYTES"sv, 0x6038, access::rw, 0xfffff80,
     cdma_d_wmb_bytes_fields_},
    {"CSC"sv, "D_DATAOUT_SIZE_0"sv, 0x603c, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_1"sv, 0x6040, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CSC"sv, "D_ATOMICS"sv, 0x6044, access::rw, 0x1fffff,
     csc_d_atomics_fields},
    {"CSC"sv, "D_RELEASE"sv, 0x6048, access::rw, 0xfff,
     csc_d_release_fields},
    {"CSC"sv, "D_CONV_STRIDE_EXT"sv, 0x604c, access::rw, 0x70007,
     csc_d_conv_stride_ext_fields},
    {"CSC"sv, "D_DILATION_EXT"sv, 0x6050, access::rw, 0x1f001f,
     csc_d_dilation_ext_fields},
    {"CSC"sv, "D_ZERO_PADDING"sv, 0x6054, access::rw, 0x1f001f,
     csc_d_zero_padding_fields},
    {"CSC"sv, "D_ZERO_PADDING_VALUE"sv, 0x6058, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CSC"sv, "D_BANK"sv, 0x605c, access::rw, 0xf000f,
     cdma_d_bank_fields_},
    {"CSC"sv, "D_PRA_CFG"sv, 0x6060, access::rw, 0x3,
     csc_d_pra_cfg_fields},
    {"CSC"sv, "D_CYA"sv, 0x6064, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CMAC_A"sv, "S_STATUS"sv, 0x7000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_A"sv, "S_POINTER"sv, 0x7004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_A"sv, "D_OP_ENABLE"sv, 0x7008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_A"sv, "D_MISC_CFG"sv, 0x700c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CMAC_B"sv, "S_STATUS"sv, 0x8000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_B"sv, "S_POINTER"sv, 0x8004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_B"sv, "D_OP_ENABLE"sv, 0x8008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_B"sv, "D_MISC_CFG"sv, 0x800c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "S_STATUS"sv, 0x9000, access::r, 0x0,
     cdma_s_status_fields},
    {"CACC"sv, "S_POINTER"sv, 0x9004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CACC"sv, "D_OP_ENABLE"sv, 0x9008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CACC"sv, "D_MISC_CFG"sv, 0x900c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_0"sv, 0x9010, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_1"sv, 0x9014, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CACC"sv, "D_DATAOUT_ADDR"sv, 0x9018, access::rw, 0xffffffe0,
     cacc_d_dataout_addr_fields_},
    {"CACC"sv, "D_BATCH_NUMBER"sv, 0x901c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CACC"sv, "D_LINE_STRIDE"sv, 0x9020, access::rw, 0xffffe0,
     cacc_d_line_stride_fields_},
    {"CACC"sv, "D_SURF_STRIDE"sv, 0x9024, access::rw, 0xffffe0,
     cacc_d_surf_stride_fields_},
    {"CACC"sv, "D_DATAOUT_MAP"sv, 0x9028, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CACC"sv, "D_CLIP_CFG"sv, 0x902c, access::rw, 0x1f,
     cacc_d_clip_cfg_fields},
    {"CACC"sv, "D_OUT_SATURATION"sv, 0x9030, access::r, 0x0,
     cacc_d_out_saturation_fields},
    {"CACC"sv, "D_CYA"sv, 0x9034, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"SDP_RDMA"sv, "S_STATUS"sv, 0xa000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP_RDMA"sv, "S_POINTER"sv, 0xa004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP_RDMA"sv, "D_OP_ENABLE"sv, 0xa008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xa00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xa010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xa014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xa018, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xa01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xa020, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"SDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xa024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BRDMA_CFG"sv, 0xa028, access::rw, 0x3f,
     sdp_rdma_d_brdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_LOW"sv, 0xa02c, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_HIGH"sv, 0xa030, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BS_LINE_STRIDE"sv, 0xa034, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_line_stride_fields_},
    {"SDP_RDMA"sv, "D_BS_SURFACE_STRIDE"sv, 0xa038, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BS_BATCH_STRIDE"sv, 0xa03c, access::rw, 0xffffffe0,
     sdp_rdma_d_bs_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_NRDMA_CFG"sv, 0xa040, access::rw, 0x3f,
     sdp_rdma_d_nrdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_LOW"sv, 0xa044, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_HIGH"sv, 0xa048, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BN_LINE_STRIDE"sv, 0xa04c, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_line_stride_fields_},
    {"SDP_RDMA"sv, "D_BN_SURFACE_STRIDE"sv, 0xa050, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_BN_BATCH_STRIDE"sv, 0xa054, access::rw, 0xffffffe0,
     sdp_rdma_d_bn_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_ERDMA_CFG"sv, 0xa058, access::rw, 0x3f,
     sdp_rdma_d_erdma_cfg_fields_},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_LOW"sv, 0xa05c, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_base_addr_low_fields_},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_HIGH"sv, 0xa060, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_EW_LINE_STRIDE"sv, 0xa064, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_line_stride_fields_},
    {"SDP_RDMA"sv, "D_EW_SURFACE_STRIDE"sv, 0xa068, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_surface_stride_fields_},
    {"SDP_RDMA"sv, "D_EW_BATCH_STRIDE"sv, 0xa06c, access::rw, 0xffffffe0,
     sdp_rdma_d_ew_batch_stride_fields_},
    {"SDP_RDMA"sv, "D_FEATURE_MODE_CFG"sv, 0xa070, access::rw, 0x1fff,
     sdp_rdma_d_feature_mode_cfg_fields},
    {"SDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xa074, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"SDP_RDMA"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0xa078, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP_RDMA"sv, "D_STATUS_INF_INPUT_NUM"sv, 0xa07c, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xa080, access::rw, 0x3,
     sdp_rdma_d_perf_enable_fields},
    {"SDP_RDMA"sv, "D_PERF_MRDMA_READ_STALL"sv, 0xa084, access::r, 0x0,
     sdp_rdma_d_perf_mrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_BRDMA_READ_STALL"sv, 0xa088, access::r, 0x0,
     sdp_rdma_d_perf_brdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_NRDMA_READ_STALL"sv, 0xa08c, access::r, 0x0,
     sdp_rdma_d_perf_nrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_ERDMA_READ_STALL"sv, 0xa090, access::r, 0x0,
     sdp_rdma_d_perf_erdma_read_stall_fields},
    {"SDP"sv, "S_STATUS"sv, 0xb000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP"sv, "S_POINTER"sv, 0xb004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP"sv, "S_LUT_ACCESS_CFG"sv, 0xb008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"SDP"sv, "S_LUT_ACCESS_DATA"sv, 0xb00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"SDP"sv, "S_LUT_CFG"sv, 0xb010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"SDP"sv, "S_LUT_INFO"sv, 0xb014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"SDP"sv, "S_LUT_LE_START"sv, 0xb018, access::rw, 0xffffffff,
     sdp_s_lut_le_start_fields},
    {"SDP"sv, "S_LUT_LE_END"sv, 0xb01c, access::rw, 0xffffffff,
     sdp_s_lut_le_end_fields},
    {"SDP"sv, "S_LUT_LO_START"sv, 0xb020, access::rw, 0xffffffff,
     sdp_s_lut_lo_start_fields},
    {"SDP"sv, "S_LUT_LO_END"sv, 0xb024, access::rw, 0xffffffff,
     sdp_s_lut_lo_end_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xb028, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xb02c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xb030, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xb034, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"SDP"sv, "D_OP_ENABLE"sv, 0xb038, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP"sv, "D_DATA_CUBE_WIDTH"sv, 0xb03c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP"sv, "D_DATA_CUBE_HEIGHT"sv, 0xb040, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP"sv, "D_DATA_CUBE_CHANNEL"sv, 0xb044, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xb048, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"SDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xb04c, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"SDP"sv, "D_DST_LINE_STRIDE"sv, 0xb050, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"SDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xb054, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"SDP"sv, "D_DP_BS_CFG"sv, 0xb058, access::rw, 0x7f,
     sdp_d_dp_bs_cfg_fields_},
    {"SDP"sv, "D_DP_BS_ALU_CFG"sv, 0xb05c, access::rw, 0x3f01,
     sdp_d_dp_bs_alu_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_SRC_VALUE"sv, 0xb060, access::rw, 0xffff,
     sdp_d_dp_bs_alu_src_value_fields},
    {"SDP"sv, "D_DP_BS_MUL_CFG"sv, 0xb064, access::rw, 0xff01,
     sdp_d_dp_bs_mul_cfg_fields},
    {"SDP"sv, "D_DP_BS_MUL_SRC_VALUE"sv, 0xb068, access::rw, 0xffff,
     sdp_d_dp_bs_mul_src_value_fields},
    {"SDP"sv, "D_DP_BN_CFG"sv, 0xb06c, access::rw, 0x7f,
     sdp_d_dp_bn_cfg_fields_},
    {"SDP"sv, "D_DP_BN_ALU_CFG"sv, 0xb070, access::rw, 0x3f01,
     sdp_d_dp_bn_alu_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_SRC_VALUE"sv, 0xb074, access::rw, 0xffff,
     sdp_d_dp_bn_alu_src_value_fields},
    {"SDP"sv, "D_DP_BN_MUL_CFG"sv, 0xb078, access::rw, 0xff01,
     sdp_d_dp_bn_mul_cfg_fields},
    {"SDP"sv, "D_DP_BN_MUL_SRC_VALUE"sv, 0xb07c, access::rw, 0xffff,
     sdp_d_dp_bn_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_CFG"sv, 0xb080, access::rw, 0x7f,
     sdp_d_dp_ew_cfg_fields_},
    {"SDP"sv, "D_DP_EW_ALU_CFG"sv, 0xb084, access::rw, 0x3,
     sdp_d_dp_ew_alu_cfg_fields_},
    {"SDP"sv, "D_DP_EW_ALU_SRC_VALUE"sv, 0xb088, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_src_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_OFFSET_VALUE"sv, 0xb08c, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_SCALE_VALUE"sv, 0xb090, access::rw, 0xffff,
     sdp_d_dp_ew_alu_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_TRUNCATE_VALUE"sv, 0xb094, access::rw, 0x3f,
     sdp_d_dp_ew_alu_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CFG"sv, 0xb098, access::rw, 0x3,
     sdp_d_dp_ew_mul_cfg_fields_},
    {"SDP"sv, "D_DP_EW_MUL_SRC_VALUE"sv, 0xb09c, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_OFFSET_VALUE"sv, 0xb0a0, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_SCALE_VALUE"sv, 0xb0a4, access::rw, 0xffff,
     sdp_d_dp_ew_mul_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_TRUNCATE_VALUE"sv, 0xb0a8, access::rw, 0x3f,
     sdp_d_dp_ew_mul_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_TRUNCATE_VALUE"sv, 0xb0ac, access::rw, 0x3ff,
     sdp_d_dp_ew_truncate_value_fields},
    {"SDP"sv, "D_FEATURE_MODE_CFG"sv, 0xb0b0, access::rw, 0x1f0f,
     sdp_d_feature_mode_cfg_fields},
    {"SDP"sv, "D_DST_DMA_CFG"sv, 0xb0b4, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"SDP"sv, "D_DST_BATCH_STRIDE"sv, 0xb0b8, access::rw, 0xffffffe0,
     sdp_d_dst_batch_stride_fields_},
    {"SDP"sv, "D_DATA_FORMAT"sv, 0xb0bc, access::rw, 0xf,
     sdp_d_data_format_fields},
    {"SDP"sv, "D_CVT_OFFSET"sv, 0xb0c0, access::rw, 0xffffffff,
     sdp_d_cvt_offset_fields},
    {"SDP"sv, "D_CVT_SCALE"sv, 0xb0c4, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"SDP"sv, "D_CVT_SHIFT"sv, 0xb0c8, access::rw, 0x3f,
     sdp_d_cvt_shift_fields},
    {"SDP"sv, "D_STATUS"sv, 0xb0cc, access::r, 0x0,
     sdp_d_status_fields},
    {"SDP"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0xb0d0, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP"sv, "D_STATUS_INF_INPUT_NUM"sv, 0xb0d4, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP"sv, "D_STATUS_NAN_OUTPUT_NUM"sv, 0xb0d8, access::r, 0x0,
     sdp_d_status_nan_output_num_fields},
    {"SDP"sv, "D_PERF_ENABLE"sv, 0xb0dc, access::rw, 0xf,
     sdp_d_perf_enable_fields},
    {"SDP"sv, "D_PERF_WDMA_WRITE_STALL"sv, 0xb0e0, access::r, 0x0,
     sdp_d_perf_wdma_write_stall_fields},
    {"SDP"sv, "D_PERF_LUT_UFLOW"sv, 0xb0e4, access::r, 0x0,
     sdp_d_perf_lut_uflow_fields},
    {"SDP"sv, "D_PERF_LUT_OFLOW"sv, 0xb0e8, access::r, 0x0,
     sdp_d_perf_lut_oflow_fields},
    {"SDP"sv, "D_PERF_OUT_SATURATION"sv, 0xb0ec, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"SDP"sv, "D_PERF_LUT_HYBRID"sv, 0xb0f0, access::r, 0x0,
     sdp_d_perf_lut_hybrid_fields},
    {"SDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xb0f4, access::r, 0x0,
     sdp_d_perf_lut_le_hit_fields},
    {"SDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xb0f8, access::r, 0x0,
     sdp_d_perf_lut_lo_hit_fields},
    {"PDP_RDMA"sv, "S_STATUS"sv, 0xc000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP_RDMA"sv, "S_POINTER"sv, 0xc004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP_RDMA"sv, "D_OP_ENABLE"sv, 0xc008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xc00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xc010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xc014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP_RDMA"sv, "D_FLYING_MODE"sv, 0xc018, access::rw, 0x1,
     pdp_rdma_d_flying_mode_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xc01c, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xc020, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xc024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"PDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xc028, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"PDP_RDMA"sv, "D_SRC_RAM_CFG"sv, 0xc02c, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"PDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xc030, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP_RDMA"sv, "D_OPERATION_MODE_CFG"sv, 0xc034, access::rw, 0xff,
     pdp_rdma_d_operation_mode_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_KERNEL_CFG"sv, 0xc038, access::rw, 0xff,
     pdp_rdma_d_pooling_kernel_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_PADDING_CFG"sv, 0xc03c, access::rw, 0xf,
     pdp_rdma_d_pooling_padding_cfg_fields},
    {"PDP_RDMA"sv, "D_PARTIAL_WIDTH_IN"sv, 0xc040, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xc044, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xc048, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"PDP_RDMA"sv, "D_CYA"sv, 0xc04c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"PDP"sv, "S_STATUS"sv, 0xd000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP"sv, "S_POINTER"sv, 0xd004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP"sv, "D_OP_ENABLE"sv, 0xd008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xd00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xd010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xd014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_WIDTH"sv, 0xd018, access::rw, 0x1fff,
     pdp_d_data_cube_out_width_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_HEIGHT"sv, 0xd01c, access::rw, 0x1fff,
     pdp_d_data_cube_out_height_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_CHANNEL"sv, 0xd020, access::rw, 0x1fff,
     pdp_d_data_cube_out_channel_fields},
    {"PDP"sv, "D_OPERATION_MODE_CFG"sv, 0xd024, access::rw, 0xff13,
     pdp_d_operation_mode_cfg_fields},
    {"PDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xd028, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_IN"sv, 0xd02c, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_OUT"sv, 0xd030, access::rw, 0x3fffffff,
     pdp_d_partial_width_out_fields},
    {"PDP"sv, "D_POOLING_KERNEL_CFG"sv, 0xd034, access::rw, 0xff0f0f,
     pdp_d_pooling_kernel_cfg_fields},
    {"PDP"sv, "D_RECIP_KERNEL_WIDTH"sv, 0xd038, access::rw, 0x1ffff,
     pdp_d_recip_kernel_width_fields},
    {"PDP"sv, "D_RECIP_KERNEL_HEIGHT"sv, 0xd03c, access::rw, 0x1ffff,
     pdp_d_recip_kernel_height_fields},
    {"PDP"sv, "D_POOLING_PADDING_CFG"sv, 0xd040, access::rw, 0x7777,
     pdp_d_pooling_padding_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_1_CFG"sv, 0xd044, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_1_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_2_CFG"sv, 0xd048, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_2_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_3_CFG"sv, 0xd04c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_3_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_4_CFG"sv, 0xd050, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_4_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_5_CFG"sv, 0xd054, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_5_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_6_CFG"sv, 0xd058, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_6_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_7_CFG"sv, 0xd05c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_7_cfg_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xd060, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"PDP"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xd064, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP"sv, "D_SRC_LINE_STRIDE"sv, 0xd068, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"PDP"sv, "D_SRC_SURFACE_STRIDE"sv, 0xd06c, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"PDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xd070, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"PDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xd074, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"PDP"sv, "D_DST_LINE_STRIDE"sv, 0xd078, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"PDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xd07c, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"PDP"sv, "D_DST_RAM_CFG"sv, 0xd080, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"PDP"sv, "D_DATA_FORMAT"sv, 0xd084, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP"sv, "D_INF_INPUT_NUM"sv, 0xd088, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"PDP"sv, "D_NAN_INPUT_NUM"sv, 0xd08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"PDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xd090, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"PDP"sv, "D_PERF_ENABLE"sv, 0xd094, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP"sv, "D_PERF_WRITE_STALL"sv, 0xd098, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"PDP"sv, "D_CYA"sv, 0xd09c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP_RDMA"sv, "S_STATUS"sv, 0xe000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP_RDMA"sv, "S_POINTER"sv, 0xe004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP_RDMA"sv, "D_OP_ENABLE"sv, 0xe008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xe00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xe010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xe014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xe018, access::rw, 0xffffffe0,
     sdp_rdma_d_src_base_addr_low_fields_},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xe01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"CDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xe020, access::rw, 0xffffffe0,
     sdp_rdma_d_src_line_stride_fields_},
    {"CDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xe024, access::rw, 0xffffffe0,
     sdp_rdma_d_src_surface_stride_fields_},
    {"CDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xe028, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"CDP_RDMA"sv, "D_SRC_COMPRESSION_EN"sv, 0xe02c, access::r, 0x0,
     cdp_rdma_d_src_compression_en_fields},
    {"CDP_RDMA"sv, "D_OPERATION_MODE"sv, 0xe030, access::r, 0x0,
     cdp_rdma_d_operation_mode_fields},
    {"CDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xe034, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"CDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xe038, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"CDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xe03c, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"CDP_RDMA"sv, "D_CYA"sv, 0xe040, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP"sv, "S_STATUS"sv, 0xf000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP"sv, "S_POINTER"sv, 0xf004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP"sv, "S_LUT_ACCESS_CFG"sv, 0xf008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"CDP"sv, "S_LUT_ACCESS_DATA"sv, 0xf00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"CDP"sv, "S_LUT_CFG"sv, 0xf010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"CDP"sv, "S_LUT_INFO"sv, 0xf014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"CDP"sv, "S_LUT_LE_START_LOW"sv, 0xf018, access::rw, 0xffffffff,
     cdp_s_lut_le_start_low_fields},
    {"CDP"sv, "S_LUT_LE_START_HIGH"sv, 0xf01c, access::rw, 0x3f,
     cdp_s_lut_le_start_high_fields},
    {"CDP"sv, "S_LUT_LE_END_LOW"sv, 0xf020, access::rw, 0xffffffff,
     cdp_s_lut_le_end_low_fields},
    {"CDP"sv, "S_LUT_LE_END_HIGH"sv, 0xf024, access::rw, 0x3f,
     cdp_s_lut_le_end_high_fields},
    {"CDP"sv, "S_LUT_LO_START_LOW"sv, 0xf028, access::rw, 0xffffffff,
     cdp_s_lut_lo_start_low_fields},
    {"CDP"sv, "S_LUT_LO_START_HIGH"sv, 0xf02c, access::rw, 0x3f,
     cdp_s_lut_lo_start_high_fields},
    {"CDP"sv, "S_LUT_LO_END_LOW"sv, 0xf030, access::rw, 0xffffffff,
     cdp_s_lut_lo_end_low_fields},
    {"CDP"sv, "S_LUT_LO_END_HIGH"sv, 0xf034, access::rw, 0x3f,
     cdp_s_lut_lo_end_high_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xf038, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xf03c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xf040, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xf044, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"CDP"sv, "D_OP_ENABLE"sv, 0xf048, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP"sv, "D_FUNC_BYPASS"sv, 0xf04c, access::rw, 0x3,
     cdp_d_func_bypass_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xf050, access::rw, 0xffffffe0,
     sdp_d_dst_base_addr_low_fields_},
    {"CDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xf054, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"CDP"sv, "D_DST_LINE_STRIDE"sv, 0xf058, access::rw, 0xffffffe0,
     sdp_d_dst_line_stride_fields_},
    {"CDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xf05c, access::rw, 0xffffffe0,
     sdp_d_dst_surface_stride_fields_},
    {"CDP"sv, "D_DST_DMA_CFG"sv, 0xf060, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"CDP"sv, "D_DST_COMPRESSION_EN"sv, 0xf064, access::r, 0x0,
     cdp_d_dst_compression_en_fields},
    {"CDP"sv, "D_DATA_FORMAT"sv, 0xf068, access::rw, 0x3,
     cdp_d_data_format_fields},
    {"CDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xf06c, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDP"sv, "D_LRN_CFG"sv, 0xf070, access::rw, 0x3,
     cdp_d_lrn_cfg_fields},
    {"CDP"sv, "D_DATIN_OFFSET"sv, 0xf074, access::rw, 0xffff,
     cdp_d_datin_offset_fields},
    {"CDP"sv, "D_DATIN_SCALE"sv, 0xf078, access::rw, 0xffff,
     cdp_d_datin_scale_fields},
    {"CDP"sv, "D_DATIN_SHIFTER"sv, 0xf07c, access::rw, 0x1f,
     cdp_d_datin_shifter_fields},
    {"CDP"sv, "D_DATOUT_OFFSET"sv, 0xf080, access::rw, 0xffffffff,
     cdp_d_datout_offset_fields},
    {"CDP"sv, "D_DATOUT_SCALE"sv, 0xf084, access::rw, 0xffff,
     cdp_d_datout_scale_fields},
    {"CDP"sv, "D_DATOUT_SHIFTER"sv, 0xf088, access::rw, 0x3f,
     cdp_d_datout_shifter_fields},
    {"CDP"sv, "D_NAN_INPUT_NUM"sv, 0xf08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"CDP"sv, "D_INF_INPUT_NUM"sv, 0xf090, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"CDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xf094, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"CDP"sv, "D_OUT_SATURATION"sv, 0xf098, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"CDP"sv, "D_PERF_ENABLE"sv, 0xf09c, access::rw, 0x3,
     cdp_d_perf_enable_fields},
    {"CDP"sv, "D_PERF_WRITE_STALL"sv, 0xf0a0, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"CDP"sv, "D_PERF_LUT_UFLOW"sv, 0xf0a4, access::r, 0x0,
     cdp_d_perf_lut_uflow_fields},
    {"CDP"sv, "D_PERF_LUT_OFLOW"sv, 0xf0a8, access::r, 0x0,
     cdp_d_perf_lut_oflow_fields},
    {"CDP"sv, "D_PERF_LUT_HYBRID"sv, 0xf0ac, access::r, 0x0,
     cdp_d_perf_lut_hybrid_fields},
    {"CDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xf0b0, access::r, 0x0,
     cdp_d_perf_lut_le_hit_fields},
    {"CDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xf0b4, access::r, 0x0,
     cdp_d_perf_lut_lo_hit_fields},
    {"CDP"sv, "D_CYA"sv, 0xf0b8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"RBK"sv, "S_STATUS"sv, 0x10000, access::r, 0x0,
     cdma_s_status_fields},
    {"RBK"sv, "S_POINTER"sv, 0x10004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"RBK"sv, "D_OP_ENABLE"sv, 0x10008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"RBK"sv, "D_MISC_CFG"sv, 0x1000c, access::rw, 0x303,
     rbk_d_misc_cfg_fields},
    {"RBK"sv, "D_DAIN_RAM_TYPE"sv, 0x10010, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"RBK"sv, "D_DATAIN_SIZE_0"sv, 0x10014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"RBK"sv, "D_DATAIN_SIZE_1"sv, 0x10018, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"RBK"sv, "D_DAIN_ADDR_HIGH"sv, 0x1001c, access::rw, 0xffffffff,
     rbk_d_dain_addr_high_fields},
    {"RBK"sv, "D_DAIN_ADDR_LOW"sv, 0x10020, access::rw, 0xffffffe0,
     rbk_d_dain_addr_low_fields},
    {"RBK"sv, "D_DAIN_LINE_STRIDE"sv, 0x10024, access::rw, 0xffffffe0,
     rbk_d_dain_line_stride_fields},
    {"RBK"sv, "D_DAIN_SURF_STRIDE"sv, 0x10028, access::rw, 0xffffffe0,
     rbk_d_dain_surf_stride_fields},
    {"RBK"sv, "D_DAIN_PLANAR_STRIDE"sv, 0x1002c, access::rw, 0xffffffe0,
     rbk_d_dain_planar_stride_fields},
    {"RBK"sv, "D_DAOUT_RAM_TYPE"sv, 0x10030, access::rw, 0x1,
     rbk_d_daout_ram_type_fields},
    {"RBK"sv, "D_DATAOUT_SIZE_1"sv, 0x10034, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"RBK"sv, "D_DAOUT_ADDR_HIGH"sv, 0x10038, access::rw, 0xffffffff,
     rbk_d_daout_addr_high_fields},
    {"RBK"sv, "D_DAOUT_ADDR_LOW"sv, 0x1003c, access::rw, 0xffffffe0,
     rbk_d_daout_addr_low_fields},
    {"RBK"sv, "D_DAOUT_LINE_STRIDE"sv, 0x10040, access::rw, 0xffffffe0,
     rbk_d_daout_line_stride_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_0"sv, 0x10044, access::rw, 0xffffffe0,
     rbk_d_contract_stride_0_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_1"sv, 0x10048, access::rw, 0xffffffe0,
     rbk_d_contract_stride_1_fields},
    {"RBK"sv, "D_DAOUT_SURF_STRIDE"sv, 0x1004c, access::rw, 0xffffffe0,
     rbk_d_daout_surf_stride_fields},
    {"RBK"sv, "D_DAOUT_PLANAR_STRIDE"sv, 0x10050, access::rw, 0xffffffe0,
     rbk_d_daout_planar_stride_fields},
    {"RBK"sv, "D_DECONV_STRIDE"sv, 0x10054, access::rw, 0x1f001f,
     rbk_d_deconv_stride_fields},
    {"RBK"sv, "D_PERF_ENABLE"sv, 0x10058, access::rw, 0x1,
     rbk_d_perf_enable_fields},
    {"RBK"sv, "D_PERF_READ_STALL"sv, 0x1005c, access::r, 0x0,
     rbk_d_perf_read_stall_fields},
    {"RBK"sv, "D_PERF_WRITE_STALL"sv, 0x10060, access::r, 0x0,
     rbk_d_perf_write_stall_fields},
};

inline constexpr unit units_full[]{{"GLB"sv, 0, 4}, {"GEC"sv, 4, 32}, {"MCIF"sv, 36, 7},
    {"CVIF"sv, 43, 7}, {"BDMA"sv, 50, 21}, {"CDMA"sv, 71, 59}, {"CSC"sv, 130, 26},
    {"CMAC_A"sv, 156, 4}, {"CMAC_B"sv, 160, 4}, {"CACC"sv, 164, 14}, {"SDP_RDMA"sv, 178, 37},
    {"SDP"sv, 215, 63}, {"PDP_RDMA"sv, 278, 20}, {"PDP"sv, 298, 40}, {"CDP_RDMA"sv, 338, 17},
    {"CDP"sv, 355, 47}, {"RBK"sv, 402, 25}};

}  // namespace nvdlac::hw::detail
// The registers of the small map in the order of their addresses.
// Written by tools/generate_registers.py.

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr reg registers_small[]{
    {"GLB"sv, "S_NVDLA_HW_VERSION"sv, 0x1000, access::r, 0x0,
     glb_s_nvdla_hw_version_fields},
    {"GLB"sv, "S_INTR_MASK"sv, 0x1004, access::rw, 0x3f03ff,
     glb_s_intr_mask_fields},
    {"GLB"sv, "S_INTR_SET"sv, 0x1008, access::w, 0x3f03ff,
     glb_s_intr_set_fields},
    {"GLB"sv, "S_INTR_STATUS"sv, 0x100c, access::rw, 0x3f03ff,
     glb_s_intr_status_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_0"sv, 0x2000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_1"sv, 0x2004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"MCIF"sv, "CFG_RD_WEIGHT_2"sv, 0x2008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_0"sv, 0x200c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"MCIF"sv, "CFG_WR_WEIGHT_1"sv, 0x2010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"MCIF"sv, "CFG_OUTSTANDING_CNT"sv, 0x2014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"MCIF"sv, "STATUS"sv, 0x2018, access::r, 0x0,
     mcif_status_fields},
    {"CDMA"sv, "S_STATUS"sv, 0x3000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDMA"sv, "S_POINTER"sv, 0x3004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDMA"sv, "S_ARBITER"sv, 0x3008, access::rw, 0xf000f,
     cdma_s_arbiter_fields},
    {"CDMA"sv, "S_CBUF_FLUSH_STATUS"sv, 0x300c, access::r, 0x0,
     cdma_s_cbuf_flush_status_fields},
    {"CDMA"sv, "D_OP_ENABLE"sv, 0x3010, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDMA"sv, "D_MISC_CFG"sv, 0x3014, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CDMA"sv, "D_DATAIN_FORMAT"sv, 0x3018, access::rw, 0x113f01,
     cdma_d_datain_format_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_0"sv, 0x301c, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_1"sv, 0x3020, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"CDMA"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x3024, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CDMA"sv, "D_PIXEL_OFFSET"sv, 0x3028, access::rw, 0x7001f,
     cdma_d_pixel_offset_fields},
    {"CDMA"sv, "D_DAIN_RAM_TYPE"sv, 0x302c, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_0"sv, 0x3030, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_0"sv, 0x3034, access::rw, 0xffffffff,
     cdma_d_dain_addr_low_0_fields},
    {"CDMA"sv, "D_DAIN_ADDR_HIGH_1"sv, 0x3038, access::rw, 0xffffffff,
     cdma_d_dain_addr_high_1_fields},
    {"CDMA"sv, "D_DAIN_ADDR_LOW_1"sv, 0x303c, access::rw, 0xffffffff,
     cdma_d_dain_addr_low_1_fields},
    {"CDMA"sv, "D_LINE_STRIDE"sv, 0x3040, access::rw, 0xffffffff,
     cdma_d_line_stride_fields},
    {"CDMA"sv, "D_LINE_UV_STRIDE"sv, 0x3044, access::rw, 0xffffffff,
     cdma_d_line_uv_stride_fields},
    {"CDMA"sv, "D_SURF_STRIDE"sv, 0x3048, access::rw, 0xffffffff,
     cdma_d_surf_stride_fields},
    {"CDMA"sv, "D_DAIN_MAP"sv, 0x304c, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CDMA"sv, "D_RESERVED_X_CFG"sv, 0x3050, access::rw, 0x3ff03ff,
     cdma_d_reserved_x_cfg_fields},
    {"CDMA"sv, "D_RESERVED_Y_CFG"sv, 0x3054, access::rw, 0x1f0007,
     cdma_d_reserved_y_cfg_fields},
    {"CDMA"sv, "D_BATCH_NUMBER"sv, 0x3058, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CDMA"sv, "D_BATCH_STRIDE"sv, 0x305c, access::rw, 0xffffffff,
     cdma_d_batch_stride_fields},
    {"CDMA"sv, "D_ENTRY_PER_SLICE"sv, 0x3060, access::rw, 0x3fff,
     cdma_d_entry_per_slice_fields},
    {"CDMA"sv, "D_FETCH_GRAIN"sv, 0x3064, access::rw, 0xfff,
     cdma_d_fetch_grain_fields},
    {"CDMA"sv, "D_WEIGHT_FORMAT"sv, 0x3068, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_0"sv, 0x306c, access::rw, 0x3ffff,
     cdma_d_weight_size_0_fields},
    {"CDMA"sv, "D_WEIGHT_SIZE_1"sv, 0x3070, access::rw, 0x1fff,
     cdma_d_weight_size_1_fields},
    {"CDMA"sv, "D_WEIGHT_RAM_TYPE"sv, 0x3074, access::rw, 0x1,
     cdma_d_weight_ram_type_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_HIGH"sv, 0x3078, access::rw, 0xffffffff,
     cdma_d_weight_addr_high_fields},
    {"CDMA"sv, "D_WEIGHT_ADDR_LOW"sv, 0x307c, access::rw, 0xffffffff,
     cdma_d_weight_addr_low_fields},
    {"CDMA"sv, "D_WEIGHT_BYTES"sv, 0x3080, access::rw, 0xffffffff,
     cdma_d_weight_bytes_fields},
    {"CDMA"sv, "D_WGS_ADDR_HIGH"sv, 0x3084, access::rw, 0xffffffff,
     cdma_d_wgs_addr_high_fields},
    {"CDMA"sv, "D_WGS_ADDR_LOW"sv, 0x3088, access::rw, 0xffffffff,
     cdma_d_wgs_addr_low_fields},
    {"CDMA"sv, "D_WMB_ADDR_HIGH"sv, 0x308c, access::rw, 0xffffffff,
     cdma_d_wmb_addr_high_fields},
    {"CDMA"sv, "D_WMB_ADDR_LOW"sv, 0x3090, access::rw, 0xffffffff,
     cdma_d_wmb_addr_low_fields},
    {"CDMA"sv, "D_WMB_BYTES"sv, 0x3094, access::rw, 0xfffffff,
     cdma_d_wmb_bytes_fields},
    {"CDMA"sv, "D_MEAN_FORMAT"sv, 0x3098, access::rw, 0x1,
     cdma_d_mean_format_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_0"sv, 0x309c, access::rw, 0xffffffff,
     cdma_d_mean_global_0_fields},
    {"CDMA"sv, "D_MEAN_GLOBAL_1"sv, 0x30a0, access::rw, 0xffffffff,
     cdma_d_mean_global_1_fields},
    {"CDMA"sv, "D_CVT_CFG"sv, 0x30a4, access::rw, 0x3f1,
     cdma_d_cvt_cfg_fields},
    {"CDMA"sv, "D_CVT_OFFSET"sv, 0x30a8, access::rw, 0xffff,
     cdma_d_cvt_offset_fields},
    {"CDMA"sv, "D_CVT_SCALE"sv, 0x30ac, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"CDMA"sv, "D_CONV_STRIDE"sv, 0x30b0, access::rw, 0x70007,
     cdma_d_conv_stride_fields},
    {"CDMA"sv, "D_ZERO_PADDING"sv, 0x30b4, access::rw, 0x3f1f3f1f,
     cdma_d_zero_padding_fields},
    {"CDMA"sv, "D_ZERO_PADDING_VALUE"sv, 0x30b8, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CDMA"sv, "D_BANK"sv, 0x30bc, access::rw, 0x1f001f,
     cdma_d_bank_fields},
    {"CDMA"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0x30c0, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDMA"sv, "D_NAN_INPUT_DATA_NUM"sv, 0x30c4, access::r, 0x0,
     cdma_d_nan_input_data_num_fields},
    {"CDMA"sv, "D_NAN_INPUT_WEIGHT_NUM"sv, 0x30c8, access::r, 0x0,
     cdma_d_nan_input_weight_num_fields},
    {"CDMA"sv, "D_INF_INPUT_DATA_NUM"sv, 0x30cc, access::r, 0x0,
     cdma_d_inf_input_data_num_fields},
    {"CDMA"sv, "D_INF_INPUT_WEIGHT_NUM"sv, 0x30d0, access::r, 0x0,
     cdma_d_inf_input_weight_num_fields},
    {"CDMA"sv, "D_PERF_ENABLE"sv, 0x30d4, access::rw, 0x1,
     cdma_d_perf_enable_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_STALL"sv, 0x30d8, access::r, 0x0,
     cdma_d_perf_dat_read_stall_fields},
    {"CDMA"sv, "D_PERF_WT_READ_STALL"sv, 0x30dc, access::r, 0x0,
     cdma_d_perf_wt_read_stall_fields},
    {"CDMA"sv, "D_PERF_DAT_READ_LATENCY"sv, 0x30e0, access::r, 0x0,
     cdma_d_perf_dat_read_latency_fields},
    {"CDMA"sv, "D_PERF_WT_READ_LATENCY"sv, 0x30e4, access::r, 0x0,
     cdma_d_perf_wt_read_latency_fields},
    {"CDMA"sv, "D_CYA"sv, 0x30e8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CSC"sv, "S_STATUS"sv, 0x4000, access::r, 0x0,
     cdma_s_status_fields},
    {"CSC"sv, "S_POINTER"sv, 0x4004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CSC"sv, "D_OP_ENABLE"sv, 0x4008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CSC"sv, "D_MISC_CFG"sv, 0x400c, access::rw, 0x11113301,
     cdma_d_misc_cfg_fields},
    {"CSC"sv, "D_DATAIN_FORMAT"sv, 0x4010, access::rw, 0x1,
     csc_d_datain_format_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_0"sv, 0x4014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_ext_0_fields},
    {"CSC"sv, "D_DATAIN_SIZE_EXT_1"sv, 0x4018, access::rw, 0x1fff,
     csc_d_datain_size_ext_1_fields},
    {"CSC"sv, "D_BATCH_NUMBER"sv, 0x401c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CSC"sv, "D_POST_Y_EXTENSION"sv, 0x4020, access::rw, 0x3,
     csc_d_post_y_extension_fields},
    {"CSC"sv, "D_ENTRY_PER_SLICE"sv, 0x4024, access::rw, 0x3fff,
     cdma_d_entry_per_slice_fields},
    {"CSC"sv, "D_WEIGHT_FORMAT"sv, 0x4028, access::rw, 0x1,
     cdma_d_weight_format_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_0"sv, 0x402c, access::rw, 0x1f001f,
     csc_d_weight_size_ext_0_fields},
    {"CSC"sv, "D_WEIGHT_SIZE_EXT_1"sv, 0x4030, access::rw, 0x1fff1fff,
     csc_d_weight_size_ext_1_fields},
    {"CSC"sv, "D_WEIGHT_BYTES"sv, 0x4034, access::rw, 0xffffffff,
     cdma_d_weight_bytes_fields},
    {"CSC"sv, "D_WMB_BYTES"sv, 0x4038, access::rw, 0xfffffff,
     cdma_d_wmb_bytes_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_0"sv, 0x403c, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CSC"sv, "D_DATAOUT_SIZE_1"sv, 0x4040, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CSC"sv, "D_ATOMICS"sv, 0x4044, access::rw, 0x1fffff,
     csc_d_atomics_fields},
    {"CSC"sv, "D_RELEASE"sv, 0x4048, access::rw, 0xfff,
     csc_d_release_fields},
    {"CSC"sv, "D_CONV_STRIDE_EXT"sv, 0x404c, access::rw, 0x70007,
     csc_d_conv_stride_ext_fields},
    {"CSC"sv, "D_DILATION_EXT"sv, 0x4050, access::rw, 0x1f001f,
     csc_d_dilation_ext_fields},
    {"CSC"sv, "D_ZERO_PADDING"sv, 0x4054, access::rw, 0x1f001f,
     csc_d_zero_padding_fields},
    {"CSC"sv, "D_ZERO_PADDING_VALUE"sv, 0x4058, access::rw, 0xffff,
     cdma_d_zero_padding_value_fields},
    {"CSC"sv, "D_BANK"sv, 0x405c, access::rw, 0x1f001f,
     cdma_d_bank_fields},
    {"CSC"sv, "D_PRA_CFG"sv, 0x4060, access::rw, 0x3,
     csc_d_pra_cfg_fields},
    {"CSC"sv, "D_CYA"sv, 0x4064, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CMAC_A"sv, "S_STATUS"sv, 0x5000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_A"sv, "S_POINTER"sv, 0x5004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_A"sv, "D_OP_ENABLE"sv, 0x5008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_A"sv, "D_MISC_CFG"sv, 0x500c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CMAC_B"sv, "S_STATUS"sv, 0x6000, access::r, 0x0,
     cdma_s_status_fields},
    {"CMAC_B"sv, "S_POINTER"sv, 0x6004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CMAC_B"sv, "D_OP_ENABLE"sv, 0x6008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CMAC_B"sv, "D_MISC_CFG"sv, 0x600c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "S_STATUS"sv, 0x7000, access::r, 0x0,
     cdma_s_status_fields},
    {"CACC"sv, "S_POINTER"sv, 0x7004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CACC"sv, "D_OP_ENABLE"sv, 0x7008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CACC"sv, "D_MISC_CFG"sv, 0x700c, access::rw, 0x3001,
     cmac_a_d_misc_cfg_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_0"sv, 0x7010, access::rw, 0x1fff1fff,
     csc_d_dataout_size_0_fields},
    {"CACC"sv, "D_DATAOUT_SIZE_1"sv, 0x7014, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"CACC"sv, "D_DATAOUT_ADDR"sv, 0x7018, access::rw, 0xffffffff,
     cacc_d_dataout_addr_fields},
    {"CACC"sv, "D_BATCH_NUMBER"sv, 0x701c, access::rw, 0x1f,
     cdma_d_batch_number_fields},
    {"CACC"sv, "D_LINE_STRIDE"sv, 0x7020, access::rw, 0xffffff,
     cacc_d_line_stride_fields},
    {"CACC"sv, "D_SURF_STRIDE"sv, 0x7024, access::rw, 0xffffff,
     cacc_d_surf_stride_fields},
    {"CACC"sv, "D_DATAOUT_MAP"sv, 0x7028, access::rw, 0x10001,
     cdma_d_dain_map_fields},
    {"CACC"sv, "D_CLIP_CFG"sv, 0x702c, access::rw, 0x1f,
     cacc_d_clip_cfg_fields},
    {"CACC"sv, "D_OUT_SATURATION"sv, 0x7030, access::r, 0x0,
     cacc_d_out_saturation_fields},
    {"CACC"sv, "D_CYA"sv, 0x7034, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"SDP_RDMA"sv, "S_STATUS"sv, 0x8000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP_RDMA"sv, "S_POINTER"sv, 0x8004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP_RDMA"sv, "D_OP_ENABLE"sv, 0x8008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0x800c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0x8010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0x8014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0x8018, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0x801c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0x8020, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"SDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0x8024, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BRDMA_CFG"sv, 0x8028, access::rw, 0x3f,
     sdp_rdma_d_brdma_cfg_fields},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_LOW"sv, 0x802c, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_BS_BASE_ADDR_HIGH"sv, 0x8030, access::rw, 0xffffffff,
     sdp_rdma_d_bs_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BS_LINE_STRIDE"sv, 0x8034, access::rw, 0xffffffff,
     sdp_rdma_d_bs_line_stride_fields},
    {"SDP_RDMA"sv, "D_BS_SURFACE_STRIDE"sv, 0x8038, access::rw, 0xffffffff,
     sdp_rdma_d_bs_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BS_BATCH_STRIDE"sv, 0x803c, access::rw, 0xffffffff,
     sdp_rdma_d_bs_batch_stride_fields},
    {"SDP_RDMA"sv, "D_NRDMA_CFG"sv, 0x8040, access::rw, 0x3f,
     sdp_rdma_d_nrdma_cfg_fields},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_LOW"sv, 0x8044, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_BN_BASE_ADDR_HIGH"sv, 0x8048, access::rw, 0xffffffff,
     sdp_rdma_d_bn_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_BN_LINE_STRIDE"sv, 0x804c, access::rw, 0xffffffff,
     sdp_rdma_d_bn_line_stride_fields},
    {"SDP_RDMA"sv, "D_BN_SURFACE_STRIDE"sv, 0x8050, access::rw, 0xffffffff,
     sdp_rdma_d_bn_surface_stride_fields},
    {"SDP_RDMA"sv, "D_BN_BATCH_STRIDE"sv, 0x8054, access::rw, 0xffffffff,
     sdp_rdma_d_bn_batch_stride_fields},
    {"SDP_RDMA"sv, "D_ERDMA_CFG"sv, 0x8058, access::rw, 0x3f,
     sdp_rdma_d_erdma_cfg_fields},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_LOW"sv, 0x805c, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_low_fields},
    {"SDP_RDMA"sv, "D_EW_BASE_ADDR_HIGH"sv, 0x8060, access::rw, 0xffffffff,
     sdp_rdma_d_ew_base_addr_high_fields},
    {"SDP_RDMA"sv, "D_EW_LINE_STRIDE"sv, 0x8064, access::rw, 0xffffffff,
     sdp_rdma_d_ew_line_stride_fields},
    {"SDP_RDMA"sv, "D_EW_SURFACE_STRIDE"sv, 0x8068, access::rw, 0xffffffff,
     sdp_rdma_d_ew_surface_stride_fields},
    {"SDP_RDMA"sv, "D_EW_BATCH_STRIDE"sv, 0x806c, access::rw, 0xffffffff,
     sdp_rdma_d_ew_batch_stride_fields},
    {"SDP_RDMA"sv, "D_FEATURE_MODE_CFG"sv, 0x8070, access::rw, 0x1fff,
     sdp_rdma_d_feature_mode_cfg_fields},
    {"SDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0x8074, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"SDP_RDMA"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0x8078, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP_RDMA"sv, "D_STATUS_INF_INPUT_NUM"sv, 0x807c, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP_RDMA"sv, "D_PERF_ENABLE"sv, 0x8080, access::rw, 0x3,
     sdp_rdma_d_perf_enable_fields},
    {"SDP_RDMA"sv, "D_PERF_MRDMA_READ_STALL"sv, 0x8084, access::r, 0x0,
     sdp_rdma_d_perf_mrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_BRDMA_READ_STALL"sv, 0x8088, access::r, 0x0,
     sdp_rdma_d_perf_brdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_NRDMA_READ_STALL"sv, 0x808c, access::r, 0x0,
     sdp_rdma_d_perf_nrdma_read_stall_fields},
    {"SDP_RDMA"sv, "D_PERF_ERDMA_READ_STALL"sv, 0x8090, access::r, 0x0,
     sdp_rdma_d_perf_erdma_read_stall_fields},
    {"SDP"sv, "S_STATUS"sv, 0x9000, access::r, 0x0,
     cdma_s_status_fields},
    {"SDP"sv, "S_POINTER"sv, 0x9004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"SDP"sv, "S_LUT_ACCESS_CFG"sv, 0x9008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"SDP"sv, "S_LUT_ACCESS_DATA"sv, 0x900c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"SDP"sv, "S_LUT_CFG"sv, 0x9010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"SDP"sv, "S_LUT_INFO"sv, 0x9014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"SDP"sv, "S_LUT_LE_START"sv, 0x9018, access::rw, 0xffffffff,
     sdp_s_lut_le_start_fields},
    {"SDP"sv, "S_LUT_LE_END"sv, 0x901c, access::rw, 0xffffffff,
     sdp_s_lut_le_end_fields},
    {"SDP"sv, "S_LUT_LO_START"sv, 0x9020, access::rw, 0xffffffff,
     sdp_s_lut_lo_start_fields},
    {"SDP"sv, "S_LUT_LO_END"sv, 0x9024, access::rw, 0xffffffff,
     sdp_s_lut_lo_end_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0x9028, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"SDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0x902c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0x9030, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"SDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0x9034, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"SDP"sv, "D_OP_ENABLE"sv, 0x9038, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"SDP"sv, "D_DATA_CUBE_WIDTH"sv, 0x903c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"SDP"sv, "D_DATA_CUBE_HEIGHT"sv, 0x9040, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"SDP"sv, "D_DATA_CUBE_CHANNEL"sv, 0x9044, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0x9048, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"SDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0x904c, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"SDP"sv, "D_DST_LINE_STRIDE"sv, 0x9050, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"SDP"sv, "D_DST_SURFACE_STRIDE"sv, 0x9054, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"SDP"sv, "D_DP_BS_CFG"sv, 0x9058, access::rw, 0x7f,
     sdp_d_dp_bs_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_CFG"sv, 0x905c, access::rw, 0x3f01,
     sdp_d_dp_bs_alu_cfg_fields},
    {"SDP"sv, "D_DP_BS_ALU_SRC_VALUE"sv, 0x9060, access::rw, 0xffff,
     sdp_d_dp_bs_alu_src_value_fields},
    {"SDP"sv, "D_DP_BS_MUL_CFG"sv, 0x9064, access::rw, 0xff01,
     sdp_d_dp_bs_mul_cfg_fields},
    {"SDP"sv, "D_DP_BS_MUL_SRC_VALUE"sv, 0x9068, access::rw, 0xffff,
     sdp_d_dp_bs_mul_src_value_fields},
    {"SDP"sv, "D_DP_BN_CFG"sv, 0x906c, access::rw, 0x7f,
     sdp_d_dp_bn_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_CFG"sv, 0x9070, access::rw, 0x3f01,
     sdp_d_dp_bn_alu_cfg_fields},
    {"SDP"sv, "D_DP_BN_ALU_SRC_VALUE"sv, 0x9074, access::rw, 0xffff,
     sdp_d_dp_bn_alu_src_value_fields},
    {"SDP"sv, "D_DP_BN_MUL_CFG"sv, 0x9078, access::rw, 0xff01,
     sdp_d_dp_bn_mul_cfg_fields},
    {"SDP"sv, "D_DP_BN_MUL_SRC_VALUE"sv, 0x907c, access::rw, 0xffff,
     sdp_d_dp_bn_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_CFG"sv, 0x9080, access::rw, 0x7f,
     sdp_d_dp_ew_cfg_fields},
    {"SDP"sv, "D_DP_EW_ALU_CFG"sv, 0x9084, access::rw, 0x3,
     sdp_d_dp_ew_alu_cfg_fields},
    {"SDP"sv, "D_DP_EW_ALU_SRC_VALUE"sv, 0x9088, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_src_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_OFFSET_VALUE"sv, 0x908c, access::rw, 0xffffffff,
     sdp_d_dp_ew_alu_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_SCALE_VALUE"sv, 0x9090, access::rw, 0xffff,
     sdp_d_dp_ew_alu_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_ALU_CVT_TRUNCATE_VALUE"sv, 0x9094, access::rw, 0x3f,
     sdp_d_dp_ew_alu_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CFG"sv, 0x9098, access::rw, 0x3,
     sdp_d_dp_ew_mul_cfg_fields},
    {"SDP"sv, "D_DP_EW_MUL_SRC_VALUE"sv, 0x909c, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_src_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_OFFSET_VALUE"sv, 0x90a0, access::rw, 0xffffffff,
     sdp_d_dp_ew_mul_cvt_offset_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_SCALE_VALUE"sv, 0x90a4, access::rw, 0xffff,
     sdp_d_dp_ew_mul_cvt_scale_value_fields},
    {"SDP"sv, "D_DP_EW_MUL_CVT_TRUNCATE_VALUE"sv, 0x90a8, access::rw, 0x3f,
     sdp_d_dp_ew_mul_cvt_truncate_value_fields},
    {"SDP"sv, "D_DP_EW_TRUNCATE_VALUE"sv, 0x90ac, access::rw, 0x3ff,
     sdp_d_dp_ew_truncate_value_fields},
    {"SDP"sv, "D_FEATURE_MODE_CFG"sv, 0x90b0, access::rw, 0x1f0f,
     sdp_d_feature_mode_cfg_fields},
    {"SDP"sv, "D_DST_DMA_CFG"sv, 0x90b4, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"SDP"sv, "D_DST_BATCH_STRIDE"sv, 0x90b8, access::rw, 0xffffffff,
     sdp_d_dst_batch_stride_fields},
    {"SDP"sv, "D_DATA_FORMAT"sv, 0x90bc, access::rw, 0xf,
     sdp_d_data_format_fields},
    {"SDP"sv, "D_CVT_OFFSET"sv, 0x90c0, access::rw, 0xffffffff,
     sdp_d_cvt_offset_fields},
    {"SDP"sv, "D_CVT_SCALE"sv, 0x90c4, access::rw, 0xffff,
     cdma_d_cvt_scale_fields},
    {"SDP"sv, "D_CVT_SHIFT"sv, 0x90c8, access::rw, 0x3f,
     sdp_d_cvt_shift_fields},
    {"SDP"sv, "D_STATUS"sv, 0x90cc, access::r, 0x0,
     sdp_d_status_fields},
    {"SDP"sv, "D_STATUS_NAN_INPUT_NUM"sv, 0x90d0, access::r, 0x0,
     sdp_rdma_d_status_nan_input_num_fields},
    {"SDP"sv, "D_STATUS_INF_INPUT_NUM"sv, 0x90d4, access::r, 0x0,
     sdp_rdma_d_status_inf_input_num_fields},
    {"SDP"sv, "D_STATUS_NAN_OUTPUT_NUM"sv, 0x90d8, access::r, 0x0,
     sdp_d_status_nan_output_num_fields},
    {"SDP"sv, "D_PERF_ENABLE"sv, 0x90dc, access::rw, 0xf,
     sdp_d_perf_enable_fields},
    {"SDP"sv, "D_PERF_WDMA_WRITE_STALL"sv, 0x90e0, access::r, 0x0,
     sdp_d_perf_wdma_write_stall_fields},
    {"SDP"sv, "D_PERF_LUT_UFLOW"sv, 0x90e4, access::r, 0x0,
     sdp_d_perf_lut_uflow_fields},
    {"SDP"sv, "D_PERF_LUT_OFLOW"sv, 0x90e8, access::r, 0x0,
     sdp_d_perf_lut_oflow_fields},
    {"SDP"sv, "D_PERF_OUT_SATURATION"sv, 0x90ec, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"SDP"sv, "D_PERF_LUT_HYBRID"sv, 0x90f0, access::r, 0x0,
     sdp_d_perf_lut_hybrid_fields},
    {"SDP"sv, "D_PERF_LUT_LE_HIT"sv, 0x90f4, access::r, 0x0,
     sdp_d_perf_lut_le_hit_fields},
    {"SDP"sv, "D_PERF_LUT_LO_HIT"sv, 0x90f8, access::r, 0x0,
     sdp_d_perf_lut_lo_hit_fields},
    {"PDP_RDMA"sv, "S_STATUS"sv, 0xa000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP_RDMA"sv, "S_POINTER"sv, 0xa004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP_RDMA"sv, "D_OP_ENABLE"sv, 0xa008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xa00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xa010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP_RDMA"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xa014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP_RDMA"sv, "D_FLYING_MODE"sv, 0xa018, access::rw, 0x1,
     pdp_rdma_d_flying_mode_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xa01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"PDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xa020, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xa024, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"PDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xa028, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"PDP_RDMA"sv, "D_SRC_RAM_CFG"sv, 0xa02c, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"PDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xa030, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP_RDMA"sv, "D_OPERATION_MODE_CFG"sv, 0xa034, access::rw, 0xff,
     pdp_rdma_d_operation_mode_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_KERNEL_CFG"sv, 0xa038, access::rw, 0xff,
     pdp_rdma_d_pooling_kernel_cfg_fields},
    {"PDP_RDMA"sv, "D_POOLING_PADDING_CFG"sv, 0xa03c, access::rw, 0xf,
     pdp_rdma_d_pooling_padding_cfg_fields},
    {"PDP_RDMA"sv, "D_PARTIAL_WIDTH_IN"sv, 0xa040, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xa044, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xa048, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"PDP_RDMA"sv, "D_CYA"sv, 0xa04c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"PDP"sv, "S_STATUS"sv, 0xb000, access::r, 0x0,
     cdma_s_status_fields},
    {"PDP"sv, "S_POINTER"sv, 0xb004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"PDP"sv, "D_OP_ENABLE"sv, 0xb008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_WIDTH"sv, 0xb00c, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_width_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_HEIGHT"sv, 0xb010, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_height_fields},
    {"PDP"sv, "D_DATA_CUBE_IN_CHANNEL"sv, 0xb014, access::rw, 0x1fff,
     pdp_rdma_d_data_cube_in_channel_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_WIDTH"sv, 0xb018, access::rw, 0x1fff,
     pdp_d_data_cube_out_width_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_HEIGHT"sv, 0xb01c, access::rw, 0x1fff,
     pdp_d_data_cube_out_height_fields},
    {"PDP"sv, "D_DATA_CUBE_OUT_CHANNEL"sv, 0xb020, access::rw, 0x1fff,
     pdp_d_data_cube_out_channel_fields},
    {"PDP"sv, "D_OPERATION_MODE_CFG"sv, 0xb024, access::rw, 0xff13,
     pdp_d_operation_mode_cfg_fields},
    {"PDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xb028, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_IN"sv, 0xb02c, access::rw, 0x3fffffff,
     pdp_rdma_d_partial_width_in_fields},
    {"PDP"sv, "D_PARTIAL_WIDTH_OUT"sv, 0xb030, access::rw, 0x3fffffff,
     pdp_d_partial_width_out_fields},
    {"PDP"sv, "D_POOLING_KERNEL_CFG"sv, 0xb034, access::rw, 0xff0f0f,
     pdp_d_pooling_kernel_cfg_fields},
    {"PDP"sv, "D_RECIP_KERNEL_WIDTH"sv, 0xb038, access::rw, 0x1ffff,
     pdp_d_recip_kernel_width_fields},
    {"PDP"sv, "D_RECIP_KERNEL_HEIGHT"sv, 0xb03c, access::rw, 0x1ffff,
     pdp_d_recip_kernel_height_fields},
    {"PDP"sv, "D_POOLING_PADDING_CFG"sv, 0xb040, access::rw, 0x7777,
     pdp_d_pooling_padding_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_1_CFG"sv, 0xb044, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_1_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_2_CFG"sv, 0xb048, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_2_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_3_CFG"sv, 0xb04c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_3_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_4_CFG"sv, 0xb050, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_4_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_5_CFG"sv, 0xb054, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_5_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_6_CFG"sv, 0xb058, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_6_cfg_fields},
    {"PDP"sv, "D_POOLING_PADDING_VALUE_7_CFG"sv, 0xb05c, access::rw, 0x7ffff,
     pdp_d_pooling_padding_value_7_cfg_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xb060, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"PDP"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xb064, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"PDP"sv, "D_SRC_LINE_STRIDE"sv, 0xb068, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"PDP"sv, "D_SRC_SURFACE_STRIDE"sv, 0xb06c, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"PDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xb070, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"PDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xb074, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"PDP"sv, "D_DST_LINE_STRIDE"sv, 0xb078, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"PDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xb07c, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"PDP"sv, "D_DST_RAM_CFG"sv, 0xb080, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"PDP"sv, "D_DATA_FORMAT"sv, 0xb084, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"PDP"sv, "D_INF_INPUT_NUM"sv, 0xb088, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"PDP"sv, "D_NAN_INPUT_NUM"sv, 0xb08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"PDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xb090, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"PDP"sv, "D_PERF_ENABLE"sv, 0xb094, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"PDP"sv, "D_PERF_WRITE_STALL"sv, 0xb098, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"PDP"sv, "D_CYA"sv, 0xb09c, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP_RDMA"sv, "S_STATUS"sv, 0xc000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP_RDMA"sv, "S_POINTER"sv, 0xc004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP_RDMA"sv, "D_OP_ENABLE"sv, 0xc008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_WIDTH"sv, 0xc00c, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_width_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_HEIGHT"sv, 0xc010, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_height_fields},
    {"CDP_RDMA"sv, "D_DATA_CUBE_CHANNEL"sv, 0xc014, access::rw, 0x1fff,
     sdp_rdma_d_data_cube_channel_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_LOW"sv, 0xc018, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_low_fields},
    {"CDP_RDMA"sv, "D_SRC_BASE_ADDR_HIGH"sv, 0xc01c, access::rw, 0xffffffff,
     sdp_rdma_d_src_base_addr_high_fields},
    {"CDP_RDMA"sv, "D_SRC_LINE_STRIDE"sv, 0xc020, access::rw, 0xffffffff,
     sdp_rdma_d_src_line_stride_fields},
    {"CDP_RDMA"sv, "D_SRC_SURFACE_STRIDE"sv, 0xc024, access::rw, 0xffffffff,
     sdp_rdma_d_src_surface_stride_fields},
    {"CDP_RDMA"sv, "D_SRC_DMA_CFG"sv, 0xc028, access::rw, 0x1,
     sdp_rdma_d_src_dma_cfg_fields},
    {"CDP_RDMA"sv, "D_SRC_COMPRESSION_EN"sv, 0xc02c, access::r, 0x0,
     cdp_rdma_d_src_compression_en_fields},
    {"CDP_RDMA"sv, "D_OPERATION_MODE"sv, 0xc030, access::r, 0x0,
     cdp_rdma_d_operation_mode_fields},
    {"CDP_RDMA"sv, "D_DATA_FORMAT"sv, 0xc034, access::rw, 0x3,
     pdp_rdma_d_data_format_fields},
    {"CDP_RDMA"sv, "D_PERF_ENABLE"sv, 0xc038, access::rw, 0x1,
     pdp_rdma_d_perf_enable_fields},
    {"CDP_RDMA"sv, "D_PERF_READ_STALL"sv, 0xc03c, access::r, 0x0,
     pdp_rdma_d_perf_read_stall_fields},
    {"CDP_RDMA"sv, "D_CYA"sv, 0xc040, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"CDP"sv, "S_STATUS"sv, 0xd000, access::r, 0x0,
     cdma_s_status_fields},
    {"CDP"sv, "S_POINTER"sv, 0xd004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"CDP"sv, "S_LUT_ACCESS_CFG"sv, 0xd008, access::rw, 0x303ff,
     sdp_s_lut_access_cfg_fields},
    {"CDP"sv, "S_LUT_ACCESS_DATA"sv, 0xd00c, access::rw, 0xffff,
     sdp_s_lut_access_data_fields},
    {"CDP"sv, "S_LUT_CFG"sv, 0xd010, access::rw, 0x71,
     sdp_s_lut_cfg_fields},
    {"CDP"sv, "S_LUT_INFO"sv, 0xd014, access::rw, 0xffffff,
     sdp_s_lut_info_fields},
    {"CDP"sv, "S_LUT_LE_START_LOW"sv, 0xd018, access::rw, 0xffffffff,
     cdp_s_lut_le_start_low_fields},
    {"CDP"sv, "S_LUT_LE_START_HIGH"sv, 0xd01c, access::rw, 0x3f,
     cdp_s_lut_le_start_high_fields},
    {"CDP"sv, "S_LUT_LE_END_LOW"sv, 0xd020, access::rw, 0xffffffff,
     cdp_s_lut_le_end_low_fields},
    {"CDP"sv, "S_LUT_LE_END_HIGH"sv, 0xd024, access::rw, 0x3f,
     cdp_s_lut_le_end_high_fields},
    {"CDP"sv, "S_LUT_LO_START_LOW"sv, 0xd028, access::rw, 0xffffffff,
     cdp_s_lut_lo_start_low_fields},
    {"CDP"sv, "S_LUT_LO_START_HIGH"sv, 0xd02c, access::rw, 0x3f,
     cdp_s_lut_lo_start_high_fields},
    {"CDP"sv, "S_LUT_LO_END_LOW"sv, 0xd030, access::rw, 0xffffffff,
     cdp_s_lut_lo_end_low_fields},
    {"CDP"sv, "S_LUT_LO_END_HIGH"sv, 0xd034, access::rw, 0x3f,
     cdp_s_lut_lo_end_high_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SCALE"sv, 0xd038, access::rw, 0xffffffff,
     sdp_s_lut_le_slope_scale_fields},
    {"CDP"sv, "S_LUT_LE_SLOPE_SHIFT"sv, 0xd03c, access::rw, 0x3ff,
     sdp_s_lut_le_slope_shift_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SCALE"sv, 0xd040, access::rw, 0xffffffff,
     sdp_s_lut_lo_slope_scale_fields},
    {"CDP"sv, "S_LUT_LO_SLOPE_SHIFT"sv, 0xd044, access::rw, 0x3ff,
     sdp_s_lut_lo_slope_shift_fields},
    {"CDP"sv, "D_OP_ENABLE"sv, 0xd048, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"CDP"sv, "D_FUNC_BYPASS"sv, 0xd04c, access::rw, 0x3,
     cdp_d_func_bypass_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_LOW"sv, 0xd050, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_low_fields},
    {"CDP"sv, "D_DST_BASE_ADDR_HIGH"sv, 0xd054, access::rw, 0xffffffff,
     sdp_d_dst_base_addr_high_fields},
    {"CDP"sv, "D_DST_LINE_STRIDE"sv, 0xd058, access::rw, 0xffffffff,
     sdp_d_dst_line_stride_fields},
    {"CDP"sv, "D_DST_SURFACE_STRIDE"sv, 0xd05c, access::rw, 0xffffffff,
     sdp_d_dst_surface_stride_fields},
    {"CDP"sv, "D_DST_DMA_CFG"sv, 0xd060, access::rw, 0x1,
     sdp_d_dst_dma_cfg_fields},
    {"CDP"sv, "D_DST_COMPRESSION_EN"sv, 0xd064, access::r, 0x0,
     cdp_d_dst_compression_en_fields},
    {"CDP"sv, "D_DATA_FORMAT"sv, 0xd068, access::rw, 0x3,
     cdp_d_data_format_fields},
    {"CDP"sv, "D_NAN_FLUSH_TO_ZERO"sv, 0xd06c, access::rw, 0x1,
     cdma_d_nan_flush_to_zero_fields},
    {"CDP"sv, "D_LRN_CFG"sv, 0xd070, access::rw, 0x3,
     cdp_d_lrn_cfg_fields},
    {"CDP"sv, "D_DATIN_OFFSET"sv, 0xd074, access::rw, 0xffff,
     cdp_d_datin_offset_fields},
    {"CDP"sv, "D_DATIN_SCALE"sv, 0xd078, access::rw, 0xffff,
     cdp_d_datin_scale_fields},
    {"CDP"sv, "D_DATIN_SHIFTER"sv, 0xd07c, access::rw, 0x1f,
     cdp_d_datin_shifter_fields},
    {"CDP"sv, "D_DATOUT_OFFSET"sv, 0xd080, access::rw, 0xffffffff,
     cdp_d_datout_offset_fields},
    {"CDP"sv, "D_DATOUT_SCALE"sv, 0xd084, access::rw, 0xffff,
     cdp_d_datout_scale_fields},
    {"CDP"sv, "D_DATOUT_SHIFTER"sv, 0xd088, access::rw, 0x3f,
     cdp_d_datout_shifter_fields},
    {"CDP"sv, "D_NAN_INPUT_NUM"sv, 0xd08c, access::r, 0x0,
     pdp_d_nan_input_num_fields},
    {"CDP"sv, "D_INF_INPUT_NUM"sv, 0xd090, access::r, 0x0,
     pdp_d_inf_input_num_fields},
    {"CDP"sv, "D_NAN_OUTPUT_NUM"sv, 0xd094, access::r, 0x0,
     pdp_d_nan_output_num_fields},
    {"CDP"sv, "D_OUT_SATURATION"sv, 0xd098, access::r, 0x0,
     sdp_d_perf_out_saturation_fields},
    {"CDP"sv, "D_PERF_ENABLE"sv, 0xd09c, access::rw, 0x3,
     cdp_d_perf_enable_fields},
    {"CDP"sv, "D_PERF_WRITE_STALL"sv, 0xd0a0, access::r, 0x0,
     pdp_d_perf_write_stall_fields},
    {"CDP"sv, "D_PERF_LUT_UFLOW"sv, 0xd0a4, access::r, 0x0,
     cdp_d_perf_lut_uflow_fields},
    {"CDP"sv, "D_PERF_LUT_OFLOW"sv, 0xd0a8, access::r, 0x0,
     cdp_d_perf_lut_oflow_fields},
    {"CDP"sv, "D_PERF_LUT_HYBRID"sv, 0xd0ac, access::r, 0x0,
     cdp_d_perf_lut_hybrid_fields},
    {"CDP"sv, "D_PERF_LUT_LE_HIT"sv, 0xd0b0, access::r, 0x0,
     cdp_d_perf_lut_le_hit_fields},
    {"CDP"sv, "D_PERF_LUT_LO_HIT"sv, 0xd0b4, access::r, 0x0,
     cdp_d_perf_lut_lo_hit_fields},
    {"CDP"sv, "D_CYA"sv, 0xd0b8, access::rw, 0xffffffff,
     cdma_d_cya_fields},
    {"GEC"sv, "FEATURE"sv, 0xe000, access::r, 0x0,
     gec_feature_fields},
    {"GEC"sv, "SWRESET"sv, 0xe004, access::w, 0x1,
     gec_swreset_fields},
    {"GEC"sv, "MISSIONERR_TYPE"sv, 0xe008, access::r, 0x0,
     gec_missionerr_type_fields},
    {"GEC"sv, "CURRENT_COUNTER_VALUE"sv, 0xe00c, access::r, 0x0,
     gec_current_counter_value_fields},
    {"GEC"sv, "MISSIONERR_INDEX"sv, 0xe014, access::rw, 0x7f,
     gec_missionerr_index_fields},
    {"GEC"sv, "CORRECTABLE_THRESHOLD"sv, 0xe018, access::rw, 0xff,
     gec_correctable_threshold_fields},
    {"GEC"sv, "MISSIONERR_INJECT_UNLOCK"sv, 0xe01c, access::rw, 0xff,
     gec_missionerr_inject_unlock_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_ENABLE"sv, 0xe030, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_FORCE"sv, 0xe034, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_STATUS"sv, 0xe038, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_MISSIONERR_INJECT"sv, 0xe03c, access::rw, 0xffff81ff,
     gec_errslice0_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_ENABLE"sv, 0xe040, access::rw, 0xffffffff,
     gec_errslice0_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_FORCE"sv, 0xe044, access::w, 0xffffffff,
     gec_errslice0_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE0_LATENTERR_STATUS"sv, 0xe048, access::rw, 0xffffffff,
     gec_errslice0_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE0_COUNTER_RELOAD"sv, 0xe050, access::w, 0xffffffff,
     gec_errslice0_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ENABLE"sv, 0xe060, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_FORCE"sv, 0xe064, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_STATUS"sv, 0xe068, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_INJECT"sv, 0xe06c, access::rw, 0xffffffff,
     gec_errslice1_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_ENABLE"sv, 0xe070, access::rw, 0xffffffff,
     gec_errslice1_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_FORCE"sv, 0xe074, access::w, 0xffffffff,
     gec_errslice1_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE1_LATENTERR_STATUS"sv, 0xe078, access::rw, 0xffffffff,
     gec_errslice1_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE1_COUNTER_RELOAD"sv, 0xe080, access::w, 0xffffffff,
     gec_errslice1_counter_reload_fields},
    {"GEC"sv, "ERRSLICE1_MISSIONERR_ECC_CORRECTION_DIS"sv, 0xe084, access::rw, 0x80000000,
     gec_errslice1_missionerr_ecc_correction_dis_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_ENABLE"sv, 0xe090, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_FORCE"sv, 0xe094, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_STATUS"sv, 0xe098, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_MISSIONERR_INJECT"sv, 0xe09c, access::rw, 0x3,
     gec_errslice2_missionerr_inject_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_ENABLE"sv, 0xe0a0, access::rw, 0xf,
     gec_errslice2_missionerr_enable_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_FORCE"sv, 0xe0a4, access::w, 0xf,
     gec_errslice2_missionerr_force_fields},
    {"GEC"sv, "ERRSLICE2_LATENTERR_STATUS"sv, 0xe0a8, access::rw, 0xf,
     gec_errslice2_missionerr_status_fields},
    {"GEC"sv, "ERRSLICE2_COUNTER_RELOAD"sv, 0xe0b0, access::w, 0xf,
     gec_errslice2_counter_reload_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_0"sv, 0xf000, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_0_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_1"sv, 0xf004, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_1_fields},
    {"CVIF"sv, "CFG_RD_WEIGHT_2"sv, 0xf008, access::rw, 0xffffffff,
     mcif_cfg_rd_weight_2_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_0"sv, 0xf00c, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_0_fields},
    {"CVIF"sv, "CFG_WR_WEIGHT_1"sv, 0xf010, access::rw, 0xffffffff,
     mcif_cfg_wr_weight_1_fields},
    {"CVIF"sv, "CFG_OUTSTANDING_CNT"sv, 0xf014, access::rw, 0xffff,
     mcif_cfg_outstanding_cnt_fields},
    {"CVIF"sv, "STATUS"sv, 0xf018, access::r, 0x0,
     mcif_status_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_LOW"sv, 0x10000, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_SRC_ADDR_HIGH"sv, 0x10004, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_DST_ADDR_LOW"sv, 0x10008, access::rw, 0xffffffe0,
     bdma_cfg_src_addr_low_fields},
    {"BDMA"sv, "CFG_DST_ADDR_HIGH"sv, 0x1000c, access::rw, 0xffffffff,
     bdma_cfg_src_addr_high_fields},
    {"BDMA"sv, "CFG_LINE"sv, 0x10010, access::rw, 0x1fff,
     bdma_cfg_line_fields},
    {"BDMA"sv, "CFG_CMD"sv, 0x10014, access::rw, 0x3,
     bdma_cfg_cmd_fields},
    {"BDMA"sv, "CFG_LINE_REPEAT"sv, 0x10018, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_LINE"sv, 0x1001c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_LINE"sv, 0x10020, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_SURF_REPEAT"sv, 0x10024, access::rw, 0xffffff,
     bdma_cfg_line_repeat_fields},
    {"BDMA"sv, "CFG_SRC_SURF"sv, 0x10028, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_DST_SURF"sv, 0x1002c, access::rw, 0xffffffe0,
     bdma_cfg_src_line_fields},
    {"BDMA"sv, "CFG_OP"sv, 0x10030, access::rw, 0x1,
     bdma_cfg_op_fields},
    {"BDMA"sv, "CFG_LAUNCH0"sv, 0x10034, access::rw, 0x1,
     bdma_cfg_launch0_fields},
    {"BDMA"sv, "CFG_LAUNCH1"sv, 0x10038, access::rw, 0x1,
     bdma_cfg_launch1_fields},
    {"BDMA"sv, "CFG_STATUS"sv, 0x1003c, access::rw, 0x1,
     bdma_cfg_status_fields},
    {"BDMA"sv, "STATUS"sv, 0x10040, access::r, 0x0,
     bdma_status_fields},
    {"BDMA"sv, "STATUS_GRP0_READ_STALL"sv, 0x10044, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP0_WRITE_STALL"sv, 0x10048, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_READ_STALL"sv, 0x1004c, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"BDMA"sv, "STATUS_GRP1_WRITE_STALL"sv, 0x10050, access::r, 0x0,
     bdma_status_grp0_read_stall_fields},
    {"RBK"sv, "S_STATUS"sv, 0x11000, access::r, 0x0,
     cdma_s_status_fields},
    {"RBK"sv, "S_POINTER"sv, 0x11004, access::rw, 0x1,
     cdma_s_pointer_fields},
    {"RBK"sv, "D_OP_ENABLE"sv, 0x11008, access::rw, 0x1,
     cdma_d_op_enable_fields},
    {"RBK"sv, "D_MISC_CFG"sv, 0x1100c, access::rw, 0x303,
     rbk_d_misc_cfg_fields},
    {"RBK"sv, "D_DAIN_RAM_TYPE"sv, 0x11010, access::rw, 0x1,
     cdma_d_dain_ram_type_fields},
    {"RBK"sv, "D_DATAIN_SIZE_0"sv, 0x11014, access::rw, 0x1fff1fff,
     cdma_d_datain_size_0_fields},
    {"RBK"sv, "D_DATAIN_SIZE_1"sv, 0x11018, access::rw, 0x1fff,
     cdma_d_datain_size_1_fields},
    {"RBK"sv, "D_DAIN_ADDR_HIGH"sv, 0x1101c, access::rw, 0xffffffff,
     rbk_d_dain_addr_high_fields},
    {"RBK"sv, "D_DAIN_ADDR_LOW"sv, 0x11020, access::rw, 0xffffffe0,
     rbk_d_dain_addr_low_fields},
    {"RBK"sv, "D_DAIN_LINE_STRIDE"sv, 0x11024, access::rw, 0xffffffe0,
     rbk_d_dain_line_stride_fields},
    {"RBK"sv, "D_DAIN_SURF_STRIDE"sv, 0x11028, access::rw, 0xffffffe0,
     rbk_d_dain_surf_stride_fields},
    {"RBK"sv, "D_DAIN_PLANAR_STRIDE"sv, 0x1102c, access::rw, 0xffffffe0,
     rbk_d_dain_planar_stride_fields},
    {"RBK"sv, "D_DAOUT_RAM_TYPE"sv, 0x11030, access::rw, 0x1,
     rbk_d_daout_ram_type_fields},
    {"RBK"sv, "D_DATAOUT_SIZE_1"sv, 0x11034, access::rw, 0x1fff,
     csc_d_dataout_size_1_fields},
    {"RBK"sv, "D_DAOUT_ADDR_HIGH"sv, 0x11038, access::rw, 0xffffffff,
     rbk_d_daout_addr_high_fields},
    {"RBK"sv, "D_DAOUT_ADDR_LOW"sv, 0x1103c, access::rw, 0xffffffe0,
     rbk_d_daout_addr_low_fields},
    {"RBK"sv, "D_DAOUT_LINE_STRIDE"sv, 0x11040, access::rw, 0xffffffe0,
     rbk_d_daout_line_stride_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_0"sv, 0x11044, access::rw, 0xffffffe0,
     rbk_d_contract_stride_0_fields},
    {"RBK"sv, "D_CONTRACT_STRIDE_1"sv, 0x11048, access::rw, 0xffffffe0,
     rbk_d_contract_stride_1_fields},
    {"RBK"sv, "D_DAOUT_SURF_STRIDE"sv, 0x1104c, access::rw, 0xffffffe0,
     rbk_d_daout_surf_stride_fields},
    {"RBK"sv, "D_DAOUT_PLANAR_STRIDE"sv, 0x11050, access::rw, 0xffffffe0,
     rbk_d_daout_planar_stride_fields},
    {"RBK"sv, "D_DECONV_STRIDE"sv, 0x11054, access::rw, 0x1f001f,
     rbk_d_deconv_stride_fields},
    {"RBK"sv, "D_PERF_ENABLE"sv, 0x11058, access::rw, 0x1,
     rbk_d_perf_enable_fields},
    {"RBK"sv, "D_PERF_READ_STALL"sv, 0x1105c, access::r, 0x0,
     rbk_d_perf_read_stall_fields},
    {"RBK"sv, "D_PERF_WRITE_STALL"sv, 0x11060, access::r, 0x0,
     rbk_d_perf_write_stall_fields},
};

inline constexpr unit units_small[]{{"GLB"sv, 0, 4}, {"MCIF"sv, 4, 7}, {"CDMA"sv, 11, 59},
    {"CSC"sv, 70, 26}, {"CMAC_A"sv, 96, 4}, {"CMAC_B"sv, 100, 4}, {"CACC"sv, 104, 14},
    {"SDP_RDMA"sv, 118, 37}, {"SDP"sv, 155, 63}, {"PDP_RDMA"sv, 218, 20}, {"PDP"sv, 238, 40},
    {"CDP_RDMA"sv, 278, 17}, {"CDP"sv, 295, 47}, {"GEC"sv, 342, 32}, {"CVIF"sv, 374, 7},
    {"BDMA"sv, 381, 21}, {"RBK"sv, 402, 25}};

}  // namespace nvdlac::hw::detail
#include <concepts>
#include <cstdint>


namespace nvdlac::hw {

enum class precision : std::uint8_t { int8, int16, fp16 };  // the codes of the registers
enum class register_map : std::uint8_t { small, full };     // full: v1, of nv_full only

constexpr std::uint32_t element_bytes(precision p) { return p == precision::int8 ? 1 : 2; }

// A set of precisions: {.int8 = true} is what every configuration but nv_full has.
struct precisions {
  bool int8 = true, int16 = false, fp16 = false;

  constexpr bool has(precision p) const {
    return p == precision::int8 ? int8 : p == precision::int16 ? int16 : fp16;
  }
  constexpr bool operator==(const precisions&) const = default;
};

// A memory interface; width_bits 0: the configuration does not have it.
struct memory_interface {
  std::uint32_t width_bits = 0;
  std::uint32_t burst = 0;    // in memory words
  std::uint32_t latency = 0;  // cycles
  constexpr bool operator==(const memory_interface&) const = default;
};

// What an SoC team chooses when it configures NVDLA. Names follow the hardware's own spec files.
struct spec {
  precisions data_types{};
  std::uint32_t mac_atomic_c = 8;            // channels a MAC cell takes at once
  std::uint32_t mac_atomic_k = 8;            // kernels computed at once (int8): the kernel group
  std::uint32_t memory_atom = 8;             // bytes
  std::uint32_t cbuf_banks = 32;
  std::uint32_t cbuf_entry = 8;              // bytes
  std::uint32_t cbuf_entries_per_bank = 512;
  std::uint32_t sdp_bs_bn_throughput = 1;
  std::uint32_t sdp_ew_throughput = 0;       // 0: no EW (Y) unit
  bool sdp_lut = false;
  std::uint32_t pdp_throughput = 1;          // 0: no PDP
  std::uint32_t cdp_throughput = 1;          // 0: no CDP
  bool weight_compression = false;
  bool winograd = false;
  bool batch = false;
  bool bdma = false;
  bool rubik = false;
  memory_interface dram{64, 1, 64};
  memory_interface sram{};                   // secondary memory (CVSRAM)
  std::uint32_t address_bits = 32;
  register_map map = register_map::small;

  constexpr bool operator==(const spec&) const = default;

  constexpr bytes atom() const { return {memory_atom}; }
  constexpr bytes cbuf_bank() const { return {std::uint64_t{cbuf_entry} * cbuf_entries_per_bank}; }
  constexpr bytes cbuf() const { return cbuf_bank() * cbuf_banks; }
  constexpr bool has_pdp() const { return pdp_throughput != 0; }
  constexpr bool has_cdp() const { return cdp_throughput != 0; }
  constexpr bool has_ew() const { return sdp_ew_throughput != 0; }
  constexpr bool has_sram() const { return sram.width_bits != 0; }
  // Kernels of one group: int16 and fp16 use two MAC cells for one kernel.
  constexpr std::uint32_t kernel_group(precision p = precision::int8) const {
    return p == precision::int8 ? mac_atomic_k : mac_atomic_k / 2;
  }
};

// A configuration: a named struct with one value `static constexpr hw::spec spec`.
template <class T>
concept hardware = requires {
  { T::spec } -> std::convertible_to<const spec&>;
};

}  // namespace nvdlac::hw

namespace nvdlac::hw {

// All registers of a map in the order of their addresses.
constexpr std::span<const reg> registers(register_map map) {
  if (map == register_map::small) return detail::registers_small;
  return detail::registers_full;
}

// The units of a map in the order of their addresses.
constexpr std::span<const unit> units(register_map map) {
  if (map == register_map::small) return detail::units_small;
  return detail::units_full;
}

namespace detail {

// Shorter for the compiler than operator== of string_view, which it calls often.
constexpr bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = a.size(); i-- > 0;)  // the ends of the names differ most
    if (a[i] != b[i]) return false;
  return true;
}

// Cuts the part before the next dot off the path.
constexpr std::string_view next_part(std::string_view& path) {
  const auto part = path.substr(0, path.find('.'));
  path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
  return part;
}

constexpr const reg* find_part(register_map map, std::string_view& path) {
  const auto unit_name = next_part(path);
  const auto name = next_part(path);
  for (const auto& u : units(map))
    if (same(u.name, unit_name))
      for (const auto& r : registers(map).subspan(u.first, u.count))
        if (same(r.name, name)) return &r;
  return nullptr;
}

}  // namespace detail

// The register UNIT.REGISTER, or null.
constexpr const reg* find(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  return path.empty() ? r : nullptr;
}

// The register at an address in bytes from the base of NVDLA, or null.
constexpr const reg* find(register_map map, std::uint32_t address) {
  const auto all = registers(map);
  const auto r = std::ranges::lower_bound(all, address, {}, &reg::address);
  return r != all.end() && r->address == address ? &*r : nullptr;
}

// The field UNIT.REGISTER.FIELD, or null. UNIT.REGISTER names the field of a register with one.
constexpr const field* find_field(register_map map, std::string_view path) {
  const auto* r = detail::find_part(map, path);
  if (r == nullptr) return nullptr;
  if (path.empty()) return r->fields.size() == 1 ? r->fields.data() : nullptr;
  for (const auto& f : r->fields)
    if (detail::same(f.name, path)) return &f;
  return nullptr;
}

constexpr const enumerator* find_value(const field& f, std::string_view name) {
  for (const auto& v : f.values)
    if (detail::same(v.name, name)) return &v;
  return nullptr;
}

namespace detail {

template <register_map Map, fixed_string Path>
consteval const reg& checked_register() {
  constexpr const reg* r = find(Map, Path.view());
  static_assert(r != nullptr, "nvdlac: no such register; names are UNIT.REGISTER");
  return r != nullptr ? *r : registers(Map).front();
}

template <register_map Map, fixed_string Path>
consteval const field& checked_field() {
  constexpr const field* f = find_field(Map, Path.view());
  static_assert(f != nullptr, "nvdlac: no such register field; names are UNIT.REGISTER.FIELD");
  return f != nullptr ? *f : registers(Map).front().fields.front();
}

template <register_map Map, fixed_string Path, fixed_string Name>
consteval std::uint32_t checked_value() {
  constexpr const enumerator* v = find_value(checked_field<Map, Path>(), Name.view());
  static_assert(v != nullptr, "nvdlac: the register field has no value of this name");
  return v != nullptr ? v->value : 0;
}

}  // namespace detail

// The address of UNIT.REGISTER in bytes from the base of NVDLA. A wrong name does not compile.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t address = detail::checked_register<Map, Path>().address;

// The register UNIT.REGISTER.
template <register_map Map, fixed_string Path>
inline constexpr const reg& register_of = detail::checked_register<Map, Path>();

// The field UNIT.REGISTER.FIELD, or UNIT.REGISTER if the register has one field.
template <register_map Map, fixed_string Path>
inline constexpr const field& field_of = detail::checked_field<Map, Path>();

// The enumerated value of that name of a field, counted from bit 0 of the field.
template <register_map Map, fixed_string Path, fixed_string Name>
inline constexpr std::uint32_t value_of = detail::checked_value<Map, Path, Name>();

// "CDMA.D_BANK DATA_BANK=1 WEIGHT_BANK=1", with the names of enumerated values; hexadecimal from
// 10 on. An address without a register: "0x1234".
inline std::string describe(register_map map, std::uint32_t address, std::uint32_t value) {
  const auto hex = [](std::uint32_t v) {
    std::ostringstream out;
    out << (v < 10 ? "" : "0x") << std::hex << v;
    return out.str();
  };
  const auto* r = find(map, address);
  if (r == nullptr) return text("0x", std::hex, address);
  std::string s = text(r->unit, '.', r->name);
  for (const auto& f : r->fields) {
    const auto v = f.extract(value);
    const auto known = std::ranges::find(f.values, v, &enumerator::value);
    s += text(' ', f.name, '=', known != f.values.end() ? std::string(known->name) : hex(v));
  }
  return s;
}

}  // namespace nvdlac::hw

namespace nvdlac::emit {

// Where a cube is for the DMA engines of NVDLA.
struct place {
  std::uint64_t address = 0;  // bytes
  bool dram = true;           // the registers' RAM_TYPE: primary memory, or the secondary (CVSRAM)

  constexpr bool operator==(const place&) const = default;
};

// Turns a layer's locations into addresses.
template <class T>
concept addresses = requires(const T& where, const layer::location& at) {
  { where(at) } -> std::convertible_to<place>;
};

// Takes register writes: the simulator, a trace, source text. `poll(address, mask, value)` is
// called, if it is there, where the hardware has to be waited for.
template <class T>
concept bus = requires(T& b, std::uint32_t address, std::uint32_t value) { b.write(address, value); };

// Every engine has two groups of D_ registers that it works through in turn. A core and its read
// DMA take turns on their own, because not every layer uses the read DMA.
struct groups {
  unsigned core = 0, rdma = 0;
};

template <fixed_string Name, class T>
struct setting {
  T value;
};

template <fixed_string Name>
struct named {
  template <std::integral T>
  constexpr setting<Name, std::int64_t> operator()(T value) const {
    return {static_cast<std::int64_t>(value)};
  }
  // Addresses, strides and sizes: the maps drop a different number of their low bits.
  constexpr setting<Name, bytes> operator()(bytes value) const { return {value}; }
};

inline namespace literals {

template <fixed_string Name>
consteval named<Name> operator""_reg() { return {}; }
template <fixed_string Name>
consteval named<Name> operator""_is() { return {}; }

}  // namespace literals

namespace detail {

template <hw::register_map Map, fixed_string Register, fixed_string Field>
consteval const hw::field& field_in() {
  constexpr const hw::field* f = [] {
    for (const auto& candidate : hw::register_of<Map, Register>.fields)
      if (hw::detail::same(candidate.name, Field.view())) return &candidate;
    return static_cast<const hw::field*>(nullptr);
  }();
  static_assert(f != nullptr, "nvdlac: the register has no field of this name");
  return *f;
}

constexpr std::uint32_t insert(const hw::field& f, std::int64_t v) { return f.insert(v); }
constexpr std::uint32_t insert(const hw::field& f, bytes v) { return f.insert_bytes(v.n); }

}  // namespace detail

// set("CDMA.D_BANK"_reg, "DATA_BANK"_is(3), "WEIGHT_BANK"_is(1)): one write. Fields that are not
// named are 0. A register with one field takes the value alone.
template <hw::register_map Map, bus Bus>
class register_writer {
 public:
  explicit constexpr register_writer(Bus& b) : bus_(b) {}

  template <fixed_string Register, fixed_string... Fields, class... Ts>
  constexpr void operator()(named<Register>, setting<Fields, Ts>... settings) const {
    constexpr const hw::reg& r = hw::register_of<Map, Register>;
    std::uint32_t word = 0;
    ((word |= detail::insert(detail::field_in<Map, Register, Fields>(), settings.value)), ...);
    bus_.write(r.address, word);
  }
  template <fixed_string Register, std::integral T>
  constexpr void operator()(named<Register>, T value) const {
    bus_.write(hw::address<Map, Register>,
               hw::field_of<Map, Register>.insert(static_cast<std::int64_t>(value)));
  }
  template <fixed_string Register>
  constexpr void operator()(named<Register>, bytes value) const {
    bus_.write(hw::address<Map, Register>, hw::field_of<Map, Register>.insert_bytes(value.n));
  }

  // Both halves of a 64-bit address.
  template <fixed_string High, fixed_string Low>
  constexpr void address(named<High> high, named<Low> low, std::uint64_t value) const {
    (*this)(high, value >> 32);
    (*this)(low, bytes{value & 0xffffffffu});
  }

  // Waits until the single-bit field is 1, on a bus that can.
  template <fixed_string Register>
  constexpr void wait_for(named<Register>) const {
    constexpr auto mask = hw::field_of<Map, Register>.mask();
    if constexpr (requires { bus_.poll(mask, mask, mask); })
      bus_.poll(hw::address<Map, Register>, mask, mask);
  }

 private:
  Bus& bus_;
};

}  // namespace nvdlac::emit
#include <cstdint>


namespace nvdlac::layer {

enum class sdp_alu : std::uint8_t { maximum = 0, minimum = 1, sum = 2 };
enum class sdp_mode : std::uint8_t { per_layer = 0, per_kernel = 1, per_point = 2 };

// X1 or X2 of SDP: y = round_shift(alu(x, operand << alu_shift) * multiplier, mul_shift), then ReLU.
struct sdp_unit {
  bool alu = false, mul = false, relu = false;
  sdp_alu algorithm = sdp_alu::sum;
  sdp_mode mode = sdp_mode::per_layer;
  std::uint8_t alu_shift = 0, mul_shift = 0;
  std::int16_t alu_operand = 0, mul_operand = 1;  // per layer
  // Per kernel: [alu][mul] or [alu,mul] interleaved for each channel; per point: a feature cube of
  // the alu operand. Elements of `operand_bytes`.
  std::uint8_t operand_bytes = 2;
  layer::surface operands{};

  constexpr bool enabled() const { return alu || mul || relu; }
  constexpr bool operator==(const sdp_unit&) const = default;
};

// One pass of SDP, int8 to int8. The source is CACC when input.at is on the fly; the result goes to
// PDP when output.at is.
struct sdp {
  layer::surface input{};
  sdp_unit x1{}, x2{};
  converter out{};
  layer::surface output{};

  constexpr bool operator==(const sdp&) const = default;
};

}  // namespace nvdlac::layer

namespace nvdlac::emit {

// Whether the unit reads its operands from memory.
constexpr bool reads_memory(const layer::sdp_unit& u) {
  return (u.alu || u.mul) && u.mode != layer::sdp_mode::per_layer;
}

// Whether the layer uses SDP_RDMA at all; if not, its group stays where it is.
constexpr bool needs_rdma(const layer::sdp& l) {
  return !l.input.at.on_the_fly() || reads_memory(l.x1) || reads_memory(l.x2);
}

// Bytes of the operands of one atom of channels: the strides of per-kernel operands, which have
// one line.
constexpr std::uint32_t operand_unit(const layer::sdp_unit& u, bytes atom) {
  const std::uint32_t operands = u.alu && u.mul ? 2 : 1;
  return static_cast<std::uint32_t>(atom.n) * operands * u.operand_bytes;
}

namespace detail {

template <class Set>
constexpr void point_sdp(const Set& set, groups g) {
  set("SDP.S_POINTER"_reg, "PRODUCER"_is(g.core));
  set("SDP_RDMA.S_POINTER"_reg, "PRODUCER"_is(g.rdma));
}

struct operand_reads {
  bool off = true;
  int use = 0;  // 0 mul, 1 alu, 2 both
  bool two_bytes = false, per_point = false;
  place at{};
  bytes line{}, plane{};
};

constexpr operand_reads reads(const layer::sdp_unit& u, bytes atom, const addresses auto& where) {
  if (!reads_memory(u)) return {};
  const bool point = u.mode == layer::sdp_mode::per_point;
  const bytes unit{operand_unit(u, atom)};
  return {false, u.alu && u.mul ? 2 : u.alu ? 1 : 0, u.operand_bytes == 2, point,
          where(u.operands.at), point ? bytes{u.operands.line_stride} : unit,
          point ? bytes{u.operands.surface_stride} : unit};
}

template <class Set>
constexpr void program_sdp_rdma(const layer::sdp& l, bytes atom, const addresses auto& where,
                                const Set& set) {
  const bool flying = l.input.at.on_the_fly();
  const auto x1 = reads(l.x1, atom, where), x2 = reads(l.x2, atom, where);
  set("SDP_RDMA.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(flying), "WINOGRAD"_is(0),
      "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0), "OUT_PRECISION"_is(0), "BATCH_NUMBER"_is(0));
  set("SDP_RDMA.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP_RDMA.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP_RDMA.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  if (!flying) {
    const place in = where(l.input.at);
    set.address("SDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg,
                in.address);
    set("SDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("SDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
    set("SDP_RDMA.D_SRC_DMA_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  }
  set("SDP_RDMA.D_BRDMA_CFG"_reg, "BRDMA_DISABLE"_is(x1.off), "BRDMA_DATA_USE"_is(x1.use),
      "BRDMA_DATA_SIZE"_is(x1.two_bytes), "BRDMA_DATA_MODE"_is(x1.per_point),
      "BRDMA_RAM_TYPE"_is(x1.at.dram));
  if (!x1.off) {
    set.address("SDP_RDMA.D_BS_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BS_BASE_ADDR_LOW"_reg,
                x1.at.address);
    set("SDP_RDMA.D_BS_LINE_STRIDE"_reg, x1.line);
    set("SDP_RDMA.D_BS_SURFACE_STRIDE"_reg, x1.plane);
  }
  set("SDP_RDMA.D_NRDMA_CFG"_reg, "NRDMA_DISABLE"_is(x2.off), "NRDMA_DATA_USE"_is(x2.use),
      "NRDMA_DATA_SIZE"_is(x2.two_bytes), "NRDMA_DATA_MODE"_is(x2.per_point),
      "NRDMA_RAM_TYPE"_is(x2.at.dram));
  if (!x2.off) {
    set.address("SDP_RDMA.D_BN_BASE_ADDR_HIGH"_reg, "SDP_RDMA.D_BN_BASE_ADDR_LOW"_reg,
                x2.at.address);
    set("SDP_RDMA.D_BN_LINE_STRIDE"_reg, x2.line);
    set("SDP_RDMA.D_BN_SURFACE_STRIDE"_reg, x2.plane);
  }
  set("SDP_RDMA.D_ERDMA_CFG"_reg, "ERDMA_DISABLE"_is(1), "ERDMA_RAM_TYPE"_is(1));
}

template <class Set>
constexpr void program_x1(const layer::sdp_unit& u, const Set& set) {
  const bool memory = reads_memory(u);
  set("SDP.D_DP_BS_CFG"_reg, "BS_BYPASS"_is(!u.enabled()), "BS_ALU_BYPASS"_is(!u.alu),
      "BS_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BS_MUL_BYPASS"_is(!u.mul),
      "BS_MUL_PRELU"_is(0), "BS_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BS_ALU_CFG"_reg, "BS_ALU_SRC"_is(memory && u.alu),
      "BS_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BS_ALU_SRC_VALUE"_reg, "BS_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BS_MUL_CFG"_reg, "BS_MUL_SRC"_is(memory && u.mul),
      "BS_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BS_MUL_SRC_VALUE"_reg, "BS_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

template <class Set>
constexpr void program_x2(const layer::sdp_unit& u, const Set& set) {
  const bool memory = reads_memory(u);
  set("SDP.D_DP_BN_CFG"_reg, "BN_BYPASS"_is(!u.enabled()), "BN_ALU_BYPASS"_is(!u.alu),
      "BN_ALU_ALGO"_is(static_cast<int>(u.algorithm)), "BN_MUL_BYPASS"_is(!u.mul),
      "BN_MUL_PRELU"_is(0), "BN_RELU_BYPASS"_is(!u.relu));
  if (!u.enabled()) return;
  set("SDP.D_DP_BN_ALU_CFG"_reg, "BN_ALU_SRC"_is(memory && u.alu),
      "BN_ALU_SHIFT_VALUE"_is(u.alu_shift));
  set("SDP.D_DP_BN_ALU_SRC_VALUE"_reg, "BN_ALU_OPERAND"_is(memory ? 0 : u.alu_operand));
  set("SDP.D_DP_BN_MUL_CFG"_reg, "BN_MUL_SRC"_is(memory && u.mul),
      "BN_MUL_SHIFT_VALUE"_is(u.mul_shift));
  set("SDP.D_DP_BN_MUL_SRC_VALUE"_reg, "BN_MUL_OPERAND"_is(memory ? 0 : u.mul_operand));
}

}  // namespace detail

// Writes the D_ registers of SDP_RDMA and SDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::sdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_sdp(set, g);
  if (needs_rdma(l)) detail::program_sdp_rdma(l, Hw::spec.atom(), where, set);
  set("SDP.D_DATA_CUBE_WIDTH"_reg, "WIDTH"_is(l.input.shape.w - 1));
  set("SDP.D_DATA_CUBE_HEIGHT"_reg, "HEIGHT"_is(l.input.shape.h - 1));
  set("SDP.D_DATA_CUBE_CHANNEL"_reg, "CHANNEL"_is(l.input.shape.c - 1));
  const bool to_pdp = l.output.at.on_the_fly();
  const place out = to_pdp ? place{} : where(l.output.at);
  if (!to_pdp) {
    set.address("SDP.D_DST_BASE_ADDR_HIGH"_reg, "SDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
    set("SDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
    set("SDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  }
  detail::program_x1(l.x1, set);
  detail::program_x2(l.x2, set);
  set("SDP.D_DP_EW_CFG"_reg, "EW_BYPASS"_is(1), "EW_ALU_BYPASS"_is(1), "EW_MUL_BYPASS"_is(1),
      "EW_LUT_BYPASS"_is(1));
  set("SDP.D_FEATURE_MODE_CFG"_reg, "FLYING_MODE"_is(l.input.at.on_the_fly()),
      "OUTPUT_DST"_is(to_pdp), "WINOGRAD"_is(0), "NAN_TO_ZERO"_is(0), "BATCH_NUMBER"_is(0));
  set("SDP.D_DST_DMA_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("SDP.D_DST_BATCH_STRIDE"_reg, bytes{0});
  set("SDP.D_DATA_FORMAT"_reg, "PROC_PRECISION"_is(0), "OUT_PRECISION"_is(0));
  set("SDP.D_CVT_OFFSET"_reg, l.out.offset);
  set("SDP.D_CVT_SCALE"_reg, l.out.scale);
  set("SDP.D_CVT_SHIFT"_reg, "CVT_SHIFT"_is(l.out.shift));
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::sdp& l, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_sdp(set, g);
  if (needs_rdma(l)) set("SDP_RDMA.D_OP_ENABLE"_reg, 1);
  set("SDP.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

struct sdp_descriptor {
  firmware::sdp_op op{};
  firmware::sdp_surface surface{};
};

namespace detail {

inline firmware::sdp_sub_op encode(const layer::sdp_unit& u) {
  if (!u.enabled()) return {};
  firmware::sdp_sub_op s;
  s.enable = 1;
  s.alu_type = static_cast<std::uint8_t>(u.algorithm);
  s.type = static_cast<std::uint8_t>((u.alu ? 2 : 0) | (u.mul ? 1 : 0));
  // The firmware turns the read DMA on for any other mode, even when nothing is read.
  s.mode = u.alu || u.mul ? static_cast<std::uint8_t>(u.mode) : std::uint8_t{0};
  s.act = u.relu;
  s.shift_value = u.alu_shift;
  s.truncate = u.mul_shift;
  s.precision = u.operand_bytes == 1 ? 0 : 1;
  s.alu_operand = u.alu_operand;
  s.mul_operand = u.mul_operand;
  return s;
}

inline firmware::cube encode_operands(const layer::sdp_unit& u, net::shape shape, bytes atom,
                                      std::string_view field) {
  if (!reads_memory(u)) return {};
  auto s = u.operands;
  if (u.mode == layer::sdp_mode::per_kernel) {
    s.shape = {shape.c, 1, 1};
    s.line_stride = s.surface_stride = operand_unit(u, atom);
  }
  return emit::encode(s, field);
}

inline layer::sdp_unit decode(const firmware::sdp_sub_op& s, const firmware::cube& operands,
                              const std::string& field) {
  layer::sdp_unit u;
  if (s.enable == 0) return u;
  expect(s.type <= 3, field + ".type", s.type, "no such operation");
  expect(s.alu_type <= 2, field + ".alu_type", s.alu_type, "only max, min and sum are supported");
  expect(s.act <= 1, field + ".act", s.act, "only ReLU is supported");
  expect(s.mode <= 2, field + ".mode", s.mode, "no such mode");
  expect(s.precision <= 1, field + ".precision", s.precision, "only int8 and int16 are supported");
  u.alu = (s.type & 2) != 0;
  u.mul = (s.type & 1) != 0;
  u.relu = s.act == 1;
  expect(u.enabled(), field + ".enable", s.enable, "the unit has nothing to do");
  u.algorithm = static_cast<layer::sdp_alu>(s.alu_type);
  u.mode = static_cast<layer::sdp_mode>(s.mode);
  u.alu_shift = s.shift_value;
  u.mul_shift = s.truncate;
  u.operand_bytes = s.precision == 0 ? 1 : 2;
  expect(std::in_range<std::int16_t>(s.alu_operand), field + ".alu_operand", s.alu_operand,
         "has more than 16 bits");
  expect(std::in_range<std::int16_t>(s.mul_operand), field + ".mul_operand", s.mul_operand,
         "has more than 16 bits");
  u.alu_operand = static_cast<std::int16_t>(s.alu_operand);
  u.mul_operand = static_cast<std::int16_t>(s.mul_operand);
  if (!reads_memory(u)) return u;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = emit::decode(operands, field);
  else
    u.operands = {decode_location(operands, field), {}, 0, 0, operands.size};
  expect(!u.operands.at.on_the_fly(), field, 2, "operands must be in memory");
  return u;
}

}  // namespace detail

// Values that do not fit are an `error` that names the field.
inline sdp_descriptor encode(const layer::sdp& l, bytes atom) {
  sdp_descriptor d;
  d.op.out_cvt = encode(l.out, true);
  d.op.x1 = detail::encode(l.x1);
  d.op.x2 = detail::encode(l.x2);
  d.surface.src = encode(l.input, "sdp.src_data");
  d.surface.x1 = detail::encode_operands(l.x1, l.input.shape, atom, "sdp.x1_data");
  d.surface.x2 = detail::encode_operands(l.x2, l.input.shape, atom, "sdp.x2_data");
  d.surface.dst = encode(l.output, "sdp.dst_data");
  return d;
}

// What `layer::sdp` cannot express is an `error` that names the field.
inline layer::sdp decode(const sdp_descriptor& d) {
  const auto& op = d.op;
  expect(op.src_precision == 0, "sdp.src_precision", op.src_precision, "only int8 is supported");
  expect(op.dst_precision == 0, "sdp.dst_precision", op.dst_precision, "only int8 is supported");
  expect(op.lut_index == -1, "sdp.lut_index", op.lut_index, "look-up tables are not supported");
  expect(op.conv_mode == 0, "sdp.conv_mode", op.conv_mode, "only direct convolution is supported");
  expect(op.batch_num <= 1, "sdp.batch_num", op.batch_num, "only single pictures are supported");
  expect(op.y.enable == 0, "sdp.y_op.enable", op.y.enable, "the Y unit is not supported");
  layer::sdp l;
  l.input = decode(d.surface.src, "sdp.src_data");
  l.x1 = detail::decode(op.x1, d.surface.x1, "sdp.x1_op");
  l.x2 = detail::decode(op.x2, d.surface.x2, "sdp.x2_op");
  l.out = decode(op.out_cvt);
  l.output = decode(d.surface.dst, "sdp.dst_data");
  return l;
}

}  // namespace nvdlac::emit
#include <string>
#include <variant>


namespace nvdlac::layer {

// A hardware layer: one programming of one engine (or one computation of the host). A convolution
// is always followed by the SDP layer that takes its result.
using any = std::variant<convolution, sdp, pdp, host_softmax>;

struct layer {
  std::string name;  // of the network's layer it computes, with a suffix when that is split
  any what;
};

constexpr bool on_host(const any& what) { return std::holds_alternative<host_softmax>(what); }

}  // namespace nvdlac::layer
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Operators in the integers that NVDLA computes with: what quantisation makes of net::graph. Each
// is one computation of the hardware, so that its reference is exact and lowering changes no value.
// All tensors are int8; a node's `scale` gives their meaning: real = scale * integer.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace nvdlac {

template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);
};

template <class T, class List>
inline constexpr bool contains = false;
template <class T, class... Ts>
inline constexpr bool contains<T, type_list<Ts...>> = (std::same_as<T, Ts> || ...);

// Calls f(std::type_identity<T>{}) for each type in order.
template <class... Ts, class F>
constexpr void for_each(type_list<Ts...>, F&& f) {
  (f(std::type_identity<Ts>{}), ...);
}

// Calls f like for_each until it returns true; whether it did.
template <class... Ts, class F>
constexpr bool any_of(type_list<Ts...>, F&& f) {
  return (f(std::type_identity<Ts>{}) || ...);
}

}  // namespace nvdlac

namespace nvdlac::net {

// A network as a Boost.Graph DAG. A vertex is an operator and the one tensor it produces; an edge
// carries that tensor into a numbered input slot of its consumer. `Operators` is a type list, so a
// user's own operator joins by being listed. A graph can hold malformed networks (open or doubly
// fed slots, cycles): `verify` finds them.
template <class Operators>
class basic_graph;

template <class... Ops>
class basic_graph<type_list<Ops...>> {
 public:
  using operators = type_list<Ops...>;
  using any_operator = std::variant<Ops...>;

  struct node {
    std::string name;       // unique; the layer's name in the user's file
    any_operator op;
    net::shape shape{};     // of the tensor it produces; set by infer_shapes
    double scale = 1.0;     // real value = scale * integer; meaningful in integer graphs only
    bool output = false;    // the user reads this tensor
  };

 private:
  struct slot { std::size_t number = 0; };
  using adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, node, slot>;

 public:
  using id = typename boost::graph_traits<adjacency>::vertex_descriptor;  // 0 .. size() - 1

  std::size_t size() const { return num_vertices(graph_); }
  node& operator[](id n) { return graph_[n]; }
  const node& operator[](id n) const { return graph_[n]; }

  id add(std::string name, any_operator op, const std::vector<id>& inputs = {}) {
    const id n = add_vertex(node{.name = std::move(name), .op = std::move(op)}, graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
    return n;
  }
  void connect(id from, id to, std::size_t slot_number) {
    add_edge(from, to, slot{slot_number}, graph_);
  }

  // The producers of n's inputs, by slot.
  std::vector<id> inputs(id n) const {
    std::vector<std::pair<std::size_t, id>> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e)
      found.emplace_back(graph_[*e].number, source(*e, graph_));
    std::sort(found.begin(), found.end());
    std::vector<id> result;
    for (const auto& [number, from] : found) result.push_back(from);
    return result;
  }
  // The slot numbers that are fed, ascending; a sound node has 0, 1, .. each once.
  std::vector<std::size_t> fed_slots(id n) const {
    std::vector<std::size_t> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e) found.push_back(graph_[*e].number);
    std::sort(found.begin(), found.end());
    return found;
  }
  // Every use of n's tensor, ascending; a consumer that reads it twice is listed twice.
  std::vector<id> consumers(id n) const {
    std::vector<id> found;
    for (auto [e, end] = out_edges(n, graph_); e != end; ++e) found.push_back(target(*e, graph_));
    std::sort(found.begin(), found.end());
    return found;
  }

  // All readers of `from` (and its being an output) move to `to`.
  void replace_uses(id from, id to) {
    std::vector<std::pair<id, slot>> uses;
    for (auto [e, end] = out_edges(from, graph_); e != end; ++e)
      if (target(*e, graph_) != to) uses.emplace_back(target(*e, graph_), graph_[*e]);
    boost::remove_out_edge_if(
        from, [&](const auto& e) { return target(e, graph_) != to; }, graph_);
    for (const auto& [consumer, s] : uses) add_edge(to, consumer, s, graph_);
    graph_[to].output = graph_[to].output || std::exchange(graph_[from].output, false);
  }
  // The inputs of n become these.
  void set_inputs(id n, const std::vector<id>& inputs) {
    clear_in_edges(n, graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
  }

  // The graph of the nodes for which keep(id) holds, in the same order; ids are renumbered.
  template <class Keep>
  basic_graph filtered(Keep keep) const {
    basic_graph result;
    std::vector<id> renumbered(size(), size());
    for (id n = 0; n < size(); ++n)
      if (keep(n)) renumbered[n] = add_vertex(graph_[n], result.graph_);
    for (auto [e, end] = edges(graph_); e != end; ++e) {
      const id from = renumbered[source(*e, graph_)], to = renumbered[target(*e, graph_)];
      if (from != size() && to != size()) add_edge(from, to, graph_[*e], result.graph_);
    }
    return result;
  }

  // Producers before consumers, ties by id. Nodes on a cycle or behind one are left out.
  std::vector<id> order() const {
    std::vector<std::size_t> open(size());
    std::vector<id> ready, result;
    for (id n = 0; n < size(); ++n)
      if ((open[n] = in_degree(n, graph_)) == 0) ready.push_back(n);
    const auto later = std::greater<id>{};
    std::make_heap(ready.begin(), ready.end(), later);
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const id n = ready.back();
      ready.pop_back();
      result.push_back(n);
      for (const id consumer : consumers(n))
        if (--open[consumer] == 0) {
          ready.push_back(consumer);
          std::push_heap(ready.begin(), ready.end(), later);
        }
    }
    return result;
  }

  // The nodes that are read from outside, ascending.
  std::vector<id> outputs() const {
    std::vector<id> result;
    for (id n = 0; n < size(); ++n)
      if (graph_[n].output) result.push_back(n);
    return result;
  }

  const adjacency& boost_graph() const { return graph_; }

 private:
  adjacency graph_;
};

}  // namespace nvdlac::net
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <algorithm>
#include <cstddef>
#include <span>


namespace nvdlac::net {

// The shape rule of an element-wise operator of two inputs.
constexpr shape infer_elementwise(std::span<const shape> in) {
  if (in[0] != in[1]) throw error(text("its inputs have different shapes, ", in[0], " and ", in[1]));
  return in[0];
}

// The sum of two tensors of one shape.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;

  constexpr shape infer(std::span<const shape> in) const { return infer_elementwise(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    infer(shapes_of(in));
    float_tensor y = *in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const float v = y.values[i] + in[1]->values[i];
      y.values[i] = relu ? std::max(v, 0.0F) : v;
    }
    return y;
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// y = saturate<8>(out(relu(saturate<32>(a * multiplier) + (b << operand_shift)))), inputs a, b
struct add {
  static constexpr arity inputs{2, 2};

  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;  // 0..24
  bool relu = false;
  converter out{};

  constexpr std::int8_t finish(std::int8_t a, std::int8_t b) const {
    const std::int64_t y = saturate<32>(std::int64_t{a} * multiplier) + (std::int64_t{b} << operand_shift);
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (operand_shift > 24) throw error("its operand shift is above 24");
    return infer_elementwise(in);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y{infer(shapes_of(in))};
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = finish(in[0]->values[i], in[1]->values[i]);
    return y;
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net::integer
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cstdint>
#include <span>


namespace nvdlac::net {

// The shape rule of a concatenation of channels.
constexpr shape infer_concat(std::span<const shape> in) {
  std::int64_t c = 0;
  for (const shape s : in) {
    if (s.h != in[0].h || s.w != in[0].w)
      throw error(text("its inputs have different heights or widths, ", in[0], " and ", s));
    c += s.c;
  }
  return checked_shape(c, in[0].h, in[0].w);
}

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {
  static constexpr arity inputs{1, any_number};

  constexpr shape infer(std::span<const shape> in) const { return infer_concat(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{infer(shapes_of(in)), {}};
    for (const float_tensor* x : in) y.values.insert(y.values.end(), x->values.begin(), x->values.end());
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// Input i is copied, or rescaled: saturate<8>(round_shift(x * multiplier[i], shift)).
struct concat {
  static constexpr arity inputs{1, any_number};

  std::vector<std::optional<std::int16_t>> multiplier{};  // by input; nullopt: copied
  std::uint8_t shift = 0;                                 // 0..63

  constexpr std::int8_t finish(std::int8_t x, std::size_t input) const {
    if (!multiplier[input]) return x;
    return static_cast<std::int8_t>(
        saturate<8>(round_shift(std::int64_t{x} * *multiplier[input], shift)));
  }

  constexpr shape infer(std::span<const shape> in) const { return infer_concat(in); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, static_cast<std::int64_t>(in.size()), "multiplier", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y{infer(shapes_of(in)), {}};
    require_values(multiplier, static_cast<std::int64_t>(in.size()), "multiplier");
    for (std::size_t i = 0; i < in.size(); ++i)
      for (const std::int8_t x : in[i]->values) y.values.push_back(finish(x, i));
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net::integer
#include <span>
#include <string>


namespace nvdlac::net::integer {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  int8_tensor value{};

  constexpr shape infer(std::span<const shape>) const { return checked_shape(value.shape); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value", found,
                 layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The sums of products behind every convolution, for the float and the integer reference.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>


namespace nvdlac::net {

namespace sliding_sum_detail {

// Sums run in float over at most `chunk` products, then in double. Products of int8 are at most
// 2^14, so that 2^10 of them are exact in float: the same code is the exact integer reference.
inline constexpr std::size_t chunk = 1024;
inline constexpr std::size_t columns = 8;  // output positions computed together

// sums[k][p] of `Rows` kernels of `depth` weights with a panel [depth][columns].
template <std::size_t Rows>
void block(const float* weights, const float* panel, std::size_t depth,
           std::array<std::array<double, columns>, Rows>& sums) {
  sums = {};
  for (std::size_t start = 0; start < depth; start += chunk) {
    std::array<std::array<float, columns>, Rows> partial{};
    const std::size_t end = std::min(depth, start + chunk);
    for (std::size_t i = start; i < end; ++i)
      for (std::size_t k = 0; k < Rows; ++k) {
        const float w = weights[k * depth + i];
        for (std::size_t p = 0; p < columns; ++p) partial[k][p] += w * panel[i * columns + p];
      }
    for (std::size_t k = 0; k < Rows; ++k)
      for (std::size_t p = 0; p < columns; ++p) sums[k][p] += static_cast<double>(partial[k][p]);
  }
}

// The sum for a single output position.
inline double dot(const float* a, const float* b, std::size_t depth) {
  double sum = 0;
  for (std::size_t start = 0; start < depth; start += chunk) {
    const std::size_t end = std::min(depth, start + chunk);
    std::array<float, columns> partial{};
    std::size_t i = start;
    for (; i + columns <= end; i += columns)
      for (std::size_t p = 0; p < columns; ++p) partial[p] += a[i + p] * b[i + p];
    float rest = 0;
    for (; i < end; ++i) rest += a[i] * b[i];
    for (const float p : partial) sum += static_cast<double>(p);
    sum += static_cast<double>(rest);
  }
  return sum;
}

}  // namespace sliding_sum_detail

// Calls store(k, position, sum) for every kernel k and every output position y * out.w + x, with
// sum = over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][y * stride_h - pad_top +
// r * dilation_h][x * stride_w - pad_left + s * dilation_w], elements outside the input being 0.
// weights: [out.c][in.c / groups][kernel_h][kernel_w]. For T = int8 the sums are exact.
template <class T, class Store>
void sliding_sums(const window& w, shape in, const T* x, shape out, std::int32_t groups,
                  const T* weights, Store store) {
  namespace d = sliding_sum_detail;
  const auto group_c = in.c / groups, group_k = out.c / groups;
  const auto depth = static_cast<std::size_t>(group_c) * static_cast<std::size_t>(w.kernel_h) *
                     static_cast<std::size_t>(w.kernel_w);
  const auto area = static_cast<std::size_t>(out.h) * static_cast<std::size_t>(out.w);
  const std::size_t width = area == 1 ? 1 : d::columns;
  // Panels of as many positions at a time as stay within about 8 MB.
  const std::size_t tile = std::max<std::size_t>((std::size_t{1} << 21) / depth, 1) * width;
  std::vector<float> panels, rows;

  // The inputs of the positions from `first` on, [depth][width].
  const auto gather = [&](std::int32_t group, std::size_t first, float* panel) {
    for (std::size_t p = 0; p < width; ++p) {
      const auto position = static_cast<std::int32_t>(std::min(first + p, area - 1));
      const std::int32_t top = position / out.w * w.stride_h - w.pad_top;
      const std::int32_t left = position % out.w * w.stride_w - w.pad_left;
      float* to = panel + p;
      for (std::int32_t c = group * group_c; c < (group + 1) * group_c; ++c)
        for (std::int32_t r = 0; r < w.kernel_h; ++r) {
          const std::int32_t y = top + r * w.dilation_h;
          const bool inside = y >= 0 && y < in.h;
          const T* line = inside ? x + in.at(c, y, 0) : nullptr;
          for (std::int32_t s = 0; s < w.kernel_w; ++s, to += width) {
            const std::int32_t column = left + s * w.dilation_w;
            *to = inside && column >= 0 && column < in.w ? static_cast<float>(line[column]) : 0.0F;
          }
        }
    }
  };
  const auto kernels = [&]<std::size_t Rows>(std::int32_t k, std::size_t first, std::size_t count) {
    const T* from = weights + static_cast<std::size_t>(k) * depth;
    rows.resize(Rows * depth);
    std::transform(from, from + Rows * depth, rows.begin(),
                   [](T v) { return static_cast<float>(v); });
    for (std::size_t start = 0; start < count; start += width) {
      const float* panel = panels.data() + start * depth;
      if (width == 1) {
        for (std::size_t i = 0; i < Rows; ++i)
          store(static_cast<std::size_t>(k) + i, first, d::dot(rows.data() + i * depth, panel, depth));
        continue;
      }
      std::array<std::array<double, d::columns>, Rows> sums;
      d::block<Rows>(rows.data(), panel, depth, sums);
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t p = 0; p < std::min(width, count - start); ++p)
          store(static_cast<std::size_t>(k) + i, first + start + p, sums[i][p]);
    }
  };

  for (std::int32_t group = 0; group < groups; ++group)
    for (std::size_t first = 0; first < area; first += tile) {
      const std::size_t count = std::min(tile, area - first);
      panels.resize((count + width - 1) / width * width * depth);
      for (std::size_t start = 0; start < count; start += width)
        gather(group, first + start, panels.data() + start * depth);
      std::int32_t k = group * group_k;
      for (; k + 4 <= (group + 1) * group_k; k += 4) kernels.template operator()<4>(k, first, count);
      for (; k < (group + 1) * group_k; ++k) kernels.template operator()<1>(k, first, count);
    }
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// The shape rule of a convolution, real or integer.
constexpr shape infer_convolution(const window& w, std::int32_t kernels, std::int32_t groups, shape in) {
  if (kernels < 1 || groups < 1) throw error("it has less than one kernel or group");
  if (in.c % groups != 0 || kernels % groups != 0)
    throw error(text("its ", groups, " groups do not divide the ", in.c, " input channels and the ",
                     kernels, " kernels"));
  const shape out = slide(w, in, kernels);
  if (product({kernels, in.c / groups, w.kernel_h, w.kernel_w}) > max_elements)
    throw error(text("it has more than ", max_elements, " weights"));
  return out;
}

// y[k] = bias[k] + sum over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][..][..]
struct convolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation

  constexpr shape infer(std::span<const shape> in) const {
    return infer_convolution(window, kernels, groups, in[0]);
  }
  // The number of weights for an input that `infer` accepts.
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, kernels, "bias");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                 [&](std::size_t k, std::size_t position, double sum) {
                   if (!bias.empty()) sum += static_cast<double>(bias[k]);
                   if (relu) sum = std::max(sum, 0.0);
                   y.values[k * area + position] = static_cast<float>(sum);
                 });
    return y;
  }
};
static_assert(operation<convolution>);

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// SDP's X1 behind CACC: a = saturate<32>(round_shift(sum, truncate));
// y = saturate<8>(relu(saturate<32>(round_shift((a + (bias[k] << bias_shift)) * multiplier[k], shift))))
// A fully connected layer is a convolution whose window covers its whole input.
// CACC saturates `sum` to 34 bits, which no kernel that fits the convolution buffer can reach.
struct convolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<std::int8_t> weights{};      // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<std::int16_t> bias{};        // [kernels]
  std::uint8_t bias_shift = 0;             // 0..16
  std::vector<std::int16_t> multiplier{};  // [kernels]
  std::uint8_t shift = 0;                  // 0..63
  std::uint8_t truncate = 0;               // CACC, 0..16
  bool relu = false;

  // The accumulated sum of kernel k as an output value.
  constexpr std::int8_t finish(std::int64_t sum, std::size_t k) const {
    const std::int64_t a = saturate<32>(round_shift(sum, truncate));
    const std::int64_t biased = a + (std::int64_t{bias[k]} << bias_shift);
    const std::int64_t y = saturate<32>(round_shift(biased * multiplier[k], shift));
    return static_cast<std::int8_t>(saturate<8>(relu ? std::max<std::int64_t>(y, 0) : y));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (bias_shift > 16 || truncate > 16 || shift > 63)
      throw error("its bias shift or truncation is above 16 or its shift above 63");
    return infer_convolution(window, kernels, groups, in[0]);
  }
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    check_values(bias, kernels, "bias", found, layer);
    check_values(multiplier, kernels, "multiplier", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    require_values(bias, kernels, "bias");
    require_values(multiplier, kernels, "multiplier");
    const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
    sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
                 [&](std::size_t k, std::size_t position, double sum) {
                   y.values[k * area + position] = finish(static_cast<std::int64_t>(sum), k);
                 });
    return y;
  }
};
static_assert(operation<convolution>);

}  // namespace nvdlac::net::integer
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>


namespace nvdlac::net::integer {

// Pixels (unsigned bytes, 1, 3 or 4 a pixel in the order of the network's channels) that CDMA's
// input converter turns into int8: saturate<8>(cvt(p - mean[c])); cvt.offset is 0.
struct pixels {
  std::array<std::int16_t, 4> mean{};
  converter cvt{};

  constexpr std::int8_t operator()(std::uint8_t p, std::size_t channel) const {
    return static_cast<std::int8_t>(saturate<8>(cvt(std::int64_t{p} - mean[channel])));
  }
};

// What the user gives to one input: int8 values, or the bytes of a picture [height][width][channel].
using feed = std::variant<int8_tensor, std::vector<std::uint8_t>>;

// Without `pixels` the host gives int8 values.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  std::optional<integer::pixels> pixels{};

  constexpr net::shape infer(std::span<const net::shape>) const {
    const net::shape s = checked_shape(shape);
    if (pixels && s.c != 1 && s.c != 3 && s.c != 4)
      throw error(text("a picture of ", s.c, " channels is none of 1, 3 or 4 bytes a pixel"));
    return s;
  }
  // Throws if the feed is of the other kind or of another size.
  int8_tensor evaluate(const feed& given) const {
    int8_tensor y{infer({})};
    if (const auto* values = std::get_if<int8_tensor>(&given)) {
      if (pixels) throw error("the input is a picture of bytes but int8 values are given");
      if (values->shape != shape || values->values.size() != shape.size())
        throw error(text("the input is ", shape, " but the given tensor is ", values->shape, " with ",
                         values->values.size(), " values"));
      return *values;
    }
    const auto& bytes = std::get<std::vector<std::uint8_t>>(given);
    if (!pixels) throw error("the input is int8 values but a picture of bytes is given");
    if (bytes.size() != shape.size())
      throw error(text("the input is a picture of ", shape.size(), " bytes but ", bytes.size(),
                       " are given"));
    const auto channels = static_cast<std::size_t>(shape.c);
    const std::size_t area = bytes.size() / channels;
    for (std::size_t p = 0; p < area; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = (*pixels)(bytes[p * channels + c], c);
    return y;
  }
};
static_assert(operation<input>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>


namespace nvdlac::net::integer {

// PDP. Maximum: over the elements of the window inside the input. Average: the window is clipped to
// the input (or, count_include_pad, to the padded input, padding being 0), rows x columns remain;
// y = round_shift(round_shift(sum * (65536 / columns), 16) * (65536 / rows), 16).
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};  // kernels at most 8 x 8
  bool ceil = false;
  bool count_include_pad = false;

  constexpr shape infer(std::span<const shape> in) const {
    if (window.kernel_h > 8 || window.kernel_w > 8) throw error("it pools a window larger than 8 x 8");
    return infer_pool(window, ceil, in[0]);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    const int8_tensor& x = *in[0];
    int8_tensor y{infer(std::array{x.shape})};
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t oy = 0; oy < y.shape.h; ++oy)
        for (std::int32_t ox = 0; ox < y.shape.w; ++ox)
          y.at(c, oy, ox) = reduce(x, c, pool_span::at(vertical(window), x.shape.h, oy),
                                   pool_span::at(horizontal(window), x.shape.w, ox));
    return y;
  }

 private:
  constexpr std::int8_t reduce(const int8_tensor& x, std::int32_t c, pool_span rows,
                               pool_span columns) const {
    std::int64_t sum = 0, top = -128;
    for (std::int32_t row = rows.begin; row < rows.end; ++row)
      for (std::int32_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t v = x.at(c, row, column);
        sum += v;
        top = std::max(top, v);
      }
    if (kind == pool_kind::maximum) return static_cast<std::int8_t>(top);
    const auto counted = [&](pool_span s) { return count_include_pad ? s.padded : s.end - s.begin; };
    const std::int64_t by_columns = round_shift(sum * (65536 / counted(columns)), 16);
    return static_cast<std::int8_t>(round_shift(by_columns * (65536 / counted(rows)), 16));
  }
};
static_assert(operation<pool>);

}  // namespace nvdlac::net::integer
#include <span>

#include <cstdint>
#include <span>


namespace nvdlac::net {

// The shape rule of a reshape, real or integer.
constexpr shape infer_reshape(shape target, shape in) {
  const shape out = checked_shape(target);
  if (out.size() != in.size())
    throw error(text("it reshapes ", in, " to ", out, ", which has another number of elements"));
  return out;
}

// The same values in dense c-h-w order under another shape of the same size.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};

  constexpr shape infer(std::span<const shape> in) const { return infer_reshape(target, in[0]); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

// A reshape to (c*h*w) x 1 x 1.
struct flatten {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const {
    return checked_shape(static_cast<std::int64_t>(in[0].size()), 1, 1);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<flatten>);

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// The same values in dense c-h-w order under another shape. Costs nothing when height and width
// are 1 before and after; else it is done by the host, on a graph's output only.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};

  constexpr shape infer(std::span<const shape> in) const { return infer_reshape(target, in[0]); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net::integer {

// SDP's X1 and X2 over a tensor in memory:
// y = saturate<8>(out(relu(saturate<32>(x * multiplier[c]) + (addend[c] << addend_shift))))
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<std::int16_t> multiplier{};  // [C] or one for all
  std::vector<std::int16_t> addend{};      // [C], one for all, or empty: nothing is added
  std::uint8_t addend_shift = 0;           // 0..16
  bool relu = false;
  converter out{};                         // offset 0

  constexpr std::int8_t finish(std::int8_t x, std::size_t channel) const {
    const auto of = [&](const auto& v) { return std::int64_t{v[v.size() == 1 ? 0 : channel]}; };
    std::int64_t y = saturate<32>(x * of(multiplier));
    if (!addend.empty()) y += of(addend) << addend_shift;
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr shape infer(std::span<const shape> in) const {
    if (addend_shift > 16) throw error("its addend shift is above 16");
    return in[0];
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier", found, layer);
    if (addend.size() > 1) check_values(addend, in[0].c, "addend", found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y = *in[0];
    infer(shapes_of(in));
    if (multiplier.size() != 1) require_values(multiplier, y.shape.c, "multiplier");
    if (addend.size() > 1) require_values(addend, y.shape.c, "addend");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(operation<scale>);

}  // namespace nvdlac::net::integer
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>


namespace nvdlac::net {

// The softmax of n values that lie `stride` apart; in double, the largest value subtracted first.
template <class T>
std::vector<double> softmax_of(const T* x, std::size_t n, std::size_t stride, double unit = 1.0) {
  double top = static_cast<double>(x[0]) * unit, sum = 0;
  for (std::size_t c = 1; c < n; ++c) top = std::max(top, static_cast<double>(x[c * stride]) * unit);
  std::vector<double> y(n);
  for (std::size_t c = 0; c < n; ++c)
    sum += y[c] = std::exp(static_cast<double>(x[c * stride]) * unit - top);
  for (double& v : y) v /= sum;
  return y;
}

// exp(x[c]) / sum over the channels of exp(x), at each height and width.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<float>(column[c]);
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// On the host: saturate<8>(round(softmax(scale_in * x) / scale_out)), over the channels; in double,
// rounded half away from zero.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  // scale_in and scale_out belong to the input's and to the output's tensor.
  int8_tensor evaluate(std::span<const int8_tensor* const> in, double scale_in, double scale_out) const {
    if (!(scale_in > 0) || !(scale_out > 0)) throw error("a softmax has a scale that is not above 0");
    int8_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area, scale_in);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<std::int8_t>(
            std::min(std::round(column[c] / scale_out), 127.0));
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net::integer

namespace nvdlac::net::integer {

using operators = type_list<input, constant, convolution, pool, scale, add, concat, reshape, softmax>;
using graph = basic_graph<operators>;

}  // namespace nvdlac::net::integer

namespace nvdlac::plan {

// Which memory holds a buffer: the weights pool is loaded once; the feature pool is scratch shared
// by buffers that do not live at the same time; inputs and outputs are the user's own memories.
enum class memory : std::uint8_t { weights, features, input, output };

struct buffer {
  std::string name;
  plan::memory memory = memory::features;
  std::uint64_t size = 0;            // bytes
  std::vector<std::uint8_t> content{};  // weights: `size` bytes; else empty
  std::uint64_t offset = 0;          // in its pool, set by placement; 0 for inputs and outputs
};

// The engines as the firmware numbers them.
enum class engine : std::uint8_t { bdma = 0, convolution = 1, sdp = 2, pdp = 3, cdp = 4, rubik = 5 };
inline constexpr std::size_t engines = 6;

// What a consumer waits for: the firmware's event codes.
enum class event : std::uint8_t { completed = 1, programmed = 2, enabled = 3 };

struct link {
  std::int16_t operation = -1;  // index within the task; -1: none
  plan::event event = event::completed;
};

// A hardware (or host) layer with its dependencies inside its task.
struct operation {
  layer::layer layer{};
  std::array<link, engines> consumers{};  // by the consumer's engine
  link fused_parent{};
  std::uint8_t dependency_count = 0;
};

// Operations that are submitted together: any number of hardware layers, or one host layer.
struct task {
  bool host = false;
  std::vector<operation> operations{};
};

// A tensor that the user gives or gets.
struct binding {
  std::string name;                  // of the network's tensor
  layer::surface surface{};          // in its own buffer
  net::shape shape{};                // as the network sees it
  double scale = 1.0;                // real = scale * integer
  std::optional<net::integer::pixels> pixels{};  // the input is a picture of unsigned bytes
};

// What one NVDLA needs to compute a network: memory and operations.
struct program_data {
  std::string network;               // name of the model
  std::vector<buffer> buffers{};
  std::vector<task> tasks{};
  std::vector<binding> inputs{}, outputs{};
  std::uint64_t weights_size = 0;    // bytes of the weights pool
  std::uint64_t features_size = 0;   // bytes of the feature pool: the peak
  std::uint64_t features_bound = 0;  // most bytes alive at one time: no placement needs less
};

// The program of one product.
template <hw::hardware Hw>
struct program : program_data {};

constexpr std::size_t index(engine e) { return static_cast<std::size_t>(e); }

}  // namespace nvdlac::plan

namespace nvdlac::emit {

constexpr plan::engine engine_of(const layer::any& l) {
  if (std::holds_alternative<layer::convolution>(l)) return plan::engine::convolution;
  if (std::holds_alternative<layer::pdp>(l)) return plan::engine::pdp;
  return plan::engine::sdp;
}

// Calls f with every surface in memory (or on the fly) that the layer names.
template <class Layer, class F>
constexpr void for_each_surface(Layer& l, F&& f) {
  std::visit([&](auto& what) {
    using type = std::remove_cvref_t<decltype(what)>;
    f(what.input);
    if constexpr (std::is_same_v<type, layer::convolution>) {
      f(what.weights);
    } else {
      f(what.output);
    }
    if constexpr (std::is_same_v<type, layer::sdp>) {
      if (reads_memory(what.x1)) f(what.x1.operands);
      if (reads_memory(what.x2)) f(what.x2.operands);
    }
  }, l);
}

// Appends an element to the operation list and one to the surface list.
inline void encode(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                   std::vector<std::uint8_t>& surfaces) {
  const auto append = [&](const auto& d) {
    write_record(operations, d.op, firmware::operation_bytes);
    write_record(surfaces, d.surface, firmware::surface_bytes);
  };
  if (const auto* c = std::get_if<layer::convolution>(&l)) append(encode(*c, atom));
  if (const auto* s = std::get_if<layer::sdp>(&l)) append(encode(*s, atom));
  if (const auto* p = std::get_if<layer::pdp>(&l)) append(encode(*p));
}

// Element `index` of both lists, of the engine `type`. What cannot be decoded is an `error` that
// names the operation and the field.
inline layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                         std::span<const std::uint8_t> surfaces, std::size_t index) {
  const auto of = [&]<class Descriptor>(Descriptor d) -> layer::any {
    d.op = read_record<decltype(d.op)>(operations, index, firmware::operation_bytes);
    d.surface = read_record<decltype(d.surface)>(surfaces, index, firmware::surface_bytes);
    return decode(d);
  };
  try {
    switch (static_cast<plan::engine>(type)) {
      case plan::engine::convolution: return of(convolution_descriptor{});
      case plan::engine::sdp: return of(sdp_descriptor{});
      case plan::engine::pdp: return of(pdp_descriptor{});
      default: throw error(text("the operation type ", type, " is not supported"));
    }
  } catch (const error& e) {
    throw error(problem{.layer = text("operation ", index), .reason = e.problems().front().reason});
  }
}

constexpr firmware::consumer encode(const plan::link& l) {
  return {l.operation, static_cast<std::uint8_t>(l.event)};
}

// Appends an element to the dependency graph.
inline void encode_dependencies(const plan::operation& op, std::size_t index,
                                std::vector<std::uint8_t>& graph) {
  firmware::common c;
  c.index = narrow<std::int16_t>(index, "common.index");
  c.op_type = static_cast<std::uint8_t>(engine_of(op.layer.what));
  c.dependency_count = op.dependency_count;
  for (std::size_t e = 0; e < plan::engines; ++e) c.consumers[e] = encode(op.consumers[e]);
  c.fused_parent = encode(op.fused_parent);
  write_record(graph, c, byte_size<firmware::common>());
}

}  // namespace nvdlac::emit
// What is common to all engines: layers of any kind, interrupts, and whose turn it is.
#include <type_traits>


namespace nvdlac::emit {
namespace detail {

template <class Set>
constexpr void point_convolution(const Set& set, unsigned group) {
  set("CACC.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CMAC_A.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CMAC_B.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CSC.S_POINTER"_reg, "PRODUCER"_is(group));
  set("CDMA.S_POINTER"_reg, "PRODUCER"_is(group));
}

// CACC sees a packed cube of its output; SDP decides where the result really goes.
template <class Set>
constexpr void program_cacc(const layer::convolution& l, bytes atom, const Set& set) {
  const auto out = layer::packed(l.output, atom);
  const bool one = l.output.w == 1 && l.output.h == 1;
  set("CACC.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  set("CACC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CACC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CACC.D_DATAOUT_ADDR"_reg, bytes{0});
  set("CACC.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CACC.D_LINE_STRIDE"_reg, bytes{out.line_stride});
  set("CACC.D_SURF_STRIDE"_reg, bytes{out.surface_stride});
  set("CACC.D_DATAOUT_MAP"_reg, "LINE_PACKED"_is(one), "SURF_PACKED"_is(one));
  set("CACC.D_CLIP_CFG"_reg, "CLIP_TRUNCATE"_is(l.truncate));
}

template <class Set>
constexpr void program_csc(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  // Pixels: one line of a kernel is one long row of channels, width 1.
  const auto kernel_c = l.is_pixel() ? l.input.shape.c * w.kernel_w : l.input.shape.c;
  set("CSC.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  set("CSC.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()));
  set("CSC.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(l.input.shape.w - 1),
      "DATAIN_HEIGHT_EXT"_is(l.input.shape.h - 1));
  set("CSC.D_DATAIN_SIZE_EXT_1"_reg, "DATAIN_CHANNEL_EXT"_is(l.input.shape.c - 1));
  set("CSC.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CSC.D_POST_Y_EXTENSION"_reg, "Y_EXTENSION"_is(0));
  set("CSC.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CSC.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(0));
  set("CSC.D_WEIGHT_SIZE_EXT_0"_reg, "WEIGHT_WIDTH_EXT"_is(l.kernel_width_csc() - 1),
      "WEIGHT_HEIGHT_EXT"_is(w.kernel_h - 1));
  set("CSC.D_WEIGHT_SIZE_EXT_1"_reg, "WEIGHT_CHANNEL_EXT"_is(kernel_c - 1),
      "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CSC.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  set("CSC.D_WMB_BYTES"_reg, bytes{0});
  set("CSC.D_DATAOUT_SIZE_0"_reg, "DATAOUT_WIDTH"_is(l.output.w - 1),
      "DATAOUT_HEIGHT"_is(l.output.h - 1));
  set("CSC.D_DATAOUT_SIZE_1"_reg, "DATAOUT_CHANNEL"_is(l.output.c - 1));
  set("CSC.D_ATOMICS"_reg, "ATOMICS"_is(std::int64_t{l.output.w} * l.output.h - 1));
  set("CSC.D_RELEASE"_reg, "RLS_SLICES"_is(l.release - 1));
  set("CSC.D_CONV_STRIDE_EXT"_reg, "CONV_X_STRIDE_EXT"_is(w.stride_w - 1),
      "CONV_Y_STRIDE_EXT"_is(w.stride_h - 1));
  set("CSC.D_DILATION_EXT"_reg, "X_DILATION_EXT"_is(w.dilation_w - 1),
      "Y_DILATION_EXT"_is(w.dilation_h - 1));
  set("CSC.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_TOP"_is(w.pad_top));
  set("CSC.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CSC.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CSC.D_PRA_CFG"_reg, "PRA_TRUNCATE"_is(0));
}

template <class Set>
constexpr void program_cdma_input(const layer::convolution& l, place in, bytes atom,
                                  const Set& set) {
  const auto& s = l.input;
  const bool feature = !l.is_pixel();
  const auto line = layer::packed(s.shape, atom);
  set("CDMA.D_DATAIN_FORMAT"_reg, "DATAIN_FORMAT"_is(l.is_pixel()),
      "PIXEL_FORMAT"_is(feature ? 0 : static_cast<int>(l.format)), "PIXEL_MAPPING"_is(0),
      "PIXEL_SIGN_OVERRIDE"_is(l.pixels_signed));
  set("CDMA.D_DATAIN_SIZE_0"_reg, "DATAIN_WIDTH"_is(s.shape.w - 1),
      "DATAIN_HEIGHT"_is(s.shape.h - 1));
  set("CDMA.D_DATAIN_SIZE_1"_reg, "DATAIN_CHANNEL"_is(s.shape.c - 1));
  set("CDMA.D_DATAIN_SIZE_EXT_0"_reg, "DATAIN_WIDTH_EXT"_is(s.shape.w - 1),
      "DATAIN_HEIGHT_EXT"_is(s.shape.h - 1));
  set("CDMA.D_PIXEL_OFFSET"_reg, "PIXEL_X_OFFSET"_is(0), "PIXEL_Y_OFFSET"_is(0));
  set("CDMA.D_DAIN_RAM_TYPE"_reg, "DATAIN_RAM_TYPE"_is(in.dram));
  set.address("CDMA.D_DAIN_ADDR_HIGH_0"_reg, "CDMA.D_DAIN_ADDR_LOW_0"_reg, in.address);
  set.address("CDMA.D_DAIN_ADDR_HIGH_1"_reg, "CDMA.D_DAIN_ADDR_LOW_1"_reg, 0);
  set("CDMA.D_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("CDMA.D_SURF_STRIDE"_reg, bytes{s.surface_stride});
  set("CDMA.D_LINE_UV_STRIDE"_reg, bytes{0});
  set("CDMA.D_DAIN_MAP"_reg, "LINE_PACKED"_is(feature && s.line_stride == line.line_stride),
      "SURF_PACKED"_is(feature && s.surface_stride == line.surface_stride));
  set("CDMA.D_BATCH_NUMBER"_reg, "BATCHES"_is(0));
  set("CDMA.D_BATCH_STRIDE"_reg, bytes{0});
  set("CDMA.D_ENTRY_PER_SLICE"_reg, "ENTRIES"_is(l.entries_per_slice - 1));
  set("CDMA.D_FETCH_GRAIN"_reg, "GRAINS"_is(l.fetch_grain - 1));
}

template <class Set>
constexpr void program_cdma_weights(const layer::convolution& l, place weights, const Set& set) {
  set("CDMA.D_WEIGHT_FORMAT"_reg, "WEIGHT_FORMAT"_is(0));
  set("CDMA.D_WEIGHT_SIZE_0"_reg, "BYTE_PER_KERNEL"_is(l.bytes_per_kernel() - 1));
  set("CDMA.D_WEIGHT_SIZE_1"_reg, "WEIGHT_KERNEL"_is(l.output.c - 1));
  set("CDMA.D_WEIGHT_RAM_TYPE"_reg, "WEIGHT_RAM_TYPE"_is(weights.dram));
  set.address("CDMA.D_WEIGHT_ADDR_HIGH"_reg, "CDMA.D_WEIGHT_ADDR_LOW"_reg, weights.address);
  set("CDMA.D_WEIGHT_BYTES"_reg, bytes{l.weights.size});
  set("CDMA.D_WMB_BYTES"_reg, bytes{0});
}

template <class Set>
constexpr void program_cdma_values(const layer::convolution& l, const Set& set) {
  const auto& w = l.window;
  set("CDMA.D_MEAN_FORMAT"_reg, "MEAN_FORMAT"_is(l.use_mean));
  set("CDMA.D_MEAN_GLOBAL_0"_reg, "MEAN_RY"_is(l.mean[0]), "MEAN_GU"_is(l.mean[1]));
  set("CDMA.D_MEAN_GLOBAL_1"_reg, "MEAN_BV"_is(l.mean[2]), "MEAN_AX"_is(l.mean[3]));
  const auto cvt = l.convert ? l.cvt : converter{};
  set("CDMA.D_CVT_CFG"_reg, "CVT_EN"_is(l.convert), "CVT_TRUNCATE"_is(cvt.shift));
  set("CDMA.D_CVT_OFFSET"_reg, "CVT_OFFSET"_is(cvt.offset));
  set("CDMA.D_CVT_SCALE"_reg, "CVT_SCALE"_is(cvt.scale));
  set("CDMA.D_CONV_STRIDE"_reg, "CONV_X_STRIDE"_is(w.stride_w - 1),
      "CONV_Y_STRIDE"_is(w.stride_h - 1));
  set("CDMA.D_ZERO_PADDING"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_RIGHT"_is(w.pad_right),
      "PAD_TOP"_is(w.pad_top), "PAD_BOTTOM"_is(w.pad_bottom));
  set("CDMA.D_ZERO_PADDING_VALUE"_reg, "PAD_VALUE"_is(l.pad_value));
  set("CDMA.D_BANK"_reg, "DATA_BANK"_is(l.data_banks - 1), "WEIGHT_BANK"_is(l.weight_banks - 1));
  set("CDMA.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
}

}  // namespace detail

// Writes the D_ registers of CACC, CMAC, CSC and CDMA in the order of the firmware, group
// `g.core`. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::convolution& l, const addresses auto& where, groups g,
                       Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const bytes atom = Hw::spec.atom();
  detail::point_convolution(set, g.core);
  detail::program_cacc(l, atom, set);
  set("CMAC_A.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  set("CMAC_B.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "PROC_PRECISION"_is(0));
  detail::program_csc(l, set);
  set("CDMA.D_MISC_CFG"_reg, "CONV_MODE"_is(0), "IN_PRECISION"_is(0), "PROC_PRECISION"_is(0),
      "DATA_REUSE"_is(l.data_reuse), "WEIGHT_REUSE"_is(l.weight_reuse),
      "SKIP_DATA_RLS"_is(l.skip_data_release), "SKIP_WEIGHT_RLS"_is(l.skip_weight_release));
  detail::program_cdma_input(l, where(l.input.at), atom, set);
  detail::program_cdma_weights(l, where(l.weights.at), set);
  detail::program_cdma_values(l, set);
}

// Starts the convolution; the SDP layer that takes its result must have been enabled before.
template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::convolution&, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_convolution(set, g.core);
  set.wait_for("CDMA.S_CBUF_FLUSH_STATUS"_reg);
  set("CACC.D_OP_ENABLE"_reg, 1);
  set("CMAC_A.D_OP_ENABLE"_reg, 1);
  set("CMAC_B.D_OP_ENABLE"_reg, 1);
  set("CSC.D_OP_ENABLE"_reg, 1);
  set("CDMA.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

// Whether the layer uses PDP_RDMA; if not, its group stays where it is.
constexpr bool needs_rdma(const layer::pdp& l) { return !l.input.at.on_the_fly(); }

namespace detail {

template <class Set>
constexpr void point_pdp(const Set& set, groups g) {
  set("PDP.S_POINTER"_reg, "PRODUCER"_is(g.core));
  set("PDP_RDMA.S_POINTER"_reg, "PRODUCER"_is(g.rdma));
}

// A part of a split that does not exist has width 0, which the field (width - 1) stores as 0.
constexpr std::int64_t part(std::uint16_t width) { return width == 0 ? 0 : width - 1; }

template <class Set>
constexpr void program_pdp_rdma(const layer::pdp& l, place in, const Set& set) {
  const auto& s = l.input;
  set("PDP_RDMA.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(s.shape.w - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(s.shape.h - 1));
  set("PDP_RDMA.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(s.shape.c - 1));
  set("PDP_RDMA.D_FLYING_MODE"_reg, "FLYING_MODE"_is(1));  // 1: from memory
  set.address("PDP_RDMA.D_SRC_BASE_ADDR_HIGH"_reg, "PDP_RDMA.D_SRC_BASE_ADDR_LOW"_reg, in.address);
  set("PDP_RDMA.D_SRC_LINE_STRIDE"_reg, bytes{s.line_stride});
  set("PDP_RDMA.D_SRC_SURFACE_STRIDE"_reg, bytes{s.surface_stride});
  set("PDP_RDMA.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(0));
  set("PDP_RDMA.D_SRC_RAM_CFG"_reg, "SRC_RAM_TYPE"_is(in.dram));
  set("PDP_RDMA.D_OPERATION_MODE_CFG"_reg, "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP_RDMA.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(l.window.kernel_w - 1),
      "KERNEL_STRIDE_WIDTH"_is(l.window.stride_w - 1));
  set("PDP_RDMA.D_POOLING_PADDING_CFG"_reg, "PAD_WIDTH"_is(l.window.pad_left));
  set("PDP_RDMA.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(part(l.split.in_last)));
}

template <class Set>
constexpr void program_window(const layer::pdp& l, const Set& set) {
  const auto& w = l.window;
  set("PDP.D_POOLING_KERNEL_CFG"_reg, "KERNEL_WIDTH"_is(w.kernel_w - 1),
      "KERNEL_HEIGHT"_is(w.kernel_h - 1), "KERNEL_STRIDE_WIDTH"_is(w.stride_w - 1),
      "KERNEL_STRIDE_HEIGHT"_is(w.stride_h - 1));
  set("PDP.D_RECIP_KERNEL_WIDTH"_reg, "RECIP_KERNEL_WIDTH"_is(65536 / w.kernel_w));
  set("PDP.D_RECIP_KERNEL_HEIGHT"_reg, "RECIP_KERNEL_HEIGHT"_is(65536 / w.kernel_h));
  set("PDP.D_POOLING_PADDING_CFG"_reg, "PAD_LEFT"_is(w.pad_left), "PAD_TOP"_is(w.pad_top),
      "PAD_RIGHT"_is(w.pad_right), "PAD_BOTTOM"_is(w.pad_bottom));
  // Register n holds what n missing columns add to a row's sum.
  const std::int64_t pad = l.pad_value;
  set("PDP.D_POOLING_PADDING_VALUE_1_CFG"_reg, pad);
  set("PDP.D_POOLING_PADDING_VALUE_2_CFG"_reg, 2 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_3_CFG"_reg, 3 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_4_CFG"_reg, 4 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_5_CFG"_reg, 5 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_6_CFG"_reg, 6 * pad);
  set("PDP.D_POOLING_PADDING_VALUE_7_CFG"_reg, 7 * pad);
}

}  // namespace detail

// Writes the D_ registers of PDP_RDMA and PDP. A value that does not fit its field is an `error`.
template <hw::hardware Hw, class Bus>
constexpr void program(const layer::pdp& l, const addresses auto& where, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  const bool memory = needs_rdma(l);
  detail::point_pdp(set, g);
  if (memory) detail::program_pdp_rdma(l, where(l.input.at), set);
  set("PDP.D_DATA_CUBE_IN_WIDTH"_reg, "CUBE_IN_WIDTH"_is(l.input.shape.w - 1));
  set("PDP.D_DATA_CUBE_IN_HEIGHT"_reg, "CUBE_IN_HEIGHT"_is(l.input.shape.h - 1));
  set("PDP.D_DATA_CUBE_IN_CHANNEL"_reg, "CUBE_IN_CHANNEL"_is(l.input.shape.c - 1));
  set("PDP.D_DATA_CUBE_OUT_WIDTH"_reg, "CUBE_OUT_WIDTH"_is(l.output.shape.w - 1));
  set("PDP.D_DATA_CUBE_OUT_HEIGHT"_reg, "CUBE_OUT_HEIGHT"_is(l.output.shape.h - 1));
  set("PDP.D_DATA_CUBE_OUT_CHANNEL"_reg, "CUBE_OUT_CHANNEL"_is(l.output.shape.c - 1));
  set("PDP.D_OPERATION_MODE_CFG"_reg, "POOLING_METHOD"_is(static_cast<int>(l.kind)),
      "FLYING_MODE"_is(memory), "SPLIT_NUM"_is(l.split.parts - 1));
  set("PDP.D_NAN_FLUSH_TO_ZERO"_reg, "NAN_TO_ZERO"_is(0));
  set("PDP.D_PARTIAL_WIDTH_IN"_reg, "PARTIAL_WIDTH_IN_FIRST"_is(detail::part(l.split.in_first)),
      "PARTIAL_WIDTH_IN_MID"_is(detail::part(l.split.in_mid)),
      "PARTIAL_WIDTH_IN_LAST"_is(detail::part(l.split.in_last)));
  set("PDP.D_PARTIAL_WIDTH_OUT"_reg,
      "PARTIAL_WIDTH_OUT_FIRST"_is(detail::part(l.split.out_first)),
      "PARTIAL_WIDTH_OUT_MID"_is(detail::part(l.split.out_mid)),
      "PARTIAL_WIDTH_OUT_LAST"_is(detail::part(l.split.out_last)));
  detail::program_window(l, set);
  if (memory) {
    const place in = where(l.input.at);
    set.address("PDP.D_SRC_BASE_ADDR_HIGH"_reg, "PDP.D_SRC_BASE_ADDR_LOW"_reg, in.address);
    set("PDP.D_SRC_LINE_STRIDE"_reg, bytes{l.input.line_stride});
    set("PDP.D_SRC_SURFACE_STRIDE"_reg, bytes{l.input.surface_stride});
  }
  const place out = where(l.output.at);
  set.address("PDP.D_DST_BASE_ADDR_HIGH"_reg, "PDP.D_DST_BASE_ADDR_LOW"_reg, out.address);
  set("PDP.D_DST_LINE_STRIDE"_reg, bytes{l.output.line_stride});
  set("PDP.D_DST_SURFACE_STRIDE"_reg, bytes{l.output.surface_stride});
  set("PDP.D_DST_RAM_CFG"_reg, "DST_RAM_TYPE"_is(out.dram));
  set("PDP.D_DATA_FORMAT"_reg, "INPUT_DATA"_is(0));
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::pdp& l, groups g, Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  detail::point_pdp(set, g);
  if (needs_rdma(l)) set("PDP_RDMA.D_OP_ENABLE"_reg, 1);
  set("PDP.D_OP_ENABLE"_reg, 1);
}

}  // namespace nvdlac::emit

namespace nvdlac::emit {

// Once before the first layer: all interrupts on, CDMA's arbiter as the firmware sets it.
template <hw::hardware Hw, class Bus>
constexpr void initialize(Bus&& b) {
  const register_writer<Hw::spec.map, std::remove_reference_t<Bus>> set(b);
  set("GLB.S_INTR_MASK"_reg);
  set("CDMA.S_ARBITER"_reg, "ARB_WEIGHT"_is(15), "ARB_WMB"_is(3));
}

// Programs the hardware layer; a value that does not fit its register field is an `error` that
// names the layer. Layers of the host are not programmed.
template <hw::hardware Hw, class Bus>
void program(const layer::layer& l, const addresses auto& where, groups g, Bus&& b) {
  try {
    std::visit([&](const auto& what) {
      if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, layer::host_softmax>)
        program<Hw>(what, where, g, b);
    }, l.what);
  } catch (const error& e) {
    auto problems = e.problems();
    for (auto& p : problems)
      if (p.layer.empty()) p.layer = l.name;
    throw error(std::move(problems));
  }
}

template <hw::hardware Hw, class Bus>
constexpr void enable(const layer::any& l, groups g, Bus&& b) {
  std::visit([&](const auto& what) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, layer::host_softmax>)
      enable<Hw>(what, g, b);
  }, l);
}

constexpr bool needs_rdma(const layer::any& l) {
  if (const auto* s = std::get_if<layer::sdp>(&l)) return needs_rdma(*s);
  if (const auto* p = std::get_if<layer::pdp>(&l)) return needs_rdma(*p);
  return false;
}

// The S_INTR_STATUS bits that say that the layer in a group is done; the numbers are the same in
// both maps. A convolution is done when CACC is.
constexpr std::uint32_t done_bits(const layer::any& l, groups g) {
  constexpr auto map = hw::register_map::small;
  constexpr auto first = [](const hw::field& f) { return static_cast<unsigned>(f.lsb); };
  if (std::holds_alternative<layer::sdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.SDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::pdp>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.PDP_DONE_STATUS0">) + g.core);
  if (std::holds_alternative<layer::convolution>(l))
    return 1u << (first(hw::field_of<map, "GLB.S_INTR_STATUS.CACC_DONE_STATUS0">) + g.core);
  return 0;
}

// Hands out register groups in the order in which the hardware works through them.
class group_turns {
 public:
  constexpr groups next(const layer::any& l) {
    auto& turn = turns_[l.index()];
    const groups g = turn;
    turn.core ^= 1u;
    if (needs_rdma(l)) turn.rdma ^= 1u;
    return g;
  }

 private:
  groups turns_[std::variant_size_v<layer::any>]{};
};

}  // namespace nvdlac::emit
#include <bit>


namespace nvdlac::hw {
namespace detail {

constexpr bool power_of_two(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
  return std::has_single_bit(n) && from <= n && n <= to;
}

constexpr void validate_mac(const spec& s) {
  if (!s.data_types.int8) throw "nvdlac: every MAC computes int8, so data_types must have int8";
  if (!power_of_two(s.memory_atom, 8, 32)) throw "nvdlac: memory_atom must be 8, 16 or 32 bytes";
  if (!power_of_two(s.mac_atomic_c, 8, 64))
    throw "nvdlac: mac_atomic_c must be a power of two from 8 to 64 channels";
  if (!power_of_two(s.mac_atomic_k, 8, 32))
    throw "nvdlac: mac_atomic_k must be a power of two from 8 to 32 kernels";
  if (s.mac_atomic_c < s.memory_atom)
    throw "nvdlac: mac_atomic_c must take at least the channels of one memory_atom";
  if (s.mac_atomic_c / s.memory_atom > 4)
    throw "nvdlac: mac_atomic_c must take at most 4 memory atoms at once";
  if (s.mac_atomic_k % s.memory_atom != 0)
    throw "nvdlac: mac_atomic_k must be a multiple of memory_atom: a kernel group fills surfaces";
}

// One bank holds data and another one weights. Rows of the buffer are read whole by a MAC cell, so
// an entry holds mac_atomic_c bytes of int8, or as many of the two-byte types.
constexpr void validate_cbuf(const spec& s) {
  const auto banks = find_field(s.map, "CDMA.D_BANK.DATA_BANK")->max() + 1;
  if (s.cbuf_banks < 2)
    throw "nvdlac: cbuf_banks must be at least 2, one for data and one for weights";
  if (s.cbuf_banks > banks) {
    if (s.map == register_map::full)
      throw "nvdlac: cbuf_banks must be at most 16, the range of CDMA.D_BANK in the full map";
    throw "nvdlac: cbuf_banks must be at most 32, the range of CDMA.D_BANK in the small map";
  }
  if (!std::has_single_bit(s.cbuf_entry)) throw "nvdlac: cbuf_entry must be a power of two";
  if (s.cbuf_entry % s.memory_atom != 0)
    throw "nvdlac: cbuf_entry must be a multiple of memory_atom";
  if (s.cbuf_entry != s.mac_atomic_c && !(s.cbuf_entry == 2 * s.mac_atomic_c && s.data_types.int16))
    throw "nvdlac: cbuf_entry must be mac_atomic_c bytes, or twice that with int16 or fp16";
  if (!power_of_two(s.cbuf_entries_per_bank, 16, 4096))
    throw "nvdlac: cbuf_entries_per_bank must be a power of two from 16 to 4096";
  // The weights are padded to 128 bytes and a kernel group of 1x1 kernels must fit one bank.
  if (s.cbuf_bank().n < std::uint64_t{s.mac_atomic_c} * s.mac_atomic_k || s.cbuf_bank().n < 128)
    throw "nvdlac: a CBUF bank must hold mac_atomic_c x mac_atomic_k bytes and at least 128";
}

constexpr void validate_post(const spec& s) {
  if (!power_of_two(s.sdp_bs_bn_throughput, 1, 16))
    throw "nvdlac: sdp_bs_bn_throughput must be a power of two from 1 to 16";
  if (s.has_ew() && !power_of_two(s.sdp_ew_throughput, 1, 16))
    throw "nvdlac: sdp_ew_throughput must be 0 (no EW unit) or a power of two from 1 to 16";
  if (s.sdp_ew_throughput > s.sdp_bs_bn_throughput)
    throw "nvdlac: sdp_ew_throughput must not exceed sdp_bs_bn_throughput";
  if (s.sdp_lut && !s.has_ew())
    throw "nvdlac: sdp_lut needs the EW unit, so sdp_ew_throughput must not be 0";
  if (s.has_pdp() && !power_of_two(s.pdp_throughput, 1, 8))
    throw "nvdlac: pdp_throughput must be 0 (no PDP) or a power of two from 1 to 8";
  if (s.has_cdp() && !power_of_two(s.cdp_throughput, 1, 8))
    throw "nvdlac: cdp_throughput must be 0 (no CDP) or a power of two from 1 to 8";
}

constexpr void validate_memory(const spec& s) {
  for (const auto& m : {s.dram, s.sram}) {
    if (m.width_bits == 0) continue;
    if (!power_of_two(m.width_bits, 64, 512))
      throw "nvdlac: a memory interface must be 64, 128, 256 or 512 bits wide";
    if (!power_of_two(m.burst, 1, 4)) throw "nvdlac: the burst of a memory must be 1, 2 or 4 words";
    if (m.latency == 0 || m.latency > 65535)
      throw "nvdlac: the latency of a memory must be 1 to 65535 cycles";
    if (m.width_bits % (8 * s.memory_atom) != 0)
      throw "nvdlac: the width of a memory must be a multiple of memory_atom";
  }
  if (s.dram.width_bits == 0) throw "nvdlac: every configuration needs the memory interface dram";
  if (!s.has_sram() && (s.sram.burst != 0 || s.sram.latency != 0))
    throw "nvdlac: sram without a width must not have a burst or a latency";
  if (s.address_bits != 32 && s.address_bits != 64)
    throw "nvdlac: address_bits must be 32 or 64";
}

// int16 and fp16 were published with the full map only; its address fields drop 5 bits.
constexpr void validate_map(const spec& s) {
  const bool full = s.map == register_map::full;
  if (!full && (s.data_types.int16 || s.data_types.fp16))
    throw "nvdlac: int16 and fp16 exist in the full register map only";
  if (s.data_types.int16 != s.data_types.fp16)
    throw "nvdlac: int16 and fp16 share one data path, so a configuration has both or neither";
  if (full && s.memory_atom != 32)
    throw "nvdlac: the full register map drops 5 address bits, so memory_atom must be 32";
  if (full && s.address_bits != 64) throw "nvdlac: the full register map needs 64 address_bits";
  if (s.bdma && !s.has_sram())
    throw "nvdlac: bdma copies between dram and sram, so it needs an sram interface";
  if (s.weight_compression && s.cbuf_banks < 3)
    throw "nvdlac: weight_compression needs a third CBUF bank for the masks of the weights";
}

}  // namespace detail

// Throws the sentence that names the broken rule; while compiling, it is the compile error.
// The rules are those of NVDLA's spec files, where every published value obeys them.
constexpr bool validate(const spec& s) {
  detail::validate_mac(s);
  detail::validate_cbuf(s);
  detail::validate_post(s);
  detail::validate_memory(s);
  detail::validate_map(s);
  return true;
}

// static_assert(hw::validated<mine>): the configuration is legal, or does not compile.
template <hardware Hw>
inline constexpr bool validated = validate(Hw::spec);

}  // namespace nvdlac::hw

namespace nvdlac {

// 2048 int8 or 1024 int16/fp16 MACs and every unit (the first public version). Its CBUF
// has entries of 128 bytes for the compiler and the C-model: two rows of 64 in the RTL.
struct nv_full {
  static constexpr hw::spec spec{
      .data_types = {.int8 = true, .int16 = true, .fp16 = true},
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 128,
      .cbuf_entries_per_bank = 256,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .weight_compression = true,
      .winograd = true,
      .batch = true,
      .bdma = true,
      .rubik = true,
      .dram = {.width_bits = 512, .burst = 1, .latency = 1200},
      .sram = {.width_bits = 512, .burst = 4, .latency = 128},
      .address_bits = 64,
      .map = hw::register_map::full,
  };
};
static_assert(hw::validated<nv_full>);

}  // namespace nvdlac

namespace nvdlac {

// 2048 MACs, int8 only (branch master of the public hardware).
struct nv_large {
  static constexpr hw::spec spec{
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 64,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .dram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_large>);

}  // namespace nvdlac

namespace nvdlac {

// 1024 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_medium_1024_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 8,
      .sdp_ew_throughput = 2,
      .sdp_lut = true,
      .pdp_throughput = 4,
      .cdp_throughput = 4,
      .dram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_1024_full>);

}  // namespace nvdlac

namespace nvdlac {

// 512 MACs, no look-up table, one memory.
struct nv_medium_512 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 16,
      .memory_atom = 16,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 4,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 2,
      .cdp_throughput = 2,
      .dram = {.width_bits = 128, .burst = 4, .latency = 256},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_512>);

}  // namespace nvdlac

namespace nvdlac {

// The smallest: 64 MACs, no look-up table, one memory.
struct nv_small {
  static constexpr hw::spec spec{
      .mac_atomic_c = 8,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 8,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 1,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 1, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small>);

}  // namespace nvdlac

namespace nvdlac {

// 256 MACs with the small post-processing units, one memory.
struct nv_small_256 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
      .sdp_bs_bn_throughput = 1,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 1, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small_256>);

}  // namespace nvdlac

namespace nvdlac {

// 256 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_small_256_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
      .sdp_bs_bn_throughput = 2,
      .sdp_ew_throughput = 1,
      .sdp_lut = true,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 4, .latency = 64},
      .sram = {.width_bits = 64, .burst = 4, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small_256_full>);

}  // namespace nvdlac

namespace nvdlac::hw {

// The published configurations, from the smallest to the largest.
using published = type_list<nv_small, nv_small_256, nv_small_256_full, nv_medium_512,
                            nv_medium_1024_full, nv_large, nv_full>;

}  // namespace nvdlac::hw
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[c] = gamma[c] * (x[c] - mean[c]) / sqrt(variance[c] + epsilon) + beta[c]
struct batch_norm {
  static constexpr arity inputs{1, 1};

  std::vector<float> mean{}, variance{};  // [C]
  std::vector<float> gamma{}, beta{};     // [C], or empty: 1 and 0
  float epsilon = 1e-5F;

  // The same as factor * x + bias, for one channel.
  struct line {
    double factor, bias;
  };
  line on_channel(std::size_t c) const {
    const double factor = (gamma.empty() ? 1.0 : static_cast<double>(gamma[c])) /
                          std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
    return {factor, (beta.empty() ? 0.0 : static_cast<double>(beta[c])) -
                        factor * static_cast<double>(mean[c])};
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(mean, in[0].c, "mean", found, layer);
    check_values(variance, in[0].c, "variance", found, layer);
    if (!gamma.empty()) check_values(gamma, in[0].c, "gamma", found, layer);
    if (!beta.empty()) check_values(beta, in[0].c, "beta", found, layer);
    for (std::size_t c = 0; c < variance.size(); ++c)
      if (!(static_cast<double>(variance[c]) + static_cast<double>(epsilon) > 0)) {
        found.add({.layer = layer,
                   .reason = text("the variance of channel ", c, " and epsilon are not above 0")});
        break;
      }
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    require_values(mean, y.shape.c, "mean");
    require_values(variance, y.shape.c, "variance");
    if (!gamma.empty()) require_values(gamma, y.shape.c, "gamma");
    if (!beta.empty()) require_values(beta, y.shape.c, "beta");
    const std::size_t area = y.values.size() / mean.size();
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const auto [factor, bias] = on_channel(i / area);
      y.values[i] = static_cast<float>(factor * static_cast<double>(y.values[i]) + bias);
    }
    return y;
  }
};
static_assert(operation<batch_norm>);

}  // namespace nvdlac::net
#include <span>
#include <string>


namespace nvdlac::net {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  float_tensor value{};

  constexpr shape infer(std::span<const shape>) const { return checked_shape(value.shape); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value", found,
                 layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[k] = bias[k] + sum over i of weights[k][i] * x[i], x read in dense c-h-w order.
struct fully_connected {
  static constexpr arity inputs{1, 1};

  std::int32_t outputs = 1;
  std::vector<float> weights{};  // [outputs][C * H * W]
  std::vector<float> bias{};     // [outputs], or empty
  bool relu = false;

  constexpr shape infer(std::span<const shape> in) const {
    const shape out = checked_shape(outputs, 1, 1);
    if (weight_count(in[0]) > max_elements)
      throw error(text("it has more than ", max_elements, " weights"));
    return out;
  }
  constexpr std::int64_t weight_count(shape in) const { return product({outputs, in.c, in.h, in.w}); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, outputs, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, outputs, "bias");
    const std::size_t n = x.shape.size();
    for (std::size_t k = 0; k < y.values.size(); ++k) {
      double sum = sliding_sum_detail::dot(weights.data() + k * n, x.values.data(), n);
      if (!bias.empty()) sum += static_cast<double>(bias[k]);
      if (relu) sum = std::max(sum, 0.0);
      y.values[k] = static_cast<float>(sum);
    }
    return y;
  }
};
static_assert(operation<fully_connected>);

}  // namespace nvdlac::net
#include <span>


namespace nvdlac::net {

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const { return *in[0]; }
};
static_assert(operation<identity>);

}  // namespace nvdlac::net
#include <span>


namespace nvdlac::net {

// The picture (or other cube) that the user gives, after preprocessing.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};

  constexpr net::shape infer(std::span<const net::shape>) const { return checked_shape(shape); }
};
static_assert(operation<input>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>


namespace nvdlac::net {

// Local response normalisation across channels:
// y = x / (k + alpha / local_size * sum over local_size channels around c of x^2) ^ beta
struct lrn {
  static constexpr arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;

  constexpr shape infer(std::span<const shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      throw error(text("its local size ", local_size, " is not a positive odd number"));
    return in[0];
  }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    if (!std::isfinite(alpha) || !std::isfinite(beta) || !std::isfinite(k))
      found.add({.layer = layer, .reason = "its alpha, beta or k is not finite"});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(shapes_of(in))};
    const std::int32_t half = std::min(local_size / 2, x.shape.c);
    for (std::int32_t c = 0; c < x.shape.c; ++c)
      for (std::int32_t row = 0; row < x.shape.h; ++row)
        for (std::int32_t column = 0; column < x.shape.w; ++column) {
          double sum = 0;
          for (std::int32_t i = std::max(c - half, 0); i <= std::min(c + half, x.shape.c - 1); ++i)
            sum += std::pow(static_cast<double>(x.at(i, row, column)), 2);
          const double base = static_cast<double>(k) + static_cast<double>(alpha) / local_size * sum;
          y.at(c, row, column) = static_cast<float>(
              static_cast<double>(x.at(c, row, column)) / std::pow(base, static_cast<double>(beta)));
        }
    return y;
  }
};
static_assert(operation<lrn>);

}  // namespace nvdlac::net
#include <algorithm>
#include <span>


namespace nvdlac::net {

// max(x, 0)
struct relu {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = std::max(v, 0.0F);
    return y;
  }
};
static_assert(operation<relu>);

}  // namespace nvdlac::net
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>


namespace nvdlac::net {

// y[c] = factor[c] * x[c] + bias[c]
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<float> factor{};  // [C] or one for all channels
  std::vector<float> bias{};    // [C], one for all channels, or empty: 0
  bool relu = false;

  float factor_of(std::size_t c) const { return factor[factor.size() == 1 ? 0 : c]; }
  float bias_of(std::size_t c) const { return bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : c]; }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(factor, factor.size() == 1 ? 1 : in[0].c, "factor", found, layer);
    if (!bias.empty()) check_values(bias, bias.size() == 1 ? 1 : in[0].c, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    if (factor.size() != 1) require_values(factor, y.shape.c, "factor");
    if (bias.size() > 1) require_values(bias, y.shape.c, "bias");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const float v = factor_of(i / area) * y.values[i] + bias_of(i / area);
      y.values[i] = relu ? std::max(v, 0.0F) : v;
    }
    return y;
  }
};
static_assert(operation<scale>);

}  // namespace nvdlac::net

namespace nvdlac::net {

using standard_operators =
    type_list<input, constant, convolution, fully_connected, pool, relu, batch_norm, scale, add, concat,
              reshape, flatten, softmax, identity, lrn>;

// The network as the importers read it: real numbers.
using graph = basic_graph<standard_operators>;

}  // namespace nvdlac::net

namespace nvdlac::import {

// A graph under construction, where each node's shape is known and its weights are checked when it
// is added. Importers need the shapes on the way: a file may reshape relative to them.
class assembly {
 public:
  using id = net::graph::id;

  assembly(std::string file, diagnostics& problems) : file_(std::move(file)), problems_(problems) {}

  const std::string& file() const { return file_; }
  const net::shape& shape(id n) const { return graph_[n].shape; }

  // Throws `error` with the bare reason if the operator does not accept its inputs; problems of
  // its weights are collected, unless they are known to be wrong already (`checked`).
  template <class Op>
  id add(const std::string& layer, Op op, const std::vector<id>& inputs, std::size_t line = 0,
         bool checked = true) {
    std::vector<net::shape> shapes;
    for (const id n : inputs) shapes.push_back(graph_[n].shape);
    const std::span<const net::shape> in(shapes);
    if (!Op::inputs.contains(in.size()))
      throw error(text("it has ", in.size(), " inputs instead of ", Op::inputs.least));
    const net::shape out = op.infer(in);
    if constexpr (requires(diagnostics& found) { op.check(in, found, layer); }) {
      diagnostics found;
      if (checked) op.check(in, found, layer);
      for (problem p : found.problems()) {
        p.file = file_;
        p.line = line;
        problems_.add(std::move(p));
      }
    }
    const id n = graph_.add(unique(layer), std::move(op), inputs);
    graph_[n].shape = out;
    return n;
  }

  void mark_output(id n) { graph_[n].output = true; }

  // The graph without the nodes that no output needs, inputs excepted.
  net::graph finish() {
    problems_.check();
    std::vector<bool> needed(graph_.size());
    std::vector<id> open = graph_.outputs();
    while (!open.empty()) {
      const id n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const id from : graph_.inputs(n)) open.push_back(from);
    }
    for (id n = 0; n < graph_.size(); ++n)
      if (!needed[n] && std::holds_alternative<net::input>(graph_[n].op))
        problems_.add({.file = file_, .layer = graph_[n].name,
                       .reason = "no output depends on this input",
                       .remedy = "remove it from the network"});
    problems_.check();
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return std::move(graph_);
    return graph_.filtered([&](id n) { return needed[n]; });
  }

 private:
  // Names of nodes are unique in a graph; a second node of one name gets a number.
  std::string unique(const std::string& layer) {
    std::string name = layer;
    for (int i = 2; !names_.insert(name).second; ++i) name = text(layer, "#", i);
    return name;
  }

  std::string file_;
  diagnostics& problems_;
  net::graph graph_;
  std::set<std::string> names_;
};

}  // namespace nvdlac::import
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>
#include <google/protobuf/text_format.h>


namespace nvdlac::import::proto {

namespace pb = google::protobuf;

enum class rule : std::uint8_t { one, many, value };

// One row of a schema: a field of a message, or (`value`) a named value of an enumeration, whose
// name stands in the place of the message's. `type` is a scalar type or the name of a message or
// enumeration of the same schema.
struct row {
  const char* message;
  const char* name;
  int number;
  const char* type = "";
  rule label = rule::one;
};

// The messages of one format, built at run time from a table, so that no generated code is needed.
class schema {
 public:
  schema(const std::string& format, std::span<const row> rows) {
    pb::FileDescriptorProto file;
    file.set_name(format);
    file.set_package(format);
    std::map<std::string_view, pb::DescriptorProto*> messages;
    std::map<std::string_view, pb::EnumDescriptorProto*> enums;
    // protobuf scopes the values of an enumeration as its siblings; each one lives in a message
    // of its own, so that two of them may both have a NONE.
    for (const auto& r : rows) {
      if (r.label != rule::value) continue;
      auto*& e = enums[r.message];
      if (!e) {
        auto* scope = file.add_message_type();
        scope->set_name(r.message);
        (e = scope->add_enum_type())->set_name("type");
      }
      auto* v = e->add_value();
      v->set_name(r.name);
      v->set_number(r.number);
    }
    for (const auto& r : rows) {
      if (r.label == rule::value) continue;
      auto*& m = messages[r.message];
      if (!m) (m = file.add_message_type())->set_name(r.message);
      add_field(*m, r, "." + format + "." + r.type + (enums.count(r.type) ? ".type" : ""));
    }
    file_ = pool_.BuildFile(file);
    if (!file_) throw error(text("the built-in schema of ", format, " is not sound"));
  }

  std::unique_ptr<pb::Message> make(const char* message) const {
    return std::unique_ptr<pb::Message>(
        factory_.GetPrototype(file_->FindMessageTypeByName(message))->New());
  }

 private:
  static void add_field(pb::DescriptorProto& m, const row& r, const std::string& type) {
    using field = pb::FieldDescriptorProto;
    static const std::map<std::string_view, field::Type> scalars = {
        {"int32", field::TYPE_INT32},   {"int64", field::TYPE_INT64},
        {"uint32", field::TYPE_UINT32}, {"uint64", field::TYPE_UINT64},
        {"float", field::TYPE_FLOAT},   {"double", field::TYPE_DOUBLE},
        {"bool", field::TYPE_BOOL},     {"string", field::TYPE_STRING},
        {"bytes", field::TYPE_BYTES}};
    auto* f = m.add_field();
    f->set_name(r.name);
    f->set_number(r.number);
    f->set_label(r.label == rule::many ? field::LABEL_REPEATED : field::LABEL_OPTIONAL);
    if (const auto s = scalars.find(r.type); s != scalars.end())
      f->set_type(s->second);
    else
      f->set_type_name(type);
  }

  pb::DescriptorPool pool_;
  mutable pb::DynamicMessageFactory factory_{&pool_};
  const pb::FileDescriptor* file_ = nullptr;
};

// Reads the fields of a message by their names; the types must be those of the schema.
class view {
 public:
  explicit view(const pb::Message& m) : m_(&m) {}

  const pb::Message& message() const { return *m_; }
  // Also for a field that this message does not know.
  bool has(const char* name) const {
    const auto* f = field(name);
    if (!f) return false;
    return f->is_repeated() ? reflection().FieldSize(*m_, f) > 0 : reflection().HasField(*m_, f);
  }
  std::size_t size(const char* name) const {
    return static_cast<std::size_t>(reflection().FieldSize(*m_, field(name)));
  }

  std::int64_t integer(const char* name, std::int64_t otherwise = 0) const {
    if (!has(name)) return otherwise;
    const auto* f = field(name);
    switch (f->cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_INT32: return reflection().GetInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_UINT32: return reflection().GetUInt32(*m_, f);
      case pb::FieldDescriptor::CPPTYPE_ENUM: return reflection().GetEnumValue(*m_, f);
      default: return reflection().GetInt64(*m_, f);
    }
  }
  float number(const char* name, float otherwise = 0) const {
    return has(name) ? reflection().GetFloat(*m_, field(name)) : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    return has(name) ? reflection().GetBool(*m_, field(name)) : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise = {}) const {
    return has(name) ? reflection().GetString(*m_, field(name)) : otherwise;
  }
  // The bytes themselves, without a copy.
  const std::string& bytes(const char* name) const {
    static thread_local std::string scratch;
    return reflection().GetStringReference(*m_, field(name), &scratch);
  }
  std::string enumerator(const char* name, const std::string& otherwise) const {
    return has(name) ? reflection().GetEnum(*m_, field(name))->name() : otherwise;
  }
  view child(const char* name) const { return view(reflection().GetMessage(*m_, field(name))); }

  std::vector<view> children(const char* name) const {
    const auto* f = field(name);
    std::vector<view> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.emplace_back(reflection().GetRepeatedMessage(*m_, f, i));
    return result;
  }
  std::vector<std::string> strings(const char* name) const {
    const auto* f = field(name);
    std::vector<std::string> result;
    for (int i = 0, n = reflection().FieldSize(*m_, f); i < n; ++i)
      result.push_back(reflection().GetRepeatedString(*m_, f, i));
    return result;
  }
  // The values of a repeated field of exactly this C++ type.
  template <class T>
  std::vector<T> values(const char* name) const {
    const auto all = reflection().GetRepeatedFieldRef<T>(*m_, field(name));
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(all.size()));
    for (int i = 0, n = all.size(); i < n; ++i) result.push_back(all.Get(i));
    return result;
  }

 private:
  const pb::FieldDescriptor* field(const char* name) const {
    return m_->GetDescriptor()->FindFieldByName(name);
  }
  const pb::Reflection& reflection() const { return *m_->GetReflection(); }

  const pb::Message* m_;
};

// A place in a text, 1-based; 0 in a binary.
struct place {
  std::size_t line = 0, column = 0;
  auto operator<=>(const place&) const = default;
};

// A field that the schema does not have, where it was met.
struct unknown_field {
  std::string message;  // the message's type
  std::string name;     // of a text: its name; of a binary: its number
  place at{};
};

inline void collect_unknown(const pb::Message& m, std::vector<unknown_field>& found) {
  const auto& reflection = *m.GetReflection();
  const auto& set = reflection.GetUnknownFields(m);
  for (int i = 0; i < set.field_count(); ++i)
    found.push_back({m.GetDescriptor()->name(), text("number ", set.field(i).number())});
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(m, &fields);
  for (const auto* f : fields) {
    if (f->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!f->is_repeated()) {
      collect_unknown(reflection.GetMessage(m, f), found);
      continue;
    }
    for (int i = 0, n = reflection.FieldSize(m, f); i < n; ++i)
      collect_unknown(reflection.GetRepeatedMessage(m, f, i), found);
  }
}

// A parsed file: its message and, of a text, the lines of its parts and the unknown fields in it.
struct document {
  std::unique_ptr<pb::Message> message;
  bool is_text = false;
  std::unique_ptr<pb::TextFormat::ParseInfoTree> lines =
      std::make_unique<pb::TextFormat::ParseInfoTree>();
  std::vector<unknown_field> unknown{};  // of a text; collect_unknown finds those of a binary

  view root() const { return view(*message); }
  // Where the i-th message of a repeated field of the root starts.
  place start_of(const char* field, int i) const {
    if (!is_text) return {};
    const auto* f = message->GetDescriptor()->FindFieldByName(field);
    const auto found = lines->GetLocation(f, i);
    return {static_cast<std::size_t>(found.line + 1), static_cast<std::size_t>(found.column + 1)};
  }
};

class text_complaints : public pb::io::ErrorCollector {
 public:
  text_complaints(document& d, diagnostics& problems, std::string file)
      : document_(d), problems_(problems), file_(std::move(file)) {}
  void AddError(int line, int, const std::string& message) override {
    problems_.add({.file = file_, .line = static_cast<std::size_t>(line + 1), .reason = message});
  }
  void AddWarning(int line, int column, const std::string& message) override {
    // Message type "caffe.LayerParameter" has no field named "x".
    auto quoted = [&, at = std::size_t{0}]() mutable {
      const auto from = message.find('"', at), to = message.find('"', from + 1);
      at = to + 1;
      return from == std::string::npos || to == std::string::npos
                 ? std::string{}
                 : message.substr(from + 1, to - from - 1);
    };
    auto owner = quoted();
    if (const auto dot = owner.rfind('.'); dot != std::string::npos) owner.erase(0, dot + 1);
    const auto name = quoted();
    if (!name.empty())
      document_.unknown.push_back(
          {owner, name, {static_cast<std::size_t>(line + 1), static_cast<std::size_t>(column + 1)}});
  }

 private:
  document& document_;
  diagnostics& problems_;
  std::string file_;
};

inline document parse_binary(const schema& s, const char* message, const std::string& file,
                             std::string_view content) {
  document d{.message = s.make(message)};
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  if (!d.message->ParseFromArray(content.data(), static_cast<int>(content.size())))
    throw error(problem{.file = file, .reason = "the file is truncated or corrupt",
                        .remedy = "its protobuf encoding is broken"});
  return d;
}

inline document parse_text(const schema& s, const char* message, const std::string& file,
                           std::string_view content) {
  document d{.message = s.make(message), .is_text = true};
  diagnostics problems;
  text_complaints complaints(d, problems, file);
  pb::TextFormat::Parser parser;
  parser.AllowUnknownField(true);  // recorded as unknown, and judged where it is known what matters
  parser.SetRecursionLimit(50);
  parser.RecordErrorsTo(&complaints);
  parser.WriteLocationsTo(d.lines.get());
  if (content.size() > std::numeric_limits<int>::max())
    throw error(problem{.file = file, .reason = "the file is larger than protobuf's 2 GB"});
  pb::io::ArrayInputStream stream(content.data(), static_cast<int>(content.size()));
  const bool parsed = parser.Parse(&stream, d.message.get());
  problems.check();
  if (!parsed) throw error(problem{.file = file, .reason = "the text cannot be parsed"});
  return d;
}

}  // namespace nvdlac::import::proto

namespace nvdlac::import::caffe_format {

using proto::rule;

// What is read of Caffe's messages. Fields that are missing here and that a file uses are reported
// with their line. Those that only matter for training are listed, so that they may be there.
inline constexpr proto::row rows[] = {
    {"NetParameter", "name", 1, "string"},
    {"NetParameter", "layers", 2, "V1LayerParameter", rule::many},
    {"NetParameter", "input", 3, "string", rule::many},
    {"NetParameter", "input_dim", 4, "int32", rule::many},
    {"NetParameter", "force_backward", 5, "bool"},
    {"NetParameter", "state", 6, "NetState"},
    {"NetParameter", "debug_info", 7, "bool"},
    {"NetParameter", "input_shape", 8, "BlobShape", rule::many},
    {"NetParameter", "layer", 100, "LayerParameter", rule::many},

    {"BlobShape", "dim", 1, "int64", rule::many},
    {"BlobProto", "num", 1, "int32"},
    {"BlobProto", "channels", 2, "int32"},
    {"BlobProto", "height", 3, "int32"},
    {"BlobProto", "width", 4, "int32"},
    {"BlobProto", "data", 5, "float", rule::many},
    {"BlobProto", "diff", 6, "float", rule::many},
    {"BlobProto", "shape", 7, "BlobShape"},
    {"BlobProto", "double_data", 8, "double", rule::many},
    {"BlobProto", "double_diff", 9, "double", rule::many},

    {"Phase", "TRAIN", 0, "", rule::value},
    {"Phase", "TEST", 1, "", rule::value},
    {"NetState", "phase", 1, "Phase"},
    {"NetState", "level", 2, "int32"},
    {"NetState", "stage", 3, "string", rule::many},
    {"NetStateRule", "phase", 1, "Phase"},
    {"NetStateRule", "min_level", 2, "int32"},
    {"NetStateRule", "max_level", 3, "int32"},
    {"NetStateRule", "stage", 4, "string", rule::many},
    {"NetStateRule", "not_stage", 5, "string", rule::many},

    {"DimCheckMode", "STRICT", 0, "", rule::value},
    {"DimCheckMode", "PERMISSIVE", 1, "", rule::value},
    {"ParamSpec", "name", 1, "string"},
    {"ParamSpec", "share_mode", 2, "DimCheckMode"},
    {"ParamSpec", "lr_mult", 3, "float"},
    {"ParamSpec", "decay_mult", 4, "float"},

    {"LayerParameter", "name", 1, "string"},
    {"LayerParameter", "type", 2, "string"},
    {"LayerParameter", "bottom", 3, "string", rule::many},
    {"LayerParameter", "top", 4, "string", rule::many},
    {"LayerParameter", "loss_weight", 5, "float", rule::many},
    {"LayerParameter", "param", 6, "ParamSpec", rule::many},
    {"LayerParameter", "blobs", 7, "BlobProto", rule::many},
    {"LayerParameter", "include", 8, "NetStateRule", rule::many},
    {"LayerParameter", "exclude", 9, "NetStateRule", rule::many},
    {"LayerParameter", "phase", 10, "Phase"},
    {"LayerParameter", "propagate_down", 11, "bool", rule::many},
    {"LayerParameter", "concat_param", 104, "ConcatParameter"},
    {"LayerParameter", "convolution_param", 106, "ConvolutionParameter"},
    {"LayerParameter", "dropout_param", 108, "DropoutParameter"},
    {"LayerParameter", "eltwise_param", 110, "EltwiseParameter"},
    {"LayerParameter", "inner_product_param", 117, "InnerProductParameter"},
    {"LayerParameter", "lrn_param", 118, "LRNParameter"},
    {"LayerParameter", "pooling_param", 121, "PoolingParameter"},
    {"LayerParameter", "power_param", 122, "PowerParameter"},
    {"LayerParameter", "relu_param", 123, "ReLUParameter"},
    {"LayerParameter", "softmax_param", 125, "SoftmaxParameter"},
    {"LayerParameter", "reshape_param", 133, "ReshapeParameter"},
    {"LayerParameter", "flatten_param", 135, "FlattenParameter"},
    {"LayerParameter", "batch_norm_param", 139, "BatchNormParameter"},
    {"LayerParameter", "bias_param", 141, "BiasParameter"},
    {"LayerParameter", "scale_param", 142, "ScaleParameter"},
    {"LayerParameter", "input_param", 143, "InputParameter"},

    {"V1LayerParameter", "bottom", 2, "string", rule::many},
    {"V1LayerParameter", "top", 3, "string", rule::many},
    {"V1LayerParameter", "name", 4, "string"},
    {"V1LayerParameter", "type", 5, "V1Type"},
    {"V1LayerParameter", "blobs", 6, "BlobProto", rule::many},
    {"V1LayerParameter", "blobs_lr", 7, "float", rule::many},
    {"V1LayerParameter", "weight_decay", 8, "float", rule::many},
    {"V1LayerParameter", "concat_param", 9, "ConcatParameter"},
    {"V1LayerParameter", "convolution_param", 10, "ConvolutionParameter"},
    {"V1LayerParameter", "dropout_param", 12, "DropoutParameter"},
    {"V1LayerParameter", "inner_product_param", 17, "InnerProductParameter"},
    {"V1LayerParameter", "lrn_param", 18, "LRNParameter"},
    {"V1LayerParameter", "pooling_param", 19, "PoolingParameter"},
    {"V1LayerParameter", "power_param", 21, "PowerParameter"},
    {"V1LayerParameter", "eltwise_param", 24, "EltwiseParameter"},
    {"V1LayerParameter", "relu_param", 30, "ReLUParameter"},
    {"V1LayerParameter", "include", 32, "NetStateRule", rule::many},
    {"V1LayerParameter", "exclude", 33, "NetStateRule", rule::many},
    {"V1LayerParameter", "loss_weight", 35, "float", rule::many},
    {"V1LayerParameter", "softmax_param", 39, "SoftmaxParameter"},
    {"V1LayerParameter", "param", 1001, "string", rule::many},
    {"V1LayerParameter", "blob_share_mode", 1002, "DimCheckMode", rule::many},

    {"V1Type", "NONE", 0, "", rule::value},
    {"V1Type", "ACCURACY", 1, "", rule::value},
    {"V1Type", "BNLL", 2, "", rule::value},
    {"V1Type", "CONCAT", 3, "", rule::value},
    {"V1Type", "CONVOLUTION", 4, "", rule::value},
    {"V1Type", "DATA", 5, "", rule::value},
    {"V1Type", "DROPOUT", 6, "", rule::value},
    {"V1Type", "EUCLIDEAN_LOSS", 7, "", rule::value},
    {"V1Type", "FLATTEN", 8, "", rule::value},
    {"V1Type", "HDF5_DATA", 9, "", rule::value},
    {"V1Type", "HDF5_OUTPUT", 10, "", rule::value},
    {"V1Type", "IM2COL", 11, "", rule::value},
    {"V1Type", "IMAGE_DATA", 12, "", rule::value},
    {"V1Type", "INFOGAIN_LOSS", 13, "", rule::value},
    {"V1Type", "INNER_PRODUCT", 14, "", rule::value},
    {"V1Type", "LRN", 15, "", rule::value},
    {"V1Type", "MULTINOMIAL_LOGISTIC_LOSS", 16, "", rule::value},
    {"V1Type", "POOLING", 17, "", rule::value},
    {"V1Type", "RELU", 18, "", rule::value},
    {"V1Type", "SIGMOID", 19, "", rule::value},
    {"V1Type", "SOFTMAX", 20, "", rule::value},
    {"V1Type", "SOFTMAX_LOSS", 21, "", rule::value},
    {"V1Type", "SPLIT", 22, "", rule::value},
    {"V1Type", "TANH", 23, "", rule::value},
    {"V1Type", "WINDOW_DATA", 24, "", rule::value},
    {"V1Type", "ELTWISE", 25, "", rule::value},
    {"V1Type", "POWER", 26, "", rule::value},
    {"V1Type", "SIGMOID_CROSS_ENTROPY_LOSS", 27, "", rule::value},
    {"V1Type", "HINGE_LOSS", 28, "", rule::value},
    {"V1Type", "MEMORY_DATA", 29, "", rule::value},
    {"V1Type", "ARGMAX", 30, "", rule::value},
    {"V1Type", "THRESHOLD", 31, "", rule::value},
    {"V1Type", "DUMMY_DATA", 32, "", rule::value},
    {"V1Type", "SLICE", 33, "", rule::value},
    {"V1Type", "MVN", 34, "", rule::value},
    {"V1Type", "ABSVAL", 35, "", rule::value},
    {"V1Type", "SILENCE", 36, "", rule::value},
    {"V1Type", "CONTRASTIVE_LOSS", 37, "", rule::value},
    {"V1Type", "EXP", 38, "", rule::value},
    {"V1Type", "DECONVOLUTION", 39, "", rule::value},

    {"Engine", "DEFAULT", 0, "", rule::value},  // which of Caffe's kernels computes it
    {"Engine", "CAFFE", 1, "", rule::value},
    {"Engine", "CUDNN", 2, "", rule::value},

    {"VarianceNorm", "FAN_IN", 0, "", rule::value},
    {"VarianceNorm", "FAN_OUT", 1, "", rule::value},
    {"VarianceNorm", "AVERAGE", 2, "", rule::value},
    {"FillerParameter", "type", 1, "string"},
    {"FillerParameter", "value", 2, "float"},
    {"FillerParameter", "min", 3, "float"},
    {"FillerParameter", "max", 4, "float"},
    {"FillerParameter", "mean", 5, "float"},
    {"FillerParameter", "std", 6, "float"},
    {"FillerParameter", "sparse", 7, "int32"},
    {"FillerParameter", "variance_norm", 8, "VarianceNorm"},

    {"ConcatParameter", "concat_dim", 1, "uint32"},
    {"ConcatParameter", "axis", 2, "int32"},

    {"ConvolutionParameter", "num_output", 1, "uint32"},
    {"ConvolutionParameter", "bias_term", 2, "bool"},
    {"ConvolutionParameter", "pad", 3, "uint32", rule::many},
    {"ConvolutionParameter", "kernel_size", 4, "uint32", rule::many},
    {"ConvolutionParameter", "group", 5, "uint32"},
    {"ConvolutionParameter", "stride", 6, "uint32", rule::many},
    {"ConvolutionParameter", "weight_filler", 7, "FillerParameter"},
    {"ConvolutionParameter", "bias_filler", 8, "FillerParameter"},
    {"ConvolutionParameter", "pad_h", 9, "uint32"},
    {"ConvolutionParameter", "pad_w", 10, "uint32"},
    {"ConvolutionParameter", "kernel_h", 11, "uint32"},
    {"ConvolutionParameter", "kernel_w", 12, "uint32"},
    {"ConvolutionParameter", "stride_h", 13, "uint32"},
    {"ConvolutionParameter", "stride_w", 14, "uint32"},
    {"ConvolutionParameter", "engine", 15, "Engine"},
    {"ConvolutionParameter", "axis", 16, "int32"},
    {"ConvolutionParameter", "force_nd_im2col", 17, "bool"},
    {"ConvolutionParameter", "dilation", 18, "uint32", rule::many},

    {"DropoutParameter", "dropout_ratio", 1, "float"},

    {"EltwiseOp", "PROD", 0, "", rule::value},
    {"EltwiseOp", "SUM", 1, "", rule::value},
    {"EltwiseOp", "MAX", 2, "", rule::value},
    {"EltwiseParameter", "operation", 1, "EltwiseOp"},
    {"EltwiseParameter", "coeff", 2, "float", rule::many},
    {"EltwiseParameter", "stable_prod_grad", 3, "bool"},

    {"InnerProductParameter", "num_output", 1, "uint32"},
    {"InnerProductParameter", "bias_term", 2, "bool"},
    {"InnerProductParameter", "weight_filler", 3, "FillerParameter"},
    {"InnerProductParameter", "bias_filler", 4, "FillerParameter"},
    {"InnerProductParameter", "axis", 5, "int32"},
    {"InnerProductParameter", "transpose", 6, "bool"},

    {"NormRegion", "ACROSS_CHANNELS", 0, "", rule::value},
    {"NormRegion", "WITHIN_CHANNEL", 1, "", rule::value},
    {"LRNParameter", "local_size", 1, "uint32"},
    {"LRNParameter", "alpha", 2, "float"},
    {"LRNParameter", "beta", 3, "float"},
    {"LRNParameter", "norm_region", 4, "NormRegion"},
    {"LRNParameter", "k", 5, "float"},
    {"LRNParameter", "engine", 6, "Engine"},

    {"PoolMethod", "MAX", 0, "", rule::value},
    {"PoolMethod", "AVE", 1, "", rule::value},
    {"PoolMethod", "STOCHASTIC", 2, "", rule::value},
    {"RoundMode", "CEIL", 0, "", rule::value},
    {"RoundMode", "FLOOR", 1, "", rule::value},
    {"PoolingParameter", "pool", 1, "PoolMethod"},
    {"PoolingParameter", "kernel_size", 2, "uint32"},
    {"PoolingParameter", "stride", 3, "uint32"},
    {"PoolingParameter", "pad", 4, "uint32"},
    {"PoolingParameter", "kernel_h", 5, "uint32"},
    {"PoolingParameter", "kernel_w", 6, "uint32"},
    {"PoolingParameter", "stride_h", 7, "uint32"},
    {"PoolingParameter", "stride_w", 8, "uint32"},
    {"PoolingParameter", "pad_h", 9, "uint32"},
    {"PoolingParameter", "pad_w", 10, "uint32"},
    {"PoolingParameter", "engine", 11, "Engine"},
    {"PoolingParameter", "global_pooling", 12, "bool"},
    {"PoolingParameter", "round_mode", 13, "RoundMode"},

    {"PowerParameter", "power", 1, "float"},
    {"PowerParameter", "scale", 2, "float"},
    {"PowerParameter", "shift", 3, "float"},

    {"ReLUParameter", "negative_slope", 1, "float"},
    {"ReLUParameter", "engine", 2, "Engine"},

    {"SoftmaxParameter", "engine", 1, "Engine"},
    {"SoftmaxParameter", "axis", 2, "int32"},

    {"ReshapeParameter", "shape", 1, "BlobShape"},
    {"ReshapeParameter", "axis", 2, "int32"},
    {"ReshapeParameter", "num_axes", 3, "int32"},

    {"FlattenParameter", "axis", 1, "int32"},
    {"FlattenParameter", "end_axis", 2, "int32"},

    {"BatchNormParameter", "use_global_stats", 1, "bool"},
    {"BatchNormParameter", "moving_average_fraction", 2, "float"},
    {"BatchNormParameter", "eps", 3, "float"},

    {"BiasParameter", "axis", 1, "int32"},
    {"BiasParameter", "num_axes", 2, "int32"},
    {"BiasParameter", "filler", 3, "FillerParameter"},

    {"ScaleParameter", "axis", 1, "int32"},
    {"ScaleParameter", "num_axes", 2, "int32"},
    {"ScaleParameter", "filler", 3, "FillerParameter"},
    {"ScaleParameter", "bias_term", 4, "bool"},
    {"ScaleParameter", "bias_filler", 5, "FillerParameter"},

    {"InputParameter", "shape", 1, "BlobShape", rule::many},
};

inline const proto::schema& schema() {
  static const proto::schema built("caffe", rows);
  return built;
}

}  // namespace nvdlac::import::caffe_format

namespace nvdlac::import::caffe_format {

// A layer of either form, under the type names of the new one.
struct layer {
  proto::view fields;
  std::string name, type;
  std::vector<std::string> bottoms, tops;
  std::size_t line = 0;
  proto::place start{}, end{};  // of a text: where it starts and where the next one does
};

inline std::string new_type_name(const std::string& old) {
  static const std::map<std::string_view, const char*> renamed = {
      {"CONCAT", "Concat"},   {"CONVOLUTION", "Convolution"}, {"DROPOUT", "Dropout"},
      {"ELTWISE", "Eltwise"}, {"FLATTEN", "Flatten"},         {"INNER_PRODUCT", "InnerProduct"},
      {"LRN", "LRN"},         {"POOLING", "Pooling"},         {"POWER", "Power"},
      {"RELU", "ReLU"},       {"SOFTMAX", "Softmax"},         {"SPLIT", "Split"},
      {"DATA", "Data"},       {"HDF5_DATA", "HDF5Data"},      {"IMAGE_DATA", "ImageData"},
      {"MEMORY_DATA", "MemoryData"}, {"DUMMY_DATA", "DummyData"}, {"WINDOW_DATA", "WindowData"},
      {"ACCURACY", "Accuracy"},      {"SILENCE", "Silence"},  {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
      {"HDF5_OUTPUT", "HDF5Output"}, {"EUCLIDEAN_LOSS", "EuclideanLoss"}};
  const auto found = renamed.find(old);
  return found == renamed.end() ? old : found->second;
}

// Whether a rule of `include` or `exclude` holds when the network is used (phase TEST).
inline bool rule_holds(const proto::view& rule, const proto::view& state) {
  const auto level = state.integer("level", 0);
  const auto stages = state.strings("stage");
  const auto has = [&](const std::string& s) {
    return std::find(stages.begin(), stages.end(), s) != stages.end();
  };
  const auto wanted = rule.strings("stage"), unwanted = rule.strings("not_stage");
  return rule.enumerator("phase", "TEST") == "TEST" && level >= rule.integer("min_level", level) &&
         level <= rule.integer("max_level", level) &&
         std::all_of(wanted.begin(), wanted.end(), has) &&
         std::none_of(unwanted.begin(), unwanted.end(), has);
}

inline bool is_used(const proto::view& fields, const proto::view& state) {
  const auto any = [&](const char* list) {
    const auto rules = fields.children(list);
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& r) { return rule_holds(r, state); });
  };
  return fields.has("include") ? any("include") : !any("exclude");
}

// The layers that take part when the network is used, in the order of the file.
inline std::vector<layer> used_layers(const proto::document& net) {
  std::vector<layer> all;
  for (const char* list : {"layers", "layer"}) {
    int i = 0;
    for (const auto& fields : net.root().children(list)) {
      const auto type = list == std::string_view("layer")
                            ? fields.string("type")
                            : new_type_name(fields.enumerator("type", "NONE"));
      all.push_back({fields, fields.string("name"), type, fields.strings("bottom"),
                     fields.strings("top"), 0, net.start_of(list, i++)});
    }
  }
  std::vector<proto::place> starts;
  for (const auto& l : all) starts.push_back(l.start);
  std::sort(starts.begin(), starts.end());
  for (auto& l : all) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), l.start);
    l.line = l.start.line;
    l.end = next == starts.end() ? proto::place{std::string::npos} : *next;
  }
  std::erase_if(all, [&](const layer& l) { return !is_used(l.fields, net.root().child("state")); });
  return all;
}

}  // namespace nvdlac::import::caffe_format
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>


namespace nvdlac::import {

// The content of a file. Throws `error` when it is absent, a directory, unreadable or empty.
inline std::string read_file(const std::filesystem::path& path) {
  const auto fail = [&](std::string reason) -> error {
    return error(problem{.file = path.string(), .reason = std::move(reason)});
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw fail("there is no such file");
  if (std::filesystem::is_directory(path, ignored)) throw fail("this is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw fail("the file cannot be read");
  std::string content;
  std::string block(std::size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    content.append(block, 0, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw fail("the file cannot be read");
  if (content.empty()) throw fail("the file is empty");
  return content;
}

enum class file_kind : std::uint8_t {
  onnx, onnx_text, caffe_text, caffe_binary,  // what the importers read
  other
};

struct recognised {
  file_kind kind = file_kind::other;
  std::string name{};    // "a JPEG picture"
  std::string remedy{};  // what the user can do about a wrong kind
};

// No control characters but white space in the first 64 KB.
inline bool looks_like_text(std::string_view content) {
  const auto head = content.substr(0, std::size_t{1} << 16);
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
  });
}

// The fields of a protobuf message, without knowing its schema: the numbers of its length-delimited
// and of its varint fields, as bit sets of the numbers up to 127; stops at the first broken field.
struct wire_fields {
  std::uint64_t delimited[2] = {}, varint[2] = {};
  bool has_delimited(unsigned n) const { return (delimited[n / 64] >> n % 64 & 1) != 0; }
  bool has_varint(unsigned n) const { return (varint[n / 64] >> n % 64 & 1) != 0; }
  bool empty() const { return (delimited[0] | delimited[1] | varint[0] | varint[1]) == 0; }
};

inline wire_fields scan_wire(std::string_view content) {
  wire_fields found;
  std::size_t at = 0;
  const auto varint = [&](std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && at < content.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(content[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  for (std::uint64_t tag = 0, value = 0; at < content.size() && varint(tag);) {
    const std::uint64_t number = tag >> 3;
    if (number == 0 || number > 127) break;
    const auto bit = std::uint64_t{1} << number % 64;
    if ((tag & 7) == 0) {
      if (!varint(value)) break;
      found.varint[number / 64] |= bit;
    } else if ((tag & 7) == 2) {
      if (!varint(value)) break;
      found.delimited[number / 64] |= bit;  // a truncated field still tells the kind of file
      if (value > content.size() - at) break;
      at += static_cast<std::size_t>(value);
    } else {
      const std::size_t skip = (tag & 7) == 5 ? 4 : (tag & 7) == 1 ? 8 : content.size();
      if (skip > content.size() - at) break;
      at += skip;
    }
  }
  return found;
}

// What a file is, by its content.
inline recognised recognise(std::string_view content) {
  const auto starts = [&](std::string_view s) { return content.substr(0, s.size()) == s; };
  const std::string_view identifier = content.size() >= 8 ? content.substr(4, 4) : "";
  constexpr auto convert = "convert the network to ONNX first";
  constexpr auto give_model = "give the network: an ONNX file, or a prototxt and its caffemodel";
  if (identifier == "TFL3") return {file_kind::other, "a TFLite file", convert};
  if (identifier == "NVDA") return {file_kind::other, "an NVDLA loadable", give_model};
  if (starts("\xff\xd8\xff")) return {file_kind::other, "a JPEG picture", give_model};
  if (starts("\x89PNG")) return {file_kind::other, "a PNG picture", give_model};
  if (starts("\x89HDF")) return {file_kind::other, "an HDF5 file", convert};
  if (starts("\x93NUMPY")) return {file_kind::other, "a NumPy array", give_model};
  if (starts("PK\x03\x04"))
    return {file_kind::other, "a ZIP archive (as PyTorch and Keras write)", convert};
  if (starts("\x1f\x8b")) return {file_kind::other, "a gzip archive", "unpack it first"};
  if (starts("\x7f" "ELF")) return {file_kind::other, "an ELF binary", give_model};
  if (starts(std::string_view("\0\0\x08", 3))) return {file_kind::other, "an IDX file", give_model};
  if (starts("version https://git-lfs"))
    return {file_kind::other, "a pointer of Git LFS", "fetch the file itself with git lfs pull"};
  if (starts("%PDF")) return {file_kind::other, "a PDF document", give_model};

  if (looks_like_text(content)) {
    const auto has = [&](std::string_view s) { return content.find(s) != content.npos; };
    if (starts("P5\n") || starts("P2\n") || starts("P6\n") || starts("P3\n"))
      return {file_kind::other, "a PNM picture", give_model};
    if (has("ir_version") || has("opset_import")) return {file_kind::onnx_text, "an ONNX text file"};
    const auto first = content.find_first_not_of(" \t\r\n\f\v");
    if (first == content.npos) return {file_kind::other, "a blank text", give_model};
    if (content[first] == '<') return {file_kind::other, "an XML or HTML file", give_model};
    if (content[first] == '[' || (content[first] == '{' && has("\"")))
      return {file_kind::other, "a JSON file", give_model};
    if (has("layer") || has("input")) return {file_kind::caffe_text, "a prototxt"};
    return {file_kind::other, "a text file without a network", give_model};
  }
  if (starts("P5") || starts("P6")) return {file_kind::other, "a PNM picture", give_model};
  const auto fields = scan_wire(content);
  if (fields.has_varint(1) || fields.has_delimited(7)) return {file_kind::onnx, "an ONNX file"};
  if (fields.has_delimited(100) || fields.has_delimited(2))
    return {file_kind::caffe_binary, "a caffemodel"};
  return {file_kind::other, "no kind of file that is known here", give_model};
}

}  // namespace nvdlac::import

namespace nvdlac::import::caffe_format {

using dims = std::vector<std::int64_t>;

inline std::string to_text(const dims& d) {
  std::string s;
  for (const auto n : d) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s.empty() ? "scalar" : s;
}

// The trained blobs of a caffemodel, by the names of their layers.
class weights {
 public:
  explicit weights(const std::string& file) : file_(file), content_(read(file)) {
    for (const char* list : {"layer", "layers"})
      for (const auto& layer : content_.root().children(list))
        if (layer.has("blobs")) blobs_.emplace(layer.string("name"), layer.children("blobs"));
  }

  const std::string& file() const { return file_; }

  // Throws unless the layer has exactly `count` blobs.
  const std::vector<proto::view>& of(const std::string& layer, std::size_t count) const {
    const auto found = blobs_.find(layer);
    if (found == blobs_.end())
      throw error(text("'", file_, "' has no weights for it"));
    if (found->second.size() != count)
      throw error(text("'", file_, "' has ", found->second.size(), " blobs for it instead of ",
                       count));
    return found->second;
  }

  // The values of a blob that must have this shape. Old blobs have four dimensions, of which
  // leading ones of 1 do not count.
  static std::vector<float> values(const proto::view& blob, dims expected, const char* what) {
    dims found;
    if (blob.has("shape")) {
      found = blob.child("shape").values<std::int64_t>("dim");
    } else {
      for (const char* name : {"num", "channels", "height", "width"})
        found.push_back(blob.integer(name, 0));
    }
    const std::string shown = text("the shape of its ", what, " is ", to_text(found), " instead of ",
                                   to_text(expected));
    if (significant(found) != significant(expected)) throw error(shown);
    auto result = blob.values<float>("data");
    const auto doubles = blob.values<double>("double_data");
    if (result.empty())
      std::transform(doubles.begin(), doubles.end(), std::back_inserter(result),
                     [](double v) { return static_cast<float>(v); });
    std::int64_t count = 1;
    for (const auto n : expected) count = net::product({count, n});
    if (std::cmp_not_equal(result.size(), count))
      throw error(text("its ", what, " have ", result.size(), " values instead of ", count));
    return result;
  }

 private:
  static dims significant(const dims& d) {
    return dims(std::find_if(d.begin(), d.end(), [](auto n) { return n != 1; }), d.end());
  }
  static proto::document read(const std::string& file) {
    const std::string content = read_file(file);
    const auto kind = recognise(content);
    if (kind.kind == file_kind::caffe_binary)
      return proto::parse_binary(schema(), "NetParameter", file, content);
    if (kind.kind == file_kind::caffe_text)
      return proto::parse_text(schema(), "NetParameter", file, content);
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a caffemodel",
                        .remedy = kind.remedy});
  }

  std::string file_;
  proto::document content_;
  std::map<std::string, std::vector<proto::view>> blobs_;
};

}  // namespace nvdlac::import::caffe_format
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>


namespace nvdlac::import::caffe_format {

// A parameter that becomes a 32-bit number of an operator.
inline std::int32_t small(std::int64_t n, const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (n < 0 || n > most) throw error(text(name, " is ", n, ", which is not in 0 .. ", most));
  return static_cast<std::int32_t>(n);
}
inline std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise) {
  return small(p.integer(name, otherwise), name);
}

struct height_width {
  std::int32_t h, w;
};

// `name` (once, or once for height and width) or name_h and name_w.
inline height_width either(const proto::view& p, const std::string& name, const char* h,
                           const char* w, std::int64_t otherwise) {
  const bool split = p.has(h) || p.has(w);
  if (split && p.has(name.c_str())) throw error(text("it gives both ", name, " and ", h, " or ", w));
  if (split) return {small(p, h, otherwise), small(p, w, otherwise)};
  const auto* field = p.message().GetDescriptor()->FindFieldByName(name);
  if (!field->is_repeated()) {
    const auto n = small(p, name.c_str(), otherwise);
    return {n, n};
  }
  const auto all = p.values<std::uint32_t>(name.c_str());
  if (all.size() > 2)
    throw error(text("it has ", all.size(), " values of ", name, ", for a convolution of ",
                     all.size(), " dimensions (2 are supported)"));
  if (all.empty()) return {small(otherwise, name.c_str()), small(otherwise, name.c_str())};
  return {small(all.front(), name.c_str()), small(all.back(), name.c_str())};
}

inline net::window make_window(const proto::view& p, const char* stride_what) {
  const auto kernel = either(p, "kernel_size", "kernel_h", "kernel_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  if (kernel.h < 1 || kernel.w < 1) throw error("its kernel_size is missing or 0");
  if (stride.h < 1 || stride.w < 1) throw error(text("its ", stride_what, " is 0"));
  return {.kernel_h = kernel.h, .kernel_w = kernel.w, .stride_h = stride.h, .stride_w = stride.w,
          .pad_top = pad.h, .pad_left = pad.w, .pad_bottom = pad.h, .pad_right = pad.w};
}

inline net::window convolution_window(const proto::view& p) {
  net::window w = make_window(p, "stride");
  const auto dilation = p.values<std::uint32_t>("dilation");
  if (dilation.size() > 2) throw error("it has more than 2 values of dilation");
  if (!dilation.empty()) {
    w.dilation_h = small(dilation.front(), "dilation");
    w.dilation_w = small(dilation.back(), "dilation");
  }
  return w;
}

inline void require_no_window(const proto::view& p) {
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  if (p.has("kernel_size") || p.has("kernel_h") || p.has("kernel_w"))
    throw error("it gives both global_pooling and a kernel size");
  if (pad.h != 0 || pad.w != 0 || stride.h != 1 || stride.w != 1)
    throw error("global_pooling takes no padding and stride 1");
}

// Caffe's rounding up of the output size differs from the usual rule in two corners: a window
// larger than the padded picture is allowed, and clipped; and without padding a last window that
// lies wholly outside is kept, which has no meaning.
inline net::window pooling_window(const proto::view& p, net::shape in, bool ceil) {
  net::window w = make_window(p, "stride");
  if (!ceil) return w;
  const auto fit = [](std::int32_t& kernel, std::int32_t stride, std::int32_t pad, std::int32_t size) {
    const std::int64_t padded = std::int64_t{size} + 2 * pad;
    if (kernel > padded && kernel - padded < stride) kernel = static_cast<std::int32_t>(padded);
    const std::int64_t rest = padded - kernel, last = (rest + stride - 1) / stride * stride;
    if (pad == 0 && rest > 0 && last >= size)
      throw error("its last window lies outside the picture: its stride is larger than its kernel");
  };
  fit(w.kernel_h, w.stride_h, w.pad_top, in.h);
  fit(w.kernel_w, w.stride_w, w.pad_left, in.w);
  return w;
}

}  // namespace nvdlac::import::caffe_format

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

// Turns one layer after the other into nodes. Each member function converts the layers of one type
// for its inputs; it throws `error` with the reason.
class converter {
 public:
  converter(assembly& net, const weights& trained, std::int64_t batch)
      : net_(net), weights_(trained), batch_(batch) {}

  // Problems of weights, which do not keep the layers behind from being read.
  const std::vector<problem>& weight_problems() const { return weight_problems_; }

  blob convolution(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("convolution_param");
    require_axis_1(p, in[0]);
    net::convolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                        .groups = small(p, "group", 1)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));  // before the sizes are used
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.weights = weights::values(
          blobs[0], {op.kernels, x.c / op.groups, op.window.kernel_h, op.window.kernel_w}, "weights");
      if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
    });
    return add_cube(l, std::move(op), in);
  }

  blob inner_product(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("inner_product_param");
    require_axis_1(p, in[0]);
    net::fully_connected op{.outputs = small(p, "num_output", 0)};
    const net::shape x = net_.shape(in[0].node);
    (void)op.infer(std::span(&x, 1));
    load(l, [&] {
      const bool biased = p.flag("bias_term", true);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      const auto depth = static_cast<std::int64_t>(x.size());
      const bool turned = p.flag("transpose", false);
      op.weights = weights::values(blobs[0], turned ? dims{depth, op.outputs} : dims{op.outputs, depth},
                                   "weights");
      if (turned) op.weights = transposed(op.weights, static_cast<std::size_t>(op.outputs));
      if (biased) op.bias = weights::values(blobs[1], {op.outputs}, "bias");
    });
    const std::int64_t outputs = op.outputs;
    return {add(l, std::move(op), in), {1, outputs}};
  }

  blob pooling(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("pooling_param");
    const auto method = p.enumerator("pool", "MAX");
    if (method == "STOCHASTIC")
      throw error(problem{.reason = "stochastic pooling is not supported", .remedy = "MAX and AVE are"});
    // Caffe divides by the window clipped to the padded picture.
    net::pool op{.kind = method == "MAX" ? net::pool_kind::maximum : net::pool_kind::average,
                 .ceil = p.enumerator("round_mode", "CEIL") == "CEIL", .count_include_pad = true,
                 .global = p.flag("global_pooling", false)};
    if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
    if (op.global) {
      require_no_window(p);
      op.ceil = op.count_include_pad = false;
    } else {
      op.window = pooling_window(p, net_.shape(in[0].node), op.ceil);
      if (op.kind == net::pool_kind::maximum) op.count_include_pad = false;
    }
    return add_cube(l, std::move(op), in);
  }

  blob relu(const layer& l, std::span<const blob> in) {
    if (l.fields.child("relu_param").number("negative_slope", 0) != 0.0F)
      throw error(problem{.reason = "negative_slope makes it a leaky ReLU, which is not supported",
                          .remedy = "ReLU with negative_slope 0 is"});
    return {add(l, net::relu{}, in), in[0].shape};
  }

  blob batch_norm(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("batch_norm_param");
    if (!p.flag("use_global_stats", true))
      throw error(problem{.reason = "use_global_stats: false normalises by the batch at hand",
                          .remedy = "only the trained statistics are supported"});
    net::batch_norm op{.epsilon = p.number("eps", 1e-5F)};
    load(l, [&] {
      const auto& blobs = weights_.of(l.name, 3);
      const std::int64_t channels = net_.shape(in[0].node).c;
      op.mean = weights::values(blobs[0], {channels}, "mean");
      op.variance = weights::values(blobs[1], {channels}, "variance");
      // The blobs hold sums; the third one says of how many (weighted) batches.
      const float count = weights::values(blobs[2], {1}, "moving-average factor")[0];
      const float factor = count == 0.0F ? 0.0F : 1.0F / count;
      for (auto& v : op.mean) v *= factor;
      for (auto& v : op.variance) v *= factor;
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob scale(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("scale_param");
    const dims size = per_channel(p, in[0]);
    net::scale op;
    load(l, [&] {
      const bool biased = p.flag("bias_term", false);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.factor = weights::values(blobs[0], size, "factor");
      if (biased) op.bias = weights::values(blobs[1], size, "bias");
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob bias(const layer& l, std::span<const blob> in) {
    const dims size = per_channel(l.fields.child("bias_param"), in[0]);
    net::scale op{.factor = {1.0F}};
    load(l, [&] { op.bias = weights::values(weights_.of(l.name, 1)[0], size, "bias"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob power(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("power_param");
    if (p.number("power", 1) != 1.0F)
      throw error(problem{.reason = text("power ", p.number("power", 1), " is not supported"),
                          .remedy = "power 1 with scale and shift is"});
    net::scale op{.factor = {p.number("scale", 1)}};
    if (p.number("shift", 0) != 0.0F) op.bias = {p.number("shift", 0)};
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob eltwise(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("eltwise_param");
    if (const auto operation = p.enumerator("operation", "SUM"); operation != "SUM")
      throw error(problem{.reason = "the operation " + operation + " is not supported",
                          .remedy = "SUM is"});
    const auto coefficients = p.values<float>("coeff");
    if (!coefficients.empty() && coefficients.size() != in.size())
      throw error(text("it has ", coefficients.size(), " coefficients for ", in.size(), " inputs"));
    std::vector<assembly::id> terms;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].shape != in[0].shape)
        throw error(text("its inputs have different shapes, ", to_text(in[0].shape), " and ",
                         to_text(in[i].shape)));
      terms.push_back(in[i].node);
      if (!coefficients.empty() && coefficients[i] != 1.0F)
        terms.back() = net_.add(text(l.name, "/coeff", i), net::scale{.factor = {coefficients[i]}},
                                {terms.back()}, l.line);
    }
    assembly::id sum = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i)
      sum = net_.add(i + 1 == terms.size() ? l.name : text(l.name, "/sum", i), net::add{},
                     {sum, terms[i]}, l.line);
    return {sum, in[0].shape};
  }

  blob concat(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("concat_param");
    if (p.has("axis") && p.has("concat_dim")) throw error("it gives both axis and concat_dim");
    const auto axis = p.has("concat_dim") ? p.integer("concat_dim") : p.integer("axis", 1);
    if (canonical(axis, in[0]) != 1)
      throw error(problem{.reason = text("it concatenates along axis ", axis),
                          .remedy = "only channels, axis 1, can be concatenated"});
    dims out = in[0].shape;
    for (const auto& b : in.subspan(1)) {
      if (b.shape.size() != out.size()) throw error("its inputs have different numbers of dimensions");
      out[1] += b.shape[1];
    }
    return {add(l, net::concat{}, in), out};
  }

  blob flatten(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("flatten_param");
    const auto first = canonical(p.integer("axis", 1), in[0]);
    const auto last = canonical(p.integer("end_axis", -1), in[0]);
    if (first < 1 || last < first)
      throw error(text("it flattens the axes ", first, " to ", last, " (1 and above are supported)"));
    dims out(in[0].shape.begin(), in[0].shape.begin() + first);
    std::int64_t joined = 1;
    for (auto i = first; i <= last; ++i) joined *= in[0].shape[static_cast<std::size_t>(i)];
    out.push_back(joined);
    out.insert(out.end(), in[0].shape.begin() + last + 1, in[0].shape.end());
    if (out.size() == 2) return {add(l, net::flatten{}, in), out};
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob reshape(const layer& l, std::span<const blob> in) {
    const dims out = reshaped(l.fields.child("reshape_param"), in[0].shape);
    return {add(l, net::reshape{cube(out)}, in), out};
  }

  blob softmax(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("softmax_param");
    require_axis_1(p, in[0]);
    return {add(l, net::softmax{}, in), in[0].shape};
  }

  blob lrn(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("lrn_param");
    if (p.enumerator("norm_region", "ACROSS_CHANNELS") != "ACROSS_CHANNELS")
      throw error(problem{.reason = "LRN within a channel is not supported",
                          .remedy = "NVDLA's CDP normalises ACROSS_CHANNELS only"});
    return {add(l, net::lrn{.local_size = small(p, "local_size", 5), .alpha = p.number("alpha", 1),
                            .beta = p.number("beta", 0.75F), .k = p.number("k", 1)}, in),
            in[0].shape};
  }

  blob same(const layer& l, std::span<const blob> in) {
    return {add(l, net::identity{}, in), in[0].shape};
  }

 private:
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
  // [inputs][outputs] -> [outputs][inputs]
  static std::vector<float> transposed(const std::vector<float>& from, std::size_t outputs) {
    std::vector<float> to(from.size());
    const std::size_t inputs = from.size() / outputs;
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t i = 0; i < inputs; ++i) to[k * inputs + i] = from[i * outputs + k];
    return to;
  }
  template <class Op>
  blob add_cube(const layer& l, Op op, std::span<const blob> in) {
    const auto n = add(l, std::move(op), in);
    const net::shape s = net_.shape(n);
    return {n, {1, s.c, s.h, s.w}};
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
  dims reshaped(const proto::view& p, const dims& in) const {
    const auto wanted = p.child("shape").values<std::int64_t>("dim");
    const auto rank = static_cast<std::int64_t>(in.size());
    const auto axis = p.integer("axis", 0), first = axis < 0 ? axis + rank + 1 : axis;
    const auto axes = p.integer("num_axes", -1), end = axes == -1 ? rank : first + axes;
    if (axes < -1 || first < 0 || first > rank || end > rank)
      throw error(text("it reshapes ", axes, " axes from axis ", axis, " of ", rank));
    dims out(in.begin(), in.begin() + first);
    std::size_t open = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::int64_t n = wanted[i];
      if (n == 0) {
        if (first + static_cast<std::int64_t>(i) >= end) throw error("it copies an axis that is not there");
        n = in[static_cast<std::size_t>(first) + i];
      } else if (out.empty() && n == batch_) {
        n = 1;  // the batch for which the file was written
      } else if (n == -1) {
        if (open++ != 0) throw error("its shape has more than one -1");
      } else if (n < 1) {
        throw error(text("its shape has the dimension ", n));
      }
      out.push_back(n);
    }
    out.insert(out.end(), in.begin() + end, in.end());
    std::int64_t total = 1, known = 1;
    for (const auto n : in) total = net::product({total, n});
    for (const auto n : out) known = net::product({known, n == -1 ? 1 : n});
    for (auto& n : out)
      if (n == -1) n = total / known;
    if (out.empty() || out[0] != 1)
      throw error(problem{.reason = text("it reshapes to ", to_text(out), ", which mixes pictures"),
                          .remedy = "the first dimension is the batch, which is 1"});
    return out;
  }

  assembly& net_;
  const weights& weights_;
  std::int64_t batch_;
  bool weights_sound_ = true;  // of the layer at hand
  std::vector<problem> weight_problems_;
};

}  // namespace nvdlac::import::caffe_format

namespace nvdlac::import {

namespace caffe_format {

// How the layers of one type are read: the message of their parameters and the conversion.
struct layer_type {
  const char* parameters;
  blob (converter::*convert)(const layer&, std::span<const blob>);
  std::size_t least_inputs = 1, most_inputs = 1;
};

inline const std::map<std::string_view, layer_type>& layer_types() {
  constexpr std::size_t many = 1024;
  static const std::map<std::string_view, layer_type> types = {
      {"BatchNorm", {"batch_norm_param", &converter::batch_norm}},
      {"Bias", {"bias_param", &converter::bias}},
      {"Concat", {"concat_param", &converter::concat, 1, many}},
      {"Convolution", {"convolution_param", &converter::convolution}},
      {"Dropout", {"dropout_param", &converter::same}},
      {"Eltwise", {"eltwise_param", &converter::eltwise, 2, many}},
      {"Flatten", {"flatten_param", &converter::flatten}},
      {"InnerProduct", {"inner_product_param", &converter::inner_product}},
      {"LRN", {"lrn_param", &converter::lrn}},
      {"Pooling", {"pooling_param", &converter::pooling}},
      {"Power", {"power_param", &converter::power}},
      {"ReLU", {"relu_param", &converter::relu}},
      {"Reshape", {"reshape_param", &converter::reshape}},
      {"Scale", {"scale_param", &converter::scale}},
      {"Softmax", {"softmax_param", &converter::softmax}},
      {"Split", {"", &converter::same}},
  };
  return types;
}

// Why a layer of this type cannot be part of a deployed network.
inline problem unsupported(const std::string& type, bool with_list) {
  const auto ends = [&](std::string_view s) {
    return type.size() >= s.size() && type.compare(type.size() - s.size(), s.size(), s) == 0;
  };
  if (type.empty()) return {.reason = "it has no type"};
  if (ends("Data"))
    return {.reason = "it is a " + type + " layer, which reads a training set",
            .remedy = "give the deploy file, whose Input layer has the shape of a picture"};
  if (ends("Loss") || ends("_LOSS") || type == "Accuracy" || type == "Silence" || ends("Output"))
    return {.reason = "it is a " + type + " layer, which is of use in training and testing only",
            .remedy = "give the deploy file, or exclude the layer from the phase TEST"};
  std::string known;
  for (const auto& [name, ignored] : layer_types()) known += std::string(name) + ", ";
  return {.reason = "layers of type " + type + " are not supported",
          .remedy = with_list ? "supported are " + known + "Input" : ""};
}

class reader {
 public:
  reader(const std::string& file, const proto::document& document, const weights& trained)
      : file_(file), document_(document), weights_(trained), net_(file, problems_) {}

  net::graph read() {
    const auto layers = used_layers(document_);
    if (document_.root().has("layer") && document_.root().has("layers"))
      complain({.reason = "it has layers both of the old form (layers) and the new form (layer)"});
    report_unknown(layers);
    read_inputs(layers);
    converter convert(net_, weights_, batch_);
    for (const auto& l : layers) {
      if (l.name.empty()) complain({.line = l.line, .reason = "a layer has no name"});
      else if (!names_.insert(l.name).second)
        complain({.line = l.line, .layer = l.name, .reason = "its name is used more than once"});
      if (l.type != "Input") read_layer(l, layers, convert);
    }
    for (const auto& p : convert.weight_problems()) complain(p);
    for (const auto& [name, b] : blobs_)
      if (b && !consumed_.contains(b->node)) net_.mark_output(b->node);
    if (problems_.empty() && (layers.empty() || blobs_.empty()))
      complain({.reason = "the network has no layers"});
    if (problems_.empty() && batch_ == 0)
      complain({.reason = "the network has no input", .remedy = "give the deploy file"});
    return net_.finish();
  }

 private:
  void complain(problem p) {
    p.file = file_;
    problems_.add(std::move(p));
  }
  void complain(const layer& l, const error& e) {
    for (problem p : e.problems()) {
      p.line = l.line;
      p.layer = l.name;
      complain(std::move(p));
    }
  }

  void report_unknown(const std::vector<layer>& layers) {
    for (const auto& u : document_.unknown) {
      const auto reason = text("the field ", u.name, " of ", u.message, " is not understood");
      if (u.message == "NetParameter") {
        complain({.line = u.at.line, .reason = reason});
        continue;
      }
      for (const auto& l : layers)  // a layer that takes no part may hold what it likes
        if (u.at >= l.start && u.at < l.end &&
            (l.type == "Input" || layer_types().contains(l.type)))
          complain({.line = u.at.line, .layer = l.name, .reason = reason});
    }
  }

  void add_input(const std::string& layer, const std::string& top, const dims& d, std::size_t line) {
    try {
      if (d.size() < 2 || d.size() > 4)
        throw error(text("the input has ", d.size(), " dimensions (2 to 4 are supported: pictures, "
                         "channels, height, width)"));
      if (d[0] < 1) throw error(text("the input has a batch of ", d[0]));
      dims one = d;
      one[0] = 1;
      batch_ = std::max(batch_, d[0]);
      bind(top, blob{net_.add(layer, net::input{cube(one)}, {}, line), one}, layer, line, false);
    } catch (const error& e) {
      for (problem p : e.problems()) {
        p.line = line;
        p.layer = layer;
        complain(std::move(p));
      }
      batch_ = std::max(batch_, std::int64_t{1});
      blobs_[top] = std::nullopt;
    }
  }
  static dims to_dims(const proto::view& shape) { return shape.values<std::int64_t>("dim"); }
  void read_inputs(const std::vector<layer>& layers) {
    const auto net = document_.root();
    const auto inputs = net.strings("input");
    const auto flat = net.values<std::int32_t>("input_dim");
    const auto shapes = net.children("input_shape");
    if (shapes.empty() ? flat.size() != 4 * inputs.size() : !flat.empty() || shapes.size() != inputs.size())
      complain({.reason = text("the network names ", inputs.size(), " inputs, but gives ", flat.size(),
                               " values of input_dim and ", shapes.size(), " of input_shape"),
                .remedy = "give four values of input_dim, or one input_shape, for each input"});
    else
      for (std::size_t i = 0; i < inputs.size(); ++i)
        add_input(inputs[i], inputs[i],
                  shapes.empty() ? dims(flat.begin() + static_cast<std::ptrdiff_t>(4 * i),
                                        flat.begin() + static_cast<std::ptrdiff_t>(4 * i + 4))
                                 : to_dims(shapes[i]),
                  0);
    for (const auto& l : layers) {
      if (l.type != "Input") continue;
      const auto given = l.fields.child("input_param").children("shape");
      check_parameters(l, "input_param");
      if (!l.bottoms.empty() || l.tops.empty() || (given.size() != 1 && given.size() != l.tops.size())) {
        complain(l, error(text("the Input layer has ", l.bottoms.size(), " bottoms, ", l.tops.size(),
                               " tops and ", given.size(), " shapes")));
        for (const auto& top : l.tops) blobs_[top] = std::nullopt;
        batch_ = std::max(batch_, std::int64_t{1});
        continue;
      }
      for (std::size_t i = 0; i < l.tops.size(); ++i)
        add_input(l.tops.size() == 1 ? l.name : l.tops[i], l.tops[i],
                  to_dims(given[given.size() == 1 ? 0 : i]), l.line);
    }
  }

  // What a layer of another type would understand has no meaning here.
  void check_parameters(const layer& l, std::string_view expected) {
    std::vector<const proto::pb::FieldDescriptor*> fields;
    const auto& m = l.fields.message();
    m.GetReflection()->ListFields(m, &fields);
    for (const auto* f : fields)
      if (f->name().size() > 6 && f->name().substr(f->name().size() - 6) == "_param" &&
          f->name() != expected)
        complain({.line = l.line, .layer = l.name,
                  .reason = text(f->name(), " has no meaning in a layer of type ", l.type)});
    if (l.fields.has("phase") && l.fields.enumerator("phase", "TEST") != "TEST")
      complain({.line = l.line, .layer = l.name, .reason = "phase: TRAIN of a layer that is used",
                .remedy = "write include { phase: TRAIN } to leave it out of the network"});
  }

  void bind(const std::string& top, const blob& b, const std::string& layer, std::size_t line,
            bool in_place) {
    if (!blobs_.contains(top) || in_place) blobs_[top] = b;
    else
      complain({.line = line, .layer = layer,
                .reason = "its output '" + top + "' is already produced by another layer"});
  }

  void read_layer(const layer& l, const std::vector<layer>& all, converter& convert) {
    const auto poison = [&] {
      for (const auto& top : l.tops) blobs_[top] = std::nullopt;
    };
    const auto type = layer_types().find(l.type);
    if (type == layer_types().end()) {
      complain(l, error(unsupported(l.type, !std::exchange(supported_listed_, true))));
      return poison();
    }
    check_parameters(l, type->second.parameters);
    const auto inputs = inputs_of(l, all);
    try {
      const auto n = l.bottoms.size();
      if (n < type->second.least_inputs || n > type->second.most_inputs)
        throw error(text("a layer of type ", l.type, " has ", n, " inputs (bottom)"));
      if (l.tops.empty() || (l.tops.size() > 1 && l.type != "Split"))
        throw error(text("a layer of type ", l.type, " has ", l.tops.size(), " outputs (top)"));
      if (!inputs) return poison();
      const blob out = (convert.*type->second.convert)(l, *inputs);
      for (const auto& b : *inputs) consumed_.insert(b.node);
      for (const auto& top : l.tops)
        bind(top, out, l.name, l.line,
             std::find(l.bottoms.begin(), l.bottoms.end(), top) != l.bottoms.end());
    } catch (const error& e) {
      complain(l, e);
      poison();
      // A layer that keeps the shape does not keep those behind it from being looked at.
      static const std::set<std::string_view> keep = {"BatchNorm", "Bias", "LRN", "Power", "ReLU",
                                                      "Scale", "Softmax"};
      if (inputs && inputs->size() == 1 && keep.contains(l.type))
        for (const auto& top : l.tops) blobs_[top] = inputs->front();
    }
  }
  // Empty if one of them is not known; it is reported unless that was done before.
  std::optional<std::vector<blob>> inputs_of(const layer& l, const std::vector<layer>& all) {
    std::vector<blob> inputs;
    bool complete = true;
    for (const auto& bottom : l.bottoms) {
      const auto found = blobs_.find(bottom);
      if (found != blobs_.end() && found->second) {
        inputs.push_back(*found->second);
        continue;
      }
      complete = false;
      if (found != blobs_.end()) continue;
      const auto later = std::find_if(all.begin(), all.end(), [&](const layer& o) {
        return std::find(o.tops.begin(), o.tops.end(), bottom) != o.tops.end();
      });
      complain({.line = l.line, .layer = l.name,
                .reason = "nothing produces its input '" + bottom + "'" +
                          (later == all.end() ? std::string{}
                                              : " before it; layer '" + later->name + "' does so later"),
                .remedy = later == all.end() ? "" : "the layers are out of order or form a cycle"});
    }
    if (!complete) return std::nullopt;
    return inputs;
  }

  std::string file_;
  const proto::document& document_;
  const weights& weights_;
  diagnostics problems_;
  assembly net_;
  std::int64_t batch_ = 0;  // of the inputs; 0 without inputs
  std::map<std::string, std::optional<blob>> blobs_;  // empty: produced by a layer with a problem
  std::set<assembly::id> consumed_;
  std::set<std::string> names_;
  bool supported_listed_ = false;
};

}  // namespace caffe_format

// Reads a Caffe network as it is used (phase TEST) from its description and its trained weights.
// The batch is dropped: a network is for one picture. Throws `error` with all problems.
inline net::graph caffe(const std::filesystem::path& prototxt, const std::filesystem::path& caffemodel) {
  const std::string file = prototxt.string();
  const std::string content = read_file(prototxt);
  if (const auto kind = recognise(content); kind.kind != file_kind::caffe_text)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a prototxt",
                        .remedy = kind.kind == file_kind::caffe_binary
                                      ? "give the prototxt first, then the caffemodel"
                                      : kind.remedy});
  const auto document = proto::parse_text(caffe_format::schema(), "NetParameter", file, content);
  const caffe_format::weights trained(caffemodel.string());
  return caffe_format::reader(file, document, trained).read();
}

}  // namespace nvdlac::import
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <string_view>

namespace nvdlac {

// The name of T as the compiler prints it, without its namespaces: "nv_small".
template <class T>
constexpr std::string_view type_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s.remove_prefix(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  const auto colon = s.rfind("::");
  return colon == std::string_view::npos ? s : s.substr(colon + 2);
}

}  // namespace nvdlac

namespace nvdlac::net {

// "convolution": the type of a node's operator.
template <class AnyOperator>
std::string operator_name(const AnyOperator& any) {
  return std::visit(
      [](const auto& op) { return std::string(type_name<std::decay_t<decltype(op)>>()); }, any);
}

// Why the input slots of node n are not 0, 1, .. each fed once and as many as its operator takes;
// empty if they are.
template <class Graph>
std::vector<problem> slot_problems(const Graph& g, typename Graph::id n) {
  std::vector<problem> found;
  const auto& node = g[n];
  const auto report = [&](std::string reason) {
    found.push_back({.layer = node.name, .reason = std::move(reason)});
  };
  const auto slots = g.fed_slots(n);
  for (std::size_t i = 1; i < slots.size(); ++i)
    if (slots[i] == slots[i - 1] && (i < 2 || slots[i - 2] != slots[i]))
      report(text("its input ", slots[i], " is fed more than once"));
  const std::size_t width = slots.empty() ? 0 : slots.back() + 1;
  for (std::size_t i = 0, seen = 0; i < width && i <= slots.size(); ++i) {
    const bool fed = seen < slots.size() && slots[seen] == i;
    while (seen < slots.size() && slots[seen] == i) ++seen;
    if (!fed) report(text("its input ", i, " is open"));
  }
  const arity takes = std::visit([](const auto& op) { return arity{op.inputs}; }, node.op);
  if (!takes.contains(width))
    report(text("its operator ", operator_name(node.op), " takes ",
                takes.most == any_number ? text(takes.least, " or more")
                : takes.least == takes.most ? text(takes.least)
                                            : text(takes.least, " to ", takes.most),
                " inputs but has ", width));
  return found;
}

// Calls found(id, shape) for every node whose shape follows from its inputs, producers first, and
// reports why the others have none and what is wrong with weights. A node behind one without a
// shape is passed over in silence.
template <class Graph, class Found>
void infer_each(const Graph& g, diagnostics& problems, Found found) {
  std::vector<std::optional<shape>> shapes(g.size());
  for (const auto n : g.order()) {
    if (!slot_problems(g, n).empty()) continue;
    std::vector<shape> in;
    for (const auto i : g.inputs(n))
      if (shapes[i]) in.push_back(*shapes[i]);
    if (in.size() != g.inputs(n).size()) continue;
    try {
      std::visit(
          [&](const auto& op) {
            shapes[n] = op.infer(in);
            if constexpr (requires { op.check(in, problems, g[n].name); })
              op.check(in, problems, g[n].name);
          },
          g[n].op);
      found(n, *shapes[n]);
    } catch (const error& e) {
      for (problem p : e.problems()) {
        p.layer = g[n].name;
        problems.add(std::move(p));
      }
    }
  }
}

// The names of the nodes on cycles, "a -> b -> a" for each group of nodes that reach one another.
template <class Graph>
std::vector<problem> cycle_problems(const Graph& g) {
  std::vector<bool> sound(g.size(), false), reported(g.size(), false);
  for (const auto n : g.order()) sound[n] = true;
  std::vector<problem> found;
  for (typename Graph::id start = 0; start < g.size(); ++start) {
    if (sound[start] || reported[start]) continue;
    // Backwards along unsound inputs every path ends on a cycle.
    std::vector<typename Graph::id> path{start};
    std::vector<bool> on_path(g.size(), false);
    on_path[start] = true;
    for (bool known = false; !known;) {
      typename Graph::id next = g.size();
      for (const auto i : g.inputs(path.back()))
        if (!sound[i]) next = std::min(next, i);
      known = reported[next];
      if (!known && on_path[next]) {
        const auto first = std::find(path.begin(), path.end(), next);
        std::string names = g[next].name;
        for (auto i = path.end(); i != first; --i) names += " -> " + g[*(i - 1)].name;
        found.push_back({.layer = g[next].name, .reason = "it lies on a cycle: " + names});
        known = true;
      }
      if (!known) {
        path.push_back(next);
        on_path[next] = true;
      }
    }
    for (const auto n : path) reported[n] = true;
  }
  return found;
}

// Sets every node's shape. Throws all problems of structure, shapes and weights together.
template <class Graph>
void infer_shapes(Graph& g) {
  diagnostics problems;
  for (auto& p : cycle_problems(g)) problems.add(p);
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (auto& p : slot_problems(g, n)) problems.add(p);
  infer_each(g, problems, [&](auto n, shape s) { g[n].shape = s; });
  problems.check();
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// Builds a graph from layers that name the tensors they read and the tensor they produce, as model
// files do, in any order. A layer whose output is one of its inputs (Caffe's in-place layers)
// rebinds the name: it reads what the name meant before it, and later layers read its result. A
// layer that reads a name before anything produces it reads what the name means in the end.
template <class Graph>
class builder {
 public:
  using id = typename Graph::id;

  // `file` goes into the problems that are reported.
  explicit builder(std::string file = {}) : file_(std::move(file)) {}

  id add(std::string layer, typename Graph::any_operator op, std::vector<std::string> input_tensors,
         const std::string& output_tensor) {
    const bool in_place = std::find(input_tensors.begin(), input_tensors.end(), output_tensor) !=
                          input_tensors.end();
    std::vector<use> uses;
    for (auto& name : input_tensors) {
      const auto& [producers, rebinders] = tensors_[name];
      const bool known = !producers.empty() || !rebinders.empty() || (in_place && name == output_tensor);
      uses.push_back({std::move(name), known ? rebinders.size() : last});
    }
    const id n = graph_.add(std::move(layer), std::move(op));
    uses_.push_back(std::move(uses));
    auto& bound = tensors_[output_tensor];
    (in_place ? bound.rebinders : bound.producers).push_back(n);
    return n;
  }

  // The graph with these tensors as outputs; without any, those that nothing reads. Throws, all
  // together: tensors that nothing or more than one layer produces, and cycles. The builder is
  // empty afterwards.
  Graph finish(const std::vector<std::string>& outputs = {}) {
    diagnostics problems;
    report_ambiguous(problems);
    for (id n = 0; n < graph_.size(); ++n)
      for (std::size_t i = 0; i < uses_[n].size(); ++i) {
        const auto& [name, version] = uses_[n][i];
        if (const id from = resolve(name, version); from != none) graph_.connect(from, n, i);
        else report(problems, graph_[n].name, "nothing produces its input '" + name + "'");
      }
    for (const auto& name : outputs) {
      if (const id n = resolve(name, last); n != none) graph_[n].output = true;
      else report(problems, {}, "nothing produces the output '" + name + "'");
    }
    if (outputs.empty())
      for (id n = 0; n < graph_.size(); ++n) graph_[n].output = graph_.consumers(n).empty();
    for (const auto& p : cycle_problems(graph_)) report(problems, p.layer, p.reason);
    uses_.clear();
    tensors_.clear();
    Graph result = std::exchange(graph_, Graph{});
    problems.check();
    return result;
  }

 private:
  static constexpr std::size_t last = static_cast<std::size_t>(-1);
  static constexpr id none = static_cast<id>(-1);

  struct use {
    std::string tensor;
    std::size_t version;  // what the name means after so many rebinders
  };
  struct binding {
    std::vector<id> producers, rebinders;  // in the order of their addition
  };

  id resolve(const std::string& name, std::size_t version) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return none;
    const auto& [producers, rebinders] = found->second;
    version = std::min(version, rebinders.size());
    if (version > 0) return rebinders[version - 1];
    return producers.empty() ? none : producers.front();
  }
  void report_ambiguous(diagnostics& problems) const {
    for (const auto& [name, bound] : tensors_) {
      if (bound.producers.size() < 2) continue;
      std::string layers;
      for (const id n : bound.producers) layers += (layers.empty() ? "'" : ", '") + graph_[n].name + "'";
      report(problems, graph_[bound.producers[1]].name,
             "the tensor '" + name + "' is produced more than once, by " + layers);
    }
  }
  void report(diagnostics& problems, std::string layer, std::string reason) const {
    problems.add({.file = file_, .layer = std::move(layer), .reason = std::move(reason)});
  }

  std::string file_;
  Graph graph_{};
  std::vector<std::vector<use>> uses_{};  // by node
  std::map<std::string, binding> tensors_{};
};

}  // namespace nvdlac::net
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace nvdlac::net {

// Computes a sound graph: apply(id, span of pointers to the inputs) gives a node's tensor, then
// visit(id, tensor) sees it. A tensor is freed after its last reader. `Tensor` has no other role.
template <class Tensor, class Graph, class Apply, class Visit>
void walk(const Graph& g, Apply apply, Visit visit) {
  std::vector<Tensor> tensors(g.size());
  std::vector<std::size_t> readers(g.size());
  for (const auto n : g.order()) {
    const auto inputs = g.inputs(n);
    std::vector<const Tensor*> in;
    for (const auto i : inputs) in.push_back(&tensors[i]);
    tensors[n] = apply(n, std::span<const Tensor* const>(in));
    visit(n, std::as_const(tensors[n]));
    readers[n] = g.consumers(n).size();
    if (readers[n] == 0) tensors[n] = Tensor{};
    for (const auto i : inputs)
      if (--readers[i] == 0) tensors[i] = Tensor{};
  }
}

}  // namespace nvdlac::net

namespace nvdlac::net {

// The network's input nodes, ascending: the order in which `evaluate` takes their tensors.
template <class Graph>
std::vector<typename Graph::id> input_nodes(const Graph& g) {
  std::vector<typename Graph::id> result;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (std::visit([](const auto& op) { return is_network_input<std::decay_t<decltype(op)>>; }, g[n].op))
      result.push_back(n);
  return result;
}

// The position of every node in the order of inputs; throws if the number of inputs is another.
template <class Graph>
std::vector<std::size_t> input_positions(const Graph& g, std::size_t given) {
  const auto nodes = input_nodes(g);
  if (nodes.size() != given)
    throw error(text("the network has ", nodes.size(), " inputs but ", given, " are given"));
  std::vector<std::size_t> result(g.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) result[nodes[i]] = i;
  return result;
}

// The tensors that are given by name, in the order of the inputs.
template <class Graph, class Tensor>
std::vector<Tensor> in_input_order(const Graph& g, const std::map<std::string, Tensor>& named) {
  diagnostics problems;
  std::vector<Tensor> result;
  std::map<std::string, bool> known;
  for (const auto n : input_nodes(g)) {
    known[g[n].name] = true;
    if (const auto found = named.find(g[n].name); found != named.end()) result.push_back(found->second);
    else problems.add({.layer = g[n].name, .reason = "no tensor is given for this input"});
  }
  for (const auto& [name, ignored] : named)
    if (!known.contains(name)) problems.add({.layer = name, .reason = "the network has no such input"});
  problems.check();
  return result;
}

// The float reference of a sound graph: visit(id, const float_tensor&) sees every node's tensor,
// producers first. Inputs in the order of the input nodes. Throws if their shapes do not fit.
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const float_tensor> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const float_tensor* const> in) {
    return std::visit(
        [&](const auto& op) -> float_tensor {
          using op_type = std::decay_t<decltype(op)>;
          if constexpr (is_network_input<op_type>) {
            const float_tensor& x = inputs[position[n]];
            if (x.shape != op.infer({}) || x.values.size() != x.shape.size())
              throw error({.layer = g[n].name,
                           .reason = text("the input is ", op.infer({}), " but the given tensor is ",
                                          x.shape, " with ", x.values.size(), " values")});
            return x;
          } else {
            return op.evaluate(in);
          }
        },
        g[n].op);
  };
  walk<float_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, std::span<const float_tensor> inputs) {
  const auto outputs = g.outputs();
  std::vector<float_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const float_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, const std::map<std::string, float_tensor>& inputs) {
  return net::evaluate(g, std::span<const float_tensor>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<float_tensor> evaluate(const Graph& g, const float_tensor& input) {
  return net::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net

namespace nvdlac::net::integer {

// The exact reference of a sound integer graph: visit(id, const int8_tensor&) sees every node's
// tensor, producers first. Feeds in the order of the input nodes (net::input_nodes).
template <class Graph, class Visit>
void evaluate_each(const Graph& g, std::span<const feed> inputs, Visit visit) {
  const auto position = input_positions(g, inputs.size());
  const auto apply = [&](auto n, std::span<const int8_tensor* const> in) {
    return std::visit(
        [&](const auto& op) -> int8_tensor {
          using op_type = std::decay_t<decltype(op)>;
          if constexpr (is_network_input<op_type>) {
            return op.evaluate(inputs[position[n]]);
          } else if constexpr (requires { op.evaluate(in, 1.0, 1.0); }) {
            return op.evaluate(in, g[g.inputs(n).front()].scale, g[n].scale);
          } else {
            return op.evaluate(in);
          }
        },
        g[n].op);
  };
  walk<int8_tensor>(g, apply, visit);
}

// The outputs' tensors, in the order of Graph::outputs().
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, std::span<const feed> inputs) {
  const auto outputs = g.outputs();
  std::vector<int8_tensor> result(outputs.size());
  evaluate_each(g, inputs, [&](auto n, const int8_tensor& t) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == n) result[i] = t;
  });
  return result;
}
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const std::map<std::string, feed>& inputs) {
  return integer::evaluate(g, std::span<const feed>(in_input_order(g, inputs)));
}
// For networks of one input.
template <class Graph>
std::vector<int8_tensor> evaluate(const Graph& g, const feed& input) {
  return integer::evaluate(g, std::span(&input, 1));
}

}  // namespace nvdlac::net::integer
// Scale tables as JSON, in two forms:
//   own:    {"nvdlac_scales": 1, "method": "entropy", "scales": {"conv1": 0.05, ..}}
//   public: {"conv1": {"scale": 0.05, "min": 0, "max": 0, "offset": 0}, ..}, the calibration table
//           of the public NVDLA compiler; it takes `min` and `max` where `scale` is absent.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>


namespace nvdlac::quant {

// The scale of each layer's output tensor: real = scale * integer. In the order of the network.
struct scale_table {
  struct entry {
    std::string layer{};
    double scale = 1;

    bool operator==(const entry&) const = default;
  };

  std::string method{};  // of the calibration; for the reader only
  std::vector<entry> entries{};

  bool operator==(const scale_table&) const = default;

  std::optional<double> find(const std::string& layer) const {
    for (const auto& e : entries)
      if (e.layer == layer) return e.scale;
    return std::nullopt;
  }
};

constexpr bool representable_scale(double s) { return s > 0 && s <= 1e300 && s >= 1e-300; }

// Collects what cannot be a scale, and layers that are listed twice.
inline void check(const scale_table& table, diagnostics& found, const std::string& file = {}) {
  std::set<std::string> known;
  for (const auto& [layer, scale] : table.entries) {
    if (!representable_scale(scale))
      found.add({.file = file, .layer = layer, .reason = text("scale ", scale, " is not usable"),
                 .remedy = "a scale is a positive number"});
    if (!known.insert(layer).second)
      found.add({.file = file, .layer = layer, .reason = "is listed twice in the scale table"});
  }
}

}  // namespace nvdlac::quant

namespace nvdlac::quant {

namespace detail {

using json = nlohmann::ordered_json;

inline constexpr const char* own_form = "nvdlac_scales";

// The document; reports every member that an object has twice (a JSON library keeps only one).
inline json parse_strictly(std::string_view text_of_file, const std::string& file, diagnostics& found) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      found.add({.file = file, .layer = parsed.get<std::string>(),
                 .reason = "is listed twice in the scale table"});
    return true;
  };
  try {
    return json::parse(text_of_file, watch);
  } catch (const json::exception& e) {
    throw error({.file = file, .reason = text("is not JSON: ", e.what())});
  }
}

inline std::optional<double> number(const json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return std::nullopt;
  if (!found->is_number()) return std::nan("");
  return found->get<double>();
}

// The scale of one layer of the public form, or a reason why it has none.
inline double public_scale(const json& layer, std::string& reason) {
  if (!layer.is_object()) return reason = "is no object with a scale", 0.0;
  for (const auto& [member, value] : layer.items())
    if (member != "scale" && member != "min" && member != "max" && member != "offset")
      reason = "has a member '" + member + "' that is none of scale, min, max, offset";
  if (const auto offset = number(layer, "offset"); offset && *offset != 0)
    reason = "has an offset; int8 on NVDLA is symmetric here";
  if (const auto scale = number(layer, "scale")) return *scale;
  const auto low = number(layer, "min"), high = number(layer, "max");
  if (low && high) return std::max(std::fabs(*low), std::fabs(*high)) / 127;
  reason = "has neither scale nor min and max";
  return 0;
}

inline std::string print(const json& document) {
  try {
    return document.dump(2) + "\n";
  } catch (const json::exception& e) {
    throw error(problem{.reason = text("a layer's name is not text: ", e.what())});
  }
}

}  // namespace detail

// Either form. `file` is for messages. Throws, all together: syntax errors, layers listed twice,
// scales that are not positive numbers, members that are not understood.
inline scale_table read_scales(std::string_view text_of_file, const std::string& file = {}) {
  diagnostics found;
  const auto document = detail::parse_strictly(text_of_file, file, found);
  const auto refuse = [&](std::string layer, std::string reason) {
    found.add({.file = file, .layer = std::move(layer), .reason = std::move(reason)});
  };
  scale_table table;
  if (!document.is_object()) {
    refuse({}, "is no JSON object");
  } else if (const auto version = document.find(detail::own_form);
             version != document.end() && !version->is_object()) {
    if (*version != 1) refuse({}, text("is a scale table of version ", version->dump(), ", not 1"));
    for (const auto& [member, value] : document.items())
      if (member == "method" && value.is_string()) table.method = value.get<std::string>();
      else if (member == "scales" && value.is_object())
        for (const auto& [layer, scale] : value.items())
          table.entries.push_back({layer, scale.is_number() ? scale.get<double>() : std::nan("")});
      else if (member != detail::own_form) refuse({}, "its member '" + member + "' is not understood");
    if (!document.contains("scales")) refuse({}, "has no member 'scales'");
  } else {
    for (const auto& [layer, value] : document.items()) {
      std::string reason;
      const double scale = detail::public_scale(value, reason);
      if (reason.empty()) table.entries.push_back({layer, scale});
      else refuse(layer, reason);
    }
  }
  check(table, found, file);
  found.check();
  return table;
}

// The own form; reading it gives the same numbers.
inline std::string write_scales(const scale_table& table) {
  diagnostics found;
  check(table, found);
  found.check();
  detail::json scales = detail::json::object();
  for (const auto& [layer, scale] : table.entries) scales[layer] = scale;
  return detail::print({{detail::own_form, 1}, {"method", table.method}, {"scales", scales}});
}

// The public compiler's form.
inline std::string write_public_scales(const scale_table& table) {
  diagnostics found;
  check(table, found);
  found.check();
  detail::json document = detail::json::object();
  for (const auto& [layer, scale] : table.entries)
    document[layer] = {{"scale", scale}, {"min", 0}, {"max", 0}, {"offset", 0}};
  return detail::print(document);
}

}  // namespace nvdlac::quant
// Runs a register trace on the simulator and compares what it expects.
#include <boost/crc.hpp>

// One NVDLA of a configuration behind its register bus, bit-exact, a whole hardware layer at a
// time. What it does not execute, and what breaks a rule of the hardware, is an nvdlac::error that
// names unit, register and rule.
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.
// CDMA: brings the input cube or image and the weights of one convolution into the CBUF, the input
// through its converter.
// How data and weights fill the convolution buffer. Widths, heights and channels are those of the
// input in elements and at least 1; a slice is one line of the input with all its channels.
#include <algorithm>


namespace nvdlac::hw {

// Memory atoms in one CBUF entry.
constexpr std::uint32_t atoms_per_entry(const spec& s) { return s.cbuf_entry / s.memory_atom; }

// Surfaces of a cube: groups of channels that share one atom.
constexpr std::uint64_t surfaces(const spec& s, precision p, std::uint64_t channels) {
  return ceil_div(channels * element_bytes(p), s.memory_atom);
}

// CDMA.D_ENTRY_PER_SLICE of a feature cube. Whole entries take the atoms of neighbouring surfaces;
// the rest of the surfaces is packed along the line, but three of four take an entry for each atom.
constexpr entries feature_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                            std::uint64_t channels) {
  const std::uint64_t per_entry = atoms_per_entry(s);
  const auto atoms = surfaces(s, p, channels);
  const auto rest = atoms % per_entry;
  const auto tail = rest == 3 ? width : ceil_div(width * rest, per_entry);
  return {atoms / per_entry * width + tail};
}

// CDMA.D_ENTRY_PER_SLICE of an image; `p` is the precision of the processing, `width` includes the
// left and the right padding, which the buffer stores too.
constexpr entries image_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                          std::uint64_t channels) {
  return {ceil_div(width * channels * element_bytes(p), s.cbuf_entry)};
}

// CDMA.D_ENTRY_PER_SLICE of a Winograd convolution: `width` includes the padding and is a multiple
// of 4 * stride_x.
constexpr entries winograd_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                             std::uint64_t channels, std::uint64_t stride_x = 1,
                                             std::uint64_t stride_y = 1) {
  return {width / (4 * stride_x) * surfaces(s, p, channels) * stride_x * stride_y};
}

// Banks for so many slices (lines) of data; a bank is used by data or by weights, never by both.
constexpr banks data_banks(const spec& s, entries per_slice, std::uint64_t lines) {
  return {std::max<std::uint64_t>(ceil_div(per_slice.n * lines, s.cbuf_entries_per_bank), 1)};
}

// Slices of data that fit so many banks.
constexpr std::uint64_t slices_in(const spec& s, banks b, entries per_slice) {
  return b.n * s.cbuf_entries_per_bank / per_slice.n;
}

// CDMA.D_WEIGHT_BYTES: the packed weights, rounded up as the register requires.
constexpr bytes weight_bytes(const spec& s, precision p, std::uint64_t kernels,
                             std::uint64_t elements_per_kernel) {
  const bytes whole{std::max<std::uint64_t>(s.cbuf_entry, 128)};
  return round_up(bytes{kernels * elements_per_kernel * element_bytes(p)}, whole);
}

// The fewest weights that must be in the buffer at once: one kernel group.
constexpr bytes kernel_group_bytes(const spec& s, precision p, std::uint64_t kernels,
                                   std::uint64_t elements_per_kernel) {
  return weight_bytes(s, p, std::min<std::uint64_t>(kernels, s.kernel_group(p)),
                      elements_per_kernel);
}

// Banks that hold so many bytes of weights.
constexpr banks weight_banks(const spec& s, bytes weights) {
  return {std::max<std::uint64_t>(ceil_div(weights.n, s.cbuf_bank().n), 1)};
}

// Banks for data and weights together: the masks of compressed weights occupy the last one.
constexpr banks usable_banks(const spec& s, bool compressed) {
  return {s.cbuf_banks - (compressed ? 1u : 0u)};
}

}  // namespace nvdlac::hw
#include <vector>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>

// How the simulator refuses a program: an `error` that names unit, register and the broken rule.
#include <cstdint>
#include <string>
#include <string_view>


namespace nvdlac::sim {

// The program broke a rule of `where` ("CDMA.D_BANK.DATA_BANK").
template <class... Args>
[[noreturn]] void refuse(std::string_view where, const Args&... rule) {
  throw error(problem{.reason = text(where, ": ", rule...)});
}

template <class... Args>
void require(bool holds, std::string_view where, const Args&... rule) {
  if (!holds) [[unlikely]] refuse(where, rule...);
}

// How much one simulator spends on one program before it calls the program absurd.
struct limits {
  std::uint64_t memory = std::uint64_t{4} << 30;         // bytes written, for each memory
  std::uint64_t macs = std::uint64_t{1} << 42;           // of one convolution
  std::uint64_t surface_elements = std::uint64_t{1} << 27;  // of one surface of any cube
  std::uint64_t elements = std::uint64_t{1} << 33;       // of any cube

  // One surface of width x height pixels of `lanes` elements, and `count` of them.
  void check(std::string_view where, std::uint64_t width, std::uint64_t height,
             std::uint64_t lanes, std::uint64_t count) const {
    const auto surface = width * height * lanes;
    require(surface <= surface_elements && surface * count <= elements, where, "a cube of ",
            count, " surfaces of ", width, "x", height,
            " pixels is beyond what the simulator is set to compute (sim::limits)");
  }
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// A sparse memory. Bytes that were never written read 0. An access beyond `address_bits`, or more
// written pages than `capacity` bytes, is an `error`.
class memory {
 public:
  explicit memory(std::string_view name = "memory", std::uint32_t address_bits = 64,
                  std::uint64_t capacity = limits{}.memory)
      : name_(name),
        last_(address_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << address_bits) - 1),
        capacity_(capacity) {}

  void read(std::uint64_t address, std::span<std::uint8_t> to) const {
    check(address, to.size());
    each_page(address, to.size(), [&](std::uint64_t page, std::size_t at, std::size_t from,
                                      std::size_t n) {
      if (const auto* p = find(page)) std::memcpy(to.data() + from, p + at, n);
      else std::memset(to.data() + from, 0, n);
    });
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> from) {
    check(address, from.size());
    each_page(address, from.size(), [&](std::uint64_t page, std::size_t at, std::size_t begin,
                                        std::size_t n) {
      std::memcpy(get(page) + at, from.data() + begin, n);
    });
  }

  void fill(std::uint64_t address, std::uint64_t size, std::uint8_t byte) {
    check(address, size);
    each_page(address, size, [&](std::uint64_t page, std::size_t at, std::uint64_t,
                                 std::size_t n) {
      if (byte != 0 || find(page) != nullptr) std::memset(get(page) + at, byte, n);
    });
  }

  // The region [address, address + size) exists in this memory.
  bool contains(std::uint64_t address, std::uint64_t size) const {
    return size == 0 || (address <= last_ && size - 1 <= last_ - address);
  }

  std::uint64_t pages_in_use() const { return pages_.size(); }

  static constexpr std::uint64_t page_size = std::uint64_t{1} << 18;

 private:
  void check(std::uint64_t address, std::uint64_t size) const {
    if (!contains(address, size))
      throw error(problem{.reason = text(name_, ": the address 0x", std::hex, address, " + 0x",
                                         size, " is beyond the last one, 0x", last_)});
  }

  template <class F>
  static void each_page(std::uint64_t address, std::uint64_t size, F&& f) {
    for (std::uint64_t done = 0; done < size;) {
      const auto at = (address + done) % page_size;
      const auto n = std::min(page_size - at, size - done);
      f((address + done) / page_size, static_cast<std::size_t>(at), done,
        static_cast<std::size_t>(n));
      done += n;
    }
  }

  const std::uint8_t* find(std::uint64_t page) const {
    const auto p = pages_.find(page);
    return p == pages_.end() ? nullptr : p->second.get();
  }

  std::uint8_t* get(std::uint64_t page) {
    auto& p = pages_[page];
    if (!p) {
      if (pages_.size() * page_size > capacity_) {
        pages_.erase(page);
        throw error(problem{.reason = text(name_, ": the program writes to more than ", capacity_,
                                           " bytes of memory (sim::limits::memory)")});
      }
      p = std::make_unique<std::uint8_t[]>(page_size);
    }
    return p.get();
  }

  std::string name_;
  std::uint64_t last_, capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::uint8_t[]>> pages_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// A feature cube in memory: surfaces of lines of atoms. `unit` is the bytes of one pixel of one
// surface: the memory atom, or more for the operands of SDP.
struct cube {
  sim::memory* ram = nullptr;
  std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  std::uint64_t unit = 0, width = 0, height = 0, surfaces = 0;

  std::uint64_t line_bytes() const { return width * unit; }
  std::uint64_t surface_bytes() const { return line_bytes() * height; }

  // All addresses exist; addresses and strides are multiples of `alignment`.
  void check(std::string_view where, std::uint64_t alignment) const {
    require(base % alignment == 0, where, "the address 0x", std::hex, base,
            " is not a multiple of the memory atom");
    require(height == 1 || line_stride % alignment == 0, where, "the line stride ", line_stride,
            " is not a multiple of the memory atom");
    require(surfaces == 1 || surface_stride % alignment == 0, where, "the surface stride ",
            surface_stride, " is not a multiple of the memory atom");
    const auto size =
        (surfaces - 1) * surface_stride + (height - 1) * line_stride + line_bytes();
    require(ram->contains(base, size), where, "the cube of ", size, " bytes at 0x", std::hex, base,
            " is beyond the address width of the configuration");
  }
  void check_no_overlap(std::string_view where) const {
    require(height == 1 || line_stride >= line_bytes(), where, "the line stride ", line_stride,
            " is less than a line of ", line_bytes(), " bytes");
    require(surfaces == 1 || surface_stride >= line_bytes(), where, "the surface stride ",
            surface_stride, " is less than a line of ", line_bytes(), " bytes");
  }
};

// One surface of a cube, its lines joined.
inline void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->read(at, to.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->read(at + y * c.line_stride, to.subspan(y * line, line));
}

inline void write_surface(const cube& c, std::uint64_t surface,
                          std::span<const std::uint8_t> from) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->write(at, from.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->write(at + y * c.line_stride, from.subspan(y * line, line));
}

}  // namespace nvdlac::sim
// The image formats of CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT that an int8 configuration reads.
#include <array>
#include <cstdint>
#include <optional>

namespace nvdlac::sim {

struct pixel_format {
  std::uint8_t channels = 0;
  std::uint8_t plane0_bytes = 0, plane1_bytes = 0;  // per pixel; plane 1 is of Y + UV only
  // Channel c is byte order[c] of the pixel: the bytes of plane 0, then those of plane 1.
  std::array<std::uint8_t, 4> order{};

  constexpr bool planar() const { return plane1_bytes != 0; }
};

// Empty: a format of 10 and more bits, or no format.
constexpr std::optional<pixel_format> int8_pixel_format(std::uint32_t code) {
  switch (code) {
    case 0: return pixel_format{1, 1, 0, {0}};                           // R8
    case 12: case 16: return pixel_format{4, 4, 0, {0, 1, 2, 3}};        // A8B8G8R8, X8B8G8R8
    case 13: case 17: case 26: return pixel_format{4, 4, 0, {2, 1, 0, 3}};  // A8R8G8B8, A8Y8U8V8
    case 14: case 18: case 27: return pixel_format{4, 4, 0, {1, 2, 3, 0}};  // B8G8R8A8, V8U8Y8A8
    case 15: case 19: return pixel_format{4, 4, 0, {3, 2, 1, 0}};        // R8G8B8A8, R8G8B8X8
    case 28: return pixel_format{3, 1, 2, {0, 2, 1}};                    // Y8, U8V8
    case 29: return pixel_format{3, 1, 2, {0, 1, 2}};                    // Y8, V8U8
    default: return std::nullopt;
  }
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

struct cdma_layer {
  bool pixel = false;
  std::uint32_t width = 1, height = 1, channels = 1;
  std::uint32_t pad_left = 0, pad_right = 0, pad_top = 0, pad_bottom = 0;
  std::int32_t pad_value = 0;

  cube source{};  // feature data, or plane 0 of an image (unit: the bytes of a pixel)
  cube plane1{};  // the UV plane of a semi-planar image
  pixel_format format{};
  std::uint32_t x_offset = 0;  // pixels skipped at the start of a line
  bool is_signed = true;

  bool convert = false;
  std::array<converter, 4> converters{};  // per channel of an image; [0] for feature data

  memory* weight_ram = nullptr;
  std::uint64_t weight_address = 0;
  std::uint32_t kernels = 1, kernel_bytes = 1, weight_bytes = 0;

  std::uint32_t entries = 1, data_banks = 1, weight_banks = 1;
  bool data_reuse = false, weight_reuse = false, keep_data = false, keep_weights = false;
};

// What lies in the CBUF. `held` until the next convolution if that is to reuse it.
struct cbuf_contents {
  std::vector<std::int8_t> data;  // [y][x][channel], without padding
  std::vector<std::uint8_t> weights;
  bool data_held = false, weights_held = false;
  bool pixel = false;
  std::uint32_t width = 0, height = 0, channels = 0, data_banks = 0, weight_banks = 0;
};

// The converter's result for each byte: it knows no other inputs.
constexpr std::array<std::int8_t, 256> conversion_table(const cdma_layer& l, std::size_t channel) {
  std::array<std::int8_t, 256> table{};
  for (std::int32_t v = 0; v < 256; ++v) {
    const std::int32_t x = l.is_signed ? static_cast<std::int8_t>(v) : v;
    table[static_cast<std::size_t>(v)] = static_cast<std::int8_t>(
        l.convert ? saturate<8>(l.converters[channel](x)) : static_cast<std::int8_t>(v));
  }
  return table;
}

// Surfaces of atoms to [y][x][channel].
inline void load_feature(const cdma_layer& l, std::vector<std::uint8_t>& surface,
                         std::vector<std::int8_t>& data) {
  const std::size_t atom = l.source.unit, channels = l.channels;
  const std::size_t pixels = std::size_t{l.width} * l.height;
  surface.resize(pixels * atom);
  data.resize(pixels * channels);
  for (std::size_t s = 0; s * atom < channels; ++s) {
    read_surface(l.source, s, surface);
    const auto lanes = std::min(atom, channels - s * atom);
    const auto* from = surface.data();
    auto* to = data.data() + s * atom;
    for (std::size_t p = 0; p < pixels; ++p, from += atom, to += channels)
      std::memcpy(to, from, lanes);
  }
  if (!l.convert) return;
  const auto table = conversion_table(l, 0);
  for (auto& v : data) v = table[static_cast<std::uint8_t>(v)];
}

// Lines of pixels to [y][x][channel].
inline void load_pixels(const cdma_layer& l, std::vector<std::uint8_t>& line,
                        std::vector<std::int8_t>& data) {
  const auto& f = l.format;
  const std::size_t n0 = f.plane0_bytes, n1 = f.plane1_bytes, width = l.width;
  std::array<std::array<std::int8_t, 256>, 4> tables{};
  for (std::size_t c = 0; c < l.channels; ++c) tables[c] = conversion_table(l, c);
  line.resize(width * (n0 + n1));
  data.resize(width * l.height * l.channels);
  auto* to = data.data();
  for (std::size_t y = 0; y < l.height; ++y) {
    const std::span all(line);
    l.source.ram->read(l.source.base + y * l.source.line_stride + l.x_offset * n0,
                       all.first(width * n0));
    if (f.planar())
      l.plane1.ram->read(l.plane1.base + y * l.plane1.line_stride + l.x_offset * n1,
                         all.subspan(width * n0));
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < l.channels; ++c) {
        const std::size_t b = f.order[c];
        const auto byte =
            b < n0 ? line[x * n0 + b] : line[width * n0 + x * n1 + (b - n0)];
        *to++ = tables[c][byte];
      }
  }
}

// The input and the weights of a convolution, read from memory or reused from the CBUF.
inline void fill_cbuf(const cdma_layer& l, cbuf_contents& cbuf,
                      std::vector<std::uint8_t>& scratch) {
  if (l.data_reuse) {
    require(cbuf.data_held, "CDMA.D_MISC_CFG.DATA_REUSE",
            "the convolution before did not keep its data (SKIP_DATA_RLS)");
    require(cbuf.pixel == l.pixel && cbuf.width == l.width && cbuf.height == l.height &&
                cbuf.channels == l.channels && cbuf.data_banks == l.data_banks,
            "CDMA.D_MISC_CFG.DATA_REUSE", "the data in the CBUF is of another shape");
  } else if (l.pixel) {
    load_pixels(l, scratch, cbuf.data);
  } else {
    load_feature(l, scratch, cbuf.data);
  }
  if (l.weight_reuse) {
    require(cbuf.weights_held, "CDMA.D_MISC_CFG.WEIGHT_REUSE",
            "the convolution before did not keep its weights (SKIP_WEIGHT_RLS)");
    require(cbuf.weights.size() == l.weight_bytes && cbuf.weight_banks == l.weight_banks,
            "CDMA.D_MISC_CFG.WEIGHT_REUSE", "the weights in the CBUF are of another size");
  } else {
    cbuf.weights.resize(l.weight_bytes);
    l.weight_ram->read(l.weight_address, cbuf.weights);
  }
  cbuf.data_held = l.keep_data;
  cbuf.weights_held = l.keep_weights;
  cbuf.pixel = l.pixel;
  cbuf.width = l.width, cbuf.height = l.height, cbuf.channels = l.channels;
  cbuf.data_banks = l.data_banks, cbuf.weight_banks = l.weight_banks;
}

}  // namespace nvdlac::sim
// The inner loop of the convolution: dot products of int16 vectors that hold int8 values.
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace nvdlac::sim {

// Four kernels times `Pixels` pixels, each over the same segments: segment i begins at
// x[pixel] + offsets[i] and, in kernel k, at weights + k * kernel_step + i * length. `length` and
// `kernel_step` are multiples of 8; sums[pixel * 4 + kernel].
struct dot_operands {
  std::span<const std::size_t> offsets{};
  std::size_t length = 0;
  const std::int16_t* weights = nullptr;  // aligned to 16 bytes
  std::size_t kernel_step = 0;
};

// A 32-bit lane adds up to 65535 pairs of products of at most 2^15; there are 4 lanes.
inline constexpr std::size_t longest_dot = 8 * 65535;
// Sums of all lanes that fit 32 bits.
inline constexpr std::size_t longest_narrow_dot = (std::size_t{1} << 17) - 8;

#ifdef __SSE2__

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  __m128i acc[Pixels][4];
  for (auto& a : acc)
    for (auto& v : a) v = _mm_setzero_si128();
  const auto* w = d.weights;
  for (const auto offset : d.offsets) {
    for (std::size_t i = 0; i < d.length; i += 8, w += 8) {
      __m128i v[Pixels];
      for (int p = 0; p < Pixels; ++p)
        v[p] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x[p] + offset + i));
      for (std::size_t k = 0; k < 4; ++k) {
        const auto wk = _mm_load_si128(reinterpret_cast<const __m128i*>(w + k * d.kernel_step));
        for (int p = 0; p < Pixels; ++p)
          acc[p][k] = _mm_add_epi32(acc[p][k], _mm_madd_epi16(v[p], wk));
      }
    }
  }
  const bool narrow = d.offsets.size() * d.length <= longest_narrow_dot;
  for (int p = 0; p < Pixels; ++p) {
    const auto& a = acc[p];
    alignas(16) std::int32_t lanes[4];
    if (narrow) {
      const auto s01 = _mm_add_epi32(_mm_unpacklo_epi32(a[0], a[1]), _mm_unpackhi_epi32(a[0], a[1]));
      const auto s23 = _mm_add_epi32(_mm_unpacklo_epi32(a[2], a[3]), _mm_unpackhi_epi32(a[2], a[3]));
      const auto s = _mm_add_epi32(_mm_unpacklo_epi64(s01, s23), _mm_unpackhi_epi64(s01, s23));
      _mm_store_si128(reinterpret_cast<__m128i*>(lanes), s);
      for (int k = 0; k < 4; ++k) sums[p * 4 + k] = lanes[k];
    } else {
      for (int k = 0; k < 4; ++k) {
        _mm_store_si128(reinterpret_cast<__m128i*>(lanes), a[k]);
        sums[p * 4 + k] = std::int64_t{lanes[0]} + lanes[1] + lanes[2] + lanes[3];
      }
    }
  }
}

#else

template <int Pixels>
void dot4(const std::int16_t* const (&x)[Pixels], const dot_operands& d, std::int64_t* sums) {
  for (std::size_t p = 0; p < Pixels; ++p)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto* w = d.weights + k * d.kernel_step;
      std::int64_t sum = 0;
      for (const auto offset : d.offsets) {
        const auto* v = x[p] + offset;
        std::int32_t part = 0;
        for (std::size_t i = 0; i < d.length; ++i) {
          part += std::int32_t{v[i]} * w[i];
          if (i % 65536 == 65535) sum += part, part = 0;
        }
        sum += part, w += d.length;
      }
      sums[p * 4 + k] = sum;
    }
}

#endif

}  // namespace nvdlac::sim

namespace nvdlac::sim {

struct convolution {
  std::uint32_t channels = 1, kernel_width = 1, kernel_height = 1, kernels = 1;
  std::uint32_t stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0;
  std::int32_t pad_value = 0;
  std::uint32_t out_width = 1, out_height = 1;
  std::uint32_t y_extension = 1;  // lines of an image that one MAC step takes
  bool pixel = false;             // weights in the order of an image: width joined to channels
  int truncate = 0;               // CACC's CLIP_TRUNCATE

  std::uint64_t kernel_elements() const {
    return std::uint64_t{channels} * kernel_width * kernel_height;
  }
  std::uint64_t reach_x() const { return std::uint64_t{kernel_width - 1} * dilation_x + 1; }
  std::uint64_t reach_y() const { return std::uint64_t{kernel_height - 1} * dilation_y + 1; }
  std::uint64_t macs() const { return kernel_elements() * kernels * out_width * out_height; }
};

// The accumulator's result for SDP: rounded, saturated to 32 bits.
constexpr std::int64_t cacc_round(std::int64_t sum, int truncate) {
  return round_shift(saturate<34>(sum), truncate);
}

// Buffers that live as long as the device; sized anew by each layer.
class convolution_core {
 public:
  // Spreads the input over padded lines of 16-bit elements.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    saturated_ = 0;
    const std::size_t channels = c.channels;
    const auto width = (c.out_width - 1) * std::size_t{c.stride_x} + c.reach_x();
    const auto height = (c.out_height - 1) * std::size_t{c.stride_y} + c.reach_y();
    line_ = width * channels;
    lines_.resize(line_ * height + 8);  // the last segment may look beyond the end
    const bool padded = c.pad_left != 0 || c.pad_top != 0 ||
                        width > c.pad_left + cbuf.width || height > c.pad_top + cbuf.height;
    if (padded) std::ranges::fill(lines_, static_cast<std::int16_t>(c.pad_value));
    const auto x_end = std::min<std::size_t>(width, c.pad_left + cbuf.width);
    const auto y_end = std::min<std::size_t>(height, c.pad_top + cbuf.height);
    for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y) {
      const auto* from = cbuf.data.data() + (y - c.pad_top) * cbuf.width * channels;
      std::copy_n(from, (x_end - c.pad_left) * channels,
                  lines_.data() + y * line_ + c.pad_left * channels);
    }
    choose_segments(width);
  }

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], 32 bits for SDP.
  // Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels of one
  // weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    const auto& c = layer_;
    const auto first = s * lanes;
    const auto kernels = std::min<std::size_t>(lanes, c.kernels - first);
    unpack_weights(first, kernels, lanes, group, block);
    const auto rounded = align_up(kernels, 4);
    const std::size_t step_x = std::size_t{c.stride_x} * c.channels;
    for (std::size_t y = 0; y < c.out_height; ++y) {
      const auto* line = lines_.data() + y * c.stride_y * line_;
      auto* to = out.data() + y * c.out_width * lanes;
      std::size_t x = 0;
      for (; x + 2 <= c.out_width; x += 2)
        pixels<2>({line + x * step_x, line + (x + 1) * step_x}, to + x * lanes, lanes, rounded);
      for (; x < c.out_width; ++x) pixels<1>({line + x * step_x}, to + x * lanes, lanes, rounded);
    }
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  // Runs of elements that lie side by side in the lines as in the kernels.
  void choose_segments(std::size_t width) {
    const auto& c = layer_;
    offsets_.clear();
    runs_per_line_ = c.dilation_x == 1 ? 1 : c.kernel_width;
    run_ = c.dilation_x == 1 ? std::size_t{c.kernel_width} * c.channels : c.channels;
    joined_ = c.dilation_x == 1 && c.dilation_y == 1 && width == c.kernel_width;
    if (joined_) {
      offsets_.push_back(0);
      length_ = align_up(run_ * c.kernel_height, 8);
    } else {
      length_ = align_up(run_, 8);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t i = 0; i < runs_per_line_; ++i)
          offsets_.push_back(r * c.dilation_y * line_ + i * c.dilation_x * c.channels);
    }
    kernel_step_ = length_ * offsets_.size();
  }

  // Where element `e` of line `r` of a kernel lies in the unpacked weights.
  std::size_t place(std::size_t r, std::size_t e) const {
    if (joined_) return r * run_ * runs_per_line_ + e;
    if (runs_per_line_ == 1) return r * length_ + e;
    return (r * runs_per_line_ + e / run_) * length_ + e % run_;
  }

  void unpack_weights(std::size_t first, std::size_t kernels, std::size_t lanes,
                      std::size_t group, std::size_t block) {
    const auto& c = layer_;
    if (weights_.size() < lanes * kernel_step_) weights_.resize(lanes * kernel_step_);
    std::fill_n(weights_.begin(), align_up(kernels, 4) * kernel_step_, std::int16_t{0});
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto g = (first + k) / group * group;
      const std::size_t in_group = std::min<std::size_t>(group, c.kernels - g);
      const auto* from = reinterpret_cast<const std::int8_t*>(cbuf_->weights.data()) +
                         g * c.kernel_elements();
      auto* to = weights_.data() + k * kernel_step_;
      if (c.y_extension > 1) unpack_extended(from, (first + k) - g, in_group, to);
      else unpack_direct(from, (first + k) - g, in_group, block, to);
    }
  }

  // Group: block of channels, line, column, kernel, channel. An image's columns are channels.
  void unpack_direct(const std::int8_t* from, std::size_t index, std::size_t in_group,
                     std::size_t block, std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
    const std::size_t columns = c.pixel ? 1 : c.kernel_width;
    for (std::size_t c0 = 0; c0 < channels; c0 += block) {
      const auto n = std::min(block, channels - c0);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t column = 0; column < columns; ++column) {
          const auto* run = from + ((r * columns + column) * in_group + index) * n;
          auto* at = to + place(r, column * channels + c0);
          if (n == 8)
            for (std::size_t i = 0; i < 8; ++i) at[i] = run[i];
          else
            for (std::size_t i = 0; i < n; ++i) at[i] = run[i];
        }
      from += n * c.kernel_height * columns * in_group;
    }
  }

  // Group: `y_extension` lines at a time, kernel, line, element.
  void unpack_extended(const std::int8_t* from, std::size_t index, std::size_t in_group,
                       std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t line = std::size_t{c.channels} * c.kernel_width;
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(from + (index * rows + r) * line, line, to + place(r0 + r, 0));
      from += in_group * rows * line;
    }
  }

  template <int Pixels>
  void pixels(const std::int16_t* const (&x)[Pixels], std::int32_t* to, std::size_t lanes,
              std::size_t rounded) {
    dot_operands d{.offsets = offsets_, .length = length_, .kernel_step = kernel_step_};
    std::int64_t sums[Pixels * 4];
    for (std::size_t k = 0; k < rounded; k += 4) {
      d.weights = weights_.data() + k * kernel_step_;
      dot4<Pixels>(x, d, sums);
      for (std::size_t p = 0; p < Pixels; ++p)
        for (std::size_t i = 0; i < 4; ++i) {
          const auto v = cacc_round(sums[p * 4 + i], layer_.truncate);
          const auto clipped = saturate<32>(v);
          saturated_ += v != clipped;
          to[p * lanes + k + i] = static_cast<std::int32_t>(clipped);
        }
    }
    for (std::size_t p = 0; p < Pixels; ++p)
      std::fill(to + p * lanes + rounded, to + (p + 1) * lanes, 0);
  }

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> lines_, weights_;
  std::vector<std::size_t> offsets_;
  std::size_t line_ = 0, run_ = 0, length_ = 0, runs_per_line_ = 1, kernel_step_ = 0;
  bool joined_ = false;
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// The two memories of a device as the RAM_TYPE fields select them: 1 DRAM, 0 CVSRAM.
template <hw::hardware Hw>
struct memories {
  sim::memory dram, cvsram;
  sim::limits limit;

  explicit memories(const sim::limits& l)
      : dram("dram", Hw::spec.address_bits, l.memory),
        cvsram("cvsram", Hw::spec.address_bits, l.memory),
        limit(l) {}

  memory& select(bool mc, std::string_view where) {
    require(mc || Hw::spec.has_sram(), where,
            "RAM_TYPE 0 selects the secondary memory, which this configuration does not have");
    return mc ? dram : cvsram;
  }
};

}  // namespace nvdlac::sim
// The words behind the register bus: one for each register, two for those of the double-buffered
// groups (D_...).
#include <array>
#include <vector>


namespace nvdlac::sim {

template <hw::register_map Map>
class register_file {
 public:
  register_file() {
    for (auto& group : words_) group.resize(size);
    for (const auto& r : hw::registers(Map))
      for (auto& group : words_) group[r.address / 4] = r.reset();
  }

  static const hw::reg& at(std::uint32_t address) {
    const auto* r = hw::find(Map, address);
    require(r != nullptr, "register bus", "no register at the address 0x", std::hex, address);
    return *r;
  }

  std::uint32_t word(int group, std::uint32_t address) const {
    return words_[static_cast<std::size_t>(group)][address / 4];
  }
  void set(int group, std::uint32_t address, std::uint32_t value) {
    words_[static_cast<std::size_t>(group)][address / 4] = value;
  }

 private:
  static constexpr std::size_t size = hw::registers(Map).back().address / 4 + 1;
  std::array<std::vector<std::uint32_t>, 2> words_;
};

// The fields of one group: `u<"CDMA.D_BANK.DATA_BANK">()`.
template <hw::register_map Map>
class group_view {
 public:
  group_view(const register_file<Map>& registers, int group)
      : registers_(&registers), group_(group) {}

  template <fixed_string Path>
  std::uint32_t u() const {
    return hw::field_of<Map, Path>.extract(word<Path>());
  }
  template <fixed_string Path>
  std::int32_t i() const {
    return hw::field_of<Map, Path>.extract_signed(word<Path>());
  }
  template <fixed_string Path>
  bool on() const {
    return u<Path>() != 0;
  }
  // Sizes are stored minus one.
  template <fixed_string Path>
  std::uint32_t count() const {
    return u<Path>() + 1;
  }
  template <fixed_string Path>
  std::uint32_t bytes() const {
    return hw::field_of<Map, Path>.extract_bytes(word<Path>());
  }
  template <fixed_string High, fixed_string Low>
  std::uint64_t address() const {
    return std::uint64_t{u<High>()} << 32 | bytes<Low>();
  }

 private:
  template <fixed_string Path>
  static consteval std::uint32_t address_of() {
    auto path = Path.view();
    return hw::detail::find_part(Map, path)->address;
  }
  template <fixed_string Path>
  std::uint32_t word() const {
    return registers_->word(group_, address_of<Path>());
  }

  const register_file<Map>* registers_;
  int group_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// The mode bits that CDMA, CSC, CMAC and CACC share.
template <fixed_string Unit>
void require_direct_int8(bool winograd, std::uint32_t precision) {
  require(!winograd, Unit.view(), "CONV_MODE=WINOGRAD is not simulated");
  require(precision == 0, Unit.view(), "PROC_PRECISION: only int8 is simulated");
}

template <hw::hardware Hw>
void decode_pixels(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  const auto code = g.template u<"CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT">();
  const auto format = int8_pixel_format(code);
  require(format.has_value(), "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", "the format ", code,
          " is not one of the 8-bit formats that are simulated");
  require(!g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING">(),
          "CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING", "only PITCH_LINEAR exists");
  l.format = *format;
  require(l.channels == format->channels, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL", "the format has ",
          +format->channels, " channels, not ", l.channels);
  l.x_offset = g.template u<"CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET">();
  l.is_signed = g.template on<"CDMA.D_DATAIN_FORMAT.PIXEL_SIGN_OVERRIDE">();
  l.source.unit = format->plane0_bytes;
  l.source.width = std::uint64_t{l.x_offset} + l.width;
  l.source.surfaces = 1;
  if (format->planar()) {
    l.plane1 = l.source;
    l.plane1.unit = format->plane1_bytes;
    l.plane1.base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_1.DATAIN_ADDR_HIGH_1",
                                       "CDMA.D_DAIN_ADDR_LOW_1.DATAIN_ADDR_LOW_1">();
    l.plane1.line_stride = g.template bytes<"CDMA.D_LINE_UV_STRIDE.UV_LINE_STRIDE">();
    l.plane1.check("CDMA.D_DAIN_ADDR_LOW_1", Hw::spec.memory_atom);
  }
}

template <hw::hardware Hw>
void decode_converter(const group_view<Hw::spec.map>& g, cdma_layer& l) {
  l.convert = g.template on<"CDMA.D_CVT_CFG.CVT_EN">();
  if (!l.convert) return;  // raw bytes, whatever else is set
  const bool mean = g.template on<"CDMA.D_MEAN_FORMAT.MEAN_FORMAT">();
  require(!mean || l.pixel, "CDMA.D_MEAN_FORMAT", "the mean of a channel belongs to images");
  const converter common{
      .offset = g.template i<"CDMA.D_CVT_OFFSET.CVT_OFFSET">(),
      .scale = static_cast<std::int16_t>(g.template i<"CDMA.D_CVT_SCALE.CVT_SCALE">()),
      .shift = static_cast<std::uint8_t>(g.template u<"CDMA.D_CVT_CFG.CVT_TRUNCATE">())};
  l.converters.fill(common);
  if (!mean) return;
  l.converters[0].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_RY">();
  l.converters[1].offset = g.template i<"CDMA.D_MEAN_GLOBAL_0.MEAN_GU">();
  l.converters[2].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_BV">();
  l.converters[3].offset = g.template i<"CDMA.D_MEAN_GLOBAL_1.MEAN_AX">();
}

// Whether data and weights fit their banks, and whether ENTRIES is what CSC computes with.
template <hw::hardware Hw>
void check_cbuf(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  constexpr auto p = hw::precision::int8;
  const std::uint64_t entries =
      l.pixel ? hw::image_entries_per_slice(
                    s, p, std::uint64_t{l.pad_left} + l.width + l.pad_right, l.channels).n
              : hw::feature_entries_per_slice(s, p, l.width, l.channels).n;
  require(l.entries == entries, "CDMA.D_ENTRY_PER_SLICE.ENTRIES", "a slice takes ", entries,
          " CBUF entries, not ", l.entries);
  require(l.data_banks + l.weight_banks <= s.cbuf_banks, "CDMA.D_BANK", l.data_banks, " + ",
          l.weight_banks, " banks for data and weights are more than the ", s.cbuf_banks,
          " of the CBUF");
  require(entries * l.height <= std::uint64_t{l.data_banks} * s.cbuf_entries_per_bank,
          "CDMA.D_BANK.DATA_BANK", l.height, " slices of ", entries,
          " entries do not fit ", l.data_banks, " banks");
  const std::uint64_t all = std::uint64_t{l.kernels} * l.kernel_bytes;
  require(l.weight_bytes >= all, "CDMA.D_WEIGHT_BYTES", l.kernels, " kernels of ", l.kernel_bytes,
          " bytes are more than ", l.weight_bytes, " bytes");
  require(l.weight_bytes - all < std::max<std::uint64_t>(128, s.cbuf_entry),
          "CDMA.D_WEIGHT_BYTES", l.weight_bytes, " bytes are too many for ", l.kernels,
          " kernels of ", l.kernel_bytes, " bytes");
  const auto space = std::uint64_t{l.weight_banks} * s.cbuf_bank().n;
  const auto group =
      std::uint64_t{std::min(l.kernels, s.kernel_group(p))} * l.kernel_bytes;
  require(group <= space, "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", group,
          " bytes does not fit ", l.weight_banks, " banks");
  require(!(l.keep_weights || l.weight_reuse) || l.weight_bytes <= space,
          "CDMA.D_BANK.WEIGHT_BANK", "weights that stay in the CBUF must fit their banks");
}

// What CDMA's registers of one group say, checked. Throws nvdlac::error.
template <hw::hardware Hw>
cdma_layer decode_cdma(const group_view<Hw::spec.map>& g, memories<Hw>& m) {
  require_direct_int8<"CDMA.D_MISC_CFG">(g.template on<"CDMA.D_MISC_CFG.CONV_MODE">(),
                                         g.template u<"CDMA.D_MISC_CFG.PROC_PRECISION">());
  require(g.template u<"CDMA.D_MISC_CFG.IN_PRECISION">() == 0, "CDMA.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require(g.template u<"CDMA.D_BATCH_NUMBER.BATCHES">() == 0, "CDMA.D_BATCH_NUMBER",
          "batches are not simulated");
  require(!g.template on<"CDMA.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), "CDMA.D_WEIGHT_FORMAT",
          "compressed weights are not simulated");

  cdma_layer l;
  l.pixel = g.template on<"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT">();
  l.width = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">();
  l.height = g.template count<"CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">();
  l.channels = g.template count<"CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">();
  require(g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">() == l.width &&
              g.template count<"CDMA.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">() == l.height,
          "CDMA.D_DATAIN_SIZE_EXT_0", "differs from D_DATAIN_SIZE_0 in direct mode");
  l.pad_left = g.template u<"CDMA.D_ZERO_PADDING.PAD_LEFT">();
  l.pad_right = g.template u<"CDMA.D_ZERO_PADDING.PAD_RIGHT">();
  l.pad_top = g.template u<"CDMA.D_ZERO_PADDING.PAD_TOP">();
  l.pad_bottom = g.template u<"CDMA.D_ZERO_PADDING.PAD_BOTTOM">();
  l.pad_value = static_cast<std::int8_t>(g.template u<"CDMA.D_ZERO_PADDING_VALUE.PAD_VALUE">());

  l.kernels = g.template count<"CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">();
  l.kernel_bytes = g.template count<"CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">();
  l.weight_bytes = g.template bytes<"CDMA.D_WEIGHT_BYTES.WEIGHT_BYTES">();
  l.entries = g.template count<"CDMA.D_ENTRY_PER_SLICE.ENTRIES">();
  l.data_banks = g.template count<"CDMA.D_BANK.DATA_BANK">();
  l.weight_banks = g.template count<"CDMA.D_BANK.WEIGHT_BANK">();
  l.data_reuse = g.template on<"CDMA.D_MISC_CFG.DATA_REUSE">();
  l.weight_reuse = g.template on<"CDMA.D_MISC_CFG.WEIGHT_REUSE">();
  l.keep_data = g.template on<"CDMA.D_MISC_CFG.SKIP_DATA_RLS">();
  l.keep_weights = g.template on<"CDMA.D_MISC_CFG.SKIP_WEIGHT_RLS">();
  check_cbuf<Hw>(l);  // bounds every size before anything is read

  l.source = {.ram = &m.select(g.template on<"CDMA.D_DAIN_RAM_TYPE.DATAIN_RAM_TYPE">(),
                               "CDMA.D_DAIN_RAM_TYPE"),
              .base = g.template address<"CDMA.D_DAIN_ADDR_HIGH_0.DATAIN_ADDR_HIGH_0",
                                         "CDMA.D_DAIN_ADDR_LOW_0.DATAIN_ADDR_LOW_0">(),
              .line_stride = g.template bytes<"CDMA.D_LINE_STRIDE.LINE_STRIDE">(),
              .surface_stride = g.template bytes<"CDMA.D_SURF_STRIDE.SURF_STRIDE">(),
              .unit = Hw::spec.memory_atom,
              .width = l.width,
              .height = l.height,
              .surfaces = ceil_div(l.channels, Hw::spec.memory_atom)};
  if (l.pixel) decode_pixels<Hw>(g, l);
  decode_converter<Hw>(g, l);
  if (!l.data_reuse) {
    l.source.check("CDMA.D_DAIN_ADDR_LOW_0", Hw::spec.memory_atom);
    require(l.pixel || !g.template on<"CDMA.D_DAIN_MAP.LINE_PACKED">() ||
                l.source.line_stride == l.source.line_bytes(),
            "CDMA.D_DAIN_MAP.LINE_PACKED", "packed lines of ", l.source.line_bytes(),
            " bytes need that line stride, not ", l.source.line_stride);
  }
  if (!l.weight_reuse) {
    l.weight_ram = &m.select(g.template on<"CDMA.D_WEIGHT_RAM_TYPE.WEIGHT_RAM_TYPE">(),
                             "CDMA.D_WEIGHT_RAM_TYPE");
    l.weight_address = g.template address<"CDMA.D_WEIGHT_ADDR_HIGH.WEIGHT_ADDR_HIGH",
                                          "CDMA.D_WEIGHT_ADDR_LOW.WEIGHT_ADDR_LOW">();
    require(l.weight_address % Hw::spec.memory_atom == 0 &&
                l.weight_ram->contains(l.weight_address, l.weight_bytes),
            "CDMA.D_WEIGHT_ADDR_LOW",
            "the weights are not aligned to the memory atom or lie beyond the address width");
  }
  return l;
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// CSC against CDMA: both describe the same input, weights and banks.
template <hw::register_map Map>
void check_csc_against_cdma(const group_view<Map>& g, const cdma_layer& l) {
  const auto same = [](std::uint64_t csc, std::uint64_t cdma, std::string_view where) {
    require(csc == cdma, where, csc, " differs from ", cdma, " of CDMA");
  };
  same(g.template u<"CSC.D_DATAIN_FORMAT.DATAIN_FORMAT">(), l.pixel, "CSC.D_DATAIN_FORMAT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">(), l.width,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT">(), l.height,
       "CSC.D_DATAIN_SIZE_EXT_0.DATAIN_HEIGHT_EXT");
  same(g.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">(), l.channels,
       "CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT");
  same(g.template count<"CSC.D_ENTRY_PER_SLICE.ENTRIES">(), l.entries, "CSC.D_ENTRY_PER_SLICE");
  same(g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL">(), l.kernels,
       "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_KERNEL");
  same(g.template bytes<"CSC.D_WEIGHT_BYTES.WEIGHT_BYTES">(), l.weight_bytes,
       "CSC.D_WEIGHT_BYTES");
  same(g.template u<"CSC.D_WEIGHT_FORMAT.WEIGHT_FORMAT">(), 0, "CSC.D_WEIGHT_FORMAT");
  same(g.template count<"CSC.D_BANK.DATA_BANK">(), l.data_banks, "CSC.D_BANK.DATA_BANK");
  same(g.template count<"CSC.D_BANK.WEIGHT_BANK">(), l.weight_banks, "CSC.D_BANK.WEIGHT_BANK");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_LEFT">(), l.pad_left, "CSC.D_ZERO_PADDING.PAD_LEFT");
  same(g.template u<"CSC.D_ZERO_PADDING.PAD_TOP">(), l.pad_top, "CSC.D_ZERO_PADDING.PAD_TOP");
  same(g.template u<"CSC.D_MISC_CFG.DATA_REUSE">(), l.data_reuse, "CSC.D_MISC_CFG.DATA_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.WEIGHT_REUSE">(), l.weight_reuse,
       "CSC.D_MISC_CFG.WEIGHT_REUSE");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_DATA_RLS">(), l.keep_data,
       "CSC.D_MISC_CFG.SKIP_DATA_RLS");
  same(g.template u<"CSC.D_MISC_CFG.SKIP_WEIGHT_RLS">(), l.keep_weights,
       "CSC.D_MISC_CFG.SKIP_WEIGHT_RLS");
}

// The kernel's size and the weight order of images.
template <hw::hardware Hw>
void decode_kernel(const group_view<Hw::spec.map>& g, const cdma_layer& l, convolution& c) {
  c.kernel_height = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">();
  const auto width = g.template count<"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">();
  const auto channels = g.template count<"CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT">();
  const auto extension = g.template u<"CSC.D_POST_Y_EXTENSION.Y_EXTENSION">();
  if (l.pixel) {
    require(width == 1 && channels % l.channels == 0, "CSC.D_WEIGHT_SIZE_EXT_1",
            "an image's kernel is 1 wide and has kernel width x ", l.channels, " channels");
    require(c.dilation_x == 1 && c.dilation_y == 1, "CSC.D_DILATION_EXT",
            "images are not dilated");
    c.kernel_width = channels / l.channels;
    require(extension < 3, "CSC.D_POST_Y_EXTENSION", "at most 2 (4 lines)");
    c.y_extension = 1u << extension;
    require(c.y_extension == 1 || channels * c.y_extension <= Hw::spec.mac_atomic_c,
            "CSC.D_POST_Y_EXTENSION", c.y_extension, " lines of ", channels,
            " elements are more than one channel block");
  } else {
    require(channels == l.channels, "CSC.D_WEIGHT_SIZE_EXT_1.WEIGHT_CHANNEL_EXT", channels,
            " channels of the weights, but ", l.channels, " of the input");
    require(extension == 0, "CSC.D_POST_Y_EXTENSION", "belongs to images");
    c.kernel_width = width;
  }
  require(c.kernel_elements() == l.kernel_bytes, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "a kernel of ", c.channels, "x", c.kernel_height, "x", c.kernel_width,
          " elements does not have ", l.kernel_bytes, " bytes");
  require(c.kernel_elements() <= longest_dot, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL",
          "the simulator's accumulators hold at most ", longest_dot, " products");
}

// What CSC, CMAC and CACC shall do with what CDMA brings. Throws nvdlac::error. Each view is of
// that unit's active group.
template <hw::hardware Hw>
convolution decode_convolution(const group_view<Hw::spec.map>& csc,
                               const group_view<Hw::spec.map>& cmac_a,
                               const group_view<Hw::spec.map>& cmac_b,
                               const group_view<Hw::spec.map>& cacc, const cdma_layer& l,
                               const limits& limit) {
  require_direct_int8<"CSC.D_MISC_CFG">(csc.template on<"CSC.D_MISC_CFG.CONV_MODE">(),
                                        csc.template u<"CSC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_MISC_CFG.IN_PRECISION">() == 0, "CSC.D_MISC_CFG.IN_PRECISION",
          "only int8 is simulated");
  require_direct_int8<"CMAC_A.D_MISC_CFG">(cmac_a.template on<"CMAC_A.D_MISC_CFG.CONV_MODE">(),
                                           cmac_a.template u<"CMAC_A.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CMAC_B.D_MISC_CFG">(cmac_b.template on<"CMAC_B.D_MISC_CFG.CONV_MODE">(),
                                           cmac_b.template u<"CMAC_B.D_MISC_CFG.PROC_PRECISION">());
  require_direct_int8<"CACC.D_MISC_CFG">(cacc.template on<"CACC.D_MISC_CFG.CONV_MODE">(),
                                         cacc.template u<"CACC.D_MISC_CFG.PROC_PRECISION">());
  require(csc.template u<"CSC.D_BATCH_NUMBER.BATCHES">() == 0 &&
              cacc.template u<"CACC.D_BATCH_NUMBER.BATCHES">() == 0,
          "CSC.D_BATCH_NUMBER", "batches are not simulated");
  check_csc_against_cdma<Hw::spec.map>(csc, l);

  convolution c{.channels = l.channels, .kernels = l.kernels, .pad_left = l.pad_left,
                .pad_top = l.pad_top, .pixel = l.pixel};
  c.stride_x = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_X_STRIDE_EXT">();
  c.stride_y = csc.template count<"CSC.D_CONV_STRIDE_EXT.CONV_Y_STRIDE_EXT">();
  c.dilation_x = csc.template count<"CSC.D_DILATION_EXT.X_DILATION_EXT">();
  c.dilation_y = csc.template count<"CSC.D_DILATION_EXT.Y_DILATION_EXT">();
  c.pad_value = static_cast<std::int8_t>(csc.template u<"CSC.D_ZERO_PADDING_VALUE.PAD_VALUE">());
  // CDMA pads the sides of an image, CSC everything else.
  require(!l.pixel || c.pad_value == l.pad_value, "CSC.D_ZERO_PADDING_VALUE",
          "the pad value of an image differs from CDMA's");
  decode_kernel<Hw>(csc, l, c);

  c.out_width = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">();
  c.out_height = csc.template count<"CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">();
  require(csc.template count<"CSC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CSC.D_DATAOUT_SIZE_1", "the output has a channel for each of the ", c.kernels,
          " kernels");
  require(csc.template count<"CSC.D_ATOMICS.ATOMICS">() ==
              std::uint64_t{c.out_width} * c.out_height,
          "CSC.D_ATOMICS", "is output width x height");
  require(csc.template count<"CSC.D_RELEASE.RLS_SLICES">() <= l.height, "CSC.D_RELEASE",
          "more slices than the input has");
  const auto fits = [](std::uint64_t in, std::uint64_t pads, std::uint64_t reach,
                       std::uint64_t stride, std::uint64_t out) {
    return (out - 1) * stride + reach <= in + pads;
  };
  require(fits(l.width, std::uint64_t{l.pad_left} + l.pad_right, c.reach_x(), c.stride_x,
               c.out_width),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH", c.out_width,
          " columns need more input and padding than there is");
  require(fits(l.height, std::uint64_t{l.pad_top} + l.pad_bottom, c.reach_y(), c.stride_y,
               c.out_height),
          "CSC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT", c.out_height,
          " lines need more input and padding than there is");
  require(cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">() == c.out_width &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">() == c.out_height &&
              cacc.template count<"CACC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">() == c.kernels,
          "CACC.D_DATAOUT_SIZE_0", "the output size differs from CSC's");
  c.truncate = static_cast<int>(cacc.template u<"CACC.D_CLIP_CFG.CLIP_TRUNCATE">());
  require(c.truncate <= 16, "CACC.D_CLIP_CFG.CLIP_TRUNCATE", c.truncate, " is more than 16");
  require(c.macs() <= limit.macs, "CSC.D_DATAOUT_SIZE_0", c.macs(),
          " multiplications are beyond what the simulator is set to compute (sim::limits)");
  return c;
}

}  // namespace nvdlac::sim
// PDP: pooling of int8 cubes, one surface at a time.
#include <array>


namespace nvdlac::sim {

enum class pooling : std::uint8_t { average, max, min };  // codes of POOLING_METHOD

struct pdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, out_width = 1, out_height = 1;
  pooling method = pooling::max;
  bool flying = false;  // the input comes from SDP
  std::uint32_t kernel_width = 1, kernel_height = 1, stride_x = 1, stride_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  std::array<std::int32_t, 8> pad_value{};  // of n missing elements
  std::uint32_t reciprocal_width = 0, reciprocal_height = 0;
  cube source{}, destination{};
};

// The average of a window: its sum times both reciprocals, rounded after each.
constexpr std::int64_t pdp_average(std::int64_t sum, std::uint32_t reciprocal_width,
                                   std::uint32_t reciprocal_height) {
  return round_shift(round_shift(sum * reciprocal_width, 16) * reciprocal_height, 16);
}

// PAD_VALUE of `missing` elements: the registers hold 19 bits, of which int8 uses fewer.
constexpr std::int32_t pdp_pad_value(std::size_t missing, std::uint32_t raw) {
  constexpr std::array<int, 8> sign_bit{0, 7, 8, 9, 9, 10, 10, 10};
  const int shift = 31 - sign_bit[missing];
  return static_cast<std::int32_t>(raw << shift) >> shift;
}

class pdp_engine {
 public:
  // in: width * height * lanes elements; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    switch (l.method) {
      case pooling::max:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a > b ? a : b;
        });
      case pooling::min:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a < b ? a : b;
        });
      case pooling::average: return average(l, lanes, in, out);
    }
  }

 private:
  struct window {
    std::size_t begin, end;  // of the elements that exist
    std::size_t missing;
  };
  static window clip(std::size_t index, std::size_t stride, std::size_t pad, std::size_t kernel,
                     std::size_t size) {
    const auto at = index * stride;
    const auto begin = at < pad ? 0 : at - pad;
    const auto end = std::min(at + kernel < pad ? 0 : at + kernel - pad, size);
    return {begin, end, kernel - (end - begin)};
  }

  // Lines of a window reduced to one line.
  template <class F>
  void reduce_lines(std::span<const std::int8_t> in, std::size_t line, const window& rows,
                    const F& f) {
    column_.resize(line);
    std::copy_n(in.data() + rows.begin * line, line, column_.data());
    for (auto y = rows.begin + 1; y < rows.end; ++y) {
      const auto* from = in.data() + y * line;
      auto* to = column_.data();
      for (std::size_t i = 0; i < line; ++i)
        to[i] = static_cast<std::int16_t>(f(to[i], std::int16_t{from[i]}));
    }
  }

  template <class F>
  void extremum(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
                std::span<std::int8_t> out, const F& f) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      reduce_lines(in, l.width * lanes,
                   clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height), f);
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        for (std::size_t i = 0; i < lanes; ++i) {
          auto v = column_[columns.begin * lanes + i];
          for (auto c = columns.begin + 1; c < columns.end; ++c)
            v = f(v, column_[c * lanes + i]);
          to[i] = static_cast<std::int8_t>(v);
        }
      }
    }
  }

  void average(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const auto rows = clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height);
      reduce_lines(in, l.width * lanes, rows,
                   [](std::int16_t a, std::int16_t b) { return a + b; });
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        const auto padding =
            static_cast<std::int32_t>(rows.end - rows.begin) * l.pad_value[columns.missing] +
            static_cast<std::int32_t>(l.kernel_width) * l.pad_value[rows.missing];
        for (std::size_t i = 0; i < lanes; ++i) {
          std::int32_t sum = padding;
          for (auto c = columns.begin; c < columns.end; ++c) sum += column_[c * lanes + i];
          to[i] = static_cast<std::int8_t>(
              pdp_average(sum, l.reciprocal_width, l.reciprocal_height));
        }
      }
    }
  }

  std::vector<std::int16_t> column_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// One axis of a pooling layer: windows lie inside the padded input, each holds at least one element.
inline void check_pooling_axis(std::string_view where, std::uint64_t in, std::uint64_t out,
                               std::uint64_t kernel, std::uint64_t stride, std::uint64_t before,
                               std::uint64_t after, bool exact) {
  require(kernel <= 8, where, "a kernel of ", kernel, " is larger than 8");
  require(before < kernel && after < kernel, where, "a padding of ", before, " and ", after,
          " leaves windows of ", kernel, " empty");
  require(in + before + after >= kernel, where, "the kernel is larger than the padded input");
  const auto rest = in + before + after - kernel;
  require(out == rest / stride + 1, where, out, " outputs, but ", in, " inputs padded by ", before,
          " and ", after, " have ", rest / stride + 1);
  // Of an input from memory the RTL leaves lines over and shifts the next surface.
  require(!exact || rest % stride == 0, where,
          "(height + pads - kernel) is not a multiple of the stride");
  require((out - 1) * stride < in + before, where, "the last window lies in the padding");
}

// The parts of a split line: widths of input and output, first, middle (all but two) and last.
struct pdp_split {
  std::uint64_t parts = 1;
  std::array<std::uint64_t, 3> in{}, out{};
};

// The parts make up the lines, and each but the last ends where its last window does.
inline void check_split(const pdp_layer& l, const pdp_split& s) {
  if (s.parts == 1) return;
  const auto total = [&](const auto& w) { return w[0] + (s.parts - 2) * w[1] + w[2]; };
  require(total(s.in) == l.width, "PDP.D_PARTIAL_WIDTH_IN", "the parts have ", total(s.in),
          " columns, not ", l.width);
  require(total(s.out) == l.out_width, "PDP.D_PARTIAL_WIDTH_OUT", "the parts have ", total(s.out),
          " columns, not ", l.out_width);
  std::uint64_t in = 0, out = 0;
  for (std::uint64_t part = 0; part + 1 < s.parts; ++part) {
    in += s.in[part == 0 ? 0 : 1], out += s.out[part == 0 ? 0 : 1];
    require((out - 1) * l.stride_x + l.kernel_width == in + l.pad_left, "PDP.D_PARTIAL_WIDTH_IN",
            "part ", part, " ends at column ", in, ", its last window does not");
  }
}

template <hw::hardware Hw>
class pdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty when the input comes from SDP.
  pdp_decoder(const view& pdp, const view* rdma, memories<Hw>& m) : g(pdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  pdp_layer decode() {
    pdp_layer l;
    sizes(l);
    kernel(l);
    split(l);
    if (!l.flying) source(l);
    l.destination = {
        .ram = &m_.select(g.template on<"PDP.D_DST_RAM_CFG.DST_RAM_TYPE">(), "PDP.D_DST_RAM_CFG"),
        .base = g.template address<"PDP.D_DST_BASE_ADDR_HIGH", "PDP.D_DST_BASE_ADDR_LOW">(),
        .line_stride = g.template bytes<"PDP.D_DST_LINE_STRIDE">(),
        .surface_stride = g.template bytes<"PDP.D_DST_SURFACE_STRIDE">(),
        .unit = atom,
        .width = l.out_width,
        .height = l.out_height,
        .surfaces = ceil_div(l.channels, atom)};
    l.destination.check("PDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("PDP.D_DST_LINE_STRIDE");
    return l;
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  void sizes(pdp_layer& l) {
    require(g.template u<"PDP.D_DATA_FORMAT.INPUT_DATA">() == 0, "PDP.D_DATA_FORMAT",
            "only int8 is simulated");
    l.width = g.template count<"PDP.D_DATA_CUBE_IN_WIDTH">();
    l.height = g.template count<"PDP.D_DATA_CUBE_IN_HEIGHT">();
    l.channels = g.template count<"PDP.D_DATA_CUBE_IN_CHANNEL">();
    l.out_width = g.template count<"PDP.D_DATA_CUBE_OUT_WIDTH">();
    l.out_height = g.template count<"PDP.D_DATA_CUBE_OUT_HEIGHT">();
    require(g.template count<"PDP.D_DATA_CUBE_OUT_CHANNEL">() == l.channels,
            "PDP.D_DATA_CUBE_OUT_CHANNEL", "differs from the input's");
    m_.limit.check("PDP.D_DATA_CUBE_IN_WIDTH", l.width, l.height, atom,
                   ceil_div(l.channels, atom));
    l.flying = !g.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">();
    const auto method = g.template u<"PDP.D_OPERATION_MODE_CFG.POOLING_METHOD">();
    require(method <= 2, "PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", "3 does not exist");
    l.method = pooling(method);
  }

  void kernel(pdp_layer& l) {
    l.kernel_width = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">();
    l.kernel_height = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT">();
    l.stride_x = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">();
    l.stride_y = g.template count<"PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_HEIGHT">();
    l.pad_left = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_LEFT">();
    l.pad_top = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_TOP">();
    l.pad_right = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_RIGHT">();
    l.pad_bottom = g.template u<"PDP.D_POOLING_PADDING_CFG.PAD_BOTTOM">();
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_WIDTH", l.width, l.out_width, l.kernel_width,
                       l.stride_x, l.pad_left, l.pad_right, false);
    check_pooling_axis("PDP.D_DATA_CUBE_OUT_HEIGHT", l.height, l.out_height, l.kernel_height,
                       l.stride_y, l.pad_top, l.pad_bottom, !l.flying && l.channels > atom);
    l.pad_value = {0,
                   pdp_pad_value(1, g.template u<"PDP.D_POOLING_PADDING_VALUE_1_CFG">()),
                   pdp_pad_value(2, g.template u<"PDP.D_POOLING_PADDING_VALUE_2_CFG">()),
                   pdp_pad_value(3, g.template u<"PDP.D_POOLING_PADDING_VALUE_3_CFG">()),
                   pdp_pad_value(4, g.template u<"PDP.D_POOLING_PADDING_VALUE_4_CFG">()),
                   pdp_pad_value(5, g.template u<"PDP.D_POOLING_PADDING_VALUE_5_CFG">()),
                   pdp_pad_value(6, g.template u<"PDP.D_POOLING_PADDING_VALUE_6_CFG">()),
                   pdp_pad_value(7, g.template u<"PDP.D_POOLING_PADDING_VALUE_7_CFG">())};
    if (l.method != pooling::average) return;
    l.reciprocal_width = g.template u<"PDP.D_RECIP_KERNEL_WIDTH">();
    l.reciprocal_height = g.template u<"PDP.D_RECIP_KERNEL_HEIGHT">();
    // Beyond this the result overflows 8 bits, and the C-model and the RTL disagree.
    require(l.reciprocal_width * l.kernel_width <= 65536, "PDP.D_RECIP_KERNEL_WIDTH",
            l.reciprocal_width, " is more than 65536 / ", l.kernel_width);
    require(l.reciprocal_height * l.kernel_height <= 65536, "PDP.D_RECIP_KERNEL_HEIGHT",
            l.reciprocal_height, " is more than 65536 / ", l.kernel_height);
  }

  void split(const pdp_layer& l) {
    const pdp_split s{
        .parts = g.template count<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
        .in = {g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">(),
               g.template count<"PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">()},
        .out = {g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_FIRST">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_MID">(),
                g.template count<"PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_LAST">()}};
    require(!l.flying || s.parts == 1, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM",
            "an input from SDP is not split");
    check_split(l, s);
    if (l.flying || s.parts == 1) return;
    require(r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">() == s.in[0] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_MID">() ==
                    s.in[1] &&
                r->template count<"PDP_RDMA.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST">() ==
                    s.in[2],
            "PDP_RDMA.D_PARTIAL_WIDTH_IN", "differs from PDP's");
  }

  void source(pdp_layer& l) {
    require(r->template on<"PDP_RDMA.D_FLYING_MODE.FLYING_MODE">(), "PDP_RDMA.D_FLYING_MODE",
            "differs from PDP's");
    require(r->template u<"PDP_RDMA.D_DATA_FORMAT.INPUT_DATA">() == 0, "PDP_RDMA.D_DATA_FORMAT",
            "only int8 is simulated");
    require(r->template count<"PDP_RDMA.D_DATA_CUBE_IN_WIDTH">() == l.width &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_HEIGHT">() == l.height &&
                r->template count<"PDP_RDMA.D_DATA_CUBE_IN_CHANNEL">() == l.channels,
            "PDP_RDMA.D_DATA_CUBE_IN_WIDTH", "the cube differs from PDP's");
    require(r->template u<"PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM">() ==
                g.template u<"PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">(),
            "PDP_RDMA.D_OPERATION_MODE_CFG.SPLIT_NUM", "differs from PDP's");
    l.source = {.ram = &m_.select(r->template on<"PDP_RDMA.D_SRC_RAM_CFG.SRC_RAM_TYPE">(),
                                  "PDP_RDMA.D_SRC_RAM_CFG"),
                .base = r->template address<"PDP_RDMA.D_SRC_BASE_ADDR_HIGH",
                                            "PDP_RDMA.D_SRC_BASE_ADDR_LOW">(),
                .line_stride = r->template bytes<"PDP_RDMA.D_SRC_LINE_STRIDE">(),
                .surface_stride = r->template bytes<"PDP_RDMA.D_SRC_SURFACE_STRIDE">(),
                .unit = atom,
                .width = l.width,
                .height = l.height,
                .surfaces = ceil_div(l.channels, atom)};
    l.source.check("PDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
  }

  view g;
  const view* r;
  memories<Hw>& m_;
};

}  // namespace nvdlac::sim
// SDP: X1, X2 and Y, then the output converter, for int8, one surface at a time.
// The integer arithmetic of SDP's sub-units, one element at a time.
#include <algorithm>


namespace nvdlac::sim {

enum class alu_algorithm : std::uint8_t { max, min, sum, equal };  // codes of BS_ALU_ALGO

// The operand of X1 and X2 after its left shift of 0..63.
constexpr std::int64_t sdp_x_operand(std::int32_t operand, int shift) {
  if (shift >= 32) return saturate<32>(operand * (std::int64_t{1} << 31));
  return saturate<32>(std::int64_t{operand} << shift);
}

// 33 bits for 32-bit inputs.
constexpr std::int64_t sdp_alu(alu_algorithm a, std::int64_t x, std::int64_t operand) {
  switch (a) {
    case alu_algorithm::max: return std::max(x, operand);
    case alu_algorithm::min: return std::min(x, operand);
    default: return x + operand;
  }
}

// round_shift without a branch on the sign: |x| < 2^62, 0 <= shift.
constexpr std::int64_t sdp_shift(std::int64_t x, int shift) {
  if (shift == 0) return x;
  if (shift > 62) return 0;
  return (x + (std::int64_t{1} << (shift - 1)) - (x < 0)) >> shift;
}

// The multiplier of X1, X2 and Y with its shift. A bypassed multiplier of X1 and X2 has the
// operand 1 and still shifts. With PReLU, x >= 0 goes around both.
constexpr std::int32_t sdp_mul(std::int64_t x, std::int64_t operand, int shift, bool prelu) {
  const auto y = prelu && x >= 0 ? x : sdp_shift(x * operand, shift);
  return static_cast<std::int32_t>(saturate<32>(y));
}

constexpr std::int32_t relu(std::int32_t x) { return x > 0 ? x : 0; }

// The converter of Y's memory operands: (x - offset) * scale / 2^shift in 32 bits.
constexpr std::int32_t sdp_y_operand(const converter& c, std::int64_t x) {
  return static_cast<std::int32_t>(saturate<32>(sdp_shift((x - c.offset) * c.scale, c.shift)));
}

// The output converter for int8.
constexpr std::int8_t sdp_output(const converter& c, std::int64_t x) {
  return static_cast<std::int8_t>(
      saturate<8>(saturate<17>(sdp_shift((x - c.offset) * c.scale, c.shift))));
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// Operands that SDP_RDMA fetches for one sub-unit: alu, mul, or pairs of both.
struct sdp_operands {
  bool alu = false, mul = false, per_element = false;
  std::uint32_t bytes = 1;  // of one operand
  cube source{};            // its unit: lanes * operands * bytes
};

struct sdp_x {
  bool bypass = true, alu_bypass = true, mul_bypass = true, relu = false, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int alu_shift = 0, mul_shift = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  sdp_operands operands{};
};

struct sdp_y {
  bool bypass = true, alu_bypass = true, mul_bypass = true, prelu = false;
  bool alu_from_memory = false, mul_from_memory = false;
  bool alu_convert = false, mul_convert = false;
  alu_algorithm algorithm = alu_algorithm::sum;
  int truncate = 0;
  std::int32_t alu_operand = 0, mul_operand = 1;
  converter alu_converter{}, mul_converter{};
  sdp_operands operands{};
};

struct sdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1;
  bool flying = false, to_pdp = false;
  bool reads_memory = false;  // needs SDP_RDMA
  cube source{}, destination{};
  sdp_x x1{}, x2{};
  sdp_y y{};
  converter output{};
};

class sdp_engine {
 public:
  // `values`: width * height * lanes elements, 32 bits, of surface `s`; results to `out`.
  void surface(const sdp_layer& l, std::size_t s, std::size_t lanes,
               std::span<std::int32_t> values, std::span<std::int8_t> out) {
    lanes_ = lanes;
    x(l.x1, s, values);
    x(l.x2, s, values);
    y(l.y, s, values);
    const auto c = l.output;
    if (c == converter{})
      for (std::size_t i = 0; i < values.size(); ++i)
        out[i] = static_cast<std::int8_t>(std::clamp(values[i], -128, 127));
    else
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = sdp_output(c, values[i]);
  }

  // A surface of SDP_RDMA's main input, widened.
  void read_source(const sdp_layer& l, std::size_t s, std::span<std::int32_t> values) {
    raw_.resize(values.size());
    read_surface(l.source, s, raw_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int8_t>(raw_[i]);
  }

 private:
  // Operands of a surface: one for each lane, or for each element; `step` to the next pixel's.
  struct stream {
    const std::int32_t* data;
    std::size_t step;
  };

  void load(const sdp_operands& o, std::size_t s) {
    const auto bytes = static_cast<std::size_t>(o.source.surface_bytes());
    raw_.resize(bytes);
    read_surface(o.source, s, raw_);
    const std::size_t interleave = o.alu && o.mul ? 2 : 1;
    const auto n = bytes / o.bytes / interleave;
    const auto widen = [&](std::size_t at, std::vector<std::int32_t>& to) {
      to.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto j = (i * interleave + at) * o.bytes;
        to[i] = o.bytes == 1 ? static_cast<std::int8_t>(raw_[j])
                             : static_cast<std::int16_t>(raw_[j] | raw_[j + 1] << 8);
      }
    };
    if (o.alu) widen(0, alu_);
    if (o.mul) widen(interleave - 1, mul_);
  }

  stream operand(bool memory, bool per_element, std::int32_t constant,
                 std::vector<std::int32_t>& values) {
    if (!memory) values.assign(lanes_, constant);
    return {values.data(), memory && per_element ? lanes_ : 0};
  }

  template <class F>
  void each(std::span<std::int32_t> v, stream a, stream m, F&& f) const {
    for (std::size_t p = 0; p < v.size(); p += lanes_, a.data += a.step, m.data += m.step)
      for (std::size_t i = 0; i < lanes_; ++i) v[p + i] = f(v[p + i], a.data[i], m.data[i]);
  }

  void x(const sdp_x& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, mul ? u.mul_operand : 1, mul_);
    for (auto& operand : alu_)
      operand = static_cast<std::int32_t>(sdp_x_operand(operand, u.alu_shift));
    const bool prelu = mul && u.prelu;
    const auto floor = u.relu ? 0 : std::int64_t{INT32_MIN};
    const auto run = [&](auto alu) {
      if (!mul && u.mul_shift == 0)
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t) {
          return static_cast<std::int32_t>(std::max(saturate<32>(alu(e, ao)), floor));
        });
      else
        each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
          return std::max(sdp_mul(alu(e, ao), mo, u.mul_shift, prelu),
                          static_cast<std::int32_t>(floor));
        });
    };
    with_alu(u.alu_bypass, u.algorithm, run);
  }

  void y(const sdp_y& u, std::size_t s, std::span<std::int32_t> v) {
    if (u.bypass) return;
    const auto& o = u.operands;
    if (o.alu || o.mul) load(o, s);
    const bool mul = !u.mul_bypass;
    const auto a = operand(u.alu_from_memory && !u.alu_bypass, o.per_element, u.alu_operand, alu_);
    const auto m = operand(u.mul_from_memory && mul, o.per_element, u.mul_operand, mul_);
    if (u.alu_from_memory && u.alu_convert)
      for (auto& e : alu_) e = sdp_y_operand(u.alu_converter, e);
    if (u.mul_from_memory && u.mul_convert)
      for (auto& e : mul_) e = sdp_y_operand(u.mul_converter, e);
    with_alu(u.alu_bypass, u.algorithm, [&](auto alu) {
      each(v, a, m, [&](std::int32_t e, std::int32_t ao, std::int32_t mo) {
        const auto scaled = mul ? sdp_mul(e, mo, u.truncate, u.prelu) : e;
        return static_cast<std::int32_t>(saturate<32>(alu(scaled, ao)));
      });
    });
  }

  // f(function of element and operand), the algorithm chosen outside of the loop.
  template <class F>
  static void with_alu(bool bypass, alu_algorithm a, F&& f) {
    using i64 = std::int64_t;
    if (bypass) return f([](i64 e, i64) { return e; });
    switch (a) {
      case alu_algorithm::max:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::max, e, o); });
      case alu_algorithm::min:
        return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::min, e, o); });
      default: return f([](i64 e, i64 o) { return sdp_alu(alu_algorithm::sum, e, o); });
    }
  }

  std::size_t lanes_ = 0;
  std::vector<std::uint8_t> raw_;
  std::vector<std::int32_t> alu_, mul_;
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// What one of SDP_RDMA's operand readers is set to, before the sub-unit's wishes are known.
struct sdp_reader {
  bool disabled = true, per_element = false;
  std::uint32_t use = 0, bytes = 1;  // use: 0 MUL, 1 ALU, 2 BOTH
  cube source{};
};

// The operands of a sub-unit that wants `alu` and `mul` from memory.
inline sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                                    std::uint32_t atom) {
  if (!alu && !mul) {
    require(r.disabled, where, "reads operands that SDP does not take: the reader never ends");
    return {};
  }
  require(!r.disabled, where, "is disabled, but SDP takes operands from memory");
  require(r.use <= 2, where, "DATA_USE=3 does not exist");
  const bool reads_alu = r.use != 0, reads_mul = r.use != 1;
  require(reads_alu == alu && reads_mul == mul, where,
          "DATA_USE does not agree with the operands that SDP takes from memory");
  sdp_operands o{.alu = alu, .mul = mul, .per_element = r.per_element, .bytes = r.bytes,
                 .source = r.source};
  o.source.unit = std::uint64_t{atom} * r.bytes * (alu && mul ? 2 : 1);
  if (!r.per_element) {  // the operands of all channels side by side
    o.source.width = o.source.height = 1;
    o.source.surface_stride = o.source.unit;
  }
  o.source.check(where, atom);
  return o;
}

template <hw::hardware Hw>
class sdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty if SDP_RDMA is not enabled.
  sdp_decoder(const view& sdp, const view* rdma, memories<Hw>& m) : g(sdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  sdp_layer decode() {
    l.width = g.template count<"SDP.D_DATA_CUBE_WIDTH.WIDTH">();
    l.height = g.template count<"SDP.D_DATA_CUBE_HEIGHT.HEIGHT">();
    l.channels = g.template count<"SDP.D_DATA_CUBE_CHANNEL.CHANNEL">();
    m_.limit.check("SDP.D_DATA_CUBE_WIDTH", l.width, l.height, atom, ceil_div(l.channels, atom));
    require(g.template u<"SDP.D_DATA_FORMAT.PROC_PRECISION">() == 0 &&
                g.template u<"SDP.D_DATA_FORMAT.OUT_PRECISION">() == 0,
            "SDP.D_DATA_FORMAT", "only int8 is simulated");
    require(!g.template on<"SDP.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                g.template u<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    l.flying = g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    l.to_pdp = g.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    require(!l.to_pdp || Hw::spec.has_pdp(), "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST",
            "this configuration has no PDP");
    x1();
    x2();
    y();
    l.reads_memory = needs_rdma();
    rdma();
    output();
    return l;
  }

  // Whether SDP waits for SDP_RDMA: decided by SDP's own registers.
  bool needs_rdma() const {
    const auto from_memory = [](bool bypass, bool off, bool memory) {
      return !bypass && !off && memory;
    };
    const bool b = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    const bool n = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    const bool e = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    return !g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">() ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">()) ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">());
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  static void check_x(std::string_view where, const sdp_x& u) {
    if (u.bypass) return;
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, where, "ALU_ALGO=3 does not exist");
    require(u.mul_shift <= 63, where, "MUL_SHIFT_VALUE ", u.mul_shift, " is more than 63");
  }

  void x1() {
    auto& u = l.x1;
    u.bypass = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BS_CFG.BS_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BS_CFG.BS_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BS_ALU_SRC_VALUE.BS_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BS_MUL_SRC_VALUE.BS_MUL_OPERAND">();
    check_x("SDP.D_DP_BS_CFG", u);
  }

  void x2() {
    auto& u = l.x2;
    u.bypass = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BN_CFG.BN_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BN_CFG.BN_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BN_ALU_SRC_VALUE.BN_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BN_MUL_SRC_VALUE.BN_MUL_OPERAND">();
    check_x("SDP.D_DP_BN_CFG", u);
  }

  void y() {
    auto& u = l.y;
    u.bypass = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    if (u.bypass) return;
    require(Hw::spec.has_ew(), "SDP.D_DP_EW_CFG.EW_BYPASS",
            "this configuration has no element-wise unit (Y)");
    require(g.template on<"SDP.D_DP_EW_CFG.EW_LUT_BYPASS">(), "SDP.D_DP_EW_CFG.EW_LUT_BYPASS",
            "the lookup table is not simulated");
    u.alu_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_EW_CFG.EW_ALU_ALGO">());
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, "SDP.D_DP_EW_CFG.EW_ALU_ALGO",
            "EQL is not simulated");
    u.mul_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_PRELU">();
    u.alu_from_memory = g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">();
    u.alu_convert = !g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS">();
    u.alu_operand = g.template i<"SDP.D_DP_EW_ALU_SRC_VALUE.EW_ALU_OPERAND">();
    u.alu_converter = {
        .offset = g.template i<"SDP.D_DP_EW_ALU_CVT_OFFSET_VALUE.EW_ALU_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_ALU_CVT_SCALE_VALUE.EW_ALU_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_ALU_CVT_TRUNCATE_VALUE.EW_ALU_CVT_TRUNCATE">())};
    u.mul_from_memory = g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">();
    u.mul_convert = !g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS">();
    u.mul_operand = g.template i<"SDP.D_DP_EW_MUL_SRC_VALUE.EW_MUL_OPERAND">();
    u.mul_converter = {
        .offset = g.template i<"SDP.D_DP_EW_MUL_CVT_OFFSET_VALUE.EW_MUL_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_MUL_CVT_SCALE_VALUE.EW_MUL_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_MUL_CVT_TRUNCATE_VALUE.EW_MUL_CVT_TRUNCATE">())};
    u.truncate = static_cast<int>(g.template u<"SDP.D_DP_EW_TRUNCATE_VALUE.EW_TRUNCATE">());
  }

  cube whole_cube(memory& ram, std::uint64_t base, std::uint64_t line, std::uint64_t surface) {
    return {.ram = &ram, .base = base, .line_stride = line, .surface_stride = surface,
            .unit = atom, .width = l.width, .height = l.height,
            .surfaces = ceil_div(l.channels, atom)};
  }

  void rdma() {
    if (r == nullptr) return;  // the device starts a layer that reads memory only with SDP_RDMA
    require(r->template count<"SDP_RDMA.D_DATA_CUBE_WIDTH.WIDTH">() == l.width &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_HEIGHT.HEIGHT">() == l.height &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_CHANNEL.CHANNEL">() == l.channels,
            "SDP_RDMA.D_DATA_CUBE_WIDTH", "the cube differs from SDP's");
    require(r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.OUT_PRECISION">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "only int8 is simulated");
    require(!r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    require(r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() == l.flying,
            "SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE", "differs from SDP's");
    if (!l.flying) {
      l.source = whole_cube(m_.select(r->template on<"SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
                                      "SDP_RDMA.D_SRC_DMA_CFG"),
                            r->template address<"SDP_RDMA.D_SRC_BASE_ADDR_HIGH.SRC_BASE_ADDR_HIGH",
                                                "SDP_RDMA.D_SRC_BASE_ADDR_LOW.SRC_BASE_ADDR_LOW">(),
                            r->template bytes<"SDP_RDMA.D_SRC_LINE_STRIDE.SRC_LINE_STRIDE">(),
                            r->template bytes<"SDP_RDMA.D_SRC_SURFACE_STRIDE.SRC_SURFACE_STRIDE">());
      l.source.check("SDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
    }
    readers();
  }

  template <fixed_string Config, fixed_string Disable, fixed_string Use, fixed_string Size,
            fixed_string Mode, fixed_string Ram, fixed_string High, fixed_string Low,
            fixed_string Line, fixed_string Surface>
  sdp_operands reader(bool alu, bool mul) {
    sdp_reader o{.disabled = r->template on<Disable>(),
                 .per_element = r->template on<Mode>(),
                 .use = r->template u<Use>(),
                 .bytes = r->template count<Size>()};
    if (alu || mul)
      o.source = whole_cube(m_.select(r->template on<Ram>(), Config.view()),
                            r->template address<High, Low>(), r->template bytes<Line>(),
                            r->template bytes<Surface>());
    return decode_operands(Config.view(), o, alu, mul, atom);
  }

  void readers() {
    const auto alu = [](const auto& u) { return !u.bypass && !u.alu_bypass && u.alu_from_memory; };
    const auto mul = [](const auto& u) { return !u.bypass && !u.mul_bypass && u.mul_from_memory; };
    l.x1.operands = reader<"SDP_RDMA.D_BRDMA_CFG", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BS_BASE_ADDR_HIGH", "SDP_RDMA.D_BS_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BS_LINE_STRIDE", "SDP_RDMA.D_BS_SURFACE_STRIDE">(
        alu(l.x1), mul(l.x1));
    l.x2.operands = reader<"SDP_RDMA.D_NRDMA_CFG", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_SIZE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_MODE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BN_BASE_ADDR_HIGH", "SDP_RDMA.D_BN_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BN_LINE_STRIDE", "SDP_RDMA.D_BN_SURFACE_STRIDE">(
        alu(l.x2), mul(l.x2));
    if constexpr (Hw::spec.has_ew())
      l.y.operands = reader<"SDP_RDMA.D_ERDMA_CFG", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE",
                            "SDP_RDMA.D_EW_BASE_ADDR_HIGH", "SDP_RDMA.D_EW_BASE_ADDR_LOW",
                            "SDP_RDMA.D_EW_LINE_STRIDE", "SDP_RDMA.D_EW_SURFACE_STRIDE">(
          alu(l.y), mul(l.y));
  }

  void output() {
    l.output = {.offset = g.template i<"SDP.D_CVT_OFFSET.CVT_OFFSET">(),
                .scale = static_cast<std::int16_t>(g.template i<"SDP.D_CVT_SCALE.CVT_SCALE">()),
                .shift = static_cast<std::uint8_t>(g.template u<"SDP.D_CVT_SHIFT.CVT_SHIFT">())};
    if (l.to_pdp) return;
    l.destination =
        whole_cube(m_.select(g.template on<"SDP.D_DST_DMA_CFG.DST_RAM_TYPE">(),
                             "SDP.D_DST_DMA_CFG"),
                   g.template address<"SDP.D_DST_BASE_ADDR_HIGH.DST_BASE_ADDR_HIGH",
                                      "SDP.D_DST_BASE_ADDR_LOW.DST_BASE_ADDR_LOW">(),
                   g.template bytes<"SDP.D_DST_LINE_STRIDE.DST_LINE_STRIDE">(),
                   g.template bytes<"SDP.D_DST_SURFACE_STRIDE.DST_SURFACE_STRIDE">());
    l.destination.check("SDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("SDP.D_DST_LINE_STRIDE");
  }

  view g;
  const view* r;
  memories<Hw>& m_;
  sdp_layer l{};
};

}  // namespace nvdlac::sim
#include <cstdint>

namespace nvdlac::sim {

// GLB's interrupt registers. A done bit is set whether or not it is masked; the mask acts on the
// line.
struct glb {
  std::uint32_t status = 0, mask = 0;

  static constexpr std::uint32_t bits = 0x003f03ff;

  constexpr void raise(std::uint32_t which) { status |= which & bits; }
  constexpr void clear(std::uint32_t which) { status &= ~which; }  // write 1 to clear
  constexpr bool line() const { return (status & ~mask) != 0; }
};

}  // namespace nvdlac::sim
// The units that have two register groups, and which of the groups is whose turn.
#include <array>
#include <optional>
#include <string_view>


namespace nvdlac::sim {

enum class unit : std::uint8_t {
  cdma, csc, cmac_a, cmac_b, cacc, sdp_rdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik
};

inline constexpr std::array<std::string_view, 12> unit_names{
    "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK"};

constexpr std::string_view name(unit u) { return unit_names[static_cast<std::size_t>(u)]; }

constexpr std::optional<unit> find_unit(std::string_view name) {
  for (std::size_t i = 0; i < unit_names.size(); ++i)
    if (unit_names[i] == name) return unit(i);
  return std::nullopt;
}

// Software writes the group `producer`; the unit executes the group `consumer`.
struct unit_groups {
  int producer = 0, consumer = 0;
  std::array<bool, 2> enabled{};

  constexpr bool ready() const { return enabled[static_cast<std::size_t>(consumer)]; }

  // Takes the enabled group: idle again, the other group is next. Returns the group.
  constexpr int take() {
    const int group = consumer;
    enabled[static_cast<std::size_t>(group)] = false;
    consumer ^= 1;
    return group;
  }

  // S_STATUS: 0 idle, 1 running, 2 pending, for both groups. A unit that waits for the units
  // beside it is running.
  constexpr std::uint32_t status() const {
    const auto of = [&](int group) -> std::uint32_t {
      if (!enabled[static_cast<std::size_t>(group)]) return 0;
      return group == consumer ? 1 : 2;
    };
    return of(0) | of(1) << 16;
  }
  constexpr std::uint32_t pointer() const {
    return static_cast<std::uint32_t>(producer | consumer << 16);
  }
};

}  // namespace nvdlac::sim

namespace nvdlac::sim {

template <hw::hardware Hw>
class device {
 public:
  explicit device(const limits& l = {}) : memories_(l) {}

  // The bus: byte addresses from the base of NVDLA. Writing the last OP_ENABLE of a chain executes
  // the layer: when the call returns, memory and interrupts are those after it. After an error
  // the units of the refused layer are idle.
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& r = register_file<map>::at(address);
    value &= r.write_mask;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) glb_.mask = value;
    else if (address == hw::address<map, "GLB.S_INTR_SET">) glb_.raise(value);
    else if (address == hw::address<map, "GLB.S_INTR_STATUS">) glb_.clear(value);
    else if (const auto u = find_unit(r.unit)) write_unit(*u, r, value);
    else write_other(r, value);
  }

  std::uint32_t read(std::uint32_t address) {
    const auto& r = register_file<map>::at(address);
    if (address == hw::address<map, "GLB.S_INTR_MASK">) return glb_.mask;
    if (address == hw::address<map, "GLB.S_INTR_STATUS">) return glb_.status;
    if (address == hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) return 1;
    const auto u = find_unit(r.unit);
    if (!u) return registers_.word(0, address);
    const auto& g = groups(*u);
    if (r.name == "S_STATUS") return g.status();
    if (r.name == "S_POINTER") return g.pointer();
    if (r.name == "D_OP_ENABLE") return g.enabled[static_cast<std::size_t>(g.producer)];
    return registers_.word(r.name.starts_with("D_") ? g.producer : 0, address);
  }

  // Executes every layer whose units are all enabled; whether there was one.
  bool run() {
    bool any = false;
    while (run_sdp() || run_pdp() || end_idle_readers()) any = true;
    return any;
  }

  bool interrupt() const { return glb_.line(); }

  // The enabled units that wait for others: "CACC CMAC_A", empty if none.
  std::string waiting() const {
    std::string s;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].enabled[0] || groups_[i].enabled[1])
        s += (s.empty() ? "" : " ") + std::string(unit_names[i]);
    return s;
  }

  // Registers, CBUF and interrupts as after power-on; memories keep their contents.
  void reset() {
    registers_ = {};
    groups_ = {};
    glb_ = {};
    cbuf_ = {};
  }

  memory& dram() { return memories_.dram; }
  memory& cvsram() { return memories_.cvsram; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::size_t lanes = Hw::spec.memory_atom;  // of a surface, int8
  using view = group_view<map>;

  unit_groups& groups(unit u) { return groups_[static_cast<std::size_t>(u)]; }
  view active(unit u) { return {registers_, groups(u).consumer}; }

  void write_unit(unit u, const hw::reg& r, std::uint32_t value) {
    auto& g = groups(u);
    if (r.name == "S_POINTER") {
      g.producer = static_cast<int>(value & 1);
    } else if (!r.name.starts_with("D_")) {
      registers_.set(0, r.address, value);
    } else if (const auto producer = static_cast<std::size_t>(g.producer);
               r.name == "D_OP_ENABLE") {
      if ((value & 1) == 0) return;
      require_simulated(u);
      require(!g.enabled[producer], text(r.unit, ".", r.name), "group ", g.producer,
              " is already enabled");
      g.enabled[producer] = true;
      run();
    } else if (r.write_mask != 0) {
      require(!g.enabled[producer], text(r.unit, ".", r.name), "written while group ", g.producer,
              " is enabled");
      registers_.set(g.producer, r.address, value);
    }
  }

  void write_other(const hw::reg& r, std::uint32_t value) {
    if (r.unit == "BDMA" && r.name.starts_with("CFG_LAUNCH") && value != 0)
      refuse(text(r.unit, ".", r.name), Hw::spec.bdma ? "BDMA is not simulated"
                                                      : "this configuration has no BDMA");
    if (r.write_mask != 0) registers_.set(0, r.address, value);
  }

  static void require_simulated(unit u) {
    const auto refuse_unit = [&](bool exists) {
      refuse(text(name(u), ".D_OP_ENABLE"),
             exists ? "this unit is not simulated" : "this configuration does not have the unit");
    };
    if (u == unit::cdp || u == unit::cdp_rdma) refuse_unit(Hw::spec.has_cdp());
    if (u == unit::rubik) refuse_unit(Hw::spec.rubik);
    if ((u == unit::pdp || u == unit::pdp_rdma) && !Hw::spec.has_pdp()) refuse_unit(false);
  }

  template <fixed_string Group0>
  void done(int group) {
    glb_.raise(hw::field_of<map, Group0>.mask() << group);
  }

  // Readers that are enabled with nothing to read end at once.
  bool end_idle_readers() {
    if (auto& g = groups(unit::sdp_rdma); g.ready()) {
      const auto v = active(unit::sdp_rdma);
      if (v.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() &&
          v.template on<"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE">() &&
          v.template on<"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE">() &&
          (!Hw::spec.has_ew() || v.template on<"SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE">())) {
        g.take();
        return true;
      }
    }
    if (auto& g = groups(unit::pdp_rdma);
        g.ready() && !active(unit::pdp_rdma).template on<"PDP_RDMA.D_FLYING_MODE">()) {
      g.take();
      return true;
    }
    return false;
  }

  // PDP from memory.
  bool run_pdp() {
    auto &p = groups(unit::pdp), &r = groups(unit::pdp_rdma);
    if (!p.ready() || !r.ready()) return false;
    const auto pdp = active(unit::pdp), rdma = active(unit::pdp_rdma);
    if (!pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">() ||
        !rdma.template on<"PDP_RDMA.D_FLYING_MODE">())
      return false;
    const int group = p.take();
    r.take();
    const auto l = pdp_decoder<Hw>(pdp, &rdma, memories_).decode();
    narrow_.resize(std::size_t{l.width} * l.height * lanes);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      read_surface(l.source, s, as_bytes(narrow_));
      pool(l, s);
    }
    done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group);
    return true;
  }

  // SDP with its input from memory or from a convolution, its output to memory or to PDP.
  bool run_sdp() {
    if (!groups(unit::sdp).ready()) return false;
    const auto sdp = active(unit::sdp), rdma = active(unit::sdp_rdma), pdp = active(unit::pdp);
    const bool flying = sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    const bool to_pdp = sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    const bool reads = sdp_decoder<Hw>(sdp, nullptr, memories_).needs_rdma();
    if (reads && !groups(unit::sdp_rdma).ready()) return false;
    if (flying)
      for (const auto u : convolution_units)
        if (!groups(u).ready()) return false;
    if (to_pdp && (!groups(unit::pdp).ready() ||
                   pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()))
      return false;

    const int group = groups(unit::sdp).take();
    if (reads) groups(unit::sdp_rdma).take();
    const int pdp_group = to_pdp ? groups(unit::pdp).take() : 0;
    const auto conv_group = flying ? take_convolution() : std::array<int, 5>{};

    const auto l = sdp_decoder<Hw>(sdp, reads ? &rdma : nullptr, memories_).decode();
    pdp_layer p;
    if (to_pdp) {
      p = pdp_decoder<Hw>(pdp, nullptr, memories_).decode();
      require(p.width == l.width && p.height == l.height && p.channels == l.channels,
              "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
    }
    if (flying) begin_convolution(conv_group, l);
    sdp_surfaces(l, p);
    if (flying) end_convolution(conv_group);
    done<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">(group);
    if (to_pdp) done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(pdp_group);
    return true;
  }

  void sdp_surfaces(const sdp_layer& l, const pdp_layer& p) {
    const auto elements = std::size_t{l.width} * l.height * lanes;
    wide_.resize(elements);
    narrow_.resize(elements);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      if (l.flying)
        core_.surface(s, lanes, Hw::spec.mac_atomic_k, Hw::spec.mac_atomic_c, wide_);
      else
        sdp_.read_source(l, s, wide_);
      sdp_.surface(l, s, lanes, wide_, narrow_);
      if (l.to_pdp) pool(p, s);
      else write_surface(l.destination, s, as_bytes(narrow_));
    }
  }

  void pool(const pdp_layer& l, std::size_t s) {
    pooled_.resize(std::size_t{l.out_width} * l.out_height * lanes);
    pdp_.surface(l, lanes, narrow_, pooled_);
    write_surface(l.destination, s, as_bytes(pooled_));
  }

  static constexpr std::array convolution_units{unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b,
                                                unit::cacc};

  std::array<int, 5> take_convolution() {
    std::array<int, 5> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = groups(convolution_units[i]).take();
    return taken;
  }

  void begin_convolution(const std::array<int, 5>& group, const sdp_layer& l) {
    const auto of = [&](std::size_t i) { return view(registers_, group[i]); };
    const auto cdma = decode_cdma<Hw>(of(0), memories_);
    const auto c =
        decode_convolution<Hw>(of(1), of(2), of(3), of(4), cdma, memories_.limit);
    require(c.out_width == l.width && c.out_height == l.height && c.kernels == l.channels,
            "SDP.D_DATA_CUBE_WIDTH", "the cube differs from CACC's");
    fill_cbuf(cdma, cbuf_, bytes_);
    core_.prepare(c, cbuf_);
  }

  void end_convolution(const std::array<int, 5>& group) {
    registers_.set(group[4], hw::address<map, "CACC.D_OUT_SATURATION">, core_.saturated());
    done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group[4]);
  }

  static std::span<std::uint8_t> as_bytes(std::vector<std::int8_t>& v) {
    return {reinterpret_cast<std::uint8_t*>(v.data()), v.size()};
  }

  memories<Hw> memories_;
  register_file<map> registers_;
  std::array<unit_groups, unit_names.size()> groups_{};
  glb glb_{};
  cbuf_contents cbuf_{};
  convolution_core core_;
  sdp_engine sdp_;
  pdp_engine pdp_;
  // Of one surface: SDP's input, SDP's output or PDP's input, PDP's output; and a scratch.
  std::vector<std::int32_t> wide_;
  std::vector<std::int8_t> narrow_, pooled_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim
// The register trace "nvtrace 1": what a program writes to the bus and what memory must hold.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <vector>


namespace nvdlac::sim {

struct trace_command {
  enum class kind : std::uint8_t {
    mem_fill, mem_load, reg_write, reg_read, reg_poll, wait_done, wait_irq, mem_check, mem_crc,
    mem_dump
  };
  kind what{};
  std::size_t line = 0;
  bool cvsram = false;
  std::uint64_t address = 0;
  std::uint64_t size = 0;    // of mem_fill, mem_load (of the file's part), mem_crc, mem_dump
  std::uint64_t offset = 0;  // of mem_load in its file
  std::uint32_t mask = 0, value = 0;  // of registers; value: also the byte or the CRC
  std::string file{};
};

struct trace {
  std::string name;    // of the file, for messages
  std::string config;  // nv_small
  std::uint64_t glb_base = 0;
  bool has_glb_base = false;
  std::vector<std::string> info;
  std::vector<trace_command> commands;
  std::map<std::string, std::vector<std::uint8_t>> files;  // those that the commands read
};

namespace detail {

// One line of a trace, word by word. Every complaint names file and line.
class trace_line {
 public:
  trace_line(const std::string& file, std::size_t number, std::string_view text)
      : file_(file), number_(number), rest_(text.substr(0, text.find('#'))) {}

  template <class... Args>
  [[noreturn]] void fail(const Args&... reason) const {
    throw error(problem{.file = file_, .line = number_, .reason = text(reason...)});
  }
  bool empty() {
    skip();
    return rest_.empty();
  }
  std::string word(std::string_view what) {
    if (empty()) fail("expected ", what);
    const auto n = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string w(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return w;
  }
  std::uint64_t number(std::string_view what, std::uint64_t most = ~std::uint64_t{0}) {
    const auto w = word(what);
    std::string_view digits = w;
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16, digits.remove_prefix(2);
    else if (digits.size() > 1 && digits[0] == '0') base = 8, digits.remove_prefix(1);
    std::uint64_t v = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (problem != std::errc{} || end != digits.data() + digits.size() || digits.empty() ||
        v > most)
      fail(what, " '", w, "' is not a number from 0 to ", most);
    return v;
  }
  std::uint32_t word32(std::string_view what) {
    return static_cast<std::uint32_t>(number(what, 0xffffffffu));
  }
  bool space() {
    const auto w = word("dram or cvsram");
    if (w != "dram" && w != "cvsram") fail("memory '", w, "' is neither dram nor cvsram");
    return w == "cvsram";
  }
  std::string file() {
    auto w = word("a file");
    if (w.find_first_of("/\\") != std::string::npos || w == "." || w == "..")
      fail("file '", w, "' is not beside the trace");
    return w;
  }
  std::string remainder() {
    skip();
    std::string s(rest_);
    rest_ = {};
    while (!s.empty() && (s.back() == '\r' || s.back() == ' ')) s.pop_back();
    return s;
  }
  void end() {
    if (!empty()) fail("unexpected '", remainder(), "' at the end of the line");
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

  const std::string& file_;
  std::size_t number_;
  std::string_view rest_;
};

inline std::optional<trace_command::kind> find_command(std::string_view word) {
  using enum trace_command::kind;
  static constexpr std::pair<std::string_view, trace_command::kind> names[]{
      {"mem_fill", mem_fill}, {"mem_load", mem_load}, {"reg_write", reg_write},
      {"reg_read", reg_read}, {"reg_poll", reg_poll}, {"wait_done", wait_done},
      {"wait_irq", wait_irq}, {"mem_check", mem_check}, {"mem_crc", mem_crc},
      {"mem_dump", mem_dump}};
  for (const auto& [n, k] : names)
    if (n == word) return k;
  return std::nullopt;
}

inline trace_command parse_command(trace_command::kind kind, trace_line& l, std::size_t number) {
  trace_command c{.what = kind, .line = number};
  switch (kind) {
    using enum trace_command::kind;
    case mem_fill:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = static_cast<std::uint32_t>(l.number("a byte", 255));
      break;
    case mem_load:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      c.size = ~std::uint64_t{0};  // the whole file
      if (!l.empty()) c.offset = l.number("an offset"), c.size = l.number("a size");
      break;
    case reg_write:
      c.address = l.word32("an address"), c.value = l.word32("a value");
      break;
    case reg_read:
    case reg_poll:
      c.address = l.word32("an address"), c.mask = l.word32("a mask");
      c.value = l.word32("a value");
      break;
    case wait_done: c.mask = l.word32("a mask"); break;
    case wait_irq: break;
    case mem_check:
      c.cvsram = l.space(), c.address = l.number("an address"), c.file = l.file();
      break;
    case mem_crc:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.value = l.word32("a CRC");
      break;
    case mem_dump:
      c.cvsram = l.space(), c.address = l.number("an address"), c.size = l.number("a size");
      c.file = l.file();
      break;
  }
  l.end();
  return c;
}

}  // namespace detail

// Reads a trace and the files beside it that it loads or compares. Throws nvdlac::error with file
// and line: unknown command, bad number, missing file, trailing words.
inline trace read_trace(const std::filesystem::path& path) {
  std::ifstream in(path);
  trace t;
  t.name = path.string();
  if (!in || std::filesystem::is_directory(path))
    throw error(problem{.file = t.name, .reason = "cannot be read"});
  std::string text;
  bool header = false;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    detail::trace_line l(t.name, number, text);
    if (l.empty()) continue;
    const auto word = l.word("a command");
    if (!header) {
      if (word != "nvtrace" || l.number("the version") != 1) l.fail("expected 'nvtrace 1'");
      l.end();
      header = true;
    } else if (word == "config") {
      t.config = l.word("a configuration");
      l.end();
    } else if (word == "glb_base") {
      t.glb_base = l.word32("an address"), t.has_glb_base = true;
      l.end();
    } else if (word == "info") {
      t.info.push_back(l.remainder());
    } else if (const auto kind = detail::find_command(word)) {
      auto c = detail::parse_command(*kind, l, number);
      if (*kind == trace_command::kind::mem_load || *kind == trace_command::kind::mem_check) {
        auto [file, is_new] = t.files.try_emplace(c.file);
        if (is_new) {
          const auto beside = path.parent_path() / c.file;
          std::ifstream bytes(beside, std::ios::binary);
          if (!bytes || std::filesystem::is_directory(beside))
            l.fail("the file '", c.file, "' cannot be read");
          file->second.assign(std::istreambuf_iterator<char>(bytes), {});
        }
        const auto size = file->second.size();
        if (*kind == trace_command::kind::mem_load && c.size == ~std::uint64_t{0}) c.size = size;
        else if (*kind == trace_command::kind::mem_load &&
                 (c.offset > size || c.size > size - c.offset))
          l.fail("the file '", c.file, "' has only ", size, " bytes");
      }
      t.commands.push_back(std::move(c));
    } else {
      l.fail("unknown command '", word, "'");
    }
  }
  if (!header) throw error(problem{.file = t.name, .reason = "is no 'nvtrace 1'"});
  if (t.config.empty()) throw error(problem{.file = t.name, .reason = "names no config"});
  return t;
}

}  // namespace nvdlac::sim

namespace nvdlac::sim {

// An expectation of a trace that did not hold.
struct difference {
  std::size_t line = 0;
  std::string what;
};

struct replay_options {
  sim::limits limits{};
  std::filesystem::path dump_directory{};  // where mem_dump writes; empty: nowhere
};

// One run of a trace on one device.
template <hw::hardware Hw>
class replayer {
 public:
  replayer(const trace& t, const replay_options& o) : trace_(t), options_(o), device_(o.limits) {
    if (t.config != type_name<Hw>())
      throw error(problem{.file = t.name, .reason = text("is of the configuration ", t.config,
                                                         ", not of ", type_name<Hw>())});
    if (t.has_glb_base && t.glb_base != glb)
      throw error(problem{.file = t.name, .reason = text("glb_base is 0x", std::hex, glb,
                                                         " in this configuration")});
  }

  // The differences in the order of the trace. A program that the device refuses is an
  // nvdlac::error with file and line.
  std::vector<difference> run() {
    for (const auto& c : trace_.commands) try {
        execute(c);
      } catch (const error& e) {
        auto problems = e.problems();
        for (auto& p : problems) p.file = trace_.name, p.line = c.line;
        throw error(problems);
      }
    return std::move(differences_);
  }

  sim::device<Hw>& device() { return device_; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::uint32_t status = hw::address<map, "GLB.S_INTR_STATUS">;
  static constexpr std::uint32_t glb = status - 0xc;

  template <class... Args>
  void differ(const trace_command& c, const Args&... what) {
    differences_.push_back({c.line, text(what...)});
  }

  void execute(const trace_command& c) {
    auto& ram = c.cvsram ? device_.cvsram() : device_.dram();
    require(!c.cvsram || Hw::spec.has_sram(), "cvsram", "this configuration has no CVSRAM");
    const auto address = static_cast<std::uint32_t>(c.address);
    switch (c.what) {
      using enum trace_command::kind;
      case mem_fill:
        check_size(c);
        return ram.fill(c.address, c.size, static_cast<std::uint8_t>(c.value));
      case mem_load:
        return ram.write(c.address, std::span(trace_.files.at(c.file))
                                        .subspan(static_cast<std::size_t>(c.offset),
                                                 static_cast<std::size_t>(c.size)));
      case reg_write: return device_.write(address, c.value);
      case reg_read:
        if (const auto v = device_.read(address); ((v ^ c.value) & c.mask) != 0)
          differ(c, hw::describe(map, address, v), " instead of ",
                 hw::describe(map, address, c.value));
        return;
      case reg_poll: return poll(c, address);
      case wait_done: return wait(c);
      case wait_irq:
        device_.run();
        if (!device_.interrupt()) differ(c, "no interrupt", still_waiting());
        return;
      case mem_check: return check(c, ram);
      case mem_crc: return check_crc(c, ram);
      case mem_dump: return dump(c, ram);
    }
  }

  // The device has finished all that it can when a write returns: what does not hold after one
  // more run will never hold.
  void poll(const trace_command& c, std::uint32_t address) {
    do {
      if (((device_.read(address) ^ c.value) & c.mask) == 0) return;
    } while (device_.run());
    differ(c, hw::describe(map, address, device_.read(address)), " never becomes ",
           hw::describe(map, address, c.value), still_waiting());
  }

  void wait(const trace_command& c) {
    std::uint32_t seen = 0;
    do {
      const auto now = device_.read(status) & c.mask;
      if (now != 0) device_.write(status, now);
      seen |= now;
    } while (seen != c.mask && device_.run());
    if (seen != c.mask)
      differ(c, "the interrupts 0x", std::hex, c.mask & ~seen, " never come", still_waiting());
  }

  std::string still_waiting() const {
    const auto units = device_.waiting();
    return units.empty() ? "" : "; enabled units that wait for others: " + units;
  }

  void check_size(const trace_command& c) const {
    require(c.size <= options_.limits.memory, trace_.name, "a region of ", c.size,
            " bytes is beyond sim::limits::memory");
  }

  static std::vector<std::uint8_t> bytes(const memory& ram, std::uint64_t at, std::uint64_t size) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(size));
    ram.read(at, v);
    return v;
  }

  void check(const trace_command& c, const memory& ram) {
    const auto& expected = trace_.files.at(c.file);
    const auto is = bytes(ram, c.address, expected.size());
    std::size_t first = is.size(), count = 0;
    for (std::size_t i = is.size(); i-- > 0;)
      if (is[i] != expected[i]) first = i, ++count;
    if (count != 0)
      differ(c, count, " of ", is.size(), " bytes differ from ", c.file, ", first 0x", std::hex,
             c.address + first, ": 0x", +is[first], " instead of 0x", +expected[first]);
  }

  void check_crc(const trace_command& c, const memory& ram) {
    check_size(c);
    boost::crc_32_type crc;
    constexpr std::uint64_t step = std::uint64_t{1} << 20;
    for (std::uint64_t at = 0; at < c.size; at += step) {
      const auto part = bytes(ram, c.address + at, std::min(step, c.size - at));
      crc.process_bytes(part.data(), part.size());
    }
    if (crc.checksum() != c.value)
      differ(c, "the CRC of 0x", std::hex, c.size, " bytes at 0x", c.address, " is 0x",
             crc.checksum(), " instead of 0x", c.value);
  }

  void dump(const trace_command& c, const memory& ram) {
    if (options_.dump_directory.empty()) return;
    check_size(c);
    const auto part = bytes(ram, c.address, c.size);
    const auto to = options_.dump_directory / c.file;
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<const char*>(part.data()),
              static_cast<std::streamsize>(part.size()));
    out.close();
    require(!out.fail(), to.string(), "cannot be written");
  }

  const trace& trace_;
  replay_options options_;
  sim::device<Hw> device_;
  std::vector<difference> differences_;
};

// Runs the trace on a fresh device of its configuration, which must be Hw. Throws nvdlac::error.
template <hw::hardware Hw>
std::vector<difference> replay(const trace& t, const replay_options& o = {}) {
  return replayer<Hw>(t, o).run();
}

template <hw::hardware Hw>
std::vector<difference> replay(const std::filesystem::path& path, const replay_options& o = {}) {
  return replay<Hw>(read_trace(path), o);
}

}  // namespace nvdlac::sim
