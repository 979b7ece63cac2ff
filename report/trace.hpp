// A result's timeline in the Trace Event Format, which ui.perfetto.dev and chrome://tracing open
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). The bytes depend on the result
// alone.
//
// The job is a process. A rank is a thread, "rank 5 (row 5, column 0)", whose slices are the phases of layers: they
// follow each other or lie within each other. Exchanges beside which it computes are on a thread "rank 5 beside", its
// messages on "rank 5 sends" and "rank 5 receives"; where these overlap, on several. An arrow leads from where a
// message is sent to where it is received, if both ranks are in the timeline. Times are in µs, to the ns.
#pragma once

#include <filesystem>
#include <string>

#include "report/result.hpp"

namespace simtrain {

// As write_file does (base/files.hpp), bit by bit. Precondition: the result has a timeline.
void write_trace(const std::filesystem::path& path, const Result& result);

// "messages of ranks 3, 4 are left out: together there are more than 200 000 events"; empty when nothing is.
std::string left_out_text(const Timeline& timeline);

}  // namespace simtrain
