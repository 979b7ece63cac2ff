// What a rank computes, as values: the shape of every operation of training, what it reads and writes, and the
// primitive kernel calls it is made of. No data, no BLAS, no clock: the trainer enqueues these, the BLAS kernels
// execute them, the modelled kernels and the cost formulas price their calls, calibration measures the calls.
//
// Layout, everywhere: float32, row-major, "features by samples".
//   activation of a convolution   [channels][samples][height*width]    a row is a channel
//   activation of a linear layer  [features][samples]                   a row is a feature
//   weights                       [filters or out features][in features]
// Rows are what Pr splits, so that the block of a grid row is contiguous and all-gather needs no packing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>

namespace simtrain {

// C(m x n) = op(A)(m x k) * op(B)(k x n); N: as stored, T: stored transposed.
enum class Transposition { nn, nt, tn };

struct MatrixProduct {
  Transposition transposition;
  std::int64_t m, n, k;
  // operands: A, B in; C out (overwritten)
};

struct ConvolutionGeometry {
  std::int64_t in_channels, in_height, in_width;
  std::int64_t out_channels, out_height, out_width;
  std::int64_t kernel_height, kernel_width, stride, padding, groups;
  // The image and the outputs may be strips, some rows, of larger ones: the window of output row i begins at image row
  // i*stride - padding + row_shift. Rows outside the strip are then padding: those that a window sees must be inside.
  std::int64_t row_shift = 0;

  [[nodiscard]] std::int64_t patch() const { return in_channels / groups * kernel_height * kernel_width; }  // k
  [[nodiscard]] std::int64_t out_pixels() const { return out_height * out_width; }
  bool operator==(const ConvolutionGeometry&) const = default;
};

enum class ConvolutionPass { forward, data_gradient, weight_gradient };

// The filters [first_filter, first_filter + filters) of a convolution over `samples` images, as im2col + GEMM in
// chunks of samples so that the im2col matrix stays within kIm2colBytes.
struct Convolution {
  ConvolutionPass pass;
  ConvolutionGeometry geometry;
  std::int64_t first_filter, filters, samples;
  // forward          operands: X (all in channels), W (these filters) in; Y (these filters) out; workspace
  // data_gradient    operands: dY (these filters), W in; dX (all in channels, overwritten) out; workspace
  // weight_gradient  operands: dY (these filters), X in; dW (these filters, overwritten) out; workspace

  // Of the forward pass: only output rows [first_row, first_row + rows), the others of Y stay as they are. Where that
  // is not all of them, products go to the workspace first and are copied to their rows of each sample.
  static constexpr std::int64_t kAllRows = -1;
  std::int64_t first_row = 0, rows = kAllRows;

