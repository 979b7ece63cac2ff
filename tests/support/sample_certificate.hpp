// Where a profile of a test is said to come from.
#pragma once

#include "calibrate/profile.hpp"

namespace simtrain {

inline Certificate sample_certificate() {
  return {.machine = "node \"7\"",
          .cpu = "a CPU",
          .blas = "OpenBLAS 0.3.21",
          .blas_core_type = "Haswell",
          .compiler = "g++ 12",
          .date = "2024-02-29T12:00:00Z",
          .command = "calibrate kernels",
          .threads = 1,
          .seed = 42,
          .environment = "OPENBLAS_CORETYPE=Haswell",
          .operands = "in memory"};
}

}  // namespace simtrain
