// What the programs here that look into a trainer have in common: one rank, one thread, and kernels that do something
// more or less than compute.
#pragma once

#include <mpi.h>

#include <boost/program_options.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "kernels/blas_kernels.hpp"
#include "train/trainer.hpp"

namespace simtrain {

// Passes everything but operations on.
class KernelsAround : public Kernels {
 public:
  Buffer allocate(std::int64_t floats) override { return kernels_.allocate(floats); }
  void wait(Event event) override { kernels_.wait(event); }
  [[nodiscard]] double busy_s(Account account) const override { return kernels_.busy_s(account); }
  [[nodiscard]] Interval interval(Account account) const override { return kernels_.interval(account); }
  void reset_accounts() override { kernels_.reset_accounts(); }
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override { kernels_.fill(buffer, value); }
  std::span<const float> read(Buffer buffer) override { return kernels_.read(buffer); }
  std::span<float> write(Buffer buffer) override { return kernels_.write(buffer); }

 protected:
  BlasKernels kernels_{[] { return MPI_Wtime(); }};
};

// --help, --network, --batch, --iterations.
inline boost::program_options::options_description one_rank_options(const std::string& title, const char* batch,
                                                                    const char* iterations) {
  namespace po = boost::program_options;
  po::options_description options(title);
  const auto word = [](const char* fallback) { return po::value<std::string>()->default_value(fallback); };
  options.add_options()("help", "this text")("network", word("alexnet"), "network")(
      "batch", word(batch), "samples of the rank")("iterations", word(iterations), "iterations, after one of warm-up");
  return options;
}

inline Plan one_rank_plan(const boost::program_options::variables_map& values) {
  PlanOptions what;
  what.grid = {1, 1};
  what.batch = parse_integer("--batch", text_of(values, "batch"), 1, INT32_MAX);
  return make_plan(load_network(text_of(values, "network")), what);
}

inline std::int64_t iterations_of(const boost::program_options::variables_map& values) {
  return parse_integer("--iterations", text_of(values, "iterations"), 1, 1000);
}

// The main of such a program.
inline int run_one_rank(int argc, char** argv, const char* program, int (*run)(const std::vector<std::string>&)) {
  MPI_Init(&argc, &argv);
  const int status = run_guarded(program, [&] { return run({argv + 1, argv + argc}); });
  MPI_Finalize();
  return status;
}

}  // namespace simtrain
