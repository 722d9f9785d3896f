// SPDX-License-Identifier: Apache-2.0
// The standard headers that the face names, by which the seconds of other machines are compared.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>
