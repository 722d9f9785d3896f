// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

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
class cube_builder {
 public:
  explicit cube_builder(assembly& net) : net_(net), left_(net.limits()) {}

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
#include <nvdlac/impl/import/onnx/cube_builder.ipp>
#endif
