// Starts SimGrid the way we use it: options, silence, configuration. One engine per process, and only one ever: SimGrid
// keeps its state in globals.
#pragma once

#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
}

namespace simtrain {

// Latency and bandwidth mean what a platform says (model CM02): a message of n bytes that shares no link takes the
// latency of its route + n / its narrowest bandwidth. Collectives of the MPI library follow Open MPI's choices.
std::unique_ptr<simgrid::s4u::Engine> start_engine();

std::string simgrid_version();  // of the library: "3.32"

}  // namespace simtrain
