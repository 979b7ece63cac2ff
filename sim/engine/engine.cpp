#include "sim/engine/engine.hpp"

#include <smpi/smpi.h>

#include <csignal>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/platform/spec.hpp"

// Not before SimGrid's other headers, which it needs.
#include <simgrid/version.h>

namespace simtrain {

namespace {

using simgrid::s4u::Engine;

// SimGrid reads some settings from a command line only; ours is none of its business, so it gets one made up. A
// deadlock is reported by us (sim/engine/simulation.hpp), not by pages of actors from the category ker_engine.
std::unique_ptr<Engine> make_silent_engine() {
  static std::vector<std::string> words{"simtrain", "--log=root.thres:critical", "--log=ker_engine.app:file:/dev/null"};
#if defined(__SANITIZE_ADDRESS__)  // which follows the stacks of threads, not those that SimGrid switches by hand
  words.emplace_back("--cfg=contexts/factory:thread");
#endif
  static std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return std::make_unique<Engine>(&argc, argv.data());
}

void configure() {
  for (const char* setting : {
           "network/model:CM02",            // the default, LV08, multiplies latencies by 13
           "network/crosstraffic:no",       // acknowledgements take no bandwidth
           "network/TCP-gamma:1e30",        // no window limits a flow, at any latency
           "smpi/simulate-computation:no",  // the time our own code takes is not the job's
           "smpi/host-speed:1Gf",           // unused; SMPI asks for it
           "smpi/wtime:0",                  // looking at the clock costs nothing
           "smpi/test:0",                   // nor does looking whether a message has arrived
           "smpi/coll-selector:ompi",
           // Eager sends sit in a list with linear removal before 3.34, which costs a factor of 2 to 5. As rendezvous
           // every send ends when its message has arrived; ranks in lock-step see no difference.
           "smpi/send-is-detached-thresh:0",
           "smpi/async-small-thresh:0",
       })
    Engine::set_config(std::string(setting));
  // For hosts of full zones in the user's XML, which get SimGrid's own loopback.
  Engine::set_config("network/loopback-bw", kLoopbackBandwidth_Bps);
  Engine::set_config("network/loopback-lat", kLoopbackLatency_s);
}

}  // namespace

std::unique_ptr<Engine> start_engine() {
  smpi_init_options();  // declares the options of SMPI, and therefore comes first
  const auto interrupt = std::signal(SIGINT, SIG_DFL);
  std::unique_ptr<Engine> engine = make_silent_engine();
  std::signal(SIGINT, interrupt);  // SimGrid's own handler lists every actor
  configure();
  return engine;
}

std::string simgrid_version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + (patch > 0 ? "." + std::to_string(patch) : "");
}

}  // namespace simtrain
