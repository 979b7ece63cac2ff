// Kernels that compute: OpenBLAS for matrix products, our loops for the rest, at once in the caller's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"

namespace simtrain {

// Executes one operation on real buffers. Operand order: kernels/operation.hpp.
void execute(const Operation& operation, const Operands& operands);

class BlasKernels final : public Kernels {
 public:
  // `now` tells the time in seconds (MPI_Wtime).
  explicit BlasKernels(std::function<double()> now);
  ~BlasKernels() override;

  Buffer allocate(std::int64_t floats) override;
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override;
  void wait(Event event) override;
  [[nodiscard]] double busy_s(Account account) const override;
  [[nodiscard]] Interval interval(Account account) const override;
  void reset_accounts() override;
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override;
  std::span<const float> read(Buffer buffer) override;
  std::span<float> write(Buffer buffer) override;

 private:
  struct Booked {
    double busy_s = 0;
    Interval interval;
    bool used = false;
  };

  std::function<double()> now_;
  std::vector<float*> owned_;
  std::vector<Booked> accounts_;
  std::uint64_t done_ = 0;
};

struct BlasIdentity {
  std::string library;    // "OpenBLAS 0.3.21 ..."
  std::string core_type;  // the kernel set it chose, e.g. "Haswell"
  int threads;
};
BlasIdentity blas_identity();

// What to tell a user whose BLAS chose kernels without the vector units that this processor has (OpenBLAS falls back to
// "Prescott" on processors that it does not know, at a third of the speed); empty if all is well.
std::string blas_warning(const BlasIdentity& blas);

// As many threads, from now on. One where ranks must not share cores behind each other's backs.
void use_blas_threads(int threads);

}  // namespace simtrain
