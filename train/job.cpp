#include "train/job.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "report/color.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

// Values are read as text and parsed by our own functions, whose errors say what was expected.
po::typed_value<std::string>* word(const char* name) { return po::value<std::string>()->value_name(name); }
po::typed_value<std::string>* word(const char* name, const std::string& fallback) {
  return word(name)->default_value(fallback);
}

float number_at_least_zero(const po::variables_map& values, const std::string& option) {
  const std::string text = text_of(values, option);
  if (text == "0" || text == "0.0") return 0;
  const InputError refused("--" + option + ": '" + text + "' is not valid; expected a number from 0 to 1e38");
  double value = 0;
  try {
    value = parse_positive("--" + option, text);
  } catch (const InputError&) {
    throw refused;
  }
  if (value > 1e38) throw refused;  // rates are floats
  return static_cast<float>(value);
}

}  // namespace

po::options_description job_options(int default_iterations, int default_warm_up) {
  po::options_description options("The training job");
  options.add_options()("network", word("NAME|FILE", "alexnet"), "network: a shipped one or a JSON file")(
      "batch", word("N"), "samples of one iteration, over all processes (default: the network's)")(
      "iterations", word("N", std::to_string(default_iterations)), "iterations to run and average")(
      "data", word("FOLDER|synthetic", "synthetic"),
      "IDX files as of MNIST (train-images-idx3-ubyte[.gz], ...), or data made up by the seed")(
      "shuffle", word("yes|no"), "samples in another order each epoch (default: yes, but for synthetic data)")(
      "learning-rate-schedule", word("HOW", "constant"), "constant, cosine, or step:EPOCHS:FACTOR")(
      "warm-up", word("N", std::to_string(default_warm_up)), "iterations before those, not timed")(
      "strategy", word("HOW", "uniform"),
      "which layers are on the grid: uniform (all), conv-batch (convolutions on 1xP instead), pair (and linear layers "
      "two "
      "by two, the second split by columns), domain (images of convolutions cut into strips, so that P may exceed the "
      "batch), auto (simtrain: what a search finds to be the fastest), or grids by layer, the first match wins: "
      "'conv*:1x256; fc*:32x8', 'conv*:domain:8x32', "
      "'fc7:columns:32x8'")("collectives", word("NAME", "auto"),
                            "ring, recursive-doubling, rabenseifner, bruck, mpi (the library's own), auto")(
      "overlap", word("WHAT", "none"),
      "what runs behind computing: none; gradients (all-reduces of weight gradients, in buckets, behind the rest of "
      "the "
      "backward pass); all (those of data gradients behind weight gradients too)")(
      "bucket", word("SIZE"),
      "with --overlap: gradients of consecutive layers up to so many bytes of a rank are all-reduced together "
      "(default: "
      "25MiB)")(
      "progress", word("HOW"),
      "with --overlap: how communication gets on behind computing: ideal (at any time, on a core or card of its "
      "own; the default), polling (between operations), none (its first messages; the rest when it is waited "
      "for)")("gather", word("WHEN", "after-pooling"),
              "gather activations after-pooling (fewest bytes) or before-pooling")("learning-rate", word("X", "0.01"),
                                                                                   "of stochastic gradient descent")(
      "momentum", word("X", "0.9"), "0: none, and no memory for it")("weight-decay", word("X", "0"), "L2 penalty")(
      "dropout", word("yes|no", "no"), "whether the network's dropout layers drop anything")(
      "seed", word("N", "1"), "of initial weights, synthetic data, shuffling and dropout")(
      "threads", word("N", "1"), "of the BLAS, in each rank")("json", word("FILE"),
                                                              "write the result as JSON (docs/result.schema.json)")(
      "scenario", word("NAME|FILE"), "read options from a file of 'key = value' lines; the command line wins")(
      "help", "this text")("version", "version of the program");
  add_color_option(options);
  return options;
}

po::options_description epoch_options() {
  po::options_description options("Whole epochs");
  options.add_options()("epochs", word("N"),
                        "instead of --iterations: as many as N times all samples take; loss and test accuracy of each");
  return options;
}

po::options_description grid_options() {
  po::options_description options("The process grid");
  options.add_options()("grid", word("PrxPc"),
                        "Pr splits the model (tensor parallel), Pc the batch (data parallel): 32x8")(
      "tp", word("Pr"), "the same in other words: --tp 32 --dp 8")("dp", word("Pc"), "see --tp");
  return options;
}

Grid grid_from(const po::variables_map& values) {
  const bool parts = given(values, "tp") || given(values, "dp");
  if (given(values, "grid")) {
    if (parts) throw InputError("--grid: given together with --tp or --dp; expected one or the other");
    return parse_grid("--grid", text_of(values, "grid"));
  }
  if (!parts) throw InputError("--grid: is missing; expected ROWSxCOLUMNS, such as --grid 32x8");
  const auto side = [&](const char* option) {
    return given(values, option)
               ? static_cast<int>(parse_integer(std::string("--") + option, text_of(values, option), 1, 1 << 20))
               : 1;
  };
  return {side("tp"), side("dp")};
}

