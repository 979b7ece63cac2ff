// The report of a result and its sections. Each adds its heading and lines to the page.
#pragma once

#include "report/page.hpp"
#include "report/result.hpp"

namespace simtrain {

// All of it, with figures "key", "layers", "timeline", "links", "memory", "origin" in their places.
void add_report(Page& page, const Result& result);

// Per layer: forward, backward, update, the three collectives, bytes sent; then what stands out.
void add_layers(Page& page, const Result& result);
// Compute, communication, and what is neither.
void add_shares(Page& page, const Result& result);
// What bounds the iteration, and what is beyond: nothing without result.bounds.
void add_bounds(Page& page, const Result& result);
// The communication beside what the formulas say, and what the difference means.
void add_communication(Page& page, const Result& result);

// What `--strategy auto` tried, and why it chose what it did (report/strategy.cpp): nothing without it.
void add_strategy_search(Page& page, const Result& result);
// What `--placement auto` tried, what slow parts cost, which links carry most (report/machine.cpp): nothing without
// them.
void add_placement_trials(Page& page, const Result& result);
void add_slow_parts(Page& page, const Result& result);
void add_links(Page& page, const Result& result);
// What the rank that needs most needs, beside the host's, with the figure "memory".
void add_memory(Page& page, const Result& result);

// Whether the memory of a host's ranks fits the host's; true when the host's is not known.
bool fits_host(const MemoryResult& memory);

}  // namespace simtrain
