// What the native trainer takes beside its matrix products: two trainers of the same job take turns, one as it is, the
// other with every operation but the products left out. One rank, one thread.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "bench/one_rank.hpp"
#include "calibrate/fit.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

// The bars: sum of all phases against its products alone.
constexpr double kMostLinear = 1.15, kMostConvolution = 1.40;

// Executes the products of every operation, on operands that lie where the trainer's do, and nothing else.
class ProductsOnly final : public KernelsAround {
 public:
  // Products of zeros take less power, and time: without the other operations nothing else would stand there.
  Buffer allocate(std::int64_t floats) override {
    const Buffer buffer = kernels_.allocate(floats);
    for (std::int64_t i = 0; i < floats; ++i) buffer.data[i] = 1e-3F * static_cast<float>(i % 1009 - 504);
    return buffer;
  }
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override {
    if (std::holds_alternative<MatrixProduct>(operation)) return kernels_.enqueue(operation, operands, account);
    if (const auto* convolution = std::get_if<Convolution>(&operation)) execute(*convolution, operands, account);
    return {};
  }

 private:
  // The products of a convolution have the im2col matrix as one of their operands; the other and the result are taken
  // from the activations, chunk after chunk as the convolution does.
  void execute(const Convolution& op, const Operands& operands, Account account) {
    const Buffer &outputs = op.pass == ConvolutionPass::forward ? operands[2] : operands[0],
                 &weights = op.pass == ConvolutionPass::weight_gradient ? operands[2] : operands[1],
                 &matrix = operands[3];
    std::int64_t at = 0;
    for_each_call(op, [&](const Call& call, std::int64_t times) {
      if (!is_gemm(call.kernel)) return;
      const std::int64_t columns = op.pass == ConvolutionPass::forward         ? call.m * call.n
                                   : op.pass == ConvolutionPass::data_gradient ? call.k * call.n
                                                                               : call.m * call.k;
      const MatrixProduct product{static_cast<Transposition>(call.kernel), call.m, call.n, call.k};
      for (std::int64_t i = 0; i < times; ++i, at += columns) {
        const Buffer part = outputs.slice(at, columns);
        switch (op.pass) {
          case ConvolutionPass::forward:
            kernels_.enqueue(product, {weights, matrix, part}, account);
            break;
          case ConvolutionPass::data_gradient:
            kernels_.enqueue(product, {weights, part, matrix}, account);
            break;
          case ConvolutionPass::weight_gradient:
            kernels_.enqueue(product, {part, matrix, weights}, account);
            break;
        }
      }
    });
  }
};

// Seconds of the last iteration by report row: forward, backward, update.
std::vector<double> seconds_by_row(const Plan& plan, const Kernels& kernels) {
  std::vector<double> seconds;
  for (int row = 0; row < static_cast<int>(plan.report_layers.size()); ++row) {
    double sum = 0;
    for (const Work work : {Work::forward, Work::backward, Work::update}) sum += kernels.busy_s(account_of(row, work));
    seconds.push_back(sum);
  }
  return seconds;
}

struct Row {
  std::string name;
  bool linear = false;
  std::vector<double> all_s, products_s, ratios;
};

void print(const Row& row) {
  const auto [least, most] = std::minmax_element(row.ratios.begin(), row.ratios.end());
  const double bar = row.linear ? kMostLinear : kMostConvolution;
  std::printf("  %-12s %12.2f %12.2f   %.3f (%.3f..%.3f)   <= %.2f: %s\n", row.name.c_str(),
              1e3 * median(row.products_s), 1e3 * median(row.all_s), median(row.ratios), *least, *most, bar,
              median(row.ratios) <= bar ? "met" : "NOT MET");
}

int run(const std::vector<std::string>& arguments) {
  const po::options_description options =
      one_rank_options("native_overhead: a trainer's phases against its matrix products alone", "256", "5");
  const po::variables_map values = parse_options(arguments, options, {});
  if (given(values, "help")) {
    std::cout << options;
    return 0;
  }
  const Plan plan = one_rank_plan(values);
  const std::int64_t iterations = iterations_of(values);
  const SyntheticData data(plan.network, 1);
  use_blas_threads(1);
  BlasKernels all([] { return MPI_Wtime(); });
  ProductsOnly products;
  Collectives collectives(plan.options.grid, {0, 0}, false);
  Trainer complete(plan, {0, 0}, all, collectives, data, {.seed = 1, .schedule = {}});
  Trainer bare(plan, {0, 0}, products, collectives, data, {.seed = 1, .schedule = {}});

  std::vector<Row> rows;
  for (const int layer : plan.report_layers) {
    const Layer& described = plan.network.layers[static_cast<std::size_t>(layer)];
    rows.push_back({described.name, described.type == LayerType::linear, {}, {}, {}});
  }
  rows.push_back({"all linear", true, {}, {}, {}});
  rows.push_back({"all convol.", false, {}, {}, {}});
  for (int i = 0; i <= iterations; ++i) {
    complete.run(0, 1);
    bare.run(0, 1);
    if (i == 0) continue;  // warm-up
    auto all_s = seconds_by_row(plan, all), products_s = seconds_by_row(plan, products);
    double sums[2][2] = {};
    for (std::size_t row = 0; row < plan.report_layers.size(); ++row) {
      sums[rows[row].linear ? 0 : 1][0] += all_s[row];
      sums[rows[row].linear ? 0 : 1][1] += products_s[row];
    }
    for (const auto& sum : sums) {
      all_s.push_back(sum[0]);
      products_s.push_back(sum[1]);
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].all_s.push_back(all_s[row]);
      rows[row].products_s.push_back(products_s[row]);
      rows[row].ratios.push_back(all_s[row] / products_s[row]);
    }
  }
  std::printf("%s, batch %ld, one rank, one thread, %s (%s kernels), %ld iterations of each\n",
              plan.network.name.c_str(), static_cast<long>(plan.options.batch), blas_identity().library.c_str(),
              blas_identity().core_type.c_str(), static_cast<long>(iterations));
  std::printf("  layer        products, ms   phases, ms   ratio, median (range)   bar\n");
  for (const Row& row : rows)
    if (median(row.all_s) > 0) print(row);
  return 0;
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) { return simtrain::run_one_rank(argc, argv, "native_overhead", simtrain::run); }
