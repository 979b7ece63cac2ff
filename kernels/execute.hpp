// What execute() (kernels/blas_kernels.hpp) is made of: one function per operation, on real buffers. Operand order and
// aliasing: kernels/operation.hpp. None allocates. Buffers larger than the operation needs are allowed.
#pragma once

#include "kernels/kernels.hpp"

namespace simtrain {

void execute_operation(const MatrixProduct& op, const Operands& operands);
void execute_operation(const Convolution& op, const Operands& operands);
void execute_operation(const ElementwiseOp& op, const Operands& operands);
void execute_operation(const BiasForward& op, const Operands& operands);
void execute_operation(const BiasGradient& op, const Operands& operands);
void execute_operation(const Pooling& op, const Operands& operands);
void execute_operation(const Flatten& op, const Operands& operands);
void execute_operation(const SoftmaxLoss& op, const Operands& operands);
void execute_operation(const BatchNormalisation& op, const Operands& operands);
void execute_operation(const Dropout& op, const Operands& operands);
void execute_operation(const CopyBlock& op, const Operands& operands);
void execute_operation(const Clear& op, const Operands& operands);
void execute_operation(const Update& op, const Operands& operands);

// Sum of floats in sixteen partial sums: a plain one is a chain that the compiler must not reorder.
float sum(const float* x, std::int64_t count);

// Aborts, with the numbers, if operand `i` is a phantom or has fewer than `floats` elements.
void require(const Operands& operands, std::size_t i, std::int64_t floats);

// C (m x n) = op(A) op(B) + beta*C, row-major, leading dimensions in floats. Throws Failure if a size does not fit the
// BLAS's int. Empty sizes are handled here: BLAS is called only if m, n and k are positive.
struct Matrix {
  const float* data;
  std::int64_t leading;
};
void matrix_product(Transposition transposition, std::int64_t m, std::int64_t n, std::int64_t k, Matrix a, Matrix b,
                    float beta, float* c, std::int64_t c_leading);

// The im2col matrix of some samples and of the channels of one group.
//   image:   channels in_channels/groups, `channel_stride` floats apart, each with `samples` images of
//   in_height*in_width matrix:  rows (channel, ky, kx) = geometry.patch(), columns (sample, oy, ox) =
//   samples*geometry.out_pixels()
// im2col overwrites the matrix; col2im overwrites the images with the sums of the matrix elements that came from each
// pixel.
void im2col(const ConvolutionGeometry& geometry, const float* image, std::int64_t channel_stride, std::int64_t samples,
            float* matrix);
void col2im(const ConvolutionGeometry& geometry, const float* matrix, std::int64_t samples, float* image,
            std::int64_t channel_stride);

}  // namespace simtrain
