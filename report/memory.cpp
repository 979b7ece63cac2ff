#include "base/units.hpp"
#include "report/sections.hpp"

namespace simtrain {

bool fits_host(const MemoryResult& memory) { return !memory.host || memory.together() <= *memory.host; }

namespace {

// "The total is 0.62 % of the host's 96.0 GiB", "4 ranks of a host need 2.40 GiB, 2.50 % of its 96.0 GiB"
std::string needs_text(const MemoryResult& memory, const std::string& one_rank) {
  const std::string share = format_percent(memory.together() / *memory.host);
  if (memory.ranks_on_host == 1) return one_rank + share + " of the host's " + format_bytes(*memory.host);
  return counted(memory.ranks_on_host, "rank") + " of a host need " + format_bytes(memory.together()) + ", " + share +
         " of its " + format_bytes(*memory.host);
}

}  // namespace

void add_memory(Page& page, const Result& result) {
  const MemoryResult& memory = result.memory;
  page.heading("Memory per rank (the rank that needs most)");
  page.figure("memory");
  Table table({{.heading = "weights"},
               {.heading = "gradients"},
               {.heading = "momentum"},
               {.heading = "activations"},
               {.heading = "buffers"},
               {.heading = "total"}});
  std::vector<std::string> cells;
  for (const double bytes :
       {memory.weights, memory.gradients, memory.momentum, memory.activations, memory.buffers, memory.total()})
    cells.push_back(bytes > 0 ? format_bytes(bytes) : "-");
  table.row(std::move(cells));
  page.table(table);
  if (!memory.host)
    page.sentence(std::string("Host memory unknown") +
                  (result.platform ? ": the platform does not say; --host-memory does." : "."));
  else if (fits_host(memory))
    page.sentence(needs_text(memory, "The total is ") + ".");
  else
    page.warning("does not fit: " + needs_text(memory, "a rank needs " + format_bytes(memory.total()) + ", ") + ".");
}

}  // namespace simtrain
