// What to train and how it is split: the options that simtrain and mpitrain share.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <string>

#include "report/result.hpp"
#include "train/network.hpp"
#include "train/plan.hpp"

namespace simtrain {

struct Job {
  Network network;
  PlanOptions plan;
  int iterations = 1, warm_up = 0;
  std::uint64_t seed = 1;
  std::string json_path;  // empty: none
};

// --network, --batch, --iterations, --warm-up, --collectives, --gather, --learning-rate, --momentum, --weight-decay,
// --seed, --json, --scenario, --help, --version. The grid is apart: a sweep has none.
boost::program_options::options_description job_options(int default_iterations, int default_warm_up);
// --grid or --tp and --dp.
inline const std::vector<std::string> kGridOptions{"grid", "tp", "dp"};
boost::program_options::options_description grid_options();

// Reads and checks them; files are loaded. InputError for anything wrong.
Job job_from(const boost::program_options::variables_map& values);
Grid grid_from(const boost::program_options::variables_map& values);

// What a Summary leaves open of the job.
void describe_job(const Job& job, Result& result);

}  // namespace simtrain
