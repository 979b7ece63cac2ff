// Additions of a collective that runs beside its rank's computing: in the thread that communicates, rather than behind
// what the queue has to do.
#pragma once

#include "kernels/kernels.hpp"

namespace simtrain {

class BesideKernels final : public Kernels {
 public:
  explicit BesideKernels(Kernels& kernels) : kernels_(kernels) {}

  Buffer allocate(std::int64_t floats) override { return kernels_.allocate(floats); }
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override {
    kernels_.execute_beside(operation, operands, account);
    return {};
  }
  void wait(Event /*event*/) override {}
  [[nodiscard]] double busy_s(Account account) const override { return kernels_.busy_s(account); }
  [[nodiscard]] Interval interval(Account account) const override { return kernels_.interval(account); }
  void reset_accounts() override { kernels_.reset_accounts(); }
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override { kernels_.fill(buffer, value); }
  std::span<const float> read(Buffer buffer) override { return kernels_.read(buffer); }
  std::span<float> write(Buffer buffer) override { return kernels_.write(buffer); }

 private:
  Kernels& kernels_;
};

}  // namespace simtrain
