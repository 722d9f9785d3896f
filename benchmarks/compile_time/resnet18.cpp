// SPDX-License-Identifier: Apache-2.0
// ResNet-18 for pictures of 224 x 224, weights as sizes, compiled by the C++ compiler.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

#include "tests/program/networks.hpp"

using namespace networks;

constexpr nvdlac::net::pool_kind average = nvdlac::net::pool_kind::average;

constexpr network resnet18{
    node{"data",
         quantised::input{{3, 224, 224}, quantised::pixels{{120, 121, 122}, {0, 16000, 14}}}},
    node{"stem", sizes<64, 3, 7>({.stride = 2, .pad = 3}), "data"},
    node{"halved", quantised::pool{.window = square{.kernel = 3, .stride = 2, .pad = 1}}, "stem"},
    node{"a1", sizes<64, 64, 3>({.pad = 1}), "halved"},
    node{"a2", sizes<64, 64, 3>({.pad = 1}, false), "a1"},
    node{"a", sum, "a2", "halved"},
    node{"b1", sizes<64, 64, 3>({.pad = 1}), "a"},
    node{"b2", sizes<64, 64, 3>({.pad = 1}, false), "b1"},
    node{"b", sum, "b2", "a"},
    node{"c1", sizes<128, 64, 3>({.stride = 2, .pad = 1}), "b"},
    node{"c2", sizes<128, 128, 3>({.pad = 1}, false), "c1"},
    node{"c0", sizes<128, 64, 1>({.stride = 2}, false), "b"},
    node{"c", sum, "c2", "c0"},
    node{"d1", sizes<128, 128, 3>({.pad = 1}), "c"},
    node{"d2", sizes<128, 128, 3>({.pad = 1}, false), "d1"},
    node{"d", sum, "d2", "c"},
    node{"e1", sizes<256, 128, 3>({.stride = 2, .pad = 1}), "d"},
    node{"e2", sizes<256, 256, 3>({.pad = 1}, false), "e1"},
    node{"e0", sizes<256, 128, 1>({.stride = 2}, false), "d"},
    node{"e", sum, "e2", "e0"},
    node{"f1", sizes<256, 256, 3>({.pad = 1}), "e"},
    node{"f2", sizes<256, 256, 3>({.pad = 1}, false), "f1"},
    node{"f", sum, "f2", "e"},
    node{"g1", sizes<512, 256, 3>({.stride = 2, .pad = 1}), "f"},
    node{"g2", sizes<512, 512, 3>({.pad = 1}, false), "g1"},
    node{"g0", sizes<512, 256, 1>({.stride = 2}, false), "f"},
    node{"g", sum, "g2", "g0"},
    node{"h1", sizes<512, 512, 3>({.pad = 1}), "g"},
    node{"h2", sizes<512, 512, 3>({.pad = 1}, false), "h1"},
    node{"h", sum, "h2", "g"},
    node{"mean", quantised::pool{.kind = average, .window = square{.kernel = 7}}, "h"},
    node{"classes", sizes<1000, 512, 1>({}, false), "mean"},
};

extern const nvdlac::register_program resnet18_program =
    nvdlac::program<nvdlac::nv_small, resnet18>::view();
