#include "kernels/operation.hpp"

#include <algorithm>
#include <vector>

#include "base/random.hpp"

namespace simtrain {

std::size_t CallHash::operator()(const Call& call) const noexcept {
  const auto mixed = mix64(static_cast<std::uint64_t>(call.kernel) ^ mix64(static_cast<std::uint64_t>(call.m)) ^
                           (static_cast<std::uint64_t>(call.window) << 32));
  return random_bits(mixed, static_cast<std::uint64_t>(call.n), static_cast<std::uint64_t>(call.k));
}

std::int64_t samples_per_chunk(const ConvolutionGeometry& geometry, std::int64_t samples) {
  const std::int64_t bytes_per_sample =
      std::max<std::int64_t>(1, geometry.patch() * geometry.out_pixels()) * static_cast<std::int64_t>(sizeof(float));
  return std::min(samples, std::max<std::int64_t>(1, kIm2colBytes / bytes_per_sample));
}

ConvolutionGeometry Convolution::computed() const {
  if (!partial()) return geometry;
  ConvolutionGeometry part = geometry;
  part.out_height = rows;
  part.row_shift += first_row * geometry.stride;
  return part;
}

FilterRange filters_in_group(const Convolution& convolution, std::int64_t group) {
  const std::int64_t per_group = convolution.geometry.out_channels / convolution.geometry.groups;
  const std::int64_t first = std::max(convolution.first_filter, group * per_group);
  const std::int64_t end = std::min(convolution.first_filter + convolution.filters, (group + 1) * per_group);
  return {first, std::max<std::int64_t>(0, end - first)};
}

std::int64_t workspace_floats(const Operation& operation) {
  const auto* convolution = std::get_if<Convolution>(&operation);
  if (convolution == nullptr || convolution->filters == 0) return 0;
  const ConvolutionGeometry geometry = convolution->computed();
  const std::int64_t columns = geometry.out_pixels() * samples_per_chunk(geometry, convolution->samples);
  const std::int64_t products =
      convolution->partial() ? std::min(convolution->filters, geometry.out_channels / geometry.groups) : 0;
  return (geometry.patch() + products) * columns;
}

namespace {

// The distinct calls of an operation and how often each is made. There are a handful, so a search beats a map.
class CallList {
 public:
  void add(const Call& call, std::int64_t times = 1) {
    if (times <= 0 || call.m <= 0 || call.n <= 0 || call.k <= 0) return;
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.call == call; });
    if (known == entries_.end())
      entries_.push_back({call, times});
    else
      known->times += times;
  }
  void visit(const std::function<void(const Call&, std::int64_t)>& visitor) const {
    for (const Entry& entry : entries_) visitor(entry.call, entry.times);
  }

 private:
  struct Entry {
    Call call;
    std::int64_t times;
  };
  std::vector<Entry> entries_;
};

// `times` chunks of `samples` samples, each of which computes every group that the filters touch.
void add_chunks(const Convolution& convolution, std::int64_t samples, std::int64_t times, CallList& calls) {
  const ConvolutionGeometry geometry = convolution.computed();
  const std::int64_t patch = geometry.patch();
  const std::int64_t columns = samples * geometry.out_pixels();
  for (std::int64_t group = 0; group < geometry.groups; ++group) {
    const std::int64_t filters = filters_in_group(convolution, group).count;
    if (filters == 0) continue;
    switch (convolution.pass) {
      case ConvolutionPass::forward:
        calls.add({Kernel::im2col, patch * columns, geometry.out_width, geometry.stride, geometry.kernel_width}, times);
        calls.add({Kernel::gemm_nn, filters, columns, patch}, times);
        if (convolution.partial()) calls.add({Kernel::flatten, filters * columns}, times);
        break;
      case ConvolutionPass::data_gradient:
        calls.add({Kernel::gemm_tn, patch, columns, filters}, times);
        calls.add({Kernel::col2im, patch * columns, geometry.out_width, geometry.stride, geometry.kernel_width}, times);
        break;
      case ConvolutionPass::weight_gradient:
        calls.add({Kernel::im2col, patch * columns, geometry.out_width, geometry.stride, geometry.kernel_width}, times);
        calls.add({Kernel::gemm_nt, filters, patch, columns}, times);
        break;
    }
  }
}