  [[nodiscard]] bool partial() const { return rows != kAllRows && rows != geometry.out_height; }
  // Of what is computed: the geometry, if partial that of the rows alone.
  [[nodiscard]] ConvolutionGeometry computed() const;
};
inline constexpr std::int64_t kIm2colBytes = std::int64_t{4} << 20;

enum class Elementwise {
  relu,           // operands: X in; Y out (may be the same buffer)
  relu_gradient,  // operands: dY, Y in; dX out (may be dY)
  add,            // operands: X in; Y in and out: Y += X (the reduction step of a collective)
};
struct ElementwiseOp {
  Elementwise kind;
  std::int64_t count;
  std::int64_t times = 1;  // so often, one after the other
};

struct BiasForward {  // operands: b (rows) in; Y (rows x columns) in and out
  std::int64_t rows, columns;
};
struct BiasGradient {  // operands: dY (rows x columns) in; db (rows) out
  std::int64_t rows, columns;
};

enum class PoolingKind { max, average };
enum class PoolingPass { forward, gradient };
struct Pooling {
  PoolingKind kind;
  PoolingPass pass;
  std::int64_t planes;  // channels x samples
  std::int64_t in_height, in_width, out_height, out_width, window, stride, padding;
  std::int64_t row_shift = 0;  // as of ConvolutionGeometry
  // forward   operands: X in; Y out.             Average divides by the window's elements inside the image.
  // gradient  operands: dY, X, Y in; dX out      Max: the first largest element of a window gets its gradient.
};

enum class FlattenDirection { forward, gradient };
struct Flatten {  // [channels][samples][pixels] <-> [channels][pixels][samples]; operands: in, out
  FlattenDirection direction;
  std::int64_t channels, samples, pixels;
};

// Softmax cross-entropy over columns of logits (classes x samples).
// operands: logits, labels (one float per sample, a class number) in; dlogits = (softmax - onehot)/batch,
//           loss (1 float: the sum over these samples of the cross-entropy, not divided) out
struct SoftmaxLoss {
  std::int64_t classes, samples, batch;
};

// Batch normalisation of rows (channels) over their columns (samples x pixels); Ioffe, Szegedy, ICML 2015.
//   Y = scale * (X - mean) / sqrt(variance + kNormalisationEpsilon) + shift, mean and (biased) variance of the row.
// parameters, and their gradient: rows scales, then rows shifts. statistics: rows means, then rows 1/sqrt(variance +
// e).
enum class NormalisationPass { forward, gradient };
inline constexpr float kNormalisationEpsilon = 1e-5F;
struct BatchNormalisation {
  NormalisationPass pass;
  std::int64_t rows, columns;
  // forward   operands: X, parameters in; Y, statistics out
  // gradient  operands: dY, X, statistics, parameters in; dX, gradient of the parameters out
};

// Dropout (Srivastava et al., JMLR 2014), inverted: an element survives with probability 1 - p and is divided by it.
// What survives depends on (seed, layer, iteration, sample, feature) alone, so that every grid drops the same elements,
// and the gradient pass needs no mask. The part of an activation with features [first_feature, + rows*pixels) of
// samples [first_sample, + samples): [rows][samples][pixels]. operands: X in, Y out (may be the same; the gradient
// alike).
struct Dropout {
  std::int64_t rows, samples, pixels;
  std::int64_t first_feature, first_sample;
  float probability;
  std::uint64_t seed = 0;
  std::int64_t layer = 0, iteration = 0;
  // Where the pixels of a row are some of an image: features from one row to the next; 0: `pixels`.
  std::int64_t row_features = 0;
};
bool survives(const Dropout& dropout, std::int64_t sample, std::int64_t feature);

// Part of a matrix to its place in another: `rows` runs of `run` floats, each `from_stride` floats after the one before
// in X and `to_stride` in Y; the first is where the operands begin. And that for each of `planes`, which are
// `from_plane` and `to_plane` floats apart. operands: X in; Y out, or with `add`, Y += X, in and out (no overlap).
struct CopyBlock {
  std::int64_t rows, run, from_stride, to_stride;
  std::int64_t planes = 1, from_plane = 0, to_plane = 0;
  bool add = false;
};

struct Clear {  // operands: Y out, zeros
  std::int64_t count;
};

// V = momentum*V + (dW + weight_decay*W);  W = W - learning_rate*V.  operands: dW in; W, V in and out.
// With momentum 0 there is no V (an empty buffer).
struct Update {
  std::int64_t count;
  float learning_rate, momentum, weight_decay;
};

using Operation = std::variant<MatrixProduct, Convolution, ElementwiseOp, BiasForward, BiasGradient, Pooling, Flatten,
                               SoftmaxLoss, BatchNormalisation, Dropout, CopyBlock, Clear, Update>;

// ---- primitive kernels: what is measured -----------------------------------------------------------------------

// Streaming kernels have one size, `m`, with n = k = 1: the number of elements named below. The two im2col kernels also
// have n = out_width, k = stride and the window's side: they copy the image row by row, an element of a short or
// strided row takes two to three times as long, and for each element k^2/window^2 of the image are read. Pooling has m
// = elements of the input, n = out_width and k = how often four of them are looked at, 4*window^2/stride^2 (4: windows
// that do not overlap; 9: windows of 3 with stride 2): time goes into elements, looks and rows.
enum class Kernel {
  gemm_nn,
  gemm_nt,
  gemm_tn,  // m, n, k as in MatrixProduct
  im2col,
  col2im,  // elements of the im2col matrix
  relu,
  relu_gradient,
  add,  // elements
  bias,
  bias_gradient,  // rows x columns
  max_pool,
  max_pool_gradient,
  average_pool,
  average_pool_gradient,  // elements of the input
  flatten,                // elements; copies of blocks too, which move elements from one order into another alike
  softmax_loss,           // classes x samples
  update,                 // elements, with momentum
  batch_norm,
  batch_norm_gradient,  // rows x columns
  dropout,              // elements
};
inline constexpr std::size_t kKernelCount = 20;
inline constexpr std::array<std::string_view, kKernelCount> kKernelNames{"gemm_nn",
                                                                         "gemm_nt",
                                                                         "gemm_tn",
                                                                         "im2col",
                                                                         "col2im",
                                                                         "relu",
                                                                         "relu_gradient",
                                                                         "add",
                                                                         "bias",
                                                                         "bias_gradient",
                                                                         "max_pool",
                                                                         "max_pool_gradient",
                                                                         "average_pool",
                                                                         "average_pool_gradient",
                                                                         "flatten",
                                                                         "softmax_loss",
                                                                         "update",
                                                                         "batch_norm",
                                                                         "batch_norm_gradient",
                                                                         "dropout"};

constexpr std::string_view name_of(Kernel kernel) { return kKernelNames[static_cast<std::size_t>(kernel)]; }
constexpr bool is_gemm(Kernel kernel) { return kernel <= Kernel::gemm_tn; }
constexpr bool is_im2col(Kernel kernel) { return kernel == Kernel::im2col || kernel == Kernel::col2im; }
constexpr bool is_pooling(Kernel kernel) {
  return kernel >= Kernel::max_pool && kernel <= Kernel::average_pool_gradient;
}

// The size k of pooling, from 1 on.
constexpr std::int64_t looks_of(std::int64_t window, std::int64_t stride) {
  const std::int64_t looks = (8 * window * window / (stride * stride) + 1) / 2;
  return looks > 0 ? looks : 1;
}

struct Call {
  Kernel kernel;
  std::int64_t m, n = 1, k = 1, window = 1;
  bool operator==(const Call&) const = default;
};
struct CallHash {
  std::size_t operator()(const Call& call) const noexcept;
};

// Calls visit(call, times) for each distinct primitive call the operation makes. Calls with an empty size are left out
// (BLAS is not called for them). Groups and chunks of a convolution are merged into `times` where their sizes agree.
void for_each_call(const Operation& operation, const std::function<void(const Call&, std::int64_t times)>& visit);

// Floats of scratch memory the operation needs: the im2col matrix of one chunk, of a partial convolution the products
// of a chunk and group behind it; 0 for all but convolutions.
std::int64_t workspace_floats(const Operation& operation);

// Samples per im2col chunk: as many as keep the im2col matrix within kIm2colBytes, at least 1, at most `samples`.
std::int64_t samples_per_chunk(const ConvolutionGeometry& geometry, std::int64_t samples);

// The part of [first_filter, first_filter + filters) that lies in group g: {first, count}, count possibly 0.
struct FilterRange {
  std::int64_t first, count;
};
FilterRange filters_in_group(const Convolution& convolution, std::int64_t group);

// Floating-point operations, counting a multiply-add as two: 2*m*n*k for a product; 0 for what has no GEMM in it.
double gemm_flops(const Operation& operation);

}  // namespace simtrain
