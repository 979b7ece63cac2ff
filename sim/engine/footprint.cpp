#include "sim/engine/footprint.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/units.hpp"

namespace simtrain {

double simulated_bytes(std::int64_t ranks) { return 45.0 * (1 << 20) + 25.0 * 1024 * static_cast<double>(ranks); }

void check_footprint(std::int64_t ranks) {
  const std::optional<double> available = available_bytes();
  if (const double needed = simulated_bytes(ranks); available && needed > *available)
    throw Failure("simulating " + std::to_string(ranks) + " ranks takes about " + format_bytes(needed) +
                  " of memory, and this machine has " + format_bytes(*available) + " left");
}

void release_started_libraries() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        if (std::string_view(library->dlpi_name).find("/libns3") == std::string_view::npos) return 0;
        const auto page = static_cast<ElfW(Addr)>(::sysconf(_SC_PAGESIZE));
        for (const ElfW(Phdr)* part = library->dlpi_phdr; part != library->dlpi_phdr + library->dlpi_phnum; ++part) {
          if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0) continue;  // what can be written is no file's
          const ElfW(Addr) begin = (library->dlpi_addr + part->p_vaddr) / page * page;
          const ElfW(Addr) end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
          (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // if not, they stay
        }
        return 0;
      },
      nullptr);
}

}  // namespace simtrain
