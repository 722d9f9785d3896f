// SPDX-License-Identifier: Apache-2.0
#pragma once

struct random_limits {
  int layers = 8;           // about so many, after the input
  int channels = 40;        // of a tensor, at most
  int side = 14;            // height and width of the input, at most
  int outputs_in_the_middle = 6;  // one tensor of so many is an output though it is read
  int extremes = 20;        // one layer of so many has any numbers at all
  bool pixels = true, softmax = true, constants = true;
  bool averages = true;     // in int8
  bool lookups = false;     // which not every configuration has
};
