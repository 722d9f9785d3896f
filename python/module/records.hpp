// SPDX-License-Identifier: Apache-2.0
#pragma once
// Networks as values of Python.
#include <pybind11/pybind11.h>

#include <nvdlac/quantised/graph.hpp>

#include "float_graph.hpp"

namespace nvdlac::python {

// A record for each node, producers first: `name`, `operator`, `inputs` (names), `shape` (channels,
// height, width), `output`, and in `fields` the operator's members as they are declared; arrays are
// of NumPy. Of integers also `scale`, `zero`, `gain` and `precision`.
pybind11::list records_of(const cli::graph&);
pybind11::list records_of(const quantised::graph&);

}  // namespace nvdlac::python
