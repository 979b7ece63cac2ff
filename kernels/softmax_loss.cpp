#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "kernels/execute.hpp"

namespace simtrain {
namespace {

// Samples done together: the loops run along rows of the logits, and what each sample needs fits on the stack.
constexpr std::int64_t kBlock = 128;

struct Block {
  std::int64_t first, count;  // samples
  float largest[kBlock], label_logit[kBlock], sum[kBlock];
};

void find_largest(const SoftmaxLoss& op, const float* logits, Block& block) {
  std::copy_n(logits + block.first, block.count, block.largest);
  for (std::int64_t c = 1; c < op.classes; ++c) {
    const float* row = logits + c * op.samples + block.first;
    for (std::int64_t s = 0; s < block.count; ++s)
      block.largest[s] = row[s] > block.largest[s] ? row[s] : block.largest[s];
  }
}

std::int64_t label_of(const SoftmaxLoss& op, const float* labels, std::int64_t sample) {
  const auto label = static_cast<std::int64_t>(labels[sample]);
  SIMTRAIN_INVARIANT(label >= 0 && label < op.classes, "label " + std::to_string(labels[sample]) + " of sample " +
                                                           std::to_string(sample) + " with " +
                                                           std::to_string(op.classes) + " classes");
  return label;
}

// gradient = exp(logits - largest), sum = its column sums. The largest is taken off first, so that exp never overflows.
void exponentials(const SoftmaxLoss& op, const float* logits, float* gradient, Block& block) {
  std::fill_n(block.sum, block.count, 0.0F);
  for (std::int64_t c = 0; c < op.classes; ++c) {
    const std::int64_t row = c * op.samples + block.first;
    for (std::int64_t s = 0; s < block.count; ++s) {
      gradient[row + s] = std::exp(logits[row + s] - block.largest[s]);
      block.sum[s] += gradient[row + s];
    }
  }
}

void scale(const SoftmaxLoss& op, float* gradient, const Block& block) {
  float factor[kBlock];
  for (std::int64_t s = 0; s < block.count; ++s) factor[s] = 1.0F / (block.sum[s] * static_cast<float>(op.batch));
  for (std::int64_t c = 0; c < op.classes; ++c) {
    float* row = gradient + c * op.samples + block.first;
    for (std::int64_t s = 0; s < block.count; ++s) row[s] *= factor[s];
  }
}

}  // namespace

// loss = sum over samples of  log(sum_c exp(logit_c - largest)) + largest - logit_label
void execute_operation(const SoftmaxLoss& op, const Operands& operands) {
  require(operands, 0, op.classes * op.samples);
  require(operands, 1, op.samples);
  require(operands, 2, op.classes * op.samples);
  require(operands, 3, 1);
  const float* logits = operands[0].data;
  const float* labels = operands[1].data;
  float* gradient = operands[2].data;  // may be the logits' own buffer
  double loss = 0;
  for (std::int64_t first = 0; first < op.samples; first += kBlock) {
    Block block{first, std::min(kBlock, op.samples - first), {}, {}, {}};
    find_largest(op, logits, block);
    for (std::int64_t s = 0; s < block.count; ++s)
      block.label_logit[s] = logits[label_of(op, labels, first + s) * op.samples + first + s];
    exponentials(op, logits, gradient, block);
    scale(op, gradient, block);
    for (std::int64_t s = 0; s < block.count; ++s) {
      gradient[label_of(op, labels, first + s) * op.samples + first + s] -= 1.0F / static_cast<float>(op.batch);
      loss += std::log(static_cast<double>(block.sum[s])) + static_cast<double>(block.largest[s]) -
              static_cast<double>(block.label_logit[s]);
    }
  }
  operands[3].data[0] = static_cast<float>(loss);
}

}  // namespace simtrain
