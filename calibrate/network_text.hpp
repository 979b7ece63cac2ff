// The network section of a profile for people, and as a platform for simtrain.
#pragma once

#include <string>

#include "calibrate/network_section.hpp"

namespace simtrain {

// For each place its certificate, a row per segment of the curves, and the platform in one word; empty for an empty
// section.
std::string to_text(const NetworkSection& section);

// A platform for the nodes that were measured, as simtrain takes it in one word: "crossbar:16,bandwidth=…,latency=…",
// or "node:2,…" where no second node was measured. hosts: of one node, its cores.
std::string one_word_platform(const NetworkSection& section, int hosts);

// The same as SimGrid XML; with a loopback as measured where both places were.
std::string xml_platform(const NetworkSection& section, int hosts);

}  // namespace simtrain
