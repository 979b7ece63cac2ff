#include "calibrate/workbench.hpp"

#include <algorithm>
#include <ctime>

#include "base/error.hpp"
#include "kernels/blas_kernels.hpp"
#include "kernels/execute.hpp"

namespace simtrain {
namespace {

// One size cut into a whole number of rows and these into planes, as the operations want it.
struct Rows {
  std::int64_t row, per_plane, rows;
  [[nodiscard]] std::int64_t elements() const { return row * rows; }
};

// At least one row of `row` elements; at most `per_plane` rows a plane, and planes filled.
Rows rows_of(std::int64_t elements, std::int64_t row, std::int64_t per_plane) {
  const std::int64_t rows = std::max<std::int64_t>(1, (elements + row / 2) / row);
  if (rows <= per_plane) return {row, rows, rows};
  return {row, per_plane, (rows + per_plane / 2) / per_plane * per_plane};
}

// Pooling whose input has m elements, rows of n outputs, and k looks at four elements: the smallest window and stride
// with that k. Planes as high as wide, as far as m goes.
Pooling pooling_of(const Call& call) {
  std::int64_t window = 3, stride = 2;
  for (std::int64_t w = 8; w >= 2; --w)
    for (std::int64_t s = w; s >= 1; --s)
      if (looks_of(w, s) == call.k) {
        window = w;
        stride = s;
      }
  const auto inputs = [&](std::int64_t outputs) { return (outputs - 1) * stride + window; };
  const std::int64_t in_width = inputs(call.n);
  const std::int64_t out_height = std::clamp((call.m / in_width - window) / stride + 1, std::int64_t{1}, call.n);
  const std::int64_t plane = inputs(out_height) * in_width;
  const bool max = call.kernel == Kernel::max_pool || call.kernel == Kernel::max_pool_gradient;
  const bool forward = call.kernel == Kernel::max_pool || call.kernel == Kernel::average_pool;
  return {max ? PoolingKind::max : PoolingKind::average,
          forward ? PoolingPass::forward : PoolingPass::gradient,
          std::max<std::int64_t>(1, (call.m + plane / 2) / plane),
          inputs(out_height),
          in_width,
          out_height,
          call.n,
          window,
          stride,
          0};
}

// Flattening as behind AlexNet's last pooling: 6 x 6 pixels; up to 64 samples.
Rows flatten_rows(const Call& call) { return rows_of(call.m, 36, 64); }

Rows softmax_rows(const Call& call) { return rows_of(call.m, call.m >= 32000 ? 1000 : 10, 1); }

// A convolution of one image whose im2col matrix has m elements, rows of n outputs, stride k and that window.
ConvolutionGeometry geometry_of(const Call& call) {
  const std::int64_t kernel = call.window;
  const Rows rows = rows_of(call.m, kernel * kernel * call.n, call.n);
  const std::int64_t padding = call.k == 1 ? kernel / 2 : 0;
  const auto inputs = [&](std::int64_t outputs) { return (outputs - 1) * call.k + kernel - 2 * padding; };
  const std::int64_t channels = rows.rows / rows.per_plane;
  return {channels, inputs(rows.per_plane), inputs(call.n), 1, rows.per_plane, call.n, kernel, kernel, call.k, padding,
          1};
}

std::int64_t image_floats(const ConvolutionGeometry& g) { return g.in_channels * g.in_height * g.in_width; }

// Of one thread the processor time: what the kernels take, also when something else runs on the machine meanwhile. The
// time of several cannot be told apart from waiting for each other.
double now_s(int threads) {
  std::timespec now{};
  ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Call executable(const Call& call) {
  switch (call.kernel) {
    case Kernel::max_pool:
    case Kernel::max_pool_gradient:
    case Kernel::average_pool:
    case Kernel::average_pool_gradient: {
      const Pooling op = pooling_of(call);
      return {call.kernel, op.planes * op.in_height * op.in_width, op.out_width, looks_of(op.window, op.stride)};
    }
    case Kernel::flatten:
      return {call.kernel, flatten_rows(call).elements()};
    case Kernel::softmax_loss:
      return {call.kernel, softmax_rows(call).elements()};
    case Kernel::im2col:
    case Kernel::col2im: {
      const ConvolutionGeometry g = geometry_of(call);
      return {call.kernel, g.patch() * g.out_pixels(), call.n, call.k, call.window};
    }
    default:
      return call;
  }
}

CallFloats floats_of(const Call& call) {
  switch (call.kernel) {
    case Kernel::gemm_nn:
    case Kernel::gemm_nt:
    case Kernel::gemm_tn:
      return {call.m * call.k + call.k * call.n, call.m * call.n};
    case Kernel::im2col:
      return {image_floats(geometry_of(call)), call.m};
    case Kernel::col2im:
      return {call.m, image_floats(geometry_of(call))};
    case Kernel::max_pool_gradient:
      return {2 * call.m, call.m};
    case Kernel::relu_gradient:
      return {2 * call.m, call.m};
    case Kernel::batch_norm:
    case Kernel::batch_norm_gradient:
      return {2 * call.m + 4, call.m + 4};
    case Kernel::update:
      return {call.m, 2 * call.m};
    default:
      return {call.m, call.m};  // an upper bound for pooling
  }
}

bool fits(const Call& call, std::int64_t floats) {
  // Half: so that the operands of one call never overlap, wherever the rotation stands.
  const CallFloats needed = floats_of(call);
  return needed.in <= floats / 2 && needed.out <= floats / 2;
}

Workbench::Workbench(std::int64_t floats, std::uint64_t seed, int threads)
    : threads_(threads), inputs_(floats, true, seed), outputs_(floats, false, seed) {
  use_blas_threads(threads);
}

double Workbench::time_s(const Call& call, int times) {
  SIMTRAIN_INVARIANT(call == executable(call) && fits(call), std::string(name_of(call.kernel)));
  if (call.kernel == Kernel::softmax_loss)
    labels_.resize(std::max(labels_.size(), static_cast<std::size_t>(softmax_rows(call).rows)));
  const double start = now_s(threads_);
  for (int i = 0; i < times; ++i) execute_once(call);
  return now_s(threads_) - start;
}

void Workbench::execute_once(const Call& call) {
  if (is_gemm(call.kernel)) {
    execute_product(call);
  } else if (call.kernel == Kernel::im2col || call.kernel == Kernel::col2im) {
    execute_im2col(call);
  } else {
    execute_stream(call);
  }
}

// A of NN and TN are weights, not touched since the last pass. B of NN and TN has just been written: an activation, a
// gradient, an im2col matrix. NT is the weight gradient: dY has just been written, the other operand has if it is an
// im2col matrix, and not if it is the activation of a linear layer: their sizes tell them apart.
void Workbench::execute_product(const Call& call) {
  const MatrixProduct product{static_cast<Transposition>(call.kernel), call.m, call.n, call.k};
  const std::int64_t a = call.m * call.k, b = call.k * call.n, c = call.m * call.n;
  const auto small = [](std::int64_t floats) { return floats * std::int64_t{sizeof(float)} <= kIm2colBytes; };
  switch (call.kernel) {
    case Kernel::gemm_nn:
      return execute(product, {inputs_.next(a), inputs_.hot(b), outputs_.next(c)});
    case Kernel::gemm_tn:
      return execute(product, {inputs_.next(a), inputs_.hot(b), small(c) ? outputs_.hot(c) : outputs_.next(c)});
    default:
      return execute(product, {inputs_.hot(a), inputs_.next(b), outputs_.next(c)});
  }
}

void Workbench::execute_im2col(const Call& call) {
  const ConvolutionGeometry g = geometry_of(call);
  const std::int64_t channel_stride = g.in_height * g.in_width;
  if (call.kernel == Kernel::im2col)
    im2col(g, inputs_.next(image_floats(g)).data, channel_stride, 1, outputs_.hot(call.m).data);
  else
    col2im(g, inputs_.hot(call.m).data, 1, outputs_.next(image_floats(g)).data, channel_stride);
}

// Which operands are hot: kernels/operation.hpp tells what they are, train/plan_forward.cpp and plan_backward.cpp what
// comes before.
void Workbench::execute_stream(const Call& call) {
  const auto in = [&](std::int64_t floats) { return inputs_.next(floats); };
  const auto hot = [&](std::int64_t floats) { return inputs_.hot(floats); };
  const auto out = [&](std::int64_t floats) { return outputs_.next(floats); };
  const auto changed = [&](std::int64_t floats) { return outputs_.hot(floats); };
  const std::int64_t m = call.m;
  switch (call.kernel) {
    case Kernel::relu:
      return execute(ElementwiseOp{Elementwise::relu, m}, {changed(m), changed(m)});
    case Kernel::relu_gradient:
      return execute(ElementwiseOp{Elementwise::relu_gradient, m}, {changed(m), in(m), changed(m)});
    case Kernel::add:
      return execute(ElementwiseOp{Elementwise::add, m}, {hot(m), out(m)});
    case Kernel::bias:
      return execute(BiasForward{1, m}, {in(1), changed(m)});
    case Kernel::bias_gradient:
      return execute(BiasGradient{1, m}, {hot(m), out(1)});
    case Kernel::batch_norm:
      return execute(BatchNormalisation{NormalisationPass::forward, 1, m}, {hot(m), in(2), out(m), out(2)});
    case Kernel::batch_norm_gradient:
      return execute(BatchNormalisation{NormalisationPass::gradient, 1, m},
                     {hot(m), in(m), in(2), in(2), out(m), out(2)});
    case Kernel::dropout:
      return execute(Dropout{1, 1, m, 0, 0, 0.5F}, {changed(m), changed(m)});
    case Kernel::update:
      return execute(Update{m, 0.01F, 0.9F, 5e-4F}, {hot(m), out(m), out(m)});
    case Kernel::flatten: {
      const Rows rows = flatten_rows(call);
      return execute(Flatten{FlattenDirection::forward, rows.rows / rows.per_plane, rows.per_plane, rows.row},
                     {hot(m), out(m)});
    }
    case Kernel::softmax_loss: {
      const Rows rows = softmax_rows(call);
      const Buffer labels{labels_.data(), rows.rows, false};
      return execute(SoftmaxLoss{rows.row, rows.rows, rows.rows}, {hot(m), labels, out(m), out(1)});
    }
    default: {
      const Pooling op = pooling_of(call);
      const std::int64_t outputs = op.planes * op.out_height * op.out_width;
      if (op.pass == PoolingPass::forward) return execute(op, {hot(m), out(outputs)});
      return execute(op, {hot(outputs), in(m), in(outputs), out(m)});
    }
  }
}

}  // namespace simtrain
