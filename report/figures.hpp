// The figures of a prediction's page. Each is empty where the result has nothing to show; charts are added to `charts`.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"
#include "report/web_page.hpp"

namespace simtrain {

std::string key_figures(const Result& result);
std::string layers_figure(const Result& result, std::vector<Chart>& charts);
std::string memory_figure(const Result& result, std::vector<Chart>& charts);
// What each rank of the timeline does, with the stretches as a table to be opened.
std::string timeline_figure(const Result& result, std::vector<Chart>& charts);
// The command, versions (the program's is `version`) and files of a passport; not when and where, so that equal input
// gives equal bytes.
std::string origin(const Passport& passport, const std::string& version);
// Use by class of links; on a torus of two or three dimensions and up to 512 hosts by place too (report/link_maps.cpp).
std::string links_figure(const Result& result);

}  // namespace simtrain
