// What to train and how it is split: the options that simtrain and mpitrain share.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "report/result.hpp"
#include "train/dataset.hpp"
#include "train/network.hpp"
#include "train/plan.hpp"
#include "train/trainer_options.hpp"

namespace simtrain {

struct Job {
  Network network;
  PlanOptions plan;
  int iterations = 1, warm_up = 0;
  int epochs = 0;  // > 0: iterations is what these epochs take
  std::shared_ptr<const Dataset> training_data;
  std::shared_ptr<const Dataset> test_data;  // none for synthetic data
  std::string data;                          // as given
  bool shuffled = false;
  LearningRateSchedule schedule;
  std::uint64_t seed = 1;
  int threads = 1;        // of the BLAS, in each rank
  std::string json_path;  // empty: none
};

// What is trained, how, and where the result goes; --scenario, --help, --version. The grid is apart: a sweep has none.
boost::program_options::options_description job_options(int default_iterations, int default_warm_up);
// --epochs, for programs that can wait for them.
boost::program_options::options_description epoch_options();
// --grid or --tp and --dp.
inline const std::vector<std::string> kGridOptions{"grid", "tp", "dp"};
boost::program_options::options_description grid_options();

// Reads and checks them; files are loaded. InputError for anything wrong.
Job job_from(const boost::program_options::variables_map& values);
Grid grid_from(const boost::program_options::variables_map& values);

TrainerOptions trainer_options(const Job& job);

// What of the job its plan does not say.
void describe(const Job& job, JobResult& result);

}  // namespace simtrain
