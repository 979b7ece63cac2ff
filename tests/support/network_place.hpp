// A network section with two segments per curve, for tests of what is written, read and shown.
#pragma once

#include "calibrate/network_section.hpp"

namespace simtrain {

// Messages up to 1 KiB take 1 us + n / 1 GB/s, larger ones up to 1 MiB 3 us + n / 4 GB/s; an exchange of the larger
// ones takes twice as long.
inline NetworkPlace sample_place() {
  NetworkPlace place;
  place.certificate = {"node-7",
                       "a CPU",
                       "Open MPI v4.1.4",
                       "OMPI_MCA_btl=self,vader",
                       "2024-02-29T12:00:00Z",
                       "mpirun -n 2 calibrate network",
                       7};
  place.latency_s = 1e-6;
  place.bandwidth_Bps = 4e9;
  TimingCurve curve;
  curve.segments = {{0, 1024, 1e-6, 1e9}, {1025, 1 << 20, 3e-6, 4e9}};
  curve.samples = {{0, {1e-6, 1.1e-6}, false}, {1000, {2e-6}, true}, {1 << 20, {265e-6}, false}};
  curve.error = {1, 0.01, 0.02, 0.03};
  place.curves[MessageTiming::one_way_idle] = curve;
  curve.segments[1] = {1025, 1 << 20, 6e-6, 2e9};
  place.curves[MessageTiming::exchange_idle] = curve;
  return place;
}

}  // namespace simtrain