namespace {

bool yes_or_no(const po::variables_map& values, const std::string& option, bool fallback) {
  if (!given(values, option)) return fallback;
  const std::string text = text_of(values, option);
  if (text != "yes" && text != "no")
    throw InputError("--" + option + ": '" + text + "' is not valid; expected yes or no");
  return text == "yes";
}

OverlapOptions overlap_from(const po::variables_map& values) {
  OverlapOptions options;
  options.overlap = parse_overlap("--overlap", text_of(values, "overlap"));
  for (const char* option : {"bucket", "progress"})
    if (!options.any() && given(values, option))
      throw InputError("--" + std::string(option) + ": '" + text_of(values, option) +
                       "' is given without --overlap; expected --overlap gradients or --overlap all");
  if (given(values, "bucket")) options.bucket_bytes = parse_bytes("--bucket", text_of(values, "bucket"));
  if (given(values, "progress")) options.progress = parse_progress("--progress", text_of(values, "progress"));
  return options;
}

void read_data(const po::variables_map& values, Job& job) {
  job.data = text_of(values, "data");
  if (job.data == "synthetic") {
    job.training_data = std::make_shared<SyntheticData>(job.network, job.seed);
  } else {
    job.training_data = std::make_shared<IdxData>(job.data, "train", job.network);
    job.test_data = std::make_shared<IdxData>(job.data, "t10k", job.network);
    job.network.dataset_images = job.training_data->size();
  }
  job.shuffled = yes_or_no(values, "shuffle", job.test_data != nullptr);
  job.schedule = parse_learning_rate_schedule("--learning-rate-schedule", text_of(values, "learning-rate-schedule"));
}

// Epochs are counted in samples, so that the last iteration of one may take samples of the next.
void count_epochs(const po::variables_map& values, Job& job) {
  if (!given(values, "epochs")) return;
  if (!values["iterations"].defaulted())
    throw InputError("--epochs: given together with --iterations; expected one of them");
  job.epochs = static_cast<int>(parse_integer("--epochs", text_of(values, "epochs"), 1, 100'000));
  const std::int64_t total = job.epochs * job.training_data->size() / job.plan.batch - job.warm_up;
  if (total < 1 || total > INT32_MAX)
    throw InputError("--epochs: " + std::to_string(job.epochs) + " epochs of " +
                     std::to_string(job.training_data->size()) + " samples are " + std::to_string(total) +
                     " iterations of batch " + std::to_string(job.plan.batch) +
                     " after warm-up; expected at least 1 and at most 2147483647");
  job.iterations = static_cast<int>(total);
}

}  // namespace

void describe(const Job& job, JobResult& result) {
  result.seed = job.seed;
  result.warm_up = job.warm_up;
  result.learning_rate_schedule = job.schedule.text;
  // A folder by its name: where it lies is the machine's business.
  const std::filesystem::path folder = std::filesystem::absolute(job.data) / "";
  result.data = job.test_data ? folder.lexically_normal().parent_path().filename().string() : job.data;
  result.shuffled = job.shuffled;
}

TrainerOptions trainer_options(const Job& job) {
  return {job.seed, job.shuffled, job.schedule, std::int64_t{job.warm_up} + job.iterations};
}

Job job_from(const po::variables_map& values) {
  const auto integer = [&](const std::string& option, std::int64_t least, std::int64_t most) {
    return parse_integer("--" + option, text_of(values, option), least, most);
  };
  Job job;
  job.network = load_network(text_of(values, "network"));
  job.plan.batch = given(values, "batch") ? integer("batch", 1, INT32_MAX) : job.network.default_batch;
  job.plan.algorithm = parse_algorithm("--collectives", text_of(values, "collectives"));
  job.plan.strategy = parse_strategy("--strategy", text_of(values, "strategy"));
  job.plan.overlap = overlap_from(values);
  job.plan.gather = parse_gather("--gather", text_of(values, "gather"));
  job.plan.learning_rate = number_at_least_zero(values, "learning-rate");
  job.plan.momentum = number_at_least_zero(values, "momentum");
  job.plan.weight_decay = number_at_least_zero(values, "weight-decay");
  if (job.plan.momentum >= 1)
    throw InputError("--momentum: '" + text_of(values, "momentum") +
                     "' is not valid; expected a number from 0 to below 1");
  job.iterations = static_cast<int>(integer("iterations", 1, 1'000'000));
  job.warm_up = static_cast<int>(integer("warm-up", 0, 1'000'000));
  job.seed = static_cast<std::uint64_t>(integer("seed", 0, INT64_MAX));
  job.threads = static_cast<int>(integer("threads", 1, 4096));
  job.plan.dropout = yes_or_no(values, "dropout", false);
  job.plan.seed = job.seed;
  read_data(values, job);
  count_epochs(values, job);
  if (given(values, "json")) {
    job.json_path = text_of(values, "json");
    check_output("--json", job.json_path);
  }
  return job;
}

}  // namespace simtrain
