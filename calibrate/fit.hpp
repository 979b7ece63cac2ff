// Seconds of a kernel call from its shape.
//
//   polynomial   a sum of terms of the shape with coefficients >= 0 (terms below), by relative least squares
//   nearest      the polynomial times a mean of measured/polynomial at the nearest measured shapes, in log(m, n, k),
//                weighted by 1/distance^2: follows tiles and caches, where the polynomial is smooth
//   piecewise    the same for kernels of one size: measured/polynomial linear in log(m) between neighbours
//
// Terms of matrix products: 1, mn, mk, nk, mnk (call, C, A, B, arithmetic), and strips(m)*nk, strips(n)*mk: the BLAS
// cuts m and n into tiles (Goto, van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3),
// 2008) and takes a slower way through the strips that are left over. m = 3 takes longer than m = 4. strips: bits of m
// mod 4 and of n mod 8, the smallest tiles in use; where they do not matter their coefficients come out as 0. Terms of
// im2col and col2im: 1, m, m/n, m for strides above 1, and mk^2/window^2 (call, elements, rows, gathering, image); of
// pooling: 1, m, mk, mk/n (call, elements, looks at them, rows of looks); of the others 1, m.
//
// Products have two polynomials, below and above a split in mnk, where that makes the error much smaller.
//
// The samples kept aside choose between polynomial and the other (smaller median error), and state the error. Beyond
// the measured shapes the ratio of the nearest edge is kept and the polynomial alone grows: predictions are positive
// and grow with the shape (as between shapes with equal strips).
#pragma once

#include <array>
#include <unordered_map>

#include "calibrate/profile.hpp"

namespace simtrain {

std::string_view name_of(FitMethod method);

// False for the kernels whose calls have n = k = 1.
bool has_three_sizes(Kernel kernel);

// The method besides the polynomial that is tried for a kernel.
FitMethod local_method(Kernel kernel);

// The names of a kernel's coefficients, in their order. Products have a set for mnk > split, the split (0: none), and a
// set for mnk <= split.
std::vector<std::string> coefficient_names(Kernel kernel);

// Middle value; of an even number the mean of the two in the middle. Precondition: not empty.
double median(std::vector<double> values);

// Of errors over the samples kept aside; all 0 when there are none.
FitError summarise_errors(std::vector<double> errors);

// Standard deviation of log(predicted / measured), were it normal with that median error: the median of |x| of a normal
// distribution is 0.6745 of its deviation.
double log_spread(const FitError& error);

class KernelFit {
 public:
  struct Candidate {
    FitMethod method = FitMethod::polynomial;
    FitError error;
  };

  // samples: all of one kernel, at least one that is not kept aside.
  static KernelFit fit(Kernel kernel, const std::vector<Sample>& samples);
  // Part of the shapes, with the error of the chosen method there: products by their smallest size (tall and skinny
  // ones are another world), other kernels by the bytes of `m` floats (caches).
  struct Region {
    std::string name;
    FitError error;
  };
  // A fit made earlier. coefficients: as they are named.
  KernelFit(Kernel kernel, const std::vector<Sample>& samples, std::vector<double> coefficients,
            std::vector<Candidate> candidates, FitMethod method, std::vector<Region> regions);

  // What the fit says, whether the shape was measured or not.
  [[nodiscard]] double predict(const Call& call) const { return predict(call, method_); }
  // The measured median of this very shape if there is one, else what the fit says.
  [[nodiscard]] Estimate estimate(const Call& call) const;

  [[nodiscard]] FitMethod method() const { return method_; }
  [[nodiscard]] const std::vector<double>& coefficients() const { return coefficients_; }
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  [[nodiscard]] const FitError& error() const;                                   // of the chosen method
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }  // with samples kept aside
  // Whether this very shape was measured, so that its estimate is no fit.
  [[nodiscard]] bool measured(const Call& call) const { return measured_.contains(call); }

 private:
  using Point = std::array<double, 4>;  // natural logarithms of m, n, k, window
  struct Neighbour {
    Point at;
    double log_ratio;  // of measured to polynomial
    bool small;
  };

  [[nodiscard]] double predict(const Call& call, FitMethod method) const;
  [[nodiscard]] double polynomial(const Call& call) const;
  [[nodiscard]] Point clamped(const Call& call) const;
  [[nodiscard]] bool is_small(const Call& call) const;  // a product below the split
  [[nodiscard]] double nearest_log_ratio(const Call& call) const;
  [[nodiscard]] double piecewise_log_ratio(double log_m) const;
  [[nodiscard]] FitError judge(const std::vector<Sample>& samples, FitMethod method) const;
  [[nodiscard]] std::vector<Region> judge_regions(const std::vector<Sample>& samples) const;

  Kernel kernel_;
  FitMethod method_;
  std::vector<double> coefficients_;
  std::vector<Candidate> candidates_;
  std::vector<Region> regions_;
  std::vector<Neighbour> neighbours_;                    // the samples that were fitted, by m
  std::unordered_map<Call, double, CallHash> measured_;  // medians of all samples
  double most_work_ = 0;  // of all samples: large m, n and k may each have been measured, but never together
  Call least_, most_;     // corners of the box of all samples
};

// Whether it is a product with a size of at most 32: tall and skinny.
bool is_skinny(const Call& call);

// The name of the region of its kernel's shapes that a call lies in.
std::string region_of(const Call& call);

// Marks about a fifth of the shapes of every kernel, chosen by `seed`: of n shapes, n/5 rounded down.
void keep_aside(std::vector<Sample>& samples, std::uint64_t seed);

}  // namespace simtrain
