// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::onnx_format {

// The integers that stand for real numbers in a file: real = scale * (integer - zero).
struct grid {
  float scale = 0;            // 0: not told yet, for the integers of an input
  std::int64_t zero = 0;
  std::int64_t least = 0, most = 0;  // of the integers' type

  bool operator==(const grid&) const = default;
  double low() const { return double{scale} * static_cast<double>(least - zero); }
  double high() const { return double{scale} * static_cast<double>(most - zero); }
  int bits() const {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most - least)));
  }
  // The smallest symmetric scale whose int8 values reach both ends.
  double symmetric() const { return std::max(low() / -128, high() / 127); }
  // The grid's own where int8 holds its integers, so that fewer bits are rounded as they are meant;
  // else the symmetric one.
  double step() const {
    return least - zero >= -128 && most - zero <= 127 ? double{scale} : symmetric();
  }
};

// Numbers of a type of integers that stand for themselves, such as bytes of a picture or places of
// maxima: NVDLA computes with them as with real numbers.
struct whole_numbers {
  std::int64_t type = 0;             // of the file's tensor, as TensorProto numbers it
  std::int64_t least = 0, most = 0;  // between which they lie
  bool absent = false;               // -1 is none: it stands behind the last one that is selected

  bool operator==(const whole_numbers&) const = default;
};

// A tensor that the network computes: a node of the graph, seen under a shape of the file and,
// when `from` is set, with its elements moved. NVDLA moves no elements by itself, so movements are
// kept back until a layer needs the tensor: most of them cancel out, and a fully connected layer
// takes any of them into its weights.
struct computed {
  assembly::id node;
  dims shape;                                 // as the file counts dimensions, the batch being 1
  std::shared_ptr<const element_map> from{};  // empty: the dense c-h-w order of the node's cube
  std::string moved_by{};                     // the node of the file that moved the elements
  std::shared_ptr<const grid> integers{};     // set where the file holds integers
  std::optional<whole_numbers> whole{};       // set where those stand for themselves
  // Set where the file holds integers in steps of a scale that depends on the picture, until they
  // are multiplied by it: the name of that scale.
  std::shared_ptr<const std::string> awaits{};
  // Whether what a padding put around it is minus infinity, not 0: no maximum takes it.
  bool around_lowest = false;
};

// A value of the file. `broken` comes out of a node with a problem, which is reported already.
struct broken {};
using value = std::variant<broken, std::shared_ptr<const array>, computed>;

// The shape behind a movement, for a tensor that the network computes.
computed moved(const computed& x, const movement& m, const std::string& by, const net::shape& cube);

// The cube that a shape of the file stands for: [1, c, h, w], [c, h, w], [1, c, l], [1, n], [c, l]
// or [n]. Of more dimensions, such as those of a detector's anchors, all between the channels and
// the last one are its lines.
net::shape cube_of(const dims& d);

// Throws where a tensor has dimensions that its cube does not tell apart.
void require_cube(const dims& d);

std::int32_t as_int32(std::int64_t n, const char* what);

// The window of one element that steps over the columns of a cube, and perhaps over its lines, if
// that is what the map does: a single layer of PDP. Lines alone are a move, which strides make.
std::optional<net::window> find_steps(const element_map& from, net::shape to, net::shape source);

// Channels, lines and columns of a cube.
using cube_places = std::array<std::vector<std::int32_t>, 3>;

// Lines and columns of zeros around a cube.
struct zeros {
  std::int32_t top = 0, left = 0, bottom = 0, right = 0;
};
struct padded {
  assembly::id node;  // the cube inside the zeros
  onnx_format::zeros zeros{};
};

// Turns computed tensors into nodes whose cubes have the order that a layer needs.
class canvas {
 public:
  explicit canvas(assembly& net) : net_(net), left_(net.limits()) {}

  assembly& net() { return net_; }

  template <class Op>
  assembly::id add(const std::string& layer, Op op, const std::vector<assembly::id>& inputs) {
    return net_.add(layer, std::move(op), inputs);
  }

  // How many elements of constants of full size layers may be given from now on, such as factors of
  // an interpolation, and how many they were.
  void allow_constants(const element_ceiling& m);
  std::uint64_t taken_constants() const { return taken_; }
  // Throws before a constant is made that is too large for a model of this size.
  void take_constant(std::uint64_t elements);

  // Whether all that an operator reads is known: where it needs tensors of the network, constants
  // are such ones, and what it gives is computed at once.
  void fold() { folds_ = true; }
  bool folds() const { return folds_; }
  const computed& tensor_of(const std::shared_ptr<const array>& a);
  // The constants that are tensors.
  const std::map<std::shared_ptr<const array>, computed>& folded() const { return folded_; }

  // Notes what the integers of an input stand for, as its reader tells.
  void note_input(assembly::id n, const grid& g) { grids_of_inputs_.emplace(n, g); }
  const std::map<assembly::id, grid>& grids_of_inputs() const { return grids_of_inputs_; }

  // Whether states that recurrent layers begin with are inputs of the network; those that the last
  // step leaves are outputs then.
  void open_states() { opens_states_ = true; }
  bool opens_states() const { return opens_states_; }
  // A state by the name of its input; the name of its output has "/next" behind it.
  struct state {
    std::string name;
    computed next;
  };
  assembly::id open_state(const std::string& name, net::shape cube, const dims& shape);
  void leave_state(const std::string& name, computed next) {
    states_.push_back({name, std::move(next)});
  }
  const std::vector<state>& states() const { return states_; }

  assembly::id as_cube(const computed& x, net::shape cube);
  assembly::id as_cube(const computed& x) { return as_cube(x, cube_of(x.shape)); }

  // The cube of the elements of x's node at some places, which is made once.
  assembly::id part(const computed& x, const cube_places& at);
  bool has_part(assembly::id n, const cube_places& at) const { return parts_.contains({n, at}); }

  // The zeros that a padding put around x. Not all of x is zeros, or it is an `error`.
  zeros zeros_around(const computed& x, net::shape cube) const;
  // The elements of x as a cube without the zeros around it.
  padded as_padded(const computed& x, net::shape cube);

 private:
  assembly::id reshaped(assembly::id n, net::shape cube);
  template <class Op>
  assembly::id moved(const std::string& layer, Op op, assembly::id n);

  assembly::id selected(const computed& x, const element_map& from, net::shape to);

  assembly& net_;
  element_ceiling left_;
  std::uint64_t taken_ = 0;
  bool folds_ = false;
  std::map<std::shared_ptr<const array>, computed> folded_{};
  std::map<assembly::id, grid> grids_of_inputs_{};
  std::map<std::pair<assembly::id, cube_places>, assembly::id> parts_{};
  bool opens_states_ = false;
  std::vector<state> states_{};
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/canvas.ipp>
#endif
