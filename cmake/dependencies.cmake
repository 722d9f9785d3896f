# SPDX-License-Identifier: Apache-2.0
# What the headers include. Used by the build tree and by the installed package alike.
# Imported targets are system includes, so their warnings are not ours.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(Boost 1.74)
find_dependency(Protobuf)
find_dependency(FlatBuffers CONFIG)
find_dependency(nlohmann_json CONFIG)
find_dependency(hwy CONFIG)
