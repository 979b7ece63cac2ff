// Every kind of overlap and progress, and buckets of one layer, of some and of all.
#pragma once

#include <string>
#include <vector>

#include "train/overlap.hpp"

namespace simtrain {

inline std::vector<OverlapOptions> overlap_cases() {
  std::vector<OverlapOptions> cases;
  for (const Overlap overlap : {Overlap::gradients, Overlap::all})
    for (const Progress progress : {Progress::ideal, Progress::polling, Progress::none})
      for (const std::int64_t bucket_bytes : {1, 1500, 1 << 20}) cases.push_back({overlap, progress, bucket_bytes});
  return cases;
}

inline std::string describe(const OverlapOptions& options) {
  return "overlap " + std::string(name_of(options.overlap)) + ", progress " + std::string(name_of(options.progress)) +
         ", buckets of " + std::to_string(options.bucket_bytes) + " bytes";
}

}  // namespace simtrain
