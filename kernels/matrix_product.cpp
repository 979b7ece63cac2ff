// The only place that calls BLAS, and that narrows to its int.
#include <cblas.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "kernels/execute.hpp"

namespace simtrain {
namespace {

blasint to_blas(const char* name, std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<blasint>::max())
    throw Failure("matrix product: " + std::string(name) + " = " + std::to_string(size) +
                  " does not fit the BLAS's integers (at most " + std::to_string(std::numeric_limits<blasint>::max()) +
                  "); use a smaller batch per process or more processes");
  return static_cast<blasint>(size);
}

void set_empty_product(std::int64_t m, std::int64_t n, float beta, float* c, std::int64_t c_leading) {
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      float& element = c[row * c_leading + column];
      element = beta == 0.0F ? 0.0F : beta * element;  // as BLAS does: beta 0 overwrites whatever was there
    }
}

}  // namespace

void matrix_product(Transposition transposition, std::int64_t m, std::int64_t n, std::int64_t k, Matrix a, Matrix b,
                    float beta, float* c, std::int64_t c_leading) {
  if (m <= 0 || n <= 0) return;
  if (k <= 0) return set_empty_product(m, n, beta, c, c_leading);
  cblas_sgemm(CblasRowMajor, transposition == Transposition::tn ? CblasTrans : CblasNoTrans,
              transposition == Transposition::nt ? CblasTrans : CblasNoTrans, to_blas("m", m), to_blas("n", n),
              to_blas("k", k), 1.0F, a.data, to_blas("the leading dimension of A", a.leading), b.data,
              to_blas("the leading dimension of B", b.leading), beta, c,
              to_blas("the leading dimension of C", c_leading));
}

void execute_operation(const MatrixProduct& op, const Operands& operands) {
  require(operands, 0, op.m * op.k);
  require(operands, 1, op.k * op.n);
  require(operands, 2, op.m * op.n);
  const Matrix a{operands[0].data, op.transposition == Transposition::tn ? op.m : op.k};
  const Matrix b{operands[1].data, op.transposition == Transposition::nt ? op.k : op.n};
  matrix_product(op.transposition, op.m, op.n, op.k, a, b, 0.0F, operands[2].data, op.n);
}

}  // namespace simtrain
