// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <nvdlac/quant/observer.hpp>

namespace nvdlac::quant {

// An observer that is chosen at run time; copies watch on their own.
class any_observer {
 public:
  template <class O>
    requires(!std::same_as<O, any_observer> && observer<O>)
  any_observer(O chosen) : name(O::name), self_(std::make_unique<model<O>>(std::move(chosen))) {}
  any_observer(const any_observer& other) : name(other.name), self_(other.self_->copy()) {}
  any_observer& operator=(any_observer other) noexcept {
    std::swap(name, other.name);
    self_.swap(other.self_);
    return *this;
  }
  ~any_observer() = default;

  std::string_view name;
  void observe(std::span<const float> values) { self_->observe(values); }
  double range() const { return self_->range(); }

 private:
  struct base {
    virtual ~base() = default;
    virtual std::unique_ptr<base> copy() const = 0;
    virtual void observe(std::span<const float>) = 0;
    virtual double range() const = 0;
  };
  template <class O>
  struct model final : base {
    explicit model(O chosen) : self(std::move(chosen)) {}
    std::unique_ptr<base> copy() const override { return std::make_unique<model>(self); }
    void observe(std::span<const float> values) override { self.observe(values); }
    double range() const override { return static_cast<double>(self.range()); }
    O self;
  };

  std::unique_ptr<base> self_;
};
static_assert(observer<any_observer>);

}  // namespace nvdlac::quant
