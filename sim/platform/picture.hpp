// A topology as a picture, drawn by Graphviz.
#pragma once

#include <string>

#include "sim/platform/topology.hpp"

namespace simtrain {

// More vertices than this make a picture that shows nothing, after a long time.
inline constexpr std::int32_t kMostDrawn = 600;

// In Graphviz's language: hosts are dots, switches boxes; a line is a cable, or several (a number on it), with the
// bandwidth in its tooltip; the key tells the colours of the classes of cables. Which of Graphviz's layouts fits is
// part of the text.
std::string to_dot(const Topology& topology, const std::string& title);

// The picture as SVG. InputError for more than kMostDrawn vertices; Failure when Graphviz is not installed.
std::string to_svg(const Topology& topology, const std::string& title);

}  // namespace simtrain