void add_calls(const Convolution& convolution, CallList& calls) {
  if (convolution.samples == 0) return;
  const std::int64_t chunk = samples_per_chunk(convolution.computed(), convolution.samples);
  add_chunks(convolution, chunk, convolution.samples / chunk, calls);
  add_chunks(convolution, convolution.samples % chunk, 1, calls);
}

void add_calls(const MatrixProduct& product, CallList& calls) {
  const auto kernel = static_cast<Kernel>(static_cast<int>(Kernel::gemm_nn) + static_cast<int>(product.transposition));
  calls.add({kernel, product.m, product.n, product.k});
}

void add_calls(const ElementwiseOp& op, CallList& calls) {
  const auto kernel = static_cast<Kernel>(static_cast<int>(Kernel::relu) + static_cast<int>(op.kind));
  calls.add({kernel, op.count}, op.times);
}

void add_calls(const BiasForward& op, CallList& calls) { calls.add({Kernel::bias, op.rows * op.columns}); }

void add_calls(const BiasGradient& op, CallList& calls) { calls.add({Kernel::bias_gradient, op.rows * op.columns}); }

void add_calls(const Pooling& op, CallList& calls) {
  const bool forward = op.pass == PoolingPass::forward;
  const Kernel kernel = op.kind == PoolingKind::max ? (forward ? Kernel::max_pool : Kernel::max_pool_gradient)
                                                    : (forward ? Kernel::average_pool : Kernel::average_pool_gradient);
  calls.add({kernel, op.planes * op.in_height * op.in_width, op.out_width, looks_of(op.window, op.stride)});
}

void add_calls(const Flatten& op, CallList& calls) {
  calls.add({Kernel::flatten, op.channels * op.samples * op.pixels});
}

void add_calls(const CopyBlock& op, CallList& calls) {
  calls.add({op.add ? Kernel::add : Kernel::flatten, op.planes * op.rows * op.run});
}

// A ReLU writes as much.
void add_calls(const Clear& op, CallList& calls) { calls.add({Kernel::relu, op.count}); }

void add_calls(const SoftmaxLoss& op, CallList& calls) { calls.add({Kernel::softmax_loss, op.classes * op.samples}); }

void add_calls(const Update& op, CallList& calls) { calls.add({Kernel::update, op.count}); }

void add_calls(const BatchNormalisation& op, CallList& calls) {
  calls.add(
      {op.pass == NormalisationPass::forward ? Kernel::batch_norm : Kernel::batch_norm_gradient, op.rows * op.columns});
}

void add_calls(const Dropout& op, CallList& calls) { calls.add({Kernel::dropout, op.rows * op.samples * op.pixels}); }

// The casts above rely on these orders.
static_assert(static_cast<int>(Kernel::gemm_nt) == static_cast<int>(Transposition::nt));
static_assert(static_cast<int>(Kernel::gemm_tn) == static_cast<int>(Transposition::tn));
static_assert(static_cast<int>(Kernel::add) - static_cast<int>(Kernel::relu) == static_cast<int>(Elementwise::add));

}  // namespace

void for_each_call(const Operation& operation, const std::function<void(const Call&, std::int64_t)>& visit) {
  CallList calls;
  std::visit([&](const auto& op) { add_calls(op, calls); }, operation);
  calls.visit(visit);
}

bool survives(const Dropout& dropout, std::int64_t sample, std::int64_t feature) {
  constexpr std::uint64_t kDropouts = 2'000'000;  // weights, data and shuffles use other streams
  const std::uint64_t stream = kDropouts + static_cast<std::uint64_t>(dropout.layer);
  const std::uint64_t once = random_bits(dropout.seed, stream, static_cast<std::uint64_t>(dropout.iteration));
  return random_unit(once, static_cast<std::uint64_t>(sample), static_cast<std::uint64_t>(feature)) >=
         dropout.probability;
}

double gemm_flops(const Operation& operation) {
  double flops = 0;
  for_each_call(operation, [&](const Call& call, std::int64_t times) {
    if (is_gemm(call.kernel))
      flops += 2.0 * static_cast<double>(times) * static_cast<double>(call.m) * static_cast<double>(call.n) *
               static_cast<double>(call.k);
  });
  return flops;
}

}  // namespace simtrain
